//! Built-in functions (OpenCL C 6.15): which there are, and what a call of one is.
//!
//! - `table`: names and kinds
//! - `added`: which of them came with 3.1 or with extensions
//! - `numeric`: math, integer, common, geometric and relational functions
//! - `convert`: `convert_…` and `as_…`
//! - `memory`: vector loads and stores
//! - `atomic`: OpenCL 1.x and C11 atomics
//! - `chosen`: memory orders, scopes and flags that only the run knows
//! - `sync`: work-item functions, barriers, fences
//! - `group`: copies by a work-group
//! - `collective`: collective functions of groups
//! - `shuffle`: shuffles and rotations of sub-groups
//! - `present`: functions of those of a sub-group that are present
//! - `bits`: extended bit operations
//! - `dot`: dot products of integers
//! - `image`: images and samplers
//! - `pipe`: pipes
//! - `enqueue`: device-side enqueue
//! - `library`: calls of what is written in OpenCL C
//! - `generic`: which address space a generic pointer points into
//! - `print`: `printf`

mod added;
mod atomic;
mod bits;
mod chosen;
mod collective;
mod convert;
mod dot;
mod enqueue;
mod generic;
mod group;
mod image;
mod library;
mod memory;
mod numeric;
mod pipe;
mod present;
mod print;
mod shuffle;
mod sync;
mod table;

use super::missing::{self, What};
use super::{Checked, Sema};
use crate::ast;
use crate::diag::{Reported, count};
use crate::hir::{Builtin, Expr, ExprKind};
use crate::source::Loc;
use crate::types::{Qual, Space};
use added::yields;
use collective::lacking;
use dot::lacking_for_dot;
pub(super) use enqueue::RANGE;
use enqueue::lacking_for_enqueue;
use pipe::lacking_for_pipe;
use table::{Kind, find};

/// A call being checked.
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    pub(super) args: Vec<Expr>,
    pub(super) at: Loc,
}

impl Sema<'_> {
    /// Whether a name is that of a built-in function.
    pub(super) fn is_builtin(&self, name: &str) -> bool {
        find(name, self.language).is_some()
    }

    /// Whether a program may have no function of its own of a name.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        self.is_builtin(name) && !yields(name, self.language)
    }

    /// Checks a call of a built-in function.
    pub(super) fn builtin_call(
        &mut self,
        name: &str,
        args: &[ast::Expr],
        at: Loc,
    ) -> Checked<Expr> {
        let kind = find(name, self.language);
        if kind.is_none()
            && let Some(feature) = lacking(name, self.language)
                .or_else(|| lacking_for_pipe(name, self.language))
                .or_else(|| lacking_for_enqueue(name, self.language))
                .or_else(|| lacking_for_dot(name, self.language))
        {
            return self.error(at, format!("`{name}` needs {feature}"));
        }
        if kind.is_none()
            && let Some(feature) = missing::feature(What::Function, name)
        {
            return self.unsupported(at, &format!("`{name}`"), feature);
        }
        let args: Vec<_> = args.iter().map(|arg| self.rvalue(arg)).collect();
        let Some(kind) = kind else {
            return self.error(at, format!("there is no function `{name}`"));
        };
        let args = args.into_iter().collect::<Checked<_>>()?;
        let call = Call { name, args, at };
        match kind {
            Kind::Query(query, scalar) => self.query(query, scalar, call),
            Kind::Numeric(_) if name == "dot" && self.are_integers_to_dot(&call) => {
                self.dot_of_integers(call)
            }
            Kind::Numeric(numeric) => self.numeric_builtin(numeric, call),
            Kind::Convert(conversion) => self.conversion(conversion, call),
            Kind::Memory(memory) => self.memory_builtin(memory, call),
            Kind::Legacy(op) => self.legacy_atomic(op, call),
            Kind::Atomic(op) => self.atomic(op, call),
            Kind::Sync(sync) => self.sync(sync, call),
            Kind::Collective(kind, together) => self.collective(kind, together, call),
            Kind::SubGroupShuffle(function) => self.sub_group_shuffle(function, call),
            Kind::Present(function) => self.present(function, call),
            Kind::Bits(function) => self.bit_function(function, call),
            Kind::IntegerDot(function) => self.integer_dot(function, call),
            Kind::Constant(bits, scalar) => {
                self.arity(&call, 0)?;
                Ok(self.number(bits, scalar, at))
            }
            Kind::ToSpace(space) => self.generic_to(space, call),
            Kind::GetFence => self.get_fence(call),
            Kind::Image(of) => self.image(of, call),
            Kind::Pipe(of) => self.pipe(of, call),
            Kind::Enqueue(of) => self.enqueue(of, call),
            Kind::AsyncCopy { strided } => self.async_copy(strided, call),
            Kind::WaitGroupEvents => self.wait_group_events(call),
            Kind::Printf => self.printf(call),
            Kind::Trap => {
                self.arity(&call, 0)?;
                let void = self.types.void();
                Ok(self.builtin(Builtin::Trap, Vec::new(), void, at))
            }
        }
    }

    /// A call as an expression.
    pub(super) fn builtin(&self, builtin: Builtin, args: Vec<Expr>, qual: Qual, at: Loc) -> Expr {
        self.value(ExprKind::Builtin(builtin, args), qual, at)
    }

    /// Checks the number of arguments.
    pub(super) fn arity(&mut self, call: &Call<'_>, n: usize) -> Checked<()> {
        self.arity_between(call, n, n)
    }

    pub(super) fn arity_between(
        &mut self,
        call: &Call<'_>,
        least: usize,
        most: usize,
    ) -> Checked<()> {
        let given = call.args.len();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        let takes = match least {
            _ if least == most => count(least, "argument"),
            _ => format!("{least} to {most} arguments"),
        };
        let message = format!("`{}` takes {takes}, and is given {given}", call.name);
        self.error(call.at, message)
    }

    /// What a pointer argument points to.
    fn pointee_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<Qual> {
        let arg = call.args.get(index);
        match arg.and_then(|arg| self.types.pointee(arg.qual)) {
            Some(to) => Ok(to),
            None => self.no_overload(call),
        }
    }

    /// Checks that a result of a type can be written through a pointer argument.
    fn out_argument(&mut self, call: &Call<'_>, index: usize, wanted: Qual) -> Checked<()> {
        let to = self.pointee_argument(call, index)?;
        if to.ty != wanted.ty || to.constant || to.space == Space::Constant {
            return self.no_overload(call);
        }
        Ok(())
    }

    /// Converts an argument as by assignment. `what` begins the message when it cannot be.
    fn convert_argument(
        &mut self,
        call: &mut Call<'_>,
        index: usize,
        to: Qual,
        what: &str,
    ) -> Checked<()> {
        let arg = call.args.remove(index);
        call.args.insert(index, self.implicit(arg, to, what)?);
        Ok(())
    }

    /// Reports arguments that the function does not take.
    pub(super) fn no_overload<T>(&mut self, call: &Call<'_>) -> Checked<T> {
        let types: Vec<String> = call.args.iter().map(|a| self.show(a.qual)).collect();
        let message = format!("`{}` does not take ({})", call.name, types.join(", "));
        self.error(call.at, message)
    }

    /// An argument that is an integer constant.
    pub(super) fn constant_argument(&mut self, call: &Call<'_>, index: usize) -> Checked<u64> {
        let arg = call.args.get(index).ok_or(Reported)?;
        match self.int_constant(arg) {
            Some((bits, _)) => Ok(bits),
            None => self.no_overload(call),
        }
    }
}
