//! Runs items of a thread's groups with compiled code.

use super::Native;
use super::context::{Context, Left};
use super::helpers::Helpers;
use super::machine::Running;
use crate::error::TrapKind;
use crate::interp::code::{Fill, Ins, Kernel, Pc};
use crate::interp::port::GroupPort;
use crate::interp::space::Ids;
use crate::interp::step::{Stop, step};
use std::panic::resume_unwind;
use touchstone_ir::Query;

/// A slot below 0 whose value differs from item to item.
#[derive(Clone, Copy, Debug)]
struct Varying {
    index: usize,
    query: Query,
    dim: u32,
}

/// What a thread needs to run items of one kernel.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    kernel: &'a Kernel,
    native: &'a Native,
    context: Box<Context>,
    /// How the code was left by the item that was started last.
    left: Left,
    /// The values of the slots below 0, that of slot -1 first.
    fills: Vec<u64>,
    varying: Vec<Varying>,
    /// Queries whose answer is the same for all items of a group.
    steady: Vec<Varying>,
    private: Option<usize>,
    /// The values of parameters.
    params: Vec<u64>,
    /// Parameters that point into private memory: slot and offset.
    private_params: &'a [(usize, u64)],
}

/// Whether items of a group may have different answers.
fn varies(query: Query) -> bool {
    match query {
        Query::GlobalId
        | Query::LocalId
        | Query::GlobalLinearId
        | Query::LocalLinearId
        | Query::SubGroupId
        | Query::SubGroupLocalId
        | Query::SubGroupSize => true,
        Query::WorkDim
        | Query::GlobalSize
        | Query::LocalSize
        | Query::EnqueuedLocalSize
        | Query::NumGroups
        | Query::GroupId
        | Query::GlobalOffset
        | Query::MaxSubGroupSize
        | Query::NumSubGroups
        | Query::EnqueuedNumSubGroups => false,
    }
}

fn trap(kind: TrapKind) -> Stop {
    Stop::Trap(Box::new(kind))
}

impl<'a> Runner<'a> {
    /// For groups whose local memory is at an address. `params` are the values of the kernel's parameters, those that
    /// point into local memory among them; `private_params` says which point into private memory, and how far.
    pub(crate) fn new<M: GroupPort>(
        kernel: &'a Kernel,
        native: &'a Native,
        memory: &M,
        local: u64,
        params: Vec<u64>,
        private_params: &'a [(usize, u64)],
    ) -> Runner<'a> {
        let mut context = Box::new(Context::new(Helpers::of::<M>()));
        native.code.describe(&mut context);
        context.kernel = kernel;
        context.divides_by_zero = u64::from(memory.divides_by_zero());
        context.windows = memory.windows();
        let mut runner = Runner {
            kernel,
            native,
            context,
            left: Left::End,
            fills: vec![0; kernel.fills.len()],
            varying: Vec::new(),
            steady: Vec::new(),
            private: None,
            params,
            private_params,
        };
        for (index, fill) in kernel.fills.iter().enumerate() {
            match *fill {
                Fill::Const(bits) => runner.fills[index] = bits,
                Fill::Local(offset) => runner.fills[index] = local + offset,
                Fill::PrivateBase => runner.private = Some(index),
                Fill::Query(query, dim) => {
                    let dim = u32::from(dim);
                    let one = Varying { index, query, dim };
                    match varies(query) {
                        true => runner.varying.push(one),
                        false => runner.steady.push(one),
                    }
                }
            }
        }
        runner.context.fills = runner.fills.as_ptr();
        runner.context.params = runner.params.as_ptr();
        runner
    }

    /// A group begins, of which an item is at some place.
    pub(crate) fn begin_group(&mut self, ids: &Ids<'_>) {
        for one in &self.steady {
            self.fills[one.index] = ids.query(one.query, one.dim);
        }
    }

    /// Tells the signal handler that this thread runs compiled code, until the result is dropped.
    pub(crate) fn running(&mut self) -> Running {
        Running::new(&raw mut *self.context)
    }

    /// Stores the values of the slots below 0 where the stepper has them.
    ///
    /// # Safety
    /// The item's slots are there, and nothing else uses them.
    unsafe fn store_fills(&self, origin: *mut u64) {
        for (i, &value) in self.fills.iter().enumerate() {
            // SAFETY: slot -1 - i is one of the item's.
            unsafe { *origin.sub(i + 1) = value };
        }
    }

    /// Lets an item run for at most `fuel` steps: as the stepper does it, but that a fresh one needs
    /// no slots. `is_whole` says whether the slots below 0 are stored for the stepper; compiled code does
    /// not store them.
    ///
    /// # Safety
    /// As [`step`], for an item that is not fresh, and whose slots are whole if it does not stand at an entry; this
    /// thread has a result of [`Runner::running`]; the private memory of the item is at `private`.
    pub(crate) unsafe fn run<M: GroupPort>(
        &mut self,
        (origin, private): (*mut u64, u64),
        (pc, fuel): (&mut Pc, &mut u64),
        (is_fresh, is_whole): (bool, &mut bool),
        memory: &mut M,
        ids: &Ids<'_>,
    ) -> Stop {
        if !is_fresh && self.native.entries[*pc as usize] == 0 {
            debug_assert!(*is_whole, "only the stepper leaves items there");
            let bridge = &self.native.bridge;
            // SAFETY: the caller's promise; the bridge is the kernel's code but for the entries, where it stops.
            match unsafe { step(self.kernel, bridge, origin, pc, fuel, memory, ids) } {
                Stop::Entry => {}
                other => return other,
            }
        }
        let entry = match is_fresh {
            true => 0,
            false => self.native.entries[*pc as usize],
        };
        // SAFETY: the caller's promise.
        let left = unsafe { self.enter((origin, private), entry, *fuel, memory, ids) };
        let of = (pc, fuel, is_whole);
        // SAFETY: the caller's promise; the code has just been left so.
        unsafe { self.stopped(left, origin, of, memory, ids) }
    }

    /// Starts a fresh item; whether it has ended, and how many steps are left. Where it has not,
    /// [`Runner::started`] says how it stopped.
    ///
    /// # Safety
    /// As [`Runner::run`].
    #[inline(always)]
    pub(crate) unsafe fn start<M: GroupPort>(
        &mut self,
        place: (*mut u64, u64),
        fuel: u64,
        memory: &mut M,
        ids: &Ids<'_>,
    ) -> (bool, u64) {
        // SAFETY: the caller's promise.
        self.left = unsafe { self.enter(place, 0, fuel, memory, ids) };
        (self.left == Left::End, self.context.fuel)
    }

    /// How the item stopped that was started last and has not ended: where, whether its slots are whole, and
    /// how many steps are left.
    ///
    /// # Safety
    /// As [`Runner::run`].
    pub(crate) unsafe fn started<M: GroupPort>(
        &mut self,
        origin: *mut u64,
        (pc, fuel, is_whole): (&mut Pc, &mut u64, &mut bool),
        memory: &mut M,
        ids: &Ids<'_>,
    ) -> Stop {
        // SAFETY: the caller's promise.
        unsafe { self.stopped(self.left, origin, (pc, fuel, is_whole), memory, ids) }
    }

    /// Enters the code.
    ///
    /// # Safety
    /// As [`Runner::run`], at an entry of the code.
    #[inline(always)]
    unsafe fn enter<M: GroupPort>(
        &mut self,
        (origin, private): (*mut u64, u64),
        entry: u32,
        fuel: u64,
        memory: &mut M,
        ids: &Ids<'_>,
    ) -> Left {
        for one in &self.varying {
            self.fills[one.index] = match one.query {
                Query::GlobalId if one.dim < ids.space.work_dim => {
                    let d = one.dim as usize;
                    ids.group.id[d] * ids.space.local[d] + ids.local_id[d] + ids.space.offset[d]
                }
                query => ids.query(query, one.dim),
            };
        }
        if let Some(index) = self.private {
            self.fills[index] = private;
        }
        for &(slot, offset) in self.private_params {
            self.params[slot] = private + offset;
        }
        let context = &mut *self.context;
        context.memory = (&raw mut *memory).cast();
        context.origin = origin;
        context.ids = std::ptr::from_ref(ids).cast();
        // SAFETY: the context is whole: windows, parameters and fills are this runner's and the port's, the memory
        // is a port of the type that the helpers are for and is not used otherwise meanwhile, and the item's slots
        // are as the caller promises. The code was made of this kernel.
        unsafe { self.native.code.enter(context, entry.into(), fuel) }
    }

    /// What it means that the code was left so.
    ///
    /// # Safety
    /// As [`Runner::run`]; the code was left so with this item.
    unsafe fn stopped<M: GroupPort>(
        &mut self,
        left: Left,
        origin: *mut u64,
        (pc, fuel, is_whole): (&mut Pc, &mut u64, &mut bool),
        memory: &mut M,
        ids: &Ids<'_>,
    ) -> Stop {
        *pc = self.context.pc as Pc;
        *fuel = self.context.fuel;
        match left {
            Left::End => Stop::End,
            Left::Barrier => self.barrier(*pc),
            Left::Fuel => {
                if !std::mem::replace(is_whole, true) {
                    // SAFETY: the caller's promise.
                    unsafe { self.store_fills(origin) };
                }
                let code = &self.kernel.code;
                // SAFETY: the slots are whole now.
                unsafe { step(self.kernel, code, origin, pc, fuel, memory, ids) }
            }
            Left::Fault => trap(memory.take_fault().unwrap_or(TrapKind::Unreachable)),
            Left::Trap => match self.kernel.code[*pc as usize - 1] {
                Ins::Trap { reason } => trap(reason.kind()),
                ref other => unreachable!("{other:?} is no trap"),
            },
            Left::Zero => trap(TrapKind::DivisionByZero),
            Left::Panicked => match self.context.panic.take() {
                Some(panic) => resume_unwind(panic.0),
                None => unreachable!("a helper that panicked says how"),
            },
            Left::Refused => {
                let at = self.native.place(self.context.refused);
                *pc = at + 1;
                // How many it had left is lost with the registers.
                *fuel = 0;
                trap(self.refused(at))
            }
        }
    }

    fn barrier(&self, pc: Pc) -> Stop {
        match self.kernel.code[pc as usize - 1] {
            Ins::Barrier {
                sub_group,
                regions,
                scope,
            } => Stop::Barrier {
                sub_group,
                regions,
                scope,
            },
            Ins::Collective { sub_group, .. } => Stop::meeting(sub_group),
            ref other => unreachable!("{other:?} is no barrier"),
        }
    }

    /// Why the system's refusal of an access traps.
    #[rustfmt::skip]
    fn refused(&self, at: Pc) -> TrapKind {
        let (size, write) = match self.kernel.code[at as usize] {
            Ins::Load8 { .. } => (1, false),
            Ins::Load16 { .. } => (2, false),
            Ins::Load32 { .. } | Ins::Load32X { .. } | Ins::Load32S { .. } | Ins::AtomicLoad32 { .. } => (4, false),
            Ins::Load64 { .. } | Ins::Load64X { .. } | Ins::Load64S { .. } | Ins::AtomicLoad64 { .. } => (8, false),
            Ins::Store8 { .. } => (1, true),
            Ins::Store16 { .. } => (2, true),
            Ins::Store32 { .. } | Ins::Store32X { .. } | Ins::Store32S { .. } | Ins::AtomicStore32 { .. }
            | Ins::Rmw32 { .. } | Ins::Cas32 { .. } => (4, true),
            _ => (8, true),
        };
        TrapKind::Unmapped { address: self.context.value, size, write }
    }
}
