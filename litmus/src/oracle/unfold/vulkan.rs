//! What an instruction of Vulkan does beside accessing memory: the availability and visibility operations
//! of its semantics, and the barriers.
//!
//! An operation that memory semantics imply is an event of its own, where the text puts it in program order:
//! "between the barrier or atomic and all other operations program-ordered before the barrier or atomic"
//! makes available, "… after the barrier or atomic" makes visible. What a single access makes available or
//! visible is part of the access, which the reflexive program order of "Location-Ordered" allows for.
//! Invocation scope performs no such operations, and no memory domain is given for CrossDevice. Host
//! threads have none either.

use super::{EventKind, Run, Run1, Stop};
use crate::oracle::meet;
use crate::oracle::unfold::{BarrierId, PathEvent};
use crate::program::{
    Api, Atomic, Atomicity, Barrier, DomainOp, Fence, FenceFlags, Make, MemOrder, MemScope,
    Placement,
};

impl Run<'_> {
    /// What precedes an access: what its release makes available.
    pub(super) fn prepare(&mut self, kind: EventKind, atomicity: Atomicity) -> Run1<()> {
        match atomicity.atomic() {
            Some(atomic) if kind.writes() && self.performs() => {
                self.made_available(atomic.flags, atomic.make, atomic.reach())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// What follows an access: what its acquire makes visible.
    pub(super) fn complete(&mut self, kind: EventKind, atomicity: Atomicity) -> Run1<()> {
        match atomicity.atomic() {
            Some(atomic) if kind.reads() && self.performs() => {
                self.made_visible(atomic.flags, atomic.make, atomic.reach())
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(super) fn memory_barrier(&mut self, fence: &Fence) -> Run1<()> {
        let atomic = semantics(fence.order, fence.scope, fence.flags);
        self.made_available(fence.flags, fence.make, fence.scope)?;
        self.fence(EventKind::Fence, fence.flags, atomic, None)?;
        self.made_visible(fence.flags, fence.make, fence.scope)
    }

    /// A control barrier: passed, or waited at for ever.
    pub(super) fn control_barrier(&mut self, barrier: &Barrier) -> Run1<()> {
        let id = BarrierId {
            group: barrier.group,
            label: barrier.label.clone(),
            instance: 0,
            wanted: meet::wanted(self.program, self.thread, barrier),
            open_later: barrier.quorum.is_some(),
        };
        self.path.arrivals.push(id.clone());
        let alone = id.wanted == 1;
        if !alone && self.choose(2) == 1 {
            return Err(Stop::Blocked);
        }
        let scope = barrier.reach();
        let atomic = semantics(barrier.order, scope, barrier.flags);
        self.made_available(barrier.flags, barrier.make, scope)?;
        self.fence(EventKind::Barrier, barrier.flags, atomic, Some(id))?;
        self.made_visible(barrier.flags, barrier.make, scope)
    }

    /// What a dependency or a call of the host does. "vkQueueSubmit performs a memory domain operation from host
    /// to device, and a visibility operation", in that order.
    pub(super) fn domain(&mut self, operation: DomainOp) -> Run1<()> {
        let kinds: &[EventKind] = match operation {
            DomainOp::Available => &[EventKind::Available],
            DomainOp::Visible => &[EventKind::Visible],
            DomainOp::HostToDevice => &[EventKind::HostToDevice],
            DomainOp::DeviceToHost => &[EventKind::DeviceToHost],
            DomainOp::Submit => &[EventKind::HostToDevice, EventKind::Visible],
            DomainOp::Flush(_) => &[EventKind::Flush],
            DomainOp::Invalidate(_) => &[EventKind::Invalidate],
            DomainOp::Free(_) => &[EventKind::Free],
        };
        let memory = operation
            .location()
            .map(|of| self.program.memory_behind(of));
        for kind in kinds {
            let event = PathEvent {
                place: memory.map(|memory| (memory, 0)),
                ..self.event(*kind, Atomicity::Plain)
            };
            self.emit(event, None)?;
        }
        Ok(())
    }

    /// Whether the thread's instructions imply such operations.
    fn performs(&self) -> bool {
        let placement = self.program.threads[self.thread.index()].placement;
        self.program.api == Api::Vulkan && placement != Placement::Host
    }

    fn made_available(&mut self, flags: FenceFlags, make: Make, scope: MemScope) -> Run1<()> {
        match make.available {
            true => self.of_flags(EventKind::Available, flags, scope),
            false => Ok(()),
        }
    }

    fn made_visible(&mut self, flags: FenceFlags, make: Make, scope: MemScope) -> Run1<()> {
        match make.visible {
            true => self.of_flags(EventKind::Visible, flags, scope),
            false => Ok(()),
        }
    }

    /// An operation on all references in some storage classes.
    fn of_flags(&mut self, kind: EventKind, flags: FenceFlags, scope: MemScope) -> Run1<()> {
        if has_domain(scope) {
            let event = PathEvent {
                flags,
                ..self.event(kind, operation(scope))
            };
            self.emit(event, None)?;
        }
        Ok(())
    }
}

/// The scope at which an access makes available or visible what it touches.
/// ("Atomic operations implicitly have availability/visibility operations, and the scope of those
/// operations is taken from the atomic operation's scope.")
pub fn coherent_at(atomicity: Atomicity) -> Option<MemScope> {
    let scope = match atomicity {
        Atomicity::Plain | Atomicity::Volatile => None,
        Atomicity::NonPrivate(scope) => scope,
        Atomicity::Atomic(atomic) => Some(atomic.reach()),
    };
    scope.filter(|scope| has_domain(*scope))
}

/// Whether an operation of a scope has a memory domain: "Invocation perform no availability/visibility
/// operations".
fn has_domain(scope: MemScope) -> bool {
    match scope {
        MemScope::SubGroup | MemScope::WorkGroup | MemScope::QueueFamily | MemScope::Device => true,
        MemScope::WorkItem | MemScope::AllSvmDevices => false,
    }
}

/// An operation for the domain of a scope, by itself without order.
fn operation(scope: MemScope) -> Atomicity {
    Atomicity::Atomic(Atomic::explicit(MemOrder::Relaxed, Some(scope)))
}

fn semantics(order: MemOrder, scope: MemScope, flags: FenceFlags) -> Atomic {
    Atomic {
        flags,
        ..Atomic::explicit(order, Some(scope))
    }
}
