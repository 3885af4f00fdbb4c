//! Copies between global and local memory by a work-group (OpenCL C 6.15.13).

use super::Call;
use crate::hir::{Builtin, Expr, Strided};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space, Type};

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
}
