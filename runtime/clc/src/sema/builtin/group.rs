//! Copies between global and local memory by a work-group (OpenCL C 6.15.13).

use super::Call;
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space, Type};

impl Sema<'_> {
    /// What a pointer argument points to, if that can be copied.
    fn copied(&mut self, call: &Call<'_>, index: usize) -> Checked<Qual> {
        let to = match call.args.get(index) {
            Some(arg) => self.types.pointee(arg.qual),
            None => None,
        };
        match to.map(|to| (to, self.types.arithmetic(to))) {
            Some((to, Some((scalar, _)))) if scalar != Scalar::Bool => Ok(to),
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
        for (i, arg) in std::mem::take(&mut call.args).into_iter().enumerate() {
            let what = format!("argument {} of `{}`", i + 1, call.name);
            let to = match i {
                0 | 1 => arg.qual,
                _ if i == last => event,
                _ => numbers,
            };
            call.args.push(self.implicit(arg, to, &what)?);
        }
        let builtin = Builtin::AsyncCopy {
            size,
            strided: strided.then_some(if src.space == Space::Global {
                crate::hir::Strided::Source
            } else {
                crate::hir::Strided::Destination
            }),
        };
        Ok(self.builtin(builtin, call.args, event, call.at))
    }

    /// `wait_group_events(n, events)`
    pub(super) fn wait_group_events(&mut self, mut call: Call<'_>) -> Checked<Expr> {
        self.arity(&call, 2)?;
        let events = match self.types.pointee(call.args[1].qual) {
            Some(to) => self.types.of(to) == Type::Event,
            None => false,
        };
        if !events {
            return self.no_overload(&call);
        }
        let int = self.types.scalar(Scalar::Int);
        let count = call.args.remove(0);
        let count = self.implicit(count, int, "the number of events")?;
        call.args.insert(0, count);
        let void = self.types.void();
        Ok(self.builtin(Builtin::WaitGroupEvents, call.args, void, call.at))
    }
}
