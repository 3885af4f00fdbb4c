//! Instructions of groups: what work-items compute together, and copies that they make together.

use super::function::Body;
use super::reader::result_type;
use super::types::Ty;
use super::wrap::C;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{GroupOperation, Op as Code};
use touchstone_ir::{
    self as ir, BarrierKind, Cmp, Collective, Const, MemScope, NumKind, Op, Operand, Regions, RmwOp,
};

/// How an instruction joins values.
fn joins(code: Code) -> Option<RmwOp> {
    Some(match code {
        Code::GroupIAdd => RmwOp::Add,
        Code::GroupFAdd => RmwOp::FAdd,
        Code::GroupFMin => RmwOp::FMin,
        Code::GroupUMin => RmwOp::UMin,
        Code::GroupSMin => RmwOp::SMin,
        Code::GroupFMax => RmwOp::FMax,
        Code::GroupUMax => RmwOp::UMax,
        Code::GroupSMax => RmwOp::SMax,
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Reads an instruction of groups; false if it is none.
    pub(super) fn group(&mut self, inst: &Instruction) -> Check<bool> {
        let code = inst.class.opcode;
        if let Some(op) = joins(code) {
            let kind = self.group_of(inst)?;
            let function = match inst.operands.get(1) {
                Some(dr::Operand::GroupOperation(GroupOperation::Reduce)) => Collective::Reduce(op),
                Some(dr::Operand::GroupOperation(GroupOperation::InclusiveScan)) => {
                    Collective::InclusiveScan(op)
                }
                Some(dr::Operand::GroupOperation(GroupOperation::ExclusiveScan)) => {
                    Collective::ExclusiveScan(op)
                }
                _ => return Err("this operation of a group is not supported".into()),
            };
            let value = self.arg(inst, 2)?;
            let value = self.of_each(kind, function, value, &[]);
            self.set(inst, value)?;
            return Ok(true);
        }
        match code {
            Code::GroupAll | Code::GroupAny => {
                let kind = self.group_of(inst)?;
                let truth = self.arg(inst, 1)?;
                let value = self.truth_as_int(truth)?;
                let function = Collective::Reduce(match code {
                    Code::GroupAll => RmwOp::And,
                    _ => RmwOp::Or,
                });
                let joined = self.of_each(kind, function, value, &[]);
                let truth = self.b.compare(Cmp::Ne, joined, Const::i32(0));
                self.set(inst, truth)?;
            }
            Code::GroupBroadcast => {
                let kind = self.group_of(inst)?;
                let (value, place) = (self.arg(inst, 1)?, self.arg(inst, 2)?);
                let from = self.coordinates(place);
                let value = self.of_each(kind, Collective::Broadcast, value, &from);
                self.set(inst, value)?;
            }
            Code::GroupNonUniformShuffle => self.sub_group_shuffle(inst, "sub_group_shuffle")?,
            Code::GroupNonUniformShuffleXor => {
                self.sub_group_shuffle(inst, "sub_group_shuffle_xor")?
            }
            Code::GroupNonUniformShuffleUp => {
                self.sub_group_shuffle(inst, "sub_group_shuffle_up")?
            }
            Code::GroupNonUniformShuffleDown => {
                self.sub_group_shuffle(inst, "sub_group_shuffle_down")?
            }
            Code::GroupNonUniformRotateKHR if inst.operands.len() > 3 => {
                let name = "sub_group_clustered_rotate";
                let Some(size) = self.constant_operand(inst, 3)? else {
                    return Err("the size of its clusters is no constant".into());
                };
                let body = format!("return {name}(a0, a1, {size}u);");
                let args = self.shuffled(inst)?;
                self.call_c_text(inst, &format!("{name}_{size}"), true, args, &body)?;
            }
            Code::GroupNonUniformRotateKHR => self.sub_group_shuffle(inst, "sub_group_rotate")?,
            Code::GroupAsyncCopy => self.async_copy(inst)?,
            Code::GroupWaitEvents => {
                ensure!(
                    self.together(inst, 0)? == BarrierKind::WorkGroup,
                    "only work-groups copy"
                );
                self.b
                    .barrier(Regions::LOCAL | Regions::GLOBAL, MemScope::WorkGroup);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A shuffle or a rotation of a sub-group.
    fn sub_group_shuffle(&mut self, inst: &Instruction, name: &str) -> Check<()> {
        let args = self.shuffled(inst)?;
        self.call_c(inst, name, true, args)
    }

    /// The value that a work-item gives, and the number that says whose it gets.
    fn shuffled(&mut self, inst: &Instruction) -> Check<Vec<(Operand, C)>> {
        ensure!(
            self.together(inst, 0)? == BarrierKind::SubGroup,
            "only sub-groups shuffle"
        );
        Ok(vec![
            self.c_arg(inst, 1, true)?,
            self.c_arg(inst, 2, false)?,
        ])
    }

    /// Who comes together at a collective instruction.
    fn group_of(&self, inst: &Instruction) -> Check<BarrierKind> {
        let kind = self.together(inst, 0)?;
        ensure!(
            kind == BarrierKind::SubGroup || self.reader.language.work_group_functions,
            "the device has no collective functions of work-groups"
        );
        Ok(kind)
    }

    /// The integers of 64 bits that a scalar or vector has.
    fn coordinates(&mut self, place: Operand) -> Vec<Operand> {
        let parts = self.parts(place);
        let wide = |part| self.integer_as(part, ir::Type::I64, NumKind::Unsigned);
        parts.into_iter().map(wide).collect()
    }

    /// The elements of a vector, or the scalar.
    fn parts(&mut self, value: Operand) -> Vec<Operand> {
        let ir::Type::Vector(element, lanes) = self.b.type_of(value) else {
            return vec![value];
        };
        let part = |n: u32| {
            let op = Op::Extract(value, Const::i32(n as i32).into());
            self.b.emit(ir::Type::Scalar(element), op).into()
        };
        (0..lanes.count()).map(part).collect()
    }

    /// What a group computes of each element of a value.
    fn of_each(
        &mut self,
        kind: BarrierKind,
        function: Collective,
        value: Operand,
        from: &[Operand],
    ) -> Operand {
        let ty = self.b.type_of(value);
        let parts = self.parts(value).into_iter().map(|value| {
            let op = Op::Collective {
                kind,
                function,
                value,
                from: from.to_vec(),
            };
            let ty = self.b.type_of(value);
            self.b.emit(ty, op).into()
        });
        let parts: Vec<Operand> = parts.collect();
        match parts.as_slice() {
            [one] => *one,
            _ => self.b.emit(ty, Op::Construct(parts)).into(),
        }
    }

    /// A copy between local and global memory by a work-group.
    fn async_copy(&mut self, inst: &Instruction) -> Check<()> {
        ensure!(
            self.together(inst, 0)? == BarrierKind::WorkGroup,
            "only work-groups copy"
        );
        ensure!(
            matches!(self.reader.ty(result_type(inst)?)?, Ty::Event),
            "its result is no event"
        );
        let mut args = vec![self.c_arg(inst, 1, true)?, self.c_arg(inst, 2, true)?];
        args.push(self.c_arg(inst, 3, false)?);
        if self.constant_operand(inst, 4)? == Some(1) {
            args.push(self.c_arg(inst, 5, true)?);
            return self.call_c(inst, "async_work_group_copy", true, args);
        }
        args.push(self.c_arg(inst, 4, false)?);
        args.push(self.c_arg(inst, 5, true)?);
        self.call_c(inst, "async_work_group_strided_copy", true, args)
    }
}
