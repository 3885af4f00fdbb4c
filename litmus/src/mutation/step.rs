//! One step down, and taking it.

use super::site::Site;
use crate::program::{
    Atomicity, Expr, FenceFlags, Instr, MemOrder, MemScope, Placement, Program, legacy_fence,
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
            Site::Load(_, atomicity) | Site::Store(_, atomicity) | Site::Rmw(_, atomicity) => {
                if let Atomicity::Atomic {
                    order,
                    scope,
                    implicit,
                } = &mut **atomicity
                {
                    *implicit = false;
                    match self {
                        To::Order(to) => *order = *to,
                        To::Scope(to) => *scope = Some(*to),
                        To::FailureOrder(_) | To::Flags(_) | To::NoFence | To::NoBarrier => {}
                    }
                }
            }
            Site::Cas(cas) => {
                *cas.implicit = false;
                match self {
                    To::Order(to) => {
                        *cas.success = *to;
                        // Failing is never ordered more than succeeding.
                        *cas.failure = (*cas.failure).min(to.of_load());
                    }
                    To::FailureOrder(to) => *cas.failure = *to,
                    To::Scope(to) => *cas.scope = Some(*to),
                    To::Flags(_) | To::NoFence | To::NoBarrier => {}
                }
            }
            Site::Fence(instr) | Site::Barrier(instr) => match (self, &mut **instr) {
                (To::NoFence | To::NoBarrier, instr) => *instr = Instr::Effect(Expr::Const(0)),
                (
                    To::Order(_) | To::Scope(_),
                    Instr::Fence {
                        order,
                        scope,
                        legacy,
                        ..
                    },
                ) => {
                    match self {
                        To::Order(to) => *order = *to,
                        To::Scope(to) => *scope = *to,
                        To::FailureOrder(_) | To::Flags(_) | To::NoFence | To::NoBarrier => {}
                    }
                    // The functions of OpenCL C 1.x have one scope, and no relaxed order.
                    *legacy &= legacy_fence(*order, *scope).is_some();
                }
                (To::Flags(to), Instr::Fence { flags, .. }) => *flags = *to,
                (To::Scope(to), Instr::Barrier(barrier)) => barrier.scope = Some(*to),
                (To::Flags(to), Instr::Barrier(barrier)) => barrier.flags = *to,
                (To::Order(_) | To::FailureOrder(_) | To::Scope(_) | To::Flags(_), _) => {}
            },
        }
    }
}

/// Puts each thread of a device that is in no stated sub-group into one of its own, now that a
/// scope asks which one it is in.
pub(super) fn name_sub_groups(program: &mut Program) {
    let mut used: Vec<(u32, u32, u32)> = program
        .threads
        .iter()
        .filter_map(|thread| match thread.placement {
            Placement::Device {
                device,
                work_group,
                sub_group: Some(sub_group),
            } => Some((device, work_group, sub_group)),
            Placement::Device { .. } | Placement::Host => None,
        })
        .collect();
    for thread in &mut program.threads {
        if let Placement::Device {
            device,
            work_group,
            sub_group: sub_group @ None,
        } = &mut thread.placement
        {
            let mut number = 0;
            while used.contains(&(*device, *work_group, number)) {
                number += 1;
            }
            used.push((*device, *work_group, number));
            *sub_group = Some(number);
        }
    }
}
