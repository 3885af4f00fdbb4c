//! What groups and index spaces do under a fault or a latitude; nothing of it is used without one.

use super::arena::State;
use super::{GroupRunner, Item};
use crate::interp::code::{Ins, Pc};
use crate::interp::port::GroupPort;
use crate::interp::port::host::Block;
use crate::interp::space::{GroupPlace, Ids};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use touchstone_faults::{Fault, Latitude, on, rubbish, takes};
use touchstone_ir::Query;

impl Ids<'_> {
    /// The answer that a fault gives to a query.
    #[cold]
    pub(crate) fn broken_answer(&self, query: Query, dim: u32) -> Option<u64> {
        let s = self.space;
        let d = dim as usize;
        if dim >= s.work_dim && !matches!(query, Query::GlobalLinearId | Query::LocalLinearId) {
            return None;
        }
        let [ox, oy, oz] = s.offset;
        let [lx, ly, lz] = self.local_id;
        let swapped = if s.work_dim > 1 { [1, 0, 2] } else { [0, 1, 2] };
        Some(match query {
            Query::GlobalId | Query::LocalId | Query::GroupId if on(Fault::DimensionsSwapped) => {
                self.answer(query, swapped[d])
            }
            Query::LocalId if on(Fault::OffsetInLocalId) => self.local_id[d] + s.offset[d],
            Query::LocalId if on(Fault::RemainderLocalIds) => {
                self.local_id[d] + s.local[d] - self.group.size[d]
            }
            Query::GlobalLinearId if on(Fault::OffsetInLinearId) => {
                self.answer(query, 0) + (oz * s.global[1] + oy) * s.global[0] + ox
            }
            Query::GlobalLinearId if on(Fault::GlobalLinearSwapped) => {
                let [x, y, z] =
                    std::array::from_fn(|d| self.group.id[d] * s.local[d] + self.local_id[d]);
                (x * s.global[1] + y) * s.global[2] + z
            }
            Query::LocalLinearId if on(Fault::LocalLinearSwapped) => {
                (lx * self.group.size[1] + ly) * self.group.size[2] + lz
            }
            Query::GroupId if on(Fault::OffsetInGroupId) => {
                self.group.id[d] + s.offset[d] / s.local[d]
            }
            Query::LocalSize if on(Fault::RemainderLocalSize) => s.local[d],
            Query::EnqueuedLocalSize if on(Fault::EnqueuedSizeRemainder) => self.group.size[d],
            Query::NumGroups if on(Fault::NumGroupsFloor) => (s.global[d] / s.local[d]).max(1),
            _ => return None,
        })
    }
}

/// Fills memory with what differs each time.
///
/// # Safety
/// The block is valid to write, and nobody uses it meanwhile.
#[cold]
pub(super) unsafe fn scatter_rubbish(block: Block) {
    for (at, byte) in rubbish().take(block.len as usize).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { (block.base as *mut u8).add(at).write(byte) };
    }
}

/// Steps after which an item that runs alone lets others go on: not many more, because sub-groups are promised to
/// progress independently, and each may wait for another to wait no more.
pub(super) const ALONE: u64 = 1 << 13;

/// What a thread remembers of its group.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Barriers that items have come to.
    reached: HashSet<(u32, Pc)>,
    /// Barriers that the group has passed.
    passed: u32,
}

/// What the last group had in local memory at its first barrier.
static LOCAL: Mutex<Vec<u8>> = Mutex::new(Vec::new());

impl<M: GroupPort> GroupRunner<'_, M> {
    /// Items of a group that are run.
    pub(super) fn items_run(&mut self, number: u64, group: GroupPlace) -> u64 {
        self.broken = Memory::default();
        let is_last = number + 1 == self.space.group_count();
        group.items() - u64::from(on(Fault::LastItemMissing) && is_last)
    }

    /// The steps of every turn, by the latitudes taken; zero where turns differ.
    pub(super) fn even_turns(&mut self) -> u64 {
        if takes(Latitude::ItemsInLockStep) {
            1
        } else if takes(Latitude::ItemsOneByOne) {
            self.ready.reverse();
            ALONE
        } else {
            0
        }
    }

    /// Whether an item does not wait at the barrier that it has come to.
    pub(super) fn passes(&mut self, item: u32) -> bool {
        let pc = self.items[item as usize].pc;
        let at = (pc as usize).saturating_sub(1);
        if !matches!(self.kernel.code[at], Ins::Barrier { .. }) {
            return false;
        }
        let is_last = item as usize + 1 == self.items.len() && item > 0;
        let again = !self.broken.reached.insert((item, pc));
        let called = self.kernel.places[at].0 != self.kernel.places[0].0;
        on(Fault::ItemsRunToEnd)
            || on(Fault::BarrierLastPasses) && is_last
            || on(Fault::BarrierFirstPassOnly) && again
            || on(Fault::BarrierInFunctions) && called
    }

    /// Whether an item that has ended counts as one that waits.
    pub(super) fn needs_not_come(&self, item: Item) -> bool {
        self.space.broken && on(Fault::BarrierLastPasses) && item.state == State::Ended
    }

    /// The group passes a barrier.
    pub(super) fn at_barrier(&mut self) {
        self.broken.passed += 1;
        let size = self.layout.local as usize;
        if on(Fault::LocalShared) && self.broken.passed == 1 && size > 0 {
            // SAFETY: the group's local memory; no item of it runs now.
            let own = unsafe { std::slice::from_raw_parts_mut(self.base.cast::<u8>(), size) };
            let mut other = LOCAL.lock().unwrap_or_else(PoisonError::into_inner);
            let now = own.to_vec();
            if other.len() == size {
                own.copy_from_slice(&other);
            }
            *other = now;
        }
    }
}
