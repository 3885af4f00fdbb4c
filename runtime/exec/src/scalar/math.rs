//! The intrinsics as functions on bits.
//!
//! Accuracy follows libm, within the bounds of OpenCL C section 7.4. The forms
//! with pi reduce their argument exactly first. For halves the single-precision
//! function is taken, and its result rounded.

use super::convert::Conversion;
use super::float::{f16s, f32s, f64s};
use super::integer::{w8, w16, w32, w64};
use half::f16;
use touchstone_ir::{Intrinsic, Scalar};

/// A function of one operand.
pub(crate) type Fn1 = fn(u64) -> u64;
/// A function of two operands.
pub(crate) type Fn2 = fn(u64, u64) -> u64;
/// A function of three operands.
pub(crate) type Fn3 = fn(u64, u64, u64) -> u64;

/// What a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A built-in function, of operands of a type.
    Intrinsic(Intrinsic, Scalar),
    /// A conversion.
    Conversion(Conversion),
}

/// A function by how many operands it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    One(Fn1),
    Two(Fn2),
    Three(Fn3),
}

/// The float type's functions on bits, over those on values in `$m`. `$d` is a dollar, for the
/// macro inside.
#[rustfmt::skip]
macro_rules! float_table {
    ($d:tt $name:ident, $m:ident, $from:expr, $to:expr) => {
        fn $name(intrinsic: Intrinsic) -> Option<Function> {
            macro_rules! one {
                ($f:expr) => {
                    Function::One(|a| $to($f($from(a))))
                };
            }
            macro_rules! two {
                ($f:expr) => {
                    Function::Two(|a, b| $to($f($from(a), $from(b))))
                };
            }
            macro_rules! three {
                ($f:expr) => {
                    Function::Three(|a, b, c| $to($f($from(a), $from(b), $from(c))))
                };
            }
            macro_rules! with_int {
                ($f:expr) => {
                    Function::Two(|a, n| $to($f($from(a), n as i32)))
                };
            }
            macro_rules! to_int {
                ($f:expr) => {
                    Function::One(|a| u64::from($f($from(a)) as u32))
                };
            }
            macro_rules! test {
                ($f:expr) => {
                    Function::One(|a| u64::from($f($from(a))))
                };
            }
            macro_rules! remquo {
                ($f:expr) => {
                    Function::Two(|a, b| u64::from($f($from(a), $from(b)) as u32))
                };
            }
            macro_rules! functions {
                ($d($d form:ident: $d($d name:ident $d function:ident),*;)*) => {
                    match intrinsic {
                        $d($d(Intrinsic::$d name => $d form!($m::$d function),)*)*
                        // Those of integers.
                        _ => return None,
                    }
                };
            }
            Some(functions! {
                one:
                    Acos acos, Acosh acosh, Acospi acospi, Asin asin, Asinh asinh,
                    Asinpi asinpi, Atan atan, Atanh atanh, Atanpi atanpi, Cbrt cbrt, Ceil ceil,
                    Cos cos, Cosh cosh, Cospi cospi, Degrees degrees, Erf erf, Erfc erfc,
                    Exp exp, Exp2 exp2, Exp10 exp10, Expm1 expm1, Fabs fabs, Floor floor,
                    Fract fract, FrexpMantissa frexp_mantissa, Lgamma lgamma, Log log,
                    Log2 log2, Log10 log10, Log1p log1p, Logb logb, ModfFraction modf_fraction,
                    Radians radians, Rint rint, Round round, Rsqrt rsqrt, Sign sign, Sin sin,
                    Sinh sinh, Sinpi sinpi, Sqrt sqrt, Tan tan, Tanh tanh, Tanpi tanpi,
                    Tgamma tgamma, Trunc trunc;
                two:
                    Atan2 atan2, Atan2pi atan2pi, Copysign copysign, Fdim fdim, Fmax fmax,
                    Fmin fmin, Fmod fmod, Hypot hypot, Maxmag maxmag, Minmag minmag,
                    Nextafter nextafter, Pow pow, Powr powr, Remainder remainder, Step step;
                three:
                    Fma fma, Mad fma, Mix mix, Smoothstep smoothstep, FClamp fclamp;
                with_int:
                    Ldexp ldexp, Pown pown, Rootn rootn;
                to_int:
                    Ilogb ilogb, FrexpExponent frexp_exponent, LgammaSign lgamma_sign;
                test:
                    Isfinite is_finite, Isinf is_infinite, Isnan is_nan, Isnormal is_normal,
                    Signbit signbit;
                remquo: RemquoQuotient remquo_quotient;
            })
        }
    };
}

float_table!(
    $ of_f32,
    f32s,
    |bits: u64| f32::from_bits(bits as u32),
    |x: f32| u64::from(x.to_bits())
);
float_table!($ of_f64, f64s, f64::from_bits, f64::to_bits);
float_table!($ of_f16, f16s, half_to_single, single_to_half);

fn half_to_single(bits: u64) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

fn single_to_half(x: f32) -> u64 {
    f16::from_f32(x).to_bits().into()
}

/// The function that computes an intrinsic on a type of scalar; None where
/// there is none. `Any` and `All` are not functions of scalars.
pub(crate) fn function(intrinsic: Intrinsic, scalar: Scalar) -> Option<Function> {
    match scalar {
        Scalar::F16 => of_f16(intrinsic),
        Scalar::F32 => of_f32(intrinsic),
        Scalar::F64 => of_f64(intrinsic),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => integer(intrinsic, scalar),
        Scalar::Bool => None,
    }
}

fn integer(intrinsic: Intrinsic, scalar: Scalar) -> Option<Function> {
    if intrinsic == Intrinsic::Nan {
        return Some(Function::One(match scalar {
            Scalar::I16 => |payload| 0x7e00 | (payload & 0x1ff),
            Scalar::I64 => |payload| 0x7ff8_0000_0000_0000 | (payload & 0x7_ffff_ffff_ffff),
            Scalar::I8 | Scalar::I32 | Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                |payload| 0x7fc0_0000 | (payload & 0x3f_ffff)
            }
        }));
    }
    macro_rules! functions {
        ($($form:ident: $($name:ident $function:ident),*;)*) => {
            match intrinsic {
                $($(Intrinsic::$name => Function::$form(match scalar {
                    Scalar::I8 => w8::$function,
                    Scalar::I16 => w16::$function,
                    Scalar::I32 => w32::$function,
                    _ => w64::$function,
                }),)*)*
                // Those of floats, and of all elements of a vector.
                _ => return None,
            }
        };
    }
    Some(functions! {
        One:
            SAbs sabs, Clz clz, Ctz ctz, Popcount popcount, BitReverse bit_reverse;
        Two:
            SAbsDiff sabs_diff, UAbsDiff uabs_diff, SAddSat sadd_sat, UAddSat uadd_sat,
            SSubSat ssub_sat, USubSat usub_sat, SHadd shadd, UHadd uhadd, SRhadd srhadd,
            URhadd urhadd, SMax smax, UMax umax, SMin smin, UMin umin, SMulHi smul_hi,
            UMulHi umul_hi, Rotate rotate, SMul24 smul24, UMul24 umul24;
        Three:
            SClamp sclamp, UClamp uclamp, SMadSat smad_sat, UMadSat umad_sat;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32_1(i: Intrinsic, x: f32) -> f32 {
        match function(i, Scalar::F32) {
            Some(Function::One(f)) => f32::from_bits(f(x.to_bits().into()) as u32),
            other => panic!("{i:?}: {other:?}"),
        }
    }

    fn f64_1(i: Intrinsic, x: f64) -> f64 {
        match function(i, Scalar::F64) {
            Some(Function::One(f)) => f64::from_bits(f(x.to_bits())),
            other => panic!("{i:?}: {other:?}"),
        }
    }

    fn f64_int(i: Intrinsic, x: f64, n: i32) -> f64 {
        match function(i, Scalar::F64) {
            Some(Function::Two(f)) => f64::from_bits(f(x.to_bits(), u64::from(n as u32))),
            other => panic!("{i:?}: {other:?}"),
        }
    }

    #[test]
    fn every_intrinsic_has_functions_for_its_types() {
        use touchstone_ir::intrinsic::Signature;
        for &i in Intrinsic::ALL {
            let types: &[Scalar] = match i.signature() {
                Signature::Float(_)
                | Signature::FloatInt
                | Signature::FloatToInt
                | Signature::Float2ToInt
                | Signature::FloatTest => &[Scalar::F16, Scalar::F32, Scalar::F64],
                Signature::Int(_) => &[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64],
                Signature::Nan => &[Scalar::I16, Scalar::I32, Scalar::I64],
                Signature::LaneTest => &[],
            };
            for &t in types {
                let arity = match function(i, t) {
                    Some(Function::One(_)) => 1,
                    Some(Function::Two(_)) => 2,
                    Some(Function::Three(_)) => 3,
                    None => 0,
                };
                assert_eq!(arity, i.arity(), "{i:?} on {t}");
            }
        }
    }

    #[test]
    fn pi_forms_are_exact_at_quarters() {
        for n in -8..=8 {
            let x = f64::from(n);
            assert_eq!(f64_1(Intrinsic::Sinpi, x), 0.0);
            assert_eq!(
                f64_1(Intrinsic::Cospi, x),
                if n % 2 == 0 { 1.0 } else { -1.0 }
            );
            assert_eq!(f64_1(Intrinsic::Cospi, x + 0.5), 0.0);
            assert_eq!(f64_1(Intrinsic::Tanpi, x), 0.0);
            assert!(f64_1(Intrinsic::Tanpi, x + 0.5).is_infinite());
        }
        assert!(
            (f64_1(Intrinsic::Sinpi, 1e15 + 0.25) + 0.5f64.sqrt()).abs() < 1e-12
                || (f64_1(Intrinsic::Sinpi, 1e15 + 0.25) - 0.5f64.sqrt()).abs() < 1e-12
        );
        assert!((f32_1(Intrinsic::Tanpi, 0.25) - 1.0).abs() < 1e-6);
        assert!((f32_1(Intrinsic::Tanpi, 0.75) + 1.0).abs() < 1e-6);
    }

    #[test]
    fn roots_and_exponents() {
        assert_eq!(f64_int(Intrinsic::Rootn, 27.0, 3), 3.0);
        assert_eq!(f64_int(Intrinsic::Rootn, -27.0, 3), -3.0);
        assert!(f64_int(Intrinsic::Rootn, -4.0, 2).is_nan());
        assert_eq!(f64_int(Intrinsic::Rootn, 0.0, -3), f64::INFINITY);
        assert_eq!(f64_int(Intrinsic::Pown, 2.0, -3), 0.125);
        assert_eq!(f64_1(Intrinsic::Logb, 8.5), 3.0);
        assert_eq!(f64_1(Intrinsic::FrexpMantissa, 8.0), 0.5);
    }

    #[test]
    fn fractions_stay_below_one() {
        assert!(f32_1(Intrinsic::Fract, -1e-30) < 1.0);
        assert_eq!(f32_1(Intrinsic::Fract, 1.75), 0.75);
        assert_eq!(f32_1(Intrinsic::ModfFraction, -1.75), -0.75);
    }
}
