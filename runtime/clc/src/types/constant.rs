//! Constants: arithmetic on the bits of scalars, exactly as executors do it. The checker folds
//! with it, and `#if` computes in `long` and `ulong`.

use super::Scalar;
use crate::operator::{ArithOp, CompareOp};
use std::ops::{Add, Div, Mul, Sub};
use touchstone_ir::{half_value, nearest_half};

/// The value of an integer's bits, sign-extended if it has a sign.
pub(crate) fn extend(bits: u64, scalar: Scalar) -> u64 {
    let width = scalar.ir().bits();
    if scalar.is_signed() && scalar.is_int() && width < 64 {
        let shift = 64 - width;
        (((bits << shift) as i64) >> shift) as u64
    } else {
        bits
    }
}

/// The bits of a scalar without those above its width.
pub(crate) fn mask(bits: u64, scalar: Scalar) -> u64 {
    bits & scalar.ir().mask()
}

/// A float's bits as a number.
fn float(bits: u64, scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float => Some(f64::from(f32::from_bits(bits as u32))),
        Scalar::Double => Some(f64::from_bits(bits)),
        Scalar::Half => Some(half_value(bits as u16)),
        _ => None,
    }
}

/// `x op y` of floats; None for operations of integers.
fn float_arith<T>(op: ArithOp, x: T, y: T) -> Option<T>
where
    T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    Some(match op {
        ArithOp::Add => x + y,
        ArithOp::Sub => x - y,
        ArithOp::Mul => x * y,
        ArithOp::Div => x / y,
        ArithOp::Rem | ArithOp::Shl | ArithOp::Shr | ArithOp::And | ArithOp::Or | ArithOp::Xor => {
            return None;
        }
    })
}

/// `a op b` in `scalar`; None where it is not a constant (division by zero).
pub(crate) fn arith(op: ArithOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    match scalar {
        Scalar::Float => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            return float_arith(op, x, y).map(|r| u64::from(r.to_bits()));
        }
        Scalar::Double => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            return float_arith(op, x, y).map(f64::to_bits);
        }
        // A double holds the result, or one that rounds alike: it has more than twice the digits.
        Scalar::Half => {
            let (x, y) = (half_value(a as u16), half_value(b as u16));
            return float_arith(op, x, y).map(|r| nearest_half(r).into());
        }
        _ => {}
    }
    let (x, y) = (extend(a, scalar), extend(b, scalar));
    let (sx, sy) = (x as i64, y as i64);
    // The count of a shift is taken modulo the width (OpenCL C 6.5).
    let count = (b & u64::from(scalar.ir().bits() - 1)) as u32;
    let signed = scalar.is_signed();
    let r = match op {
        ArithOp::Add => x.wrapping_add(y),
        ArithOp::Sub => x.wrapping_sub(y),
        ArithOp::Mul => x.wrapping_mul(y),
        ArithOp::Div | ArithOp::Rem if y == 0 => return None,
        ArithOp::Div if signed => sx.wrapping_div(sy) as u64,
        ArithOp::Div => x / y,
        ArithOp::Rem if signed => sx.wrapping_rem(sy) as u64,
        ArithOp::Rem => x % y,
        ArithOp::Shl => x << count,
        ArithOp::Shr if signed => (sx >> count) as u64,
        ArithOp::Shr => x >> count,
        ArithOp::And => x & y,
        ArithOp::Or => x | y,
        ArithOp::Xor => x ^ y,
    };
    Some(mask(r, scalar))
}

/// `a op b` of two values of one type.
pub(crate) fn compare(op: CompareOp, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    let order = if scalar.is_float() {
        let (x, y) = (float(a, scalar)?, float(b, scalar)?);
        match x.partial_cmp(&y) {
            Some(order) => order,
            None => return Some(op == CompareOp::Ne),
        }
    } else if scalar.is_signed() {
        (extend(a, scalar) as i64).cmp(&(extend(b, scalar) as i64))
    } else {
        a.cmp(&b)
    };
    Some(match op {
        CompareOp::Lt => order.is_lt(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Ge => order.is_ge(),
        CompareOp::Eq => order.is_eq(),
        CompareOp::Ne => order.is_ne(),
    })
}

/// A value of one type as a value of another; None where C leaves it undefined.
pub(crate) fn convert(bits: u64, from: Scalar, to: Scalar) -> Option<u64> {
    if from == to {
        return Some(bits);
    }
    if to == Scalar::Bool {
        return Some(truth(bits, from).into());
    }
    let Some(value) = float(bits, from) else {
        let whole = extend(bits, from);
        let signed = from.is_signed();
        return Some(match to {
            Scalar::Float if signed => (whole as i64 as f32).to_bits().into(),
            Scalar::Float => (whole as f32).to_bits().into(),
            Scalar::Double if signed => (whole as i64 as f64).to_bits(),
            Scalar::Double => (whole as f64).to_bits(),
            // Numbers that a double does not hold are beyond the halves.
            Scalar::Half if signed => nearest_half(whole as i64 as f64).into(),
            Scalar::Half => nearest_half(whole as f64).into(),
            _ => mask(whole, to),
        });
    };
    match to {
        Scalar::Float => Some((value as f32).to_bits().into()),
        Scalar::Double => Some(value.to_bits()),
        Scalar::Half => Some(nearest_half(value).into()),
        _ => {
            let whole = value.trunc();
            let width = i32::try_from(to.ir().bits()).unwrap_or(64);
            if to.is_signed() {
                let limit = 2f64.powi(width - 1);
                (-limit..limit)
                    .contains(&whole)
                    .then(|| mask(whole as i64 as u64, to))
            } else {
                (0.0..2f64.powi(width))
                    .contains(&whole)
                    .then(|| mask(whole as u64, to))
            }
        }
    }
}

/// Whether a constant counts as true.
pub(crate) fn truth(bits: u64, scalar: Scalar) -> bool {
    match float(bits, scalar) {
        Some(value) => value != 0.0,
        None => bits != 0,
    }
}
