//! Collective functions: what the waiting items of a group or a sub-group compute together.

use super::GroupRunner;
use super::arena::State;
use crate::error::{Trap, TrapKind};
use crate::interp::code::{Ins, Meeting, Slot};
use crate::interp::port::GroupPort;
use crate::interp::regs::Regs;
use crate::interp::space::{GroupPlace, Ids};
use crate::interp::step::Stop;
use crate::scalar::join::{identity, join, joined};
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

/// What a collective function gives items that are numbered from 0 on.
enum Given {
    Same(u64),
    Each(Vec<u64>),
}

impl Given {
    fn of(&self, item: usize) -> u64 {
        match self {
            Given::Same(value) => *value,
            Given::Each(values) => values[item],
        }
    }
}

/// What a collective function gives for the items' values; `from` is whose is broadcast.
fn given(meeting: &Meeting, values: &[u64], from: u64) -> Given {
    match meeting.function {
        Collective::Broadcast => {
            Given::Same(values.get(from as usize).copied().unwrap_or_default())
        }
        // Shuffles do not get here: not all of the sub-group need come to them.
        Collective::Shuffle => Given::Each(values.to_vec()),
        Collective::Reduce(op) => Given::Same(joined(op, meeting.scalar, values)),
        Collective::InclusiveScan(op) => Given::Each(inclusive(op, meeting.scalar, values)),
        Collective::ExclusiveScan(op) => {
            let mut results = inclusive(op, meeting.scalar, values);
            results.insert(0, identity(op, meeting.scalar));
            Given::Each(results)
        }
    }
}

/// The number of an item by its place in what has so many in each dimension.
fn place_of(place: [u64; 3], sides: [u64; 3]) -> u64 {
    (place[2] * sides[1] + place[1]) * sides[0] + place[0]
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
        let from = match meeting.function {
            Collective::Broadcast => {
                let sides = match sub_group {
                    true => [(end - first) as u64, 1, 1],
                    false => group.size,
                };
                self.broadcast_from(group, meeting, &items, sides)?
            }
            Collective::Reduce(_)
            | Collective::InclusiveScan(_)
            | Collective::ExclusiveScan(_)
            | Collective::Shuffle => 0,
        };
        let given = given(meeting, &values, from);
        for (n, item) in items.into_iter().enumerate() {
            self.regs(item).set(meeting.result, given.of(n));
        }
        Ok(())
    }

    /// Gives all items of the group, which compiled code has just left waiting for a collective function, their results.
    /// False, and nothing done, where that is for [`GroupRunner::collect`]: what the function reads is not stored, or
    /// it broadcasts what it may not.
    pub(super) fn collect_together(&mut self, meeting: u16, count: usize) -> bool {
        let kernel = self.kernel;
        debug_assert!(count > 0, "somebody waits");
        let meeting = &kernel.meetings[usize::from(meeting)];
        let origin = self.slots(0).wrapping_add(kernel.fills.len());
        let Some(native) = &mut self.native else {
            return false;
        };
        if (meeting.from.iter().chain([&meeting.value])).any(|&slot| slot < 0) {
            return false;
        }
        let mut values = std::mem::take(&mut self.values);
        let mut from = [0; 3];
        let group = self.at.1.group;
        if meeting.function == Collective::Broadcast {
            for (d, &slot) in meeting.from.iter().enumerate() {
                values.clear();
                // SAFETY: these are the items of the last call, whose regions hold all slots of the kernel and which
                // only they use.
                unsafe { native.bring(origin, slot, &mut values) };
                let first = values[0];
                if values.iter().any(|&other| other != first) || first >= group.size[d] {
                    self.values = values;
                    return false;
                }
                from[d] = first;
            }
        }
        let from = place_of(from, group.size);
        let sum = match (meeting.function, meeting.scalar) {
            (Collective::Reduce(RmwOp::FAdd), Scalar::F32) => {
                // SAFETY: as above.
                unsafe { native.sum_together(origin, meeting.value) }
            }
            _ => None,
        };
        let given = match sum {
            Some(sum) => Given::Same(sum.to_bits().into()),
            None => {
                values.clear();
                // SAFETY: as above.
                unsafe { native.bring(origin, meeting.value, &mut values) };
                given(meeting, &values, from)
            }
        };
        match given {
            // SAFETY: as above.
            Given::Same(value) => unsafe { native.take_away(origin, meeting.result, |_| value) },
            Given::Each(each) => {
                // SAFETY: as above.
                unsafe { native.take_away(origin, meeting.result, |item| each[item]) };
            }
        }
        self.values = values;
        let Stop::Barrier { regions, scope, .. } = Stop::meeting(false) else {
            unreachable!("who meets waits");
        };
        self.memory.barrier(0..count, scope, regions);
        true
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
        Ok(place_of(from, sides))
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
