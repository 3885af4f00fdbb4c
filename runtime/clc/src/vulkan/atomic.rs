//! The atomic functions, fences and barriers of OpenCL C as instructions of Vulkan.
//!
//! Orders become memory semantics: acquire makes visible what release made available, in the
//! storage class of the object, or in those that a fence's flags name. Vulkan has no
//! sequentially consistent order. The functions of OpenCL 1.x are relaxed. That the pointers of
//! atomic functions are ones to volatile objects says nothing, since all of them are.

use super::Writer;
use super::foreign::rmw_instruction;
use super::memory::{ObjectId, Pointer};
use super::number::Number;
use super::place::Value;
use crate::hir::{CompareOp, Expr};
use crate::sema::Checked;
use crate::source::Loc;
use crate::types::Scalar;
use rspirv::dr::Operand;
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};
use touchstone_ir::{BarrierKind, MemScope, Order, Regions, RmwOp};

/// The object of an atomic function: where, and the type of its number.
#[derive(Clone, Copy)]
pub(super) struct Atomic {
    pub(super) pointer: Pointer,
    pub(super) scalar: Scalar,
    pub(super) at: Loc,
}

impl Writer<'_> {
    pub(super) fn refuse_order<T>(&mut self, at: Loc) -> Checked<T> {
        let what = "`memory_order_seq_cst` (the Vulkan memory model has no such order)";
        self.refuse(at, what)
    }

    /// The semantics of an order over storage classes.
    fn semantics(
        &mut self,
        order: Order,
        classes: MemorySemantics,
        at: Loc,
    ) -> Checked<MemorySemantics> {
        let (order, availability) = match order {
            Order::Relaxed => return Ok(MemorySemantics::empty()),
            Order::Acquire => (MemorySemantics::ACQUIRE, MemorySemantics::MAKE_VISIBLE),
            Order::Release => (MemorySemantics::RELEASE, MemorySemantics::MAKE_AVAILABLE),
            Order::AcqRel => (
                MemorySemantics::ACQUIRE_RELEASE,
                MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE,
            ),
            Order::SeqCst => return self.refuse_order(at),
        };
        let availability = if self.target.memory_model {
            availability
        } else {
            MemorySemantics::empty()
        };
        Ok(order | availability | classes)
    }

    /// The storage classes that flags name.
    fn classes(regions: Regions) -> MemorySemantics {
        let mut classes = MemorySemantics::empty();
        if regions.contains(Regions::GLOBAL) {
            classes |= MemorySemantics::UNIFORM_MEMORY;
        }
        if regions.contains(Regions::LOCAL) {
            classes |= MemorySemantics::WORKGROUP_MEMORY;
        }
        classes
    }

    /// The scope of OpenCL C as one of Vulkan. On local memory those wider than a work-group mean
    /// the work-group (OpenCL architecture 3.3.5).
    fn scope_of(&mut self, scope: MemScope, local: bool, at: Loc) -> Checked<Scope> {
        match scope {
            MemScope::WorkItem => Ok(Scope::Invocation),
            MemScope::SubGroup => Ok(Scope::Subgroup),
            MemScope::WorkGroup => Ok(Scope::Workgroup),
            MemScope::AllDevices => self.refuse(
                at,
                "`memory_scope_all_svm_devices` (there is no shared virtual memory)",
            ),
            MemScope::Device if local => Ok(Scope::Workgroup),
            MemScope::Device if self.target.memory_model && !self.target.device_scope => {
                Ok(Scope::QueueFamily)
            }
            MemScope::Device => Ok(Scope::Device),
        }
    }

    fn says_of(
        &mut self,
        object: ObjectId,
        orders: &[Order],
        scope: MemScope,
        at: Loc,
    ) -> Checked<Vec<Operand>> {
        let classes = self.semantics_of(object);
        let scope = self.scope_of(scope, self.is_local(object), at)?;
        let mut all = Vec::new();
        for &order in orders {
            all.push(self.semantics(order, classes, at)?);
        }
        self.says(scope, &all, at)
    }

    pub(super) fn atomic_load(
        &mut self,
        of: Atomic,
        order: Order,
        scope: MemScope,
    ) -> Checked<Value> {
        let says = self.says_of(of.pointer.object, &[order], scope, of.at)?;
        let number = self.atomic(Op::AtomicLoad, of.pointer, of.scalar, &says, &[], of.at)?;
        Ok(number.map_or(Value::Void, Value::one))
    }

    pub(super) fn atomic_store(
        &mut self,
        of: Atomic,
        value: Number,
        order: Order,
        scope: MemScope,
    ) -> Checked<Value> {
        let says = self.says_of(of.pointer.object, &[order], scope, of.at)?;
        let values = [value];
        self.atomic(
            Op::AtomicStore,
            of.pointer,
            of.scalar,
            &says,
            &values,
            of.at,
        )?;
        Ok(Value::Void)
    }

    /// A read-modify-write; the number before.
    pub(super) fn atomic_rmw(
        &mut self,
        of: Atomic,
        operation: RmwOp,
        value: Number,
        order: Order,
        scope: MemScope,
    ) -> Checked<Number> {
        let Some(op) = rmw_instruction(operation) else {
            return self.refuse(of.at, "an atomic operation on floating-point numbers");
        };
        let says = self.says_of(of.pointer.object, &[order], scope, of.at)?;
        let before = self.atomic(op, of.pointer, of.scalar, &says, &[value], of.at)?;
        Ok(before.unwrap_or(value))
    }

    /// A compare and exchange; the number before.
    pub(super) fn atomic_exchange(
        &mut self,
        of: Atomic,
        [expected, desired]: [Number; 2],
        orders: [Order; 2],
        scope: MemScope,
    ) -> Checked<Number> {
        let says = self.says_of(of.pointer.object, &orders, scope, of.at)?;
        let op = Op::AtomicCompareExchange;
        let values = [desired, expected];
        let before = self.atomic(op, of.pointer, of.scalar, &says, &values, of.at)?;
        Ok(before.unwrap_or(expected))
    }

    /// C11's compare and exchange: whether it wrote; if not, what was there goes to `expected`.
    /// The weak one is the strong one.
    pub(super) fn compare_exchange(
        &mut self,
        of: Atomic,
        expected: &Expr,
        desired: &Expr,
        (orders, scope): ((Order, Order), MemScope),
    ) -> Checked<Value> {
        let Atomic { scalar, at, .. } = of;
        let place = self.pointer(expected)?;
        let desired = self.number(desired)?;
        let access = self.ordinary(false);
        let wanted = self.load(place, scalar, &access, at)?;
        let orders = [orders.0, orders.1];
        let before = self.atomic_exchange(of, [wanted, desired], orders, scope)?;
        let wrote = self.m.compare(CompareOp::Eq, scalar, before, wanted);
        let (failed, end) = (self.m.id(), self.m.id());
        self.selection(wrote, end, failed, end);
        self.m.begin(failed);
        self.store(place, before, scalar, &access, at)?;
        self.m.jump(end);
        self.m.begin(end);
        Ok(Value::one(Number::Truth(wrote)))
    }

    /// `atomic_work_item_fence`, `mem_fence` and their like.
    pub(super) fn fence(
        &mut self,
        regions: Regions,
        order: Order,
        scope: MemScope,
        at: Loc,
    ) -> Checked<Value> {
        let classes = Self::classes(regions);
        let semantics = self.semantics(order, classes, at)?;
        let local = classes == MemorySemantics::WORKGROUP_MEMORY;
        let scope = self.scope_of(scope, local, at)?;
        // A relaxed fence orders nothing, nor does one over no memory that there is.
        if !semantics.is_empty() && !classes.is_empty() {
            let says = self.says(scope, &[semantics], at)?;
            self.m.push(Op::MemoryBarrier, says);
        }
        Ok(Value::Void)
    }

    /// `work_group_barrier` and `sub_group_barrier`: a release at entry and an acquire at exit.
    pub(super) fn barrier(
        &mut self,
        kind: BarrierKind,
        regions: Regions,
        scope: MemScope,
        at: Loc,
    ) -> Checked<Value> {
        let execution = match kind {
            BarrierKind::WorkGroup => Scope::Workgroup,
            BarrierKind::SubGroup => Scope::Subgroup,
        };
        let classes = Self::classes(regions);
        let local = classes == MemorySemantics::WORKGROUP_MEMORY;
        let memory = self.scope_of(scope, local, at)?;
        let semantics = if classes.is_empty() {
            MemorySemantics::empty()
        } else {
            self.semantics(Order::AcqRel, classes, at)?
        };
        self.control_barrier(execution, memory, semantics, at)?;
        Ok(Value::Void)
    }

    /// A barrier, exactly as said.
    pub(super) fn control_barrier(
        &mut self,
        execution: Scope,
        memory: Scope,
        semantics: MemorySemantics,
        at: Loc,
    ) -> Checked<()> {
        match execution {
            Scope::Workgroup => {}
            Scope::Subgroup => self.m.capability(Capability::GroupNonUniform),
            _ => return self.refuse(at, "a barrier of more than a work-group"),
        }
        let execution = self.m.constant(execution as u32);
        let mut operands = vec![Operand::IdScope(execution)];
        operands.extend(self.says(memory, &[semantics], at)?);
        self.m.push(Op::ControlBarrier, operands);
        Ok(())
    }
}
