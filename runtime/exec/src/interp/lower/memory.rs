//! Addresses and accesses.

use super::analysis::{Expr, ZERO, takes_index};
use super::function::Lowering;
use super::permission_of;
use super::provenance::Root;
use crate::interp::code::{Extent, Fill, Ins, Object, ObjectId, ObjectPlace, Site, SiteInfo, Slot};
use touchstone_faults::{Fault, on};
use touchstone_ir::{
    AddressSpace, ArgPass, Op, Operand, Order, Reg, Scalar, SlotId, Type, computations,
};

/// An address in parts: `base + index * scale + disp`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    base: Slot,
    /// The slot, and whether it is a signed 32-bit number.
    index: Option<(Slot, bool)>,
    scale: u32,
    disp: i64,
}

impl Address {
    /// An address without an index.
    fn at(base: Slot, disp: i64) -> Address {
        Address {
            base,
            index: None,
            scale: 1,
            disp,
        }
    }
}

impl Lowering<'_> {
    /// An address in parts.
    pub(super) fn address(&mut self, operand: Operand) -> Address {
        if let Operand::Reg(reg) = operand {
            match self.analysis.exprs[reg.0 as usize] {
                Expr::Alias(other) => return self.address(other),
                Expr::SlotAddr(slot) => return self.slot_address(slot),
                Expr::Address {
                    base,
                    index,
                    scale,
                    disp,
                } => return self.add(base, index, scale, disp),
                Expr::Slots | Expr::Query(..) | Expr::Widened(_) => {}
            }
        }
        Address::at(self.operand(operand), 0)
    }

    /// The address of a private variable.
    fn slot_address(&mut self, slot: SlotId) -> Address {
        let disp = self.private[slot.0 as usize] as i64;
        Address::at(self.e.fill(Fill::PrivateBase), disp)
    }

    fn add(&mut self, base: Operand, index: Operand, scale: u32, disp: i64) -> Address {
        let mut inner = self.address(base);
        if let Operand::Const(c) = index {
            let bytes = (c.bits() as i64).wrapping_mul(i64::from(scale));
            inner.disp = inner.disp.wrapping_add(disp).wrapping_add(bytes);
            return inner;
        }
        if inner.index.is_some() {
            // Two indices: the inner address is computed first.
            let d = self.scratch(1);
            self.emit_address(d, inner);
            inner = Address::at(d, 0);
        }
        let signed = match index {
            Operand::Reg(r) => match self.analysis.exprs[r.0 as usize] {
                Expr::Widened(value) => Some(value),
                Expr::Slots
                | Expr::Alias(_)
                | Expr::Query(..)
                | Expr::SlotAddr(_)
                | Expr::Address { .. } => None,
            },
            Operand::Const(_) => None,
        };
        inner.index = Some(match signed {
            Some(value) => (self.operand(value), !on(Fault::NegativeIndexUnsigned)),
            None => (self.operand(index), false),
        });
        inner.scale = scale;
        inner.disp = inner.disp.wrapping_add(disp);
        inner
    }

    /// Computes an address into a slot.
    pub(super) fn emit_address(&mut self, d: Slot, address: Address) {
        let Ok(disp) = i32::try_from(address.disp) else {
            // What the instruction cannot hold is added on its own.
            let a = self.scratch(1);
            self.emit_address(a, Address { disp: 0, ..address });
            let b = self.e.constant(address.disp as u64);
            return self.e.emit(Ins::Add64 { d, a, b });
        };
        let (a, scale) = (address.base, address.scale);
        #[rustfmt::skip]
        let ins = match address.index {
            None if disp == 0 => return self.moves(d, a, 1),
            None => Ins::PtrAdd { d, a, index: self.operand(ZERO), scale: 1, disp },
            Some((index, false)) => Ins::PtrAdd { d, a, index, scale, disp },
            Some((index, true)) => Ins::PtrAddS { d, a, index, scale, disp },
        };
        self.e.emit(ins);
    }

    /// The address as base and displacement that leave room for `extra` bytes more.
    fn base_and_disp(&mut self, address: Address, extra: u32) -> (Slot, i32) {
        if address.index.is_none()
            && let Ok(disp) = i32::try_from(address.disp)
            && disp.checked_add_unsigned(extra).is_some()
        {
            return (address.base, disp);
        }
        let d = self.scratch(1);
        self.emit_address(d, address);
        (d, 0)
    }

    /// The site of an access of `size` bytes (0: any) through a pointer.
    pub(super) fn site(&mut self, ptr: Operand, size: u32, write: bool) -> Site {
        let root = self.instance.origin(ptr).root();
        let info = SiteInfo {
            space: self.type_of(ptr).space().unwrap_or(AddressSpace::Generic),
            size: size as u8,
            write,
            object: root.map(|root| self.object(root)),
        };
        self.e.site(info)
    }

    /// The number of an object.
    fn object(&mut self, root: Root) -> ObjectId {
        let program = self.program;
        self.e.object(root, |e| match root {
            Root::Argument(n) => {
                let arg = &program.info.args[n as usize];
                let place = match arg.pass {
                    ArgPass::Aggregate { size, .. } => ObjectPlace::Known(Extent::Private {
                        offset: program.params[n as usize].private_offset,
                        len: size.into(),
                    }),
                    ArgPass::Value(_)
                    | ArgPass::Pointer(_)
                    | ArgPass::LocalPointer { .. }
                    | ArgPass::Image(..)
                    | ArgPass::Pipe { .. }
                    | ArgPass::Sampler
                    | ArgPass::Queue => ObjectPlace::Argument(n),
                };
                let name = format!("argument {n}{}", quoted(&arg.name));
                Object { name, place }
            }
            Root::Global(id) => {
                let global = &program.module.globals[id.0 as usize];
                Object {
                    name: format!("the program's variable{}", quoted(&global.name)),
                    place: ObjectPlace::Known(Extent::Absolute {
                        first: program.globals[id.0 as usize],
                        len: global.size,
                        permission: permission_of(global),
                    }),
                }
            }
            Root::Local(id) => {
                let var = &program.module.locals[id.0 as usize];
                Object {
                    name: format!("the local variable{}", quoted(&var.name)),
                    place: ObjectPlace::Known(Extent::Local {
                        offset: e.local(id, var.size, var.align),
                        len: var.size,
                    }),
                }
            }
            Root::Slot(function, slot) => {
                let var = &program.module.functions[function.0 as usize].slots[slot.0 as usize];
                Object {
                    name: format!("the private variable{}", quoted(&var.name)),
                    place: ObjectPlace::Known(Extent::Private {
                        offset: program.private[&function][slot.0 as usize],
                        len: var.size.into(),
                    }),
                }
            }
        })
    }

    /// The slot with an address, all of it.
    fn pointer(&mut self, ptr: Operand) -> Slot {
        let address = self.address(ptr);
        if address.index.is_none() && address.disp == 0 {
            return address.base;
        }
        let d = self.scratch(1);
        self.emit_address(d, address);
        d
    }

    #[rustfmt::skip]
    pub(super) fn memory(&mut self, op: &Op, dst: Option<Reg>) {
        match *op {
            Op::AtomicRmw { op, order: Order::Relaxed, .. }
                if dst.is_none_or(|dst| self.analysis.unread[dst.0 as usize]) => self.e.counts(op),
            Op::Load { volatile: true, .. } | Op::Store { volatile: true, .. } | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. } | Op::AtomicRmw { .. } | Op::AtomicCas { .. } => self.e.synchronizes(),
            _ => {}
        }
        match *op {
            Op::Load { ptr, .. } => {
                if let Some(dst) = dst {
                    self.load(dst, ptr);
                }
            }
            Op::Store { ptr, value, .. } => self.store(ptr, value),
            Op::AtomicLoad { ptr, order, scope } => {
                let Some(dst) = dst else { return };
                let size = self.reg_type(dst).size();
                let a = self.pointer(ptr);
                let site = self.site(ptr, size, false);
                let d = self.home(dst);
                self.e.emit(match size {
                    8 => Ins::AtomicLoad64 { d, a, site, order, scope },
                    _ => Ins::AtomicLoad32 { d, a, site, order, scope },
                });
            }
            Op::AtomicStore { ptr, value, order, scope } => {
                let size = self.type_of(value).size();
                let a = self.pointer(ptr);
                let v = self.operand(value);
                let site = self.site(ptr, size, true);
                self.e.emit(match size {
                    8 => Ins::AtomicStore64 { v, a, site, order, scope },
                    _ => Ins::AtomicStore32 { v, a, site, order, scope },
                });
            }
            Op::AtomicRmw { op, ptr, value, order, scope } => {
                let size = self.type_of(value).size();
                let a = self.pointer(ptr);
                let v = self.operand(value);
                let site = self.site(ptr, size, true);
                let d = self.result(dst);
                self.e.emit(match size {
                    8 => Ins::Rmw64 { d, v, a, site, op, order, scope },
                    _ => Ins::Rmw32 { d, v, a, site, op, order, scope },
                });
            }
            Op::AtomicCas { ptr, expected, desired, success, failure, scope, weak: _ } => {
                let size = self.type_of(expected).size();
                let a = self.pointer(ptr);
                let expected = self.operand(expected);
                let desired = self.operand(desired);
                let site = self.site(ptr, size, true);
                let d = self.result(dst);
                self.e.emit(match size {
                    8 => Ins::Cas64 { d, a, expected, desired, site, success, failure, scope },
                    _ => Ins::Cas32 { d, a, expected, desired, site, success, failure, scope },
                });
            }
            Op::MemCopy { dst, src, size, .. } => {
                let dst_site = self.site(dst, 0, true);
                let src_site = self.site(src, 0, false);
                let (dst, src) = (self.pointer(dst), self.pointer(src));
                let size = match size {
                    Operand::Const(c) if c.bits() % 4 != 0 && on(Fault::StructTailLost) => {
                        self.e.constant(c.bits() - 1)
                    }
                    _ => self.operand(size),
                };
                self.e.emit(Ins::MemCopy { dst, src, size, dst_site, src_site });
            }
            Op::MemSet { dst, byte, size, .. } => {
                let site = self.site(dst, 0, true);
                let dst = self.pointer(dst);
                let byte = self.operand(byte);
                let size = self.operand(size);
                self.e.emit(Ins::MemSet { dst, byte, size, site });
            }
            Op::GlobalAddr(id) => {
                let bits = self.program.globals[id.0 as usize];
                let a = self.e.constant(bits);
                self.set(dst, a);
            }
            Op::LocalAddr(id) => {
                let var = &self.program.module.locals[id.0 as usize];
                let offset = self.e.local(id, var.size, var.align);
                let a = self.e.fill(Fill::Local(offset));
                self.set(dst, a);
            }
            Op::SlotAddr(slot) => {
                if let Some(dst) = dst {
                    let address = self.slot_address(slot);
                    let d = self.home(dst);
                    self.emit_address(d, address);
                }
            }
            Op::ToSpace(ptr) => {
                if let Some(dst) = dst {
                    let space = self.reg_type(dst).space();
                    let a = self.pointer(ptr);
                    let d = self.home(dst);
                    let space = space.unwrap_or(AddressSpace::Generic);
                    self.e.emit(Ins::ToSpace { d, a, space });
                }
            }
            Op::PtrAdd { base, index, scale, disp } => {
                if let Some(dst) = dst {
                    let address = self.add(base, index, scale, disp);
                    let d = self.home(dst);
                    self.emit_address(d, address);
                }
            }
            computations!()
            | Op::Copy(_) | Op::Convert { .. } | Op::Bitcast(_) | Op::PtrCast(_) | Op::Select(..)
            | Op::Fence { .. } | Op::Barrier { .. } | Op::Collective { .. } | Op::Call { .. } | Op::Device { .. } | Op::Printf { .. } => {
                unreachable!("not a memory operation")
            }
        }
    }

    /// The destination's slot, or a scratch slot for a result nobody wants.
    pub(super) fn result(&mut self, dst: Option<Reg>) -> Slot {
        match dst {
            Some(dst) => self.home(dst),
            None => self.scratch(1),
        }
    }

    fn set(&mut self, dst: Option<Reg>, a: Slot) {
        if let Some(dst) = dst {
            let d = self.home(dst);
            self.moves(d, a, 1);
        }
    }

    fn load(&mut self, dst: Reg, ptr: Operand) {
        let ty = self.reg_type(dst);
        let address = self.address(ptr);
        let size = element_size(ty);
        if let Some((index, signed)) = address.index
            && takes_index(ty)
            && let (Ok(scale), Ok(disp)) =
                (u16::try_from(address.scale), i32::try_from(address.disp))
        {
            let site = self.site(ptr, size, false);
            let d = self.home(dst);
            let a = address.base;
            #[rustfmt::skip]
            let ins = match (size, signed) {
                (8, false) => Ins::Load64X { d, a, index, site, scale, disp },
                (8, true) => Ins::Load64S { d, a, index, site, scale, disp },
                (_, false) => Ins::Load32X { d, a, index, site, scale, disp },
                (_, true) => Ins::Load32S { d, a, index, site, scale, disp },
            };
            self.e.emit(ins);
            return;
        }
        let lanes = ty.lanes();
        let (a, disp) = self.base_and_disp(address, size * lanes);
        let home = self.home(dst);
        // An address that lies in the destination would be lost after the first element.
        let a = if lanes > 1 && (home..home + lanes as Slot).contains(&a) {
            let copy = self.scratch(1);
            self.moves(copy, a, 1);
            copy
        } else {
            a
        };
        for lane in 0..lanes {
            let d = home + lane as Slot;
            let disp = disp + (size * lane) as i32;
            let site = self.site(ptr, size, false);
            self.e.emit(match size {
                1 => Ins::Load8 { d, a, site, disp },
                2 => Ins::Load16 { d, a, site, disp },
                4 => Ins::Load32 { d, a, site, disp },
                _ => Ins::Load64 { d, a, site, disp },
            });
        }
        if ty == Type::Scalar(Scalar::Bool) {
            let zero = self.e.constant(0);
            self.e.emit(Ins::Ne {
                d: home,
                a: home,
                b: zero,
            });
        }
    }

    fn store(&mut self, ptr: Operand, value: Operand) {
        let ty = self.type_of(value);
        let address = self.address(ptr);
        let size = element_size(ty);
        let first = self.operand(value);
        if let Some((index, signed)) = address.index
            && takes_index(ty)
            && let (Ok(scale), Ok(disp)) =
                (u16::try_from(address.scale), i32::try_from(address.disp))
        {
            let site = self.site(ptr, size, true);
            let (v, a) = (first, address.base);
            #[rustfmt::skip]
            let ins = match (size, signed) {
                (8, false) => Ins::Store64X { v, a, index, site, scale, disp },
                (8, true) => Ins::Store64S { v, a, index, site, scale, disp },
                (_, false) => Ins::Store32X { v, a, index, site, scale, disp },
                (_, true) => Ins::Store32S { v, a, index, site, scale, disp },
            };
            self.e.emit(ins);
            return;
        }
        let lanes = ty.lanes();
        let (a, disp) = self.base_and_disp(address, size * lanes);
        for lane in 0..lanes {
            let v = first + lane as Slot;
            let disp = disp + (size * lane) as i32;
            let site = self.site(ptr, size, true);
            self.e.emit(match size {
                1 => Ins::Store8 { v, a, site, disp },
                2 => Ins::Store16 { v, a, site, disp },
                4 => Ins::Store32 { v, a, site, disp },
                _ => Ins::Store64 { v, a, site, disp },
            });
        }
    }
}

/// Bytes of one element of a value.
fn element_size(ty: Type) -> u32 {
    ty.element().map_or(8, Scalar::size)
}

/// A name of the source, for a message; nothing if there is none.
fn quoted(name: &str) -> String {
    if name.is_empty() {
        String::new()
    } else {
        format!(" `{name}`")
    }
}
