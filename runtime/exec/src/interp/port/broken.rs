//! The machine's memory under faults: atomics that are not, words instead of bytes, and the weak
//! machine ([`weak`](super::weak)) where a fault or the user asks for it.
//!
//! Launches run over this port when there is any fault, and over [`HostMemory`] when there is
//! none, which therefore pays nothing for it.
//!
//! The work-items of a group take turns between accesses, so that an atomic access that is in
//! truth a load and a store would pass for one: the port makes the load, has the access made
//! again later ([`GroupPort::take_retry`]), and makes the store then.

use super::host::{Block, HostMemory};
use super::weak::{self, Access, Machine, Region, Thread};
use super::word::{Atomic, AtomicWord, Word};
use super::{AtomicAt, GroupPort, Port};
use crate::device::DeviceQueues;
use crate::error::TrapKind;
use crate::interp::code::{Kernel, Site};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::Range;
use touchstone_faults::{Fault, Latitude, on, takes};
use touchstone_ir::{AddressSpace, MemScope, Order, Regions, RmwOp};

/// The time of the weak machine.
pub(crate) fn now() -> u64 {
    if takes(Latitude::WeakMemory) {
        weak::lock().now()
    } else {
        0
    }
}

/// Memory under faults. `X` is a type of the crate that runs launches over it
/// ([`Pool::run_broken`](crate::Pool::run_broken)).
pub(crate) struct BrokenMemory<'a, const CHECKED: bool, X> {
    instantiated: PhantomData<X>,
    host: HostMemory<'a, CHECKED>,
    kernel: &'a Kernel,
    seed: u64,
    /// When the launch began.
    floor: u64,
    is_weak: bool,
    /// The group's items, on the weak machine.
    threads: Vec<Thread>,
    item: u32,
    /// Accesses that are half done, by item: what was loaded.
    half: HashMap<u32, u64>,
    retry: bool,
    /// What items last saw of words that they store bytes into.
    words: HashMap<(u32, u64), u32>,
}

impl<'a, const CHECKED: bool, X> BrokenMemory<'a, CHECKED, X> {
    pub(crate) fn new(
        host: HostMemory<'a, CHECKED>,
        kernel: &'a Kernel,
        seed: u64,
        floor: u64,
    ) -> BrokenMemory<'a, CHECKED, X> {
        BrokenMemory {
            instantiated: PhantomData,
            host,
            kernel,
            seed,
            floor,
            is_weak: takes(Latitude::WeakMemory),
            threads: Vec::new(),
            item: 0,
            half: HashMap::new(),
            retry: false,
            words: HashMap::new(),
        }
    }

    /// The region of an access that the weak machine is for.
    fn region(&self, site: Site, address: u64) -> Option<Region> {
        let space = match self.kernel.sites[usize::from(site)].space {
            AddressSpace::Generic => self.host.space_of(address)?,
            space => space,
        };
        match space {
            AddressSpace::Global => Some(Region::Global),
            AddressSpace::Local => Some(Region::Local),
            AddressSpace::Private | AddressSpace::Constant | AddressSpace::Generic => None,
        }
    }

    fn weak<W: Word>(
        &self,
        site: Site,
        address: u64,
        atomic: Option<(Order, MemScope)>,
    ) -> Option<Access> {
        if !self.is_weak {
            return None;
        }
        Some(Access {
            address,
            size: W::SIZE,
            region: self.region(site, address)?,
            atomic,
        })
    }

    /// The first of two halves of an access gives None and has it made again; the second
    /// gives what the first has loaded.
    fn halves<W: AtomicWord>(&mut self, at: AtomicAt) -> Option<W> {
        if let Some(loaded) = self.half.remove(&self.item) {
            return Some(W::from_bytes(loaded));
        }
        let loaded: W = self.actual(at)?;
        self.half.insert(self.item, loaded.bits());
        self.retry = true;
        None
    }

    /// What memory has.
    fn actual<W: AtomicWord>(&mut self, at: AtomicAt) -> Option<W> {
        let order = Order::Relaxed;
        self.host.atomic(AtomicAt { order, ..at }, Atomic::Load)
    }

    /// Whether an access is to be made in halves.
    fn is_torn<W: Word>(&self, at: AtomicAt, access: Atomic<W>) -> bool {
        match access {
            Atomic::Load => false,
            Atomic::Store(_) => on(Fault::StoreTorn) && W::SIZE == 8,
            Atomic::Rmw(RmwOp::Add | RmwOp::Sub, _) => {
                let local = || self.region(at.site, at.address) == Some(Region::Local);
                on(Fault::AtomicAddTorn)
                    || on(Fault::AtomicAdd64Torn) && W::SIZE == 8
                    || on(Fault::AtomicHostTorn) && at.scope == MemScope::AllDevices
                    || on(Fault::AtomicLocalTorn) && local()
            }
            Atomic::Rmw(RmwOp::FAdd | RmwOp::FSub, _) => on(Fault::AtomicFloatSumTorn),
            Atomic::Rmw(op, _) => op == RmwOp::Exchange && on(Fault::ExchangeTorn),
            Atomic::Cas { .. } => on(Fault::CasTorn),
        }
    }

    /// An access in halves.
    fn torn<W: AtomicWord>(&mut self, at: AtomicAt, access: Atomic<W>) -> Option<W> {
        if let Atomic::Store(value) = access {
            if self.half.remove(&self.item).is_some() {
                return self.host.atomic(at, access);
            }
            let low = Atomic::Store(value.bits() as u32);
            self.host.atomic(at, low)?;
            self.half.insert(self.item, 0);
            self.retry = true;
            return None;
        }
        let old: W = self.halves(at)?;
        let new = match access {
            Atomic::Load | Atomic::Store(_) => None,
            Atomic::Rmw(op, value) => Some(combined(op, old, value)?),
            Atomic::Cas {
                expected, desired, ..
            } => (old == expected).then_some(desired),
        };
        if let Some(new) = new {
            self.host.atomic(at, Atomic::Store(new))?;
        }
        Some(old)
    }

    /// An access to what the weak machine is not for.
    fn strong<W: AtomicWord>(&mut self, at: AtomicAt, access: Atomic<W>) -> Option<W> {
        let old = self.host.atomic(at, access)?;
        let Atomic::Rmw(op, value) = access else {
            return Some(old);
        };
        let gives_new = match op {
            RmwOp::Exchange => on(Fault::ExchangeGivesNew),
            _ => on(Fault::FetchGivesNew),
        };
        combined(op, old, value).filter(|_| gives_new).or(Some(old))
    }

    /// A read-modify-write that reads an older value, if there is one.
    fn stale<W: AtomicWord>(
        &mut self,
        machine: &mut Machine,
        at: AtomicAt,
        access: Access,
        (op, value): (RmwOp, W),
    ) -> Option<W> {
        let actual: W = self.actual(at)?;
        let thread = &mut self.threads[self.item as usize];
        let old = machine.older(thread, access, actual.bits());
        let old = W::from_bytes(old?);
        let new = combined(op, old, value)?;
        let bits = new.bits();
        machine.store(thread, access, actual.bits(), bits);
        self.host.atomic(at, Atomic::Store(new))?;
        Some(old)
    }

    /// A store of less than a word that rewrites the word with what the item last saw there.
    fn store_wide<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()> {
        // The access itself is checked as it should be.
        self.host.store(site, address, value)?;
        let (start, shift) = (address & !3, 8 * (address & 3));
        // Aligned words never leave a page, and allocations are padded to more than that.
        let place = start as *mut u32;
        // SAFETY: the byte is valid, so is the rest of its word, as above.
        let now = unsafe { u32::read(place) }?;
        let mask = (((1u64 << (8 * W::SIZE)) - 1) << shift) as u32;
        let seen = self.words.entry((self.item, start)).or_insert(now);
        *seen = *seen & !mask | now & mask;
        // SAFETY: as for the load.
        unsafe { u32::write(place, *seen) }
    }
}

/// The operation that is made for another one.
fn made_for(op: RmwOp) -> RmwOp {
    let op = if on(Fault::MinMaxSwapped) {
        match op {
            RmwOp::SMin => RmwOp::SMax,
            RmwOp::SMax => RmwOp::SMin,
            RmwOp::UMin => RmwOp::UMax,
            RmwOp::UMax => RmwOp::UMin,
            RmwOp::FMin => RmwOp::FMax,
            RmwOp::FMax => RmwOp::FMin,
            other => other,
        }
    } else {
        op
    };
    match op {
        RmwOp::SMin if on(Fault::MinMaxUnsigned) => RmwOp::UMin,
        RmwOp::SMax if on(Fault::MinMaxUnsigned) => RmwOp::UMax,
        other => other,
    }
}

/// The value that a read-modify-write writes, for the operations that can be made in halves.
fn combined<W: Word>(op: RmwOp, old: W, value: W) -> Option<W> {
    let (old, value) = (old.bits(), value.bits());
    let new = match op {
        RmwOp::Exchange => value,
        RmwOp::Add => old.wrapping_add(value),
        RmwOp::Sub => old.wrapping_sub(value),
        RmwOp::And => old & value,
        RmwOp::Or => old | value,
        RmwOp::Xor => old ^ value,
        RmwOp::UMin => old.min(value),
        RmwOp::UMax => old.max(value),
        RmwOp::FAdd => sum_of_floats(W::SIZE, old, value, 1.0),
        RmwOp::FSub => sum_of_floats(W::SIZE, old, value, -1.0),
        RmwOp::SMin | RmwOp::SMax | RmwOp::FMin | RmwOp::FMax => return None,
    };
    Some(W::from_bytes(new))
}

/// The sum of two floats of so many bytes, the second of which is multiplied by a sign.
fn sum_of_floats(size: u64, old: u64, value: u64, sign: f32) -> u64 {
    match size {
        4 => (f32::from_bits(old as u32) + sign * f32::from_bits(value as u32))
            .to_bits()
            .into(),
        _ => (f64::from_bits(old) + f64::from(sign) * f64::from_bits(value)).to_bits(),
    }
}

impl<const CHECKED: bool, X> Port for BrokenMemory<'_, CHECKED, X> {
    fn load<W: Word>(&mut self, site: Site, address: u64) -> Option<W> {
        let Some(access) = self.weak::<W>(site, address, None) else {
            return self.host.load(site, address);
        };
        let mut machine = weak::lock();
        let actual: W = self.host.load(site, address)?;
        let thread = &mut self.threads[self.item as usize];
        if address & (W::SIZE - 1) != 0 {
            machine.forget(address, W::SIZE);
            return Some(actual);
        }
        let bits = machine.load(thread, access, actual.bits());
        Some(W::from_bytes(bits))
    }

    fn store<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()> {
        if on(Fault::SvmWideStores) && W::SIZE < 4 && self.region(site, address).is_some() {
            return self.store_wide(site, address, value);
        }
        let Some(access) = self.weak::<W>(site, address, None) else {
            return self.host.store(site, address, value);
        };
        let mut machine = weak::lock();
        let thread = &mut self.threads[self.item as usize];
        if address & (W::SIZE - 1) != 0 {
            machine.forget(address, W::SIZE);
        } else if let Some(actual) = self.host.load::<W>(site, address) {
            let (actual, bits) = (actual.bits(), value.bits());
            machine.store(thread, access, actual, bits);
        }
        self.host.store(site, address, value)
    }

    fn atomic<W: AtomicWord>(&mut self, at: AtomicAt, access: Atomic<W>) -> Option<W> {
        if self.is_torn(at, access) {
            return self.torn(at, access);
        }
        let access = match access {
            Atomic::Rmw(op, value) => Atomic::Rmw(made_for(op), value),
            Atomic::Cas {
                expected, desired, ..
            } if on(Fault::CasAlwaysSucceeds) => {
                let exchange = Atomic::Rmw(RmwOp::Exchange, desired);
                return self.host.atomic(at, exchange).map(|_| expected);
            }
            Atomic::Load | Atomic::Store(_) | Atomic::Cas { .. } => access,
        };
        let ordered = Some((at.order, at.scope));
        let Some(mut weak) = self.weak::<W>(at.site, at.address, ordered) else {
            return self.strong(at, access);
        };
        let mut machine = weak::lock();
        if let Atomic::Rmw(op, value) = access
            && on(Fault::RmwStale)
            && let Some(old) = self.stale(&mut machine, at, weak, (op, value))
        {
            return Some(old);
        }
        if matches!(access, Atomic::Rmw(..) | Atomic::Cas { .. }) {
            self.catch_up(&mut machine, Some(at.address));
        }
        let old = match access {
            Atomic::Store(_) => self.actual(at)?,
            Atomic::Load | Atomic::Rmw(..) | Atomic::Cas { .. } => self.host.atomic(at, access)?,
        };
        let new = match access {
            Atomic::Rmw(..) => Some(self.actual::<W>(at)?.bits()),
            Atomic::Cas {
                expected, desired, ..
            } => (old == expected).then_some(desired.bits()),
            Atomic::Load | Atomic::Store(_) => None,
        };
        let thread = &mut self.threads[self.item as usize];
        match access {
            Atomic::Load => {
                let bits = machine.load(thread, weak, old.bits());
                return Some(W::from_bytes(bits));
            }
            Atomic::Store(value) => {
                let bits = value.bits();
                if machine.store(thread, weak, old.bits(), bits) {
                    self.host.atomic(at, access)?;
                }
            }
            Atomic::Rmw(..) => machine.rmw(thread, weak, old.bits(), new),
            Atomic::Cas { failure, .. } => {
                if new.is_none() || on(Fault::CasSuccessOrder) {
                    weak.atomic = Some((failure, at.scope));
                }
                machine.rmw(thread, weak, old.bits(), new);
            }
        }
        Some(old)
    }

    fn copy(&mut self, sites: (Site, Site), dst: u64, src: u64, size: u64) -> Option<()> {
        if self.is_weak {
            let mut machine = weak::lock();
            machine.forget(dst, size);
            machine.forget(src, size);
        }
        self.host.copy(sites, dst, src, size)
    }

    fn fill(&mut self, site: Site, dst: u64, byte: u8, size: u64) -> Option<()> {
        if self.is_weak {
            weak::lock().forget(dst, size);
        }
        self.host.fill(site, dst, byte, size)
    }

    fn fence(&mut self, order: Order, scope: MemScope, regions: Regions) {
        let regions = with_images(regions);
        self.host.fence(order, scope, regions);
        if self.is_weak {
            let thread = &mut self.threads[self.item as usize];
            weak::lock().fence(thread, order, scope, regions);
        }
    }

    fn divides_by_zero(&self) -> bool {
        self.host.divides_by_zero()
    }

    fn space_of(&self, address: u64) -> Option<AddressSpace> {
        let space = self.host.space_of(address)?;
        Some(match space {
            AddressSpace::Local if on(Fault::GenericSwapped) => AddressSpace::Global,
            AddressSpace::Global if on(Fault::GenericSwapped) => AddressSpace::Local,
            other => other,
        })
    }

    fn print(&mut self, text: &[u8]) -> bool {
        self.host.print(text)
    }

    fn permits(&mut self, site: Site, address: u64, size: u64) -> Option<()> {
        self.host.permits(site, address, size)
    }

    fn queues(&self) -> Option<&dyn DeviceQueues> {
        self.host.queues()
    }

    fn group(&self) -> u64 {
        self.host.group()
    }

    fn take_fault(&mut self) -> Option<TrapKind> {
        self.host.take_fault()
    }
}

impl<const CHECKED: bool, X> BrokenMemory<'_, CHECKED, X> {
    /// Writes what memory does not have yet, of one place or of all.
    fn catch_up(&self, machine: &mut Machine, place: Option<u64>) {
        let behind = match place {
            Some(address) => machine.take_behind(address).into_iter().collect(),
            None => machine.take_all_behind(),
        };
        for (address, size, bits) in behind {
            // SAFETY: the kernel stored to this place, at an aligned address, and it stays
            // while the kernel runs.
            let _ = unsafe {
                if size == 8 {
                    u64::write(address as *mut u64, bits)
                } else {
                    u32::write(address as *mut u32, bits as u32)
                }
            };
        }
    }
}

/// Images lie in global memory, and what orders them orders it.
fn with_images(regions: Regions) -> Regions {
    match regions.contains(Regions::IMAGE) {
        true => regions | Regions::GLOBAL,
        false => regions,
    }
}

impl<const CHECKED: bool, X> Drop for BrokenMemory<'_, CHECKED, X> {
    fn drop(&mut self) {
        if self.is_weak {
            self.catch_up(&mut weak::lock(), None);
        }
    }
}

impl<const CHECKED: bool, X> GroupPort for BrokenMemory<'_, CHECKED, X> {
    fn set_local(&mut self, block: Block) {
        self.host.set_local(block);
    }

    fn set_private(&mut self, block: Block) {
        self.host.set_private(block);
    }

    fn begin_group(&mut self, number: u64, items: usize, sub_group: usize) {
        self.host.begin_group(number, items, sub_group);
        self.half.clear();
        self.words.clear();
        if !self.is_weak {
            return;
        }
        let mut machine = weak::lock();
        if let Some(thread) = self.threads.first() {
            machine.end_group(thread.group());
        }
        self.threads.clear();
        let first = machine.threads(items as u64);
        // Local memory is the group's, and new.
        let floors = [self.floor, machine.now()];
        let seed = self.seed ^ number.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let ids = first..first + items as u64;
        let sub_group = |id: u64| (id - first) / sub_group.max(1) as u64;
        self.threads
            .extend(ids.map(|id| Thread::new(id, (first, sub_group(id)), floors, seed)));
    }

    fn set_item(&mut self, item: u32) {
        self.item = item;
    }

    fn barrier(&mut self, items: Range<usize>, scope: MemScope, regions: Regions) {
        let regions = with_images(regions);
        if self.is_weak {
            let threads = &mut self.threads[items];
            weak::lock().barrier(threads, scope, regions);
        } else if !regions.is_empty() {
            self.host.fence(Order::AcqRel, scope, regions);
        }
    }

    fn take_retry(&mut self) -> bool {
        std::mem::take(&mut self.retry)
    }
}
