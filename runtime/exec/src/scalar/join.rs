//! How collective functions join values (OpenCL C section 6.15.18).

use super::convert::sign_extend;
use super::math::{self, Function};
use half::f16;
use touchstone_ir::{Intrinsic, RmwOp, Scalar};

/// What an exclusive scan has before there is a value.
pub(crate) fn identity(op: RmwOp, scalar: Scalar) -> u64 {
    let top = 1 << (scalar.bits() - 1);
    match op {
        RmwOp::And | RmwOp::UMin => scalar.mask(),
        RmwOp::SMin => scalar.mask() & !top,
        RmwOp::SMax => top,
        RmwOp::FMin => infinity(scalar),
        RmwOp::FMax => infinity(scalar) | top,
        RmwOp::Add
        | RmwOp::Sub
        | RmwOp::Or
        | RmwOp::Xor
        | RmwOp::UMax
        | RmwOp::FAdd
        | RmwOp::FSub
        | RmwOp::Exchange => 0,
    }
}

fn infinity(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => f16::INFINITY.to_bits().into(),
        Scalar::F64 => f64::INFINITY.to_bits(),
        Scalar::F32 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            f32::INFINITY.to_bits().into()
        }
    }
}

/// Two values joined.
pub(crate) fn join(op: RmwOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    let [x, y] = [a, b].map(|bits| sign_extend(scalar, bits));
    let least = |a_first: bool| if a_first { a } else { b };
    match op {
        RmwOp::Exchange => b,
        RmwOp::Add => a.wrapping_add(b) & scalar.mask(),
        RmwOp::Sub => a.wrapping_sub(b) & scalar.mask(),
        RmwOp::And => a & b,
        RmwOp::Or => a | b,
        RmwOp::Xor => a ^ b,
        RmwOp::SMin => least(x <= y),
        RmwOp::SMax => least(x >= y),
        RmwOp::UMin => a.min(b),
        RmwOp::UMax => a.max(b),
        RmwOp::FAdd => sum(scalar, a, b),
        RmwOp::FSub => sum(scalar, a, b ^ (1 << (scalar.bits() - 1))),
        RmwOp::FMin => by_intrinsic(Intrinsic::Fmin, scalar, a, b),
        RmwOp::FMax => by_intrinsic(Intrinsic::Fmax, scalar, a, b),
    }
}

/// All values joined, from the first on; 0 where there is none.
pub(crate) fn joined(op: RmwOp, scalar: Scalar, values: &[u64]) -> u64 {
    let Some((&first, rest)) = values.split_first() else {
        return 0;
    };
    let rest = rest.iter();
    // Those that are frequent, and that `join` would look up for each.
    match (op, scalar) {
        (RmwOp::Add, _) => rest.fold(first, |a, b| a.wrapping_add(*b)) & scalar.mask(),
        (RmwOp::FAdd, Scalar::F32) => rest.fold(first, |a, &b| sum(Scalar::F32, a, b)),
        (RmwOp::FAdd, Scalar::F64) => rest.fold(first, |a, &b| sum(Scalar::F64, a, b)),
        _ => rest.fold(first, |a, &b| join(op, scalar, a, b)),
    }
}

#[inline]
fn sum(scalar: Scalar, a: u64, b: u64) -> u64 {
    match scalar {
        Scalar::F16 => {
            let [a, b] = [a, b].map(|bits| f16::from_bits(bits as u16));
            (a + b).to_bits().into()
        }
        Scalar::F64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        Scalar::F32 | Scalar::Bool | Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
            let [a, b] = [a, b].map(|bits| f32::from_bits(bits as u32));
            (a + b).to_bits().into()
        }
    }
}

fn by_intrinsic(intrinsic: Intrinsic, scalar: Scalar, a: u64, b: u64) -> u64 {
    match math::function(intrinsic, scalar) {
        Some(Function::Two(f)) => f(a, b),
        Some(Function::One(_) | Function::Three(_)) | None => a,
    }
}
