//! Runs items of a thread's groups with compiled code.

use super::context::{Context, Left};
use super::helpers::Helpers;
use super::items::fill_varies;
use super::machine::Running;
use super::vector::pack::{Regions, stored_together};
use super::vector::{ENOUGH, LANES, Refusal, TOGETHER};
use super::{Kind, Native};
use crate::error::TrapKind;
use crate::interp::code::{Fill, Ins, Kernel, Pc, Slot};
use crate::interp::port::GroupPort;
use crate::interp::space::Ids;
use crate::interp::step::{Stop, step};
use std::panic::resume_unwind;
use touchstone_ir::Query;

/// A slot below 0 with the answer to a query.
#[derive(Clone, Copy, Debug)]
struct Answer {
    index: usize,
    query: Query,
    dim: u32,
}

/// Items to run: the first one's number in its group, slot 0, private memory and place in the group; and how
/// many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a, 'b> {
    pub(crate) item: u64,
    pub(crate) origin: *mut u64,
    pub(crate) private: u64,
    pub(crate) ids: &'a Ids<'b>,
    pub(crate) count: u64,
}

/// What became of items that came after those that ended or wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// One stopped otherwise: so many items after the first of them. [`Runner::stopped`] says how. So many after it
    /// have begun, and are ready at the places that [`Runner::way`] names.
    One { before: u64, parted: u64 },
    /// So many are ready at one place: where the stepper takes each up `alone`, once it has its slots below 0,
    /// or for another call.
    Together { pc: Pc, count: u64, alone: bool },
    /// So many are ready where [`Runner::place`] says: the stepper takes each up alone, once it has its slots below 0; and whether
    /// this is for want of steps.
    Spread { count: u64, short: bool },
}

/// What a thread needs to run items of one kernel.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    kernel: &'a Kernel,
    native: &'a Native,
    context: Box<Context>,
    /// How the code was left by the item that was started last.
    left: Left,
    /// The values of the slots below 0, that of slot -1 first; not those that the code computes for each item.
    fills: Vec<u64>,
    /// Queries whose answer differs from item to item.
    varying: Vec<Answer>,
    /// Queries whose answer is the same for all items of a group.
    steady: Vec<Answer>,
    private: Option<usize>,
    /// Where the items of a call ended or wait.
    stops: Vec<u64>,
    /// They say where the items stand now, and how their slots are stored.
    stands: bool,
    /// The first item of the last call, and how many of its items have slots.
    first: u64,
    kept: usize,
    /// A row of the group has room for a vector, and the ids of its items do not wrap in 32 bits.
    fits: bool,
    /// The values of parameters.
    params: Vec<u64>,
    /// Parameters that point into private memory: slot and offset.
    private_params: &'a [(usize, u64)],
}

fn trap(kind: TrapKind) -> Stop {
    Stop::Trap(Box::new(kind))
}

impl<'a> Runner<'a> {
    /// For groups whose local memory is at an address, and whose items have their slots `stride` words after one
    /// another. `params` are the values of the kernel's parameters, those that point into local memory among them;
    /// `private_params` says which point into private memory, and how far.
    pub(crate) fn new<M: GroupPort>(
        kernel: &'a Kernel,
        native: &'a Native,
        memory: &M,
        (local, stride): (u64, usize),
        params: Vec<u64>,
        private_params: &'a [(usize, u64)],
    ) -> Runner<'a> {
        let mut context = Box::new(Context::new(Helpers::of::<M>()));
        native.code.describe(&mut context);
        context.kernel = kernel;
        context.divides_by_zero = u64::from(memory.divides_by_zero());
        context.windows = memory.windows();
        context.stride = stride as u64 * 8;
        context.exits = native.exits.as_ptr();
        let mut runner = Runner {
            kernel,
            native,
            context,
            left: Left::End,
            fills: vec![0; kernel.fills.len()],
            varying: Vec::new(),
            steady: Vec::new(),
            private: None,
            stops: Vec::new(),
            stands: false,
            first: 0,
            kept: 0,
            fits: false,
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
                    let one = Answer { index, query, dim };
                    match fill_varies(*fill) {
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
        self.stands = false;
        let (space, group) = (ids.space, ids.group);
        let context = &mut *self.context;
        context.group_size = group.size;
        context.group_first = std::array::from_fn(|d| group.id[d] * space.local[d]);
        context.group_global = std::array::from_fn(|d| context.group_first[d] + space.offset[d]);
        context.global = space.global;
        context.items = group.items();
        context.sub_group = space.sub_group_size;
        let most = space
            .global
            .iter()
            .fold(1, |n: u64, &d| n.saturating_mul(d));
        let past = context.group_global[0].saturating_add(group.size[0]);
        let is_plain = most.max(past) <= i32::MAX as u64;
        self.fits = is_plain && group.size[0] >= LANES as u64;
    }

    /// Tells the signal handler that this thread runs compiled code, until the result is dropped.
    pub(crate) fn running(&mut self) -> Running {
        Running::new(&raw mut *self.context)
    }

    /// Stores the values of the slots below 0 where the stepper has them.
    ///
    /// # Safety
    /// The item's slots are there, and nothing else uses them.
    unsafe fn store_fills(&mut self, origin: *mut u64, ids: &Ids<'_>) {
        for one in &self.varying {
            self.fills[one.index] = ids.query(one.query, one.dim);
        }
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
    /// As [`step`], for one item that is not fresh, and whose slots are whole if it does not stand at an entry; this
    /// thread has a result of [`Runner::running`]; the private memory of the item is at `private`.
    pub(crate) unsafe fn run<M: GroupPort>(
        &mut self,
        run: Run<'_, '_>,
        (pc, fuel): (&mut Pc, &mut u64),
        (is_fresh, is_whole): (bool, &mut bool),
        memory: &mut M,
    ) -> Stop {
        if !is_fresh && self.native.entries[*pc as usize] == 0 {
            debug_assert!(*is_whole, "only the stepper leaves items there");
            let bridge = &self.native.bridge;
            // SAFETY: the caller's promise; the bridge is the kernel's code but for the entries, where it stops.
            match unsafe { step(self.kernel, bridge, run.origin, pc, fuel, memory, run.ids) } {
                Stop::Entry => {}
                other => return other,
            }
        }
        let entry = match is_fresh {
            true => 0,
            false => self.native.entries[*pc as usize],
        };
        // SAFETY: the caller's promise.
        self.left = unsafe { self.enter(run, entry, *fuel, memory) };
        // SAFETY: the caller's promise; the code has just been left so.
        unsafe { self.stopped((run.origin, run.ids), (pc, fuel, is_whole), memory) }
    }

    /// Starts a fresh item; whether it has ended, and how many steps are left. Where it has not,
    /// [`Runner::stopped`] says how it stopped.
    ///
    /// # Safety
    /// As [`Runner::run`].
    #[inline(always)]
    pub(crate) unsafe fn start<M: GroupPort>(
        &mut self,
        run: Run<'_, '_>,
        fuel: u64,
        memory: &mut M,
    ) -> (bool, u64) {
        // SAFETY: the caller's promise.
        self.left = unsafe { self.enter(run, 0, fuel, memory) };
        (self.left == Left::End, self.context.fuel)
    }

    /// Whether the code is such as runs items at once, where a group lets it.
    pub(crate) fn is_at_once(&self) -> bool {
        self.native.is_at_once()
    }

    /// Whether items of the group may run at once.
    pub(crate) fn has_vectors(&self) -> bool {
        self.native.is_at_once() && self.fits
    }

    /// Whether an item that is not fresh can be taken up by compiled code at a place.
    pub(crate) fn is_entry(&self, pc: Pc) -> bool {
        self.native.entries[pc as usize] != 0
    }

    /// Lets items run that follow each other, all from one place, until one stops but at its end or at a barrier;
    /// several at once where they may. How many of them are at their ends or at barriers, behind which
    /// [`Runner::stops`] are, and how many steps are left. Where these are not all, [`Runner::rest`] says what became of
    /// those that come next. Before anybody but another call of this looks at the items' slots,
    /// [`Runner::separate`] is to be called.
    ///
    /// # Safety
    /// As [`Runner::run`], for each of these items, of a kernel without private memory; the place is an entry
    /// unless they are fresh.
    pub(crate) unsafe fn run_many<M: GroupPort>(
        &mut self,
        run: Run<'_, '_>,
        pc: Option<Pc>,
        (fuel, at_once): (u64, bool),
        memory: &mut M,
    ) -> (usize, u64) {
        let entry = pc.map_or(0, |pc| self.native.entries[pc as usize]);
        let count = run.count as usize;
        let at_once = at_once && self.has_vectors() && count >= LANES && fuel >= ENOUGH;
        if entry != 0 && !(at_once && self.stands) {
            // SAFETY: the caller's promise.
            unsafe { self.separate(run.origin, count) };
            self.stops.clear();
            self.stops.resize(count, 0);
            self.context.together = 0;
            if let (Some(pc), true) = (pc, at_once) {
                self.stops.fill(pc.into());
                // SAFETY: the caller's promise.
                unsafe { self.pack(&run, pc) };
            }
        } else if let (Some(pc), true) = (pc, at_once) {
            self.context.together = self.context.stops_all & TOGETHER;
            if self.context.together == 0 {
                // Some went different ways to here.
                // SAFETY: the caller's promise.
                unsafe { self.pack(&run, pc) };
            }
        }
        if at_once {
            self.context.vectors_to = (run.item + run.count - 1) as i64;
        }
        // SAFETY: the caller's promise.
        self.left = unsafe { self.enter(run, entry, fuel, memory) };
        self.context.vectors_to = -1;
        let begun = self.context.item - run.item;
        let done = match self.left {
            Left::End | Left::Barrier => begun + 1,
            _ => begun,
        };
        self.first = run.item;
        self.stands = true;
        // Of items that have not begun there is nothing.
        self.kept = if entry == 0 { done as usize } else { count };
        (done as usize, self.context.fuel)
    }

    /// Stores slots of items together that stand at a place one by one, for those that make vectors; their stops say which
    /// these are.
    ///
    /// # Safety
    /// As [`Runner::run_many`].
    unsafe fn pack(&mut self, run: &Run<'_, '_>, pc: Pc) {
        let entry = self.native.entries[pc as usize];
        let how = self.native.vector_entry(entry);
        let row = run.ids.group.size[0];
        let stride = self.context.stride as usize / 8;
        let mut item = 0;
        while item + LANES <= run.count as usize {
            if stored_together(self.stops[item]).is_some() {
                item += LANES;
                continue;
            }
            let stops = &self.stops[item..item + LANES];
            if stops.iter().any(|&stop| stop != u64::from(pc)) {
                item += 1;
                continue;
            }
            let x = (run.item + item as u64) % row;
            let origin = run.origin.wrapping_add(item * stride);
            // SAFETY: the caller's promise.
            let regions = unsafe { Regions::new(origin, stride) };
            if x + LANES as u64 <= row && regions.pack(how, &mut self.context.rows) {
                self.stops[item] = u64::from(pc) | TOGETHER;
                item += LANES;
            } else {
                item += 1;
            }
        }
    }

    /// Gives each item of the last [`Runner::run_many`] its slots; of that call were so many, and the first one
    /// has its slot 0 at an address.
    ///
    /// # Safety
    /// As [`Runner::run_many`], of the same items.
    pub(crate) unsafe fn separate(&mut self, origin: *mut u64, count: usize) {
        if !std::mem::take(&mut self.stands) {
            return;
        }
        let stride = self.context.stride as usize / 8;
        let mut item = 0;
        while item < count.min(self.kept) {
            let Some(stop) = stored_together(self.stops[item]) else {
                item += 1;
                continue;
            };
            let how = self.native.vector_stop(stop);
            // SAFETY: the caller's promise.
            let regions = unsafe { Regions::new(origin.wrapping_add(item * stride), stride) };
            regions.unpack(how, &mut self.context.rows);
            self.stops[item..item + LANES].fill(stop.0);
            item += LANES;
        }
    }

    /// What the items of the last [`Runner::run_many`] have in a slot, of which all wait for a collective function
    /// that reads it: one value after the other. The first one has its slot 0 at an address.
    ///
    /// # Safety
    /// As [`Runner::run_many`], of the same items.
    pub(crate) unsafe fn bring(&self, origin: *mut u64, slot: Slot, values: &mut Vec<u64>) {
        let stride = self.context.stride as usize / 8;
        let mut form = None;
        let mut item = 0;
        while item < self.kept {
            let origin = origin.wrapping_add(item * stride);
            let Some(stop) = stored_together(self.stops[item]) else {
                // SAFETY: a slot of the item's region.
                values.push(unsafe { *origin.wrapping_offset(slot.into()) });
                item += 1;
                continue;
            };
            // All wait at one place.
            let form = *form.get_or_insert_with(|| self.native.vector_stop(stop).form(slot));
            let Some(form) = form else {
                unreachable!("what a function reads is stored where it is waited for");
            };
            // SAFETY: the caller's promise.
            let regions = unsafe { Regions::new(origin, stride) };
            values.extend_from_slice(&regions.row(form));
            item += LANES;
        }
    }

    /// The sum of the floats that these items have in a slot, if all are stored together: of so many partial ones as a
    /// vector has items, which are added from the first on.
    ///
    /// # Safety
    /// As [`Runner::bring`].
    pub(crate) unsafe fn sum_together(&self, origin: *mut u64, slot: Slot) -> Option<f32> {
        let stride = self.context.stride as usize / 8;
        let stop = stored_together(*self.stops.first()?)?;
        // All wait at one place.
        let form = self.native.vector_stop(stop).form(slot)?;
        let mut parts: Option<[f32; LANES]> = None;
        for item in (0..self.kept).step_by(LANES) {
            stored_together(self.stops[item])?;
            // SAFETY: the caller's promise.
            let regions = unsafe { Regions::new(origin.wrapping_add(item * stride), stride) };
            let row = regions.narrow_row(form)?.map(f32::from_bits);
            parts = Some(match parts {
                None => row,
                Some(parts) => std::array::from_fn(|lane| parts[lane] + row[lane]),
            });
        }
        parts?.into_iter().reduce(|a, b| a + b)
    }

    /// Gives these items what the collective function gives each.
    ///
    /// # Safety
    /// As [`Runner::bring`].
    pub(crate) unsafe fn take_away(
        &mut self,
        origin: *mut u64,
        slot: Slot,
        value: impl Fn(usize) -> u64,
    ) {
        let stride = self.context.stride as usize / 8;
        let mut form = None;
        let mut item = 0;
        while item < self.kept {
            let origin = origin.wrapping_add(item * stride);
            let Some((stop, _)) = stored_together(self.stops[item]) else {
                // SAFETY: a slot of the item's region.
                unsafe { *origin.wrapping_offset(slot.into()) = value(item) };
                item += 1;
                continue;
            };
            let native = self.native;
            // None where nobody needs the result.
            let form = *form.get_or_insert_with(|| native.vector_stop((stop, false)).form(slot));
            if let Some(form) = form {
                // SAFETY: the caller's promise.
                let regions = unsafe { Regions::new(origin, stride) };
                regions.give(form, |lane| value(item + lane));
            }
            self.stops[item] = stop | TOGETHER;
            item += LANES;
        }
    }

    /// What became of the items that come after those of the last [`Runner::run_many`] that ended or wait.
    pub(crate) fn rest(&self) -> Rest {
        let pc = self.context.pc as Pc;
        match self.left {
            Left::Apart | Left::Short => Rest::Together {
                pc,
                count: LANES as u64,
                alone: self.left == Left::Apart,
            },
            Left::Spread | Left::ShortSpread => Rest::Spread {
                count: LANES as u64,
                short: self.left == Left::ShortSpread,
            },
            _ => Rest::One {
                before: self.lane_refused(),
                parted: self.context.parted_to.saturating_sub(self.context.item),
            },
        }
    }

    /// Where an item of a vector goes on whose items have parted.
    pub(crate) fn way(&self, item: u64) -> Pc {
        let entry = self.stops[(item - self.first) as usize];
        self.native.doors[entry as usize - 1]
    }

    /// Where an item of a vector is that was left in a region.
    pub(crate) fn place(&self, item: u64) -> Pc {
        self.stops[(item - self.first) as usize] as Pc
    }

    /// Stores the values of the slots below 0 of an item that the stepper goes on with.
    ///
    /// # Safety
    /// As [`Runner::run`].
    pub(crate) unsafe fn complete(&mut self, origin: *mut u64, ids: &Ids<'_>) {
        // SAFETY: the caller's promise.
        unsafe { self.store_fills(origin, ids) };
    }

    /// Which lane's access the system refused, if it was one of a vector, else 0.
    fn lane_refused(&self) -> u64 {
        if self.left != Left::Refused {
            return 0;
        }
        let context = &self.context;
        let lane = match self.native.place(context.refused) {
            (_, Kind::Scalar) => 0,
            (_, Kind::Masked) => context.lanes_at,
            (pc, Kind::Vector) => match self.native.refusals.get(&pc) {
                None | Some(Refusal::Grows(0)) => 0,
                Some(Refusal::Named) => context.lanes_at,
                // A word at an odd place may be refused for its upper part.
                Some(&Refusal::Grows(by)) => {
                    let far = context.value.wrapping_sub(context.lanes_at) as i64;
                    far.div_euclid(by).max(0) as u64
                }
            },
        };
        lane.min(LANES as u64 - 1)
    }

    /// Whether the items that ended or wait in the last call did so in one place.
    pub(crate) fn is_one_stop(&self) -> bool {
        self.context.stops_all as Pc == self.context.stops_any as Pc
    }

    /// The places behind which the first items of the last call are.
    pub(crate) fn stops(&self, count: usize) -> &[u64] {
        &self.stops[..count]
    }

    /// Enters the code.
    ///
    /// # Safety
    /// As [`Runner::run`], at an entry of the code.
    #[inline(always)]
    unsafe fn enter<M: GroupPort>(
        &mut self,
        run: Run<'_, '_>,
        entry: u32,
        fuel: u64,
        memory: &mut M,
    ) -> Left {
        if let Some(index) = self.private {
            self.fills[index] = run.private;
        }
        for &(slot, offset) in self.private_params {
            self.params[slot] = run.private + offset;
        }
        if self.stops.len() < run.count as usize {
            self.stops.resize(run.count as usize, 0);
        }
        let context = &mut *self.context;
        context.memory = (&raw mut *memory).cast();
        context.origin = run.origin;
        context.item = run.item;
        context.parted_to = 0;
        context.last = run.item + run.count - 1;
        context.local_id = run.ids.local_id;
        context.stops = self.stops.as_mut_ptr();
        (context.stops_all, context.stops_any) = (u64::MAX, 0);
        context.ids = std::ptr::from_ref(run.ids).cast();
        // SAFETY: the context is whole: windows, parameters and fills are this runner's and the port's, the memory
        // is a port of the type that the helpers are for and is not used otherwise meanwhile, there is room for
        // as many stops as items, and the items' slots are as the caller promises. The code was made of this
        // kernel.
        unsafe { self.native.code.enter(context, entry.into(), fuel) }
    }

    /// How the item stopped that compiled code was left with: where, whether its slots are whole, and
    /// how many steps are left.
    ///
    /// # Safety
    /// As [`Runner::run`]; the code was left last with this item.
    pub(crate) unsafe fn stopped<M: GroupPort>(
        &mut self,
        (origin, ids): (*mut u64, &Ids<'_>),
        (pc, fuel, is_whole): (&mut Pc, &mut u64, &mut bool),
        memory: &mut M,
    ) -> Stop {
        *pc = self.context.pc as Pc;
        *fuel = self.context.fuel;
        match self.left {
            Left::End => Stop::End,
            Left::Barrier => self.wait(*pc),
            Left::Fuel => {
                if !std::mem::replace(is_whole, true) {
                    // SAFETY: the caller's promise.
                    unsafe { self.store_fills(origin, ids) };
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
            Left::Apart | Left::Short | Left::Spread | Left::ShortSpread => {
                unreachable!("vectors are left with all their items")
            }
            Left::Refused => {
                let (at, _) = self.native.place(self.context.refused);
                *pc = at + 1;
                // How many it had left is lost with the registers.
                *fuel = 0;
                trap(self.refused(at))
            }
        }
    }

    /// What an item waits for before a place.
    fn wait(&self, pc: Pc) -> Stop {
        let ins = &self.kernel.code[pc as usize - 1];
        match Stop::behind(ins) {
            Some(stop) => stop,
            None => unreachable!("{ins:?} is no barrier"),
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
