//! The intrinsics as functions on bits.
//!
//! Accuracy follows libm, within the bounds of OpenCL C section 7.4. The forms
//! with pi reduce their argument exactly first. For halves the single-precision
//! function is taken, and its result rounded.

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

/// A function by how many operands it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    One(Fn1),
    Two(Fn2),
    Three(Fn3),
}

/// The float type's functions on bits, over those on values in `$m`.
macro_rules! float_table {
    ($name:ident, $m:ident, $from:expr, $to:expr) => {
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
            Some(match intrinsic {
                Intrinsic::Acos => one!($m::acos),
                Intrinsic::Acosh => one!($m::acosh),
                Intrinsic::Acospi => one!($m::acospi),
                Intrinsic::Asin => one!($m::asin),
                Intrinsic::Asinh => one!($m::asinh),
                Intrinsic::Asinpi => one!($m::asinpi),
                Intrinsic::Atan => one!($m::atan),
                Intrinsic::Atanh => one!($m::atanh),
                Intrinsic::Atanpi => one!($m::atanpi),
                Intrinsic::Cbrt => one!($m::cbrt),
                Intrinsic::Ceil => one!($m::ceil),
                Intrinsic::Cos => one!($m::cos),
                Intrinsic::Cosh => one!($m::cosh),
                Intrinsic::Cospi => one!($m::cospi),
                Intrinsic::Degrees => one!($m::degrees),
                Intrinsic::Erf => one!($m::erf),
                Intrinsic::Erfc => one!($m::erfc),
                Intrinsic::Exp => one!($m::exp),
                Intrinsic::Exp2 => one!($m::exp2),
                Intrinsic::Exp10 => one!($m::exp10),
                Intrinsic::Expm1 => one!($m::expm1),
                Intrinsic::Fabs => one!($m::fabs),
                Intrinsic::Floor => one!($m::floor),
                Intrinsic::Fract => one!($m::fract),
                Intrinsic::FrexpMantissa => one!($m::frexp_mantissa),
                Intrinsic::Lgamma => one!($m::lgamma),
                Intrinsic::Log => one!($m::log),
                Intrinsic::Log2 => one!($m::log2),
                Intrinsic::Log10 => one!($m::log10),
                Intrinsic::Log1p => one!($m::log1p),
                Intrinsic::Logb => one!($m::logb),
                Intrinsic::ModfFraction => one!($m::modf_fraction),
                Intrinsic::Radians => one!($m::radians),
                Intrinsic::Rint => one!($m::rint),
                Intrinsic::Round => one!($m::round),
                Intrinsic::Rsqrt => one!($m::rsqrt),
                Intrinsic::Sign => one!($m::sign),
                Intrinsic::Sin => one!($m::sin),
                Intrinsic::Sinh => one!($m::sinh),
                Intrinsic::Sinpi => one!($m::sinpi),
                Intrinsic::Sqrt => one!($m::sqrt),
                Intrinsic::Tan => one!($m::tan),
                Intrinsic::Tanh => one!($m::tanh),
                Intrinsic::Tanpi => one!($m::tanpi),
                Intrinsic::Tgamma => one!($m::tgamma),
                Intrinsic::Trunc => one!($m::trunc),
                Intrinsic::Atan2 => two!($m::atan2),
                Intrinsic::Atan2pi => two!($m::atan2pi),
                Intrinsic::Copysign => two!($m::copysign),
                Intrinsic::Fdim => two!($m::fdim),
                Intrinsic::Fmax => two!($m::fmax),
                Intrinsic::Fmin => two!($m::fmin),
                Intrinsic::Fmod => two!($m::fmod),
                Intrinsic::Hypot => two!($m::hypot),
                Intrinsic::Maxmag => two!($m::maxmag),
                Intrinsic::Minmag => two!($m::minmag),
                Intrinsic::Nextafter => two!($m::nextafter),
                Intrinsic::Pow => two!($m::pow),
                Intrinsic::Powr => two!($m::powr),
                Intrinsic::Remainder => two!($m::remainder),
                Intrinsic::Step => two!($m::step),
                Intrinsic::Fma => three!($m::fma),
                Intrinsic::Mad => three!($m::fma),
                Intrinsic::Mix => three!($m::mix),
                Intrinsic::Smoothstep => three!($m::smoothstep),
                Intrinsic::FClamp => three!($m::fclamp),
                Intrinsic::Ldexp => with_int!($m::ldexp),
                Intrinsic::Pown => with_int!($m::pown),
                Intrinsic::Rootn => with_int!($m::rootn),
                Intrinsic::Ilogb => to_int!($m::ilogb),
                Intrinsic::FrexpExponent => to_int!($m::frexp_exponent),
                Intrinsic::LgammaSign => to_int!($m::lgamma_sign),
                Intrinsic::RemquoQuotient => {
                    Function::Two(|a, b| u64::from($m::remquo_quotient($from(a), $from(b)) as u32))
                }
                Intrinsic::Isfinite => test!($m::is_finite),
                Intrinsic::Isinf => test!($m::is_infinite),
                Intrinsic::Isnan => test!($m::is_nan),
                Intrinsic::Isnormal => test!($m::is_normal),
                Intrinsic::Signbit => test!($m::signbit),
                Intrinsic::Nan
                | Intrinsic::SAbs
                | Intrinsic::Clz
                | Intrinsic::Ctz
                | Intrinsic::Popcount
                | Intrinsic::SAbsDiff
                | Intrinsic::UAbsDiff
                | Intrinsic::SAddSat
                | Intrinsic::UAddSat
                | Intrinsic::SSubSat
                | Intrinsic::USubSat
                | Intrinsic::SHadd
                | Intrinsic::UHadd
                | Intrinsic::SRhadd
                | Intrinsic::URhadd
                | Intrinsic::SMax
                | Intrinsic::UMax
                | Intrinsic::SMin
                | Intrinsic::UMin
                | Intrinsic::SMulHi
                | Intrinsic::UMulHi
                | Intrinsic::Rotate
                | Intrinsic::SMul24
                | Intrinsic::UMul24
                | Intrinsic::SClamp
                | Intrinsic::UClamp
                | Intrinsic::SMadSat
                | Intrinsic::UMadSat
                | Intrinsic::Any
                | Intrinsic::All => return None,
            })
        }
    };
}

float_table!(
    of_f32,
    f32s,
    |bits: u64| f32::from_bits(bits as u32),
    |x: f32| u64::from(x.to_bits())
);
float_table!(of_f64, f64s, f64::from_bits, f64::to_bits);
float_table!(of_f16, f16s, half_to_single, single_to_half);

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
    macro_rules! by_width {
        ($kind:ident, $name:ident) => {
            Some(Function::$kind(match scalar {
                Scalar::I8 => w8::$name,
                Scalar::I16 => w16::$name,
                Scalar::I32 => w32::$name,
                Scalar::I64 | Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => w64::$name,
            }))
        };
    }
    match intrinsic {
        Intrinsic::SAbs => by_width!(One, sabs),
        Intrinsic::Clz => by_width!(One, clz),
        Intrinsic::Ctz => by_width!(One, ctz),
        Intrinsic::Popcount => by_width!(One, popcount),
        Intrinsic::SAbsDiff => by_width!(Two, sabs_diff),
        Intrinsic::UAbsDiff => by_width!(Two, uabs_diff),
        Intrinsic::SAddSat => by_width!(Two, sadd_sat),
        Intrinsic::UAddSat => by_width!(Two, uadd_sat),
        Intrinsic::SSubSat => by_width!(Two, ssub_sat),
        Intrinsic::USubSat => by_width!(Two, usub_sat),
        Intrinsic::SHadd => by_width!(Two, shadd),
        Intrinsic::UHadd => by_width!(Two, uhadd),
        Intrinsic::SRhadd => by_width!(Two, srhadd),
        Intrinsic::URhadd => by_width!(Two, urhadd),
        Intrinsic::SMax => by_width!(Two, smax),
        Intrinsic::UMax => by_width!(Two, umax),
        Intrinsic::SMin => by_width!(Two, smin),
        Intrinsic::UMin => by_width!(Two, umin),
        Intrinsic::SMulHi => by_width!(Two, smul_hi),
        Intrinsic::UMulHi => by_width!(Two, umul_hi),
        Intrinsic::Rotate => by_width!(Two, rotate),
        Intrinsic::SMul24 => by_width!(Two, smul24),
        Intrinsic::UMul24 => by_width!(Two, umul24),
        Intrinsic::SClamp => by_width!(Three, sclamp),
        Intrinsic::UClamp => by_width!(Three, uclamp),
        Intrinsic::SMadSat => by_width!(Three, smad_sat),
        Intrinsic::UMadSat => by_width!(Three, umad_sat),
        Intrinsic::Nan => Some(Function::One(match scalar {
            Scalar::I16 => |payload| 0x7e00 | (payload & 0x1ff),
            Scalar::I64 => |payload| 0x7ff8_0000_0000_0000 | (payload & 0x7_ffff_ffff_ffff),
            Scalar::I8 | Scalar::I32 | Scalar::Bool | Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                |payload| 0x7fc0_0000 | (payload & 0x3f_ffff)
            }
        })),
        // Only floats have the others.
        other => {
            debug_assert!(
                of_f32(other).is_some() || matches!(other, Intrinsic::Any | Intrinsic::All)
            );
            None
        }
    }
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
