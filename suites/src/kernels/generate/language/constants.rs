//! Constants, and the sizes of types and expressions (C99 6.4.4, 6.5.3.4; OpenCL C "Vector Literals", vec_step).

use super::limits::{of_precisions, perhaps};
use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};
use crate::kernels::math::format::MODES;

/// Integers: how they are written, the number, bytes of the type, and whether it has no sign.
const INTEGERS: [(&str, u64, i64, bool); 22] = [
    ("0", 0, 4, false),
    ("037", 31, 4, false),
    ("0x7f", 127, 4, false),
    ("2147483647", 0x7fff_ffff, 4, false),
    ("0x7fffffff", 0x7fff_ffff, 4, false),
    // A decimal constant without a suffix is never unsigned; one in another base may be.
    ("2147483648", 0x8000_0000, 8, false),
    ("0x80000000", 0x8000_0000, 4, true),
    ("020000000000", 0x8000_0000, 4, true),
    ("4294967295", 0xffff_ffff, 8, false),
    ("0xFFFFFFFF", 0xffff_ffff, 4, true),
    ("4294967295u", 0xffff_ffff, 4, true),
    ("0x100000000", 0x1_0000_0000, 8, false),
    ("4294967296u", 0x1_0000_0000, 8, true),
    ("0xffffffffffffffff", u64::MAX, 8, true),
    ("9223372036854775807", i64::MAX as u64, 8, false),
    ("0777777777777777777777", i64::MAX as u64, 8, false),
    ("1u", 1, 4, true),
    ("1L", 1, 8, false),
    ("7uL", 7, 8, true),
    ("0X1fLU", 31, 8, true),
    ("0x7fffffffL", 0x7fff_ffff, 8, false),
    ("1000000000000", 1_000_000_000_000, 8, false),
];

/// Some of a list, each once.
fn some<T: Copy>(choices: &mut Choices, all: &[T], count: usize) -> Vec<T> {
    let mut left = all.to_vec();
    let count = count.min(left.len());
    (0..count)
        .map(|_| left.swap_remove(choices.below(left.len())))
        .collect()
}

/// Integers with their types: a comparison with -1 shows whether one has a sign.
pub(super) fn integers(choices: &mut Choices, n: usize) -> Piece {
    let mut piece = Piece::about("integer constants").given(n, &[-1]);
    for (text, number, bytes, unsigned) in some(choices, &INTEGERS, 4) {
        piece = piece
            .gives(text, number as i64)
            .gives(format!("sizeof({text})"), bytes)
            .gives(format!("{} < {text}", given(n, 0)), i64::from(!unsigned));
    }
    piece
}

/// Characters: "an integer character constant has type int" (C99 6.4.4.4), and a char has a sign.
pub(super) fn characters(choices: &mut Choices, _: usize) -> Piece {
    const CHARACTERS: [(&str, i64); 20] = [
        ("'a'", 97),
        ("'0'", 48),
        ("'\\n'", 10),
        ("'\\t'", 9),
        ("'\\a'", 7),
        ("'\\b'", 8),
        ("'\\v'", 11),
        ("'\\f'", 12),
        ("'\\r'", 13),
        ("'\\0'", 0),
        ("'\\\\'", 92),
        ("'\\''", 39),
        ("'\\\"'", 34),
        ("'\"'", 34),
        ("'\\?'", 63),
        ("'\\101'", 65),
        ("'\\7'", 7),
        ("'\\x41'", 65),
        ("'\\x7F'", 127),
        ("'\\xff'", -1),
    ];
    let mut piece = Piece::about("character constants").gives("sizeof('a')", 4);
    for (text, number) in some(choices, &CHARACTERS, 5) {
        piece = piece.gives(text, number);
    }
    piece
}

/// Numbers of an enumeration, some of which go on from the one before.
pub(super) fn enumerators(choices: &mut Choices, n: usize) -> Piece {
    let first = choices.between(2, 99) as i64;
    let second = -(choices.between(1, 99) as i64);
    let which = choices.below(4);
    let values = [0, first, first + 1, second];
    Piece::about("enumerators")
        .given(n, &[values[which] as i32])
        .before(format!(
            "enum kind{n} {{ ZERO{n}, FIRST{n} = {first}, NEXT{n}, LEAST{n} = {second}, AFTER{n}, SUM{n} = FIRST{n} + NEXT{n}, }};"
        ))
        .inside(format!("enum kind{n} kind{n} = (enum kind{n}){};", given(n, 0)))
        .inside(format!("int named{n} = -1;"))
        .inside(format!("switch (kind{n}) {{"))
        .inside(format!("case LEAST{n}: named{n} = 3; break;"))
        .inside(format!("case ZERO{n}: named{n} = 0; break;"))
        .inside(format!("case NEXT{n}: named{n} = 2; break;"))
        .inside(format!("case FIRST{n}: named{n} = 1; break;"))
        .inside("default: break; }")
        .gives(format!("ZERO{n}"), 0)
        .gives(format!("NEXT{n}"), first + 1)
        .gives(format!("AFTER{n}"), second + 1)
        .gives(format!("SUM{n}"), 2 * first + 1)
        .gives(format!("named{n}"), which as i64)
        .gives(format!("kind{n} + 1"), values[which] + 1)
        .gives(format!("sizeof(enum kind{n})"), 4)
}

/// Numbers with a fraction, all of them exact.
pub(super) fn floats(choices: &mut Choices, n: usize) -> Piece {
    const FLOATS: [(&str, i64); 12] = [
        ("0x1.8p3f", 12),
        ("0x.8P1f", 1),
        ("0xAp-1f", 5),
        ("0x1p+10F", 1024),
        ("1.5e3f", 1500),
        ("5E+2f", 500),
        ("2500e-2f", 25),
        ("3.f", 3),
        (".5f * 8", 4),
        ("1e9f", 1_000_000_000),
        ("16777216.0f", 16_777_216),
        ("0.0078125f * 256.0f", 2),
    ];
    let tenth = choices.one_of(&[
        ("0.1f", 0x3dcc_cccd),
        ("3.14159265f", 0x4049_0fdb),
        ("1e-10f", 0x2edb_e6ff),
    ]);
    let mut piece = Piece::about("floating constants")
        .given(n, &[tenth.1])
        .gives("sizeof(1.0f)", 4)
        .gives(format!("as_float({}) == {}", given(n, 0), tenth.0), 1);
    for (text, number) in some(choices, &FLOATS, 4) {
        piece = piece.gives(text, number);
    }
    piece
}

/// Constants with a fraction as integers: towards zero where no other mode is named (OpenCL C "Rounding Modes"), in
/// initializers, casts and conversions.
pub(super) fn fractions(choices: &mut Choices, n: usize) -> Piece {
    const TYPES: [&str; 4] = ["int", "short", "char", "long"];
    let whole = choices.between(1, 99) as i64;
    let (above, below) = (format!("{whole}.5f"), format!("-{whole}.5f"));
    let mut piece = Piece::about("constants with a fraction as integers")
        .before(format!(
            "constant int first{n} = (int){below}, second{n} = {above};"
        ))
        .before(format!(
            "constant short all{n}[2] = {{ {above}, {below} }};"
        ))
        .inside(format!("int own{n} = {below};"))
        .inside(format!("const long sum{n} = (long)({below} - 0.25f);"))
        .gives(format!("first{n}"), -whole)
        .gives(format!("second{n}"), whole)
        .gives(format!("all{n}[0]"), whole)
        .gives(format!("all{n}[1]"), -whole)
        .gives(format!("own{n}"), -whole)
        .gives(format!("sum{n}"), -whole);
    for ty in TYPES {
        piece = piece
            .gives(format!("({ty}){above}"), whole)
            .gives(format!("({ty}){below}"), -whole)
            .gives(format!("(({ty}2)({below})).y"), -whole);
    }
    let half = whole as f64 + 0.5;
    for mode in MODES {
        let (ty, text) = (choices.one_of(&TYPES), mode.text());
        piece = piece
            .gives(
                format!("convert_{ty}{text}({above})"),
                mode.whole(half) as i64,
            )
            .gives(
                format!("convert_{ty}{text}({below})"),
                mode.whole(-half) as i64,
            );
    }
    piece
}

/// Sizes of types, and how many elements lie beside each other.
pub(super) fn sizes(choices: &mut Choices, n: usize) -> Piece {
    const TYPES: [(&str, i64); 9] = [
        ("char", 1),
        ("uchar", 1),
        ("short", 2),
        ("ushort", 2),
        ("int", 4),
        ("uint", 4),
        ("long", 8),
        ("ulong", 8),
        ("float", 4),
    ];
    const SIZES: [(&str, i64); 19] = [
        ("sizeof(char)", 1),
        ("sizeof(uchar)", 1),
        ("sizeof(short)", 2),
        ("sizeof(unsigned short int)", 2),
        ("sizeof(int)", 4),
        ("sizeof(unsigned)", 4),
        ("sizeof(long)", 8),
        ("sizeof(long int)", 8),
        ("sizeof(ulong)", 8),
        ("sizeof(float)", 4),
        ("sizeof(char2)", 2),
        ("sizeof(uchar3)", 4),
        ("sizeof(short3)", 8),
        ("sizeof(int3)", 16),
        ("sizeof(long3)", 32),
        ("sizeof(float8)", 32),
        ("sizeof(long16)", 128),
        ("sizeof(int[3])", 12),
        ("sizeof(uchar3[5])", 20),
    ];
    let mut piece = of_precisions("sizes of types", n)
        .inside(format!("int i{n} = 5; uchar3 lanes{n} = (uchar3)(1);"))
        .gives(format!("vec_step(i{n}++) * 10 + i{n}"), 15)
        .gives(
            format!("vec_step(lanes{n}) * 10 + vec_step(lanes{n}.xy)"),
            42,
        )
        .gives(format!("vec_step(lanes{n}.xyzzyxxy + (uchar)1)"), 8);
    for lanes in [2, 8] {
        let what = format!("vec_step(double{lanes}) + 8 * (int)(sizeof(double{lanes}) / 8)");
        piece = perhaps(piece, "WIDE", n, &what, 9 * lanes);
        let what = format!("vec_step((half{lanes})(0)) + 2 * (int)(sizeof(half{lanes}) / 2)");
        piece = perhaps(piece, "SHORT", n, &what, 3 * lanes);
    }
    for (text, number) in some(choices, &SIZES, 6) {
        piece = piece.gives(text, number);
    }
    // "32-bit … if the value of CL_DEVICE_ADDRESS_BITS is 32-bits, and 64-bit …": as wide as what `size_t` counts.
    const ADDRESSES: [&str; 9] = [
        "sizeof(size_t) == 4 || sizeof(size_t) == 8",
        "sizeof(ptrdiff_t) == sizeof(size_t)",
        "sizeof(intptr_t) == sizeof(size_t)",
        "sizeof(uintptr_t) == sizeof(size_t)",
        "sizeof(void *) == sizeof(size_t)",
        "sizeof(sizeof(char)) == sizeof(size_t)",
        "(size_t)0 - 1 > 0 && (uintptr_t)0 - 1 > 0",
        "(ptrdiff_t)0 - 1 < 0 && (intptr_t)0 - 1 < 0",
        "sizeof(get_global_size(0)) == sizeof(size_t)",
    ];
    for text in some(choices, &ADDRESSES, 4) {
        piece = piece.gives(text, 1);
    }
    for (ty, bytes) in TYPES {
        let lanes = choices.one_of(&[1, 2, 4, 8, 16]);
        let one = match lanes {
            1 => ty.to_owned(),
            lanes => format!("{ty}{lanes}"),
        };
        // One of three elements has the size of one of four.
        piece = piece
            .gives(format!("vec_step({ty}3)"), 4)
            .gives(format!("vec_step({one})"), lanes)
            .gives(
                format!("(int)sizeof({one}) + (int)sizeof({ty}3)"),
                bytes * (lanes + 4),
            );
    }
    piece
}

/// Sizes of expressions: of the type that an operator gives, and nothing of it is computed.
pub(super) fn sizes_of_expressions(choices: &mut Choices, n: usize) -> Piece {
    let start = choices.between(1, 99) as i32;
    let count = choices.between(2, 9) as i64;
    Piece::about("sizes of expressions")
        .given(n, &[start])
        .inside(format!("int i{n} = {};", given(n, 0)))
        .inside(format!("char small{n} = 1; short more{n}[{count}][3];"))
        .inside(format!("more{n}[0][0] = (short)i{n};"))
        .inside(format!("uchar3 lanes{n} = (uchar3)((uchar)i{n});"))
        .gives(format!("sizeof(i{n}++)"), 4)
        .gives(format!("i{n}"), start.into())
        .gives(format!("sizeof(small{n} + small{n})"), 4)
        .gives(format!("sizeof(-small{n})"), 4)
        .gives(format!("sizeof(+small{n})"), 4)
        .gives(format!("sizeof(small{n}++)"), 1)
        .gives(format!("sizeof(small{n} << 1L)"), 4)
        .gives(format!("sizeof(i{n} == 1L)"), 4)
        .gives(format!("sizeof(i{n} ? small{n} : 1L)"), 8)
        .gives(format!("sizeof more{n}"), 6 * count)
        .gives(format!("sizeof more{n}[0] / sizeof *more{n}[0]"), 3)
        .gives(format!("sizeof(lanes{n} + lanes{n})"), 4)
        .gives(format!("sizeof(lanes{n}.xy)"), 2)
        .gives(format!("more{n}[0][0]"), start.into())
}

/// Strings: pieces beside each other are one, with one zero behind them.
pub(super) fn strings(choices: &mut Choices, n: usize) -> Piece {
    let first = choices.one_of(&["ab", "x", "12345"]);
    let (second, seconds): (&str, &[u8]) = choices.one_of(&[
        ("\\0c", b"\0c"),
        ("q", b"q"),
        ("\\\"\\\\", b"\"\\"),
        // An octal escape has three digits at most.
        ("\\101", b"A"),
        ("\\0612\\78", b"12\x078"),
    ]);
    let all: Vec<u8> = [first.as_bytes(), b"\n", seconds].concat();
    let at = choices.below(all.len());
    Piece::about("strings")
        .given(n, &[at as i32])
        .before(format!(
            "constant char text{n}[] = \"{first}\" \"\\n\"\n \"{second}\";"
        ))
        .before(format!("constant char room{n}[12] = \"{first}\";"))
        .inside(format!("constant char *at{n} = \"{first}\\n{second}\";"))
        .gives(format!("sizeof(text{n})"), all.len() as i64 + 1)
        .gives(format!("sizeof(room{n})"), 12)
        .gives(format!("text{n}[{}]", given(n, 0)), all[at].into())
        .gives(format!("at{n}[{}]", given(n, 0)), all[at].into())
        .gives(format!("text{n}[{}]", all.len()), 0)
        .gives(format!("room{n}[11]"), 0)
        .gives(
            format!("room{n}[{}]", first.len() - 1),
            first.as_bytes()[first.len() - 1].into(),
        )
}

/// Expressions that are constants: lengths of arrays, labels and enumerators.
pub(super) fn constant_expressions(choices: &mut Choices, n: usize) -> Piece {
    let (a, b) = (choices.between(2, 6) as i64, choices.between(7, 12) as i64);
    let (negative, chosen) = (-(b * 3 + a) / 4, if a > 4 { 1 } else { 2 });
    let label = a * b - 1;
    Piece::about("constant expressions")
        .given(n, &[label as i32])
        .before(format!("enum {{ QUOTIENT{n} = -({b} * 3 + {a}) / 4, CHOSEN{n} = {a} > 4 ? 1 : 2, BITS{n} = ~{a} & 0xff | 1 << 9 }};"))
        .before(format!("constant int many{n}[{a} * sizeof(short) + {b} % 3] = {{ {b} ^ {a} }};"))
        .inside(format!("int found{n} = 0;"))
        .inside(format!("switch ({}) {{", given(n, 0)))
        .inside(format!("case {a} * {b} - 1: found{n} = 1; break;"))
        .inside(format!("case -({a} * {b}): found{n} = 2; break;"))
        .inside(format!("case (char)(300 + {a}) + 2000: found{n} = 3; break; }}"))
        .gives(format!("QUOTIENT{n}"), negative)
        .gives(format!("CHOSEN{n}"), chosen)
        .gives(format!("BITS{n}"), !a & 0xff | 1 << 9)
        .gives(format!("sizeof(many{n}) / sizeof(int)"), a * 2 + b % 3)
        .gives(format!("many{n}[0]"), b ^ a)
        .gives(format!("many{n}[{}]", a * 2 + b % 3 - 1), 0)
        .gives(format!("found{n}"), 1)
}
