//! Dot products of integers, against sums that are computed here.

use crate::support::{Element, Given, build_with, fails, launch};

/// Vectors in words: all bytes of one kind, ends of ranges, and many without pattern.
fn words() -> Vec<u32> {
    let mut words = vec![
        0,
        u32::MAX,
        0x8080_8080,
        0x7f7f_7f7f,
        0x0101_0101,
        0x8001_7fff,
        0x0403_0201,
    ];
    let mut seed = 1_u32;
    words.extend(
        std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.rotate_left(13)
        })
        .take(57),
    );
    words
}

fn elements(word: u32, signed: bool) -> [i64; 4] {
    word.to_le_bytes().map(|byte| match signed {
        true => i64::from(byte as i8),
        false => i64::from(byte),
    })
}

/// The answer: `dot`, and with an accumulator and saturation.
fn expected([a, b]: [u32; 2], signs: [bool; 2], accumulator: u32) -> [u32; 2] {
    let (x, y) = (elements(a, signs[0]), elements(b, signs[1]));
    let product: i64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    if signs == [false; 2] {
        let sum = product + i64::from(accumulator);
        [product as u32, sum.min(u32::MAX.into()) as u32]
    } else {
        let sum = product + i64::from(accumulator as i32);
        [
            product as i32 as u32,
            sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32 as u32,
        ]
    }
}

const ACCUMULATORS: [u32; 6] = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_0000];

#[test]
fn of_vectors_and_of_packed_ones() {
    let words = words();
    for (letters, signs) in [
        ("uu", [false, false]),
        ("ss", [true, true]),
        ("us", [false, true]),
        ("su", [true, false]),
    ] {
        let [x, y] = signs.map(|signed| if signed { "char4" } else { "uchar4" });
        let result = if signs == [false; 2] { "uint" } else { "int" };
        let text = format!(
            "kernel void k(global uint4 *out, global const uint *in, uint count, global const uint *accumulators) {{
                uint i = get_global_id(0);
                uint a = in[i / count], b = in[i % count];
                {result} c = as_{result}(accumulators[i % 6]);
                {result} plain = dot(as_{x}(a), as_{y}(b));
                {result} more = dot_acc_sat(as_{x}(a), as_{y}(b), c);
                {result} packed = dot_4x8packed_{letters}_{result}(a, b);
                {result} both = dot_acc_sat_4x8packed_{letters}_{result}(a, b, c);
                out[i] = (uint4)(as_uint(plain), as_uint(more), as_uint(packed), as_uint(both));
            }}"
        );
        for std in ["-cl-std=CL3.0", "-cl-std=CL3.1"] {
            let compiled = build_with(std, &text).unwrap_or_else(|log| panic!("{log}\n{text}"));
            let count = words.len();
            let mut out = vec![0; 16 * count * count];
            let mut given: Vec<u8> = words.iter().flat_map(|w| w.to_ne_bytes()).collect();
            let mut accumulators: Vec<u8> =
                ACCUMULATORS.iter().flat_map(|w| w.to_ne_bytes()).collect();
            let args = vec![
                Given::Buffer(&mut out),
                Given::Buffer(&mut given),
                Given::Value((count as u32).to_ne_bytes().to_vec()),
                Given::Buffer(&mut accumulators),
            ];
            launch(compiled, "k", args, (count * count) as u64, 64);
            for (i, found) in u32::read(&out).chunks(4).enumerate() {
                let pair = [words[i / count], words[i % count]];
                let [plain, more] = expected(pair, signs, ACCUMULATORS[i % 6]);
                assert_eq!(found, [plain, more, plain, more], "{letters} {pair:x?} {i}");
            }
        }
    }
}

/// `dot` is that of floats, too, and integers of other shapes have none.
#[test]
fn what_is_no_dot_product_of_integers() {
    for (call, message) in [
        (
            "dot((char3)(1), (char3)(2))",
            "`dot` does not take (char3, char3)",
        ),
        (
            "dot((short4)(1), (short4)(2))",
            "`dot` does not take (short4, short4)",
        ),
        ("dot((char4)(1), 2)", "`dot` does not take"),
        (
            "dot_acc_sat((char4)(1), (int4)(2), 3)",
            "`dot_acc_sat` does not take (char4, int4, int)",
        ),
        (
            "dot_acc_sat((char4)(1), (char4)(2))",
            "takes 3 arguments, and is given 2",
        ),
        (
            "dot_4x8packed_ss_int(1)",
            "takes 2 arguments, and is given 1",
        ),
        (
            "dot_4x8packed_ss_uint(1, 2)",
            "there is no function `dot_4x8packed_ss_uint`",
        ),
    ] {
        let log = fails(&format!("kernel void k() {{ {call}; }}"));
        assert!(log.contains(message), "{call}: {log}");
    }
    let product =
        crate::support::body::<f32>("float", "out[0] = dot((float2)(1, 2), (float2)(3, 4));", 1);
    assert_eq!(product, [11.0]);
}
