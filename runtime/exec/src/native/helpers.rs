//! What compiled code calls: what is rare, long, or the same for every kernel.
//!
//! A helper that can fail gives 0 then, and the port knows why; its value goes through the
//! context. They are called by compiled code alone, which passes its own context and what the
//! kernel's code says.

use super::context::{Context, Panic};
use crate::interp::code::{Ins, Kernel, Slot};
use crate::interp::device;
use crate::interp::port::word::Atomic;
use crate::interp::port::{AtomicAt, Port};
use crate::interp::regs::Regs;
use crate::interp::step::printf;
use crate::scalar::convert::Conversion;
use crate::scalar::math::{Fn1, Fn2, Fn3};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The addresses of helpers, at offsets that compiled code knows. Arguments and results are whole
/// registers; `pc` is the place of the instruction.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Helpers {
    /// Context, site, address, base 2 logarithm of the size.
    pub(super) load: unsafe extern "C" fn(&mut Context, u64, u64, u64) -> u64,
    /// Context, site, address, logarithm of the size, value.
    pub(super) store: unsafe extern "C" fn(&mut Context, u64, u64, u64, u64) -> u64,
    /// Context, pc, address, value or what is expected, what is desired.
    pub(super) atomic: unsafe extern "C" fn(&mut Context, u64, u64, u64, u64) -> u64,
    /// Context, pc, destination, source or byte, size.
    pub(super) block: unsafe extern "C" fn(&mut Context, u64, u64, u64, u64) -> u64,
    /// Context, pc, address; gives the address or 0.
    pub(super) to_space: unsafe extern "C" fn(&mut Context, u64, u64) -> u64,
    /// Context, pc, dimension; gives the answer.
    pub(super) query: unsafe extern "C" fn(&mut Context, u64, u64) -> u64,
    /// Context, pc; the operands are in the item's slots. 2 after a panic.
    pub(super) call_out: unsafe extern "C" fn(&mut Context, u64) -> u64,
    pub(super) call1: unsafe extern "C" fn(&Fn1, u64) -> u64,
    pub(super) call2: unsafe extern "C" fn(&Fn2, u64, u64) -> u64,
    pub(super) call3: unsafe extern "C" fn(&Fn3, u64, u64, u64) -> u64,
    pub(super) convert: unsafe extern "C" fn(&Conversion, u64) -> u64,
}

/// The helpers for a type of ports.
struct For<M>(std::marker::PhantomData<M>);

impl<M: Port> For<M> {
    const HELPERS: Helpers = Helpers {
        load: load::<M>,
        store: store::<M>,
        atomic: atomic::<M>,
        block: block::<M>,
        to_space: to_space::<M>,
        query,
        call_out: call_out::<M>,
        call1,
        call2,
        call3,
        convert,
    };
}

impl Helpers {
    /// Those for a type of ports.
    pub(super) fn of<M: Port>() -> &'static Helpers {
        const { &For::<M>::HELPERS }
    }
}

/// What a memory gave, as a helper gives it.
fn give(context: &mut Context, value: Option<u64>) -> u64 {
    context.value = value.unwrap_or_default();
    u64::from(value.is_some())
}

/// The port.
///
/// # Safety
/// The context is that of running code whose helpers are for `M`.
unsafe fn port<'a, M>(context: &Context) -> &'a mut M {
    // SAFETY: who entered the code has set it to a port of this type, which nothing else uses
    // while the code runs.
    unsafe { &mut *context.memory.cast::<M>() }
}

/// The instruction at a place.
///
/// # Safety
/// The context is that of running code, the place one of its kernel.
unsafe fn instruction<'a>(context: &Context, pc: u64) -> (&'a Kernel, &'a Ins) {
    // SAFETY: who entered the code has set it, and holds the kernel.
    let kernel = unsafe { &*context.kernel };
    (kernel, &kernel.code[pc as usize])
}

unsafe extern "C" fn load<M: Port>(
    context: &mut Context,
    site: u64,
    address: u64,
    log: u64,
) -> u64 {
    // SAFETY: called by compiled code.
    let port = unsafe { port::<M>(context) };
    let site = site as u16;
    let value = match log {
        0 => port.load::<u8>(site, address).map(u64::from),
        1 => port.load::<u16>(site, address).map(u64::from),
        2 => port.load::<u32>(site, address).map(u64::from),
        _ => port.load::<u64>(site, address),
    };
    give(context, value)
}

unsafe extern "C" fn store<M: Port>(
    context: &mut Context,
    site: u64,
    address: u64,
    log: u64,
    value: u64,
) -> u64 {
    // SAFETY: called by compiled code.
    let port = unsafe { port::<M>(context) };
    let site = site as u16;
    let made = match log {
        0 => port.store(site, address, value as u8),
        1 => port.store(site, address, value as u16),
        2 => port.store(site, address, value as u32),
        _ => port.store(site, address, value),
    };
    u64::from(made.is_some())
}

#[rustfmt::skip]
unsafe extern "C" fn atomic<M: Port>(
    context: &mut Context,
    pc: u64,
    address: u64,
    value: u64,
    desired: u64,
) -> u64 {
    // SAFETY: called by compiled code.
    let (port, (_, ins)) = unsafe { (port::<M>(context), instruction(context, pc)) };
    let (short, short_desired) = (value as u32, desired as u32);
    let mut word = |at, access| port.atomic::<u32>(at, access).map(u64::from);
    let old = match *ins {
        Ins::AtomicLoad32 { site, order, scope, .. } =>
            word(AtomicAt { site, address, order, scope }, Atomic::Load),
        Ins::AtomicStore32 { site, order, scope, .. } =>
            word(AtomicAt { site, address, order, scope }, Atomic::Store(short)),
        Ins::Rmw32 { site, op, order, scope, .. } =>
            word(AtomicAt { site, address, order, scope }, Atomic::Rmw(op, short)),
        Ins::Cas32 { site, success, failure, scope, .. } => {
            let access = Atomic::Cas { expected: short, desired: short_desired, failure };
            word(AtomicAt { site, address, order: success, scope }, access)
        }
        Ins::AtomicLoad64 { site, order, scope, .. } =>
            port.atomic(AtomicAt { site, address, order, scope }, Atomic::Load),
        Ins::AtomicStore64 { site, order, scope, .. } =>
            port.atomic(AtomicAt { site, address, order, scope }, Atomic::Store(value)),
        Ins::Rmw64 { site, op, order, scope, .. } =>
            port.atomic(AtomicAt { site, address, order, scope }, Atomic::Rmw(op, value)),
        Ins::Cas64 { site, success, failure, scope, .. } => {
            let access = Atomic::Cas { expected: value, desired, failure };
            port.atomic(AtomicAt { site, address, order: success, scope }, access)
        }
        ref other => unreachable!("{other:?} is no atomic access"),
    };
    give(context, old)
}

unsafe extern "C" fn block<M: Port>(
    context: &mut Context,
    pc: u64,
    dst: u64,
    from: u64,
    size: u64,
) -> u64 {
    // SAFETY: called by compiled code.
    let (port, (_, ins)) = unsafe { (port::<M>(context), instruction(context, pc)) };
    let made = match *ins {
        Ins::MemCopy {
            dst_site, src_site, ..
        } => port.copy((dst_site, src_site), dst, from, size),
        Ins::MemSet { site, .. } => port.fill(site, dst, from as u8, size),
        ref other => unreachable!("{other:?} is no access to a block"),
    };
    u64::from(made.is_some())
}

unsafe extern "C" fn to_space<M: Port>(context: &mut Context, pc: u64, address: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (port, (_, ins)) = unsafe { (port::<M>(context), instruction(context, pc)) };
    match *ins {
        Ins::ToSpace { space, .. } if port.space_of(address) == Some(space) => address,
        _ => 0,
    }
}

unsafe extern "C" fn query(context: &mut Context, pc: u64, dim: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (_, ins) = unsafe { instruction(context, pc) };
    // SAFETY: who entered the code has set it to where the item is.
    let ids = unsafe { &*context.ids };
    match *ins {
        Ins::Query { query, .. } => ids.query(query, dim as u32),
        ref other => unreachable!("{other:?} is no query"),
    }
}

unsafe extern "C" fn call_out<M: Port>(context: &mut Context, pc: u64) -> u64 {
    // SAFETY: called by compiled code.
    let (port, (kernel, ins)) = unsafe { (port::<M>(context), instruction(context, pc)) };
    // SAFETY: the item's slots, which only this item uses.
    let regs = unsafe { Regs::new(context.origin) };
    let slot = |slot: Slot| regs.get(slot);
    // What the launch's output and its queues do may panic, which must not go through compiled code.
    let made = catch_unwind(AssertUnwindSafe(|| match *ins {
        Ins::Print { print, .. } => printf(&kernel.printings[usize::from(print)], slot, port),
        Ins::Device { call, .. } => {
            device::call(&kernel.device_calls[usize::from(call)], slot, port)
        }
        ref other => unreachable!("{other:?} calls nobody"),
    }));
    match made {
        Ok(value) => give(context, value),
        Err(payload) => {
            context.panic = Some(Panic(payload));
            2
        }
    }
}

unsafe extern "C" fn call1(f: &Fn1, a: u64) -> u64 {
    f(a)
}

unsafe extern "C" fn call2(f: &Fn2, a: u64, b: u64) -> u64 {
    f(a, b)
}

unsafe extern "C" fn call3(f: &Fn3, a: u64, b: u64, c: u64) -> u64 {
    f(a, b, c)
}

unsafe extern "C" fn convert(conversion: &Conversion, a: u64) -> u64 {
    conversion.apply(a)
}
