//! A work-group: its items in turns, its barriers.
//!
//! Items run round robin, each for a number of steps that is drawn from the
//! launch's seed and the group's number: often few, so that items interleave
//! finely, sometimes many. A step is what others can observe, an access to
//! memory, or what makes a loop. An item that spins therefore cannot keep the
//! others from running.
//!
//! In most groups of a large launch of a kernel whose items meet at barriers only, an item runs up to the next
//! barrier instead ([`Interleaving`](crate::launch::Interleaving)), as far as the steps until the next
//! question to [`Control`] go.
//!
//! | module | subject |
//! | --- | --- |
//! | [`arena`] | the memory of a thread for its groups, and what items start from |
//! | [`compiled`] | many items in one call, where a kernel is compiled |
//! | [`turns`] | how long items run before the next one does |
//! | [`barrier`] | who waits, who may go on |
//! | [`collective`] | what the waiting items compute together |
//! | [`shuffle`] | what those of a sub-group give each other that have come the same way |
//! | [`broken`] | what groups do under a fault |
//! | [`watch`] | items that get nowhere, groups that run for too long |

mod arena;
mod barrier;
mod broken;
mod collective;
mod compiled;
mod shuffle;
mod turns;
mod watch;

pub(crate) use arena::{Arena, Layout, Start};
pub(crate) use turns::splitmix;

use crate::error::{Place, Trap, TrapKind};
use crate::interp::code::{Fill, Kernel, MAX_ALIGN, Pc};
use crate::interp::port::GroupPort;
use crate::interp::port::host::{Block, ROW};
use crate::interp::space::{GroupPlace, Ids, Space};
use crate::interp::step::{Stop, step};
use crate::launch::{Interleaving, Launch};
use crate::native::{Native, Run, Runner, Running};
use crate::tier::Tier;
use arena::{Item, State};
use compiled::Together;
use touchstone_faults::{Fault, Latitude, on, takes};
use turns::Turns;
use watch::{Effect, Found, Verdict, Watch, effect};

/// What a group's run may not exceed, and how it learns that it must stop.
pub(crate) trait Control {
    /// Called now and then with how many steps were taken since; false ends the group.
    fn go_on(&self, steps: u64) -> bool;
}

/// Why a group ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// All its items ended.
    Complete,
    /// [`Control::go_on`] said so.
    Stopped,
    /// An item did what it may not.
    Trapped(Box<Trap>),
}

/// Steps between two questions to [`Control`].
const CONTROL_INTERVAL: u64 = 1 << 16;

/// The same where several items run at once: as many steps take less time, and to stop parts the items.
const VECTOR_INTERVAL: u64 = 1 << 20;

/// No item.
const NOBODY: u32 = u32::MAX;

/// What a thread needs to run groups of one launch.
pub(crate) struct GroupRunner<'a, M> {
    kernel: &'a Kernel,
    tier: &'a Tier,
    /// Runs items instead of the stepper, once the kernel is compiled.
    native: Option<Runner<'a>>,
    space: &'a Space,
    launch: &'a Launch,
    start: &'a Start,
    memory: M,
    /// Items of the group that have begun.
    begun: u64,
    /// Each item of the group runs up to the next barrier.
    coarse: bool,
    /// Steps until the next question to [`Control`], at most.
    interval: u64,
    /// Where all items stand, while they go on together.
    together: Together,
    /// Some items wait, and some of these for their sub-group only.
    waiting: bool,
    in_sub_group: bool,
    /// The steps that are left do for no vector of items: it is time for a question to [`Control`].
    short: bool,
    /// The item that ran last, and where it is.
    at: (u64, Ids<'a>),
    /// Room for what a collective function reads.
    values: Vec<u64>,
    /// For faults.
    broken: broken::Memory,
    items: &'a mut Vec<Item>,
    ready: &'a mut Vec<u32>,
    layout: Layout,
    /// Start of local memory; private memory follows, then registers.
    base: *mut u64,
}

impl<'a, M: GroupPort> GroupRunner<'a, M> {
    /// Prepares a thread's arena for a launch; None when there is no memory for it.
    pub(crate) fn new(
        (kernel, tier): (&'a Kernel, &'a Tier),
        space: &'a Space,
        launch: &'a Launch,
        start: &'a Start,
        mut memory: M,
        layout: Layout,
        arena: &'a mut Arena,
    ) -> Option<GroupRunner<'a, M>> {
        let words = usize::try_from(layout.bytes()?.div_ceil(8)).ok()?;
        arena.resize(words)?;
        let address = arena.words.as_mut_ptr();
        let skip = address.align_offset(MAX_ALIGN as usize);
        // `bytes` counts MAX_ALIGN more than the parts need.
        let base = address.wrapping_add(skip);
        memory.set_local(Block {
            base: base as u64,
            len: layout.local,
        });
        Some(GroupRunner {
            kernel,
            tier,
            native: None,
            space,
            launch,
            start,
            memory,
            begun: 0,
            coarse: false,
            interval: CONTROL_INTERVAL,
            together: Together::Apart,
            waiting: false,
            in_sub_group: false,
            short: false,
            at: (0, Ids::of(space, space.group(0), 0)),
            values: Vec::new(),
            broken: broken::Memory::default(),
            items: &mut arena.items,
            ready: &mut arena.ready,
            layout,
            base,
        })
    }

    fn private(&self, item: u64) -> Block {
        let mut base = self.base as u64 + self.layout.local + item * self.layout.private;
        if self.space.broken {
            if on(Fault::PrivateShared) {
                base -= item * self.layout.private;
            }
            if on(Fault::PrivateInLocal) {
                base -= self.layout.local;
            }
        }
        Block {
            base,
            len: self.layout.private,
        }
    }

    /// The first word of an item's slots.
    fn slots(&self, item: u64) -> *mut u64 {
        let before = self.layout.local + self.layout.items * self.layout.private;
        self.base
            .wrapping_add((before / 8) as usize + item as usize * self.layout.regs)
    }

    /// Gives memory the contents of what nobody has written.
    ///
    /// # Safety
    /// The block is valid to write, and nobody uses it meanwhile.
    unsafe fn blank(&self, block: Block) {
        if self.space.broken && takes(Latitude::FreshMemoryRubbish) {
            // SAFETY: the caller's promise.
            unsafe { broken::scatter_rubbish(block) };
        } else {
            // SAFETY: the caller's promise.
            unsafe { std::ptr::write_bytes(block.base as *mut u8, 0, block.len as usize) };
        }
    }

    /// Makes `at` where an item is, of the group that runs. For the one after the last that it was, no division
    /// is made, and what differs is changed in its place: to copy it would be to wait for the change.
    #[inline(always)]
    fn seek(&mut self, item: u64) {
        let (last, ids) = &mut self.at;
        if item == *last + 1 {
            let [x, y, z] = &mut ids.local_id;
            *x += 1;
            if *x == ids.group.size[0] {
                (*x, *y) = (0, *y + 1);
                if *y == ids.group.size[1] {
                    (*y, *z) = (0, *z + 1);
                }
            }
        } else if item != *last {
            ids.local_id = Ids::of(self.space, ids.group, item).local_id;
        }
        *last = item;
    }

    /// The slots that an item starts with: of one that has begun, those below 0 alone.
    fn fill_slots(&self, ids: &Ids<'_>, item: u64, begins: bool) {
        let slots = self.slots(item);
        let below = self.kernel.fills.len();
        let private = self.private(item);
        let count = if begins {
            self.start.template.len()
        } else {
            below
        };
        // SAFETY: the region of an item has room for all slots of the kernel, of
        // which the template is the first part, and nothing else refers to it.
        unsafe {
            std::ptr::copy_nonoverlapping(self.start.template.as_ptr(), slots, count);
        }
        for (i, fill) in self.kernel.fills.iter().enumerate() {
            let value = match *fill {
                Fill::Const(_) => continue,
                Fill::Query(query, dim) => ids.query(query, dim.into()),
                Fill::PrivateBase => private.base,
                Fill::Local(offset) => self.base as u64 + offset,
            };
            // SAFETY: slot -1 - i lies below the frame, within the region.
            unsafe { *slots.add(below - 1 - i) = value };
        }
        let bases = [
            (&self.start.private, private.base),
            (&self.start.local, self.base as u64),
        ];
        for (params, base) in bases.into_iter().filter(|_| begins) {
            for &(slot, offset) in params {
                // SAFETY: a parameter's slot, within the region.
                unsafe { *slots.add(below + slot) = base + offset };
            }
        }
    }

    /// The private memory that an item starts with.
    fn fill_private(&mut self, item: u64) {
        let private = self.private(item);
        if private.len > 0 {
            // SAFETY: the item's private memory; a work-item that has not begun
            // holds no reference to it.
            unsafe { self.blank(private) };
            for (offset, bytes) in &self.start.aggregates {
                // SAFETY: as above; the compiler reserved room for the aggregate there.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        bytes.as_ptr(),
                        (private.base + offset) as *mut u8,
                        bytes.len(),
                    );
                }
            }
        }
    }

    /// The memory of a group that is about to run: of its items none has begun, and where they stand is not noted yet.
    fn set_out(&mut self, (number, group): (u64, GroupPlace), count: u64) {
        let sub_group = self.space.sub_group_size.min(count) as usize;
        self.memory.begin_group(number, count as usize, sub_group);
        if self.layout.local > 0 {
            let local = Block {
                base: self.base as u64,
                len: self.layout.local,
            };
            // SAFETY: the group's local memory; no item of it has begun.
            unsafe { self.blank(local) };
        }
        self.begun = 0;
        (self.waiting, self.in_sub_group) = (false, false);
        self.at = (0, Ids::of(self.space, group, 0));
        self.together = Together::Fresh;
    }

    /// Notes where each item stands, if they all stood together: they are ready.
    fn part(&mut self, count: u64) {
        let (pc, state) = match std::mem::replace(&mut self.together, Together::Apart) {
            Together::Apart => return,
            Together::Fresh => (0, State::Fresh),
            Together::At(pc) => (pc, State::Ready),
        };
        self.separate((0, count));
        let item = Item {
            pc,
            state,
            is_whole: false,
            alone: false,
        };
        self.items.clear();
        self.items.resize(count as usize, item);
        self.ready.clear();
        self.ready.extend(0..count as u32);
    }

    /// Whether code that runs items at once is of use: where rows have as many, and items do not take turns.
    fn may_run_at_once(&self) -> bool {
        let seldom_turns = self.launch.interleaving != Interleaving::Fine;
        seldom_turns && self.space.local[0] >= ROW
    }

    /// Whether it is of use, and the compiled code is no such.
    fn lacks_vectors(&self) -> bool {
        let native = self.native.as_ref();
        native.is_some_and(|native| !native.is_at_once()) && self.may_run_at_once()
    }

    /// Compiled code, if the kernel has some by now that is better than what the group has.
    fn better_code(&self) -> Option<&'a Native> {
        if self.native.is_some() && !self.lacks_vectors() {
            return None;
        }
        let how = (M::CHECKED, self.may_run_at_once());
        let native = self.tier.native(self.kernel, self.launch.engine, how)?;
        (self.native.is_none() || native.is_at_once()).then_some(native)
    }

    /// Takes compiled code, if the kernel has some by now; what must live while it runs.
    fn adopt(&mut self, group: GroupPlace) -> Option<Running> {
        if !M::COMPILED {
            return None;
        }
        if let Some(native) = self.better_code() {
            let below = self.kernel.fills.len();
            let mut params = self.start.template[below..].to_vec();
            for &(slot, offset) in &self.start.local {
                params[slot] = self.base as u64 + offset;
            }
            let local = self.base as u64;
            let private = &self.start.private;
            let places = (local, self.layout.regs);
            let runner = Runner::new(self.kernel, native, &self.memory, places, params, private);
            self.native = Some(runner);
        }
        let ids = Ids::of(self.space, group, 0);
        let native = self.native.as_mut()?;
        native.begin_group(&ids);
        Some(native.running())
    }

    /// Counts work as long as there may be better code for it; so many items have ended by now.
    fn count(&mut self, steps: u64, ended: u64) {
        let begun = std::mem::take(&mut self.begun);
        if M::COMPILED && self.native.is_none() {
            self.tier.count(self.kernel, steps, begun);
        } else if M::COMPILED && self.lacks_vectors() {
            self.tier.count_compiled(self.kernel, steps, ended);
        }
    }

    /// How long it may be until the next question, by what the group's items run with.
    fn set_interval(&mut self) {
        let native = self.native.as_ref();
        self.interval = match native.is_some_and(|native| self.coarse && native.has_vectors()) {
            true => VECTOR_INTERVAL,
            false => CONTROL_INTERVAL,
        };
    }

    /// Runs a group to its end.
    pub(crate) fn run(&mut self, number: u64, control: &impl Control) -> Ended {
        let group = self.space.group(number);
        let count = if self.space.broken {
            self.items_run(number, group)
        } else {
            group.items()
        };
        self.set_out((number, group), count);
        let mut running = self.adopt(group);
        let mut turns = Turns::new(self.launch.seed, number);
        // How long every turn is; zero where each has a length of its own.
        let mut even = if count == 1 { CONTROL_INTERVAL } else { 0 };
        let synchronizes = self.kernel.synchronizes || self.space.broken;
        let of = self.space.group_count();
        let (interleaving, seed) = (self.launch.interleaving, self.launch.seed);
        self.coarse = interleaving.is_coarse(synchronizes, (number, of), seed);
        if !self.coarse {
            self.part(count);
        }
        self.set_interval();
        if self.space.broken && count > 1 {
            even = self.even_turns();
        }
        let mut steps = 0;
        let mut watch = Watch::new(self.launch);
        loop {
            // One round: every item that is ready gets a turn.
            let mut kept = 0;
            let mut next = 0;
            let mut first = None;
            if self.coarse && self.native.is_some() && !watch.is_on() {
                first = self.run_together(count, &mut next, &mut steps);
            } else {
                self.part(count);
            }
            while next < self.ready.len() || first.is_some() {
                let (coarse, interval) = (self.coarse, self.interval);
                let mut length = |steps: u64| match (coarse, even) {
                    (true, _) => interval - steps,
                    (false, 0) => turns.length(),
                    (false, even) => even,
                };
                let mut stopped = first.take();
                if stopped.is_none() && self.native.is_some() && !watch.is_on() {
                    stopped = match coarse {
                        true => self.run_items(&mut next, &mut steps),
                        false => self.start_items(&mut next, &mut steps, || length(0)),
                    };
                }
                if stopped.is_none()
                    && !self.short
                    && steps < self.interval
                    && let Some(&item) = self.ready.get(next)
                {
                    next += 1;
                    let length = length(steps);
                    if watch.is_on() {
                        let (stop, used, found) = self.watched_turn(item);
                        if found == Found::Endless {
                            return Ended::Trapped(self.trap(group, item, TrapKind::EndlessLoop));
                        }
                        watch.note(found);
                        stopped = Some((item, stop, used));
                    } else {
                        let (stop, used) = self.turn(item, length, true);
                        stopped = Some((item, stop, used));
                    }
                }
                // None where all that have run have ended or wait.
                let (item, stop, used) = stopped.unwrap_or((NOBODY, Stop::End, 0));
                steps += used;
                match stop {
                    Stop::Yield => {
                        self.ready[kept] = item;
                        kept += 1;
                    }
                    // Where one runs alone it does so from where it does not wait, too.
                    Stop::Barrier { .. } if self.space.broken && self.passes(item) => {
                        if even >= broken::ALONE {
                            next -= 1;
                        } else {
                            self.ready[kept] = item;
                            kept += 1;
                        }
                    }
                    Stop::Barrier {
                        sub_group,
                        regions,
                        scope,
                    } => {
                        self.items[item as usize].state = State::Waiting {
                            sub_group,
                            regions,
                            scope,
                        };
                        self.waiting = true;
                        self.in_sub_group |= sub_group;
                    }
                    Stop::End | Stop::Entry if item == NOBODY => {}
                    Stop::End | Stop::Entry => self.items[item as usize].state = State::Ended,
                    Stop::Trap(_) if self.memory.take_retry() => {
                        self.items[item as usize].pc -= 1;
                        self.ready[kept] = item;
                        kept += 1;
                    }
                    Stop::Trap(kind) => {
                        control.go_on(steps);
                        return Ended::Trapped(self.trap(group, item, *kind));
                    }
                }
                if std::mem::take(&mut self.short) || steps >= self.interval {
                    let spent = std::mem::take(&mut steps);
                    self.count(spent, 0);
                    if running.is_none() {
                        running = self.adopt(group);
                        self.set_interval();
                    }
                    if !control.go_on(spent) {
                        return Ended::Stopped;
                    }
                    if let Some(verdict) = watch.spent(spent) {
                        let item = self.at.0 as u32;
                        return Ended::Trapped(self.too_long(group, item, verdict));
                    }
                }
            }
            if let Some(verdict) = watch.round_ended(kept > 0) {
                let item = self.ready[0];
                return Ended::Trapped(self.too_long(group, item, verdict));
            }
            self.ready.truncate(kept);
            if self.waiting && (kept == 0 || self.in_sub_group) {
                if let Err(trap) = self.release(group) {
                    control.go_on(steps);
                    return Ended::Trapped(trap);
                }
                self.waiting = self
                    .items
                    .iter()
                    .any(|i| matches!(i.state, State::Waiting { .. }));
                self.in_sub_group &= self.waiting;
            }
            if self.ready.is_empty() {
                self.count(steps, count);
                if !control.go_on(steps) {
                    return Ended::Stopped;
                }
                if let Some(queues) = &self.launch.queues {
                    queues.group_ended(number);
                }
                return Ended::Complete;
            }
        }
    }

    /// Lets an item run for a number of steps, with compiled code if that may be; how it stopped,
    /// steps used.
    fn turn(&mut self, item: u32, length: u64, may_be_compiled: bool) -> (Stop, u64) {
        let number = u64::from(item);
        self.seek(number);
        let Item {
            mut pc,
            state,
            mut is_whole,
            ..
        } = self.items[item as usize];
        let is_fresh = state == State::Fresh;
        if is_fresh {
            self.fill_private(number);
            self.begun += 1;
            self.items[item as usize].state = State::Ready;
        }
        let private = self.private(number);
        self.memory.set_private(private);
        self.memory.set_item(item);
        let origin = self.slots(number).wrapping_add(self.kernel.fills.len());
        let mut fuel = length;
        if may_be_compiled && let Some(native) = &mut self.native {
            let run = Run {
                item: number,
                origin,
                private: private.base,
                ids: &self.at.1,
                count: 1,
            };
            let (at, whole) = ((&mut pc, &mut fuel), (is_fresh, &mut is_whole));
            // SAFETY: the item's region holds all slots of the kernel and only this item uses it; `pc` is 0 or
            // where it stopped; `run` holds what says that this thread runs compiled code.
            let stop = unsafe { native.run(run, at, whole, &mut self.memory) };
            let item = &mut self.items[item as usize];
            (item.pc, item.is_whole) = (pc, is_whole);
            return (stop, length - fuel);
        }
        if !is_whole {
            self.fill_slots(&self.at.1, number, is_fresh);
            self.items[item as usize].is_whole = true;
        }
        // SAFETY: the item's region holds all slots of the kernel and only this
        // item uses it; `pc` is 0 or where the stepper stopped.
        let stop = unsafe {
            step(
                self.kernel,
                &self.kernel.code,
                origin,
                &mut pc,
                &mut fuel,
                &mut self.memory,
                &self.at.1,
            )
        };
        self.items[item as usize].pc = pc;
        (stop, length - fuel)
    }

    /// Lets an item run for as many steps as it is watched, and says what it did. Only an item
    /// that has begun and yielded before is compared.
    fn watched_turn(&mut self, item: u32) -> (Stop, u64, Found) {
        let number = u64::from(item);
        let state = self.items[item as usize].state;
        if state == State::Fresh {
            let (stop, used) = self.turn(item, 1, false);
            return (stop, used, Found::Works);
        }
        if !self.items[item as usize].is_whole {
            self.seek(number);
            self.fill_slots(&self.at.1, number, false);
            self.items[item as usize].is_whole = true;
        }
        // Compiled code leaves other things than the stepper in slots that nobody reads, so that the first
        // round of a circle may differ from the others: it is looked for again from later on.
        let mut began = (0, (Vec::new(), Vec::new()));
        let mut found = Found::Endless;
        for used in 1..=watch::STEPS {
            if used.is_power_of_two() {
                began = (self.items[item as usize].pc, self.contents(number));
                found = Found::Endless;
            }
            match effect(self.kernel, self.items[item as usize].pc) {
                Effect::Own => {}
                Effect::Reads => found = Found::Waits,
                Effect::Writes => {
                    let (stop, _) = self.turn(item, 1, false);
                    return (stop, used, Found::Works);
                }
            }
            let (stop, _) = self.turn(item, 1, false);
            match stop {
                Stop::Yield => {}
                // It waits for the others of its group, which are being watched, too.
                Stop::Barrier { .. } => return (stop, used, Found::Waits),
                Stop::End | Stop::Entry | Stop::Trap(_) => return (stop, used, Found::Works),
            }
            let pc = self.items[item as usize].pc;
            if pc == began.0 && self.contents(number) == began.1 {
                return (Stop::Yield, used, found);
            }
        }
        (Stop::Yield, watch::STEPS, Found::Works)
    }

    /// The slots and the private memory of an item.
    fn contents(&self, item: u64) -> (Vec<u64>, Vec<u8>) {
        let private = self.private(item);
        // SAFETY: the item's own regions of the arena; nothing runs meanwhile.
        unsafe {
            let slots = std::slice::from_raw_parts(self.slots(item), self.layout.regs);
            let bytes = private.base as *const u8;
            let bytes = std::slice::from_raw_parts(bytes, private.len as usize);
            (slots.to_vec(), bytes.to_vec())
        }
    }

    fn too_long(&self, group: GroupPlace, item: u32, verdict: Verdict) -> Box<Trap> {
        let kind = match verdict {
            Verdict::Waited(limit) => TrapKind::WaitedTooLong { limit },
            Verdict::Ran(limit) => TrapKind::RanTooLong { limit },
        };
        self.trap(group, item, kind)
    }

    /// The place of the instruction before `pc`.
    fn place(&self, pc: Pc) -> Place {
        let at = (pc as usize).saturating_sub(1);
        let (function, loc) = self.kernel.places[at];
        Place {
            function: self.kernel.functions[function as usize].clone(),
            loc,
        }
    }

    fn trap(&self, group: GroupPlace, item: u32, kind: TrapKind) -> Box<Trap> {
        Box::new(Trap {
            kind,
            kernel: self.kernel.name.clone(),
            place: self.place(self.items[item as usize].pc),
            global_id: Ids::of(self.space, group, item.into()).global_id(),
        })
    }
}
