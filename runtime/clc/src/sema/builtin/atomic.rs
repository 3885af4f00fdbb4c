//! Atomic functions: those of OpenCL 1.x and those of C11 (OpenCL C 6.15.12).

use super::Call;
use super::table::{Atomic, AtomicOp, Legacy, LegacyOp};
use crate::hir::{Builtin, Expr};
use crate::sema::{Checked, Sema};
use crate::types::{Qual, Scalar, Space, Type};
use touchstone_ir::{MemScope, Order, RmwOp};

impl Sema<'_> {
    /// OpenCL 1.x: relaxed, of the widest scope the memory has.
    pub(super) fn legacy_atomic(&mut self, legacy: Legacy, mut call: Call<'_>) -> Checked<Expr> {
        let n = match legacy.op {
            LegacyOp::Rmw(..) => 2,
            LegacyOp::Step(_) => 1,
            LegacyOp::Cmpxchg => 3,
        };
        self.arity(&call, n)?;
        let to = self.pointee_argument(&call, 0)?;
        let exchange = legacy.op == LegacyOp::Rmw(RmwOp::Exchange, RmwOp::Exchange);
        let scalar = match self.types.as_scalar(to) {
            Some(scalar @ (Scalar::Int | Scalar::UInt)) => scalar,
            Some(scalar @ (Scalar::Long | Scalar::ULong)) if self.language.int64_atomics => scalar,
            Some(Scalar::Float) if exchange && !legacy.atom => Scalar::Float,
            Some(_) | None => return self.no_overload(&call),
        };
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
        let scope = match to.space {
            Space::Local => MemScope::WorkGroup,
            _ => MemScope::Device,
        };
        let qual = self.types.scalar(scalar);
        for i in 1..call.args.len() {
            self.numbered_argument(&mut call, i, qual)?;
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
            LegacyOp::Rmw(signed, _) if scalar.is_signed() => signed,
            LegacyOp::Rmw(_, unsigned) => unsigned,
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
                let name = call.name;
                let message = format!(
                    "`{name}` is sequentially consistent and needs \
                     __opencl_c_atomic_order_seq_cst; use `{name}_explicit`"
                );
                return self.error(call.at, message);
            }
            self.check_scope(MemScope::Device, call)?;
            return Ok((Order::SeqCst, MemScope::Device));
        }
        self.arity_between(call, from + 1, from + 2)?;
        let order = self.order_argument(call, from)?;
        let scope = self.last_scope(call, from + 1)?;
        call.args.truncate(from);
        Ok((order, scope))
    }

    /// The scope that may be the last argument; without it, the device.
    fn last_scope(&mut self, call: &Call<'_>, index: usize) -> Checked<MemScope> {
        if call.args.len() > index {
            return self.scope_argument(call, index);
        }
        self.check_scope(MemScope::Device, call)?;
        Ok(MemScope::Device)
    }

    /// Converts an argument that messages name by its number.
    fn numbered_argument(&mut self, call: &mut Call<'_>, index: usize, to: Qual) -> Checked<()> {
        let what = format!("argument {} of `{}`", index + 1, call.name);
        self.convert_argument(call, index, to, &what)
    }

    /// The object of an atomic function.
    fn atomic_object(&mut self, call: &Call<'_>) -> Checked<(Type, Qual)> {
        let Some(arg) = call.args.first() else {
            let message = format!("`{}` needs an atomic object", call.name);
            return self.error(call.at, message);
        };
        let at = arg.loc;
        let to = self.pointee_argument(call, 0)?;
        let ty = self.types.of(to);
        let wide = match ty {
            Type::Atomic(scalar) => scalar.size() == 8,
            Type::AtomicFlag => false,
            _ => {
                let (name, ty) = (call.name, self.show(to));
                let message =
                    format!("`{name}` works on atomic objects (atomic_int, …), not on `{ty}`");
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

    /// What a function that fetches does to floats, by what it does to integers (`cl_ext_float_atomics`). A pointer that
    /// names no memory needs what it needs of each.
    fn modification_of_floats(
        &mut self,
        op: RmwOp,
        scalar: Scalar,
        space: Space,
        call: &Call<'_>,
    ) -> Checked<RmwOp> {
        let (op, group) = match op {
            RmwOp::Add => (RmwOp::FAdd, "add"),
            RmwOp::Sub => (RmwOp::FSub, "add"),
            RmwOp::SMin => (RmwOp::FMin, "min_max"),
            RmwOp::SMax => (RmwOp::FMax, "min_max"),
            _ => return self.no_overload(call),
        };
        let memories: &[&str] = match space {
            Space::Global | Space::Constant => &["global"],
            Space::Local => &["local"],
            Space::Generic | Space::Private => &["global", "local"],
        };
        let bits = 8 * scalar.size();
        for memory in memories {
            let feature = format!("__opencl_c_ext_fp{bits}_{memory}_atomic_{group}");
            if !self.language.float_atomics.contains(&feature) {
                let message = format!(
                    "`{}` of `{}` needs {feature} (cl_ext_float_atomics)",
                    call.name,
                    scalar.name()
                );
                return self.error(call.at, message);
            }
        }
        Ok(op)
    }

    pub(super) fn atomic(&mut self, atomic: Atomic, mut call: Call<'_>) -> Checked<Expr> {
        let Atomic { op, explicit } = atomic;
        let at = call.at;
        let (object, to) = self.atomic_object(&call)?;
        // A flag is an `int` that only its own functions know.
        let of_flags = matches!(op, AtomicOp::TestAndSet | AtomicOp::Clear);
        let scalar = match object {
            Type::Atomic(scalar) if !of_flags => scalar,
            Type::AtomicFlag if of_flags => Scalar::Int,
            _ => return self.no_overload(&call),
        };
        if to.constant && !of_flags && !matches!(op, AtomicOp::Load) {
            return self.error(at, "this atomic function writes what is const");
        }
        let values = match op {
            AtomicOp::Load | AtomicOp::TestAndSet | AtomicOp::Clear => 0,
            AtomicOp::Init | AtomicOp::Store | AtomicOp::Exchange | AtomicOp::Fetch(..) => 1,
            AtomicOp::CompareExchange { .. } => 2,
        };
        if call.args.len() <= values || matches!(op, AtomicOp::Init) {
            self.arity(&call, values + 1)?;
        }
        let of_floats = match op {
            AtomicOp::Fetch(op, _) if scalar.is_float() => {
                Some(self.modification_of_floats(op, scalar, to.space, &call)?)
            }
            _ => None,
        };
        let [void, bool, qual] = [
            self.types.void(),
            self.types.scalar(Scalar::Bool),
            self.types.scalar(scalar),
        ];
        match op {
            AtomicOp::CompareExchange { .. } => {
                self.out_argument(&call, 1, qual)?;
                self.numbered_argument(&mut call, 2, qual)?;
            }
            AtomicOp::Init | AtomicOp::Store | AtomicOp::Exchange | AtomicOp::Fetch(..) => {
                self.numbered_argument(&mut call, 1, qual)?;
            }
            AtomicOp::Load | AtomicOp::TestAndSet | AtomicOp::Clear => {}
        }
        let mut computed = Vec::new();
        if explicit {
            let weaker = match op {
                AtomicOp::Load => Order::Acquire,
                AtomicOp::Store | AtomicOp::Clear => Order::Release,
                _ => Order::AcqRel,
            };
            let strongest = self.strongest(weaker);
            self.settle_order(&mut call, values + 1, strongest, &mut computed);
        }
        let (order, failure, scope) = match op {
            AtomicOp::Init => (Order::Relaxed, Order::Relaxed, MemScope::Device),
            AtomicOp::CompareExchange { .. } if explicit => {
                self.exchange_orders(&mut call, &mut computed)?
            }
            _ => {
                self.settle_scope(&mut call, values + 2, &mut computed);
                let (order, scope) = self.order_and_scope(&mut call, explicit, values + 1)?;
                (order, order, scope)
            }
        };
        let wrong = match op {
            AtomicOp::Load => Some((Order::Release, "a load")),
            AtomicOp::Store => Some((Order::Acquire, "a store")),
            AtomicOp::Clear => Some((Order::Acquire, "atomic_flag_clear")),
            _ => None,
        };
        if let Some((wrong, what)) = wrong
            && (order == wrong || order == Order::AcqRel)
        {
            return self.error(at, format!("{what} cannot be memory_order_{order}"));
        }
        let (builtin, result) = match op {
            AtomicOp::Init => (Builtin::AtomicInit, void),
            AtomicOp::Load => (Builtin::AtomicLoad(order, scope), qual),
            AtomicOp::Store => (Builtin::AtomicStore(order, scope), void),
            AtomicOp::Clear => {
                call.args.push(self.number(0, scalar, at));
                (Builtin::AtomicStore(order, scope), void)
            }
            AtomicOp::Exchange => (Builtin::AtomicRmw(RmwOp::Exchange, order, scope), qual),
            AtomicOp::Fetch(signed, unsigned) => {
                let op = match of_floats {
                    Some(op) => op,
                    None if scalar.is_signed() => signed,
                    None => unsigned,
                };
                (Builtin::AtomicRmw(op, order, scope), qual)
            }
            AtomicOp::TestAndSet => (Builtin::FlagTestAndSet(order, scope), bool),
            AtomicOp::CompareExchange { weak } => {
                let orders = (order, failure);
                (Builtin::AtomicCompareExchange(orders, scope, weak), bool)
            }
        };
        let call = self.builtin(builtin, call.args, result, at);
        Ok(self.after(computed, call))
    }

    /// The orders of success and of failure and the scope of a compare and exchange.
    fn exchange_orders(
        &mut self,
        call: &mut Call<'_>,
        computed: &mut Vec<Expr>,
    ) -> Checked<(Order, Order, MemScope)> {
        self.arity_between(call, 5, 6)?;
        let success = self.order_argument(call, 3)?;
        let strongest = match success {
            Order::AcqRel => Order::Acquire,
            Order::Release => Order::Relaxed,
            order => order,
        };
        self.settle_order(call, 4, strongest, computed);
        self.settle_scope(call, 5, computed);
        let failure = self.order_argument(call, 4)?;
        let scope = self.last_scope(call, 5)?;
        call.args.truncate(3);
        if matches!(failure, Order::Release | Order::AcqRel) {
            let message =
                format!("the order of a failed exchange cannot be memory_order_{failure}");
            return self.error(call.at, message);
        }
        let strength = |order| match order {
            Order::Relaxed => 0,
            Order::Acquire | Order::Release => 1,
            Order::AcqRel => 2,
            Order::SeqCst => 3,
        };
        if strength(failure) > strength(success) {
            let message = "the order of a failed exchange cannot be stronger than that of a \
                           successful one";
            return self.error(call.at, message);
        }
        Ok((success, failure, scope))
    }
}
