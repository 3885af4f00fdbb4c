//! What the work-items of a group compute together.

use super::Check;
use super::atomic::scope_of_group;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::dr;
use rspirv::spirv::{Capability, Decoration, GroupOperation, Op};
use touchstone_ir::{BarrierKind, Collective, Lanes, Operand, RmwOp, Scalar, Type};

/// The instruction that joins values; none where there is none.
fn joins(op: RmwOp) -> Option<Op> {
    Some(match op {
        RmwOp::Add => Op::GroupIAdd,
        RmwOp::FAdd => Op::GroupFAdd,
        RmwOp::SMin => Op::GroupSMin,
        RmwOp::UMin => Op::GroupUMin,
        RmwOp::FMin => Op::GroupFMin,
        RmwOp::SMax => Op::GroupSMax,
        RmwOp::UMax => Op::GroupUMax,
        RmwOp::FMax => Op::GroupFMax,
        RmwOp::Exchange | RmwOp::Sub | RmwOp::And | RmwOp::Or | RmwOp::Xor | RmwOp::FSub => {
            return None;
        }
    })
}

/// A group operation as an operand.
pub(super) fn form(operation: GroupOperation) -> dr::Operand {
    dr::Operand::GroupOperation(operation)
}

impl Body<'_, '_> {
    /// A collective function.
    pub(super) fn collective(
        &mut self,
        ty: Type,
        (kind, function): (BarrierKind, Collective),
        value: Operand,
        from: &[Operand],
    ) -> Check<Id> {
        let scope = self.scope(scope_of_group(kind));
        let (operation, op) = match function {
            Collective::Broadcast => return self.broadcast(ty, scope, value, from),
            Collective::Shuffle => return self.sub_group_shuffle(ty, scope, value, from),
            // Votes join truths, 0 or 1.
            Collective::Reduce(RmwOp::And) if ty == Type::I32 => {
                return self.vote(Op::GroupAll, scope, value);
            }
            Collective::Reduce(RmwOp::Or) if ty == Type::I32 => {
                return self.vote(Op::GroupAny, scope, value);
            }
            Collective::Reduce(op) => (GroupOperation::Reduce, op),
            Collective::InclusiveScan(op) => (GroupOperation::InclusiveScan, op),
            Collective::ExclusiveScan(op) => (GroupOperation::ExclusiveScan, op),
        };
        let Some(code) = joins(op) else {
            return Err(format!("a group that joins values by {op}"));
        };
        self.writer.words.capability(Capability::Groups);
        let value = dr::Operand::IdRef(self.value(value)?);
        let operands = vec![dr::Operand::IdScope(scope), form(operation), value];
        let ty = self.writer.words.ty(ty);
        Ok(self.emit(code, ty, operands))
    }

    fn broadcast(&mut self, ty: Type, scope: Id, value: Operand, from: &[Operand]) -> Check<Id> {
        self.writer.words.capability(Capability::Groups);
        let value = self.value(value)?;
        let ids = from.iter().map(|&id| self.value(id));
        let ids = ids.collect::<Check<Vec<Id>>>()?;
        let place = match (ids.as_slice(), Lanes::from_count(ids.len() as u32)) {
            (&[one], _) => one,
            (all, Some(lanes)) => {
                let place = Type::Vector(Scalar::I64, lanes);
                self.compute(Op::CompositeConstruct, place, all)
            }
            (_, None) => return Err("a broadcast from nowhere".into()),
        };
        Ok(self.compute(Op::GroupBroadcast, ty, &[scope, value, place]))
    }

    fn vote(&mut self, code: Op, scope: Id, value: Operand) -> Check<Id> {
        self.writer.words.capability(Capability::Groups);
        let truth = self.truth(value)?;
        let all = self.compute(code, Type::BOOL, &[scope, truth]);
        Ok(self.as_int(all))
    }

    /// The truth of an integer.
    pub(super) fn truth(&mut self, value: Operand) -> Check<Id> {
        let ty = self.type_of(value)?;
        let value = self.value(value)?;
        let zero = self.writer.words.same(ty, 0);
        Ok(self.compute(Op::INotEqual, Type::BOOL, &[value, zero]))
    }

    /// A truth as an `int`.
    pub(super) fn as_int(&mut self, truth: Id) -> Id {
        let [yes, no] = [1, 0].map(|n| self.writer.words.word(n));
        self.compute(Op::Select, Type::I32, &[truth, yes, no])
    }

    fn sub_group_shuffle(
        &mut self,
        ty: Type,
        scope: Id,
        value: Operand,
        from: &[Operand],
    ) -> Check<Id> {
        let Some(&from) = from.first() else {
            return Err("a shuffle from nowhere".into());
        };
        self.writer.words.since((1, 3));
        self.writer
            .words
            .capability(Capability::GroupNonUniformShuffle);
        let (value, from) = (self.value(value)?, self.value(from)?);
        // A number that nobody has stays one.
        let from = self.compute(Op::UConvert, Type::I32, &[from]);
        let saturates = Decoration::SaturatedConversion;
        self.writer.words.decorate(from, saturates, None);
        Ok(self.compute(Op::GroupNonUniformShuffle, ty, &[scope, value, from]))
    }

    /// Appends an instruction of a group that has an operation.
    pub(super) fn joined(
        &mut self,
        code: Op,
        ty: Type,
        (scope, operation): (Id, GroupOperation),
        rest: &[Id],
    ) -> Id {
        let mut operands = vec![dr::Operand::IdScope(scope), form(operation)];
        operands.extend(ids(rest));
        let ty = self.writer.words.ty(ty);
        self.emit(code, ty, operands)
    }
}
