//! Copies between global and local memory by a work-group (OpenCL C 6.15.13), and collective functions of work-groups
//! and sub-groups (6.15.18 and 6.15.21).

use super::Call;
use super::table::Together;
use crate::hir::{Builtin, Expr, Strided};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space, Type};
use touchstone_ir::{BarrierKind, Collective, NumKind};

impl Sema<'_> {
    /// What a pointer argument points to, if that can be copied.
    fn copied(&mut self, call: &Call<'_>, index: usize) -> Checked<Qual> {
        let to = self.pointee_argument(call, index)?;
        match self.types.arithmetic(to) {
            Some((scalar, _)) if scalar != Scalar::Bool => Ok(to),
            Some(_) | None => self.no_overload(call),
        }
    }

    /// `async_work_group_copy(dst, src, n, event)`; a strided one has the stride before the event.
    pub(super) fn async_copy(&mut self, strided: bool, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, if strided { 5 } else { 4 })?;
        let (dst, src) = (self.copied(&call, 0)?, self.copied(&call, 1)?);
        let spaces = matches!(
            (dst.space, src.space),
            (Space::Local, Space::Global) | (Space::Global, Space::Local)
        );
        if !spaces || dst.ty != src.ty {
            return self.no_overload(&call);
        }
        if dst.constant {
            return self.error(call.at, "the destination is const and cannot be written");
        }
        let size = self.complete(dst, call.at, "an element")?;
        let event = self.types.plain(Type::Event);
        let numbers = self.types.scalar(Scalar::SIZE);
        let last = call.args.len() - 1;
        for i in 2..=last {
            let what = format!("argument {} of `{}`", i + 1, call.name);
            let to = if i == last { event } else { numbers };
            self.convert_argument(&mut call, i, to, &what)?;
        }
        let builtin = Builtin::AsyncCopy {
            size,
            strided: strided.then_some(match src.space {
                Space::Global => Strided::Source,
                _ => Strided::Destination,
            }),
        };
        Ok(self.builtin(builtin, call.args, event, call.at))
    }

    /// `wait_group_events(n, events)`
    pub(super) fn wait_group_events(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        let events = self.pointee_argument(&call, 1)?;
        if self.types.of(events) != Type::Event {
            return self.no_overload(&call);
        }
        let int = self.types.scalar(Scalar::Int);
        self.convert_argument(&mut call, 0, int, "the number of events")?;
        let void = self.types.void();
        Ok(self.builtin(Builtin::WaitGroupEvents, call.args, void, call.at))
    }

    /// A collective function: of an `int`, or of a number of four or eight bytes.
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
        let scalar = match self.types.as_scalar(call.args[0].qual) {
            Some(Scalar::Half) => {
                return self.unsupported(call.at, "this function", "half-precision arithmetic");
            }
            // Narrower integers are promoted, as where one function is chosen of several.
            Some(scalar) if scalar.is_int() && scalar.size() < 4 => Scalar::Int,
            Some(Scalar::Bool) => Scalar::Int,
            Some(scalar) => scalar,
            None => return self.no_overload(&call),
        };
        let number = self.types.scalar(scalar);
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
