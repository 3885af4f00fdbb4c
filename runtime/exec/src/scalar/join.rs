//! How collective functions join values (OpenCL C section 6.15.18).

use super::convert::sign_extend;
use super::math::{self, Function};
use half::f16;
use std::ops::Add;
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

/// The sum of floats: of as many partial ones as the processor makes at once, each of the values that are so far
/// apart; these are added from the first on. The standard leaves the order open.
fn total<T: Copy + Default + Add<Output = T>>(values: &[u64], of: impl Fn(u64) -> T) -> T {
    let Some((begun, rest)) = values.split_first_chunk::<8>() else {
        let all = values.iter().map(|&value| of(value));
        return all.reduce(|a, b| a + b).unwrap_or_default();
    };
    let mut parts = begun.map(&of);
    let rows = rest.chunks_exact(parts.len());
    let last = rows.remainder();
    for row in rows.chain([last]) {
        for (part, &value) in parts.iter_mut().zip(row) {
            *part = *part + of(value);
        }
    }
    parts.into_iter().reduce(|a, b| a + b).unwrap_or_default()
}

/// All values joined, from the first on but for sums of floats; 0 where there is none.
pub(crate) fn joined(op: RmwOp, scalar: Scalar, values: &[u64]) -> u64 {
    let Some((&first, rest)) = values.split_first() else {
        return 0;
    };
    let rest = rest.iter();
    // Those that are frequent, and that `join` would look up for each.
    match (op, scalar) {
        (RmwOp::Add, _) => rest.fold(first, |a, b| a.wrapping_add(*b)) & scalar.mask(),
        (RmwOp::FAdd, Scalar::F32) => {
            u64::from(total(values, |bits| f32::from_bits(bits as u32)).to_bits())
        }
        (RmwOp::FAdd, Scalar::F64) => total(values, f64::from_bits).to_bits(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value is part of a sum once, however many there are; a sum of negative zeros is one.
    #[test]
    fn sums_are_of_all_values() {
        for n in 1..40u16 {
            let total = f64::from(n) * f64::from(n + 1) / 2.0;
            let singles: Vec<u64> = (1..=n).map(|x| f32::from(x).to_bits().into()).collect();
            let sum = joined(RmwOp::FAdd, Scalar::F32, &singles);
            assert_eq!(sum, u64::from((total as f32).to_bits()), "{n}");
            let doubles: Vec<u64> = (1..=n).map(|x| f64::from(x).to_bits()).collect();
            let sum = joined(RmwOp::FAdd, Scalar::F64, &doubles);
            assert_eq!(sum, total.to_bits(), "{n}");
            let zeros = vec![(-0.0f64).to_bits(); n.into()];
            assert_eq!(joined(RmwOp::FAdd, Scalar::F64, &zeros), zeros[0]);
        }
    }
}
