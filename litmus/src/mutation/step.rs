//! One step down, and taking it.

use super::site::Site;
use crate::program::{
    Atomic, Atomicity, FenceFlags, Make, MemOrder, MemScope, Placement, Program, WorkItem,
    legacy_fence,
};

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
    /// What it makes available and visible, in Vulkan.
    Make,
    /// That other agents see it, in Vulkan.
    NonPrivate,
    /// A control barrier's memory semantics as a whole, in Vulkan.
    Semantics,
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
    /// It makes no longer available, no longer visible, or neither, what it made so.
    Without(Make),
    /// A non-private access becomes a private one.
    Private,
    /// A fence is removed.
    NoFence,
    /// A control barrier has no memory semantics any more.
    NoSemantics,
    /// A barrier is removed.
    NoBarrier,
}

impl To {
    pub fn property(&self) -> Property {
        match self {
            To::Order(_) | To::NoFence => Property::Order,
            To::NoSemantics => Property::Semantics,
            To::FailureOrder(_) => Property::FailureOrder,
            To::Scope(_) => Property::Scope,
            To::Flags(_) | To::NoBarrier => Property::Flags,
            To::Without(_) => Property::Make,
            To::Private => Property::NonPrivate,
        }
    }

    /// Changes a place of the program.
    pub fn apply(&self, site: &mut Site<'_>) {
        match site {
            Site::Ordinary(_, _, atomicity) => self.ordinary(atomicity),
            Site::Access(_, _, atomic) => {
                atomic.implicit = false;
                self.atomic(atomic);
            }
            Site::Cas(cas) => {
                cas.atomic.implicit = false;
                self.atomic(&mut cas.atomic);
                match self {
                    // Failing is never ordered more than succeeding.
                    To::Order(to) => cas.failure = cas.failure.min(to.of_load()),
                    To::FailureOrder(to) => cas.failure = *to,
                    To::Scope(_)
                    | To::Flags(_)
                    | To::Without(_)
                    | To::Private
                    | To::NoFence
                    | To::NoSemantics
                    | To::NoBarrier => {}
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
                    To::Without(made) => fence.make = fence.make.without(*made),
                    To::NoFence | To::NoBarrier => **removed = true,
                    To::FailureOrder(_) | To::Private | To::NoSemantics => {}
                }
                // The functions of OpenCL C 1.x have one scope, and no relaxed order.
                fence.legacy &= legacy_fence(fence.order, fence.scope).is_some();
            }
            Site::Barrier(barrier, removed) => match self {
                To::Order(to) => {
                    barrier.order = *to;
                    barrier.make = barrier.make.under(*to);
                }
                To::Scope(to) => barrier.scope = Some(*to),
                To::Flags(to) if barrier.order != MemOrder::Relaxed => barrier.flags = *to,
                To::Without(made) => barrier.make = barrier.make.without(*made),
                To::NoSemantics => {
                    barrier.order = MemOrder::Relaxed;
                    barrier.flags = FenceFlags::NONE;
                    barrier.make = Make::NOTHING;
                }
                To::NoFence | To::NoBarrier => **removed = true,
                To::FailureOrder(_) | To::Flags(_) | To::Private => {}
            },
        }
    }

    fn atomic(&self, atomic: &mut Atomic) {
        match self {
            To::Order(to) => *atomic = atomic.ordered(*to),
            To::Scope(to) => atomic.scope = Some(*to),
            To::Flags(flags) => {
                let flags = *flags;
                *atomic = Atomic { flags, ..*atomic }.ordered(atomic.order);
            }
            To::Without(made) => atomic.make = atomic.make.without(*made),
            To::FailureOrder(_) | To::Private | To::NoFence | To::NoSemantics | To::NoBarrier => {}
        }
    }

    fn ordinary(&self, atomicity: &mut Atomicity) {
        let Atomicity::NonPrivate(made) = atomicity else {
            return;
        };
        match self {
            To::Scope(to) => *made = made.map(|_| *to),
            To::Without(_) => *made = None,
            To::Private => *atomicity = Atomicity::Plain,
            To::Order(_)
            | To::FailureOrder(_)
            | To::Flags(_)
            | To::NoFence
            | To::NoSemantics
            | To::NoBarrier => {}
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
