//! Functions that C99 does not have, or of which OpenCL says more: what they are of real numbers, edge cases included
//! ("Additional Requirements Beyond C99 TC2").

use std::f64::consts::PI;

/// A number's remainder by 2, of its sign.
fn half_turns(x: f64) -> f64 {
    libm::fmod(x, 2.0)
}

/// `sinpi`.
pub fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x == x.trunc() {
        return 0f64.copysign(x);
    }
    let turns = half_turns(x.abs());
    let (turns, sign) = if turns > 1.0 {
        (turns - 1.0, -1.0)
    } else {
        (turns, 1.0)
    };
    // From 0 to 1, exactly: the distance from the nearer end.
    let near = turns.min(1.0 - turns);
    let sine = match near <= 0.25 {
        true => libm::sin(PI * near),
        false => libm::cos(PI * (0.5 - near)),
    };
    sine * sign * 1f64.copysign(x)
}

/// `cospi`.
pub fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let turns = half_turns(x.abs());
    let turns = turns.min(2.0 - turns);
    // From 0 to 1, where the cosine falls from 1 to -1.
    if turns == 0.5 {
        return 0.0;
    }
    let (near, sign) = if turns > 0.5 {
        (1.0 - turns, -1.0)
    } else {
        (turns, 1.0)
    };
    sign * match near <= 0.25 {
        true => libm::cos(PI * near),
        false => libm::sin(PI * (0.5 - near)),
    }
}

/// `tanpi`.
pub fn tanpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let turns = half_turns(x);
    if turns == turns.trunc() {
        let odd = turns != 0.0;
        let sign = if odd { -x } else { x };
        return 0f64.copysign(sign);
    }
    if (turns * 2.0) == (turns * 2.0).trunc() {
        // n + 0.5 with n even is a pole from the left of which the tangent is positive.
        let even = turns == 0.5 || turns == -1.5;
        return if even {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        };
    }
    sinpi(x) / cospi(x)
}

/// `acosh`.
pub fn acosh(x: f64) -> f64 {
    match x < 1.0 {
        true => f64::NAN,
        false => libm::acosh(x),
    }
}

/// `powr`.
pub fn powr(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return match y {
            0.0 => f64::NAN,
            y if y < 0.0 => f64::INFINITY,
            _ => 0.0,
        };
    }
    if x.is_infinite() && y == 0.0 || x == 1.0 && y.is_infinite() {
        return f64::NAN;
    }
    libm::pow(x, y)
}

/// `rootn`.
pub fn rootn(x: f64, n: i32) -> f64 {
    if x.is_nan() || n == 0 {
        return f64::NAN;
    }
    let odd = n % 2 != 0;
    if x == 0.0 {
        let size = if n < 0 { f64::INFINITY } else { 0.0 };
        return if odd { size.copysign(x) } else { size };
    }
    if x < 0.0 && !odd {
        return f64::NAN;
    }
    if x.is_infinite() {
        let size = if n < 0 { 0.0 } else { f64::INFINITY };
        return size.copysign(x);
    }
    // Of the exponent as much is taken out as is a multiple of n: the logarithm of what is left is not greater than n, so
    // that the error of its quotient is small.
    let (fraction, exponent) = libm::frexp(x.abs());
    let size = i64::from(n).abs();
    let whole = i64::from(exponent) / size;
    let rest = libm::ldexp(fraction, (i64::from(exponent) % size) as i32);
    let root = libm::ldexp(libm::pow(rest, 1.0 / size as f64), whole as i32);
    let root = if n < 0 { 1.0 / root } else { root };
    root.copysign(x)
}

/// `fmax`, or `fmin`: the greater of two numbers by a sign of 1, the lesser by -1; `None` for zeros of both signs, either of
/// which is right.
pub fn extreme(x: f64, y: f64, sign: f64) -> Option<f64> {
    if x.is_nan() || y.is_nan() {
        return Some(if x.is_nan() { y } else { x });
    }
    if x == 0.0 && y == 0.0 && x.is_sign_negative() != y.is_sign_negative() {
        return None;
    }
    Some(if (x - y) * sign >= 0.0 || x == y {
        x
    } else {
        y
    })
}

/// The integral quotient and remainder of `remquo`, the quotient by its lowest seven bits with the sign of `x / y`.
pub fn remquo(x: f64, y: f64) -> (f64, i32) {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return (f64::NAN, 0);
    }
    let (rest, quotient) = libm::remquo(x, y);
    (rest, quotient.abs() % 128 * quotient.signum())
}
