//! Functions of the library that are instructions: those of the work-items of a sub-group that are present.

use super::Check;
use super::function::Body;
use super::words::Id;
use rspirv::spirv::{BuiltIn, Capability, GroupOperation, Op, Scope};
use touchstone_ir::{Lanes, Operand, Scalar, Type};

/// How the names of the functions begin.
const LIBRARY: &str = "__";
const SUB_GROUP: &str = "__sub_group_";

/// A ballot.
const BITS: Type = Type::Vector(Scalar::I32, Lanes::L4);

/// The built-in variable with a bit for each work-item.
fn mask(name: &str) -> Option<BuiltIn> {
    Some(match name {
        "eq_mask" => BuiltIn::SubgroupEqMask,
        "ge_mask" => BuiltIn::SubgroupGeMask,
        "gt_mask" => BuiltIn::SubgroupGtMask,
        "le_mask" => BuiltIn::SubgroupLeMask,
        "lt_mask" => BuiltIn::SubgroupLtMask,
        _ => return None,
    })
}

/// A type as the names of functions spell it, and whether its integers have signs.
fn number(name: &str) -> Option<(Scalar, bool)> {
    Some(match name {
        "char" => (Scalar::I8, true),
        "uchar" => (Scalar::I8, false),
        "short" => (Scalar::I16, true),
        "ushort" => (Scalar::I16, false),
        "int" => (Scalar::I32, true),
        "uint" => (Scalar::I32, false),
        "long" => (Scalar::I64, true),
        "ulong" => (Scalar::I64, false),
        "half" => (Scalar::F16, true),
        "float" => (Scalar::F32, true),
        "double" => (Scalar::F64, true),
        _ => return None,
    })
}

/// The instruction that joins numbers.
fn joins(op: &str, scalar: Scalar, signed: bool) -> Option<Op> {
    Some(match (op, scalar.is_float(), signed) {
        ("add", true, _) => Op::GroupNonUniformFAdd,
        ("add", false, _) => Op::GroupNonUniformIAdd,
        ("mul", true, _) => Op::GroupNonUniformFMul,
        ("mul", false, _) => Op::GroupNonUniformIMul,
        ("min", true, _) => Op::GroupNonUniformFMin,
        ("min", false, true) => Op::GroupNonUniformSMin,
        ("min", false, false) => Op::GroupNonUniformUMin,
        ("max", true, _) => Op::GroupNonUniformFMax,
        ("max", false, true) => Op::GroupNonUniformSMax,
        ("max", false, false) => Op::GroupNonUniformUMax,
        ("and", ..) => Op::GroupNonUniformBitwiseAnd,
        ("or", ..) => Op::GroupNonUniformBitwiseOr,
        ("xor", ..) => Op::GroupNonUniformBitwiseXor,
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Writes the call of a function of the library; None if it is none.
    pub(super) fn present(&mut self, name: &str, args: &[Operand]) -> Check<Option<Id>> {
        let Some(own) = name.strip_prefix(SUB_GROUP) else {
            return match name.starts_with(LIBRARY) {
                true => Err(format!("the function {name} of the library")),
                false => Ok(None),
            };
        };
        self.writer.words.since((1, 3));
        self.writer.words.capability(Capability::GroupNonUniform);
        let scope = self.scope(Scope::Subgroup);
        if let Some(built_in) = mask(own) {
            self.writer
                .words
                .capability(Capability::GroupNonUniformBallot);
            let ty = self.writer.words.ty(BITS);
            return Ok(Some(self.asked(built_in, ty)));
        }
        let value = match (own, args) {
            ("elect", []) => {
                let one = self.compute(Op::GroupNonUniformElect, Type::BOOL, &[scope]);
                self.as_int(one)
            }
            ("non_uniform_all", &[arg]) => self.ask_all(Op::GroupNonUniformAll, scope, arg)?,
            ("non_uniform_any", &[arg]) => self.ask_all(Op::GroupNonUniformAny, scope, arg)?,
            ("first", []) => {
                let here = self.writer.words.constant(touchstone_ir::Const::bool(true));
                let bits = self.of_ballot(Op::GroupNonUniformBallot, BITS, &[scope, here]);
                self.of_ballot(Op::GroupNonUniformBallotFindLSB, Type::I32, &[scope, bits])
            }
            ("ballot", &[arg]) => {
                let truth = self.truth(arg)?;
                self.of_ballot(Op::GroupNonUniformBallot, BITS, &[scope, truth])
            }
            ("inverse_ballot", &[bits]) => {
                let bits = self.value(bits)?;
                let code = Op::GroupNonUniformInverseBallot;
                let truth = self.of_ballot(code, Type::BOOL, &[scope, bits]);
                self.as_int(truth)
            }
            ("ballot_bit_extract", &[bits, n]) => {
                let (bits, n) = (self.value(bits)?, self.value(n)?);
                let code = Op::GroupNonUniformBallotBitExtract;
                let truth = self.of_ballot(code, Type::BOOL, &[scope, bits, n]);
                self.as_int(truth)
            }
            ("ballot_find_lsb", &[bits]) => {
                let bits = self.value(bits)?;
                self.of_ballot(Op::GroupNonUniformBallotFindLSB, Type::I32, &[scope, bits])
            }
            ("ballot_find_msb", &[bits]) => {
                let bits = self.value(bits)?;
                self.of_ballot(Op::GroupNonUniformBallotFindMSB, Type::I32, &[scope, bits])
            }
            ("ballot_bit_count", &[bits]) => self.bits_of(scope, GroupOperation::Reduce, bits)?,
            ("ballot_inclusive_scan", &[bits]) => {
                self.bits_of(scope, GroupOperation::InclusiveScan, bits)?
            }
            ("ballot_exclusive_scan", &[bits]) => {
                self.bits_of(scope, GroupOperation::ExclusiveScan, bits)?
            }
            _ => self.of_numbers(own, scope, args)?,
        };
        Ok(Some(value))
    }

    fn ask_all(&mut self, code: Op, scope: Id, arg: Operand) -> Check<Id> {
        self.writer
            .words
            .capability(Capability::GroupNonUniformVote);
        let truth = self.truth(arg)?;
        let all = self.compute(code, Type::BOOL, &[scope, truth]);
        Ok(self.as_int(all))
    }

    fn of_ballot(&mut self, code: Op, ty: Type, operands: &[Id]) -> Id {
        self.writer
            .words
            .capability(Capability::GroupNonUniformBallot);
        self.compute(code, ty, operands)
    }

    fn bits_of(&mut self, scope: Id, operation: GroupOperation, bits: Operand) -> Check<Id> {
        self.writer
            .words
            .capability(Capability::GroupNonUniformBallot);
        let bits = self.value(bits)?;
        let code = Op::GroupNonUniformBallotBitCount;
        Ok(self.joined(code, Type::I32, (scope, operation), &[bits]))
    }

    /// A function that there is one of for each type of numbers.
    fn of_numbers(&mut self, own: &str, scope: Id, args: &[Operand]) -> Check<Id> {
        let refused = || format!("the function {SUB_GROUP}{own} of the library");
        let (op, name) = own.rsplit_once('_').ok_or_else(refused)?;
        let (scalar, signed) = number(name).ok_or_else(refused)?;
        let ty = Type::Scalar(scalar);
        if let ("all_equal", &[value]) = (op, args) {
            self.writer
                .words
                .capability(Capability::GroupNonUniformVote);
            let value = self.value(value)?;
            let code = Op::GroupNonUniformAllEqual;
            let truth = self.compute(code, Type::BOOL, &[scope, value]);
            return Ok(self.as_int(truth));
        }
        let code = joins(op, scalar, signed).ok_or_else(refused)?;
        let &[value, Operand::Const(form), Operand::Const(cluster)] = args else {
            return Err(refused());
        };
        let mut operands = vec![self.value(value)?];
        let (operation, capability) = match (form.bits(), cluster.bits()) {
            (0, 0) => (
                GroupOperation::Reduce,
                Capability::GroupNonUniformArithmetic,
            ),
            (1, _) => (
                GroupOperation::InclusiveScan,
                Capability::GroupNonUniformArithmetic,
            ),
            (2, _) => (
                GroupOperation::ExclusiveScan,
                Capability::GroupNonUniformArithmetic,
            ),
            (_, size) => {
                operands.push(self.writer.words.word(size as u32));
                (
                    GroupOperation::ClusteredReduce,
                    Capability::GroupNonUniformClustered,
                )
            }
        };
        self.writer.words.capability(capability);
        Ok(self.joined(code, ty, (scope, operation), &operands))
    }
}
