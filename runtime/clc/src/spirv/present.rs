//! Instructions of those work-items of a sub-group that are present: votes, ballots, scans and reductions to which not all
//! need come.

use super::function::Body;
use super::{Check, ensure};
use rspirv::dr::{self, Instruction};
use rspirv::spirv::{BuiltIn, GroupOperation, Op as Code};
use touchstone_ir::BarrierKind;

/// The function of OpenCL C that gives the value of a built-in variable with a bit for each work-item.
pub(super) fn mask(builtin: BuiltIn) -> Option<&'static str> {
    Some(match builtin {
        BuiltIn::SubgroupEqMask => "get_sub_group_eq_mask",
        BuiltIn::SubgroupGeMask => "get_sub_group_ge_mask",
        BuiltIn::SubgroupGtMask => "get_sub_group_gt_mask",
        BuiltIn::SubgroupLeMask => "get_sub_group_le_mask",
        BuiltIn::SubgroupLtMask => "get_sub_group_lt_mask",
        _ => return None,
    })
}

/// How an instruction joins values, and whether its integers have signs.
fn joins(code: Code) -> Option<(&'static str, bool)> {
    Some(match code {
        Code::GroupNonUniformIAdd | Code::GroupNonUniformFAdd => ("add", true),
        Code::GroupNonUniformIMul | Code::GroupNonUniformFMul => ("mul", true),
        Code::GroupNonUniformSMin | Code::GroupNonUniformFMin => ("min", true),
        Code::GroupNonUniformUMin => ("min", false),
        Code::GroupNonUniformSMax | Code::GroupNonUniformFMax => ("max", true),
        Code::GroupNonUniformUMax => ("max", false),
        Code::GroupNonUniformBitwiseAnd => ("and", true),
        Code::GroupNonUniformBitwiseOr => ("or", true),
        Code::GroupNonUniformBitwiseXor => ("xor", true),
        Code::GroupNonUniformLogicalAnd => ("logical_and", true),
        Code::GroupNonUniformLogicalOr => ("logical_or", true),
        Code::GroupNonUniformLogicalXor => ("logical_xor", true),
        _ => return None,
    })
}

/// Functions whose operands are those of the instruction behind the scope: their numbers have signs or have not.
fn plain(code: Code) -> Option<(&'static str, bool)> {
    Some(match code {
        Code::GroupNonUniformElect => ("sub_group_elect", true),
        Code::GroupNonUniformAll => ("sub_group_non_uniform_all", true),
        Code::GroupNonUniformAny => ("sub_group_non_uniform_any", true),
        Code::GroupNonUniformAllEqual => ("sub_group_non_uniform_all_equal", true),
        Code::GroupNonUniformBroadcast => ("sub_group_non_uniform_broadcast", true),
        Code::GroupNonUniformBroadcastFirst => ("sub_group_broadcast_first", true),
        Code::GroupNonUniformBallot => ("sub_group_ballot", false),
        Code::GroupNonUniformInverseBallot => ("sub_group_inverse_ballot", false),
        Code::GroupNonUniformBallotBitExtract => ("sub_group_ballot_bit_extract", false),
        Code::GroupNonUniformBallotFindLSB => ("sub_group_ballot_find_lsb", false),
        Code::GroupNonUniformBallotFindMSB => ("sub_group_ballot_find_msb", false),
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Reads an instruction of those that are present; false if it is none.
    pub(super) fn present(&mut self, inst: &Instruction) -> Check<bool> {
        let code = inst.class.opcode;
        if let Some((name, signed)) = plain(code) {
            self.of_sub_group(inst)?;
            let mut args = Vec::new();
            for n in 1..inst.operands.len() {
                args.push(self.c_arg(inst, n, signed)?);
            }
            self.call_c(inst, name, signed, args)?;
            return Ok(true);
        }
        if code == Code::GroupNonUniformBallotBitCount {
            self.of_sub_group(inst)?;
            let name = match form(inst)? {
                GroupOperation::Reduce => "sub_group_ballot_bit_count",
                GroupOperation::InclusiveScan => "sub_group_ballot_inclusive_scan",
                GroupOperation::ExclusiveScan => "sub_group_ballot_exclusive_scan",
                _ => return Err("this operation on a ballot is not supported".into()),
            };
            let args = vec![self.c_arg(inst, 2, false)?];
            self.call_c(inst, name, false, args)?;
            return Ok(true);
        }
        let Some((op, signed)) = joins(code) else {
            return Ok(false);
        };
        self.of_sub_group(inst)?;
        let form = match form(inst)? {
            GroupOperation::Reduce => "non_uniform_reduce",
            GroupOperation::InclusiveScan => "non_uniform_scan_inclusive",
            GroupOperation::ExclusiveScan => "non_uniform_scan_exclusive",
            GroupOperation::ClusteredReduce => "clustered_reduce",
            _ => return Err("this operation of a group is not supported".into()),
        };
        let name = format!("sub_group_{form}_{op}");
        let args = vec![self.c_arg(inst, 2, signed)?];
        if form != "clustered_reduce" {
            self.call_c(inst, &name, signed, args)?;
            return Ok(true);
        }
        let size = match inst.operands.len() {
            0..=3 => None,
            _ => self.constant_operand(inst, 3)?,
        };
        let Some(size) = size else {
            return Err("the size of its clusters is no constant".into());
        };
        let body = format!("return {name}(a0, {size}u);");
        self.call_c_text(inst, &format!("{name}_{size}"), signed, args, &body)?;
        Ok(true)
    }

    fn of_sub_group(&self, inst: &Instruction) -> Check<()> {
        ensure!(
            self.together(inst, 0)? == BarrierKind::SubGroup,
            "only of sub-groups some may be absent"
        );
        Ok(())
    }
}

/// How far values go.
fn form(inst: &Instruction) -> Check<GroupOperation> {
    match inst.operands.get(1) {
        Some(dr::Operand::GroupOperation(form)) => Ok(*form),
        _ => Err("operand 1 is no operation of a group".into()),
    }
}
