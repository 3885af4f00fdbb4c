//! Values of places on the [weak](super::weak) machine, what releases leave with them, and the
//! work-items that find it.

use super::view::{Knowers, Region, Time, View};
use crate::interp::group::splitmix;
use touchstone_faults::{Fault, on};
use touchstone_ir::{MemScope, Order, Regions};

pub(super) fn all() -> Regions {
    Regions::GLOBAL | Regions::LOCAL
}

/// What a release left: who takes it knows what the releasing work-item knew.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) group: u64,
    pub(super) scope: MemScope,
    pub(super) regions: Regions,
    pub(super) view: View,
}

/// A value of a place.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) time: Time,
    pub(super) bits: u64,
    /// The work-item that wrote it; 0 for what was there before.
    pub(super) writer: u64,
    /// Those who wrote or read it.
    pub(super) known: Knowers,
    pub(super) heads: Vec<Head>,
}

impl Message {
    /// A value that a work-item writes, and nobody knows yet.
    pub(super) fn new(time: Time, bits: u64, writer: u64) -> Message {
        Message {
            time,
            bits,
            writer,
            known: Knowers::default(),
            heads: Vec::new(),
        }
    }

    /// The work-item has written it, or read it.
    pub(super) fn note(&mut self, thread: &mut Thread, region: Region) {
        let Thread {
            id, view, accesses, ..
        } = thread;
        view.note(*id, accesses, region, self.time, &mut self.known);
    }
}

/// A work-item as the machine knows it.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) id: u64,
    pub(super) group: u64,
    pub(super) view: View,
    /// Accesses so far that changed what it or others know.
    pub(super) accesses: u64,
    /// Left by its release fences, for its later stores.
    pub(super) released: Vec<Head>,
    /// Found by its loads, for its later acquire fences.
    pub(super) found: Vec<Head>,
    pub(super) random: u64,
}

impl Thread {
    pub(super) fn new(id: u64, group: u64, floors: [Time; 2], seed: u64) -> Thread {
        Thread {
            id,
            group,
            view: View::from(floors),
            accesses: 0,
            released: Vec::new(),
            found: Vec::new(),
            random: seed ^ id.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    /// A number below `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (splitmix(&mut self.random) % n.max(1) as u64) as usize
    }

    /// What a release of this scope leaves in these regions.
    pub(super) fn head(&self, scope: MemScope, regions: Regions) -> Head {
        Head {
            group: self.group,
            scope,
            regions,
            view: self.view.only(regions),
        }
    }

    /// Takes what a release left, if its scope and this one's reach each other.
    pub(super) fn take(
        &mut self,
        heads: &[Head],
        scope: MemScope,
        region: Region,
        regions: Regions,
    ) {
        for head in heads {
            if reaches(head, self.group, scope, region) {
                self.view.join(&head.view, regions);
            }
        }
    }
}

/// Whether two operations with these scopes synchronize: each must include the other work-item
/// (`mm.scope.inclusive`, `mm.scope.each`); in local memory every scope is the work-group's
/// (`mm.scope.local-clamp`).
pub(super) fn reaches(head: &Head, group: u64, scope: MemScope, region: Region) -> bool {
    let scopes = [head.scope, scope];
    if on(Fault::ScopesMustMatch) && head.scope != scope
        || on(Fault::ScopeAllDevicesIgnored) && scopes.contains(&MemScope::AllDevices)
        || on(Fault::ScopeWorkGroupIgnored) && scopes.contains(&MemScope::WorkGroup)
    {
        return false;
    }
    if region == Region::Local {
        let wide = scopes.iter().any(|scope| *scope > MemScope::WorkGroup);
        return !(on(Fault::LocalUnordered) || on(Fault::LocalNotClamped) && wide);
    }
    let wide = scopes.iter().all(|scope| *scope > MemScope::WorkGroup);
    head.group == group || wide && !on(Fault::ScopeNarrowed)
}

pub(super) fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

pub(super) fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

/// An atomic access or an ordinary one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) region: Region,
    /// None for an ordinary access.
    pub(super) atomic: Option<(Order, MemScope)>,
}

impl Access {
    pub(super) fn is_seq_cst(&self) -> bool {
        matches!(self.atomic, Some((Order::SeqCst, _))) && !on(Fault::SeqCstWeakened)
    }

    /// The parts of views that it leaves and takes: its own region's (`mm.hb.split`), both for a
    /// sequentially consistent one (`mm.hb.seq-cst-both`).
    pub(super) fn regions(&self) -> Regions {
        if self.is_seq_cst() && !on(Fault::SeqCstOneRegion) {
            all()
        } else {
            self.region.flag()
        }
    }
}

/// Leaves with a value what the work-item releases by writing it: what its release fences left
/// (`mm.sw.fence-atomic`), and its view if the access releases (`mm.sw.atomic`).
pub(super) fn leave(thread: &Thread, access: Access, message: &mut Message) {
    let Some((order, scope)) = access.atomic else {
        return;
    };
    message.heads.extend_from_slice(&thread.released);
    if releases(order) && !on(Fault::ReleaseIgnored) {
        message.heads.push(thread.head(scope, access.regions()));
    }
    let heads = std::mem::take(&mut message.heads);
    for head in heads {
        merge(&mut message.heads, head);
    }
}

/// Adds what a release left to others.
pub(super) fn merge(heads: &mut Vec<Head>, head: Head) {
    let same = |other: &&mut Head| {
        (other.group, other.scope, other.regions) == (head.group, head.scope, head.regions)
    };
    match heads.iter_mut().find(same) {
        Some(known) => known.view.join(&head.view, all()),
        None => heads.push(head),
    }
}
