use super::format::{FORMATS, Format, Mode};
use super::functions::{FUNCTIONS, Function, Given};
use super::*;
use crate::choices::Choices;

fn named(name: &str) -> &'static Function {
    let mut all = FUNCTIONS.iter();
    all.find(|function| function.name == name)
        .expect("it is in the table")
}

fn given(format: Format, numbers: &[f64], n: i32) -> Given {
    Given {
        format,
        of: numbers.iter().map(|x| vec![*x]).collect(),
        n,
        lane: 0,
    }
}

fn wanted(name: &str, numbers: &[f64], n: i32) -> Bounds {
    let function = named(name);
    let ulps = (function.ulps)(Format::Float, 1.0).expect("it is of floats");
    bounds(
        Format::Float,
        ulps,
        (function.of)(&given(Format::Float, numbers, n)),
    )
}

/// Whether a float is right.
fn takes(right: Bounds, x: f32) -> bool {
    let key = Format::Float.key(x.into());
    match x.is_nan() {
        true => right.nan,
        false => right.zero && x == 0.0 || (right.low..=right.high).contains(&key),
    }
}

#[test]
fn bits_and_numbers_are_those_of_the_types() {
    let mut choices = Choices::new(1);
    for _ in 0..20_000 {
        let bits = choices.below(1 << 32) as u32;
        let long = (u64::from(bits) << 32) | choices.below(1 << 32) as u64;
        let (single, double) = (f32::from_bits(bits), f64::from_bits(long));
        for (format, bits, number) in [
            (Format::Float, u64::from(bits), f64::from(single)),
            (Format::Double, long, double),
        ] {
            let same = format.number(bits);
            assert!(
                same == number || same.is_nan() && number.is_nan(),
                "{bits:#x}"
            );
            if !number.is_nan() {
                assert_eq!(format.bits(number), bits, "{bits:#x}");
                assert_eq!(format.at(format.key(number)).to_bits(), number.to_bits());
            }
        }
    }
    // All of them, of the smallest format.
    let mut last = f64::NEG_INFINITY;
    let all = (-0x7c01..=0x7c00).map(|key| Format::Half.at(key));
    for (n, x) in all.enumerate().skip(1) {
        assert!(x >= last, "{n}");
        assert_eq!(Format::Half.number(Format::Half.bits(x)), x);
        last = x;
    }
    assert_eq!(Format::Half.greatest(), 65504.0);
    assert_eq!(Format::Float.greatest(), f32::MAX.into());
    assert_eq!(Format::Double.greatest(), f64::MAX);
    assert_eq!(Format::Float.epsilon(), f32::EPSILON.into());
    for format in FORMATS {
        assert!(format.subnormal(format.at(1)) && !format.subnormal(format.least_normal()));
    }
}

#[test]
fn rounding_is_that_of_the_type_and_its_neighbours_are_on_either_side() {
    let mut choices = Choices::new(2);
    let mut random = || {
        let long = (choices.below(1 << 32) as u64) << 32 | choices.below(1 << 32) as u64;
        // Of the sizes of floats and a little beyond.
        let exponent = 860 + choices.below(320) as u64;
        f64::from_bits(long >> 63 << 63 | exponent << 52 | long & ((1 << 52) - 1))
    };
    for _ in 0..20_000 {
        let value = random();
        let format = Format::Float;
        assert_eq!(format.nearest(value), f64::from(value as f32), "{value:e}");
        let (low, high) = (format.down(value), format.up(value));
        assert!(
            low <= value && value <= high || value.abs() > f32::MAX.into(),
            "{value:e}"
        );
        let apart = format.key(high) - format.key(low);
        assert!(
            apart == i64::from(low != high) || value.abs() > f32::MAX.into(),
            "{value:e}"
        );
        assert!([low, high].contains(&format.nearest(value)) || value.abs() > f32::MAX.into());
    }
    // An infinity counts as the number after the greatest one.
    let format = Format::Float;
    let next = 2f64.powi(128);
    assert_eq!(format.up(f64::from(f32::MAX) + 1e30), f64::INFINITY);
    assert_eq!(format.down(next.next_down()), f32::MAX.into());
    assert_eq!(format.down(next), f64::INFINITY);
    assert_eq!(format.up(-next.next_down()), -f64::from(f32::MAX));
    assert_eq!(format.up(-next), f64::NEG_INFINITY);
    assert_eq!(format.down(-f64::from(f32::MAX) - 1e30), f64::NEG_INFINITY);
    assert_eq!(Format::Half.nearest(65_520.0), f64::INFINITY);
    assert_eq!(Format::Half.nearest(65_519.9), 65_504.0);
    assert_eq!(Format::Half.nearest(2f64.powi(-25)), 0.0);
    assert_eq!(Format::Half.nearest(1.5 * 2f64.powi(-25)), 2f64.powi(-24));
}

#[test]
fn what_is_prescribed_is_right_and_nothing_else() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let rows: &[(&str, &[f64], i32, f64)] = &[
        ("acosh", &[-3e38], 0, nan),
        ("acospi", &[1.0], 0, 0.0),
        ("acospi", &[1.5], 0, nan),
        ("asinpi", &[-0.0], 0, -0.0),
        ("atan2pi", &[0.0, 1.0], 0, 0.0),
        ("ceil", &[-0.5], 0, -0.0),
        ("cospi", &[0.0], 0, 1.0),
        ("cospi", &[2.5], 0, 0.0),
        ("cospi", &[-3.5], 0, 0.0),
        ("cospi", &[inf], 0, nan),
        ("exp10", &[-inf], 0, 0.0),
        ("fdim", &[nan, 1.0], 0, nan),
        ("fdim", &[inf, inf], 0, 0.0),
        ("fmod", &[0.0, nan], 0, nan),
        ("fmod", &[-0.0, 3.0], 0, -0.0),
        ("fract", &[nan], 0, nan),
        ("fract", &[-0.0], 0, -0.0),
        ("fract", &[-inf], 0, -0.0),
        ("frexp", &[inf], 0, inf),
        ("modf", &[-inf], 0, -0.0),
        ("pow", &[0.0, -inf], 0, inf),
        ("pow", &[-1.0, inf], 0, 1.0),
        ("pow", &[nan, 0.0], 0, 1.0),
        ("pow", &[-8.0, 0.5], 0, nan),
        ("pown", &[nan], 0, 1.0),
        ("pown", &[-0.0], -3, -inf),
        ("pown", &[-0.0], -2, inf),
        ("pown", &[-0.0], 3, -0.0),
        ("powr", &[0.0, 0.0], 0, nan),
        ("powr", &[inf, 0.0], 0, nan),
        ("powr", &[1.0, inf], 0, nan),
        ("powr", &[-0.0, -2.0], 0, inf),
        ("powr", &[-2.0, 2.0], 0, nan),
        ("powr", &[nan, 0.0], 0, nan),
        ("remquo", &[inf, 2.0], 0, nan),
        ("rint", &[-0.5], 0, -0.0),
        ("rint", &[2.5], 0, 2.0),
        ("rootn", &[-0.0], -3, -inf),
        ("rootn", &[-0.0], -2, inf),
        ("rootn", &[-0.0], 2, 0.0),
        ("rootn", &[-0.0], 3, -0.0),
        ("rootn", &[-8.0], 2, nan),
        ("rootn", &[8.0], 0, nan),
        ("round", &[-0.25], 0, -0.0),
        ("round", &[-2.5], 0, -3.0),
        ("sign", &[-0.0], 0, -0.0),
        ("sign", &[nan], 0, 0.0),
        ("sinpi", &[-2.0], 0, -0.0),
        ("sinpi", &[7.0], 0, 0.0),
        ("sinpi", &[-inf], 0, nan),
        ("tanpi", &[-0.0], 0, -0.0),
        ("tanpi", &[2.0], 0, 0.0),
        ("tanpi", &[3.0], 0, -0.0),
        ("tanpi", &[-3.0], 0, 0.0),
        ("tanpi", &[0.5], 0, inf),
        ("tanpi", &[1.5], 0, -inf),
        ("tanpi", &[-0.5], 0, -inf),
        ("tanpi", &[-1.5], 0, inf),
        ("tgamma", &[-2.0], 0, nan),
        ("tgamma", &[-0.0], 0, -inf),
        ("log1p", &[-1.0], 0, -inf),
        ("logb", &[0.0], 0, -inf),
        ("atanh", &[-1.0], 0, -inf),
        ("hypot", &[nan, inf], 0, inf),
        ("maxmag", &[-3.0, 2.0], 0, -3.0),
        ("maxmag", &[nan, 2.0], 0, 2.0),
        ("nextafter", &[1.0, 2.0], 0, 1.0 + f32::EPSILON as f64),
        ("ldexp", &[1.5], 3, 12.0),
        ("step", &[1.0, 1.0], 0, 1.0),
        ("lgamma", &[1.0], 0, 0.0),
        ("lgamma", &[2.0], 0, 0.0),
        ("lgamma", &[-3.0], 0, inf),
        ("lgamma", &[-0.0], 0, inf),
        ("lgamma", &[-inf], 0, inf),
        ("lgamma", &[nan], 0, nan),
        ("nan", &[1.0], 0, nan),
        ("half_exp", &[-inf], 0, 0.0),
        ("half_exp2", &[-0.0], 0, 1.0),
        ("half_log", &[-0.0], 0, -inf),
        ("half_log10", &[1.0], 0, 0.0),
        ("half_log2", &[-2.0], 0, nan),
        ("half_sqrt", &[-0.0], 0, -0.0),
        ("half_powr", &[nan, 0.0], 0, nan),
        ("half_sin", &[-0.0], 0, -0.0),
    ];
    for (name, numbers, n, exact) in rows {
        let right = wanted(name, numbers, *n);
        assert_eq!(
            right,
            exactly(Format::Float, *exact),
            "{name} {numbers:?} {n}"
        );
    }
}

#[test]
fn stored_numbers_are_those_of_the_text() {
    let stored =
        |name: &str, numbers: &[f64]| (named(name).stored)(&given(Format::Float, numbers, 0));
    assert_eq!(stored("fract", &[-1.25]), Gives::Exactly(-2.0));
    assert_eq!(stored("modf", &[-1.25]), Gives::Exactly(-1.0));
    assert_eq!(stored("frexp", &[12.0]), Gives::Exactly(4.0));
    assert_eq!(stored("frexp", &[f64::NAN]), Gives::Exactly(0.0));
    assert_eq!(stored("remquo", &[7.0, -2.0]), Gives::Exactly(-4.0));
    assert_eq!(
        stored("remquo", &[1000.0, 3.0]),
        Gives::Exactly(f64::from(333 % 128))
    );
    assert_eq!(stored("sincos", &[0.0]), Gives::Exactly(1.0));
    // Γ(-1/2) is negative, Γ(-3/2) positive, and Γ(-1) has no sign.
    for (x, sign) in [
        (-0.5, -1.0),
        (-1.5, 1.0),
        (-1.0, 0.0),
        (0.0, 0.0),
        (0.5, 1.0),
    ] {
        assert_eq!(stored("lgamma_r", &[x]), Gives::Exactly(sign), "{x}");
    }
}

#[test]
fn an_error_of_so_many_units_is_right_and_one_more_is_wrong() {
    // log(2) lies between two floats, of which the nearer is first.
    let right = wanted("log", &[2.0], 0);
    let nearest = (2f64.ln()) as f32;
    for n in 0..3 {
        let off = |n: u32| f32::from_bits(nearest.to_bits() + n);
        assert!(takes(right, off(n)), "{n}");
    }
    assert!(!takes(right, f32::from_bits(nearest.to_bits() + 4)));
    assert!(!takes(right, f32::from_bits(nearest.to_bits() - 4)));
    // A value that is too small for a normal number may be zero.
    assert!(takes(wanted("exp", &[-90.0], 0), 0.0));
    assert!(takes(wanted("exp", &[-200.0], 0), 0.0));
    assert!(!takes(wanted("exp", &[-80.0], 0), 0.0));
    // One that is too large for any is infinite; what is nearly so may be.
    assert!(takes(wanted("exp", &[100.0], 0), f32::INFINITY));
    assert!(!takes(wanted("exp", &[88.0], 0), f32::INFINITY));
    assert!(takes(
        wanted("length", &[f64::from(f32::MAX)], 0),
        f32::INFINITY
    ));
}

#[test]
fn lengths_neither_overflow_nor_vanish() {
    for exponent in [-99, -70, 0, 70, 120] {
        let vector: Vec<f64> = [3.0, -4.0]
            .iter()
            .map(|x| libm::ldexp(*x, exponent))
            .collect();
        let given = Given {
            format: Format::Float,
            of: vec![vector],
            n: 0,
            lane: 1,
        };
        let length = (named("length").of)(&given);
        assert_eq!(length, Gives::Near(libm::ldexp(5.0, exponent)));
        assert_eq!((named("normalize").of)(&given), Gives::Near(-0.8));
    }
}

#[test]
fn a_sign_before_a_number_makes_another_one_and_nothing_is_lost() {
    for (name, x, right) in [("-", 0.0, -0.0), ("-", -1.5, 1.5), ("+", -0.0, -0.0)] {
        let mut all = FUNCTIONS.iter();
        let function = all
            .find(|function| function.name == name && function.takes.len() == 1)
            .expect("it is in the table");
        for format in FORMATS {
            let gives = (function.of)(&given(format, &[x], 0));
            assert_eq!((function.ulps)(format, 1.0), Some(0.0));
            let bounds = bounds(format, 0.0, gives);
            assert_eq!([bounds.low, bounds.high], [format.key(right); 2]);
            assert!(!bounds.zero, "{name}{x}");
        }
    }
}

#[test]
fn vectors_with_infinities_point_to_them() {
    let inf = f64::INFINITY;
    let normal = |vector: &[f64], lane: usize| {
        (named("normalize").of)(&Given {
            format: Format::Float,
            of: vec![vector.to_vec()],
            n: 0,
            lane,
        })
    };
    assert_eq!(normal(&[-inf, 3.0], 0), Gives::Near(-1.0));
    assert_eq!(normal(&[-inf, 3.0], 1), Gives::Near(0.0));
    assert_eq!(
        normal(&[3.0, inf, -inf], 2),
        Gives::Near(-1.0 / 2f64.sqrt())
    );
    let Gives::Exactly(nan) = normal(&[inf, f64::NAN], 0) else {
        panic!("a NaN")
    };
    assert!(nan.is_nan());
}

#[test]
fn numbers_beyond_a_format_are_rounded_each_way() {
    let (half, float) = (Format::Half, Format::Float);
    let inf = f64::INFINITY;
    for (format, x) in [(float, 1e300), (half, 65536.0), (half, 1e9)] {
        let most = format.greatest();
        for (mode, above, below) in [
            (Mode::Default, inf, -inf),
            (Mode::Zero, most, -most),
            (Mode::Up, inf, -most),
            (Mode::Down, most, -inf),
        ] {
            assert_eq!(format.rounded(x, mode), above, "{x} {mode:?}");
            assert_eq!(format.rounded(-x, mode), below, "-{x} {mode:?}");
        }
    }
    assert_eq!(half.of_integer(-(1 << 40), Mode::Zero), -65504.0);
    assert_eq!(half.rounded(inf, Mode::Zero), inf);
    assert_eq!(half.rounded(1e-300, Mode::Up), libm::ldexp(1.0, -24));
    assert_eq!(half.rounded(-1e-300, Mode::Default), 0.0);
    assert!(float.rounded(f64::NAN, Mode::Zero).is_nan());
    // A fraction of all ones is cut, not rounded.
    let ones = f64::from_bits(!0);
    assert_eq!(half.bits(ones), 0xffff);
    assert_eq!(float.bits(-ones), 0x7fff_ffff);
}

#[test]
fn functions_of_the_host_are_near_enough() {
    // Another library's functions of the same names, within half a unit and a little.
    type Host = fn(f32) -> f32;
    let rows: &[(&str, Host)] = &[
        ("acos", f32::acos),
        ("atan", f32::atan),
        ("cbrt", f32::cbrt),
        ("cos", f32::cos),
        ("exp", f32::exp),
        ("exp2", f32::exp2),
        ("expm1", f32::exp_m1),
        ("floor", f32::floor),
        ("log", f32::ln),
        ("log2", f32::log2),
        ("log10", f32::log10),
        ("round", f32::round),
        ("rint", f32::round_ties_even),
        ("sin", f32::sin),
        ("sqrt", f32::sqrt),
        ("tan", f32::tan),
        ("trunc", f32::trunc),
    ];
    let mut choices = Choices::new(3);
    for _ in 0..2_000 {
        let x = f32::from_bits(choices.below(1 << 32) as u32);
        for (name, host) in rows {
            if !x.is_subnormal() {
                let right = wanted(name, &[x.into()], 0);
                assert!(
                    takes(right, host(x)),
                    "{name}({x:e}) is {:e}, not {right:?}",
                    host(x)
                );
            }
        }
    }
}

#[test]
fn integers_are_rounded_once_and_each_way() {
    // 2^24 + 1 lies halfway between two floats, and a little more above it does not.
    let tie = (1 << 24) + 1;
    assert_eq!(
        Format::Float.of_integer(tie, Mode::Even),
        f64::from(1 << 24)
    );
    assert_eq!(
        Format::Float.of_integer(tie, Mode::Up),
        f64::from((1 << 24) + 2)
    );
    let more = (i128::from(tie as i32) << 38) + 1;
    let above = libm::ldexp(f64::from((1 << 24) + 2), 38);
    assert_eq!(Format::Float.of_integer(more, Mode::Even), above);
    assert_eq!(Format::Float.of_integer(-more, Mode::Default), -above);
    let long = (1 << 62) + 1;
    assert_eq!(
        Format::Double.of_integer(long, Mode::Even),
        libm::ldexp(1.0, 62)
    );
    assert_eq!(
        Format::Double.of_integer(long, Mode::Up),
        libm::ldexp(1.0, 62).next_up()
    );
    assert_eq!(
        Format::Double.of_integer(-long, Mode::Zero),
        -libm::ldexp(1.0, 62)
    );
    assert_eq!(
        Format::Double.of_integer(-long, Mode::Down),
        (-libm::ldexp(1.0, 62)).next_down()
    );
    for n in [
        0i128,
        1,
        -7,
        16_777_217,
        123_456_789_012,
        (1 << 63) - 1,
        -(1 << 63),
    ] {
        assert_eq!(
            Format::Float.of_integer(n, Mode::Even),
            f64::from(n as f32),
            "{n}"
        );
    }
}

#[test]
fn a_sum_of_halves_is_rounded_once() {
    let fma = |x, y, z| {
        let numbers = [x, y, z];
        match (named("fma").of)(&given(Format::Half, &numbers, 0)) {
            Gives::Exactly(value) => Format::Half.nearest(value),
            other => panic!("{other:?}"),
        }
    };
    // 2049 lies between two halves; what is added says which is the nearer one.
    let tie = 2049.0;
    let little = 2f64.powi(-24);
    assert_eq!(fma(683.0, 3.0, little), 2050.0);
    assert_eq!(fma(683.0, 3.0, -little), 2048.0);
    assert_eq!(683.0 * 3.0, tie);
    assert_eq!(fma(-683.0, 3.0, -little), -2050.0);
    assert_eq!(fma(2.0, 3.0, 4.0), 10.0);
    // More bits than an f64 has.
    assert_eq!(fma(60_000.0, 61_440.0, little), f64::INFINITY);
    assert!(fma(f64::INFINITY, 0.0, 1.0).is_nan());
}

#[test]
fn roots_of_doubles_are_known_well() {
    let root = |x: f64, n: i32| match (named("rootn").of)(&given(Format::Double, &[x], n)) {
        Gives::Near(value) | Gives::Exactly(value) => value,
        other => panic!("{other:?}"),
    };
    for (base, n) in [
        (1.0e100, 3),
        (7.5e-61, 5),
        (3.0, 600),
        (1.0e-20, 15),
        (2.5e7, -41),
    ] {
        // A power is wrong by a unit of the last place, of which little is left in the root.
        let power = libm::pow(base, f64::from(n));
        let found = root(power, n);
        assert!(
            (found - base).abs() <= 2.0 * base * f64::EPSILON,
            "{base} {n}: {found}"
        );
    }
    // By logarithms with sixty digits.
    let least = f64::MIN_POSITIVE;
    for (x, n, bits) in [
        (least, -10, 0x4652_6111_86ba_e675_u64),
        (least, -13, 0x44d8_82ef_27b5_48bc),
        (5e-324, 3, 0x2990_0000_0000_0000),
        (5e-324, i32::MAX, 0x3fef_ffff_45e3_d7f8),
        (f64::MAX, i32::MIN, 0x3fef_ffff_4e8d_e9f4),
    ] {
        let off = root(x, n).to_bits().abs_diff(bits);
        assert!(off <= 2, "{x} {n}: {off}");
    }
}
