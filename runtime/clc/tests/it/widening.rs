//! Scalars where built-in functions take vectors, and what functions of vectors compute.

use crate::support::{body, fails};

/// Each call with scalars is the call with vectors of them.
#[test]
fn scalars_become_vectors() {
    let floats = "float4 v = (float4)(-1.5f, 0.25f, 2.5f, 7.0f);";
    for (scalar, vector) in [
        (
            "clamp(v, 0.0f, 1.0f)",
            "clamp(v, (float4)(0.0f), (float4)(1.0f))",
        ),
        (
            "clamp(v, 0.0, 1.0)",
            "clamp(v, (float4)(0.0f), (float4)(1.0f))",
        ),
        ("min(v, 1.0f)", "min(v, (float4)(1.0f))"),
        ("max(v, 1)", "max(v, (float4)(1.0f))"),
        ("fmin(v, 1.0f)", "fmin(v, (float4)(1.0f))"),
        ("fmax(v, 1.0f)", "fmax(v, (float4)(1.0f))"),
        ("mix(v, v * 2.0f, 0.5f)", "mix(v, v * 2.0f, (float4)(0.5f))"),
        ("step(0.5f, v)", "step((float4)(0.5f), v)"),
        (
            "smoothstep(0.0f, 1.0f, v)",
            "smoothstep((float4)(0.0f), (float4)(1.0f), v)",
        ),
        ("pow(fabs(v), 2.0f)", "pow(fabs(v), (float4)(2.0f))"),
        ("fma(v, 2.0f, v)", "fma(v, (float4)(2.0f), v)"),
        (
            "fma(2.0f, v, 1.0f)",
            "fma((float4)(2.0f), v, (float4)(1.0f))",
        ),
        ("ldexp(v, 3)", "ldexp(v, (int4)(3))"),
        ("pown(v, 3)", "pown(v, (int4)(3))"),
        ("rootn(fabs(v), 3)", "rootn(fabs(v), (int4)(3))"),
        (
            "bitselect(v, v * 2.0f, 0.0f)",
            "bitselect(v, v * 2.0f, (float4)(0.0f))",
        ),
        ("copysign(1.0f, v)", "copysign((float4)(1.0f), v)"),
        ("(float4)(dot(v, 2.0f))", "(float4)(dot(v, (float4)(2.0f)))"),
        (
            "convert_float4(isless(v, 1.0f))",
            "convert_float4(isless(v, (float4)(1.0f)))",
        ),
    ] {
        let both = [scalar, vector]
            .map(|call| body::<f32>("float", &format!("{floats} vstore4({call}, 0, out);"), 4));
        assert_eq!(both[0], both[1], "{scalar}");
    }
    let ints = "int4 v = (int4)(-7, 0, 3, 90); short4 s = (short4)(-2, 1, 0, 4); ushort4 u = (ushort4)(1, 2, 3, 4);";
    for (scalar, vector) in [
        ("clamp(v, -1, 50)", "clamp(v, (int4)(-1), (int4)(50))"),
        ("min(v, 5)", "min(v, (int4)(5))"),
        ("max((char)5, v)", "max((int4)(5), v)"),
        ("add_sat(v, 0x7fffffff)", "add_sat(v, (int4)(0x7fffffff))"),
        ("mad24(v, 3, 1)", "mad24(v, (int4)(3), (int4)(1))"),
        ("rotate(v, 5)", "rotate(v, (int4)(5))"),
        ("hadd(v, 3)", "hadd(v, (int4)(3))"),
        ("upsample(s, (ushort)7)", "upsample(s, (ushort4)(7))"),
        ("upsample((short)7, u)", "upsample((short4)(7), u)"),
        ("select(v, 5, v < 2)", "select(v, (int4)(5), v < 2)"),
        (
            "bitselect(v, 5, 0xf)",
            "bitselect(v, (int4)(5), (int4)(0xf))",
        ),
    ] {
        let both = [scalar, vector]
            .map(|call| body::<i32>("int", &format!("{ints} vstore4({call}, 0, out);"), 4));
        assert_eq!(both[0], both[1], "{scalar}");
    }
}

#[test]
fn scalars_become_vectors_that_are_stored_or_split() {
    let text = "vstore4(3, 0, out); vstore2(1.5f, 2, out); vstore3(-2.25, 2, out);
        float4 w; float4 s = sincos(0.0f, &w); vstore4(w + s, 3, out);
        int2 e; float2 m = frexp(8.0f, &e); vstore2(m * convert_float2(e), 8, out);
        int4 q; float4 r = remquo(7.0f, 2.0f, &q); vstore2((r + convert_float4(q)).xw, 9, out);";
    let out = body::<f32>("float", text, 20);
    assert_eq!(out[..6], [3.0, 3.0, 3.0, 3.0, 1.5, 1.5]);
    assert_eq!(out[6..9], [-2.25; 3]);
    assert_eq!(out[12..16], [1.0; 4]);
    assert_eq!(out[16..20], [2.0, 2.0, 3.0, 3.0]);
    let text = "global half *h = (global half *)(out + 4);
        vstore_half4(1, 0, h); vstore4(vload_half4(0, h), 0, out);";
    assert_eq!(body::<f32>("float", text, 6)[..4], [1.0; 4]);
    for call in [
        "vstore4((float2)(1.0f), 0, out)",
        "vstore4((int4)(1), 0, out)",
        "vstore_half2(1.0f, 0, out)",
    ] {
        let log = fails(&format!("kernel void k(global float *out) {{ {call}; }}"));
        assert!(log.contains("does not take"), "{log}");
    }
}

/// Vectors whose length, or whose squares, no number of their type holds.
#[test]
fn vectors_of_any_length_are_normalized() {
    let text = "float s[4] = {3e38f, 1e-30f, 1e-45f, 1.0f};
        for (int i = 0; i < 4; i++) {
            float4 n = normalize((float4)(s[i], -s[i], s[i], s[i])); out[i * 2] = n.x; out[i * 2 + 1] = n.y;
        }
        out[8] = normalize((float2)(0.0f, -0.0f)).x; out[9] = normalize(-5.0f); out[10] = normalize((float3)(3e38f, 4e38f * 0.5f, 0.0f)).z;
        out[11] = fast_normalize((float2)(0.0f, 2.0f)).y;";
    let out = body::<f32>("float", text, 12);
    assert_eq!(out[..8], [0.5, -0.5].repeat(4));
    assert_eq!(out[8..], [0.0, -1.0, 0.0, 1.0]);
    let text = "double s[5] = {1.7e308, 1e-160, 4.9e-324, 1.0, 1e170};
        for (int i = 0; i < 5; i++) {
            double4 n = normalize((double4)(s[i], -s[i], s[i], s[i])); out[i * 2] = n.x; out[i * 2 + 1] = n.y;
        }
        out[10] = normalize((double2)(1e300, 1e-10)).y; out[11] = normalize((double2)(0.0, 0.0)).y;";
    let out = body::<f64>("double", text, 12);
    let expected = [[0.5, -0.5].repeat(5), vec![1e-310, 0.0]].concat();
    for (got, expected) in out.into_iter().zip(expected) {
        assert!(
            (got - expected).abs() <= expected.abs() * 1e-15,
            "{got:e}, not {expected:e}"
        );
    }
}
