//! Atomic operations, fences, barriers.

use super::Check;
use super::function::Body;
use super::words::{Id, ids};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};
use touchstone_ir::{
    self as ir, AddressSpace, BarrierKind, MemScope, Operand, Order, Regions, RmwOp, Scalar, Type,
};

/// The scope of a scope.
pub(super) fn scope_of(scope: MemScope) -> Scope {
    match scope {
        MemScope::WorkItem => Scope::Invocation,
        MemScope::SubGroup => Scope::Subgroup,
        MemScope::WorkGroup => Scope::Workgroup,
        MemScope::Device => Scope::Device,
        MemScope::AllDevices => Scope::CrossDevice,
    }
}

/// Who waits at a barrier, as a scope.
pub(super) fn scope_of_group(kind: BarrierKind) -> Scope {
    match kind {
        BarrierKind::WorkGroup => Scope::Workgroup,
        BarrierKind::SubGroup => Scope::Subgroup,
    }
}

/// Memory semantics of an order on memories; one that is relaxed says nothing of memories.
fn semantics(order: Order, regions: Regions) -> MemorySemantics {
    let mut bits = match order {
        Order::Relaxed => return MemorySemantics::empty(),
        Order::Acquire => MemorySemantics::ACQUIRE,
        Order::Release => MemorySemantics::RELEASE,
        Order::AcqRel => MemorySemantics::ACQUIRE_RELEASE,
        Order::SeqCst => MemorySemantics::SEQUENTIALLY_CONSISTENT,
    };
    for (region, bit) in [
        (Regions::LOCAL, MemorySemantics::WORKGROUP_MEMORY),
        (Regions::GLOBAL, MemorySemantics::CROSS_WORKGROUP_MEMORY),
        (Regions::IMAGE, MemorySemantics::IMAGE_MEMORY),
    ] {
        bits.set(bit, regions.contains(region));
    }
    bits
}

/// The memories that an access through a pointer to a space orders.
fn regions_of(space: AddressSpace) -> Regions {
    match space {
        AddressSpace::Local => Regions::LOCAL,
        AddressSpace::Global | AddressSpace::Constant => Regions::GLOBAL,
        AddressSpace::Generic | AddressSpace::Private => Regions::LOCAL | Regions::GLOBAL,
    }
}

/// The instruction of a modification; a difference of floats is a sum.
pub(crate) fn modification(op: RmwOp) -> Op {
    match op {
        RmwOp::Exchange => Op::AtomicExchange,
        RmwOp::Add => Op::AtomicIAdd,
        RmwOp::Sub => Op::AtomicISub,
        RmwOp::And => Op::AtomicAnd,
        RmwOp::Or => Op::AtomicOr,
        RmwOp::Xor => Op::AtomicXor,
        RmwOp::SMin => Op::AtomicSMin,
        RmwOp::SMax => Op::AtomicSMax,
        RmwOp::UMin => Op::AtomicUMin,
        RmwOp::UMax => Op::AtomicUMax,
        RmwOp::FAdd | RmwOp::FSub => Op::AtomicFAddEXT,
        RmwOp::FMin => Op::AtomicFMinEXT,
        RmwOp::FMax => Op::AtomicFMaxEXT,
    }
}

impl Body<'_, '_> {
    pub(super) fn scope(&mut self, scope: Scope) -> Id {
        self.writer.words.word(scope as u32)
    }

    fn semantics(&mut self, order: Order, regions: Regions) -> Id {
        self.writer.words.word(semantics(order, regions).bits())
    }

    /// The memory of an atomic access to a type, and what it orders.
    fn place(&mut self, ptr: Operand, ty: Type) -> Check<(Id, Regions)> {
        if ty == Type::I64 {
            self.writer.words.capability(Capability::Int64Atomics);
        }
        let space = self.type_of(ptr)?.space();
        let regions = regions_of(space.unwrap_or(AddressSpace::Generic));
        Ok((self.pointer_to(ptr, ty)?, regions))
    }

    /// A value as a type of integers or floats that atomic instructions have.
    fn held(&mut self, value: Operand, as_bits: bool) -> Check<Id> {
        let ty = self.type_of(value)?;
        match held_as(ty, as_bits) {
            held if held == ty => self.value(value),
            held => self.bitcast(held, value),
        }
    }

    /// A value of such a type as what it is.
    fn released(&mut self, ty: Type, held: Type, value: Id) -> Id {
        match ty {
            _ if ty == held => value,
            Type::Pointer(_) => self.compute(Op::ConvertUToPtr, ty, &[value]),
            Type::Scalar(_) | Type::Vector(..) => self.compute(Op::Bitcast, ty, &[value]),
        }
    }

    /// Writes an atomic operation, a fence or a barrier; None if the operation is none, else its result.
    pub(super) fn atomic(&mut self, op: &ir::Op, ty: Option<Type>) -> Check<Option<Option<Id>>> {
        Ok(Some(match op {
            ir::Op::AtomicLoad { ptr, order, scope } => {
                let Some(ty) = ty else {
                    return Ok(Some(None));
                };
                let held = held_as(ty, false);
                let (place, regions) = self.place(*ptr, held)?;
                let (scope, order) = (
                    self.scope(scope_of(*scope)),
                    self.semantics(*order, regions),
                );
                let value = self.compute(Op::AtomicLoad, held, &[place, scope, order]);
                Some(self.released(ty, held, value))
            }
            ir::Op::AtomicStore {
                ptr,
                value,
                order,
                scope,
            } => {
                let held = held_as(self.type_of(*value)?, false);
                let value = self.held(*value, false)?;
                let (place, regions) = self.place(*ptr, held)?;
                let (scope, order) = (
                    self.scope(scope_of(*scope)),
                    self.semantics(*order, regions),
                );
                let operands = [place, scope, order, value];
                self.push(Op::AtomicStore, ids(&operands));
                None
            }
            ir::Op::AtomicRmw {
                op,
                ptr,
                value,
                order,
                scope,
            } => {
                let ty = self.type_of(*value)?;
                let held = held_as(ty, false);
                self.float_atomics(*op, held)?;
                let mut value = self.held(*value, false)?;
                if *op == RmwOp::FSub {
                    value = self.compute(Op::FNegate, held, &[value]);
                }
                let (place, regions) = self.place(*ptr, held)?;
                let (scope, order) = (
                    self.scope(scope_of(*scope)),
                    self.semantics(*order, regions),
                );
                let before = self.compute(modification(*op), held, &[place, scope, order, value]);
                Some(self.released(ty, held, before))
            }
            ir::Op::AtomicCas {
                ptr,
                expected,
                desired,
                success,
                failure,
                scope,
                weak: _,
            } => {
                let ty = self.type_of(*expected)?;
                let held = held_as(ty, true);
                let (expected, desired) = (self.held(*expected, true)?, self.held(*desired, true)?);
                let (place, regions) = self.place(*ptr, held)?;
                let scope = self.scope(scope_of(*scope));
                let [success, failure] =
                    [success, failure].map(|order| self.semantics(*order, regions));
                let operands = [place, scope, success, failure, desired, expected];
                let before = self.compute(Op::AtomicCompareExchange, held, &operands);
                Some(self.released(ty, held, before))
            }
            ir::Op::Fence { order, .. } if *order == Order::Relaxed => None,
            ir::Op::Fence {
                regions,
                order,
                scope,
            } => {
                let operands = [
                    self.scope(scope_of(*scope)),
                    self.semantics(*order, *regions),
                ];
                self.push(Op::MemoryBarrier, ids(&operands));
                None
            }
            ir::Op::Barrier {
                kind,
                regions,
                scope,
            } => {
                // What is before is released, and what is behind acquires.
                let order = match regions.is_empty() {
                    true => Order::Relaxed,
                    false => Order::AcqRel,
                };
                let operands = [
                    self.scope(scope_of_group(*kind)),
                    self.scope(scope_of(*scope)),
                    self.semantics(order, *regions),
                ];
                self.push(Op::ControlBarrier, ids(&operands));
                None
            }
            _ => return Ok(None),
        }))
    }

    /// Declares what a modification of floats needs.
    fn float_atomics(&mut self, op: RmwOp, ty: Type) -> Check<()> {
        let (extension, capabilities) = match op {
            RmwOp::FAdd | RmwOp::FSub => (
                "SPV_EXT_shader_atomic_float_add",
                [
                    Capability::AtomicFloat32AddEXT,
                    Capability::AtomicFloat64AddEXT,
                ],
            ),
            RmwOp::FMin | RmwOp::FMax => (
                "SPV_EXT_shader_atomic_float_min_max",
                [
                    Capability::AtomicFloat32MinMaxEXT,
                    Capability::AtomicFloat64MinMaxEXT,
                ],
            ),
            _ => return Ok(()),
        };
        let [single, double] = capabilities;
        self.writer.words.extension(extension);
        self.writer.words.capability(match ty.element() {
            Some(Scalar::F32) => single,
            Some(Scalar::F64) => double,
            _ => return Err(format!("atomic {op} of {ty}")),
        });
        Ok(())
    }
}

/// The type as which atomic instructions hold a value: pointers are numbers, and so are floats where bits are compared.
fn held_as(ty: Type, as_bits: bool) -> Type {
    match ty {
        Type::Pointer(_) => Type::I64,
        Type::Scalar(scalar) if as_bits => Type::Scalar(scalar.int_of_size()),
        Type::Scalar(_) | Type::Vector(..) => ty,
    }
}
