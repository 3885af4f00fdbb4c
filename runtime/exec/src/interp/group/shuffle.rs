//! Shuffles of sub-groups (OpenCL C section 6.15.21): items give each other values without all having to come.
//!
//! Items that have come to a shuffle wait until all others of their sub-group have ended or wait, too. Those that wait
//! at the same shuffle and have come to it by the same calls then take part together. Where some wait at one and
//! some at another, the ones go on that may still come to the other: those that are first in the order of
//! [`order`](crate::interp::lower) of the blocks, of the outermost function in which they differ. So items that took
//! different ways of a branch are together again behind it, as they would be in lock step.

use super::GroupRunner;
use super::arena::State;
use crate::error::{Trap, TrapKind};
use crate::interp::code::{Ins, Meeting};
use crate::interp::port::GroupPort;
use crate::interp::space::{GroupPlace, Ids};
use std::ops::Range;
use touchstone_ir::Collective;

/// Where an item waits: the place in the kernel, that in the function that it calls there, and so on, each by the
/// number of its block in the order and its own in the code.
type Whereabouts = Vec<(u32, usize)>;

impl<M: GroupPort> GroupRunner<'_, M> {
    /// The shuffle that an item waits for.
    fn shuffle_of(&self, item: usize) -> Option<&Meeting> {
        let here = self.items[item];
        if !here.state.waits(true) {
            return None;
        }
        let at = (here.pc as usize).saturating_sub(1);
        let Ins::Collective { meeting, .. } = self.kernel.code[at] else {
            return None;
        };
        let meeting = &self.kernel.meetings[usize::from(meeting)];
        (meeting.function == Collective::Shuffle).then_some(meeting)
    }

    /// Whether any of the items waits for a shuffle.
    pub(super) fn any_shuffles(&self, mut items: Range<usize>) -> bool {
        !self.kernel.blocks.is_empty() && items.any(|item| self.shuffle_of(item).is_some())
    }

    /// Makes a shuffle of a sub-group, of which some wait for one, unless others may still come to it.
    pub(super) fn shuffle(
        &mut self,
        group: GroupPlace,
        sub_group: Range<usize>,
    ) -> Result<(), Box<Trap>> {
        let may_come = |item: usize| match self.items[item].state {
            State::Fresh | State::Ready => true,
            State::Waiting { .. } | State::Ended => false,
        };
        if sub_group.clone().any(may_come) {
            return Ok(());
        }
        let waiting: Vec<usize> = (sub_group.clone())
            .filter(|&item| self.shuffle_of(item).is_some())
            .collect();
        for &item in &waiting {
            self.make_whole(group, item);
        }
        let places: Vec<Whereabouts> = waiting.iter().map(|&i| self.whereabouts(i)).collect();
        let Some(first) = places.iter().min() else {
            return Ok(());
        };
        let together = waiting.iter().zip(&places);
        let together = together.filter(|(_, place)| *place == first);
        let items: Vec<usize> = together.map(|(&item, _)| item).collect();
        let kernel = self.kernel;
        let at = self.items[items[0]].pc as usize - 1;
        let Ins::Collective { meeting, .. } = kernel.code[at] else {
            return Ok(());
        };
        let meeting = &kernel.meetings[usize::from(meeting)];
        self.check_rotation(group, meeting, &items)?;
        // By id in the sub-group, the values of those that take part.
        let mut values = vec![0; sub_group.len()];
        for &item in &items {
            values[item - sub_group.start] = self.slot(item, meeting.value);
        }
        for &item in &items {
            let from = usize::try_from(self.slot(item, meeting.from[0])).ok();
            let value = from.and_then(|from| values.get(from).copied());
            self.regs(item).set(meeting.result, value.unwrap_or(0));
            self.items[item].state = State::Ready;
            self.ready.push(item as u32);
        }
        Ok(())
    }

    /// That all rotate by the same number, where they rotate.
    fn check_rotation(
        &self,
        group: GroupPlace,
        meeting: &Meeting,
        items: &[usize],
    ) -> Result<(), Box<Trap>> {
        let Some(&by) = meeting.from.get(1) else {
            return Ok(());
        };
        let delta = |item: usize| self.slot(item, by).cast_signed();
        let first = items[0];
        match items.iter().find(|&&item| delta(item) != delta(first)) {
            None => Ok(()),
            Some(&other) => {
                let kind = TrapKind::DivergentRotation {
                    delta: delta(first),
                    other_delta: delta(other),
                    other_id: Ids::of(self.space, group, other as u64).global_id(),
                };
                Err(self.trap(group, first as u32, kind))
            }
        }
    }

    /// Where an item waits, whose slots are all there.
    fn whereabouts(&self, item: usize) -> Whereabouts {
        let kernel = self.kernel;
        let mut places = Vec::new();
        let mut pc = self.items[item].pc as usize;
        // There is no recursion, so that there are no more calls in each other than functions.
        for _ in 0..=kernel.functions.len() {
            let at = pc.saturating_sub(1);
            let behind = kernel.blocks.partition_point(|b| b.0 as usize <= at);
            let order = behind.checked_sub(1).map_or(0, |b| kernel.blocks[b].1);
            places.push((order, at));
            let function = kernel.places.get(at).map_or(0, |place| place.0);
            match kernel.links[function as usize] {
                Some(link) => pc = self.slot(item, link) as usize,
                None => break,
            }
        }
        places.reverse();
        places
    }
}
