//! Small kernels and the values that C says they compute.

use crate::support::{
    Element, Given, body, build, build_with, build_without, fails, int, launch, run, run_with,
};
use touchstone_clc::DeviceProfile;

#[test]
fn integer_promotions_and_conversions() {
    for (expression, value) in [
        ("(char)200", -56),
        ("(uchar)300", 44),
        ("(uchar)200 + (uchar)100", 300),
        ("(char)-1 < (uchar)1", 1),
        ("-1 < 1u", 0),
        ("-1L < 1u", 1),
        ("(short)-1 == (ushort)-1", 0),
        ("(ushort)-1 + 1 == 65536", 1),
        ("sizeof((char)1 + (char)1)", 4),
        ("sizeof(1u + 1L)", 8),
        ("sizeof('a')", 4),
        ("sizeof(1 ? (char)1 : (char)2)", 4),
        ("'\\xff'", -1),
        ("(int)3.99f", 3),
        ("(int)-3.99f", -3),
        ("(bool)0.5f", 1),
        ("(bool)256", 1),
        ("(uint)-1 > 0", 1),
        ("(int)(uint)-5", -5),
        ("(int)4294967295u", -1),
        ("2147483647 + 1 < 0 ? 1 : 2", 1),
        ("4294967295 == 4294967295L", 1),
        ("0xffffffff == 4294967295u", 1),
        ("sizeof(2147483648)", 8),
        ("sizeof(0x80000000)", 4),
        ("sizeof(1.0f)", 4),
        ("sizeof(1.0)", 8),
    ] {
        assert_eq!(int(expression), value, "{expression}");
    }
}

#[test]
fn division_and_remainder_truncate() {
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5)] {
        // As constants and as values of variables.
        assert_eq!(int(&format!("({a}) / ({b})")), a / b);
        assert_eq!(int(&format!("({a}) % ({b})")), a % b);
        let text = format!("int a = {a}, b = {b}; out[0] = a / b; out[1] = a % b;");
        assert_eq!(body::<i32>("int", &text, 2), [a / b, a % b]);
    }
    assert_eq!(int("-7 / 2u == 2147483644u"), 1);
}

#[test]
fn shifts_take_the_count_modulo_the_width() {
    for (expression, value) in [
        ("1 << 33", 2),
        ("1 << 31 >> 31", -1),
        ("(int)((uint)1 << 31 >> 31)", 1),
        ("(int)(1L << 33 >> 32)", 2),
        ("-8 >> 1", -4),
        ("(uchar)0x80 << 1", 0x100),
        ("sizeof((char)1 << 1L)", 4),
    ] {
        assert_eq!(int(expression), value, "{expression}");
    }
    let text = "int one = 1, n = 33; out[0] = one << n; out[1] = -8 >> n; uint u = 0x80000000;
        out[2] = u >> 31; long l = 1; out[3] = (int)(l << 65);";
    assert_eq!(body::<i32>("int", text, 4), [2, -4, 1, 2]);
}

#[test]
fn operators() {
    for (expression, value) in [
        ("1 + 2 * 3 - 4 / 2 % 3", 5),
        ("(1, 2, 3)", 3),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("5 & 3 | 4 ^ 1", 5),
        ("~5", -6),
        ("!5 + !0", 1),
        ("- -3", 3),
        ("1 < 2 == 1", 1),
        ("0 || 1 && 0", 0),
        ("1 || 1 / 0", 1),
        ("0x10 + 010 + 0b11", 27),
        ("sizeof(int[3][4])", 48),
        ("3[(int[]){1, 2, 3, 4}]", 4),
        ("((struct { int a; int b; }){.b = 7}).b", 7),
    ] {
        assert_eq!(int(expression), value, "{expression}");
    }
    let text = "int x = 5; out[0] = x++ * 2; out[1] = x; out[2] = --x; out[3] = x--; out[4] = x;
        x += 10; x <<= 2; x ^= 1; x %= 50; out[5] = x;
        int *p = &x; *p = 3; p[0] *= 4; out[6] = x;
        uchar c = 250; c += 10; out[7] = c; c -= 5; out[8] = c;
        int y; int z = y = 4; out[9] = y + z;";
    assert_eq!(
        body::<i32>("int", text, 10),
        [10, 6, 5, 5, 4, 7, 12, 4, 255, 8]
    );
}

#[test]
fn short_circuits_have_no_effects() {
    let text = "int n = 0; (void)(0 && n++); (void)(1 || n++); int a = 1; int b = 0;
        if (b && ++n) n = 100; if (a || ++n) n += 1; out[0] = n; out[1] = (a && b) + (a || b) * 2 + !a * 4;";
    assert_eq!(body::<i32>("int", text, 2), [1, 2]);
}

#[test]
fn loops_and_jumps() {
    let text = "int s = 0;
        for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 8) break; s += i; }
        out[0] = s;
        int n = 0; while (n < 5) n++; out[1] = n;
        do { n--; if (n == 2) break; } while (n); out[2] = n;
        int i = 0; again: i++; if (i < 4) goto again; out[3] = i;
        for (;;) { if (++i > 10) goto done; }
        done: out[4] = i;
        for (int j = 0, k = 10; j < k; j++, k--) out[5] = j * 100 + k;";
    assert_eq!(body::<i32>("int", text, 6), [25, 5, 2, 4, 11, 406]);
}

#[test]
fn switches_fall_through() {
    let text = "for (int i = 0; i < 8; i++) {
            int r = 0;
            switch (i) {
                case 0: r += 1;
                case 1: r += 10; break;
                default: r = -1;
                case 2: case 3: r += 100; break;
                case 4: { r = 4; break; }
                case 5: for (;;) { r++; if (r > 2) break; } r += 1000; break;
            }
            out[i] = r;
        }
        switch (7) { } switch (1) case 1: out[8] = 5;
        ulong big = 1UL << 40; switch (big) { case 1UL << 40: out[9] = 1; break; default: out[9] = 2; }
        switch ((char)-1) { case -1: out[10] = 3; }";
    assert_eq!(
        body::<i32>("int", text, 11),
        [11, 10, 100, 100, 4, 1003, 99, 99, 5, 1, 3]
    );
}

#[test]
fn arrays_and_pointers() {
    let text = "int a[3][4]; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][j] = i * 10 + j;
        int *p = &a[1][2]; out[0] = *p; out[1] = p[1]; out[2] = *(p - 2); out[3] = (int)(&a[2][0] - &a[0][0]);
        int (*row)[4] = a + 1; out[4] = row[1][3]; out[5] = p == &a[1][2]; out[6] = p > a[0];
        int b[] = {1, 2, 3}; out[7] = sizeof(b) / sizeof(b[0]); out[8] = b[2];
        char s[] = \"hi\"; out[9] = s[1] + sizeof(s);
        int c[5] = {[1] = 7, 8, [4] = 9}; out[10] = c[0] + c[1] * 10 + c[2] * 100 + c[4] * 1000;
        p++; p += 2; p -= 1; out[11] = (int)(p - &a[0][0]); int **pp = &p; out[12] = **pp;
        constant char *t = \"xyz\"; out[13] = t[2];";
    assert_eq!(
        body::<i32>("int", text, 14),
        [12, 13, 10, 8, 23, 1, 1, 3, 3, 108, 9870, 8, 20, 122]
    );
}

#[test]
fn structs_and_unions() {
    let text = "struct inner { char c; int i; };
        typedef struct { short s; struct inner in[2]; union { int i; float f; uchar b[4]; } u; long l; } outer;
        struct inner make(int i) { struct inner r = {(char)i, i * 2}; return r; }
        int sum(struct inner s) { int r = s.c + s.i; s.i = 1000; return r; }
        kernel void k(global int *out) {
            outer o = {1, {{2, 3}, {4, 5}}, {6}, 7}, q;
            q = o; q.in[1].i = 50;
            out[0] = o.s + o.in[0].c + o.in[0].i + o.in[1].c + o.in[1].i + o.u.i + (int)o.l;
            out[1] = q.in[1].i; out[2] = sizeof(outer); out[3] = sizeof(struct inner);
            o.u.f = 1.0f; out[4] = o.u.i; out[5] = o.u.b[3];
            struct inner m = make(21); out[6] = sum(m); out[7] = m.i; out[8] = make(4).i;
            outer *p = &o; p->in[0].i = 77; out[9] = o.in[0].i; out[10] = (&p->in[1])->c;
            struct inner z = {0}; out[11] = z.i; struct { int x, y; } d = {.y = 3}; out[12] = d.x + d.y;
            struct inner arr[3] = {1, 2, 3, 4}; out[13] = arr[1].i * 10 + arr[0].c;
            out[14] = (1 ? m : z).i; out[15] = ((z = m), z.c);
            struct { int a; struct { int b; int c; }; } anon = {1, {2, 3}}; out[16] = anon.b * 10 + anon.c;
        }";
    assert_eq!(
        run::<i32>(text, 17),
        [
            28,
            50,
            32,
            8,
            0x3f80_0000,
            0x3f,
            63,
            42,
            8,
            77,
            4,
            0,
            3,
            41,
            42,
            21,
            23
        ]
    );
}

#[test]
fn packed_and_aligned_structs() {
    let text = "struct __attribute__((packed)) p { char c; int i; };
        struct a { char c; int i __attribute__((aligned(16))); } __attribute__((aligned(32)));
        kernel void k(global int *out) {
            struct p x[2] = {{1, 0x01020304}, {2, 0x05060708}};
            out[0] = sizeof(struct p); out[1] = x[1].i; out[2] = sizeof(struct a); out[3] = __alignof__(struct a);
        }";
    assert_eq!(run::<i32>(text, 4), [5, 0x0506_0708, 32, 32]);
}

#[test]
fn initialisers_go_on_behind_designators() {
    let text = "kernel void k(global int *out) {
            struct s { int a[3]; struct { int x; int y[2]; } b; int c; };
            struct s v = { .a[1] = 1, 2, 3, 4, .b.y[0] = 5, 6, 7 };
            out[0] = v.a[0]; out[1] = v.a[1]; out[2] = v.a[2]; out[3] = v.b.x; out[4] = v.b.y[0]; out[5] = v.b.y[1];
            out[6] = v.c;
            int g[2][3] = { [0][2] = 8, 9, [1][1] = 10, 11 };
            for (int i = 0; i < 6; i++) out[7 + i] = g[i / 3][i % 3];
            union { int i; short s[2]; } u[2] = { [0].s[0] = 12, 13, 14 };
            out[13] = u[0].s[0]; out[14] = u[0].s[1]; out[15] = u[1].i;
        }";
    let wanted = [0, 1, 2, 3, 5, 6, 7, 0, 0, 8, 9, 10, 11, 12, 13, 14];
    assert_eq!(run::<i32>(text, 16), wanted);
}

#[test]
fn enums_and_typedefs() {
    let text = "enum e { A, B = 5, C, D = -1 }; typedef enum e e_t; typedef int v[2];
        kernel void k(global int *out) {
            e_t x = C; out[0] = A + B + x + D; v a = {3, 4}; out[1] = a[1];
            enum { IN = 9 }; typedef long int_t; int_t y = 1L << 40; out[2] = IN + (int)(y >> 40);
            { int v = 2; out[3] = v; }
        }";
    assert_eq!(run::<i32>(text, 4), [10, 4, 10, 2]);
}

#[test]
fn enumerators_wider_than_int() {
    let text = "enum a { SMALL = 1, BIG = 0xefcdab89U, NEXT };
        enum b { HUGE_ONE = 0xcbbb9d5dc1059ed8UL, TWICE = HUGE_ONE << 1 };
        enum c { LOW = -1, HIGH = 0x80000000U };
        kernel void k(global ulong *out) {
            enum a x = NEXT; enum b y = TWICE; enum c z = LOW;
            out[0] = BIG; out[1] = x; out[2] = HUGE_ONE; out[3] = y; out[4] = z;
            out[5] = sizeof(SMALL) | sizeof(BIG) << 8 | sizeof(TWICE) << 16 | sizeof(z) << 24;
            out[6] = BIG >> 31; out[7] = SMALL - 2;
        }";
    let huge = 0xcbbb_9d5d_c105_9ed8u64;
    assert_eq!(
        run::<u64>(text, 8),
        [
            0xefcd_ab89,
            0xefcd_ab8a,
            huge,
            huge << 1,
            u64::MAX,
            0x0808_0404,
            1,
            u64::MAX
        ]
    );
}

#[test]
fn functions() {
    let text = "int later(int x);
        static inline int twice(int x) { return 2 * x; }
        void store(global int *p, int v) { *p = v; return; }
        float mixf(float a, int b) { return a + b; }
        int swap(int *a, int *b) { int t = *a; *a = *b; *b = t; return t; }
        long wide(char c) { return c; }
        bool flag(int x) { return x; }
        int down(int *p, const int n);
        kernel void other(global int *out) { out[6] = 60; }
        kernel void k(global int *out) {
            out[0] = later(twice(3)); store(out + 1, 11); out[2] = (int)mixf(1.5f, 2.9f);
            int a = 1, b = 2; out[3] = swap(&a, &b); out[4] = a * 10 + b; out[5] = (int)wide(300);
            other(out); out[7] = flag(8); out[8] = down(&a, 3);
        }
        int later(int x) { return x + 1; }
        int down(int *p, int n) { while (n) *p += n--; return *p; }";
    assert_eq!(run::<i32>(text, 9), [7, 11, 3, 1, 21, 44, 60, 1, 8]);
}

#[test]
fn variables_outside_functions() {
    let text = "constant int table[] = {10, 20, 30}; constant float half_one = 0.5f;
        constant struct { int a; constant int *p; } linked = {5, &table[1]};
        global int counter = 3; int plain[4] = {1, 2}; global int *where = &counter;
        constant char text[] = \"abc\"; constant uint bits = ~0u >> 4;
        int next(void) { static int n = 7; return n++; }
        kernel void k(global int *out) {
            constant int inner[2] = {8, 9};
            out[0] = table[2] + (int)(half_one * 4); out[1] = *linked.p + linked.a;
            counter += 1; out[2] = counter + plain[1]; out[3] = *where; out[4] = text[2]; out[5] = bits >> 24;
            out[6] = next() + next(); out[7] = inner[1];
        }";
    assert_eq!(run::<i32>(text, 8), [32, 25, 6, 4, 99, 15, 15, 9]);
}

#[test]
fn floats() {
    let text = "float a = 1.5f, b = 0.25f; out[0] = a * b + a / b - a; out[1] = -a; out[2] = (float)(1.0 / 3.0);
        out[3] = 16777217; out[4] = (float)0xffffffffu; out[5] = a > b; out[6] = !a; out[7] = a ? 2 : 3;
        a += 1; out[8] = a; out[9] = 7 / 2; out[10] = 7 / 2.0f; out[11] = 0x1.8p3f; out[12] = a++; out[13] = a;
        out[14] = INFINITY; out[15] = FLT_MAX; int i = 3; i *= 1.5f; out[16] = i;";
    let expected = [
        4.875,
        -1.5,
        (1.0f64 / 3.0) as f32,
        16_777_216.0,
        4_294_967_295u32 as f32,
        1.0,
        0.0,
        2.0,
        2.5,
        3.0,
        3.5,
        12.0,
        2.5,
        3.5,
        f32::INFINITY,
        f32::MAX,
        4.0,
    ];
    assert_eq!(body::<f32>("float", text, 17), expected);
    let text = "double d = 1.0 / 3; out[0] = d; out[1] = (float)d; out[2] = 1e300 * 1e10; long l = 1L << 53; out[3] = l + 1;";
    assert_eq!(
        body::<f64>("double", text, 4),
        [
            1.0 / 3.0,
            f64::from((1.0f64 / 3.0) as f32),
            f64::INFINITY,
            9_007_199_254_740_992.0
        ]
    );
}

#[test]
fn booleans() {
    let text = "bool t = 42, f = 0.0f; out[0] = t + t; out[1] = f; bool a[3] = {1, 0, 7}; out[2] = a[2];
        out[3] = sizeof(bool); int *p = 0; bool n = p; out[4] = n; t = false; out[5] = t == f; out[6] = true;
        out[7] = !t & !f; t |= 4; out[8] = t;";
    assert_eq!(body::<i32>("int", text, 9), [2, 0, 1, 1, 0, 1, 1, 1, 1]);
}

#[test]
fn generic_pointers() {
    let text = "int get(int *p) { return *p; }
        kernel void k(global int *out) {
            local int l; int v = 5; l = 6; out[3] = 7; int *g = &v; int s = *g; g = &l; s += *g * 10; g = out + 3; s += *g * 100;
            out[0] = s; out[1] = get(&v) + get(&l) + get(out + 3); global int *back = (global int *)g; out[2] = *back;
        }";
    assert_eq!(run::<i32>(text, 4), [765, 18, 7, 7]);
}

#[test]
fn vectors() {
    let text = "int4 a = (int4)(1, 2, 3, 4), b = (int4)(10), c; c = a + b * 2; out[0] = c.x; out[1] = c.s3;
        int2 lo = a.lo, eo = a.odd; out[2] = lo.y + eo.x * 10 + eo.y * 100; a.xy = a.wz; out[3] = a.x * 10 + a.y;
        a.s2 += 5; out[4] = a.z; int4 m = a > 3; out[5] = m.x + m.w * 10; c = m ? a : b; out[6] = c.x + c.y;
        int8 w = (int8)(a, b); out[7] = w.s0 + w.s7; out[8] = w.hi.x; int3 t = (int3)(7, 8, 9); out[9] = t.z + sizeof(t);
        out[10] = any(a == 4) + all(a > 100) * 10; float4 f = convert_float4(a) * 0.5f; out[11] = (int)(f.x * 10);
        out[12] = as_int(1.0f); c = vload4(0, out); out[13] = c.x + c.y; vstore2((int2)(42, 43), 7, out);
        c = -a; out[16] = c.x; out[17] = (~a).x; c = a << 1; out[18] = c.x; out[19] = dot((float2)(1, 2), (float2)(3, 4));
        global int4 *gp = (global int4 *)(out + 20); gp->x = 1; gp->yz = (int2)(2, 3); out[23] = gp[0].y * 2;
        out[24] = (a.x, a.y); int4 z = 0; z.w = 9; out[25] = z.x + z.w; const int4 k4 = {5, 6, 7, 8}; out[26] = k4.wzyx.x;
        uchar4 uc = convert_uchar4_sat((int4)(-5, 300, 7, 8)); out[27] = uc.x + uc.y; out[28] = (int)length((float3)(2, 3, 6));";
    assert_eq!(
        body::<i32>("int", text, 29),
        [
            21,
            24,
            422,
            43,
            8,
            -11,
            4 + 10,
            14,
            10,
            25,
            1,
            20,
            0x3f80_0000,
            45,
            42,
            43,
            -4,
            -5,
            8,
            11,
            1,
            2,
            3,
            4,
            3,
            9,
            8,
            255,
            7
        ]
    );
}

#[test]
fn built_in_functions_of_integers() {
    for (expression, value) in [
        ("abs(-5)", 5),
        ("abs_diff(-5, 7)", 12),
        ("add_sat(2147483647, 1)", i32::MAX),
        ("(int)sub_sat(3u, 5u)", 0),
        ("clz(1)", 31),
        ("popcount(255u)", 8),
        ("(int)mul_hi(0x80000000u, 4u)", 2),
        ("mad_hi(1 << 30, 4, 5)", 6),
        ("(int)rotate(0x80000001u, 4u)", 24),
        ("hadd(2147483647, 2147483645)", i32::MAX - 1),
        ("rhadd(3, 4)", 4),
        ("mul24(-3, 5)", -15),
        ("mad24(2, 3, 4)", 10),
        ("min(3, -4) + max(3, -4) * 10", 26),
        ("clamp(15, 0, 10)", 10),
        ("(int)max(3u, 0xffffffffu)", -1),
        ("(int)upsample((short)1, (ushort)2)", 0x1_0002),
        ("select(1, 2, 0) + select(1, 2, 1) * 10", 21),
        ("(int)bitselect(0xff00u, 0x00ffu, 0x0ff0u)", 0xf0f0),
        ("convert_int_rte(2.5f)", 2),
        ("convert_int_rtp(2.1f)", 3),
        ("convert_char_sat(300)", 127),
        ("convert_uchar(300)", 44),
        (
            "isnan(NAN) + isinf(1.0f) * 10 + isequal(1.0f, 1.0f) * 100",
            101,
        ),
        ("any(-1) + all(1) * 10", 1),
        ("ilogb(8.0f)", 3),
    ] {
        assert_eq!(int(expression), value, "{expression}");
    }
}

#[test]
fn built_in_functions_of_floats() {
    let text = "out[0] = sqrt(2.0f); out[1] = fmax(1.0f, 2.0f); out[2] = fabs(-3.5f); out[3] = floor(-1.5f);
        float i; out[4] = modf(2.75f, &i); out[5] = i; int e; out[6] = frexp(12.0f, &e); out[7] = e;
        out[8] = ldexp(1.5f, 3); out[9] = mad(2.0f, 3.0f, 4.0f); out[10] = clamp(5.0f, 0.0f, 1.0f); out[11] = mix(1.0f, 3.0f, 0.5f);
        out[12] = step(1.0f, 0.5f); out[13] = sign(-2.0f); out[14] = native_divide(1.0f, 4.0f); out[15] = pown(2.0f, 10);
        out[16] = rint(2.5f); out[17] = copysign(3.0f, -1.0f); out[18] = fract(1.75f, &i); out[19] = select(1.0f, 2.0f, 1);
        ushort h[2]; vstore_half(1.5f, 1, (half *)h); out[20] = h[1]; out[21] = vload_half(1, (half *)h);";
    assert_eq!(
        body::<f32>("float", text, 22),
        [
            2.0f32.sqrt(),
            2.0,
            3.5,
            -2.0,
            0.75,
            2.0,
            0.75,
            4.0,
            12.0,
            10.0,
            1.0,
            2.0,
            0.0,
            -1.0,
            0.25,
            1024.0,
            2.0,
            -3.0,
            0.75,
            2.0,
            15872.0,
            1.5
        ]
    );
}

#[test]
fn atomics_of_opencl_1() {
    let text = "kernel void k(global int *out) {
            local int l; l = 0; out[0] = 5;
            out[1] = atomic_add(out, 3); out[2] = atomic_sub(out, 1); out[3] = atomic_xchg(out, 9); out[4] = atomic_inc(out);
            out[5] = atomic_cmpxchg(out, 10, 20); out[6] = atomic_min(out, 3); out[7] = atomic_max(out, 50); out[8] = atomic_or(out, 5);
            out[9] = atomic_and(out, 0xf); out[10] = atomic_xor(out, 1); out[11] = atomic_dec(out); out[12] = out[0];
            atomic_add(&l, 4); out[13] = atom_inc(&l); out[14] = (int)atomic_min((volatile global uint *)out, 0xffffffffu);
        }";
    assert_eq!(
        run_with::<i32>("-cl-std=CL1.2", text, 15),
        [5, 5, 8, 7, 9, 10, 20, 3, 50, 55, 7, 6, 5, 4, 5]
    );
}

#[test]
fn atomics_of_floats() {
    let text = "kernel void k(global float *out) {
            volatile global atomic_float *a = (volatile global atomic_float *)out; local atomic_float l; atomic_float *g = a;
            atomic_init(a, 0.5f); out[1] = atomic_fetch_add(a, 2); out[2] = atomic_fetch_sub_explicit(a, 4.0f, memory_order_relaxed);
            out[3] = atomic_fetch_min_explicit(a, -2.0f, memory_order_acq_rel, memory_scope_work_group); out[4] = atomic_fetch_max(a, -8.0f);
            atomic_init(&l, 7.0f); out[5] = atomic_fetch_add(&l, 1.5f); out[6] = atomic_fetch_max(&l, 9.0f); out[7] = atomic_fetch_min(&l, NAN);
            out[8] = atomic_load(&l); out[9] = atomic_fetch_add(g, 3.0f); out[10] = atomic_load(a);
        }";
    assert_eq!(
        run::<f32>(text, 11)[1..],
        [0.5, 2.5, -1.5, -2.0, 7.0, 8.5, 9.0, 9.0, -2.0, 1.0]
    );
    let text = "kernel void k(global double *out) {
            global atomic_double *a = (global atomic_double *)out; atomic_init(a, 0.1); out[1] = atomic_fetch_add(a, 0.2);
            out[2] = atomic_fetch_sub(a, 0.1); out[3] = atomic_fetch_min(a, -1.0); out[4] = atomic_fetch_max(a, 1e300);
        }";
    assert_eq!(
        run::<f64>(text, 5),
        [1e300, 0.1, 0.1 + 0.2, 0.1 + 0.2 - 0.1, -1.0]
    );
}

#[test]
fn atomics_of_floats_are_those_that_the_device_has() {
    let sum = "kernel void k(global atomic_float *a) { atomic_fetch_add(a, 1.0f); }";
    let sum_beside = "kernel void k(local atomic_float *a) { atomic_fetch_add(a, 1.0f); }";
    let sum_anywhere =
        "kernel void k(global atomic_float *a) { atomic_float *p = a; atomic_fetch_add(p, 1.0f); }";
    let most = "kernel void k(global atomic_float *a) { atomic_fetch_max(a, 1.0f); }";
    let double = "kernel void k(global atomic_double *a) { atomic_fetch_add(a, 1.0); }";
    let all = [sum, sum_beside, sum_anywhere, most, double];
    let add = "__opencl_c_ext_fp32_global_atomic_add";
    let asks = format!("#ifndef {add}\n#error none\n#endif\n{sum}");
    for version in ["-cl-std=CL2.0", "-cl-std=CL3.0"] {
        assert!(build_with(version, &asks).is_ok(), "{version}");
    }
    let lacking = DeviceProfile::default().features.into_iter();
    let lacking: Vec<String> = lacking
        .filter(|name| name.starts_with("__opencl_c_ext_") && name != add)
        .collect();
    let lacking: Vec<&str> = lacking.iter().map(String::as_str).collect();
    for text in all {
        let built = build_without(&lacking, "-cl-std=CL3.0", text);
        assert_eq!(built.is_ok(), text == sum, "{text}");
    }
    let log = build_without(&["cl_ext_float_atomics"], "-cl-std=CL3.0", sum);
    let log = log.err().unwrap_or_default();
    let why = format!("`atomic_fetch_add` of `float` needs {add}");
    assert!(log.contains(&why), "{log}");
    let text = "kernel void k(global atomic_float *a) { atomic_fetch_or(a, 1.0f); }";
    fails(text);
}

#[test]
fn atomics_of_c11() {
    let text = "global atomic_int counter = ATOMIC_VAR_INIT(100);
        kernel void k(global int *out) {
            volatile global atomic_int *a = (volatile global atomic_int *)out; local atomic_uint l; atomic_int p; local atomic_flag f;
            atomic_init(a, 5); out[1] = atomic_load(a); atomic_store_explicit(a, 6, memory_order_release);
            out[2] = atomic_load_explicit((volatile global atomic_int *)(out + 0), memory_order_relaxed, memory_scope_device);
            out[3] = atomic_fetch_add_explicit(a, 4, memory_order_acq_rel, memory_scope_work_group); out[4] = atomic_exchange(a, 1);
            int want = 2; out[5] = atomic_compare_exchange_strong(a, &want, 3); out[6] = want;
            out[7] = atomic_compare_exchange_weak_explicit(a, &want, 3, memory_order_seq_cst, memory_order_relaxed, memory_scope_device);
            out[8] = atomic_load(a); atomic_init(&l, 7u); out[9] = (int)atomic_fetch_max(&l, 9u); out[10] = (int)atomic_fetch_min(&l, 8u);
            atomic_init(&p, 1); atomic_int *g = &p; out[11] = atomic_fetch_or(g, 6) + atomic_load(g) * 10;
            atomic_flag_clear(&f); out[12] = atomic_flag_test_and_set(&f); out[13] = atomic_flag_test_and_set_explicit(&f, memory_order_acquire, memory_scope_work_group);
            out[14] = atomic_fetch_sub(&counter, 1); out[15] = atomic_load(&counter);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
        }";
    assert_eq!(
        run::<i32>(text, 16)[1..],
        [5, 6, 6, 10, 0, 1, 1, 3, 7, 9, 71, 0, 1, 100, 99]
    );
}

#[test]
fn work_items_barriers_and_local_memory() {
    let source = "kernel void k(global int *out, local int *scratch, int factor) {
            local int total[2];
            size_t l = get_local_id(0), n = get_local_size(0);
            scratch[l] = (int)get_global_id(0) * factor;
            if (l == 0) total[0] = total[1] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            atomic_add(&total[l & 1], scratch[n - 1 - l]);
            work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
            out[get_global_id(0)] = total[0] + total[1] + (int)get_group_id(0) * 100000 + (int)get_global_linear_id() * 1000000;
        }";
    let (global, local) = (32usize, 8usize);
    let mut out = vec![0u8; global * 4];
    let given = vec![
        Given::Buffer(&mut out),
        Given::Local(local as u64 * 4),
        Given::Value(3i32.to_ne_bytes().to_vec()),
    ];
    launch(
        build(source).unwrap(),
        "k",
        given,
        global as u64,
        local as u64,
    );
    for (i, value) in i32::read(&out).into_iter().enumerate() {
        let group = i / local;
        let sum: usize = (group * local..(group + 1) * local).map(|g| g * 3).sum();
        assert_eq!(value as usize, sum + group * 100_000 + i * 1_000_000);
    }
}

#[test]
fn struct_arguments() {
    let source = "typedef struct { int a; char b; float4 v; } args;
        kernel void k(global int *out, args x, char c, float4 f) { x.a++; out[0] = x.a + x.b + (int)x.v.w + c + (int)f.y; }";
    let mut out = vec![0u8; 4];
    let mut x = vec![0u8; 32];
    x[0..4].copy_from_slice(&10i32.to_ne_bytes());
    x[4] = 5;
    x[28..32].copy_from_slice(&7.0f32.to_ne_bytes());
    let f: Vec<u8> = [1.0f32, 20.0, 3.0, 4.0]
        .iter()
        .flat_map(|f| f.to_ne_bytes())
        .collect();
    let given = vec![
        Given::Buffer(&mut out),
        Given::Value(x),
        Given::Value(vec![1]),
        Given::Value(f),
    ];
    launch(build(source).unwrap(), "k", given, 1, 1);
    assert_eq!(i32::read(&out), [11 + 5 + 7 + 1 + 20]);
}

#[test]
fn kernel_metadata() {
    let source = "typedef struct { int a; } args; typedef float real;
        __attribute__((reqd_work_group_size(8, 4, 1))) __kernel __attribute__((vec_type_hint(float4)))
        void k(global const real *restrict in, local uint *l, constant args *c, volatile global int *v, unsigned int n, args s) {}";
    let compiled = build_with("-cl-kernel-arg-info", source).unwrap();
    let (_, function) = compiled.module.kernels().next().unwrap();
    let info = function.kernel.as_ref().unwrap();
    assert_eq!(info.reqd_work_group_size, Some([8, 4, 1]));
    assert_eq!(
        info.attributes,
        "reqd_work_group_size(8,4,1) vec_type_hint(float4)"
    );
    let names: Vec<_> = info
        .args
        .iter()
        .map(|a| (&*a.name, &*a.type_name))
        .collect();
    assert_eq!(
        names,
        [
            ("in", "real*"),
            ("l", "uint*"),
            ("c", "args*"),
            ("v", "int*"),
            ("n", "uint"),
            ("s", "args")
        ]
    );
    assert!(info.args[0].qualifiers.is_const && info.args[0].qualifiers.is_restrict);
    assert!(info.args[3].qualifiers.is_volatile && info.args[2].qualifiers.is_const);
    insta::assert_debug_snapshot!(
        info.args
            .iter()
            .map(|a| (a.pass.space(), a.pass))
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_bool_is_stepped_as_one_is_added() {
    let text =
        "bool a = 0, b = 1; out[0] = a++; out[1] = a; out[2] = b--; out[3] = b; out[4] = --b;";
    assert_eq!(body::<i32>("int", text, 5), [0, 1, 1, 0, 1]);
}

#[test]
fn a_function_knows_its_name() {
    let source = "
int named(void) { return __func__[0] * 1000 + (int)sizeof(__func__); }
kernel void k(global int *out) {
    out[0] = named();
    out[1] = __func__[0];
    out[2] = sizeof(__func__);
    out[3] = __func__[1];
}";
    assert_eq!(run::<i32>(source, 4), [110_006, 107, 2, 0]);
}
