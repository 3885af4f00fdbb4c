//! Barriers: who waits, who may go on, and who waits in vain.

use super::GroupRunner;
use super::arena::{Item, State};
use crate::error::{Trap, TrapKind};
use crate::interp::port::GroupPort;
use crate::interp::space::{GroupPlace, Ids};

impl<M: GroupPort> GroupRunner<'_, M> {
    /// Lets items go on whose barrier is complete.
    pub(super) fn release(&mut self, group: GroupPlace) -> Result<(), Box<Trap>> {
        // Work-group barriers wait for everyone.
        if self.ready.is_empty()
            && (self.items.iter()).all(|i| i.state.waits(false) || self.needs_not_come(*i))
        {
            self.release_range(group, 0, self.items.len())?;
            self.join();
            return Ok(());
        }
        // Sub-group barriers wait for the sub-group.
        let size = self.space.sub_group_size.min(self.items.len() as u64) as usize;
        let mut first = 0;
        while first < self.items.len() {
            let end = (first + size).min(self.items.len());
            if self.any_shuffles(first..end) {
                self.shuffle(group, first..end)?;
            } else if self.items[first..end].iter().all(|i| i.state.waits(true)) {
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
        if let Some(other) =
            (first..end).find(|&i| self.items[i].pc != at && !self.needs_not_come(self.items[i]))
        {
            return Err(self.divergent(group, first, other));
        }
        if let State::Waiting { regions, scope, .. } = self.items[first].state {
            self.memory.barrier(first..end, scope, regions);
        }
        self.collect(group, first, end)?;
        if self.space.broken {
            self.at_barrier();
        }
        for i in first..end {
            if self.items[i].state == State::Ended {
                continue;
            }
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
}
