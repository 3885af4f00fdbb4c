//! Collective functions: what the waiting items of a group or a sub-group compute together.

use super::GroupRunner;
use super::arena::State;
use crate::error::{Trap, TrapKind};
use crate::interp::code::{Ins, Meeting, Slot};
use crate::interp::port::GroupPort;
use crate::interp::regs::Regs;
use crate::interp::space::{GroupPlace, Ids};
use crate::scalar::join::{identity, join};
use touchstone_ir::{Collective, RmwOp, Scalar};

/// Each value joined with all before it.
fn inclusive(op: RmwOp, scalar: Scalar, values: &[u64]) -> Vec<u64> {
    let scan = values.iter().scan(None, |so_far, &value| {
        let joined = so_far.map_or(value, |before| join(op, scalar, before, value));
        *so_far = Some(joined);
        Some(joined)
    });
    scan.collect()
}

impl<M: GroupPort> GroupRunner<'_, M> {
    /// Gives items `first..end`, which all wait at one place, their results if they wait for a collective
    /// function.
    pub(super) fn collect(
        &mut self,
        group: GroupPlace,
        first: usize,
        end: usize,
    ) -> Result<(), Box<Trap>> {
        let at = (self.items[first].pc as usize).saturating_sub(1);
        let Ins::Collective { sub_group, meeting } = self.kernel.code[at] else {
            return Ok(());
        };
        let kernel = self.kernel;
        let meeting = &kernel.meetings[usize::from(meeting)];
        // Under a fault some may have ended.
        let items: Vec<usize> = (first..end)
            .filter(|&item| self.items[item].state != State::Ended)
            .collect();
        // Compiled code has stored what it reads but for slots below 0.
        let read = meeting.from.iter().chain([&meeting.value]);
        if read.into_iter().any(|&slot| slot < 0) {
            for &item in &items {
                self.make_whole(group, item);
            }
        }
        let values: Vec<u64> = items.iter().map(|&i| self.slot(i, meeting.value)).collect();
        let results = match meeting.function {
            Collective::Broadcast => {
                let sides = match sub_group {
                    true => [(end - first) as u64, 1, 1],
                    false => group.size,
                };
                let from = self.broadcast_from(group, meeting, &items, sides)?;
                let value = values.get(from as usize).copied().unwrap_or_default();
                vec![value; values.len()]
            }
            // Shuffles do not get here: not all of the sub-group need come to them.
            Collective::Shuffle => values,
            Collective::Reduce(op) => {
                let joined = |a, b| join(op, meeting.scalar, a, b);
                let all = values.iter().copied().reduce(joined);
                vec![all.unwrap_or_default(); values.len()]
            }
            Collective::InclusiveScan(op) => inclusive(op, meeting.scalar, &values),
            Collective::ExclusiveScan(op) => {
                let mut results = inclusive(op, meeting.scalar, &values);
                results.insert(0, identity(op, meeting.scalar));
                results
            }
        };
        for (item, result) in items.into_iter().zip(results) {
            self.regs(item).set(meeting.result, result);
        }
        Ok(())
    }

    /// The place of the work-item whose value is broadcast, which all must name alike and which must exist;
    /// `sides` is how many there are in each dimension.
    fn broadcast_from(
        &self,
        group: GroupPlace,
        meeting: &Meeting,
        items: &[usize],
        sides: [u64; 3],
    ) -> Result<u64, Box<Trap>> {
        let named = |item: usize| -> [u64; 3] {
            let id = |d: usize| meeting.from.get(d).map_or(0, |&slot| self.slot(item, slot));
            std::array::from_fn(id)
        };
        let first = items[0];
        let from = named(first);
        if let Some(&other) = items.iter().find(|&&item| named(item) != from) {
            let kind = TrapKind::DivergentBroadcast {
                from,
                other_from: named(other),
                other_id: Ids::of(self.space, group, other as u64).global_id(),
            };
            return Err(self.trap(group, first as u32, kind));
        }
        if from.iter().zip(sides).any(|(&id, side)| id >= side) {
            let kind = TrapKind::BroadcastFromNobody { from, sides };
            return Err(self.trap(group, first as u32, kind));
        }
        Ok((from[2] * sides[1] + from[1]) * sides[0] + from[0])
    }

    /// Gives an item that compiled code ran the slots that this has not stored, constants and the like.
    pub(super) fn make_whole(&mut self, group: GroupPlace, item: usize) {
        if !self.items[item].is_whole {
            let ids = Ids::of(self.space, group, item as u64);
            self.fill_slots(&ids, item as u64, false);
            self.items[item].is_whole = true;
        }
    }

    pub(super) fn slot(&self, item: usize, slot: Slot) -> u64 {
        self.regs(item).get(slot)
    }

    pub(super) fn regs(&self, item: usize) -> Regs {
        let origin = self
            .slots(item as u64)
            .wrapping_add(self.kernel.fills.len());
        // SAFETY: the region of an item has room for all slots of the kernel, and no item runs now.
        unsafe { Regs::new(origin) }
    }
}
