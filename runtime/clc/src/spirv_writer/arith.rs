//! Arithmetic, comparisons, choices.

use super::Check;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::spirv::Op;
use touchstone_ir::{AddressSpace, Cmp, Const, FloatOp, IntOp, Operand, Scalar, Type, UnaryOp};

/// The instruction of an operation on integers.
fn int_code(op: IntOp) -> Op {
    match op {
        IntOp::Add => Op::IAdd,
        IntOp::Sub => Op::ISub,
        IntOp::Mul => Op::IMul,
        IntOp::SDiv => Op::SDiv,
        IntOp::UDiv => Op::UDiv,
        IntOp::SRem => Op::SRem,
        IntOp::URem => Op::UMod,
        IntOp::And => Op::BitwiseAnd,
        IntOp::Or => Op::BitwiseOr,
        IntOp::Xor => Op::BitwiseXor,
        IntOp::Shl => Op::ShiftLeftLogical,
        IntOp::AShr => Op::ShiftRightArithmetic,
        IntOp::LShr => Op::ShiftRightLogical,
    }
}

/// The instruction of a comparison of integers, addresses or floats.
fn comparison(cmp: Cmp) -> Op {
    match cmp {
        Cmp::Eq => Op::IEqual,
        Cmp::Ne => Op::INotEqual,
        Cmp::SLt => Op::SLessThan,
        Cmp::SLe => Op::SLessThanEqual,
        Cmp::SGt => Op::SGreaterThan,
        Cmp::SGe => Op::SGreaterThanEqual,
        Cmp::ULt => Op::ULessThan,
        Cmp::ULe => Op::ULessThanEqual,
        Cmp::UGt => Op::UGreaterThan,
        Cmp::UGe => Op::UGreaterThanEqual,
        Cmp::FEq => Op::FOrdEqual,
        Cmp::FNe => Op::FUnordNotEqual,
        Cmp::FLt => Op::FOrdLessThan,
        Cmp::FLe => Op::FOrdLessThanEqual,
        Cmp::FGt => Op::FOrdGreaterThan,
        Cmp::FGe => Op::FOrdGreaterThanEqual,
        Cmp::FLtGt => Op::FOrdNotEqual,
        Cmp::FOrdered => Op::Ordered,
        Cmp::FUnordered => Op::Unordered,
    }
}

impl Body<'_, '_> {
    /// An operation on integers, or a bitwise one on truths.
    pub(super) fn int(&mut self, ty: Type, op: IntOp, a: Operand, b: Operand) -> Check<Id> {
        let (left, mut right) = (self.value(a)?, self.value(b)?);
        let code = match (ty, op) {
            (Type::BOOL, IntOp::And) => Op::LogicalAnd,
            (Type::BOOL, IntOp::Or) => Op::LogicalOr,
            (Type::BOOL, _) => Op::LogicalNotEqual,
            _ => int_code(op),
        };
        if let IntOp::Shl | IntOp::AShr | IntOp::LShr = op {
            right = self.count(ty, b, right);
        }
        Ok(self.compute(code, ty, &[left, right]))
    }

    /// The count of a shift, modulo the width: what more does is not defined in SPIR-V.
    fn count(&mut self, ty: Type, by: Operand, value: Id) -> Id {
        let most = u64::from(ty.element().map_or(64, Scalar::bits)) - 1;
        if let Operand::Const(by) = by
            && by.bits() <= most
        {
            return value;
        }
        let most = self.writer.words.same(ty, most);
        self.compute(Op::BitwiseAnd, ty, &[value, most])
    }

    /// An operation on floats.
    pub(super) fn float(&mut self, ty: Type, op: FloatOp, a: Operand, b: Operand) -> Check<Id> {
        let code = match op {
            FloatOp::Add => Op::FAdd,
            FloatOp::Sub => Op::FSub,
            FloatOp::Mul => Op::FMul,
            FloatOp::Div => Op::FDiv,
        };
        let (a, b) = (self.value(a)?, self.value(b)?);
        Ok(self.compute(code, ty, &[a, b]))
    }

    /// An operation with one operand.
    pub(super) fn unary(&mut self, ty: Type, op: UnaryOp, a: Operand) -> Check<Id> {
        let code = match op {
            UnaryOp::Neg => Op::SNegate,
            UnaryOp::FNeg => Op::FNegate,
            UnaryOp::Not if ty == Type::BOOL => Op::LogicalNot,
            UnaryOp::Not => Op::Not,
        };
        let a = self.value(a)?;
        Ok(self.compute(code, ty, &[a]))
    }

    /// A comparison: a truth, or a vector of integers.
    pub(super) fn compare(&mut self, cmp: Cmp, a: Operand, b: Operand) -> Check<Id> {
        let ty = self.type_of(a)?;
        let (code, [a, b]) = match ty {
            Type::BOOL => {
                let code = match cmp {
                    Cmp::Eq => Op::LogicalEqual,
                    _ => Op::LogicalNotEqual,
                };
                (code, [self.value(a)?, self.value(b)?])
            }
            // The null pointer may be one of another space.
            Type::Pointer(_) => (comparison(cmp), [self.address(a)?, self.address(b)?]),
            Type::Scalar(_) | Type::Vector(..) => {
                (comparison(cmp), [self.value(a)?, self.value(b)?])
            }
        };
        let truths = self.writer.words.truths(ty);
        let truths = self.emit(code, truths, ids(&[a, b]));
        Ok(self.as_integers(ty.compare_result(), truths))
    }

    /// Truths as what the IR has: integers, 0 or -1, where there are several.
    pub(super) fn as_integers(&mut self, ty: Type, truths: Id) -> Id {
        if let Type::Scalar(_) | Type::Pointer(_) = ty {
            return truths;
        }
        let bits = ty.element().map_or(0, Scalar::mask);
        let [yes, no] = [bits, 0].map(|bits| self.writer.words.same(ty, bits));
        self.compute(Op::Select, ty, &[truths, yes, no])
    }

    /// Which elements of a vector of integers have a top bit that is 1.
    pub(super) fn top_bits(&mut self, value: Operand) -> Check<Id> {
        let ty = self.type_of(value)?;
        let value = self.value(value)?;
        let zero = self.writer.words.same(ty, 0);
        let truths = self.writer.words.truths(ty);
        Ok(self.emit(Op::SLessThan, truths, ids(&[value, zero])))
    }

    /// An address as a number.
    pub(super) fn address(&mut self, pointer: Operand) -> Check<Id> {
        if let Operand::Const(Const::Null(_)) = pointer {
            let null = Const::Null(AddressSpace::Global);
            let null = self.writer.words.constant(null);
            return Ok(self.compute(Op::ConvertPtrToU, Type::I64, &[null]));
        }
        let pointer = self.value(pointer)?;
        Ok(self.compute(Op::ConvertPtrToU, Type::I64, &[pointer]))
    }

    /// One of two values.
    pub(super) fn select(&mut self, ty: Type, c: Operand, a: Operand, b: Operand) -> Check<Id> {
        let truths = match (self.type_of(c)?, ty) {
            // Before version 1.4 each element is chosen by a truth of its own.
            (Type::BOOL, Type::Vector(_, lanes)) => {
                let one = self.value(c)?;
                let all = vec![one; lanes.count() as usize];
                let truths = self.writer.words.truths(ty);
                self.emit(Op::CompositeConstruct, truths, ids(&all))
            }
            (Type::BOOL, _) => self.value(c)?,
            _ => self.top_bits(c)?,
        };
        let (a, b) = (self.value(a)?, self.value(b)?);
        Ok(self.compute(Op::Select, ty, &[truths, a, b]))
    }
}
