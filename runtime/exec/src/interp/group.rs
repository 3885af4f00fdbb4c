//! A work-group: its items in turns, its barriers, its place in the index space.
//!
//! Items run round robin, each for a number of steps that is drawn from the
//! launch's seed and the group's number: often few, so that items interleave
//! finely, sometimes many. A step is what others can observe, an access to
//! memory, or what makes a loop. An item that spins therefore cannot keep the
//! others from running.

use crate::error::{Place, Trap, TrapKind};
use crate::interp::code::{Fill, Kernel, MAX_ALIGN, Pc};
use crate::interp::port::Port;
use crate::interp::port::host::{Block, HostMemory};
use crate::interp::step::{Stop, step};
use touchstone_ir::{MemScope, Order, Query};

/// The index space of a launch, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    pub(crate) work_dim: u32,
    pub(crate) offset: [u64; 3],
    pub(crate) global: [u64; 3],
    pub(crate) local: [u64; 3],
    pub(crate) groups: [u64; 3],
    pub(crate) sub_group_size: u64,
}

/// One group's place in the index space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupPlace {
    pub(crate) id: [u64; 3],
    /// Its size; smaller than the enqueued one for a last group.
    pub(crate) size: [u64; 3],
}

impl Space {
    /// Work-groups in all.
    pub(crate) fn group_count(&self) -> u64 {
        self.groups.iter().product()
    }

    /// The group with a linear number.
    pub(crate) fn group(&self, number: u64) -> GroupPlace {
        let [gx, gy, _] = self.groups;
        let id = [number % gx, number / gx % gy, number / gx / gy];
        let size = std::array::from_fn(|d| {
            let first = id[d] * self.local[d];
            self.local[d].min(self.global[d] - first)
        });
        GroupPlace { id, size }
    }
}

impl GroupPlace {
    /// Work-items in it.
    pub(crate) fn items(&self) -> u64 {
        self.size.iter().product()
    }
}

/// Where an item is: what it needs to answer queries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids<'a> {
    pub(crate) space: &'a Space,
    pub(crate) group: GroupPlace,
    pub(crate) local_id: [u64; 3],
}

impl Ids<'_> {
    fn of(space: &Space, group: GroupPlace, item: u64) -> Ids<'_> {
        let [sx, sy, _] = group.size;
        Ids {
            space,
            group,
            local_id: [item % sx, item / sx % sy, item / sx / sy],
        }
    }

    pub(crate) fn global_id(&self) -> [u64; 3] {
        std::array::from_fn(|d| {
            self.group.id[d] * self.space.local[d] + self.local_id[d] + self.space.offset[d]
        })
    }

    fn local_linear(&self) -> u64 {
        let [x, y, z] = self.local_id;
        (z * self.group.size[1] + y) * self.group.size[0] + x
    }

    /// The answer to a query. A dimension past the last gives 0 for ids and
    /// offsets, 1 for sizes (OpenCL C section 6.15.1).
    pub(crate) fn query(&self, query: Query, dim: u32) -> u64 {
        let s = self.space;
        let d = dim as usize;
        let inside = dim < s.work_dim;
        let id = |v: [u64; 3]| if inside { v[d] } else { 0 };
        let size = |v: [u64; 3]| if inside { v[d] } else { 1 };
        let enqueued_items: u64 = s.local.iter().product();
        match query {
            Query::WorkDim => s.work_dim.into(),
            Query::GlobalSize => size(s.global),
            Query::GlobalId => id(self.global_id()),
            Query::LocalSize => size(self.group.size),
            Query::EnqueuedLocalSize => size(s.local),
            Query::LocalId => id(self.local_id),
            Query::NumGroups => size(s.groups),
            Query::GroupId => id(self.group.id),
            Query::GlobalOffset => id(s.offset),
            Query::GlobalLinearId => {
                let at: [u64; 3] =
                    std::array::from_fn(|d| self.group.id[d] * s.local[d] + self.local_id[d]);
                (at[2] * s.global[1] + at[1]) * s.global[0] + at[0]
            }
            Query::LocalLinearId => self.local_linear(),
            Query::SubGroupSize => {
                let first = self.local_linear() / s.sub_group_size * s.sub_group_size;
                s.sub_group_size.min(self.group.items() - first)
            }
            Query::MaxSubGroupSize => s.sub_group_size.min(enqueued_items),
            Query::NumSubGroups => self.group.items().div_ceil(s.sub_group_size),
            Query::EnqueuedNumSubGroups => enqueued_items.div_ceil(s.sub_group_size),
            Query::SubGroupId => self.local_linear() / s.sub_group_size,
            Query::SubGroupLocalId => self.local_linear() % s.sub_group_size,
        }
    }
}

/// What a group's run may not exceed, and how it learns that it must stop.
pub(crate) trait Control {
    /// Told now and then how many steps were taken since; false ends the group.
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

/// A small generator for the lengths of turns: splitmix64.
#[derive(Clone, Copy, Debug)]
struct Turns {
    state: u64,
}

impl Turns {
    fn new(seed: u64, group: u64) -> Turns {
        let mut turns = Turns {
            state: seed ^ group.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        turns.next();
        turns
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A length from 1 to 1024 whose logarithm is uniform.
    fn length(&mut self) -> u64 {
        let x = self.next();
        let log = (x & 0xff) % 10;
        let base = 1 << log;
        base + ((x >> 8) & (base - 1)) + u64::from(log == 9) * ((x >> 40) & 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not yet begun.
    Fresh,
    Ready,
    /// Waits at the barrier before `pc`.
    Waiting {
        sub_group: bool,
        fence: bool,
        scope: MemScope,
    },
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    pc: Pc,
    state: State,
}

/// What a kernel's items start from: slots and private memory.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Slots from the lowest to the end of the parameters.
    template: Vec<u64>,
    /// Parameters that point into private memory: slot and offset.
    private: Vec<(usize, u64)>,
    /// Parameters that point into local memory: slot and offset.
    local: Vec<(usize, u64)>,
    /// The bytes of aggregate arguments, by their offset in private memory.
    aggregates: Vec<(u64, Vec<u8>)>,
}

impl Start {
    /// A template with the constants in place, and the parameters' slots.
    pub(crate) fn new(
        kernel: &Kernel,
        params: &[u64],
        private: Vec<(usize, u64)>,
        local: Vec<(usize, u64)>,
        aggregates: Vec<(u64, Vec<u8>)>,
    ) -> Start {
        let below = kernel.fills.len();
        let mut template = vec![0; below];
        for (i, fill) in kernel.fills.iter().enumerate() {
            if let Fill::Const(bits) = *fill {
                template[below - 1 - i] = bits;
            }
        }
        template.extend_from_slice(params);
        Start {
            template,
            private,
            local,
            aggregates,
        }
    }
}

/// The memory of one thread for the groups that it runs: register files,
/// private and local memory. Kept from launch to launch.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    words: Vec<u64>,
    items: Vec<Item>,
    ready: Vec<u32>,
}

impl Arena {
    /// Words that are kept although a launch needs less.
    const KEPT: usize = 1 << 20;

    /// Makes room for so many words; None when there is no memory for them.
    fn resize(&mut self, words: usize) -> Option<()> {
        if self.words.len() < words || self.words.len() / 4 > words.max(Arena::KEPT) {
            self.words = Vec::new();
            self.words.try_reserve_exact(words).ok()?;
            self.words.resize(words, 0);
        }
        Some(())
    }
}

/// How the arena is divided for a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Words of registers for each item.
    regs: usize,
    /// Bytes of private memory for each item, a multiple of `MAX_ALIGN`.
    private: u64,
    /// Bytes of local memory, a multiple of `MAX_ALIGN`.
    local: u64,
    /// Items of the largest group.
    items: u64,
}

impl Layout {
    /// None when it does not fit into addresses.
    pub(crate) fn new(kernel: &Kernel, items: u64, local: u64) -> Option<Layout> {
        let layout = Layout {
            regs: kernel.frame + kernel.fills.len(),
            private: kernel.private_bytes.checked_next_multiple_of(MAX_ALIGN)?,
            local: local.checked_next_multiple_of(MAX_ALIGN)?,
            items,
        };
        layout.bytes().map(|_| layout)
    }

    /// Bytes of all of it.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let item = (self.regs as u64)
            .checked_mul(8)?
            .checked_add(self.private)?;
        item.checked_mul(self.items)?
            .checked_add(self.local)?
            .checked_add(MAX_ALIGN)
    }
}

/// What a thread needs to run groups of one launch.
pub(crate) struct GroupRunner<'a> {
    kernel: &'a Kernel,
    space: &'a Space,
    seed: u64,
    start: &'a Start,
    memory: HostMemory<'a>,
    items: &'a mut Vec<Item>,
    ready: &'a mut Vec<u32>,
    layout: Layout,
    /// Start of local memory; private memory follows, then registers.
    base: *mut u64,
}

impl<'a> GroupRunner<'a> {
    /// Prepares a thread's arena for a launch; None when there is no memory for it.
    pub(crate) fn new(
        kernel: &'a Kernel,
        space: &'a Space,
        seed: u64,
        start: &'a Start,
        mut memory: HostMemory<'a>,
        layout: Layout,
        arena: &'a mut Arena,
    ) -> Option<GroupRunner<'a>> {
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
            space,
            seed,
            start,
            memory,
            items: &mut arena.items,
            ready: &mut arena.ready,
            layout,
            base,
        })
    }

    fn private(&self, item: u64) -> Block {
        Block {
            base: self.base as u64 + self.layout.local + item * self.layout.private,
            len: self.layout.private,
        }
    }

    /// The first word of an item's slots.
    fn slots(&self, item: u64) -> *mut u64 {
        let before = self.layout.local + self.layout.items * self.layout.private;
        self.base
            .wrapping_add((before / 8) as usize + item as usize * self.layout.regs)
    }

    /// Puts an item at the start of the kernel.
    fn begin(&mut self, ids: &Ids<'_>, item: u64) {
        let slots = self.slots(item);
        let below = self.kernel.fills.len();
        let private = self.private(item);
        // SAFETY: the region of an item has room for all slots of the kernel, of
        // which the template is the first part, and nothing else refers to it.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.start.template.as_ptr(),
                slots,
                self.start.template.len(),
            );
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
        for (params, base) in bases {
            for &(slot, offset) in params {
                // SAFETY: a parameter's slot, within the region.
                unsafe { *slots.add(below + slot) = base + offset };
            }
        }
        if private.len > 0 {
            // SAFETY: the item's private memory; a work-item that has not begun
            // holds no reference to it.
            unsafe { std::ptr::write_bytes(private.base as *mut u8, 0, private.len as usize) };
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

    /// Runs a group to its end.
    pub(crate) fn run(&mut self, number: u64, control: &impl Control) -> Ended {
        let group = self.space.group(number);
        let count = group.items();
        let mut turns = Turns::new(self.seed, number);
        if self.layout.local > 0 {
            // SAFETY: the group's local memory; no item of it has begun.
            unsafe {
                std::ptr::write_bytes(self.base.cast::<u8>(), 0, self.layout.local as usize);
            }
        }
        self.items.clear();
        self.items.resize(
            count as usize,
            Item {
                pc: 0,
                state: State::Fresh,
            },
        );
        self.ready.clear();
        self.ready.extend(0..count as u32);
        let mut steps = 0;
        // Items that wait, and whether some wait for their sub-group only.
        let (mut waiting, mut in_sub_group) = (false, false);
        loop {
            // One round: every item that is ready gets a turn.
            let mut kept = 0;
            for i in 0..self.ready.len() {
                let item = self.ready[i];
                let length = if count == 1 {
                    CONTROL_INTERVAL
                } else {
                    turns.length()
                };
                let (stop, used) = self.turn(group, item, length);
                steps += used;
                match stop {
                    Stop::Yield => {
                        self.ready[kept] = item;
                        kept += 1;
                    }
                    Stop::Barrier {
                        sub_group,
                        fence,
                        scope,
                    } => {
                        self.items[item as usize].state = State::Waiting {
                            sub_group,
                            fence,
                            scope,
                        };
                        waiting = true;
                        in_sub_group |= sub_group;
                    }
                    Stop::End => self.items[item as usize].state = State::Ended,
                    Stop::Trap(kind) => {
                        control.go_on(steps);
                        return Ended::Trapped(self.trap(group, item, kind));
                    }
                }
                if steps >= CONTROL_INTERVAL && !control.go_on(std::mem::take(&mut steps)) {
                    return Ended::Stopped;
                }
            }
            self.ready.truncate(kept);
            if waiting && (kept == 0 || in_sub_group) {
                if let Err(trap) = self.release(group) {
                    control.go_on(steps);
                    return Ended::Trapped(trap);
                }
                waiting = self
                    .items
                    .iter()
                    .any(|i| matches!(i.state, State::Waiting { .. }));
                in_sub_group &= waiting;
            }
            if self.ready.is_empty() {
                return if control.go_on(steps) {
                    Ended::Complete
                } else {
                    Ended::Stopped
                };
            }
        }
    }

    /// Lets an item run for a number of steps; how it stopped, steps used.
    fn turn(&mut self, group: GroupPlace, item: u32, length: u64) -> (Stop, u64) {
        let number = u64::from(item);
        let ids = Ids::of(self.space, group, number);
        let mut pc = self.items[item as usize].pc;
        if self.items[item as usize].state == State::Fresh {
            self.begin(&ids, number);
            self.items[item as usize].state = State::Ready;
        }
        self.memory.set_private(self.private(number));
        let origin = self.slots(number).wrapping_add(self.kernel.fills.len());
        let mut fuel = length;
        // SAFETY: the item's region holds all slots of the kernel and only this
        // item uses it; `pc` is 0 or where the stepper stopped.
        let stop = unsafe {
            step(
                self.kernel,
                origin,
                &mut pc,
                &mut fuel,
                &mut self.memory,
                &ids,
            )
        };
        self.items[item as usize].pc = pc;
        (stop, length - fuel)
    }

    /// Lets items go on whose barrier is complete.
    fn release(&mut self, group: GroupPlace) -> Result<(), Box<Trap>> {
        // Work-group barriers wait for everyone.
        if self.ready.is_empty()
            && self.items.iter().all(|i| {
                matches!(
                    i.state,
                    State::Waiting {
                        sub_group: false,
                        ..
                    }
                )
            })
        {
            self.release_range(group, 0, self.items.len())?;
            return Ok(());
        }
        // Sub-group barriers wait for the sub-group.
        let size = self.space.sub_group_size.min(self.items.len() as u64) as usize;
        let mut first = 0;
        while first < self.items.len() {
            let end = (first + size).min(self.items.len());
            if self.items[first..end].iter().all(|i| {
                matches!(
                    i.state,
                    State::Waiting {
                        sub_group: true,
                        ..
                    }
                )
            }) {
                self.release_range(group, first, end)?;
            }
            first = end;
        }
        if self.ready.is_empty() {
            // Nobody can run: the items wait for each other in vain.
            return Err(self.deadlock(group));
        }
        Ok(())
    }

    /// Lets waiting items `first..end` go on, which must wait at one barrier.
    fn release_range(
        &mut self,
        group: GroupPlace,
        first: usize,
        end: usize,
    ) -> Result<(), Box<Trap>> {
        let at = self.items[first].pc;
        if let Some(other) = (first..end).find(|&i| self.items[i].pc != at) {
            return Err(self.divergent(group, first, other));
        }
        if let State::Waiting { fence, scope, .. } = self.items[first].state
            && fence
        {
            self.memory.fence(Order::AcqRel, scope);
        }
        for i in first..end {
            self.items[i].state = State::Ready;
            self.ready.push(i as u32);
        }
        Ok(())
    }

    /// Why items wait in vain: some ended, or wait at another barrier.
    fn deadlock(&self, group: GroupPlace) -> Box<Trap> {
        let waiting = |i: &Item| matches!(i.state, State::Waiting { .. });
        let first = self.items.iter().position(waiting).unwrap_or(0);
        let here = self.items[first];
        let other = self
            .items
            .iter()
            .position(|i| waiting(i) && (i.pc != here.pc || i.state != here.state));
        match other {
            Some(other) => self.divergent(group, first, other),
            None => {
                let ended = self
                    .items
                    .iter()
                    .position(|i| i.state == State::Ended)
                    .unwrap_or(0);
                let ended = Ids::of(self.space, group, ended as u64).global_id();
                self.trap(group, first as u32, TrapKind::BarrierNotReached { ended })
            }
        }
    }

    fn divergent(&self, group: GroupPlace, first: usize, other: usize) -> Box<Trap> {
        let kind = TrapKind::DivergentBarrier {
            other: self.place(self.items[other].pc),
            other_id: Ids::of(self.space, group, other as u64).global_id(),
        };
        self.trap(group, first as u32, kind)
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
