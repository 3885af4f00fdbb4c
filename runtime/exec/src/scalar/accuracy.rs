//! How near the functions of `float` come to the true values, and what they give where these are not numbers:
//! the bounds of the OpenCL environment specification, Relative Error as ULPs and Edge Case Behavior.

use super::math::{Function, function};
use touchstone_ir::{Intrinsic, Scalar};

/// The functions of one number, and by how many units of the last place they may be wrong (full profile).
const BOUNDS: &[(Intrinsic, f64)] = {
    use Intrinsic as I;
    &[
        (I::Acos, 4.0),
        (I::Acosh, 4.0),
        (I::Acospi, 5.0),
        (I::Asin, 4.0),
        (I::Asinh, 4.0),
        (I::Asinpi, 5.0),
        (I::Atan, 5.0),
        (I::Atanh, 5.0),
        (I::Atanpi, 5.0),
        (I::Cbrt, 2.0),
        (I::Cos, 4.0),
        (I::Cosh, 4.0),
        (I::Cospi, 4.0),
        (I::Degrees, 2.0),
        (I::Erf, 16.0),
        (I::Erfc, 16.0),
        (I::Exp, 3.0),
        (I::Exp2, 3.0),
        (I::Exp10, 3.0),
        (I::Expm1, 3.0),
        (I::Log, 3.0),
        (I::Log2, 3.0),
        (I::Log10, 3.0),
        (I::Log1p, 2.0),
        (I::Radians, 2.0),
        (I::Rsqrt, 2.0),
        (I::Sin, 4.0),
        (I::Sinh, 4.0),
        (I::Sinpi, 4.0),
        (I::Sqrt, 0.5),
        (I::Tan, 5.0),
        (I::Tanh, 5.0),
        (I::Tanpi, 6.0),
        (I::Tgamma, 16.0),
    ]
};

/// The same of two numbers.
const BOUNDS_OF_TWO: &[(Intrinsic, f64)] = &[
    (Intrinsic::Atan2, 6.0),
    (Intrinsic::Atan2pi, 6.0),
    (Intrinsic::Hypot, 4.0),
    (Intrinsic::Pow, 16.0),
    (Intrinsic::Powr, 16.0),
];

/// The same of a number and an integer.
const BOUNDS_WITH_INT: &[(Intrinsic, f64)] = &[(Intrinsic::Pown, 16.0), (Intrinsic::Rootn, 16.0)];

fn one(i: Intrinsic, x: f32) -> f32 {
    match function(i, Scalar::F32) {
        Some(Function::One(f)) => f32::from_bits(f(x.to_bits().into()) as u32),
        other => panic!("{i:?}: {other:?}"),
    }
}

fn one_wide(i: Intrinsic, x: f64) -> f64 {
    match function(i, Scalar::F64) {
        Some(Function::One(f)) => f64::from_bits(f(x.to_bits())),
        other => panic!("{i:?}: {other:?}"),
    }
}

/// Of a number and the bits of another.
fn two(i: Intrinsic, x: f32, y: u32) -> f32 {
    match function(i, Scalar::F32) {
        Some(Function::Two(f)) => f32::from_bits(f(x.to_bits().into(), y.into()) as u32),
        other => panic!("{i:?}: {other:?}"),
    }
}

fn two_wide(i: Intrinsic, x: f64, y: u64) -> f64 {
    match function(i, Scalar::F64) {
        Some(Function::Two(f)) => f64::from_bits(f(x.to_bits(), y)),
        other => panic!("{i:?}: {other:?}"),
    }
}

/// How far a float is from a value, in units of the last place of that value.
fn error(got: f32, value: f64) -> f64 {
    let rounded = value as f32;
    if got == rounded || got.is_nan() && value.is_nan() {
        return 0.0;
    }
    if got.is_nan() || value.is_nan() || value.is_infinite() {
        return f64::INFINITY;
    }
    // Infinity counts as the number that would come after the largest one.
    let got = match got.is_infinite() {
        true => 2f64.powi(128).copysign(got.into()),
        false => f64::from(got),
    };
    let normal = value.abs().max(f32::MIN_POSITIVE.into());
    let exponent = libm::frexp(normal).1 - 1;
    (got - value).abs() / 2f64.powi(exponent - 23)
}

/// Floats of every sign and size, and those around which functions change.
fn samples(step: usize) -> impl Iterator<Item = f32> {
    let around = [
        0.0f32,
        0.25,
        0.5,
        1.0,
        1.125,
        2.0,
        4.0,
        10.0,
        88.7,
        f32::MAX,
        f32::INFINITY,
        f32::MIN_POSITIVE,
    ];
    let close = around
        .into_iter()
        .flat_map(|x| [x, x.next_up(), x.next_down()]);
    let signed = close.flat_map(|x| [x, -x]);
    (0..=u32::MAX)
        .step_by(step)
        .map(f32::from_bits)
        .chain(signed)
}

#[test]
fn functions_of_a_float_are_as_near_as_they_must_be() {
    for &(i, bound) in BOUNDS {
        for x in samples(99_991) {
            let (got, value) = (one(i, x), one_wide(i, f64::from(x)));
            let wrong = error(got, value);
            assert!(
                wrong <= bound,
                "{i:?}({x:e}) is {got:e}, not {value:e}: {wrong} ulp"
            );
        }
    }
}

#[test]
fn functions_of_two_floats_are_as_near_as_they_must_be() {
    for &(i, bound) in BOUNDS_OF_TWO {
        for x in samples(29_999_999) {
            for y in samples(30_000_001) {
                let (got, value) = (
                    two(i, x, y.to_bits()),
                    two_wide(i, f64::from(x), f64::from(y).to_bits()),
                );
                let wrong = error(got, value);
                assert!(
                    wrong <= bound,
                    "{i:?}({x:e}, {y:e}) is {got:e}, not {value:e}: {wrong} ulp"
                );
            }
        }
    }
}

#[test]
fn functions_of_a_float_and_an_integer_are_as_near_as_they_must_be() {
    let integers = [1, 2, 3, 4, 5, 7, 10, 33, 127, 1000, 65537, i32::MAX];
    for &(i, bound) in BOUNDS_WITH_INT {
        for x in samples(9_999_991) {
            for n in integers
                .into_iter()
                .chain([0, i32::MIN])
                .chain(integers.map(|n| -n))
            {
                let (got, value) = (
                    two(i, x, n as u32),
                    two_wide(i, f64::from(x), (n as u32).into()),
                );
                let wrong = error(got, value);
                assert!(
                    wrong <= bound,
                    "{i:?}({x:e}, {n}) is {got:e}, not {value:e}: {wrong} ulp"
                );
            }
        }
    }
}

#[test]
fn nothing_below_one_is_a_hyperbolic_cosine() {
    for x in [
        0.999,
        0.0,
        -0.5,
        -1.0,
        -1.5,
        -1.999,
        -2.0,
        -1e30,
        f32::NEG_INFINITY,
        f32::NAN,
    ] {
        assert!(one(Intrinsic::Acosh, x).is_nan(), "{x}");
        assert!(one_wide(Intrinsic::Acosh, x.into()).is_nan(), "{x}");
    }
    assert_eq!(one(Intrinsic::Acosh, 1.0), 0.0);
}

#[test]
fn angles_of_infinities_are_eighths_of_a_turn() {
    let infinity = f32::INFINITY;
    for (y, x, turn) in [
        (infinity, infinity, 0.25),
        (infinity, 1.0, 0.5),
        (infinity, -infinity, 0.75),
        (-infinity, infinity, -0.25),
        (-infinity, 0.0, -0.5),
        (-infinity, -infinity, -0.75),
        (0.0, -infinity, 1.0),
        (-1.0, -infinity, -1.0),
        (0.0, -0.0, 1.0),
        (1.0, infinity, 0.0),
    ] {
        assert_eq!(two(Intrinsic::Atan2pi, y, x.to_bits()), turn, "{y} {x}");
        let (y, x) = (f64::from(y), f64::from(x));
        assert_eq!(
            two_wide(Intrinsic::Atan2pi, y, x.to_bits()),
            turn.into(),
            "{y} {x}"
        );
    }
    for sign in [1.0, -1.0f32] {
        assert_eq!(one(Intrinsic::Atanpi, sign * infinity), sign / 2.0);
        assert_eq!(
            one_wide(Intrinsic::Atanpi, f64::from(sign * infinity)),
            f64::from(sign / 2.0)
        );
    }
}

/// Roots that doubles hold exactly, of the smallest and the largest doubles that have them.
#[test]
fn roots_of_denormal_and_of_large_numbers() {
    let rootn = |x: f64, n: i32| two_wide(Intrinsic::Rootn, x, (n as u32).into());
    for n in 2..=537 {
        for base in [1.0, 3.0, 5.0f64] {
            for exponent in [-1074 / n, -300 / n, 0, 300 / n] {
                let root = base * 2f64.powi(exponent);
                let power = base.powi(n)
                    * 2f64.powi(exponent * n / 2)
                    * 2f64.powi(exponent * n - exponent * n / 2);
                if power.is_infinite() || base.powi(n) >= 2f64.powi(53) || power == 0.0 {
                    continue;
                }
                let wrong = (rootn(power, n) - root).abs() / (root * f64::EPSILON);
                assert!(wrong <= 1.0, "the {n}th root of {power:e}: {wrong} ulp");
                assert_eq!(two(Intrinsic::Rootn, root as f32, 1), root as f32);
            }
        }
    }
    assert_eq!(rootn(f64::MAX, 1), f64::MAX);
    assert_eq!(rootn(2f64.powi(-1074), 1), 2f64.powi(-1074));
    assert_eq!(rootn(-(2f64.powi(-1074)), -1), f64::NEG_INFINITY);
    assert_eq!(rootn(2f64.powi(-1074), -2), 2f64.powi(537));
    assert_eq!(rootn(f64::INFINITY, 3), f64::INFINITY);
    assert_eq!(rootn(f64::INFINITY, -3), 0.0);
    assert!((rootn(2f64.powi(-1074), i32::MAX) - 1.0).abs() < 1e-6);
}
