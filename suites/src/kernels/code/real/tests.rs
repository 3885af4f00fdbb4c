//! What functions of `float`s give.

use super::super::judged::{Relation, Truth};
use super::super::number::*;
use super::*;

fn compare(comparison: Comparison) -> Real {
    Real::Judged(Format::Float, Judged::Compare(comparison))
}

fn relation(relation: Relation) -> Real {
    Real::Judged(Format::Float, Judged::Relation(relation))
}

fn of(function: Real, numbers: &[u64]) -> Option<u64> {
    let arguments: Vec<Value> = numbers.iter().map(|n| UINT.scalar().each(|_| *n)).collect();
    let long = |n: &u64| ULONG.scalar().each(|_| *n);
    let arguments = match function {
        Real::From(..) => numbers.iter().map(long).collect(),
        _ => arguments,
    };
    Some(function.of(1, &arguments)?[0])
}

fn bits(x: f32) -> u64 {
    x.to_bits().into()
}

/// "compares unequal to 0": no zero holds, whatever its sign; a NaN does.
#[test]
fn zeros_of_either_sign_are_false() {
    let truth = |of, x: f32, y: f32| {
        let numbers = [bits(x), bits(y)];
        let judged = Judged::Truth(of);
        let count = judged.types(Format::Float, 1).0.len();
        super::tests::of(Real::Judged(Format::Float, judged), &numbers[..count])
    };
    for (x, holds) in [(0.0, 0), (-0.0, 0), (f32::NAN, 1), (-1.5, 1)] {
        assert_eq!(truth(Truth::Twice, x, 0.0), Some(holds), "{x}");
        assert_eq!(truth(Truth::Not, x, 0.0), Some(1 - holds), "{x}");
        assert_eq!(truth(Truth::And, 2.0, x), Some(holds), "{x}");
        assert_eq!(truth(Truth::Or, -0.0, x), Some(holds), "{x}");
    }
}

/// What an unsaturated conversion is given fits its type, up to the last integers before its end.
#[test]
fn the_greatest_numbers_that_a_type_holds_are_converted() {
    for of in INTEGERS {
        let domains = Real::CastTo(of).domains(0);
        let last = domains.last().expect("a domain");
        let greatest = last.keeps & 0x7fff_ffff | last.sets;
        let number = f32::from_bits(greatest as u32) as i128;
        let end = of.greatest() + 1;
        assert!(number < end && number >= end / 4 * 3, "{of:?}: {number}");
        assert_eq!(last.keeps >> 31 == 1, of.signed, "{of:?}");
    }
}

#[test]
fn each_gives_what_the_text_says() {
    use Real::*;
    let nan = bits(f32::NAN);
    let rows: &[(Real, &[u64], Option<u64>)] = &[
        (Add, &[bits(0.25), bits(0.5)], Some(bits(0.75))),
        // The sum lies in the middle of two numbers: the even one.
        (
            Add,
            &[bits(16_777_216.0), bits(1.0)],
            Some(bits(16_777_216.0)),
        ),
        (
            Add,
            &[bits(16_777_218.0), bits(1.0)],
            Some(bits(16_777_220.0)),
        ),
        (Subtract, &[bits(f32::INFINITY), bits(f32::INFINITY)], None),
        (
            Fma,
            &[
                bits(1.0 + f32::EPSILON),
                bits(1.0 - f32::EPSILON),
                bits(-1.0),
            ],
            Some(bits(-f32::EPSILON * f32::EPSILON)),
        ),
        (Negate, &[bits(0.0)], Some(bits(-0.0))),
        (ToHalf(Mode::Up), &[bits(-1.0001)], Some(0xbc00)),
        (ToHalf(Mode::Down), &[bits(-1.0001)], Some(0xbc01)),
        (ToHalf(Mode::Up), &[bits(1.0001)], Some(0x3c01)),
        (ToHalf(Mode::Zero), &[bits(-1.9999)], Some(0xbfff)),
        // Between two numbers: the even one.
        (
            ToHalf(Mode::Default),
            &[bits(1.0 + 1.0 / 2048.0)],
            Some(0x3c00),
        ),
        (
            ToHalf(Mode::Even),
            &[bits(1.0 + 3.0 / 2048.0)],
            Some(0x3c02),
        ),
        (ToHalf(Mode::Even), &[bits(65520.0)], None),
        (ToHalf(Mode::Even), &[bits(1e-5)], None),
        (FromHalf, &[0xbc01], Some(bits(-1.0 - 1.0 / 1024.0))),
        (FromHalf, &[0x0001], None),
        (Add, &[bits(-0.0), bits(-0.0)], Some(bits(-0.0))),
        (Add, &[bits(-0.0), bits(0.0)], Some(bits(0.0))),
        (Multiply, &[bits(-0.0), bits(2.0)], Some(bits(-0.0))),
        (
            CastFrom(ULONG),
            &[u64::MAX],
            Some(bits(18_446_744_073_709_551_616.0)),
        ),
        (CastTo(INT), &[bits(-7.5)], Some(INT.wrap(-7))),
        (CastTo(UINT), &[bits(-7.5)], None),
        (compare(Comparison::Unequal), &[nan, nan], Some(1)),
        (compare(Comparison::Less), &[bits(-0.0), bits(0.0)], Some(0)),
        (
            relation(Relation::LessOrGreater),
            &[nan, bits(1.0)],
            Some(0),
        ),
        (relation(Relation::Sign), &[bits(-0.0)], Some(1)),
        (
            Judged(Format::Float, super::Judged::Bitselect),
            &[bits(1.5), bits(-1.25), bits(-1.0)],
            Some(bits(-1.5)),
        ),
        (Whole(super::Whole::Rint), &[bits(2.5)], Some(2)),
        (
            Whole(super::Whole::Round),
            &[bits(-2.5)],
            Some(INT.wrap(-3)),
        ),
        (To(CHAR, Mode::Even, true), &[bits(3.5)], Some(4)),
        (To(UCHAR, Mode::Up, true), &[bits(-7.0)], Some(0)),
        (
            To(ULONG, Mode::Default, true),
            &[bits(f32::INFINITY)],
            Some(u64::MAX),
        ),
        (To(LONG, Mode::Default, true), &[nan], Some(0)),
        (To(INT, Mode::Default, false), &[bits(3e9)], None),
        (
            To(INT, Mode::Down, false),
            &[bits(-0.5)],
            Some(INT.wrap(-1)),
        ),
        (
            From(ULONG, Mode::Even),
            &[16_777_217],
            Some(bits(16_777_216.0)),
        ),
        (
            From(ULONG, Mode::Up),
            &[16_777_217],
            Some(bits(16_777_218.0)),
        ),
        (
            From(LONG, Mode::Down),
            &[LONG.wrap(-16_777_217)],
            Some(bits(-16_777_218.0)),
        ),
        (
            From(LONG, Mode::Zero),
            &[LONG.wrap(-16_777_217)],
            Some(bits(-16_777_216.0)),
        ),
        (From(ULONG, Mode::Zero), &[u64::MAX], Some(0x5f7f_ffff)),
        (From(ULONG, Mode::Default), &[u64::MAX], Some(0x5f80_0000)),
        (Minimum, &[nan, bits(2.0)], Some(bits(2.0))),
        (Scale, &[bits(1.5), 3], Some(bits(12.0))),
        (Positive, &[bits(1.0), bits(2.0)], Some(0)),
        (Remainder, &[bits(5.5), bits(2.0)], Some(bits(1.5))),
        (Next, &[bits(-1.0), bits(2.0)], Some(bits(-1.0) - 1)),
        (Exponent, &[bits(0.75)], Some(INT.wrap(-1))),
        (Multiply, &[bits(f32::MIN_POSITIVE), bits(0.5)], None),
        (Add, &[1, bits(1.0)], None),
    ];
    for (function, numbers, wanted) in rows {
        assert_eq!(of(*function, numbers), *wanted, "{function:?} {numbers:x?}");
    }
}

#[test]
fn in_lanes_truth_is_all_bits() {
    let ones = UINT.vector(2).each(|_| bits(1.0));
    let given = compare(Comparison::Equal).of(2, &[ones, ones]);
    assert_eq!(given.map(|value| value[0]), Some(0xffff_ffff));
}

#[test]
fn a_function_of_its_own_takes_each_argument_once() {
    let named = |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).into()).collect() };
    let (text, call) = compare(Comparison::Unequal).apart(1, &named(&["v1", "v1"]));
    assert_eq!(text, "static int $name(float x) { return (x != x); }");
    assert_eq!(call, "$name(as_float(v1))");
    let (text, call) = Real::Add.apart(2, &named(&["a", "b"]));
    assert_eq!(
        text,
        "static uint2 $name(float2 x, float2 y) { return as_uint2(x + y); }"
    );
    assert_eq!(call, "$name(as_float2(a), as_float2(b))");
    // The bits of a number and how often it is doubled are two arguments.
    let (text, call) = Real::Scale.apart(1, &named(&["a", "a"]));
    assert_eq!(
        text,
        "static uint $name(float x, int y) { return as_uint(ldexp(x, y)); }"
    );
    assert_eq!(call, "$name(as_float(a), a)");
    let (text, _) = Real::CastFrom(ULONG).apart(1, &named(&["a"]));
    assert_eq!(
        text,
        "static uint $name(ulong x) { return as_uint((float)(x)); }"
    );
}

#[test]
fn domains_are_those_numbers_in_each_format() {
    for format in [Format::Half, Format::Float, Format::Double] {
        let ends = |domain: Domain| {
            let domain = domain.of(format);
            [domain.sets, domain.sets | domain.keeps].map(|bits| format.number(bits))
        };
        let (two, epsilon) = (2.0, format.epsilon());
        assert_eq!(ends(NEAR), [1.0 / 128.0, -two + epsilon], "{format:?}");
        assert_eq!(ends(MIDDLE), [2.0, -512.0 + 256.0 * epsilon], "{format:?}");
        assert_eq!(ends(ONE), [1.0, -1.5]);
        assert_eq!(ends(ZERO), [0.0, -0.0]);
        let [infinite, nan] = ends(BEYOND);
        assert!(infinite.is_infinite() && nan.is_nan());
    }
}

#[test]
fn of_each_precision_truth_has_the_size_of_a_lane() {
    for (format, truth) in [
        (Format::Half, SHORT),
        (Format::Float, INT),
        (Format::Double, LONG),
    ] {
        let equal = Judged::Compare(Comparison::Equal);
        assert_eq!(equal.types(format, 1).1, INT.scalar());
        assert_eq!(equal.types(format, 4).1, truth.vector(4));
        let one = format.bits(1.0);
        assert_eq!(equal.lane(format, 4, [one, one, 0]), Some(truth.wrap(-1)));
        // A lane selects by its highest bit, a scalar by any.
        let least = truth.wrap(truth.least());
        let two = format.bits(2.0);
        for (lanes, third, wanted) in [(1, 1, two), (4, 1, one), (4, least, two)] {
            let given = Judged::Select { signed: true }.lane(format, lanes, [one, two, third]);
            assert_eq!(given, Some(wanted));
        }
    }
}
