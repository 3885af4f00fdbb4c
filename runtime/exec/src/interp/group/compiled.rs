//! Many items in one call, where a kernel is compiled.

use super::arena::{Item, State};
use super::{CONTROL_INTERVAL, GroupRunner};
use crate::interp::code::{Ins, Pc};
use crate::interp::port::GroupPort;
use crate::interp::step::Stop;
use crate::native::{Rest, Run, Runner};

/// Where all items of a group stand, while they stand at one place and it is not noted for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// Each where it is noted.
    Apart,
    /// None has begun.
    Fresh,
    /// All are ready at one place, behind a barrier.
    At(Pc),
}

impl<M: GroupPort> GroupRunner<'_, M> {
    /// Lets the items that are ready from a place on have their first turns, until one does not end, one is met that
    /// has begun before, or it is time for a question to [`Control`](super::Control). The place and the
    /// steps come back as they are then; of an item that has not ended also how it stopped, its steps
    /// not among the others.
    pub(super) fn start_items(
        &mut self,
        next: &mut usize,
        steps: &mut u64,
        mut length: impl FnMut() -> u64,
    ) -> Option<(u32, Stop, u64)> {
        while *steps < CONTROL_INTERVAL {
            let item = *self.ready.get(*next)?;
            if self.items[item as usize].state != State::Fresh {
                return None;
            }
            *next += 1;
            let number = u64::from(item);
            let length = length();
            self.seek(number);
            self.fill_private(number);
            let private = self.private(number);
            self.memory.set_private(private);
            let origin = self.slots(number).wrapping_add(self.kernel.fills.len());
            let native = self.native.as_mut()?;
            let ids = &self.at.1;
            let run = Run {
                item: number,
                origin,
                private: private.base,
                ids,
                count: 1,
            };
            // SAFETY: the item's region holds all slots of the kernel and only this item uses it; `run` holds
            // what says that this thread runs compiled code.
            let (has_ended, left) = unsafe { native.start(run, length, &mut self.memory) };
            let entry = &mut self.items[item as usize];
            if has_ended {
                entry.state = State::Ended;
                *steps += length - left;
                continue;
            }
            entry.state = State::Ready;
            let mut fuel = left;
            let of = (&mut entry.pc, &mut fuel, &mut entry.is_whole);
            // SAFETY: the item was started last.
            let stop = unsafe { native.stopped((origin, ids), of, &mut self.memory) };
            return Some((item, stop, length - fuel));
        }
        None
    }

    /// Whether compiled code may run items one after the other: what it must know of private memory is set for
    /// one item at a time.
    fn may_follow(&self) -> bool {
        self.layout.private == 0
    }

    /// All items have been let go at a barrier: they go on together, if they may.
    pub(super) fn join(&mut self) {
        if self.coarse
            && self.native.is_some()
            && self.may_follow()
            && self.items.iter().all(|item| item.state == State::Ready)
        {
            self.together = Together::At(self.items[0].pc);
        }
    }

    /// Lets all items of the group run from barrier to barrier, while they stand together, until some end or wait where
    /// others do not, one stops otherwise, or it is time for a question to [`Control`](super::Control). Then
    /// it is noted where each stands, `next` is behind those that have had their turn, and what comes back is as
    /// of [`GroupRunner::start_items`]. Where all have ended, none is ready.
    pub(super) fn run_together(
        &mut self,
        count: u64,
        next: &mut usize,
        steps: &mut u64,
    ) -> Option<(u32, Stop, u64)> {
        while self.may_follow() && *steps < self.interval {
            let from = match self.together {
                Together::Apart => return None,
                Together::Fresh => None,
                Together::At(pc) => Some(pc),
            };
            let fuel = self.interval - *steps;
            let (done, left) = self.enter((0, count), from, (fuel, true))?;
            let native = self.native.as_ref()?;
            let stop = native.stops(done).first().copied().map_or(0, place);
            let all = done as u64 == count && native.is_one_stop();
            if all {
                match self.kernel.code[stop as usize - 1] {
                    Ins::End => {
                        *steps += fuel - left;
                        self.together = Together::Apart;
                        self.items.clear();
                        self.ready.clear();
                        return None;
                    }
                    Ins::Barrier {
                        sub_group: false,
                        regions,
                        scope,
                    } => {
                        *steps += fuel - left;
                        self.memory.barrier(0..done, scope, regions);
                        self.together = Together::At(stop as Pc);
                        continue;
                    }
                    Ins::Collective {
                        sub_group: false,
                        meeting,
                    } if self.collect_together(meeting, done) => {
                        *steps += fuel - left;
                        self.together = Together::At(stop as Pc);
                        continue;
                    }
                    _ => {}
                }
            }
            self.part(count);
            return self.have_run((0, count), (done, fuel, left), (next, steps));
        }
        self.part(count);
        None
    }

    /// Lets the items that are ready from a place on run up to their ends or the next barrier, until one stops
    /// otherwise, one is met that compiled code does not take up together with others, or it is time for a
    /// question to [`Control`](super::Control). What comes back is as of [`GroupRunner::start_items`].
    pub(super) fn run_items(
        &mut self,
        next: &mut usize,
        steps: &mut u64,
    ) -> Option<(u32, Stop, u64)> {
        while self.may_follow() && !self.short && *steps < self.interval {
            let first = *self.ready.get(*next)?;
            let (pc, state, alone) = self.place_of(first);
            let is_fresh = state == State::Fresh;
            if !is_fresh && !self.native.as_ref()?.is_entry(pc) {
                return None;
            }
            let alike = (1u32..)
                .zip(&self.ready[*next + 1..])
                .take_while(|&(n, &item)| {
                    item == first + n && self.place_of(item) == (pc, state, alone)
                });
            let items = (first.into(), 1 + alike.count() as u64);
            let fuel = self.interval - *steps;
            // Items that run at once leave those below 0 of each other's slots as they come.
            let of_them = first as usize..first as usize + items.1 as usize;
            (self.items[of_them].iter_mut()).for_each(|item| item.is_whole &= alone);
            let from = (!is_fresh).then_some(pc);
            let (done, left) = self.enter(items, from, (fuel, !alone))?;
            let stopped = self.have_run(items, (done, fuel, left), (next, steps));
            if stopped.is_some() {
                return stopped;
            }
        }
        None
    }

    /// Where an item stands, how, and whether it runs alone.
    fn place_of(&self, item: u32) -> (Pc, State, bool) {
        let item = self.items[item as usize];
        (item.pc, item.state, item.alone)
    }

    /// Gives each of the items that compiled code ran last its slots.
    pub(super) fn separate(&mut self, (first, count): (u64, u64)) {
        let origin = self.slots(first).wrapping_add(self.kernel.fills.len());
        if let Some(native) = &mut self.native {
            // SAFETY: these are the items of the last call, whose regions hold all slots of the kernel and which only
            // they use.
            unsafe { native.separate(origin, count as usize) };
        }
    }

    /// Lets items that follow each other run from one place, or from their beginning. How many of them have ended or
    /// wait, where [`Runner::stops`](crate::native::Runner::stops) says, and how many steps are left; if not
    /// all do, the next one has stopped otherwise.
    fn enter(
        &mut self,
        (first, count): (u64, u64),
        from: Option<Pc>,
        fuel: (u64, bool),
    ) -> Option<(usize, u64)> {
        self.seek(first);
        let private = self.private(first);
        self.memory.set_private(private);
        let run = Run {
            item: first,
            origin: self.slots(first).wrapping_add(self.kernel.fills.len()),
            private: private.base,
            ids: &self.at.1,
            count,
        };
        let native = self.native.as_mut()?;
        // SAFETY: the items' regions hold all slots of the kernel and only they use them; there is no private memory;
        // `run` holds what says that this thread runs compiled code.
        Some(unsafe { native.run_many(run, from, fuel, &mut self.memory) })
    }

    /// Notes what became of items that [`GroupRunner::enter`] has let run.
    fn have_run(
        &mut self,
        (first, count): (u64, u64),
        (done, fuel, left): (usize, u64, u64),
        (next, steps): (&mut usize, &mut u64),
    ) -> Option<(u32, Stop, u64)> {
        self.separate((first, count));
        let native = self.native.as_mut()?;
        let mut last = (u64::MAX, State::Ended);
        let items = self.items[first as usize..].iter_mut();
        for (&stop, item) in native.stops(done).iter().zip(items) {
            if stop != last.0 {
                let state = match Stop::behind(&self.kernel.code[stop as usize - 1]) {
                    Some(Stop::Barrier {
                        sub_group,
                        regions,
                        scope,
                    }) => {
                        self.waiting = true;
                        self.in_sub_group |= sub_group;
                        State::Waiting {
                            sub_group,
                            regions,
                            scope,
                        }
                    }
                    _ => State::Ended,
                };
                last = (stop, state);
            }
            (item.pc, item.state) = (stop as Pc, last.1);
        }
        *next += done;
        if done as u64 == count {
            *steps += fuel - left;
            return None;
        }
        let item = first + done as u64;
        let (before, parted) = match native.rest() {
            Rest::One { before, parted } => (before, parted),
            Rest::Together { pc, count, alone } => {
                *steps += fuel - left;
                self.short = !alone;
                self.leave_together((item, count), |_, _| pc, alone);
                return None;
            }
            Rest::Spread { count, short } => {
                *steps += fuel - left;
                self.short = short;
                self.leave_together((item, count), |native, item| native.place(item), true);
                return None;
            }
        };
        *next += 1;
        for item in item + 1..=item + parted {
            let pc = native.way(item);
            let entry = &mut self.items[item as usize];
            (entry.pc, entry.state, entry.is_whole) = (pc, State::Ready, false);
        }
        let item = item + before;
        self.seek(item);
        let origin = self.slots(item).wrapping_add(self.kernel.fills.len());
        let entry = &mut self.items[item as usize];
        entry.state = State::Ready;
        let mut after = left;
        let of = (&mut entry.pc, &mut after, &mut entry.is_whole);
        let native = self.native.as_mut()?;
        // SAFETY: the code was left with this item.
        let stop = unsafe { native.stopped((origin, &self.at.1), of, &mut self.memory) };
        Some((item as u32, stop, fuel - after))
    }

    /// Items that ran at once are ready, each at a place. Those that go on alone do so with the stepper, which needs all their
    /// slots.
    fn leave_together(
        &mut self,
        (first, count): (u64, u64),
        place: impl Fn(&Runner<'_>, u64) -> Pc,
        alone: bool,
    ) {
        for item in first..first + count {
            self.seek(item);
            let origin = self.slots(item).wrapping_add(self.kernel.fills.len());
            let Some(native) = &mut self.native else {
                return;
            };
            let pc = place(native, item);
            if alone {
                // SAFETY: the item's region holds all slots of the kernel and only this item uses it.
                unsafe { native.complete(origin, &self.at.1) };
            }
            self.items[item as usize] = Item {
                pc,
                state: State::Ready,
                is_whole: alone,
                alone,
            };
        }
    }
}

/// The place of a stop, however the slots are stored.
fn place(stop: u64) -> u64 {
    u64::from(stop as Pc)
}
