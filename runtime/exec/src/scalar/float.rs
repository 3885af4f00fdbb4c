//! The built-in functions of floating-point numbers, on values.

/// The functions of a float type on values.
macro_rules! floats {
    ($module:ident, $f:ident, $i:ident, $libm:tt) => {
        pub(super) mod $module {
            use std::$f::consts::PI;

            floats!(@libm $f, $libm);

            // Those of pi and of ten are computed in double precision, so that floats are rounded once.
            functions! { pub(in crate::scalar) $f:
                acospi(x) = (libm::acos(f64::from(x)) / std::f64::consts::PI) as $f;
                asinpi(x) = (libm::asin(f64::from(x)) / std::f64::consts::PI) as $f;
                atanpi(x) = (libm::atan(f64::from(x)) / std::f64::consts::PI) as $f;
                atan2pi(y, x) = (libm::atan2(f64::from(y), f64::from(x)) / std::f64::consts::PI) as $f;
                exp10(x) = libm::pow(10.0, f64::from(x)) as $f;
                acosh(x) = if x < 1.0 { $f::NAN } else { acosh_above_one(x) };
                sqrt(x) = x.sqrt();
                rsqrt(x) = 1.0 / x.sqrt();
                radians(x) = f64::from(x).to_radians() as $f;
                fabs(x) = x.abs();
                ceil(x) = x.ceil();
                floor(x) = x.floor();
                trunc(x) = x.trunc();
                round(x) = x.round();
                rint(x) = x.round_ties_even();
                frexp_mantissa(x) = frexp(x).0;
                lgamma(x) = lgamma_r(x).0;
                step(edge, x) = if x < edge { 0.0 } else { 1.0 };
                mix(x, y, a) = x + (y - x) * a;
                fclamp(x, min, max) = fmin(fmax(x, min), max);
            }
            functions! { pub(in crate::scalar) $f => bool:
                is_finite(x) = x.is_finite();
                is_infinite(x) = x.is_infinite();
                is_nan(x) = x.is_nan();
                is_normal(x) = x.is_normal();
                signbit(x) = x.is_sign_negative();
            }
            functions! { pub(in crate::scalar) $f => i32:
                frexp_exponent(x) = if x.is_finite() { frexp(x).1 } else { 0 };
            }

            /// Computed in double precision, so that floats are rounded once.
            pub(in crate::scalar) fn degrees(x: $f) -> $f {
                f64::from(x).to_degrees() as $f
            }
            pub(in crate::scalar) fn fract(x: $f) -> $f {
                if x.is_nan() {
                    return x;
                }
                if x.is_infinite() {
                    return copysign(0.0, x);
                }
                let below_one = (1.0 as $f).next_down();
                copysign_zero(fmin(x - x.floor(), below_one), x)
            }
            /// `fract(-0.0)` is -0.0.
            fn copysign_zero(result: $f, x: $f) -> $f {
                if x == 0.0 { x } else { result }
            }
            pub(in crate::scalar) fn logb(x: $f) -> $f {
                if x == 0.0 {
                    $f::NEG_INFINITY
                } else if x.is_infinite() {
                    $f::INFINITY
                } else if x.is_nan() {
                    x
                } else {
                    (frexp(x).1 - 1) as $f
                }
            }
            /// `FP_ILOGB0` is the smallest and `FP_ILOGBNAN` the largest `int`.
            pub(in crate::scalar) fn ilogb(x: $f) -> i32 {
                if x == 0.0 {
                    i32::MIN
                } else if x.is_nan() || x.is_infinite() {
                    i32::MAX
                } else {
                    frexp(x).1 - 1
                }
            }
            pub(in crate::scalar) fn modf_fraction(x: $f) -> $f {
                if x.is_infinite() {
                    return copysign(0.0, x);
                }
                copysign(x - x.trunc(), x)
            }
            pub(in crate::scalar) fn sign(x: $f) -> $f {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else if x.is_nan() {
                    0.0
                } else {
                    x
                }
            }
            /// x reduced to -1/4 ..= 1/4 and the quarter turns (of half a
            /// period, modulo 4) taken away; exact.
            fn quarter_turns(x: $f) -> ($f, i32) {
                let r = fmod(x, 2.0);
                let quarters = (r * 2.0).round_ties_even();
                (r - quarters / 2.0, quarters as i32 & 3)
            }
            pub(in crate::scalar) fn sinpi(x: $f) -> $f {
                if !x.is_finite() {
                    return $f::NAN;
                }
                let (r, quarter) = quarter_turns(x);
                let y = match quarter {
                    0 => sin(r * PI),
                    1 => cos(r * PI),
                    2 => -sin(r * PI),
                    _ => -cos(r * PI),
                };
                // Integers give a zero with the sign of x.
                if y == 0.0 { copysign(0.0, x) } else { y }
            }
            pub(in crate::scalar) fn cospi(x: $f) -> $f {
                if !x.is_finite() {
                    return $f::NAN;
                }
                let (r, quarter) = quarter_turns(x);
                let y = match quarter {
                    0 => cos(r * PI),
                    1 => -sin(r * PI),
                    2 => -cos(r * PI),
                    _ => sin(r * PI),
                };
                // Half-integers give +0.
                if y == 0.0 { 0.0 } else { y }
            }
            /// Poles at half-integers: positive for even, negative for odd n in
            /// n + 1/2. At integers a zero: x's sign for even, the other for odd.
            pub(in crate::scalar) fn tanpi(x: $f) -> $f {
                if !x.is_finite() {
                    return $f::NAN;
                }
                let (r, quarter) = quarter_turns(x);
                match (quarter, r == 0.0) {
                    (0, true) => copysign(0.0, x),
                    (2, true) => copysign(0.0, -x),
                    (1, true) => $f::INFINITY,
                    (3, true) => $f::NEG_INFINITY,
                    (0 | 2, false) => tan(r * PI),
                    _ => -1.0 / tan(r * PI),
                }
            }
            pub(in crate::scalar) fn lgamma_sign(x: $f) -> i32 {
                // "returns 0 in signp if x is zero or a negative integer"; libm's choice is 1 or -1.
                match x <= 0.0 && x == x.trunc() {
                    true => 0,
                    false => lgamma_r(x).1,
                }
            }
            pub(in crate::scalar) fn maxmag(x: $f, y: $f) -> $f {
                if x.abs() > y.abs() {
                    x
                } else if y.abs() > x.abs() {
                    y
                } else {
                    fmax(x, y)
                }
            }
            pub(in crate::scalar) fn minmag(x: $f, y: $f) -> $f {
                if x.abs() < y.abs() {
                    x
                } else if y.abs() < x.abs() {
                    y
                } else {
                    fmin(x, y)
                }
            }
            /// `pow` for x at least 0, with the special cases of section 7.5.1.
            pub(in crate::scalar) fn powr(x: $f, y: $f) -> $f {
                if x < 0.0 || x.is_nan() || y.is_nan() {
                    return $f::NAN;
                }
                if (x == 0.0 && y == 0.0)
                    || (x.is_infinite() && y == 0.0)
                    || (x == 1.0 && y.is_infinite())
                {
                    return $f::NAN;
                }
                pow(x.abs(), y)
            }
            pub(in crate::scalar) fn rootn(x: $f, n: i32) -> $f {
                if n == 0 || (x < 0.0 && n % 2 == 0) {
                    return $f::NAN;
                }
                if x == 0.0 {
                    let signed = if n % 2 == 0 { x.abs() } else { x };
                    return if n > 0 {
                        signed
                    } else {
                        copysign($f::INFINITY, signed)
                    };
                }
                copysign(root(x.abs(), n), x)
            }
            pub(in crate::scalar) fn smoothstep(edge0: $f, edge1: $f, x: $f) -> $f {
                let t = fclamp((x - edge0) / (edge1 - edge0), 0.0, 1.0);
                t * t * (3.0 - 2.0 * t)
            }
            /// The low seven bits of the quotient's magnitude, with its sign.
            pub(in crate::scalar) fn remquo_quotient(x: $f, y: $f) -> i32 {
                if !x.is_finite() || y == 0.0 || y.is_nan() {
                    return 0;
                }
                let q = remquo(x, y).1;
                let low = (q.unsigned_abs() & 0x7f) as i32;
                if q < 0 { -low } else { low }
            }
        }
    };
    (@libm f32, _) => {
        pub(in crate::scalar) use libm::{
            acosf as acos, asinf as asin, asinhf as asinh, atan2f as atan2,
            atanf as atan, atanhf as atanh, cbrtf as cbrt, copysignf as copysign, cosf as cos,
            coshf as cosh, erfcf as erfc, erff as erf, exp2f as exp2, expf as exp,
            expm1f as expm1, fdimf as fdim, fmaf as fma, fmaxf as fmax, fminf as fmin,
            fmodf as fmod, hypotf as hypot, ldexpf as ldexp, log1pf as log1p, log2f as log2,
            log10f as log10, logf as log, nextafterf as nextafter, powf as pow,
            remainderf as remainder, sinf as sin, sinhf as sinh, tanf as tan, tanhf as tanh,
            tgammaf as tgamma,
        };
        use libm::{
            acoshf as acosh_above_one, frexpf as frexp, lgammaf_r as lgamma_r, remquof as remquo,
        };

        pub(in crate::scalar) fn pown(x: f32, n: i32) -> f32 {
            libm::pow(f64::from(x), f64::from(n)) as f32
        }
        fn root(x: f32, n: i32) -> f32 {
            libm::pow(f64::from(x), 1.0 / f64::from(n)) as f32
        }
    };
    (@libm f64, _) => {
        pub(in crate::scalar) use libm::{
            acos, asin, asinh, atan, atan2, atanh, cbrt, copysign, cos, cosh, erf, erfc,
            exp, exp2, expm1, fdim, fma, fmax, fmin, fmod, hypot, ldexp, log, log1p, log2,
            log10, nextafter, pow, remainder, sin, sinh, tan, tanh, tgamma,
        };
        use libm::{acosh as acosh_above_one, frexp, lgamma_r, remquo};

        pub(in crate::scalar) fn pown(x: f64, n: i32) -> f64 {
            pow(x, f64::from(n))
        }
        /// A number of the magnitude of one has an accurate root: its exponent is divided apart.
        fn root(x: f64, n: i32) -> f64 {
            let exponent = if x.is_finite() { frexp(x).1 } else { 0 };
            let apart = exponent / n;
            ldexp(root_near_one(ldexp(x, -apart * n), n), apart)
        }
        /// One Newton step makes up for the rounding of 1 / n. For a large n that does not matter, and the power
        /// may leave the range.
        fn root_near_one(x: f64, n: i32) -> f64 {
            const LARGE: u32 = 512;
            let y = pow(x, 1.0 / f64::from(n));
            if n.unsigned_abs() > LARGE || x.is_infinite() {
                return y;
            }
            let ratio = pow(y, f64::from(n)) / x;
            y - y * (ratio - 1.0) / f64::from(n)
        }
    };
}

floats!(f32s, f32, i32, _);
floats!(f64s, f64, i64, _);

/// Halves: single precision, but where the neighbours of a half matter.
pub(super) mod f16s {
    pub(in crate::scalar) use super::f32s::*;
    use half::f16;
    use touchstone_ir::{half_value, nearest_half};

    pub(in crate::scalar) fn nextafter(x: f32, y: f32) -> f32 {
        if x.is_nan() || y.is_nan() {
            return f32::NAN;
        }
        if x == y {
            return y;
        }
        let bits = f16::from_f32(x).to_bits();
        let next = if x == 0.0 {
            if y > 0.0 { 1 } else { 0x8001 }
        } else if (x < y) == (x > 0.0) {
            bits + 1
        } else {
            bits - 1
        };
        f16::from_bits(next).to_f32()
    }

    pub(in crate::scalar) fn fract(x: f32) -> f32 {
        if x.is_finite() && x != 0.0 {
            (x - x.floor()).min(f16::from_bits(0x3bff).to_f32())
        } else {
            super::f32s::fract(x)
        }
    }

    /// Rounded once: a double holds the exact result, or one that rounds alike, since what it lacks is far
    /// below what a half has of the larger part.
    pub(in crate::scalar) fn fma(x: f32, y: f32, z: f32) -> f32 {
        let [x, y, z] = [x, y, z].map(f64::from);
        half_value(nearest_half(x.mul_add(y, z))) as f32
    }

    pub(in crate::scalar) fn is_normal(x: f32) -> bool {
        f16::from_f32(x).is_normal()
    }
}
