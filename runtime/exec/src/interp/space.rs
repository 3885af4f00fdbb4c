//! The index space of a launch, and the place of a work-item in it.

use touchstone_faults::{Fault, on};
use touchstone_ir::Query;

/// The index space of a launch, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    pub(crate) work_dim: u32,
    pub(crate) offset: [u64; 3],
    pub(crate) global: [u64; 3],
    pub(crate) local: [u64; 3],
    pub(crate) groups: [u64; 3],
    pub(crate) sub_group_size: u64,
    /// Something of it is wrong, by a fault.
    pub(crate) broken: bool,
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
            if self.broken && on(Fault::RemainderFull) {
                return self.local[d];
            }
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
    pub(crate) fn of(space: &Space, group: GroupPlace, item: u64) -> Ids<'_> {
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
    // Not inlined: where it would be, every instruction would pay for it.
    #[inline(never)]
    pub(crate) fn query(&self, query: Query, dim: u32) -> u64 {
        let s = self.space;
        if s.broken
            && let Some(answer) = self.broken_answer(query, dim)
        {
            return answer;
        }
        self.answer(query, dim)
    }

    pub(crate) fn answer(&self, query: Query, dim: u32) -> u64 {
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
