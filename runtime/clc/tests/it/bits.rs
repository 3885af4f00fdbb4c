//! Extended bit operations, against a model of single bits.

use crate::support::{Given, build_with, fails, launch};

/// Integers of one width, as OpenCL C names them.
struct Width {
    bits: u32,
    signed: &'static str,
    unsigned: &'static str,
}

const WIDTHS: [Width; 4] = [
    Width {
        bits: 8,
        signed: "char",
        unsigned: "uchar",
    },
    Width {
        bits: 16,
        signed: "short",
        unsigned: "ushort",
    },
    Width {
        bits: 32,
        signed: "int",
        unsigned: "uint",
    },
    Width {
        bits: 64,
        signed: "long",
        unsigned: "ulong",
    },
];

/// One use of the functions.
#[derive(Clone, Copy)]
struct Case {
    base: u64,
    insert: u64,
    offset: u32,
    count: u32,
}

/// Every field of every width, with numbers without pattern and with such as are all alike.
fn cases(bits: u32) -> Vec<Case> {
    let mut seed = u64::from(bits);
    let mut draw = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut cases = Vec::new();
    for offset in 0..=bits {
        for count in 0..=bits - offset {
            let (base, insert) = match (offset + count) % 5 {
                0 => (0, u64::MAX),
                1 => (u64::MAX, 0),
                _ => (draw(), draw()),
            };
            cases.push(Case {
                base,
                insert,
                offset,
                count,
            });
        }
    }
    cases
}

fn bit(value: u64, n: u32) -> bool {
    value >> n & 1 == 1
}

/// The number whose bits a function gives.
fn of_bits(bits: u32, value: impl Fn(u32) -> bool) -> u64 {
    (0..bits).fold(0, |all, n| all | u64::from(value(n)) << n)
}

impl Case {
    /// What the four functions give, in the order in which the kernel calls them.
    fn expected(self, bits: u32) -> [u64; 4] {
        let Case {
            base,
            insert,
            offset,
            count,
        } = self;
        let inside = |n| n >= offset && n < offset + count;
        let sign = count > 0 && bit(base, offset + count - 1);
        [
            of_bits(bits, |n| {
                if inside(n) {
                    bit(insert, n - offset)
                } else {
                    bit(base, n)
                }
            }),
            of_bits(bits, |n| {
                if n < count {
                    bit(base, offset + n)
                } else {
                    sign
                }
            }),
            of_bits(bits, |n| n < count && bit(base, offset + n)),
            of_bits(bits, |n| bit(base, bits - 1 - n)),
        ]
    }
}

/// The bytes of numbers of a width.
fn bytes(values: impl IntoIterator<Item = u64>, bits: u32) -> Vec<u8> {
    let size = bits as usize / 8;
    let values = values.into_iter();
    values
        .flat_map(|value| value.to_le_bytes()[..size].to_vec())
        .collect()
}

/// Runs the functions on vectors of so many elements of a type; one for a scalar.
fn check(width: &Width, element: &str, lanes: usize) {
    let bits = width.bits;
    let (suffix, load, store) = match lanes {
        1 => (
            String::new(),
            "p[i]".to_owned(),
            "out[4 * i + n] = v".to_owned(),
        ),
        n => (
            n.to_string(),
            format!("vload{n}(i, p)"),
            format!("vstore{n}(v, 4 * i + n, out)"),
        ),
    };
    let (signed, unsigned) = (width.signed, width.unsigned);
    let text = format!(
        "typedef {element}{suffix} T;
         T read(size_t i, global const {element} *p) {{ return {load}; }}
         void put(size_t i, size_t n, global {element} *out, T v) {{ {store}; }}
         kernel void k(global {element} *out, global const {element} *base, global const {element} *insert,
                       global const uint2 *places) {{
             size_t i = get_global_id(0);
             T b = read(i, base), c = read(i, insert);
             uint offset = places[i].x, count = places[i].y;
             put(i, 0, out, bitfield_insert(b, c, offset, count));
             {signed}{suffix} s = bitfield_extract_signed(b, offset, count);
             put(i, 1, out, as_{element}{suffix}(s));
             {unsigned}{suffix} u = bitfield_extract_unsigned(b, offset, count);
             put(i, 2, out, as_{element}{suffix}(u));
             put(i, 3, out, bit_reverse(b));
         }}"
    );
    let compiled = build_with("-cl-std=CL3.1", &text).unwrap_or_else(|log| panic!("{log}\n{text}"));
    let cases = cases(bits);
    // Element n of a vector is the number of the case n further on.
    let other = |i: usize, n: usize| cases[(i + n) % cases.len()];
    let vectors = |of: fn(Case) -> u64| {
        let all = (0..cases.len()).flat_map(|i| (0..lanes).map(move |n| (i, n)));
        bytes(all.map(|(i, n)| of(other(i, n))), bits)
    };
    let (mut base, mut insert) = (vectors(|case| case.base), vectors(|case| case.insert));
    let places = cases.iter().flat_map(|case| [case.offset, case.count]);
    let mut places: Vec<u8> = places.flat_map(u32::to_le_bytes).collect();
    let mut out = vec![0; 4 * base.len()];
    let given = vec![
        Given::Buffer(&mut out),
        Given::Buffer(&mut base),
        Given::Buffer(&mut insert),
        Given::Buffer(&mut places),
    ];
    launch(compiled, "k", given, cases.len() as u64, 1);
    let mut expected = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        for function in 0..4 {
            for n in 0..lanes {
                let Case { base, insert, .. } = other(i, n);
                expected.push(
                    Case {
                        base,
                        insert,
                        ..*case
                    }
                    .expected(bits)[function],
                );
            }
        }
    }
    let expected = bytes(expected, bits);
    let size = bits as usize / 8 * lanes;
    let differs =
        (0..out.len() / size).find(|n| out[n * size..][..size] != expected[n * size..][..size]);
    if let Some(n) = differs {
        let Case {
            base,
            offset,
            count,
            ..
        } = cases[n / 4];
        panic!(
            "{element}{suffix}: function {} of {base:#x}, {offset}, {count}: {:x?} instead of {:x?}",
            n % 4,
            &out[n * size..][..size],
            &expected[n * size..][..size]
        );
    }
}

#[test]
fn fields_of_scalars() {
    for width in &WIDTHS {
        check(width, width.signed, 1);
        check(width, width.unsigned, 1);
    }
}

#[test]
fn fields_of_vectors() {
    for (width, lanes) in WIDTHS[..3].iter().zip([2, 3, 16]) {
        check(width, width.signed, lanes);
        check(width, width.unsigned, lanes);
    }
    check(&WIDTHS[3], "ulong", 4);
    check(&WIDTHS[0], "char", 8);
}

#[test]
fn what_they_do_not_take() {
    for (call, message) in [
        ("bit_reverse(1.0f)", "`bit_reverse` does not take (float)"),
        (
            "bit_reverse(1, 2)",
            "`bit_reverse` takes 1 argument, and is given 2",
        ),
        (
            "bitfield_extract_signed(v, 1, 2)",
            "does not take (float4, int, int)",
        ),
        (
            "bitfield_insert(1, 2, 3)",
            "takes 4 arguments, and is given 3",
        ),
        (
            "bitfield_insert((int2)(1), (int4)(2), 3, 4)",
            "does not take (int2, int4, int, int)",
        ),
        (
            "bitfield_extract_unsigned(1, v, 2)",
            "argument 2 of `bitfield_extract_unsigned`",
        ),
    ] {
        let log = fails(&format!("kernel void k(float4 v) {{ {call}; }}"));
        assert!(log.contains(message), "{call}: {log}");
    }
}
