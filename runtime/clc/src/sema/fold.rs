//! Constants: arithmetic on the bits of scalars, exactly as executors do it.

use super::Sema;
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind};
use crate::types::{Qual, Scalar};
use std::ops::{Add, Div, Mul, Sub};

/// The value of an integer's bits, sign-extended if it has a sign.
pub(super) fn extend(bits: u64, scalar: Scalar) -> u64 {
    let width = scalar.ir().bits();
    if scalar.is_signed() && scalar.is_int() && width < 64 {
        let shift = 64 - width;
        (((bits << shift) as i64) >> shift) as u64
    } else {
        bits
    }
}

fn mask(bits: u64, scalar: Scalar) -> u64 {
    bits & scalar.ir().mask()
}

/// A float's bits as a number.
fn float(bits: u64, scalar: Scalar) -> Option<f64> {
    match scalar {
        Scalar::Float => Some(f64::from(f32::from_bits(bits as u32))),
        Scalar::Double => Some(f64::from_bits(bits)),
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

/// `a op b` in `scalar`; None where it is not a constant (division by zero, `half`).
pub(super) fn arith(op: ArithOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    match scalar {
        Scalar::Float => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            return float_arith(op, x, y).map(|r| u64::from(r.to_bits()));
        }
        Scalar::Double => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            return float_arith(op, x, y).map(f64::to_bits);
        }
        Scalar::Half => return None,
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
pub(super) fn compare(op: CompareOp, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
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
pub(super) fn convert(bits: u64, from: Scalar, to: Scalar) -> Option<u64> {
    if from == to {
        return Some(bits);
    }
    if from == Scalar::Half || to == Scalar::Half {
        return None;
    }
    if to == Scalar::Bool {
        return Some(match float(bits, from) {
            Some(value) => u64::from(value != 0.0),
            None => u64::from(bits != 0),
        });
    }
    match (float(bits, from), to) {
        (Some(value), Scalar::Float) => Some(u64::from((value as f32).to_bits())),
        (Some(value), Scalar::Double) => Some(value.to_bits()),
        (Some(value), _) => {
            let whole = value.trunc();
            let width = i32::try_from(to.ir().bits()).unwrap_or(64);
            let (low, high) = if to.is_signed() {
                (-(2f64.powi(width - 1)), 2f64.powi(width - 1))
            } else {
                (0.0, 2f64.powi(width))
            };
            if !(whole >= low && whole < high) {
                return None;
            }
            let bits = if to.is_signed() {
                whole as i64 as u64
            } else {
                whole as u64
            };
            Some(mask(bits, to))
        }
        (None, Scalar::Float) => {
            let x = extend(bits, from);
            let value = if from.is_signed() {
                x as i64 as f32
            } else {
                x as f32
            };
            Some(u64::from(value.to_bits()))
        }
        (None, Scalar::Double) => {
            let x = extend(bits, from);
            let value = if from.is_signed() {
                x as i64 as f64
            } else {
                x as f64
            };
            Some(value.to_bits())
        }
        (None, _) => Some(mask(extend(bits, from), to)),
    }
}

/// Whether a constant counts as true.
pub(super) fn truth(bits: u64, scalar: Scalar) -> bool {
    match float(bits, scalar) {
        Some(value) => value != 0.0,
        None => bits != 0,
    }
}

impl Sema<'_> {
    pub(super) fn extended(&self, bits: u64, scalar: Scalar) -> u64 {
        extend(bits, scalar)
    }

    /// The bits and type of a scalar constant.
    pub(super) fn constant(&self, expr: &Expr) -> Option<(u64, Scalar)> {
        match expr.kind {
            ExprKind::Const(bits) => Some((bits, self.types.as_scalar(expr.qual)?)),
            _ => None,
        }
    }

    /// The bits and type of an integer constant.
    pub(super) fn int_constant(&self, expr: &Expr) -> Option<(u64, Scalar)> {
        self.constant(expr).filter(|(_, scalar)| scalar.is_int())
    }

    /// A constant of a scalar type.
    pub(super) fn constant_of(&mut self, bits: u64, scalar: Scalar, like: &Expr) -> Expr {
        Expr {
            kind: ExprKind::Const(mask(bits, scalar)),
            qual: self.types.scalar(scalar),
            lvalue: false,
            loc: like.loc,
        }
    }

    /// An integer constant.
    pub(super) fn number(&mut self, value: u64, scalar: Scalar, loc: crate::source::Loc) -> Expr {
        Expr {
            kind: ExprKind::Const(mask(value, scalar)),
            qual: self.types.scalar(scalar),
            lvalue: false,
            loc,
        }
    }

    /// A value, as an rvalue.
    pub(super) fn value(&self, kind: ExprKind, qual: Qual, loc: crate::source::Loc) -> Expr {
        Expr {
            kind,
            qual: qual.value(),
            lvalue: false,
            loc,
        }
    }
}
