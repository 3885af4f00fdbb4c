//! Atomic functions: those of OpenCL 1.x and those of C11 (OpenCL C 6.15.12).

use super::Call;
use super::table::{Atomic, AtomicOp, Legacy, LegacyOp};
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space, Type};
use touchstone_ir::{MemScope, Order, RmwOp};

impl Sema<'_> {
    /// Converts an argument as by assignment.
    fn convert_argument(&mut self, call: &mut Call<'_>, index: usize, to: Qual) -> Checked<()> {
        let arg = call.args.remove(index);
        let what = format!("argument {} of `{}`", index + 1, call.name);
        let arg = self.implicit(arg, to, &what)?;
        call.args.insert(index, arg);
        Ok(())
    }

    /// OpenCL 1.x: relaxed, of the widest scope the memory has.
    pub(super) fn legacy_atomic(&mut self, legacy: Legacy, mut call: Call<'_>) -> Checked<Expr> {
        let n = match legacy.op {
            LegacyOp::Rmw(_) | LegacyOp::MinMax(..) => 2,
            LegacyOp::Step(_) => 1,
            LegacyOp::Cmpxchg => 3,
        };
        self.arity(&call, n)?;
        let Some(to) = self.types.pointee(call.args[0].qual) else {
            return self.no_overload(&call);
        };
        let Some(scalar) = self.types.as_scalar(to) else {
            return self.no_overload(&call);
        };
        let exchange = legacy.op == LegacyOp::Rmw(RmwOp::Exchange);
        match scalar {
            Scalar::Int | Scalar::UInt => {}
            Scalar::Long | Scalar::ULong if self.language.int64_atomics => {}
            Scalar::Float if exchange && !legacy.atom => {}
            _ => return self.no_overload(&call),
        }
        match to.space {
            Space::Global | Space::Local | Space::Generic => {}
            Space::Constant | Space::Private => {
                let message = format!("`{}` works on global and local memory", call.name);
                return self.error(call.at, message);
            }
        }
        if to.constant {
            return self.error(call.at, "this atomic function writes what is const");
        }
        let scope = if to.space == Space::Local {
            MemScope::WorkGroup
        } else {
            MemScope::Device
        };
        let qual = self.types.scalar(scalar);
        for i in 1..call.args.len() {
            self.convert_argument(&mut call, i, qual)?;
        }
        let op = match legacy.op {
            LegacyOp::Cmpxchg => {
                return Ok(self.builtin(Builtin::AtomicCmpxchg, call.args, qual, call.at));
            }
            LegacyOp::Step(op) => {
                let one = self.number(1, scalar, call.at);
                call.args.push(one);
                op
            }
            LegacyOp::Rmw(op) => op,
            LegacyOp::MinMax(signed, unsigned) => {
                if scalar.is_signed() {
                    signed
                } else {
                    unsigned
                }
            }
        };
        let builtin = Builtin::AtomicRmw(op, Order::Relaxed, scope);
        Ok(self.builtin(builtin, call.args, qual, call.at))
    }

    /// The order and the scope of a C11 function: arguments from `from` on, or the defaults.
    fn order_and_scope(
        &mut self,
        call: &mut Call<'_>,
        explicit: bool,
        from: usize,
    ) -> Checked<(Order, MemScope)> {
        if !explicit {
            self.arity(call, from)?;
            if !self.language.order_seq_cst {
                let message = format!(
                    "`{}` is sequentially consistent and needs __opencl_c_atomic_order_seq_cst; \
                     use `{}_explicit`",
                    call.name, call.name
                );
                return self.error(call.at, message);
            }
            self.check_scope(MemScope::Device, call)?;
            return Ok((Order::SeqCst, MemScope::Device));
        }
        self.arity_between(call, from + 1, from + 2)?;
        let order = self.order_argument(call, from)?;
        let scope = if call.args.len() > from + 1 {
            self.scope_argument(call, from + 1)?
        } else {
            self.check_scope(MemScope::Device, call)?;
            MemScope::Device
        };
        call.args.truncate(from);
        Ok((order, scope))
    }

    fn bad_order<T>(&mut self, call: &Call<'_>, order: Order, what: &str) -> Checked<T> {
        let message = format!("{what} cannot be memory_order_{order}");
        self.error(call.at, message)
    }

    /// The object of an atomic function.
    fn atomic_object(&mut self, call: &Call<'_>) -> Checked<(Type, Qual)> {
        let Some(arg) = call.args.first() else {
            let message = format!("`{}` needs an atomic object", call.name);
            return self.error(call.at, message);
        };
        let at = arg.loc;
        let Some(to) = self.types.pointee(arg.qual) else {
            return self.no_overload(call);
        };
        let ty = self.types.of(to);
        let wide = match ty {
            Type::Atomic(scalar) => scalar.size() == 8,
            Type::AtomicFlag => false,
            Type::Void
            | Type::Scalar(_)
            | Type::Vector(..)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Event
            | Type::Record(_) => {
                let message = format!(
                    "`{}` works on atomic objects (atomic_int, …), not on `{}`",
                    call.name,
                    self.show(to)
                );
                return self.error(at, message);
            }
        };
        if wide && !self.language.int64_atomics {
            return self.error(at, "64-bit atomics need cl_khr_int64_base_atomics");
        }
        if to.space == Space::Constant {
            return self.error(at, "an atomic object is not in constant memory");
        }
        Ok((ty, to))
    }

    pub(super) fn atomic(&mut self, atomic: Atomic, mut call: Call<'_>) -> Checked<Expr> {
        let explicit = atomic.explicit;
        let at = call.at;
        let (object, to) = self.atomic_object(&call)?;
        let void = self.types.void();
        let scalar = match (object, atomic.op) {
            (Type::AtomicFlag, AtomicOp::TestAndSet) => {
                let (order, scope) = self.order_and_scope(&mut call, explicit, 1)?;
                let qual = self.types.scalar(Scalar::Bool);
                return Ok(self.builtin(
                    Builtin::FlagTestAndSet(order, scope),
                    call.args,
                    qual,
                    at,
                ));
            }
            (Type::AtomicFlag, AtomicOp::Clear) => {
                let (order, scope) = self.order_and_scope(&mut call, explicit, 1)?;
                if matches!(order, Order::Acquire | Order::AcqRel) {
                    return self.bad_order(&call, order, "atomic_flag_clear");
                }
                return Ok(self.builtin(Builtin::FlagClear(order, scope), call.args, void, at));
            }
            (Type::Atomic(scalar), op) if !matches!(op, AtomicOp::TestAndSet | AtomicOp::Clear) => {
                scalar
            }
            _ => return self.no_overload(&call),
        };
        let qual = self.types.scalar(scalar);
        let read_only = matches!(atomic.op, AtomicOp::Load);
        if to.constant && !read_only {
            return self.error(at, "this atomic function writes what is const");
        }
        let value_count = match atomic.op {
            AtomicOp::Load => 0,
            AtomicOp::Init | AtomicOp::Store | AtomicOp::Exchange | AtomicOp::Fetch(..) => 1,
            AtomicOp::CompareExchange { .. } => 2,
            AtomicOp::TestAndSet | AtomicOp::Clear => 0,
        };
        if call.args.len() <= value_count {
            self.arity(&call, value_count + 1)?;
        }
        let (builtin, result) = match atomic.op {
            AtomicOp::Init => {
                self.arity(&call, 2)?;
                self.convert_argument(&mut call, 1, qual)?;
                (Builtin::AtomicInit, void)
            }
            AtomicOp::Load => {
                let (order, scope) = self.order_and_scope(&mut call, explicit, 1)?;
                if matches!(order, Order::Release | Order::AcqRel) {
                    return self.bad_order(&call, order, "a load");
                }
                (Builtin::AtomicLoad(order, scope), qual)
            }
            AtomicOp::Store => {
                self.convert_argument(&mut call, 1, qual)?;
                let (order, scope) = self.order_and_scope(&mut call, explicit, 2)?;
                if matches!(order, Order::Acquire | Order::AcqRel) {
                    return self.bad_order(&call, order, "a store");
                }
                (Builtin::AtomicStore(order, scope), void)
            }
            AtomicOp::Exchange => {
                self.convert_argument(&mut call, 1, qual)?;
                let (order, scope) = self.order_and_scope(&mut call, explicit, 2)?;
                (Builtin::AtomicRmw(RmwOp::Exchange, order, scope), qual)
            }
            AtomicOp::Fetch(signed, unsigned) => {
                if scalar.is_float() {
                    return self.unsupported(
                        at,
                        &format!("`{}` of floats", call.name),
                        "floating-point atomics (cl_ext_float_atomics)",
                    );
                }
                self.convert_argument(&mut call, 1, qual)?;
                let (order, scope) = self.order_and_scope(&mut call, explicit, 2)?;
                let op = if scalar.is_signed() { signed } else { unsigned };
                (Builtin::AtomicRmw(op, order, scope), qual)
            }
            AtomicOp::CompareExchange { weak } => {
                return self.compare_exchange(weak, explicit, qual, call);
            }
            AtomicOp::TestAndSet | AtomicOp::Clear => return self.no_overload(&call),
        };
        Ok(self.builtin(builtin, call.args, result, at))
    }

    fn compare_exchange(
        &mut self,
        weak: bool,
        explicit: bool,
        qual: Qual,
        mut call: Call<'_>,
    ) -> Checked<Expr> {
        let at = call.at;
        match call.args.get(1).and_then(|a| self.types.pointee(a.qual)) {
            Some(to) if to.ty == qual.ty && !to.constant && to.space != Space::Constant => {}
            Some(_) | None => return self.no_overload(&call),
        }
        self.convert_argument(&mut call, 2, qual)?;
        let (success, failure, scope) = if explicit {
            self.arity_between(&call, 5, 6)?;
            let success = self.order_argument(&call, 3)?;
            let failure = self.order_argument(&call, 4)?;
            let scope = if call.args.len() > 5 {
                self.scope_argument(&call, 5)?
            } else {
                self.check_scope(MemScope::Device, &call)?;
                MemScope::Device
            };
            (success, failure, scope)
        } else {
            let (order, scope) = self.order_and_scope(&mut call, false, 3)?;
            (order, order, scope)
        };
        if matches!(failure, Order::Release | Order::AcqRel) {
            return self.bad_order(&call, failure, "the order of a failed exchange");
        }
        let strength = |order| match order {
            Order::Relaxed => 0,
            Order::Acquire | Order::Release => 1,
            Order::AcqRel => 2,
            Order::SeqCst => 3,
        };
        if strength(failure) > strength(success) {
            return self.error(
                at,
                "the order of a failed exchange cannot be stronger than that of a successful one",
            );
        }
        call.args.truncate(3);
        let bool = self.types.scalar(Scalar::Bool);
        let builtin = Builtin::AtomicCompareExchange((success, failure), scope, weak);
        Ok(self.builtin(builtin, call.args, bool, at))
    }
}
