//! Arithmetic, logic, comparisons, choices.

use super::function::Body;
use super::reader::{id, result_type};
use super::{Check, ensure};
use rspirv::dr::Instruction;
use rspirv::spirv::Op as Code;
use touchstone_faults::{Fault, on};
use touchstone_ir::{
    self as ir, Cmp, Const, FloatOp, IntOp, Intrinsic, NumKind, Op, Operand, Scalar, UnaryOp,
};

fn int_op(code: Code) -> Option<IntOp> {
    Some(match code {
        Code::IAdd => IntOp::Add,
        Code::ISub => IntOp::Sub,
        Code::IMul => IntOp::Mul,
        Code::UDiv => IntOp::UDiv,
        Code::SDiv => IntOp::SDiv,
        Code::UMod => IntOp::URem,
        Code::SRem => IntOp::SRem,
        Code::BitwiseAnd | Code::LogicalAnd => IntOp::And,
        Code::BitwiseOr | Code::LogicalOr => IntOp::Or,
        Code::BitwiseXor => IntOp::Xor,
        _ => return None,
    })
}

fn shift(code: Code) -> Option<IntOp> {
    Some(match code {
        Code::ShiftLeftLogical => IntOp::Shl,
        Code::ShiftRightLogical => IntOp::LShr,
        Code::ShiftRightArithmetic if on(Fault::IlSignLost) => IntOp::LShr,
        Code::ShiftRightArithmetic => IntOp::AShr,
        _ => return None,
    })
}

fn float_op(code: Code) -> Option<FloatOp> {
    Some(match code {
        Code::FAdd => FloatOp::Add,
        Code::FSub => FloatOp::Sub,
        Code::FMul => FloatOp::Mul,
        Code::FDiv => FloatOp::Div,
        _ => return None,
    })
}

fn unary(code: Code) -> Option<UnaryOp> {
    Some(match code {
        Code::SNegate => UnaryOp::Neg,
        Code::FNegate => UnaryOp::FNeg,
        Code::Not | Code::LogicalNot => UnaryOp::Not,
        _ => return None,
    })
}

/// The comparison of an instruction, and whether it is the opposite of it: one that is true of NaN is, but for "not
/// equal".
fn comparison(code: Code) -> Option<(Cmp, bool)> {
    Some(match code {
        Code::IEqual | Code::LogicalEqual | Code::PtrEqual => (Cmp::Eq, false),
        Code::INotEqual | Code::LogicalNotEqual | Code::PtrNotEqual => (Cmp::Ne, false),
        Code::SLessThan => (Cmp::SLt, false),
        Code::SLessThanEqual => (Cmp::SLe, false),
        Code::SGreaterThan => (Cmp::SGt, false),
        Code::SGreaterThanEqual => (Cmp::SGe, false),
        Code::ULessThan => (Cmp::ULt, false),
        Code::ULessThanEqual => (Cmp::ULe, false),
        Code::UGreaterThan => (Cmp::UGt, false),
        Code::UGreaterThanEqual => (Cmp::UGe, false),
        Code::FOrdEqual => (Cmp::FEq, false),
        Code::FUnordEqual => (Cmp::FLtGt, true),
        Code::FOrdNotEqual | Code::LessOrGreater => (Cmp::FLtGt, false),
        Code::FUnordNotEqual => (Cmp::FNe, false),
        Code::FOrdLessThan => (Cmp::FLt, false),
        Code::FUnordLessThan => (Cmp::FGe, true),
        Code::FOrdLessThanEqual => (Cmp::FLe, false),
        Code::FUnordLessThanEqual => (Cmp::FGt, true),
        Code::FOrdGreaterThan => (Cmp::FGt, false),
        Code::FUnordGreaterThan => (Cmp::FLe, true),
        Code::FOrdGreaterThanEqual => (Cmp::FGe, false),
        Code::FUnordGreaterThanEqual => (Cmp::FLt, true),
        Code::Ordered => (Cmp::FOrdered, false),
        Code::Unordered => (Cmp::FUnordered, false),
        _ => return None,
    })
}

/// What tells something about one float.
fn test(code: Code) -> Option<Intrinsic> {
    Some(match code {
        Code::IsNan => Intrinsic::Isnan,
        Code::IsInf => Intrinsic::Isinf,
        Code::IsFinite => Intrinsic::Isfinite,
        Code::IsNormal => Intrinsic::Isnormal,
        Code::SignBitSet => Intrinsic::Signbit,
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Reads an instruction that computes numbers of numbers; false if it is none.
    pub(super) fn arithmetic(&mut self, inst: &Instruction) -> Check<bool> {
        let code = inst.class.opcode;
        let value: Operand = if let Some(op) = int_op(code) {
            let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
            let ty = self.own_type(inst)?;
            self.b.emit(ty, Op::Int(op, a, b)).into()
        } else if let Some(op) = float_op(code) {
            let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
            let ty = self.own_type(inst)?;
            self.b.emit(ty, Op::Float(op, a, b)).into()
        } else if let Some(op) = unary(code) {
            let (a, ty) = (self.arg(inst, 0)?, self.own_type(inst)?);
            self.b.emit(ty, Op::Unary(op, a)).into()
        } else if let Some(op) = shift(code) {
            let (a, ty) = (self.arg(inst, 0)?, self.own_type(inst)?);
            let by = self.arg(inst, 1)?;
            let by = self.integer_as(by, ty, NumKind::Unsigned);
            self.b.emit(ty, Op::Int(op, a, by)).into()
        } else if let Some((cmp, opposite)) = comparison(code) {
            let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
            let truth = self.b.compare(cmp, a, b).into();
            let truth = self.truth(truth);
            match opposite {
                true => self.b.unary(UnaryOp::Not, truth).into(),
                false => truth,
            }
        } else if let Some(intrinsic) = test(code) {
            let a = self.arg(inst, 0)?;
            let truth = self.b.intrinsic(intrinsic, vec![a]).into();
            self.truth(truth)
        } else {
            return self.other_arithmetic(inst);
        };
        self.set(inst, value)?;
        Ok(true)
    }

    fn other_arithmetic(&mut self, inst: &Instruction) -> Check<bool> {
        let value = match inst.class.opcode {
            Code::SMod => self.floored(inst)?,
            Code::FMod => self.float_mod(inst)?,
            Code::FRem => {
                let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
                let ty = self.own_type(inst)?;
                let op = Op::Intrinsic(Intrinsic::Fmod, vec![a, b]);
                self.b.emit(ty, op).into()
            }
            Code::VectorTimesScalar => {
                let (a, b, ty) = (self.arg(inst, 0)?, self.arg(inst, 1)?, self.own_type(inst)?);
                let b = self.b.emit(ty, Op::Splat(b)).into();
                self.b.emit(ty, Op::Float(FloatOp::Mul, a, b)).into()
            }
            Code::Dot => {
                let args = vec![self.c_arg(inst, 0, true)?, self.c_arg(inst, 1, true)?];
                self.call_c(inst, "dot", true, args)?;
                return Ok(true);
            }
            Code::BitFieldInsert | Code::BitFieldUExtract => {
                let name = match inst.class.opcode {
                    Code::BitFieldInsert => "bitfield_insert",
                    _ => "bitfield_extract_unsigned",
                };
                self.call_c_all(inst, name, false)?;
                return Ok(true);
            }
            Code::BitFieldSExtract => {
                self.call_c_all(inst, "bitfield_extract_signed", true)?;
                return Ok(true);
            }
            Code::BitReverse => {
                self.call_c_all(inst, "bit_reverse", false)?;
                return Ok(true);
            }
            Code::SDot
            | Code::UDot
            | Code::SUDot
            | Code::SDotAccSat
            | Code::UDotAccSat
            | Code::SUDotAccSat => {
                self.integer_dot(inst)?;
                return Ok(true);
            }
            Code::BitCount => {
                let a = self.arg(inst, 0)?;
                let ty = self.b.type_of(a);
                let op = Op::Intrinsic(Intrinsic::Popcount, vec![a]);
                let count = self.b.emit(ty, op).into();
                let own = self.own_type(inst)?;
                self.integer_as(count, own, NumKind::Unsigned)
            }
            Code::Any | Code::All => {
                let a = self.arg(inst, 0)?;
                let intrinsic = match inst.class.opcode {
                    Code::Any => Intrinsic::Any,
                    _ => Intrinsic::All,
                };
                match self.b.type_of(a) {
                    ir::Type::Vector(..) => self.b.intrinsic(intrinsic, vec![a]).into(),
                    ir::Type::Scalar(_) | ir::Type::Pointer(_) => a,
                }
            }
            Code::Select => self.select(inst)?,
            Code::IAddCarry | Code::ISubBorrow | Code::UMulExtended | Code::SMulExtended => {
                self.extended_arithmetic(inst)?
            }
            _ => return Ok(false),
        };
        self.set(inst, value)?;
        Ok(true)
    }

    /// `OpSMod`: a remainder with the sign of the divisor.
    fn floored(&mut self, inst: &Instruction) -> Check<Operand> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let ty = self.own_type(inst)?;
        let zero = self.zero(ty);
        let r = self.b.emit(ty, Op::Int(IntOp::SRem, a, b));
        let signs = self.b.int(IntOp::Xor, r, b);
        let differ = self.b.compare(Cmp::SLt, signs, zero);
        let some = self.b.compare(Cmp::Ne, r, zero);
        let moved = self.b.int(IntOp::And, differ, some);
        let sum = self.b.int(IntOp::Add, r, b);
        Ok(self
            .b
            .emit(ty, Op::Select(moved.into(), sum.into(), r.into()))
            .into())
    }

    /// `OpFMod`: the same of floats.
    fn float_mod(&mut self, inst: &Instruction) -> Check<Operand> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let ty = self.own_type(inst)?;
        let zero = Const::scalar(ty.element().unwrap_or(Scalar::F32), 0).into();
        let zero = match ty {
            ir::Type::Vector(..) => self.b.emit(ty, Op::Splat(zero)).into(),
            ir::Type::Scalar(_) | ir::Type::Pointer(_) => zero,
        };
        let op = Op::Intrinsic(Intrinsic::Fmod, vec![a, b]);
        let r: Operand = self.b.emit(ty, op).into();
        let [r_negative, b_negative] = [r, b].map(|v| self.b.compare(Cmp::FLt, v, zero));
        let differ = self.b.compare(Cmp::Ne, r_negative, b_negative);
        let some = self.b.compare(Cmp::FNe, r, zero);
        let moved = self.b.int(IntOp::And, differ, some).into();
        let sum = self.b.emit(ty, Op::Float(FloatOp::Add, r, b)).into();
        Ok(self.b.emit(ty, Op::Select(moved, sum, r)).into())
    }

    fn select(&mut self, inst: &Instruction) -> Check<Operand> {
        let cond = self.arg(inst, 0)?;
        let (a, b) = (self.arg(inst, 1)?, self.arg(inst, 2)?);
        let ty = result_type(inst)?;
        if self.reader.ty(ty)?.is_aggregate() {
            // Addresses of one space: copies are private.
            let (a, b) = (self.copied(ty, a)?, self.copied(ty, b)?);
            return Ok(self.b.select(cond, a, b).into());
        }
        let register = self.reader.register(ty)?;
        Ok(self.b.emit(register, Op::Select(cond, a, b)).into())
    }

    /// Instructions whose result has two members: the low and the high part.
    fn extended_arithmetic(&mut self, inst: &Instruction) -> Check<Operand> {
        let (a, b) = (self.arg(inst, 0)?, self.arg(inst, 1)?);
        let ty = self.b.type_of(a);
        ensure!(
            ty.is_int() && ty == self.b.type_of(b),
            "its operands are no integers of one type"
        );
        let one = Const::scalar(ty.element().unwrap_or(Scalar::I32), 1);
        let (low, high): (Operand, Operand) = match inst.class.opcode {
            Code::UMulExtended | Code::SMulExtended => {
                let high = match inst.class.opcode {
                    Code::UMulExtended => Intrinsic::UMulHi,
                    _ => Intrinsic::SMulHi,
                };
                let low = self.b.int(IntOp::Mul, a, b);
                (low.into(), self.b.intrinsic(high, vec![a, b]).into())
            }
            code => {
                let (op, less) = match code {
                    Code::IAddCarry => (IntOp::Add, None),
                    _ => (IntOp::Sub, Some(a)),
                };
                let low = self.b.int(op, a, b);
                let over = self.b.compare(Cmp::ULt, less.unwrap_or(low.into()), b);
                let zero = self.zero(ty);
                let one = match ty {
                    ir::Type::Vector(_, lanes) => self.b.splat(one, lanes).into(),
                    ir::Type::Scalar(_) | ir::Type::Pointer(_) => Operand::from(one),
                };
                (low.into(), self.b.select(over, one, zero).into())
            }
        };
        let own = result_type(inst)?;
        let room = self.room(own)?;
        for (n, part) in [low, high].into_iter().enumerate() {
            let (_, offset) = self.reader.part(own, n as u64)?;
            let place = self.b.ptr_offset(room, offset as i64);
            self.b.store(place, part);
        }
        Ok(room)
    }

    /// The truth of a comparison as values of booleans are: elements of vectors are bytes.
    pub(super) fn truth(&mut self, truth: Operand) -> Operand {
        match self.b.type_of(truth) {
            ir::Type::Vector(scalar, lanes) if scalar != Scalar::I8 => {
                let bytes = ir::Type::Vector(Scalar::I8, lanes);
                self.integer_as(truth, bytes, NumKind::Signed)
            }
            _ => truth,
        }
    }

    /// The id of an operand of an instruction, for messages.
    pub(super) fn arg_name(&self, inst: &Instruction, n: usize) -> String {
        id(inst, n).map_or_else(|_| "it".into(), |id| self.reader.name(id))
    }
}
