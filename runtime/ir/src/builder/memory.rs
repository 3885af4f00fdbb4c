//! Addresses, accesses to memory, fences and barriers.

use super::FunctionBuilder;
use crate::ids::{GlobalId, LocalId, Reg, SlotId};
use crate::kinds::BarrierKind;
use crate::memory::{MemScope, Order, Regions, RmwOp};
use crate::op::Op;
use crate::types::{AddressSpace, Type};
use crate::value::{Const, Operand};

impl FunctionBuilder {
    /// The address of a private variable.
    pub fn slot_addr(&mut self, slot: SlotId) -> Reg {
        self.emit(Type::Pointer(AddressSpace::Private), Op::SlotAddr(slot))
    }

    /// The address of a program-scope variable that lies in `space`.
    pub fn global_addr(&mut self, global: GlobalId, space: AddressSpace) -> Reg {
        self.emit(Type::Pointer(space), Op::GlobalAddr(global))
    }

    /// The address of a static local variable.
    pub fn local_addr(&mut self, local: LocalId) -> Reg {
        self.emit(Type::Pointer(AddressSpace::Local), Op::LocalAddr(local))
    }

    /// `base + index * scale + disp`, in bytes.
    pub fn ptr_add(
        &mut self,
        base: impl Into<Operand>,
        index: impl Into<Operand>,
        scale: u32,
        disp: i64,
    ) -> Reg {
        let base = base.into();
        let ty = self.type_of(base);
        let op = Op::PtrAdd {
            base,
            index: index.into(),
            scale,
            disp,
        };
        self.emit(ty, op)
    }

    /// `base + disp`, in bytes: a member of a struct.
    pub fn ptr_offset(&mut self, base: impl Into<Operand>, disp: i64) -> Reg {
        self.ptr_add(base, Const::i64(0), 1, disp)
    }

    /// A plain load of a naturally aligned value.
    pub fn load(&mut self, ty: Type, ptr: impl Into<Operand>) -> Reg {
        let op = Op::Load {
            ptr: ptr.into(),
            align: ty.align(),
            volatile: false,
        };
        self.emit(ty, op)
    }

    /// A plain store of a naturally aligned value.
    pub fn store(&mut self, ptr: impl Into<Operand>, value: impl Into<Operand>) {
        let value = value.into();
        let align = self.type_of(value).align();
        self.push(Op::Store {
            ptr: ptr.into(),
            value,
            align,
            volatile: false,
        });
    }

    /// An atomic load.
    pub fn atomic_load(
        &mut self,
        ty: Type,
        ptr: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) -> Reg {
        let ptr = ptr.into();
        self.emit(ty, Op::AtomicLoad { ptr, order, scope })
    }

    /// An atomic store.
    pub fn atomic_store(
        &mut self,
        ptr: impl Into<Operand>,
        value: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) {
        self.push(Op::AtomicStore {
            ptr: ptr.into(),
            value: value.into(),
            order,
            scope,
        });
    }

    /// An atomic read-modify-write; the value before.
    pub fn atomic_rmw(
        &mut self,
        op: RmwOp,
        ptr: impl Into<Operand>,
        value: impl Into<Operand>,
        order: Order,
        scope: MemScope,
    ) -> Reg {
        let value = value.into();
        let ty = self.type_of(value);
        let op = Op::AtomicRmw {
            op,
            ptr: ptr.into(),
            value,
            order,
            scope,
        };
        self.emit(ty, op)
    }

    /// A strong compare and exchange; the value before.
    pub fn atomic_cas(
        &mut self,
        ptr: impl Into<Operand>,
        expected: impl Into<Operand>,
        desired: impl Into<Operand>,
        (success, failure): (Order, Order),
        scope: MemScope,
    ) -> Reg {
        let expected = expected.into();
        let ty = self.type_of(expected);
        let op = Op::AtomicCas {
            ptr: ptr.into(),
            expected,
            desired: desired.into(),
            success,
            failure,
            scope,
            weak: false,
        };
        self.emit(ty, op)
    }

    /// A fence.
    pub fn fence(&mut self, regions: Regions, order: Order, scope: MemScope) {
        self.push(Op::Fence {
            regions,
            order,
            scope,
        });
    }

    /// A work-group barrier.
    pub fn barrier(&mut self, regions: Regions, scope: MemScope) {
        self.push(Op::Barrier {
            kind: BarrierKind::WorkGroup,
            regions,
            scope,
        });
    }
}
