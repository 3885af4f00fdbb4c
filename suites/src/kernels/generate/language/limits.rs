//! Macros that are numbers, `bool`, constants of several precisions and hints (OpenCL C "Integer Macros", "Floating-point
//! Macros and Pragmas", "Math Constants", "Predefined Macros", "Explicit Casts"; C99 6.3.1.2, 6.4.4.2).

use crate::choices::Choices;
use crate::kernels::generate::pieces::{Piece, given};
use crate::kernels::math::format::Format;
use std::f64::consts;

/// Macros that are integers, and that `#if` may ask about.
const INTEGERS: [(&str, i64); 15] = [
    ("CHAR_BIT", 8),
    ("CHAR_MAX", 127),
    ("CHAR_MIN", -128),
    ("INT_MAX", i32::MAX as i64),
    ("INT_MIN", i32::MIN as i64),
    ("LONG_MAX", i64::MAX),
    ("LONG_MIN", i64::MIN),
    ("SCHAR_MAX", 127),
    ("SCHAR_MIN", -128),
    ("SHRT_MAX", 32_767),
    ("SHRT_MIN", -32_768),
    ("UCHAR_MAX", 255),
    ("USHRT_MAX", 65_535),
    ("UINT_MAX", u32::MAX as i64),
    ("ULONG_MAX", -1),
];

/// The same of `float`.
const FLOATS: [(&str, i64); 7] = [
    ("FLT_DIG", 6),
    ("FLT_MANT_DIG", 24),
    ("FLT_MAX_10_EXP", 38),
    ("FLT_MAX_EXP", 128),
    ("FLT_MIN_10_EXP", -37),
    ("FLT_MIN_EXP", -125),
    ("FLT_RADIX", 2),
];

/// The same of `double`, and its bits.
const DOUBLES: [(&str, i64); 9] = [
    ("DBL_DIG", 15),
    ("DBL_MANT_DIG", 53),
    ("DBL_MAX_10_EXP", 308),
    ("DBL_MAX_EXP", 1024),
    ("DBL_MIN_10_EXP", -307),
    ("DBL_MIN_EXP", -1021),
    ("as_long(DBL_MAX)", 0x7fef_ffff_ffff_ffff),
    ("as_long(DBL_MIN)", 0x0010_0000_0000_0000),
    ("as_long(DBL_EPSILON)", 0x3cb0_0000_0000_0000),
];

/// The same of `half`.
const HALVES: [(&str, i64); 10] = [
    ("HALF_DIG", 3),
    ("HALF_MANT_DIG", 11),
    ("HALF_MAX_10_EXP", 4),
    ("HALF_MAX_EXP", 16),
    ("HALF_MIN_10_EXP", -4),
    ("HALF_MIN_EXP", -13),
    ("HALF_RADIX", 2),
    ("as_short(HALF_MAX)", 0x7bff),
    ("as_short(HALF_MIN)", 0x0400),
    ("as_short(HALF_EPSILON)", 0x1400),
];

/// Macros of `float` by their bits.
const BITS: [(&str, i64); 6] = [
    ("FLT_MAX", 0x7f7f_ffff),
    ("FLT_MIN", 0x0080_0000),
    ("FLT_EPSILON", 0x3400_0000),
    ("MAXFLOAT", 0x7f7f_ffff),
    ("HUGE_VALF", 0x7f80_0000),
    ("INFINITY", 0x7f80_0000),
];

/// Constants of `float`, "accurate within the precision of the float type"; those of `double` have no `_F`.
const MATHEMATICAL: [(&str, f64); 13] = [
    ("M_E", consts::E),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
];

/// A piece in which `WIDE(what, right)` is an expression of `double` where there is that type, and what it must give where
/// there is none; `SHORT` is the same of `half`.
pub(super) fn of_precisions(about: &'static str, n: usize) -> Piece {
    let mut piece = Piece::about(about);
    for (name, extension) in [("WIDE", "cl_khr_fp64"), ("SHORT", "cl_khr_fp16")] {
        piece = piece
            .before(format!("#ifdef {extension}"))
            .before(format!("#pragma OPENCL EXTENSION {extension}: enable"))
            .before(format!("#define {name}{n}(what, right) (what)"))
            .before("#else")
            .before(format!("#define {name}{n}(what, right) (right)"))
            .before("#endif");
    }
    piece
}

/// An expression that gives a number of those that only some devices have.
pub(super) fn perhaps(piece: Piece, name: &str, n: usize, what: &str, right: i64) -> Piece {
    piece.gives(format!("{name}{n}({what}, {right}L)"), right)
}

/// Macros that are integers, in the text and where `#if` asks about them.
pub(super) fn integer_limits(choices: &mut Choices, n: usize) -> Piece {
    let all = [&INTEGERS[..], &FLOATS[..]].concat();
    let mut piece = Piece::about("macros that are integers");
    for _ in 0..6 {
        let (name, number) = choices.pick(&all).unwrap_or(INTEGERS[0]);
        let k = piece.results.len();
        let right = match (name, number) {
            ("ULONG_MAX", _) => "0xffffffffffffffffu".into(),
            (_, i64::MIN) => "(-9223372036854775807 - 1)".into(),
            _ => number.to_string(),
        };
        piece = piece
            .before(format!("#if {name} == {right}"))
            .before(format!("#define asked{n}_{k} 1"))
            .before("#else")
            .before(format!("#define asked{n}_{k} 0"))
            .before("#endif")
            .gives(name, number)
            .gives(format!("asked{n}_{k}"), 1);
    }
    piece
        .gives("sizeof(INT_MIN) * sizeof(UINT_MAX)", 16)
        .gives("sizeof(LONG_MIN) * sizeof(ULONG_MAX)", 64)
        .gives("ULONG_MAX > LONG_MAX", 1)
}

/// Macros that are numbers with a fraction, each of the type and the bits that the text says.
pub(super) fn real_limits(choices: &mut Choices, n: usize) -> Piece {
    let mut piece = of_precisions("macros that are numbers with a fraction", n)
        .given(n, &[0, 0x7fc0_0000])
        .gives("sizeof(INFINITY) + sizeof(NAN) + sizeof(HUGE_VALF)", 12)
        .gives("isnan(NAN)", 1)
        .gives(format!("ilogb(as_float({})) == FP_ILOGB0", given(n, 0)), 1)
        .gives(
            format!("ilogb(as_float({})) == FP_ILOGBNAN", given(n, 1)),
            1,
        )
        .gives("FP_ILOGB0 == INT_MIN || FP_ILOGB0 == -INT_MAX", 1)
        .gives("FP_ILOGBNAN == INT_MIN || FP_ILOGBNAN == INT_MAX", 1);
    for _ in 0..3 {
        let (name, bits) = choices.one_of(&BITS);
        piece = piece.gives(format!("as_int({name})"), bits);
        let (name, number) = choices.one_of(&DOUBLES);
        piece = perhaps(piece, "WIDE", n, name, number);
        let (name, number) = choices.one_of(&HALVES);
        piece = perhaps(piece, "SHORT", n, name, number);
        let (name, number) = choices.one_of(&MATHEMATICAL);
        let bits = (number as f32).to_bits();
        piece = piece.gives(
            format!("abs(as_int({name}_F) - {bits:#x}) <= 1u && sizeof({name}_F) == 4"),
            1,
        );
        let bits = Format::Half.bits(Format::Half.nearest(number));
        let what = format!("(abs(as_short({name}_H) - {bits:#x}) <= 1u && sizeof({name}_H) == 2)");
        piece = perhaps(piece, "SHORT", n, &what, 1);
        let bits = number.to_bits();
        let what = format!("(abs(as_long({name}) - {bits:#x}L) <= 1ul && sizeof({name}) == 8)");
        piece = perhaps(piece, "WIDE", n, &what, 1);
    }
    let what = "as_long(HUGE_VAL)";
    perhaps(piece, "WIDE", n, what, f64::INFINITY.to_bits() as i64)
}

/// Macros that are there before a text begins.
pub(super) fn predefined(_: &mut Choices, n: usize) -> Piece {
    Piece::about("predefined macros")
        .given(n, &[1])
        .where_defined(&format!("little{n}"), "__ENDIAN_LITTLE__", "0")
        .inside(format!("int one{n} = {};", given(n, 0)))
        .gives(format!("little{n} == *(uchar *)&one{n}"), 1)
        .gives("CL_VERSION_1_0 + CL_VERSION_1_1 + CL_VERSION_1_2", 330)
}

/// Products that are added to something where `FP_CONTRACT` is off: each operation is rounded.
pub(super) fn contracted(choices: &mut Choices, n: usize) -> Piece {
    // The square of 1 + 2^-k has a last bit that no float keeps, and that is all there is when the others are taken away.
    let k = choices.between(12, 20) as i32;
    let x = 1.0 + 2f32.powi(-k);
    let square = x * x;
    let bits = [x, -square, square].map(|number| number.to_bits() as i32);
    let [x, less, more] = [0, 1, 2].map(|which| format!("as_float({})", given(n, which)));
    Piece::about("products that are added")
        .given(n, &bits)
        .before("#pragma OPENCL FP_CONTRACT OFF")
        .before(format!(
            "static float added{n}(float x, float y, float z) {{ return x * y + z; }}"
        ))
        .where_defined(&format!("fast{n}"), "FP_FAST_FMAF", "1")
        .inside(format!("float2 both{n} = (float2)({x}, {x});"))
        .gives(format!("as_int(added{n}({x}, {x}, {less}))"), 0)
        .gives(format!("as_int({less} + {x} * {x})"), 0)
        .gives(format!("as_int({more} - {x} * {x})"), 0)
        .gives(format!("as_int((both{n} * both{n}.yx - {more}).y)"), 0)
        .gives(format!("fast{n}"), 1)
}

/// `bool`: what is not zero becomes one, and of a vector all bits of each component.
pub(super) fn truths(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.one_of(&[0, 1, 5, 256, -1, 65_536, i32::MIN]);
    let real = choices.one_of(&[0.25f32, 0.0, -0.0, 3e10, f32::NAN]);
    // As an integer it would be zero.
    let part = choices.one_of(&[0.25f32, -0.75, 1e-30, 0.999]);
    let truth = i64::from(number != 0);
    let real_truth = i64::from(real != 0.0);
    let [a, b, c] = [0, 1, 2].map(|which| given(n, which));
    let reals = [real, part].map(|real| real.to_bits() as i32);
    Piece::about("bool")
        .given(n, &[number, reals[0], reals[1]])
        .before(format!("static bool same{n}(bool of) {{ return of; }}"))
        .before(format!(
            "static int sum{n}(bool x, bool y) {{ return x + y; }}"
        ))
        .inside(format!("bool whole{n} = {a}, real{n} = as_float({b});"))
        .gives(format!("(bool){a}"), truth)
        .gives(format!("whole{n} * 10 + real{n}"), 10 * truth + real_truth)
        .gives(format!("(bool)as_float({b})"), real_truth)
        .gives(format!("(bool)as_float({c}) + same{n}(as_float({c}))"), 2)
        .gives(format!("(long)(bool)({a} * 0x100000000L)"), truth)
        .gives(format!("same{n}({a}) + sum{n}({a}, {a} * 256L)"), 3 * truth)
        .gives(format!("-whole{n} + (whole{n} == 1)"), 0)
        .gives(format!("((uchar4)(bool){a}).s2"), 255 * truth)
        .gives(format!("((int2)whole{n}).y"), -truth)
        .gives(format!("((long3)(bool)({a} != 0)).z"), -truth)
}

/// Objects that are `bool`: what is assigned to one is zero or one, whatever type computed it (C99 6.3.1.2, 6.5.16).
pub(super) fn truth_objects(choices: &mut Choices, n: usize) -> Piece {
    let number = choices.one_of(&[0, 2, 256, -1, i32::MIN]);
    let real = choices.one_of(&[0.25f32, 0.0, -0.0, 3e10, f32::NAN]);
    let start = choices.below(2) as i32;
    let [truth, started] = [number, start].map(|number| i64::from(number != 0));
    let real_truth = i64::from(real != 0.0);
    let [a, b, c] = [0, 1, 2].map(|which| given(n, which));
    let seen = format!("set{n}[0] + 2 * set{n}[1] + 4 * set{n}[2] + 8 * set{n}[3]");
    let held =
        format!("held{n}.one + 2 * held{n}.all[0] + 4 * held{n}.all[1] + 8 * held{n}.all[2]");
    Piece::about("bool objects")
        .given(n, &[number, real.to_bits() as i32, start])
        .before(format!(
            "struct truths{n} {{ uchar before; bool one, all[3]; uchar after; }};"
        ))
        .inside(format!(
            "bool set{n}[4] = {{ {a}, as_float({b}), {a} * 0x100000000L, 0.5f }};"
        ))
        .inside(format!(
            "struct truths{n} held{n} = {{ 7, as_float({b}), {{ {c}, {a} }}, 9 }};"
        ))
        .inside(format!(
            "bool or{n} = {c}, sum{n} = {c}, product{n} = {c}, difference{n} = {c};"
        ))
        .inside(format!(
            "bool and{n} = {c}, left{n} = {c}, right{n} = {c}, *at{n} = set{n} + 1;"
        ))
        .inside(format!(
            "or{n} |= {a}; sum{n} += {a} | 2; product{n} *= 0.5f; difference{n} -= 5;"
        ))
        .inside(format!("and{n} &= 2; left{n} <<= 3; right{n} >>= 1;"))
        .inside(format!("int before{n} = {seen}, held_before{n} = {held};"))
        .inside(format!(
            "*at{n} = {a} * 0x100000000L; at{n}[1] = as_float({b}); at{n}[2] -= 1;"
        ))
        .inside(format!(
            "held{n}.one += as_float({b}); held{n}.all[1] |= 4; held{n}.all[2] = 256;"
        ))
        .gives(format!("before{n}"), truth * 5 + real_truth * 2 + 8)
        .gives(
            format!("held_before{n}"),
            real_truth + started * 2 + truth * 4,
        )
        .gives(seen, truth * 3 + real_truth * 4)
        .gives(held, real_truth + started * 2 + 12)
        .gives(format!("or{n}"), truth | started)
        .gives(
            format!("sum{n}"),
            i64::from((number | 2).wrapping_add(start) != 0),
        )
        .gives(format!("product{n} + 10 * difference{n}"), started + 10)
        .gives(
            format!("and{n} + 10 * left{n} + 100 * right{n}"),
            10 * started,
        )
        .gives(format!("(set{n}[0] = {a} | 2) + 1"), 2)
        .gives(format!("held{n}.before * 10 + held{n}.after"), 79)
}

/// Operands of several types: "a common real type" is that of the greater rank, which is any with a fraction beside an
/// integer (OpenCL C "Usual Arithmetic Conversions", C99 6.3.1.8). All numbers are exact.
pub(super) fn mixed(choices: &mut Choices, n: usize) -> Piece {
    let a = 2 * choices.between(1, 49) as i32 + 1;
    let real = choices.between(1, 60) as f32 + 0.5;
    let which = choices.below(2) as i32;
    let (whole, twice) = (i64::from(a), (2.0 * real) as i64);
    let chosen = |yes: i64, no: i64| if which == 1 { yes } else { no };
    let [a0, b0, c0, d0] = [0, 1, 2, 3].map(|which| given(n, which));
    let wide = |number: f64| number.to_bits() as i64;
    let piece = of_precisions("operands of several types", n)
        .given(n, &[a, real.to_bits() as i32, which, -a])
        .inside(format!("float x{n} = as_float({b0}), y{n} = x{n};"))
        .inside(format!("char small{n} = (char){a0}; long wide{n} = {a0};"))
        .inside(format!(
            "y{n} += {a0}; y{n} *= (uchar)2; y{n} -= wide{n}; y{n} /= 4L;"
        ))
        .gives(
            format!("sizeof(wide{n} + x{n}) + sizeof(small{n} * x{n}) + sizeof(1ul - x{n})"),
            12,
        )
        .gives(
            format!("sizeof({c0} ? 1 : x{n}) + sizeof({c0} ? x{n} : wide{n})"),
            8,
        )
        .gives(format!("({a0} + x{n}) * 2"), 2 * whole + twice)
        .gives(format!("((uint){a0} - x{n}) * 2"), 2 * whole - twice)
        .gives(format!("wide{n} / 4.0f * 4"), whole)
        .gives(format!("small{n} / 2.0f * 2"), whole)
        .gives(format!("y{n} * 4"), whole + twice)
        .gives(
            format!("({c0} ? small{n} : x{n}) / 2 * 4"),
            chosen(2 * whole, twice),
        )
        .gives(
            format!("({c0} ? x{n} : wide{n}) / 2 * 4"),
            chosen(twice, 2 * whole),
        )
        .gives(
            format!(
                "({d0} < x{n}) + 2 * (small{n} > 0.5f) + 4 * (x{n} == wide{n}) + 8 * (0.5f < 1u)"
            ),
            11,
        );
    let float = f64::from(real);
    let long = [
        (
            format!("sizeof(x{n} + 1.0) + sizeof(wide{n} * 1.0) + sizeof({c0} ? x{n} : 1.0)"),
            24,
        ),
        (
            format!("as_long(x{n} + 0x1.0000001p0)"),
            wide(float + libm::ldexp(268_435_457.0, -28)),
        ),
        (
            format!("as_long(small{n} * 0x1.0000001p0)"),
            wide(f64::from(a) * libm::ldexp(268_435_457.0, -28)),
        ),
        (
            format!("as_long({c0} ? small{n} : 0x1.8p0)"),
            chosen(wide(a.into()), wide(1.5)),
        ),
        (
            format!("as_long({c0} ? x{n} : 0x1.0000001p0)"),
            chosen(wide(float), wide(libm::ldexp(268_435_457.0, -28))),
        ),
        (format!("(x{n} == x{n} + 0x1p-30)"), 0),
    ];
    let piece = long.iter().fold(piece, |piece, (what, right)| {
        perhaps(piece, "WIDE", n, what, *right)
    });
    let half = Format::Half.bits(f64::from(a * 3)) as i64;
    let short = [
        (
            format!("(sizeof((half)1 * wide{n}) + sizeof((half)1 + x{n}))"),
            6,
        ),
        (format!("as_short((half)small{n} * 3)"), half),
        (
            format!("(({c0} ? (half)2.5f : {a0}) * 2)"),
            chosen(5, 2 * whole),
        ),
        (
            format!("as_int((half)1.5f + x{n})"),
            i64::from((real + 1.5).to_bits()),
        ),
    ];
    short.iter().fold(piece, |piece, (what, right)| {
        perhaps(piece, "SHORT", n, what, *right)
    })
}

/// Constants of each precision. Hexadecimal ones are rounded correctly, decimal ones to a neighbour of the nearest number at
/// worst (C99 6.4.4.2).
pub(super) fn precisions(choices: &mut Choices, n: usize) -> Piece {
    let mut piece = of_precisions("constants of each precision", n);
    for _ in 0..3 {
        // Halfway between two numbers, or beside that: of 32 bits behind the point a float has 23.
        let digits = (choices.below(1 << 23) as u64) << 9 | 0xff;
        let digits = digits + choices.below(3) as u64;
        let exponent = choices.below(9) as i32;
        let text = format!("0x1.{digits:08x}p{exponent}");
        let number = libm::ldexp(1.0 + digits as f64 / libm::ldexp(1.0, 32), exponent);
        let bits = (number as f32).to_bits();
        piece = piece.gives(format!("as_int({text}f)"), bits.into());
    }
    for _ in 0..3 {
        let bits = 0x3f80_0000 + choices.below(1 << 25) as u32;
        let number = f64::from(f32::from_bits(bits));
        let text = format!("{:.*}", choices.between(8, 40), number);
        piece = piece.gives(format!("abs(as_int({text}f) - {bits:#x}) <= 1u"), 1);
    }
    let tenths = choices.below(1000);
    let text = format!("{}.{}", tenths / 10, tenths % 10);
    let bits = text.parse().map_or(0, f64::to_bits);
    let what = format!("(abs(as_long({text}) - {bits:#x}L) <= 1ul)");
    piece = perhaps(piece, "WIDE", n, &what, 1);
    for (what, right) in [
        ("sizeof(1.0) + sizeof(1.0f * 1.0)", 16),
        ("as_long(0x1.8p-1022)", 0x0018_0000_0000_0000),
        ("as_long(0x1.00000000000008p0)", 0x3ff0_0000_0000_0000),
        ("as_long(0x1.00000000000018p0)", 0x3ff0_0000_0000_0002),
    ] {
        piece = perhaps(piece, "WIDE", n, what, right);
    }
    for (what, right) in [
        ("sizeof(1.0h)", 2),
        ("as_short(0x1.8p1h)", 0x4200),
        ("as_short(0x1.002p0h)", 0x3c00),
        ("as_short(-0.5h)", i64::from(0xb800u16 as i16)),
    ] {
        piece = perhaps(piece, "SHORT", n, what, right);
    }
    piece
}

/// Hints, of which none changes what a text does.
pub(super) fn hints(choices: &mut Choices, n: usize) -> Piece {
    let turns = choices.between(1, 23) as i32;
    let number = choices.between(1, 999) as i32;
    let mut factor = || choices.one_of(&["(1)", "", "(2)", "(3)", "(4)", "(8)"]);
    let unroll = [(); 3].map(|()| format!("UNROLL{n}({})", factor()));
    let [turns0, number0] = [0, 1].map(|which| given(n, which));
    let all = i64::from(turns) * i64::from(turns - 1) / 2;
    Piece::about("hints")
        .given(n, &[turns, number])
        .before("#if __OPENCL_C_VERSION__ >= 200")
        .before(format!("#define UNROLL{n}(factor) __attribute__((opencl_unroll_hint factor))"))
        .before("#else")
        .before(format!("#define UNROLL{n}(factor)"))
        .before("#endif")
        .before(format!(
            "__kernel __attribute__((work_group_size_hint(16, 2, 1))) __attribute__((vec_type_hint(int4))) void hinted{n}(__global long *to, int of) {{ *to = of * 3L; }}"
        ))
        .before(format!(
            "kernel_exec(8, float4) void executed{n}(global long *restrict to) {{ *to += 5; }}"
        ))
        .before(format!(
            "static inline int volatile_sum{n}(int const volatile *at, int const of) {{ return *at + of; }}"
        ))
        .inside(format!("int up{n} = 0, down{n} = {turns0}, sum{n} = 0, all{n} = 0;"))
        .inside(format!("{} for (int i = 0; i < {turns0}; ++i) {{ if (i == {number0}) continue; up{n} += i; }}", unroll[0]))
        .inside(format!("{} while (down{n} > 0) {{ --down{n}; sum{n} += down{n}; }}", unroll[1]))
        .inside("mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_GLOBAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE);")
        .inside(format!("{} do all{n} += down{n}; while (++down{n} < {turns0});", unroll[2]))
        .inside(format!(
            "long kept{n} = *out; hinted{n}(out, {number0}); executed{n}(out); long left{n} = *out; *out = kept{n};"
        ))
        .gives(
            format!("up{n}"),
            all - if number < turns { i64::from(number) } else { 0 },
        )
        .gives(format!("sum{n}"), all)
        .gives(format!("all{n}"), all)
        .gives(format!("left{n}"), i64::from(number) * 3 + 5)
        .gives(format!("volatile_sum{n}(&sum{n}, {number0})"), all + i64::from(number))
}
