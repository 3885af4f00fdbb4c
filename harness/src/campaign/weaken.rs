//! What a fault of the Vulkan layer makes of a test: its operations, changed as the layer changes those of modules
//! (`harness/vulkan-layer/src/spirv`).
//!
//! A test stays valid: MakeAvailable goes without a release, MakeVisible without an acquire, an order without a storage
//! class and the other way round, and a memory barrier without an order (`vk.validity`). Execution scopes stay.
//!
//! Left out are the faults of calls, and `drop-coherent`, which changes the old memory model alone. A test about a fault
//! is one whose outcomes the model does not limit as it did once it is weakened: [`Noticing`] knows them.

use super::Fault;
use super::terms::Hunted;
use crate::judge::ChosenModel;
use classay_faults::VulkanFault;
use classay_litmus::kernel::Shape;
use classay_litmus::kernel::operation::Semantics;
use classay_litmus::mutation::{self, Property};
use classay_litmus::oracle::{Judgement, Limits, judge};
use classay_litmus::program::{
    Api, Atomic, Atomicity, Barrier, Cas, Expr, Fence, FenceFlags, Instr, Make, MemOrder, MemScope,
    Program,
};
use std::collections::HashSet;

/// The tests of Vulkan among cases, and what a model says of them.
pub struct Noticing<'a> {
    model: &'a ChosenModel,
    /// With their places among the cases.
    tests: Vec<(usize, &'a Program, Judgement)>,
}

impl<'a> Noticing<'a> {
    /// Those that one launch plays and that are free of races.
    pub fn of(cases: &'a [Hunted], model: &'a ChosenModel) -> Noticing<'a> {
        let tests = cases.iter().enumerate().filter_map(|(place, hunted)| {
            let program: &Program = hunted.case.body.litmus()?;
            if program.api != Api::Vulkan || Shape::of(program).is_err() {
                return None;
            }
            let judged = judge(program, model.weakest(), &Limits::default()).ok()?;
            (!judged.racy).then_some((place, program, judged))
        });
        Noticing {
            tests: tests.collect(),
            model,
        }
    }

    /// The places of the tests that are about a fault: that with it have an outcome which the model forbids without.
    pub fn places(&self, fault: &Fault) -> HashSet<usize> {
        let Some(fault) = fault.of_vulkan_layer() else {
            return HashSet::new();
        };
        let notices = |program: &Program, before: &Judgement| {
            let weaker = weakened(program, fault)?;
            let after = judge(&weaker, self.model.weakest(), &Limits::default()).ok()?;
            Some(after.racy || !after.states.is_subset(&before.states))
        };
        let tests = self.tests.iter();
        let tests = tests.filter(|(_, program, before)| notices(program, before) == Some(true));
        tests.map(|(place, ..)| *place).collect()
    }
}

/// A test as a fault changes it; none where it changes nothing.
pub fn weakened(program: &Program, fault: VulkanFault) -> Option<Program> {
    if fault == VulkanFault::HalveReadModifyWrite {
        return halved(program);
    }
    let edit = Edit::of(fault)?;
    let mut weaker = program.clone();
    for thread in &mut weaker.threads {
        edit.block(&mut thread.body);
    }
    (weaker != *program).then_some(weaker)
}

/// A test whose read-modify-writes are a load and a store each, of those that two statements can stand for.
fn halved(program: &Program) -> Option<Program> {
    let splits = mutation::reshapings(program).into_iter();
    let mut splits: Vec<_> = splits
        .filter(|change| change.place.1 == Property::Atomicity)
        .collect();
    // Those are counted from the end: one that is split moves none that comes after it here.
    splits.reverse();
    (!splits.is_empty()).then(|| mutation::apply(program, &splits))
}

/// What a fault does to the operations of a test.
#[derive(Clone, Copy)]
enum Edit {
    /// Memory scopes are others.
    Scope(fn(MemScope) -> MemScope),
    /// Memory semantics are others.
    Semantics(fn(&mut Semantics)),
    /// Control barriers have no memory semantics.
    ControlBarrier,
    /// There are no memory barriers.
    MemoryBarrier,
    /// Reads are others.
    Reads(fn(Atomicity) -> Atomicity),
    /// Writes are others.
    Writes(fn(Atomicity) -> Atomicity),
    /// Both are.
    Accesses(fn(Atomicity) -> Atomicity),
}

impl Edit {
    fn of(fault: VulkanFault) -> Option<Edit> {
        use VulkanFault::*;
        Some(match fault {
            DropMakeAvailable => Edit::Semantics(|all| all.make.available = false),
            DropMakeVisible => Edit::Semantics(|all| all.make.visible = false),
            DropUniformMemory => Edit::Semantics(|all| all.classes.global = false),
            DropWorkgroupMemory => Edit::Semantics(|all| all.classes.local = false),
            DropImageMemory => Edit::Semantics(|all| all.classes.image = false),
            WeakenRelease => Edit::Semantics(|all| {
                reorder(all, MemOrder::Release, MemOrder::Relaxed);
            }),
            WeakenAcquire => Edit::Semantics(|all| {
                reorder(all, MemOrder::Acquire, MemOrder::Relaxed);
            }),
            AcquireReleaseToAcquire => Edit::Semantics(|all| {
                reorder(all, MemOrder::AcqRel, MemOrder::Acquire);
            }),
            AcquireReleaseToRelease => Edit::Semantics(|all| {
                reorder(all, MemOrder::AcqRel, MemOrder::Release);
            }),
            DeviceScopeToQueueFamily => Edit::Scope(|scope| match scope {
                MemScope::Device => MemScope::QueueFamily,
                other => other,
            }),
            DeviceScopeToWorkgroup => Edit::Scope(|scope| match scope {
                MemScope::Device => MemScope::WorkGroup,
                other => other,
            }),
            QueueFamilyScopeToWorkgroup => Edit::Scope(|scope| match scope {
                MemScope::QueueFamily => MemScope::WorkGroup,
                other => other,
            }),
            WorkgroupScopeToSubgroup => Edit::Scope(|scope| match scope {
                MemScope::WorkGroup => MemScope::SubGroup,
                other => other,
            }),
            ScopeToInvocation => Edit::Scope(|_| MemScope::WorkItem),
            DropControlBarrierSemantics => Edit::ControlBarrier,
            DropMemoryBarrier => Edit::MemoryBarrier,
            DropPointerAvailable => Edit::Writes(unmade),
            DropPointerVisible => Edit::Reads(unmade),
            DropNonPrivate => Edit::Accesses(|access| match access {
                Atomicity::NonPrivate(_) => Atomicity::Plain,
                other => other,
            }),
            OrdinaryAtomicLoad => Edit::Reads(ordinary),
            OrdinaryAtomicStore => Edit::Writes(ordinary),
            DropCoherent | HalveReadModifyWrite => return None,
            DropPipelineBarrier | DropSemaphoreWait | DropFlush | DropInvalidate => return None,
        })
    }

    fn block(self, block: &mut Vec<Instr>) {
        block.retain_mut(|instr| self.instr(instr));
    }

    /// Changes an instruction; whether it is left.
    fn instr(self, instr: &mut Instr) -> bool {
        instr.expressions_mut().for_each(|expr| self.expr(expr));
        instr.blocks_mut().for_each(|block| self.block(block));
        match instr {
            Instr::Store { access, .. } => {
                access.atomicity = self.access(access.atomicity, false);
                true
            }
            Instr::Fence(fence) => self.fence(fence),
            Instr::Barrier(barrier) => {
                self.barrier(barrier);
                true
            }
            Instr::Assign { .. }
            | Instr::Effect(_)
            | Instr::If(_)
            | Instr::While { .. }
            | Instr::Domain(_)
            | Instr::Return
            | Instr::Host(_) => true,
        }
    }

    fn expr(self, expr: &mut Expr) {
        expr.parts_mut().for_each(|part| self.expr(part));
        match expr {
            Expr::Load(access) => access.atomicity = self.access(access.atomicity, true),
            Expr::Rmw(rmw) => rmw.atomic = self.atomic(rmw.atomic),
            Expr::Cas(cas) => self.compare_exchange(cas),
            Expr::Const(_)
            | Expr::Reg(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..) => {}
        }
    }

    /// A read, or a write.
    fn access(self, access: Atomicity, reads: bool) -> Atomicity {
        match (self, access) {
            (Edit::Accesses(change), _) => change(access),
            (Edit::Reads(change), _) if reads => change(access),
            (Edit::Writes(change), _) if !reads => change(access),
            (_, Atomicity::Atomic(atomic)) => Atomicity::Atomic(self.atomic(atomic)),
            (Edit::Scope(change), Atomicity::NonPrivate(made)) => {
                Atomicity::NonPrivate(made.map(change))
            }
            (_, other) => other,
        }
    }

    fn atomic(self, atomic: Atomic) -> Atomic {
        let semantics = self.semantics(Semantics {
            order: atomic.order,
            scope: atomic.reach(),
            classes: atomic.flags,
            make: atomic.make,
        });
        Atomic {
            order: semantics.order,
            scope: Some(semantics.scope),
            flags: semantics.classes,
            make: semantics.make,
            ..atomic
        }
    }

    /// A compare-exchange that fails may not order more than one that succeeds.
    fn compare_exchange(self, cas: &mut Cas) {
        let failing = Atomic {
            order: cas.failure,
            ..cas.atomic
        };
        let changed = self.atomic(cas.atomic);
        if changed != cas.atomic {
            cas.failure = self.atomic(failing).order;
            let acquires = matches!(changed.order, MemOrder::Acquire | MemOrder::AcqRel);
            if !acquires {
                cas.failure = MemOrder::Relaxed;
            }
        }
        cas.atomic = changed;
    }

    /// Changes a memory barrier; whether it is left.
    fn fence(self, fence: &mut Fence) -> bool {
        let semantics = self.semantics(Semantics {
            order: fence.order,
            scope: fence.scope,
            classes: fence.flags,
            make: fence.make,
        });
        *fence = Fence {
            order: semantics.order,
            scope: semantics.scope,
            flags: semantics.classes,
            make: semantics.make,
            ..*fence
        };
        !matches!(self, Edit::MemoryBarrier) && fence.order != MemOrder::Relaxed
    }

    /// Changes a control barrier; without semantics its memory scope means nothing, and stays.
    fn barrier(self, barrier: &mut Barrier) {
        if barrier.order == MemOrder::Relaxed {
            return;
        }
        let before = Semantics {
            order: barrier.order,
            scope: barrier.reach(),
            classes: barrier.flags,
            make: barrier.make,
        };
        let semantics = match self {
            Edit::ControlBarrier => nothing(before),
            _ => self.semantics(before),
        };
        if semantics != before {
            barrier.order = semantics.order;
            barrier.scope = Some(semantics.scope);
            barrier.flags = semantics.classes;
            barrier.make = semantics.make;
        }
    }

    fn semantics(self, mut semantics: Semantics) -> Semantics {
        match self {
            Edit::Scope(change) => {
                semantics.scope = change(semantics.scope);
                match semantics.scope {
                    MemScope::WorkItem => nothing(semantics),
                    _ => semantics,
                }
            }
            Edit::Semantics(change) => {
                let before = semantics;
                change(&mut semantics);
                match semantics == before {
                    true => before,
                    false => valid(semantics),
                }
            }
            Edit::ControlBarrier
            | Edit::MemoryBarrier
            | Edit::Reads(_)
            | Edit::Writes(_)
            | Edit::Accesses(_) => semantics,
        }
    }
}

/// Another order, where it is exactly this one.
fn reorder(semantics: &mut Semantics, from: MemOrder, to: MemOrder) {
    if semantics.order == from {
        semantics.order = to;
    }
}

/// An access that makes nothing available or visible.
fn unmade(access: Atomicity) -> Atomicity {
    match access {
        Atomicity::NonPrivate(Some(_)) => Atomicity::NonPrivate(None),
        other => other,
    }
}

/// An ordinary access, which is private, in the place of an atomic one.
fn ordinary(access: Atomicity) -> Atomicity {
    match access {
        Atomicity::Atomic(_) => Atomicity::Plain,
        other => other,
    }
}

/// Semantics that order nothing.
fn nothing(semantics: Semantics) -> Semantics {
    Semantics {
        order: MemOrder::Relaxed,
        classes: FenceFlags::NONE,
        make: Make::NOTHING,
        ..semantics
    }
}

/// Semantics without what may not stand without what they lack.
fn valid(semantics: Semantics) -> Semantics {
    if semantics.order == MemOrder::Relaxed || semantics.classes == FenceFlags::NONE {
        return nothing(semantics);
    }
    Semantics {
        make: semantics.make.under(semantics.order),
        ..semantics
    }
}

#[cfg(test)]
#[path = "weaken_tests.rs"]
mod tests;
