//! Accesses to memory.
//!
//! An access is made inline where it falls into the window of its site, or surely lies within its object; elsewhere
//! a helper does all of it: the look-up, which may move the window, the access, or noting the
//! trap. A plain access at an unnatural address is one instruction of the processor, too, which
//! makes it of parts where it must, as the stepper does.
//!
//! Windows of sites whose object is a variable do not change while an item runs, so that
//! their loads may be moved. The others may, after each slow access (also those of arguments, of which nobody
//! may know how far they reach), and are loaded each time.

use super::context::Left;
use super::translate::{Translator, helper};
use super::values::constant_memory;
use crate::interp::code::{Extent, Fill, Ins, ObjectId, ObjectPlace, Site, Slot};
use crate::interp::port::host::Window;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AtomicRmwOp, Block, InstBuilder, MemFlagsData, Type, Value, types};
use std::mem::offset_of;
use touchstone_ir::{AddressSpace, Order, RmwOp};

/// Where an access goes: a base, an index with its factor, a displacement.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) site: Site,
    pub(super) a: Slot,
    /// With its factor, and whether it is a signed number of 32 bits.
    pub(super) index: Option<(Slot, u16, bool)>,
    pub(super) disp: i32,
}

impl Translator<'_> {
    /// An instruction that touches memory or calls out.
    #[rustfmt::skip]
    pub(super) fn access(&mut self, ins: &Ins) {
        if let Some((log, slot, place, is_store)) = plain(ins) {
            return match is_store {
                true => self.store(log, slot, place),
                false => self.load(log, slot, place),
            };
        }
        match *ins {
            Ins::AtomicLoad32 { d, a, site, .. } => self.atomic(ins, types::I32, (a, site), None, Some(d)),
            Ins::AtomicLoad64 { d, a, site, .. } => self.atomic(ins, types::I64, (a, site), None, Some(d)),
            Ins::AtomicStore32 { v, a, site, .. } => self.atomic(ins, types::I32, (a, site), Some((v, v)), None),
            Ins::AtomicStore64 { v, a, site, .. } => self.atomic(ins, types::I64, (a, site), Some((v, v)), None),
            Ins::Rmw32 { d, v, a, site, .. } => self.atomic(ins, types::I32, (a, site), Some((v, v)), Some(d)),
            Ins::Rmw64 { d, v, a, site, .. } => self.atomic(ins, types::I64, (a, site), Some((v, v)), Some(d)),
            Ins::Cas32 { d, a, expected, desired, site, .. } =>
                self.atomic(ins, types::I32, (a, site), Some((expected, desired)), Some(d)),
            Ins::Cas64 { d, a, expected, desired, site, .. } =>
                self.atomic(ins, types::I64, (a, site), Some((expected, desired)), Some(d)),
            Ins::Fence { order, .. } => match order {
                Order::SeqCst => {
                    self.b.ins().fence();
                }
                // The processor keeps what these order, and so does the compiler: see `translate`.
                Order::Relaxed | Order::Acquire | Order::Release | Order::AcqRel => {}
            },
            Ins::MemCopy { dst, src, size, .. } => self.whole_block([dst, src, size]),
            Ins::MemSet { dst, byte, size, .. } => self.whole_block([dst, byte, size]),
            Ins::Print { d, .. } | Ins::Device { d, .. } => self.call_out(d, ins),
            ref other => unreachable!("{other:?} is translated elsewhere"),
        }
    }

    /// For an access to memory of kernels, which comes next. It may trap: it is not dropped, and its
    /// place is known.
    pub(super) fn kernel_memory(&mut self) -> MemFlagsData {
        self.b.ins().sequence_point();
        MemFlagsData::new()
    }

    pub(super) fn place(&mut self, place: Place) -> Value {
        let index = place.index.map(|(index, scale, is_signed)| {
            let index = match is_signed {
                true => self.signed(index),
                false => self.values.wide(&mut self.b, index),
            };
            (index, scale.into())
        });
        self.address(place.a, index, place.disp)
    }

    /// Whether an access is surely within its object: at a fixed place of private or local memory.
    fn surely_inside(&self, place: Place, size: u64) -> bool {
        let Some(ObjectId(object)) = self.kernel.sites[usize::from(place.site)].object else {
            return false;
        };
        let ObjectPlace::Known(extent) = self.kernel.objects[usize::from(object)].place else {
            return false;
        };
        let (base, first, len) = match (self.values.fill(place.a), extent) {
            (Some(Fill::PrivateBase), Extent::Private { offset, len }) => (0, offset, len),
            (Some(Fill::Local(base)), Extent::Local { offset, len }) => (base, offset, len),
            _ => return false,
        };
        let at = base.checked_add_signed(place.disp.into());
        let inside = at.and_then(|at| at.checked_sub(first));
        place.index.is_none() && inside.is_some_and(|at| at < len && size <= len - at)
    }

    /// Whether an access falls out of the window of its site.
    pub(super) fn misses(&mut self, site: Site, address: Value) -> Value {
        let (offset, span) = self.in_window(site, address, offset_of!(Window, span));
        self.b.ins().icmp(IntCC::UnsignedGreaterThan, offset, span)
    }

    /// Whether an access, or one of those of the lanes behind it, falls out of the window of its site.
    pub(super) fn row_misses(&mut self, site: Site, address: Value) -> Value {
        let (offset, rows) = self.in_window(site, address, offset_of!(Window, rows));
        self.b
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, offset, rows)
    }

    /// How far an address is behind the start of its site's window, and a number of the window.
    fn in_window(&mut self, site: Site, address: Value, field: usize) -> (Value, Value) {
        let object = self.kernel.sites[usize::from(site)].object;
        let place = object.map(|ObjectId(object)| self.kernel.objects[usize::from(object)].place);
        let is_fixed = match place {
            Some(ObjectPlace::Known(extent)) => extent != Extent::Anywhere,
            Some(ObjectPlace::Argument(_)) | None => false,
        };
        let flags = match is_fixed {
            true => constant_memory(),
            false => MemFlagsData::trusted(),
        };
        let window = (usize::from(site) * size_of::<Window>()) as i32;
        let first = window + offset_of!(Window, first) as i32;
        let first = self.b.ins().load(types::I64, flags, self.windows, first);
        let field = window + field as i32;
        let number = self.b.ins().load(types::I64, flags, self.windows, field);
        (self.b.ins().isub(address, first), number)
    }

    /// The type in which a value from memory is wanted: of the slot's next use in the block.
    pub(super) fn wanted(&mut self, d: Slot, log: u32) -> Type {
        let rest = &self.kernel.code[self.pc as usize + 1..self.end as usize];
        for ins in rest {
            let mut is_read = false;
            super::operands::slots(self.kernel, ins, |role, first, count| {
                let runs = first <= d && i32::from(d) < i32::from(first) + i32::from(count);
                is_read |= runs && role == super::operands::Role::Read;
            });
            if is_read {
                return match (super::kinds::computes_with(ins), log) {
                    (Some(ty), _) if ty.bytes() == 1 << log => ty,
                    (_, 3) => types::I64,
                    _ => types::I32,
                };
            }
        }
        let (_, ty) = self.values.variable(&mut self.b, d as usize);
        match log {
            3 if ty == types::F64 => types::F64,
            3 => types::I64,
            2 if ty == types::F32 => types::F32,
            _ => types::I32,
        }
    }

    fn load(&mut self, log: u32, d: Slot, place: Place) {
        let ty = self.wanted(d, log);
        let address = self.place(place);
        let value = if !self.checked || self.surely_inside(place, 1 << log) {
            self.plain_load(log, ty, address)
        } else {
            let misses = self.misses(place.site, address);
            let (slow, fast, join) = (
                self.new_block(true),
                self.new_block(false),
                self.new_block(false),
            );
            let value = self.b.append_block_param(join, ty);
            self.b.ins().brif(misses, slow, &[], fast, &[]);
            self.go_on(slow);
            let arguments = [
                self.context,
                self.number(place.site.into()),
                address,
                self.number(log.into()),
            ];
            let made = self.call_carefully(helper!(careful_load), &arguments);
            let given = self.given(ty);
            self.unless(made, Left::Fault, join, &[given.into()]);
            self.go_on(fast);
            let loaded = self.plain_load(log, ty, address);
            self.b.ins().jump(join, &[loaded.into()]);
            self.go_on(join);
            value
        };
        self.values.set(d, ty, value);
    }

    pub(super) fn plain_load(&mut self, log: u32, ty: Type, address: Value) -> Value {
        let flags = self.kernel_memory();
        match log {
            0 => self.b.ins().uload8(ty, flags, address, 0),
            1 => self.b.ins().uload16(ty, flags, address, 0),
            _ => self.b.ins().load(ty, flags, address, 0),
        }
    }

    fn store(&mut self, log: u32, v: Slot, place: Place) {
        let address = self.place(place);
        let value = match log {
            3 => self.values.stored64(&mut self.b, v),
            _ => self.values.stored32(&mut self.b, v, log == 2),
        };
        if !self.checked || self.surely_inside(place, 1 << log) {
            return self.plain_store(log, value, address);
        }
        let whole = self.values.wide(&mut self.b, v);
        let misses = self.misses(place.site, address);
        let (slow, fast, join) = (
            self.new_block(true),
            self.new_block(false),
            self.new_block(false),
        );
        self.b.ins().brif(misses, slow, &[], fast, &[]);
        self.go_on(slow);
        let arguments = [
            self.context,
            self.number(place.site.into()),
            address,
            self.number(log.into()),
            whole,
        ];
        let made = self.call_carefully(helper!(careful_store), &arguments);
        self.unless(made, Left::Fault, join, &[]);
        self.go_on(fast);
        self.plain_store(log, value, address);
        self.b.ins().jump(join, &[]);
        self.go_on(join);
    }

    pub(super) fn plain_store(&mut self, log: u32, value: Value, address: Value) {
        let flags = self.kernel_memory();
        match log {
            0 => self.b.ins().istore8(flags, value, address, 0),
            1 => self.b.ins().istore16(flags, value, address, 0),
            _ => self.b.ins().store(flags, value, address, 0),
        };
    }

    /// An atomic access. Loads of every order are moves, as are stores up to release; a sequentially
    /// consistent store is an exchange; read-modify-writes are locked.
    #[rustfmt::skip]
    fn atomic(&mut self, ins: &Ins, ty: Type, (a, site): (Slot, Site), operands: Option<(Slot, Slot)>, d: Option<Slot>) {
        let address = self.values.wide(&mut self.b, a);
        let mut operand = |slot: Slot| match ty {
            types::I32 => (self.values.int(&mut self.b, slot), self.values.wide(&mut self.b, slot)),
            _ => (self.values.wide(&mut self.b, slot), self.values.wide(&mut self.b, slot)),
        };
        let operands = operands.map(|(x, y)| (operand(x), operand(y)));
        let ((x, whole_x), (y, whole_y)) = operands.unwrap_or_else(|| {
            let zero = self.number(0);
            ((zero, zero), (zero, zero))
        });
        let (slow, join) = (self.new_block(true), self.new_block(false));
        let result = d.map(|_| self.b.append_block_param(join, ty));
        if is_inline(ins) {
            self.fast_or_slow(site, address, ty, slow);
            let old = self.inline_atomic(ins, ty, address, x, y);
            let value: Vec<_> = old.filter(|_| d.is_some()).map(Into::into).into_iter().collect();
            self.b.ins().jump(join, &value);
        } else {
            self.b.ins().jump(slow, &[]);
        }
        self.go_on(slow);
        let arguments = [self.context, self.number(self.pc.into()), address, whole_x, whole_y];
        let made = self.call_carefully(helper!(careful_atomic), &arguments);
        let value: Vec<_> = d.map(|_| self.given(ty).into()).into_iter().collect();
        self.unless(made, Left::Fault, join, &value);
        self.go_on(join);
        if let (Some(d), Some(result)) = (d, result) {
            self.values.set(d, ty, result);
        }
    }

    /// Goes to `slow` if an access is outside its window or not aligned.
    fn fast_or_slow(&mut self, site: Site, address: Value, ty: Type, slow: Block) {
        let unaligned = self.b.ins().band_imm_u(address, i64::from(ty.bytes()) - 1);
        let aligned = self.new_block(false);
        self.b.ins().brif(unaligned, slow, &[], aligned, &[]);
        self.go_on(aligned);
        if self.checked {
            let misses = self.misses(site, address);
            let fast = self.new_block(false);
            self.b.ins().brif(misses, slow, &[], fast, &[]);
            self.go_on(fast);
        }
    }

    /// An atomic access that may be made; what a load or a read-modify-write gives.
    #[rustfmt::skip]
    pub(super) fn inline_atomic(&mut self, ins: &Ins, ty: Type, address: Value, x: Value, y: Value) -> Option<Value> {
        let flags = self.kernel_memory();
        match *ins {
            Ins::AtomicLoad32 { .. } | Ins::AtomicLoad64 { .. } =>
                Some(self.b.ins().atomic_load(ty, flags, address)),
            Ins::AtomicStore32 { order, .. } | Ins::AtomicStore64 { order, .. } => {
                if order == Order::SeqCst {
                    self.b.ins().atomic_rmw(ty, flags, AtomicRmwOp::Xchg, address, x);
                } else {
                    self.b.ins().store(flags, x, address, 0);
                }
                None
            }
            Ins::Rmw32 { op, site, order, .. } | Ins::Rmw64 { op, site, order, .. } => {
                let op = inline_op(op).unwrap_or(AtomicRmwOp::Xchg);
                Some(match order == Order::Relaxed && self.is_own(site) {
                    true => self.change_own(ty, op, address, x),
                    false => self.b.ins().atomic_rmw(ty, flags, op, address, x),
                })
            }
            _ => Some(self.b.ins().atomic_cas(flags, address, x, y)),
        }
    }

    /// Whether accesses go to local memory, which one thread uses at a time: that which runs the group.
    pub(super) fn is_own(&self, site: Site) -> bool {
        self.kernel.sites[usize::from(site)].space == AddressSpace::Local
    }

    /// A read-modify-write of what no other thread uses; what was there before. No item of the group runs between
    /// its load and its store.
    fn change_own(&mut self, ty: Type, op: AtomicRmwOp, address: Value, x: Value) -> Value {
        let flags = MemFlagsData::new();
        let old = self.b.ins().load(ty, flags, address, 0);
        let new = match op {
            AtomicRmwOp::Xchg => x,
            AtomicRmwOp::Add => self.b.ins().iadd(old, x),
            AtomicRmwOp::Sub => self.b.ins().isub(old, x),
            AtomicRmwOp::And => self.b.ins().band(old, x),
            AtomicRmwOp::Nand => self.b.ins().band_not(old, x),
            AtomicRmwOp::Or => self.b.ins().bor(old, x),
            AtomicRmwOp::Xor => self.b.ins().bxor(old, x),
            AtomicRmwOp::Smin => self.b.ins().smin(old, x),
            AtomicRmwOp::Smax => self.b.ins().smax(old, x),
            AtomicRmwOp::Umin => self.b.ins().umin(old, x),
            AtomicRmwOp::Umax => self.b.ins().umax(old, x),
        };
        self.b.ins().store(flags, new, address, 0);
        old
    }

    /// A copy or a fill.
    fn whole_block(&mut self, operands: [Slot; 3]) {
        let [dst, from, size] = operands.map(|slot| self.values.wide(&mut self.b, slot));
        let arguments = [self.context, self.number(self.pc.into()), dst, from, size];
        let made = self.call(helper!(block), &arguments);
        let then = self.new_block(false);
        self.unless(made, Left::Fault, then, &[]);
        self.go_on(then);
    }

    /// A call that reads its operands from the item's slots.
    fn call_out(&mut self, d: Slot, ins: &Ins) {
        let mut read = Vec::new();
        super::operands::slots(self.kernel, ins, |role, first, count| {
            if role == super::operands::Role::Read {
                read.extend(first..first + count as Slot);
            }
        });
        for slot in read {
            self.keep(slot);
        }
        let arguments = [self.context, self.number(self.pc.into())];
        let made = self.call(helper!(call_out), &arguments);
        let (then, panicked, good) = (
            self.new_block(false),
            self.new_block(true),
            self.new_block(false),
        );
        self.unless(made, Left::Fault, then, &[]);
        self.go_on(then);
        let is_good = self.b.ins().icmp_imm_u(IntCC::Equal, made, 1);
        self.b.ins().brif(is_good, good, &[], panicked, &[]);
        self.go_on(panicked);
        self.leave(Left::Panicked);
        self.go_on(good);
        let value = self.given(types::I64);
        self.values.set_wide(d, value);
    }
}

/// A plain access: the base 2 logarithm of its size, the slot that is loaded or stored, the place, and whether it stores.
#[rustfmt::skip]
pub(super) fn plain(ins: &Ins) -> Option<(u32, Slot, Place, bool)> {
    let plain = |a, site, disp| Place { site, a, index: None, disp };
    let wide = |a, index, site, scale, disp| Place { site, a, index: Some((index, scale, false)), disp };
    let narrow = |a, index, site, scale, disp| Place { site, a, index: Some((index, scale, true)), disp };
    Some(match *ins {
        Ins::Load8 { d, a, site, disp } => (0, d, plain(a, site, disp), false),
        Ins::Load16 { d, a, site, disp } => (1, d, plain(a, site, disp), false),
        Ins::Load32 { d, a, site, disp } => (2, d, plain(a, site, disp), false),
        Ins::Load64 { d, a, site, disp } => (3, d, plain(a, site, disp), false),
        Ins::Store8 { v, a, site, disp } => (0, v, plain(a, site, disp), true),
        Ins::Store16 { v, a, site, disp } => (1, v, plain(a, site, disp), true),
        Ins::Store32 { v, a, site, disp } => (2, v, plain(a, site, disp), true),
        Ins::Store64 { v, a, site, disp } => (3, v, plain(a, site, disp), true),
        Ins::Load32X { d, a, index, site, scale, disp } => (2, d, wide(a, index, site, scale, disp), false),
        Ins::Load64X { d, a, index, site, scale, disp } => (3, d, wide(a, index, site, scale, disp), false),
        Ins::Store32X { v, a, index, site, scale, disp } => (2, v, wide(a, index, site, scale, disp), true),
        Ins::Store64X { v, a, index, site, scale, disp } => (3, v, wide(a, index, site, scale, disp), true),
        Ins::Load32S { d, a, index, site, scale, disp } => (2, d, narrow(a, index, site, scale, disp), false),
        Ins::Load64S { d, a, index, site, scale, disp } => (3, d, narrow(a, index, site, scale, disp), false),
        Ins::Store32S { v, a, index, site, scale, disp } => (2, v, narrow(a, index, site, scale, disp), true),
        Ins::Store64S { v, a, index, site, scale, disp } => (3, v, narrow(a, index, site, scale, disp), true),
        _ => return None,
    })
}

/// Whether an instruction's own accesses may be refused by the system.
pub(super) fn is_access(ins: &Ins) -> bool {
    plain(ins).is_some()
}

/// The instruction of a read-modify-write; those of floats are made by the stepper's.
fn inline_op(op: RmwOp) -> Option<AtomicRmwOp> {
    Some(match op {
        RmwOp::Exchange => AtomicRmwOp::Xchg,
        RmwOp::Add => AtomicRmwOp::Add,
        RmwOp::Sub => AtomicRmwOp::Sub,
        RmwOp::And => AtomicRmwOp::And,
        RmwOp::Or => AtomicRmwOp::Or,
        RmwOp::Xor => AtomicRmwOp::Xor,
        RmwOp::SMin => AtomicRmwOp::Smin,
        RmwOp::SMax => AtomicRmwOp::Smax,
        RmwOp::UMin => AtomicRmwOp::Umin,
        RmwOp::UMax => AtomicRmwOp::Umax,
        RmwOp::FAdd | RmwOp::FSub | RmwOp::FMin | RmwOp::FMax => return None,
    })
}

fn is_inline(ins: &Ins) -> bool {
    match *ins {
        Ins::Rmw32 { op, .. } | Ins::Rmw64 { op, .. } => inline_op(op).is_some(),
        _ => true,
    }
}
