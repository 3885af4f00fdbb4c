//! Collective functions of work-groups and sub-groups (OpenCL C 6.15.18 and 6.15.21): which there are, and calls
//! of them.

use super::Call;
use super::table::sub_group_query;
use crate::device::{Language, Version};
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::Scalar;
use touchstone_ir::{BarrierKind, Collective, NumKind, RmwOp};

/// A reduction or a scan with an operation.
type Form = fn(RmwOp) -> Collective;

/// What a collective function does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Together {
    /// `…_all` (true) and `…_any`.
    Vote(bool),
    Broadcast,
    /// A reduction or a scan, and how signed integers, unsigned ones and floats are joined.
    Join(Form, [RmwOp; 3]),
}

/// The collective function of a name, whether the language has it or not.
pub(super) fn collective(name: &str) -> Option<(BarrierKind, Together)> {
    let (kind, rest) = match name.strip_prefix("work_group_") {
        Some(rest) => (BarrierKind::WorkGroup, rest),
        None => (BarrierKind::SubGroup, name.strip_prefix("sub_group_")?),
    };
    let forms: [(&str, Form); 3] = [
        ("reduce_", Collective::Reduce),
        ("scan_inclusive_", Collective::InclusiveScan),
        ("scan_exclusive_", Collective::ExclusiveScan),
    ];
    let together = match rest {
        "all" => Together::Vote(true),
        "any" => Together::Vote(false),
        "broadcast" => Together::Broadcast,
        _ => {
            let find = |(start, form)| Some((rest.strip_prefix(start)?, form));
            let (op, form) = forms.into_iter().find_map(find)?;
            let ops = match op {
                "add" => [RmwOp::Add, RmwOp::Add, RmwOp::FAdd],
                "min" => [RmwOp::SMin, RmwOp::UMin, RmwOp::FMin],
                "max" => [RmwOp::SMax, RmwOp::UMax, RmwOp::FMax],
                _ => return None,
            };
            Together::Join(form, ops)
        }
    };
    Some((kind, together))
}

/// Whether the language has the collective functions of groups.
pub(super) fn has_collective(kind: BarrierKind, language: &Language) -> bool {
    match kind {
        BarrierKind::WorkGroup => language.work_group_functions,
        BarrierKind::SubGroup => language.sub_groups,
    }
}

/// The optional feature that a function needs and the language lacks, where the version knows it.
pub(super) fn lacking(name: &str, language: &Language) -> Option<&'static str> {
    let sub_groups = name == "sub_group_barrier" || sub_group_query(name).is_some();
    let kind = match collective(name) {
        Some((kind, _)) => kind,
        None => sub_groups.then_some(BarrierKind::SubGroup)?,
    };
    let lacks = language.version >= Version::V3_0 && !has_collective(kind, language);
    lacks.then_some(match kind {
        BarrierKind::WorkGroup => "__opencl_c_work_group_collective_functions",
        BarrierKind::SubGroup => "__opencl_c_subgroups",
    })
}

impl Sema<'_> {
    /// A collective function: of an `int`, or of a number of four or eight bytes; those of sub-groups may also take
    /// narrower ones, and broadcast vectors.
    pub(super) fn collective(
        &mut self,
        kind: BarrierKind,
        together: Together,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        if let Together::Vote(all) = together {
            self.arity(&call, 1)?;
            let int = self.types.scalar(Scalar::Int);
            self.convert_argument(&mut call, 0, int, "the predicate")?;
            let vote = Builtin::Vote { kind, all };
            return Ok(self.builtin(vote, call.args, int, call.at));
        }
        let most = match (together, kind) {
            (Together::Broadcast, BarrierKind::WorkGroup) => 4,
            (Together::Broadcast, BarrierKind::SubGroup) => 2,
            _ => 1,
        };
        self.arity_between(&call, most.min(2), most)?;
        let of_sub_groups = kind == BarrierKind::SubGroup && self.language.sub_group_types;
        let vectors = of_sub_groups && matches!(together, Together::Broadcast);
        let (scalar, lanes) = match self.types.arithmetic(call.args[0].qual) {
            Some((Scalar::Bool, None)) => (Scalar::Int, None),
            // Narrower integers are promoted, as where one function is chosen of several.
            Some((scalar, None)) if scalar.is_int() && scalar.size() < 4 && !of_sub_groups => {
                (Scalar::Int, None)
            }
            Some((scalar, lanes)) if lanes.is_none() || vectors => (scalar, lanes),
            Some(_) | None => return self.no_overload(&call),
        };
        self.check_half(scalar, call.at)?;
        let number = self.types.shaped(scalar, lanes);
        self.convert_argument(&mut call, 0, number, "the value")?;
        let id = self.types.scalar(Scalar::SIZE);
        for i in 1..call.args.len() {
            self.convert_argument(&mut call, i, id, "the id")?;
        }
        let function = match together {
            Together::Join(form, [signed, unsigned, float]) => form(match scalar.kind() {
                NumKind::Signed => signed,
                NumKind::Unsigned => unsigned,
                NumKind::Float => float,
            }),
            Together::Broadcast | Together::Vote(_) => Collective::Broadcast,
        };
        let builtin = Builtin::Collective { kind, function };
        Ok(self.builtin(builtin, call.args, number, call.at))
    }
}
