//! One step down, and taking it.

use super::site::Site;
use crate::program::{FenceFlags, MemOrder, MemScope, Placement, Program, WorkItem, legacy_fence};

/// A way to change a place.
pub(super) struct Step {
    /// From what to what.
    pub what: String,
    /// How many steps down that is.
    pub steps: u32,
    /// What the place becomes.
    pub to: To,
}

/// What of a place is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Its order; a fence is gone below its weakest order.
    Order,
    /// The order of a compare-exchange that fails.
    FailureOrder,
    /// Its scope.
    Scope,
    /// Its flags; a barrier is gone below no flag.
    Flags,
    /// Where it stands in its thread.
    Position,
    /// That nothing comes between its read and its write.
    Atomicity,
}

/// What a place becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    Order(MemOrder),
    FailureOrder(MemOrder),
    Scope(MemScope),
    Flags(FenceFlags),
    /// A fence is removed.
    NoFence,
    /// A barrier is removed.
    NoBarrier,
}

impl To {
    pub fn property(&self) -> Property {
        match self {
            To::Order(_) | To::NoFence => Property::Order,
            To::FailureOrder(_) => Property::FailureOrder,
            To::Scope(_) => Property::Scope,
            To::Flags(_) | To::NoBarrier => Property::Flags,
        }
    }

    /// Changes a place of the program.
    pub fn apply(&self, site: &mut Site<'_>) {
        match site {
            Site::Access(_, _, None) => {}
            Site::Access(_, _, Some(atomic)) => {
                atomic.implicit = false;
                match self {
                    To::Order(to) => {
                        atomic.order = *to;
                        atomic.make = atomic.make.under(*to);
                    }
                    To::Scope(to) => atomic.scope = Some(*to),
                    To::FailureOrder(_) | To::Flags(_) | To::NoFence | To::NoBarrier => {}
                }
            }
            Site::Cas(cas) => {
                cas.atomic.implicit = false;
                match self {
                    To::Order(to) => {
                        cas.atomic.order = *to;
                        // Failing is never ordered more than succeeding.
                        cas.failure = cas.failure.min(to.of_load());
                        cas.atomic.make = cas.atomic.make.under(*to);
                    }
                    To::FailureOrder(to) => cas.failure = *to,
                    To::Scope(to) => cas.atomic.scope = Some(*to),
                    To::Flags(_) | To::NoFence | To::NoBarrier => {}
                }
            }
            Site::Fence(fence, removed) => {
                match self {
                    To::Order(to) => {
                        fence.order = *to;
                        fence.make = fence.make.under(*to);
                    }
                    To::Scope(to) => fence.scope = *to,
                    To::Flags(to) => fence.flags = *to,
                    To::NoFence | To::NoBarrier => **removed = true,
                    To::FailureOrder(_) => {}
                }
                // The functions of OpenCL C 1.x have one scope, and no relaxed order.
                fence.legacy &= legacy_fence(fence.order, fence.scope).is_some();
            }
            Site::Barrier(barrier, removed) => match self {
                To::Scope(to) => barrier.scope = Some(*to),
                To::Flags(to) => barrier.flags = *to,
                To::NoFence | To::NoBarrier => **removed = true,
                To::Order(_) | To::FailureOrder(_) => {}
            },
        }
    }
}

/// Puts each thread of a device that is in no stated sub-group into one of its own, now that a
/// scope asks which one it is in.
pub(super) fn name_sub_groups(program: &mut Program) {
    let items = program
        .threads
        .iter()
        .filter_map(|t| t.placement.work_item());
    let mut used: Vec<WorkItem> = items.filter(|item| item.sub_group.is_some()).collect();
    for thread in &mut program.threads {
        if let Placement::Device(item) = &mut thread.placement
            && item.sub_group.is_none()
        {
            let mut named = WorkItem {
                sub_group: Some(0),
                ..*item
            };
            while used.contains(&named) {
                named.sub_group = named.sub_group.map(|number| number + 1);
            }
            used.push(named);
            *item = named;
        }
    }
}
