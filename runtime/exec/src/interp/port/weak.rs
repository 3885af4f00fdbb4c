//! Memory that is weaker than the processor's: what work-items may see of it by the rules of
//! the memory model, and, under a fault, what they may not.
//!
//! Every store goes to the machine's memory at once, so the order of stores to a place is its
//! modification order, and the host and other commands find what they should. What is weak are
//! the loads. A place that kernels have written keeps its last few values, and a load may give an
//! older one, unless the work-item must know better: it has a *view* ([`view`](super::view)), how far
//! each work-item has come as far as it has to know, and each value lists who wrote or read it, and
//! when. Its own accesses move the view forward (coherence), and synchronization moves it to what
//! another work-item's view was: a release leaves the view with the value that it writes (a [`Head`]
//! of a release sequence), and an acquire that reads it takes it.
//! Views are kept for global and for local memory apart, as the two happens-before relations are;
//! fences and barriers leave and take the parts that their flags name. Sequentially consistent
//! operations besides join one view of all of them before and after.
//!
//! So loads are reordered with whatever comes before them (message passing, store buffering, IRIW
//! show all their weak outcomes), stores are not reordered with each other, and nothing is read
//! before it is written (no load buffering).
//!
//! What is stronger here than it must be is safe: a place that is accessed in several sizes, copied
//! or changed by the host forgets its older values, and so does everything when there are too many
//! places. One lock protects it all; speed is not what this is for.
//!
//! # Rules
//!
//! Sections are those of the memory model in the OpenCL specification (Memory Consistency Model).
//!
//! | rule | where it is decided | section |
//! | --- | --- | --- |
//! | `mm.mo`, `mm.coherence.*` | [`Machine::load`], [`Machine::store`]: a view only moves forward | Atomic Operations |
//! | `mm.sw.atomic` | [`leave`] and [`Machine::found`] | Memory Ordering Rules |
//! | `mm.release-sequence` | [`Machine::store`] (own stores), [`Machine::rmw`] | Memory Ordering Rules |
//! | `mm.sw.fence-fence`, `.fence-atomic`, `.atomic-fence` | [`Machine::fence`] | Fence Operations |
//! | `mm.scope.inclusive`, `.each`, `.local-clamp` | [`reaches`] | Memory Scope |
//! | `mm.hb.split`, `.both-flags`, `.seq-cst-both` | [`Access::regions`], [`fenced`] | Memory Ordering Rules |
//! | `mm.sc.total`, `mm.sc.fences` | [`Machine::agree`] | Memory Ordering Rules |
//! | `mm.rmw.last`, `mm.atomicity` | [`Machine::rmw`] | Atomic Operations |
//! | `mm.barrier.wg`, `.flags` | [`Machine::barrier`] | Work-group Functions |
//! | `mm.host` | [`Machine::place`] | Memory Ordering Rules |

use super::view::{Agreed, BOTH, Knowers, Time, View};
use crate::interp::group::splitmix;
use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use touchstone_faults::{Fault, on};
use touchstone_ir::{MemScope, Order, Regions};

pub(super) use super::view::Region;

/// Values that a place keeps.
const KEPT: usize = 8;
/// Places that are kept.
const PLACES: usize = 1 << 20;

fn all() -> Regions {
    Regions::GLOBAL | Regions::LOCAL
}

/// A work-group, and a sub-group of it.
pub(super) type Group = (u64, u64);

/// What a release left: who takes it knows what the releasing work-item knew.
#[derive(Clone, Debug)]
struct Head {
    /// The work-item that released.
    by: u64,
    group: Group,
    scope: MemScope,
    regions: Regions,
    view: View,
}

/// A value of a place.
#[derive(Clone, Debug)]
struct Message {
    time: Time,
    bits: u64,
    /// The work-item that wrote it; 0 for what was there before.
    writer: u64,
    /// Those who wrote or read it.
    known: Knowers,
    heads: Vec<Head>,
}

impl Message {
    /// The work-item has written it, or read it.
    fn note(&mut self, thread: &mut Thread, region: Region) {
        let Thread {
            id, view, accesses, ..
        } = thread;
        view.note(*id, accesses, region, self.time, &mut self.known);
    }
}

/// A place that kernels have used, with its last values; never without one.
#[derive(Clone, Debug)]
struct Place {
    size: u64,
    messages: Vec<Message>,
    /// What memory has instead of the last value, under a fault that keeps that from the host.
    behind: Option<u64>,
}

/// A work-item as the machine knows it.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    id: u64,
    group: Group,
    view: View,
    /// Accesses so far that changed what it or others know.
    accesses: u64,
    /// Left by its release fences, for its later stores.
    released: Vec<Head>,
    /// Found by its loads, for its later acquire fences.
    found: Vec<Head>,
    random: u64,
}

impl Thread {
    pub(super) fn new(id: u64, group: Group, floors: [Time; 2], seed: u64) -> Thread {
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

    pub(super) fn group(&self) -> u64 {
        self.group.0
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        (splitmix(&mut self.random) % n.max(1) as u64) as usize
    }

    /// Takes what a release left, if its scope and this one's reach each other.
    fn take(&mut self, heads: &[Head], scope: MemScope, region: Region, regions: Regions) {
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
fn reaches(head: &Head, group: Group, scope: MemScope, region: Region) -> bool {
    let scopes = [head.scope, scope];
    if on(Fault::ScopesMustMatch) && head.scope != scope
        || on(Fault::ScopeAllDevicesIgnored) && scopes.contains(&MemScope::AllDevices)
        || on(Fault::ScopeWorkGroupIgnored) && scopes.contains(&MemScope::WorkGroup)
        || on(Fault::ScopeSubGroupIgnored) && scopes.contains(&MemScope::SubGroup)
    {
        return false;
    }
    if region == Region::Local {
        let wide = scopes.iter().any(|scope| *scope > MemScope::WorkGroup);
        return !(on(Fault::LocalUnordered) || on(Fault::LocalNotClamped) && wide);
    }
    let wide = scopes.iter().all(|scope| *scope > MemScope::WorkGroup);
    let near = match scopes.contains(&MemScope::SubGroup) {
        true => head.group == group,
        false => head.group.0 == group.0,
    };
    near || wide && !on(Fault::ScopeNarrowed)
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
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
    fn is_seq_cst(&self) -> bool {
        matches!(self.atomic, Some((Order::SeqCst, _))) && !on(Fault::SeqCstWeakened)
    }

    /// The parts of views that it leaves and takes: its own region's (`mm.hb.split`), both for a
    /// sequentially consistent one (`mm.hb.seq-cst-both`).
    fn regions(&self) -> Regions {
        if self.is_seq_cst() && !on(Fault::SeqCstOneRegion) {
            all()
        } else {
            self.region.flag()
        }
    }
}

/// What all kernels of the process share.
#[derive(Debug, Default)]
pub(super) struct Machine {
    now: Time,
    threads: u64,
    places: BTreeMap<u64, Place>,
    /// Places that may be [behind](Place::behind).
    late: Vec<u64>,
    /// The view that sequentially consistent operations join.
    agreed: Agreed,
    /// The same for those of one group.
    groups: HashMap<u64, View>,
}

/// The machine, for one access.
pub(super) fn lock() -> MutexGuard<'static, Machine> {
    static MACHINE: LazyLock<Mutex<Machine>> = LazyLock::new(|| {
        Mutex::new(Machine {
            now: 1,
            ..Machine::default()
        })
    });
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Machine {
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// Numbers for so many work-items.
    pub(super) fn threads(&mut self, count: u64) -> u64 {
        // The next are of the same parity for each group.
        self.threads += 2 + count + (count & 1);
        self.threads - count - (count & 1)
    }

    /// Forgets the older values of all places that meet a range.
    pub(super) fn forget(&mut self, address: u64, size: u64) {
        let first = address.saturating_sub(7);
        let meets = |(&at, place): (&u64, &Place)| at + place.size > address;
        let range = self.places.range(first..address.saturating_add(size));
        let met: Vec<u64> = range.filter(|&p| meets(p)).map(|(&at, _)| at).collect();
        for at in met {
            self.places.remove(&at);
        }
    }

    /// The place of an access, which holds `actual` in memory, and what is agreed.
    fn place(&mut self, access: Access, actual: u64) -> (&mut Place, &Agreed) {
        let known = self.places.get(&access.address);
        let alone = known.is_some_and(|place| place.size == access.size)
            && self.overlaps(access.address, access.size) == 1;
        if !alone {
            self.forget(access.address, access.size);
            if self.places.len() >= PLACES {
                self.places.clear();
            }
        }
        let floor = self.now;
        let fresh = |bits, time| Message {
            time,
            bits,
            writer: 0,
            known: Knowers::default(),
            heads: Vec::new(),
        };
        let place = self.places.entry(access.address).or_insert_with(|| Place {
            size: access.size,
            messages: vec![fresh(actual, 0)],
            behind: None,
        });
        let last = &place.messages[place.messages.len() - 1];
        if place.behind.unwrap_or(last.bits) != actual {
            // The host or another command has written it, after everything so far: who reads
            // that must know all that it has written besides (`mm.host`).
            let mut message = fresh(actual, last.time);
            message.heads.push(Head {
                by: 0,
                group: (0, 0),
                scope: MemScope::AllDevices,
                regions: all(),
                view: View::from([floor; 2]),
            });
            place.messages = vec![message];
            place.behind = None;
        }
        (place, &self.agreed)
    }

    fn overlaps(&self, address: u64, size: u64) -> usize {
        let first = address.saturating_sub(7);
        let range = self.places.range(first..address.saturating_add(size));
        range
            .filter(|(at, place)| *at + place.size > address)
            .count()
    }

    /// A sequentially consistent operation joins the view of all those that its scope reaches,
    /// before and after: the total order S (`mm.sc.total`, `mm.sc.conditions`).
    fn agree(&mut self, thread: &mut Thread, scope: MemScope, regions: Regions) {
        if scope > MemScope::WorkGroup {
            thread.view.join_agreed(&self.agreed, regions);
        }
        let group = self.groups.entry(thread.group.0).or_default();
        thread.view.join(group, regions);
        group.join(&thread.view, regions);
        if scope > MemScope::WorkGroup {
            self.agreed.join(&thread.view, regions, self.now);
        }
    }

    /// A group has ended.
    pub(super) fn end_group(&mut self, group: u64) {
        self.groups.remove(&group);
    }

    fn agree_for(&mut self, thread: &mut Thread, access: Access) {
        if let Some((_, scope)) = access.atomic
            && access.is_seq_cst()
        {
            self.agree(thread, scope, access.regions());
        }
    }

    /// A load of a place that holds `actual` in memory; the bits that it gives.
    pub(super) fn load(&mut self, thread: &mut Thread, access: Access, actual: u64) -> u64 {
        self.agree_for(thread, access);
        let (place, agreed) = self.place(access, actual);
        let messages = &mut place.messages;
        let last = messages.len() - 1;
        let known = |m: &Message| thread.view.knows(agreed, access.region, m.time, &m.known);
        // `mm.coherence.rr` and `.wr`: nothing older than what is known.
        let seen = messages.iter().rposition(known);
        let first = seen.unwrap_or(0);
        let plain = access.atomic.is_none();
        let mut at = if on(Fault::NeverVisible) {
            first
        } else if plain && on(Fault::PlainLoadStale) && thread.below(2) == 0 {
            last.saturating_sub(1)
        } else if thread.below(2) == 0 {
            last
        } else {
            first + thread.below(last - first + 1)
        };
        let noted = at;
        if on(Fault::ModificationOrderSplit) && thread.id % 2 == 1 && at + 2 > last && last > 1 {
            // The last two change places.
            let writers = [messages[last].writer, messages[last - 1].writer];
            if writers[0] != writers[1] && !writers.contains(&0) {
                at = 2 * last - 1 - at;
            }
        }
        if !on(Fault::CoherenceReadRead) {
            messages[noted].note(thread, access.region);
        }
        let Message { bits, heads, .. } = messages[at].clone();
        if let Some((order, scope)) = access.atomic {
            self.found(thread, access, &heads, order, scope);
        }
        self.agree_for(thread, access);
        bits
    }

    /// A load or a read-modify-write has read what these releases left: it takes that if it
    /// acquires (`mm.sw.atomic`), and keeps it for later fences (`mm.sw.fence-fence`,
    /// `mm.sw.atomic-fence`).
    fn found(
        &mut self,
        thread: &mut Thread,
        access: Access,
        heads: &[Head],
        order: Order,
        scope: MemScope,
    ) {
        if acquires(order) && !on(Fault::AcquireIgnored) {
            // What a fence left for several regions is taken whole.
            for head in heads {
                let regions = access.regions() | head.regions;
                let head = std::slice::from_ref(head);
                thread.take(head, scope, access.region, regions);
            }
        }
        for head in heads {
            // A fence takes it with its own scope; this access's must reach it, too.
            if reaches(head, thread.group, scope, access.region) {
                merge(&mut thread.found, head.clone());
            }
        }
    }

    /// A store: whether memory is to be written.
    pub(super) fn store(
        &mut self,
        thread: &mut Thread,
        access: Access,
        actual: u64,
        bits: u64,
    ) -> bool {
        self.agree_for(thread, access);
        self.now += 1;
        let now = self.now;
        let (place, agreed) = self.place(access, actual);
        let last = &mut place.messages[..];
        let last = last.last_mut();
        let mut message = Message {
            time: now,
            bits,
            writer: thread.id,
            known: Knowers::default(),
            heads: Vec::new(),
        };
        let mut first = true;
        if let Some(previous) = last {
            // The release sequences of the work-item go on with its stores (`mm.release-sequence`),
            // also after others' read-modify-writes.
            if access.atomic.is_some() && !on(Fault::ReleaseSequenceOwn) {
                let own = previous.heads.iter().filter(|head| head.by == thread.id);
                message.heads.extend(own.cloned());
            }
            let own = previous.writer == thread.id;
            let (at, by) = (previous.time, &previous.known);
            let seen = thread.view.knows(agreed, access.region, at, by);
            // `mm.coherence.ww` and `.rw`: the store comes last, except under a fault.
            let early = own && on(Fault::CoherenceWriteWrite)
                || !own && previous.writer != 0 && seen && on(Fault::CoherenceReadWrite);
            if early && access.atomic.is_some() && thread.below(2) == 0 {
                // It takes the place of the one before, which becomes the last.
                std::mem::swap(&mut message.time, &mut previous.time);
                std::mem::swap(&mut message.known, &mut previous.known);
                first = false;
            }
        }
        leave(thread, access, &mut message);
        if !on(Fault::CoherenceWriteRead) {
            message.note(thread, access.region);
        }
        let at = place.messages.len() - usize::from(!first);
        place.messages.insert(at, message);
        if place.messages.len() > KEPT {
            place.messages.remove(0);
        }
        let held = on(Fault::HostSeesLate)
            && matches!(access.atomic, Some((_, MemScope::AllDevices)))
            && access.region == Region::Global;
        place.behind = held.then_some(actual);
        if held {
            self.late.push(access.address);
        }
        self.agree_for(thread, access);
        first && !held
    }

    /// A read-modify-write that has read `old` from memory and left `new` there, or a
    /// compare-exchange that has failed, which leaves nothing. It reads the last value
    /// (`mm.rmw.last`) and goes on with its release sequence (`mm.release-sequence`).
    pub(super) fn rmw(&mut self, thread: &mut Thread, access: Access, old: u64, new: Option<u64>) {
        self.agree_for(thread, access);
        self.now += 1;
        let now = self.now;
        let (place, _) = self.place(access, old);
        let last = place.messages.len() - 1;
        let heads = place.messages[last].heads.clone();
        place.messages[last].note(thread, access.region);
        if let Some((order, scope)) = access.atomic {
            self.found(thread, access, &heads, order, scope);
        }
        if let Some(bits) = new {
            let mut message = Message {
                time: now,
                bits,
                writer: thread.id,
                known: Knowers::default(),
                heads,
            };
            if on(Fault::ReleaseSequenceRmw) {
                message.heads.clear();
            }
            leave(thread, access, &mut message);
            message.note(thread, access.region);
            let (place, _) = self.place(access, old);
            place.messages.push(message);
            if place.messages.len() > KEPT {
                place.messages.remove(0);
            }
            place.behind = None;
        }
        self.agree_for(thread, access);
    }

    /// A value of a place that is older than the last.
    pub(super) fn older(
        &mut self,
        thread: &mut Thread,
        access: Access,
        actual: u64,
    ) -> Option<u64> {
        let messages = &self.place(access, actual).0.messages;
        let before = messages.len().checked_sub(2)?;
        (thread.below(2) == 0).then_some(messages[before].bits)
    }

    /// A fence: an acquire takes what earlier loads found (`mm.sw.fence-fence`,
    /// `mm.sw.atomic-fence`), a sequentially consistent one takes its place in S
    /// (`mm.sc.fences`), a release leaves its view for later stores (`mm.sw.fence-atomic`); each in
    /// the regions of its flags (`mm.hb.both-flags`).
    pub(super) fn fence(
        &mut self,
        thread: &mut Thread,
        order: Order,
        scope: MemScope,
        regions: Regions,
    ) {
        let regions = fenced(regions);
        if acquires(order) && !on(Fault::AcquireFenceIgnored) {
            let found = std::mem::take(&mut thread.found);
            for region in BOTH {
                if regions.contains(region.flag()) {
                    thread.take(&found, scope, region, region.flag());
                }
            }
            thread.found = found;
        }
        let strong = !on(Fault::SeqCstWeakened) && !on(Fault::SeqCstFencesWeakened);
        if order == Order::SeqCst && strong {
            self.agree(thread, scope, all());
        }
        if releases(order) && !on(Fault::ReleaseFenceIgnored) {
            let head = Head {
                by: thread.id,
                group: thread.group,
                scope,
                regions,
                view: thread.view.only(regions),
            };
            let weaker = |old: &Head| old.scope <= scope && regions.contains(old.regions);
            thread.released.retain(|old| !weaker(old));
            thread.released.push(head);
        }
    }

    /// A barrier: a release fence of each before it, an acquire fence of each after it
    /// (`mm.barrier.wg`), in the regions of its flags (`mm.barrier.flags`).
    pub(super) fn barrier(&mut self, threads: &mut [Thread], scope: MemScope, regions: Regions) {
        if on(Fault::BarrierOrdersNothing) {
            return;
        }
        let mut ordered = Regions::NONE;
        for (region, ignored) in [
            (Region::Global, Fault::BarrierGlobalIgnored),
            (Region::Local, Fault::BarrierLocalIgnored),
        ] {
            if regions.contains(region.flag()) && !on(ignored) {
                ordered |= region.flag();
            }
        }
        let mut all = View::default();
        for thread in &mut *threads {
            for region in BOTH {
                if ordered.contains(region.flag()) {
                    let found = std::mem::take(&mut thread.found);
                    thread.take(&found, scope, region, region.flag());
                    thread.found = found;
                }
            }
            all.join(&thread.view, ordered);
        }
        for thread in threads {
            thread.view.join(&all, ordered);
            let head = Head {
                by: thread.id,
                group: thread.group,
                scope,
                regions: ordered,
                view: thread.view.only(ordered),
            };
            thread.released.push(head);
        }
    }

    /// A place whose last value memory does not have yet, with its size and this value.
    pub(super) fn take_behind(&mut self, at: u64) -> Option<(u64, u64, u64)> {
        let place = self.places.get_mut(&at)?;
        place.behind.take()?;
        Some((at, place.size, place.messages.last()?.bits))
    }

    /// All such places.
    pub(super) fn take_all_behind(&mut self) -> Vec<(u64, u64, u64)> {
        let late = std::mem::take(&mut self.late);
        let late = late.into_iter();
        late.filter_map(|at| self.take_behind(at)).collect()
    }
}

/// The regions that a fence orders.
fn fenced(regions: Regions) -> Regions {
    let (global, local) = (Regions::GLOBAL, Regions::LOCAL);
    let mut has = [regions.contains(global), regions.contains(local)];
    if has == [true, true] && on(Fault::FenceBothIsLocal) {
        has = [false, true];
    } else if has[0] != has[1] && on(Fault::FenceFlagsSwapped) {
        has.swap(0, 1);
    }
    let mut ordered = Regions::NONE;
    if has[0] && !on(Fault::FenceGlobalIgnored) {
        ordered |= global;
    }
    if has[1] && !on(Fault::FenceLocalIgnored) {
        ordered |= local;
    }
    ordered
}

/// Leaves with a value what the work-item releases by writing it: what its release fences left
/// (`mm.sw.fence-atomic`), and its view if the access releases (`mm.sw.atomic`).
fn leave(thread: &Thread, access: Access, message: &mut Message) {
    let Some((order, scope)) = access.atomic else {
        return;
    };
    message.heads.extend_from_slice(&thread.released);
    if releases(order) && !on(Fault::ReleaseIgnored) {
        let regions = access.regions();
        message.heads.push(Head {
            by: thread.id,
            group: thread.group,
            scope,
            regions,
            view: thread.view.only(regions),
        });
    }
    let heads = std::mem::take(&mut message.heads);
    for head in heads {
        merge(&mut message.heads, head);
    }
}

/// Adds what a release left to others.
fn merge(heads: &mut Vec<Head>, head: Head) {
    let same = |other: &&mut Head| {
        (other.by, other.group, other.scope, other.regions)
            == (head.by, head.group, head.scope, head.regions)
    };
    match heads.iter_mut().find(same) {
        Some(known) => known.view.join(&head.view, all()),
        None => heads.push(head),
    }
}
