//! The constructs of the language that are written.

use super::{least, most, valid, write};
use touchstone_clc::vulkan::Parameter;

#[test]
fn integers_of_64_bits() {
    valid(
        "kernel void k(global const ulong *a, global const ulong *b, global ulong *out) {
            const size_t i = get_global_id(0);
            ulong x = a[i], y = b[i];
            const long s = (long)x, t = (long)y;
            global ulong *o = out + i * 64;
            uint n = 0;
            o[n++] = x + y, o[n++] = x - y, o[n++] = x * y, o[n++] = x & y, o[n++] = x | y, o[n++] = x ^ y;
            o[n++] = y ? x / y : 7, o[n++] = y ? x % y : 7, o[n++] = s / t, o[n++] = s % t;
            o[n++] = x << y, o[n++] = x >> y, o[n++] = s >> t;
            o[n++] = x << 5, o[n++] = x >> 32, o[n++] = x << 45, o[n++] = s >> 33, o[n++] = s >> 3;
            o[n++] = x < y, o[n++] = x >= y, o[n++] = x == y, o[n++] = s > t, o[n++] = s <= t, o[n++] = s != t;
            o[n++] = min(x, y), o[n++] = max(s, t), o[n++] = -x, o[n++] = ~x;
            o[n++] = (long)(int)x, o[n++] = (uint)x, o[n++] = (uint)(x * y + x);
            o[n++] = !x, o[n++] = x && y, o[n++] = x || y, o[n++] = (x > 5 ? s : t) - 1;
            o[n++] = x % (uint)y, o[n++] = (ulong)(uint)x / (uint)y;
            y += 3, y *= x, y >>= 1, y++;
            o[n++] = y++, o[n++] = --y;
            bool truth = x;
            o[n++] = truth;
        }",
    );
}

#[test]
fn control_flow() {
    valid(
        "uint find(global const uint *p, uint n, uint what);
        uint find(global const uint *p, uint n, uint what) {
            if (n == 0) return 77;
            for (uint i = 0; i < n; ++i) {
                if (p[i] % 5 == 4) continue;
                for (uint j = 0; j < 3; ++j) {
                    if (p[i] == what + j) return i * 10 + j;
                    if (p[i] > 900) break;
                }
            }
            return 99;
        }
        int sign_of(int x);
        int sign_of(int x) { if (x < 0) return -1; else if (x > 0) return 1; return 0; }
        void bump(uint *p, uint by);
        void bump(uint *p, uint by) { *p += by; if (by > 3) return; *p += 1; }
        global uint *nth(global uint *p, int i);
        global uint *nth(global uint *p, int i) { if (i & 1) return p + i; return p + 2 * i; }
        uint deep(uint x);
        uint deep(uint x) {
            do {
                for (;;) {
                    while (1) { if (x > 10) return x; x += 3; if (x == 9) break; }
                    x += 100;
                }
            } while (0);
            return 5;
        }
        uint endless(uint x);
        uint endless(uint x) { for (;;) { if (x == 7) return 1; } }
        kernel void k(global uint *in, global uint *o) {
            uint g = (uint)get_global_id(0), n = 0, c = 0, t[5] = {1, 2, 3};
            o[n++] = find(in, 16, in[g % 16]), o[n++] = (uint)sign_of((int)g - 7);
            bump(&t[1], g % 6), bump(t + 4, 1);
            o[n++] = t[g % 5] + *nth(in, (int)(g % 7)) + deep(g) + endless(7);
            bool e = (g > 3 && ++c) || (g < 2 && (c += 10));
            o[n++] = c * 2 + e, o[n++] = g > 4 ? (c++, c) : c--;
            do { if (c > 20) continue; o[n] += ++c; } while (c < 30 && g);
            if (g == 3) { return; } else { return; }
            o[n] = 9;
        }",
    );
}

#[test]
fn vectors() {
    valid(
        "kernel void k(global uint *in, global uint *o) {
            uint n = 0;
            uint16 v = vload16(0, in);
            v -= (uint16)(in[1]);
            const uint8 h = v.lo + v.hi;
            uint4 f = h.lo ^ h.hi;
            f.yz = f.wx, f.x += 7;
            vstore4(f, 1, o + n);
            int4 m = (vload4(0, in) == (uint4)(in[0])) & (vload4(1, in) != (uint4)(3));
            m = !m && m || m, m = f > 3u ? m : -m;
            v = as_uint16(as_int16(v) >> 3) << convert_uint16(v);
            vstore16(v, 2, o);
            *(global int4 *)(o + 8) = m;
            ((global int4 *)o)[5].zw = m.xy;
        }",
    );
}

#[test]
fn atomics_and_barriers() {
    valid(
        "kernel void k(global uint *in, local uint *l, global uint *o) {
            local uint fixed[4];
            const uint i = (uint)get_local_id(0);
            l[i] = fixed[i & 3] = i;
            barrier(CLK_LOCAL_MEM_FENCE);
            work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            work_group_barrier(0);
            o[0] = atomic_add((volatile local uint *)l, 2u) + atomic_inc(in) + atomic_xchg(in + 1, 2);
            o[1] = (uint)atomic_min((global int *)in + 2, -1) + atomic_max(in + 3, i) + atomic_cmpxchg(in, 1, 2);
            volatile global atomic_uint *a = (volatile global atomic_uint *)(in + 4);
            volatile local atomic_int *b = (volatile local atomic_int *)l;
            uint want = 7;
            int other = 8;
            o[2] = atomic_compare_exchange_strong_explicit(a, &want, 5u, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
            o[3] = atomic_compare_exchange_weak_explicit(b, &other, 5, memory_order_release, memory_order_relaxed, memory_scope_work_group);
            atomic_store_explicit(b, other, memory_order_release, memory_scope_sub_group);
            o[4] = atomic_load_explicit(a, memory_order_acquire, memory_scope_device) + want;
            o[5] = atomic_fetch_xor_explicit(a, 3u, memory_order_acq_rel, memory_scope_work_group);
            volatile global atomic_flag *f = (volatile global atomic_flag *)(in + 8);
            o[6] = atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device);
            atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_relaxed, memory_scope_device);
            mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE), read_mem_fence(CLK_GLOBAL_MEM_FENCE);
            o[7] = *(volatile global uint *)(in + 9) + get_sub_group_id() + get_sub_group_local_id();
            *(volatile local uint *)l = get_max_sub_group_size() + get_num_sub_groups();
            ((local ulong *)l)[1] += ((volatile global ulong *)in)[3];
        }",
    );
}

#[test]
fn parameters_say_where_arguments_go() {
    let text = "kernel void first(global uint *a, uint n, local int *l, ulong w, global const ulong *b, constant uint *c, int m, local uint *unused) {
            l[0] = (int)n; a[0] = (uint)(l[0] + m + (int)w) + (uint)b[0] + c[0];
        }
        kernel void second(uint n, global uint *a, local uint *l) { l[0] = n; *a = l[0]; }
        kernel void third(void) {}";
    for target in [least(), most()] {
        let shader = write(text, "CL3.0", &target).unwrap();
        super::validate(&shader, "parameters");
        let [buffer, local] = [
            |binding| Parameter::Buffer { binding },
            |size_id| Parameter::Local { size_id },
        ];
        let constant = |offset, bytes| Parameter::Constant { offset, bytes };
        let parameters = shader
            .kernels
            .iter()
            .map(|k| (k.name.as_str(), k.parameters.clone()));
        assert_eq!(
            parameters.collect::<Vec<_>>(),
            [
                (
                    "first",
                    vec![
                        buffer(0),
                        constant(0, 4),
                        local(3),
                        constant(8, 8),
                        buffer(4),
                        buffer(5),
                        constant(16, 4),
                        local(4),
                    ]
                ),
                ("second", vec![constant(0, 4), buffer(1), local(5)]),
                ("third", vec![]),
            ]
        );
    }
}

#[test]
fn warnings_are_told() {
    let shader = write(
        "#warning careful\nkernel void k(void) {}",
        "CL3.0",
        &least(),
    )
    .unwrap();
    assert!(shader.log.contains("careful"), "{}", shader.log);
}
