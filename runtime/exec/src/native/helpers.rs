//! What compiled code calls: what is rare, long, or the same for every kernel.
//!
//! A helper that can fail gives 0 then, and the port knows why; its value goes through the
//! context. They are called by compiled code alone, which passes its own context and what the
//! kernel's code says.

use super::context::{Context, Panic};
use super::vector::LANES;
use super::vector::pack::Regions;
use crate::interp::code::{Ins, Kernel, Site, Slot};
use crate::interp::device;
use crate::interp::port::word::Atomic;
use crate::interp::port::{AtomicAt, Port};
use crate::interp::regs::Regs;
use crate::interp::space::Ids;
use crate::interp::step::printf;
use crate::scalar::convert::Conversion;
use crate::scalar::math::{Fn1, Fn2, Fn3};
use std::arch::naked_asm;
use std::mem::offset_of;
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
    /// Context, number of the exit, stops: gives all items of a vector their slots.
    pub(super) part: unsafe extern "C" fn(&mut Context, u64, *mut u64) -> u64,
    /// The same, and bits that say which way each goes.
    pub(super) part_ways: unsafe extern "C" fn(&mut Context, u64, *mut u64, u64) -> u64,
    /// Stops, bits of lanes, place: notes that these lanes stand there.
    pub(super) stand: unsafe extern "C" fn(*mut u64, u64, u64) -> u64,
    /// Context, site, first and last address, logarithm of the size and, times 256, whether it writes.
    pub(super) reach: unsafe extern "C" fn(&mut Context, u64, u64, u64, u64) -> u64,
    /// The first three and `reach` for calls that keep all registers: what they give is in the context.
    pub(super) careful_load: unsafe extern "sysv64" fn(),
    pub(super) careful_store: unsafe extern "sysv64" fn(),
    pub(super) careful_atomic: unsafe extern "sysv64" fn(),
    pub(super) careful_reach: unsafe extern "sysv64" fn(),
}

/// Calls a helper and keeps all registers but for that: a call that is hardly ever made is
/// then no reason to keep values in memory where the others pass. The first argument is the context, where
/// the result goes.
///
/// # Safety
/// The arguments are the helper's, in their registers.
macro_rules! careful {
    ($($name:ident calls $helper:ident;)*) => {$(
        #[unsafe(naked)]
        unsafe extern "sysv64" fn $name() {
            naked_asm!(
                "push rbp", "mov rbp, rsp",
                "push rax", "push rcx", "push rdx", "push rsi", "push rdi",
                "push r8", "push r9", "push r10", "push r11",
                // Room for sixteen, and eight bytes that align the stack.
                "sub rsp, 264",
                "movups [rsp], xmm0", "movups [rsp + 16], xmm1",
                "movups [rsp + 32], xmm2", "movups [rsp + 48], xmm3",
                "movups [rsp + 64], xmm4", "movups [rsp + 80], xmm5",
                "movups [rsp + 96], xmm6", "movups [rsp + 112], xmm7",
                "movups [rsp + 128], xmm8", "movups [rsp + 144], xmm9",
                "movups [rsp + 160], xmm10", "movups [rsp + 176], xmm11",
                "movups [rsp + 192], xmm12", "movups [rsp + 208], xmm13",
                "movups [rsp + 224], xmm14", "movups [rsp + 240], xmm15",
                "mov rax, [rdi + {helpers}]",
                "call [rax + {helper}]",
                "mov rdi, [rbp - 40]",
                "mov [rdi + {made}], rax",
                "movups xmm0, [rsp]", "movups xmm1, [rsp + 16]",
                "movups xmm2, [rsp + 32]", "movups xmm3, [rsp + 48]",
                "movups xmm4, [rsp + 64]", "movups xmm5, [rsp + 80]",
                "movups xmm6, [rsp + 96]", "movups xmm7, [rsp + 112]",
                "movups xmm8, [rsp + 128]", "movups xmm9, [rsp + 144]",
                "movups xmm10, [rsp + 160]", "movups xmm11, [rsp + 176]",
                "movups xmm12, [rsp + 192]", "movups xmm13, [rsp + 208]",
                "movups xmm14, [rsp + 224]", "movups xmm15, [rsp + 240]",
                "add rsp, 264",
                "pop r11", "pop r10", "pop r9", "pop r8",
                "pop rdi", "pop rsi", "pop rdx", "pop rcx", "pop rax",
                "pop rbp", "ret",
                helpers = const offset_of!(Context, helpers),
                helper = const offset_of!(Helpers, $helper),
                made = const offset_of!(Context, made),
            )
        }
    )*};
}
careful! {
    careful_load calls load;
    careful_store calls store;
    careful_atomic calls atomic;
    careful_reach calls reach;
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
        careful_load,
        careful_store,
        careful_atomic,
        part,
        part_ways,
        stand,
        reach: reach::<M>,
        careful_reach,
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

/// Whether all accesses from a first address to a last one may be made, as one block of memory.
unsafe extern "C" fn reach<M: Port>(
    context: &mut Context,
    site: u64,
    first: u64,
    last: u64,
    kind: u64,
) -> u64 {
    // SAFETY: called by compiled code.
    let port = unsafe { port::<M>(context) };
    let (size, writes) = (1 << (kind & 0xff), kind >> 8 != 0);
    u64::from(port.reaches(site as Site, first, (last, size), writes))
}

unsafe extern "C" fn part(context: &mut Context, exit: u64, stops: *mut u64) -> u64 {
    // SAFETY: called by vector code, which has left what the exit says; the table is the code's, and nothing else
    // uses the items' regions.
    let (exit, regions) = unsafe {
        let stride = context.stride as usize / 8;
        let exit = &*context.exits.add(exit as usize);
        (exit, Regions::new(context.origin, stride))
    };
    regions.unpack(exit, &mut context.rows);
    for lane in 0..LANES {
        // SAFETY: there are stops for all items of the vector.
        unsafe { *stops.add(lane) = 0 };
    }
    0
}

unsafe extern "C" fn part_ways(
    context: &mut Context,
    exit: u64,
    stops: *mut u64,
    bits: u64,
) -> u64 {
    // SAFETY: as the caller.
    unsafe { part(context, exit, stops) };
    // SAFETY: the table is the code's.
    let ways = unsafe { (*context.exits.add(exit as usize)).ways };
    for lane in 0..LANES {
        let way = ways[usize::from(bits & 1 << lane == 0)];
        // SAFETY: there are stops for all items of the vector.
        unsafe { *stops.add(lane) = way.into() };
    }
    0
}

unsafe extern "C" fn stand(stops: *mut u64, bits: u64, place: u64) -> u64 {
    for lane in (0..LANES).filter(|lane| bits & 1 << lane != 0) {
        // SAFETY: called by vector code; there are stops for all items of the vector.
        unsafe { *stops.add(lane) = place };
    }
    0
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
    // SAFETY: who entered the code has set it to where its items are.
    let ids = unsafe { &*context.ids };
    let local_id = context.local_id;
    let ids = Ids { local_id, ..*ids };
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
