//! Whole programs of the kind that users write first.

use crate::support::{Given, build_with, launch};

#[test]
fn vector_add() {
    let source = "__kernel void vadd(__global const float *a, __global const float *b,
                                     __global float *c, const unsigned int n) {
        int i = get_global_id(0);
        if (i < n) c[i] = a[i] + b[i];
    }";
    let compiled = build_with("", source).unwrap();
    assert_eq!(compiled.log, "");
    let n = 1000u32;
    let floats =
        |f: &dyn Fn(u32) -> f32| -> Vec<u8> { (0..n).flat_map(|i| f(i).to_ne_bytes()).collect() };
    let mut a = floats(&|i| i as f32);
    let mut b = floats(&|i| i as f32 * 0.5);
    let mut c = floats(&|_| 0.0);
    let given = vec![
        Given::Buffer(&mut a),
        Given::Buffer(&mut b),
        Given::Buffer(&mut c),
        Given::Value(n.to_ne_bytes().to_vec()),
    ];
    launch(compiled, "vadd", given, 1024, 64);
    assert_eq!(c, floats(&|i| i as f32 * 1.5));
}
