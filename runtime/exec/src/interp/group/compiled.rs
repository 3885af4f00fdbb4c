//! Many items in one call, where a kernel is compiled.

use super::arena::State;
use super::{CONTROL_INTERVAL, GroupRunner};
use crate::interp::port::GroupPort;
use crate::interp::step::Stop;
use crate::native::Run;

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

    /// Lets the items that are ready from a place on run up to their ends or the next barrier, until one stops
    /// otherwise, one is met that compiled code does not take up together with others, or it is time for a
    /// question to [`Control`](super::Control). What comes back is as of [`GroupRunner::start_items`].
    pub(super) fn run_items(
        &mut self,
        next: &mut usize,
        steps: &mut u64,
    ) -> Option<(u32, Stop, u64)> {
        // What the code must know of private memory is set for one item at a time.
        if self.layout.private > 0 {
            return None;
        }
        while *steps < CONTROL_INTERVAL {
            let first = *self.ready.get(*next)?;
            let (pc, state) = self.place_of(first);
            let is_fresh = state == State::Fresh;
            if !is_fresh && !self.native.as_ref()?.is_entry(pc) {
                return None;
            }
            let alike = (1u32..)
                .zip(&self.ready[*next + 1..])
                .take_while(|&(n, &item)| item == first + n && self.place_of(item) == (pc, state));
            let count = 1 + alike.count();
            let number = u64::from(first);
            self.seek(number);
            self.memory.set_private(self.private(number));
            let slots = self.kernel.fills.len();
            let run = Run {
                item: number,
                origin: self.slots(number).wrapping_add(slots),
                private: self.private(number).base,
                ids: &self.at.1,
                count: count as u64,
            };
            let fuel = CONTROL_INTERVAL - *steps;
            let from = (!is_fresh).then_some(pc);
            let native = self.native.as_mut()?;
            // SAFETY: the items' regions hold all slots of the kernel and only they use them; `run` holds
            // what says that this thread runs compiled code.
            let (stops, left) = unsafe { native.run_many(run, from, fuel, &mut self.memory) };
            let done = stops.len();
            let mut alike = (u64::MAX, State::Ended);
            let items = self.items[first as usize..].iter_mut();
            for (&stop, item) in stops.iter().zip(items) {
                if stop != alike.0 {
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
                    alike = (stop, state);
                }
                (item.pc, item.state) = (stop as u32, alike.1);
            }
            *next += done;
            if is_fresh {
                self.begun += done as u64;
            }
            if done == count {
                *steps += fuel - left;
                continue;
            }
            if is_fresh {
                self.begun += 1;
            }
            let item = first + done as u32;
            *next += 1;
            self.seek(item.into());
            let origin = self.slots(item.into()).wrapping_add(slots);
            let entry = &mut self.items[item as usize];
            entry.state = State::Ready;
            let mut after = left;
            let of = (&mut entry.pc, &mut after, &mut entry.is_whole);
            let native = self.native.as_mut()?;
            // SAFETY: the code was left with this item.
            let stop = unsafe { native.stopped((origin, &self.at.1), of, &mut self.memory) };
            return Some((item, stop, fuel - after));
        }
        None
    }

    /// Where an item stands, and how.
    fn place_of(&self, item: u32) -> (u32, State) {
        let item = self.items[item as usize];
        (item.pc, item.state)
    }
}
