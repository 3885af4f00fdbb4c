//! Barriers, regions of memory, and atomics.

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("computing", computing),
    ("language", language),
    ("called_block", called_block),
    ("preprocessing", preprocessing),
    ("barrier", barrier),
    ("barrier_loop", barrier_loop),
    ("barrier_function", barrier_function),
    ("local_of_group", local_of_group),
    ("local_arguments", local_arguments),
    ("ballot", ballot),
    ("private", private),
    ("private_and_local", private_and_local),
    ("constant", constant),
    ("generic", generic),
    ("program_scope", program_scope),
    ("atomic_add", atomic_add),
    ("atomic_exchange", atomic_exchange),
    ("atomic_cas", || counted("strong")),
    ("atomic_cas_weak", || counted("weak")),
    ("atomic_cas_strong", atomic_cas_strong),
    ("atomic_values", atomic_values),
    ("atomic_min_max", atomic_min_max),
    ("atomic_store", atomic_store),
    ("atomic_init", atomic_init),
];

/// Operators, conversions and an index, of numbers that the compiler does not know.
fn computing() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        int minus = -(int)get_global_size(0);
        char narrow = (char)minus;
        uchar2 lanes = (uchar2)((uchar)1, (uchar)3) << (uchar2)((uchar)(8 - minus), (uchar)1);
        int array[4] = { 1, 2, 3, 4 };
        int *middle = array + 2;
        x[0] = minus < 1;
        x[1] = minus >> 1;
        x[2] = lanes.x;
        x[3] = ((int2)(minus, 2) < (int2)(0, 0)).x;
        x[4] = narrow;
        x[5] = mul_hi(minus, 2);
        x[6] = middle[minus];
        struct { char bytes[7]; } one = { { 1, 2, 3, 4, 5, 6, 7 } }, two = { { 0 } };
        two = one;
        x[7] = two.bytes[6];
        int rest = 0;
        for (int n = 0; n < 2; ++n) {
            int some[6] = { n };
            rest += some[5];
            some[5] = 9;
            x[8] = some[5] + rest;
        }
        char2 some = (char2)(narrow, (char)5);
        x[9] = (-some).y;
        x[10] = sizeof(struct __attribute__((aligned(16))) { int three[3]; });
        char table[512] = { 0 };
        table[256 + 255] = 6;
        x[11] = (table + 256)[(uchar)minus];
        x[12] = (int)(((uint)minus << 8) >> 8);
        x[13] = ((int2)(-minus, minus) ? (int2)(1, 2) : (int2)(3, 4)).x;
        x[14] = (1 - minus & 1 - minus == 2);
        x[15] = (narrow += 200);
        float zero = as_float((uint)minus << 31);
        x[16] = zero ? 1 : 2;
        x[17] = (uint)(3.0e9f * -minus) >> 24;
        x[18] = sub_sat(minus, INT_MIN) >> 24;
        x[19] = sizeof(struct { int before; long wide; });
        x[20] = ((int3)(minus, 2, 3)).hi.x;
    }";
    let out = output(&rig, source, 21, space(&[1], &[1]));
    let signed: Vec<i32> = out.iter().map(|word| *word as i32).collect();
    let right = [
        1, -1, 2, -1, -1, -1, 2, 7, 9, -5, 16, 6, 0xff_ffff, 3, 0, -57, 2, 178, 127, 16, 3,
    ];
    assert_eq!(signed, right);
}

/// Constants, an initializer and a switch.
fn language() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        int places[4] = { 5, [2] = 6, 7 };
        x[0] = sizeof(0x80000000) * 10 + places[3];
        x[1] = '\\101';
        switch (x[2]) {
        case 1: x[2] = 1; break;
        default: x[2] += 2;
        case 5: x[2] += 4; break;
        case 6: x[2] = 6;
        }
    }";
    assert_eq!(output(&rig, source, 3, space(&[1], &[1])), [47, 65, 6]);
}

/// A block that is called has what variables had before.
fn called_block() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        int held = x[0] + 4;
        int (^block)(int) = ^(int more) { return held + more; };
        held = 0;
        x[0] = block(3);
    }";
    assert_eq!(output(&rig, source, 1, space(&[1], &[1])), [7]);
}

/// A condition, a string of an argument, and a macro of an option, which builds give.
fn preprocessing() {
    let rig = Rig::new();
    let source = "
    #define STRING(x) #x
    #if -1 > 0u
    #define UNSIGNED 1
    #else
    #define UNSIGNED 0
    #endif
    kernel void k(global int *x) {
        x[0] = UNSIGNED;
        x[1] = sizeof(STRING(UNSIGNED));
        x[2] = SEVEN;
        x[3] = 2 * NOTHING + 1;
    }";
    assert_eq!(output(&rig, source, 4, space(&[1], &[1])), [1, 9, 7, 2]);
}

/// Each work-item reads, behind the barrier, what its neighbour wrote before it.
fn barrier() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l[16];
        int i = get_local_id(0);
        for (volatile int n = 0; n < 20 * (16 - i); ++n) { }
        l[i] = i + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = l[15 - i];
    }";
    let out = output(&rig, source, 16, space(&[16], &[16]));
    assert_eq!(out, (1..=16).rev().collect::<Vec<_>>());
}

fn barrier_loop() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l[16];
        int i = get_local_id(0), v = i;
        for (int n = 0; n < 8; ++n) {
            l[i] = v;
            barrier(CLK_LOCAL_MEM_FENCE);
            v = l[(i + 1) % 16];
            for (volatile int w = 0; w < 10 * i; ++w) { }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        x[i] = v;
    }";
    let out = output(&rig, source, 16, space(&[16], &[16]));
    assert_eq!(out, (0..16).map(|i| (i + 8) % 16).collect::<Vec<_>>());
}

fn barrier_function() {
    let rig = Rig::new();
    let source = "
    void exchange(local int *l) {
        l[get_local_id(0)] = get_local_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel void k(global int *x) {
        local int l[16];
        int i = get_local_id(0);
        for (volatile int w = 0; w < 20 * i; ++w) { }
        exchange(l);
        x[i] = l[15 - i];
    }";
    let out = output(&rig, source, 16, space(&[16], &[16]));
    assert_eq!(out, (0..16).rev().collect::<Vec<_>>());
}

fn local_of_group() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l[4];
        int i = get_local_id(0);
        l[i] = get_global_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = l[i];
    }";
    let out = output(&rig, source, 64, space(&[64], &[4]));
    assert_eq!(out, (0..64).collect::<Vec<_>>());
}

fn local_arguments() {
    let rig = Rig::new();
    let source =
        "kernel void k(global int *x, local int *a, local int *b, local uchar *c, local int4 *d) {
        int i = get_local_id(0);
        a[i] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        b[i] = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = a[i] + (int)((uintptr_t)d % 16);
    }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &[0; 4]);
    set(kernel, 0, out);
    for (index, size) in [(1, 16), (2, 16), (3, 3), (4, 16)] {
        set_local(kernel, index, size);
    }
    run(&rig, kernel, space(&[4], &[4]));
    assert_eq!(words(&rig, out, 4), [1; 4]);
}

/// Bits of ids that no sub-group has are none of its work-items.
fn ballot() {
    let rig = Rig::new();
    let source = "#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
    kernel void k(global uint *x) {
        x[0] = sub_group_ballot_bit_count((uint4)(0xffffffffu)) == get_max_sub_group_size();
    }";
    assert_eq!(output(&rig, source, 1, space(&[1], &[1])), [1]);
}

fn private() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        volatile int a[8];
        int i = get_local_id(0);
        for (int n = 0; n < 8; ++n) a[n] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = a[x[16 + i]];
    }";
    let out = output(&rig, source, 32, space(&[16], &[16]));
    assert_eq!(out[..16], (0..16).collect::<Vec<_>>());
}

fn private_and_local() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l[64];
        volatile int a[8];
        int i = get_local_id(0);
        l[i] = 1;
        l[i + 32] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < 8; ++n) a[n] = 7;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = l[i] + a[x[16 + i]];
    }";
    let out = output(&rig, source, 32, space(&[16], &[16]));
    assert_eq!(out[..16], [8; 16]);
}

fn constant() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x, constant int *c) { *x = *c; }";
    let kernel = kernel(&rig, source);
    let (out, value) = (buffer(&rig, &[0]), buffer(&rig, &[6]));
    set(kernel, 0, out);
    set(kernel, 1, value);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [6]);
}

fn generic() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l;
        int *g = x, *p = &l;
        x[0] = to_global(g) != 0;
        x[1] = to_local(g) == 0;
        x[2] = to_local(p) != 0;
        x[3] = to_global(p) == 0;
    }";
    assert_eq!(output(&rig, source, 4, space(&[1], &[1])), [1; 4]);
}

fn program_scope() {
    let rig = Rig::new();
    let source = "
    global int counter = 10;
    kernel void k(global int *x) { *x = counter++; }
    kernel void other(global int *x) { *x = counter++; }";
    let program = program(&rig, source);
    let kernels = ["k", "other", "k", "k"].map(|name| kernel_of(program, name));
    let out = buffer(&rig, &[0]);
    let counts = kernels.map(|kernel| {
        set(kernel, 0, out);
        run(&rig, kernel, space(&[1], &[1]));
        words(&rig, out, 1)[0]
    });
    assert_eq!(counts, [10, 11, 12, 13]);
}

fn atomic_add() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local atomic_int l;
        global atomic_int *g = (global atomic_int *)x;
        global atomic_long *wide = (global atomic_long *)(x + 2);
        global atomic_float *sum = (global atomic_float *)(x + 6);
        if (get_local_id(0) == 0) atomic_store(&l, 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < 8; ++n) {
            atomic_fetch_add(g, 1);
            atomic_fetch_add(wide, 1);
            atomic_fetch_add(sum, 1.0f);
            atomic_fetch_add(&l, 1);
            atomic_fetch_add_explicit(g + 1, 1, memory_order_relaxed,
                memory_scope_all_svm_devices);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0) x[4] = atomic_load(&l);
    }";
    let out = output(&rig, source, 7, space(&[32], &[32]));
    assert_eq!(out[..6], [256, 256, 256, 0, 256, 0]);
    assert_eq!(f32::from_bits(out[6]), 256.0);
}

fn atomic_exchange() {
    let rig = Rig::new();
    // Each value that is put in comes out once, or stays.
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        x[1 + get_global_id(0)] = atomic_exchange(g, (int)get_global_id(0) + 1);
    }";
    let mut out = output(&rig, source, 33, space(&[32], &[32]));
    out.sort_unstable();
    assert_eq!(out, (0..=32).collect::<Vec<_>>());
}

/// Work-items count with exchanges that they try until one succeeds.
fn counted(kind: &str) {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        for (int n = 0; n < 8; ++n) {
            int old = atomic_load(g);
            while (!atomic_compare_exchange_KIND(g, &old, old + 1)) { }
        }
    }";
    let source = source.replace("KIND", kind);
    assert_eq!(output(&rig, &source, 1, space(&[32], &[32])), [256]);
}

/// A strong exchange succeeds where nobody interferes.
fn atomic_cas_strong() {
    assert_eq!(alone("strong"), 0);
}

/// How many of 64 exchanges fail of a work-item that is alone.
pub fn alone(kind: &str) -> u32 {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        for (int n = 0; n < 64; ++n) {
            int old = atomic_load(g);
            x[1] += !atomic_compare_exchange_KIND(g, &old, old + 1);
        }
    }";
    output(&rig, &source.replace("KIND", kind), 2, space(&[1], &[1]))[1]
}

fn atomic_values() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        x[1] = atomic_exchange(g, 5);
        x[2] = atomic_fetch_add(g, 2);
        x[3] = atomic_fetch_or(g, 8);
        x[4] = atomic_load(g);
    }";
    let out = output(&rig, source, 5, space(&[1], &[1]));
    assert_eq!(out, [15, 0, 5, 7, 15]);
}

fn atomic_min_max() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        atomic_fetch_min(g, -3);
        atomic_fetch_max(g + 1, -3);
        atomic_fetch_max(g + 2, 4);
    }";
    let out = output(&rig, source, 3, space(&[1], &[1]));
    assert_eq!(out, [-3i32 as u32, 0, 4]);
}

/// A store of 64 bits is seen whole or not at all.
fn atomic_store() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_ulong *g = (global atomic_ulong *)x;
        ulong both = 0x100000001ul;
        if (get_local_id(0) == 0) {
            for (int n = 1; n < 200; ++n) atomic_store(g, both * n);
        } else {
            for (int n = 0; n < 5000; ++n) {
                ulong v = atomic_load(g);
                if ((uint)v != (uint)(v >> 32)) x[2] = 1;
            }
        }
    }";
    assert_eq!(output(&rig, source, 3, space(&[2], &[2]))[2], 0);
}

fn atomic_init() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        global atomic_int *g = (global atomic_int *)x;
        atomic_init(g, 7);
    }";
    assert_eq!(output(&rig, source, 1, space(&[1], &[1])), [7]);
}
