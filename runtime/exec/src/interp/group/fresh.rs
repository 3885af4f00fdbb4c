//! Work-items that begin, where a kernel is compiled: most run to their end in their first turn.

use super::arena::State;
use super::{CONTROL_INTERVAL, GroupRunner};
use crate::interp::port::GroupPort;
use crate::interp::step::Stop;

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
            // SAFETY: the item's region holds all slots of the kernel and only this item uses it; `run` holds
            // what says that this thread runs compiled code.
            let (has_ended, left) = unsafe {
                native.start((origin, private.base), length, &mut self.memory, &self.at.1)
            };
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
            let stop = unsafe { native.started(origin, of, &mut self.memory, &self.at.1) };
            return Some((item, stop, length - fuel));
        }
        None
    }
}
