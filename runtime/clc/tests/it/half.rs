//! Halves: arithmetic, conversions and functions of 16 bits, against the same computed here.

use crate::support::{Given, build, launch};
use half::f16;
use touchstone_clc::{CompileOptions, DeviceProfile, Source, compile};

/// What each work-item gets of `call`, where `a` and `b` are the elements of two lists.
fn each(call: &str, a: &[f16], b: &[f16]) -> Vec<f16> {
    let text = format!(
        "kernel void k(global half *out, global const half *x, global const half *y) {{
            size_t i = get_global_id(0);
            half a = x[i], b = y[i];
            out[i] = {call};
        }}"
    );
    let compiled = build(&text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let bytes = |list: &[f16]| -> Vec<u8> { list.iter().flat_map(|x| x.to_ne_bytes()).collect() };
    let (mut out, mut a_bytes, mut b_bytes) = (vec![0; 2 * a.len()], bytes(a), bytes(b));
    let args = vec![
        Given::Buffer(&mut out),
        Given::Buffer(&mut a_bytes),
        Given::Buffer(&mut b_bytes),
    ];
    launch(compiled, "k", args, a.len() as u64, 1);
    let read = |two: &[u8]| f16::from_ne_bytes([two[0], two[1]]);
    out.chunks_exact(2).map(read).collect()
}

/// Halves of every magnitude, with their neighbours, both zeros, infinities and subnormal ones.
fn some() -> (Vec<f16>, Vec<f16>) {
    let bits = (0..=0xffff_u16).step_by(97);
    let all: Vec<f16> = bits.map(f16::from_bits).filter(|x| !x.is_nan()).collect();
    let turned = all.iter().cycle().skip(all.len() / 3 + 5);
    let other = turned.take(all.len()).copied().collect();
    (all, other)
}

/// The half nearest to a double, by trying its neighbours.
fn nearest(x: f64) -> f16 {
    let near = f16::from_f32(x as f32);
    if near.is_nan() || near.is_infinite() {
        return near;
    }
    let bits = near.to_bits();
    let candidates = [bits.wrapping_sub(1), bits, bits.wrapping_add(1)].map(f16::from_bits);
    let finite = candidates.into_iter().filter(|c| c.is_finite());
    let off = |c: &f16| (c.to_f64() - x).abs();
    let best = finite.min_by(|c, d| {
        let even = |c: &f16| c.to_bits() & 1;
        off(c).total_cmp(&off(d)).then(even(c).cmp(&even(d)))
    });
    best.unwrap_or(near)
}

fn same(call: &str, of: impl Fn(f64, f64) -> f64) {
    let (a, b) = some();
    for ((got, a), b) in each(call, &a, &b).into_iter().zip(&a).zip(&b) {
        let wanted = nearest(of(a.to_f64(), b.to_f64()));
        let equal = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
        assert!(equal, "{call} of {a} and {b}: {got}, not {wanted}");
    }
}

#[test]
fn arithmetic_is_rounded_once() {
    same("a + b", |a, b| a + b);
    same("a - b", |a, b| a - b);
    same("a * b", |a, b| a * b);
    same("a / b", |a, b| a / b);
    same("-a", |a, _| -a);
    same("sqrt(fabs(a))", |a, _| a.abs().sqrt());
    same("fma(a, b, a)", |a, b| a.mul_add(b, a));
    same("a < b ? a : b", |a, b| if a < b { a } else { b });
}

#[test]
fn halves_meet_other_types_as_the_language_says() {
    same("a * 2", |a, _| a * 2.0);
    same("(half)(a * 0.1f)", |a, _| f64::from(a as f32 * 0.1f32));
    same("(half)((double)a + b)", |a, b| a + b);
    same(
        "(half)(int)(a > -100.0h && a < 100.0h ? a : 0.0h)",
        |a, _| {
            if a > -100.0 && a < 100.0 {
                // An integer has no zero with a sign.
                a.trunc() + 0.0
            } else {
                0.0
            }
        },
    );
    same("((half4)(a, b, 1, 2) + (half4)(b)).x", |a, b| a + b);
    same("vload2(0, &(half[2]){a, b}[0]).y", |_, b| b);
    same("(isgreater(a, b) ? 1.5h : HALF_MAX)", |a, b| {
        if a > b { 1.5 } else { 65504.0 }
    });
    same("as_half((ushort)(as_ushort(a) ^ 0x8000))", |a, _| -a);
    same("select((half2)(a), (half2)(b), (short2)(-1)).x", |_, b| b);
}

#[test]
fn constants_are_folded_as_they_are_computed() {
    for (folded, of) in [
        ("1.0h / 3", 1.0 / 3.0),
        ("0x1.0p-24h * 0.5h", 0.0),
        ("65504.0h + 16.0h", f64::INFINITY),
        ("(half)2049", 2048.0),
        ("-(half)0.0", -0.0),
        ("M_PI_H", std::f64::consts::PI),
        ("(half)(1.0h == 1 ? 2 : 3)", 2.0),
    ] {
        let got = each(folded, &[f16::ONE], &[f16::ONE])[0];
        assert_eq!(got.to_bits(), nearest(of).to_bits(), "{folded}: {got}");
    }
}

#[test]
fn devices_without_halves_load_and_store_them_alone() {
    let mut device = DeviceProfile::default();
    device.extensions.remove("cl_khr_fp16");
    let options = CompileOptions {
        device,
        ..CompileOptions::default()
    };
    let builds = |text: &str| compile(&[Source::new("t.cl", text)], &options).map_err(|f| f.log);
    let kept = "kernel void k(global half *p) { vstore_half(vload_half(0, p) + 1, 1, p); }";
    assert!(builds(kept).is_ok());
    for refused in [
        "kernel void k(global half *p) { p[0] = p[1]; }",
        "kernel void k(half h) { }",
        "kernel void k(global float *p) { p[0] = 1.0h; }",
        "kernel void k(global half *p) { vstore2(vload2(0, p), 1, p); }",
        "kernel void k(global half2 *p) { p[0] = p[0] + p[1]; }",
        "kernel void k(global float *p) { p[0] = convert_half(p[0]); }",
        "kernel void k(write_only image2d_t i) { write_imageh(i, (int2)(0), 0); }",
    ] {
        assert!(builds(refused).is_err(), "{refused}");
    }
}
