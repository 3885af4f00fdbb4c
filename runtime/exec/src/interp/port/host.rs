//! The machine's own memory, and the bounds checker before it.
//!
//! # The bounds checker
//!
//! Each access is checked before it is made. Where the compiler of the kernel knows the object
//! that an address was computed from ([`provenance`](crate::interp::lower)), the access must
//! lie within that object; elsewhere within any one object of the launch. Either way an
//! access has a *window*, a range of addresses: inside of it, it costs a subtraction and a
//! compare. The windows of known objects are set when the launch, the group or the item
//! begins. Each of the other instructions has a window of its own, which is where its last
//! access fell: an access outside looks its object up and moves the window there.
//!
//! The example `speed` measures what this costs: it runs every kernel with the bounds checker and without
//! in turns. Interpreted, loops that do little but load and store take 7 to 12 % more processor time, others
//! nothing beyond noise. As machine code, where such a loop takes a nanosecond, it is 25 to 90 %
//! (see [`crate::native`]).

use super::word::{Atomic, AtomicWord, Word, read_bytes, write_bytes};
use super::{AtomicAt, GroupPort, Port};
use crate::device::DeviceQueues;
use crate::error::{Missed, TrapKind};
use crate::interp::code::{Extent, FIRST_SITE, Kernel, LOCAL_SITES, ObjectId, PRIVATE_SITES, Site};
use crate::launch::{Launch, Output, ZeroDivision};
use crate::map::{FIRST_PAGE, MemoryMap, Permission};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use touchstone_ir::{AddressSpace, MemScope, Order, Regions};

/// The addresses at which an access of one size is known to be good:
/// `first ..= first + span`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Window {
    pub(crate) first: u64,
    pub(crate) span: u64,
    /// How many addresses from `first` on are such that an access and [`ROW`] - 1 others, each behind the one before, fall
    /// into the window.
    #[cfg_attr(not(compiles_kernels), allow(dead_code))]
    pub(crate) rows: u64,
}

/// Accesses of a row, for [`Window::rows`].
pub(crate) const ROW: u64 = 16;

/// What an empty window admits: no address of a kernel, and if ever, valid memory.
static NOWHERE: AtomicU64 = AtomicU64::new(0);

impl Window {
    fn empty() -> Window {
        Window {
            first: NOWHERE.as_ptr() as u64,
            span: 0,
            rows: 0,
        }
    }

    /// For accesses of `size` bytes at addresses from `first` to `first + span`.
    fn spanning(first: u64, span: u64, size: u64) -> Window {
        let others = (ROW - 1) * size;
        Window {
            first,
            span,
            rows: span.checked_sub(others).map_or(0, |n| n.saturating_add(1)),
        }
    }

    /// For accesses of `size` bytes within `len` bytes from `first`.
    fn new(first: u64, len: u64, size: u64) -> Window {
        match len.checked_sub(size) {
            Some(span) if size > 0 => Window::spanning(first, span, size),
            Some(_) | None => Window::empty(),
        }
    }
}

/// A block of the worker's own memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) base: u64,
    pub(crate) len: u64,
}

impl Block {
    fn holds(self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset < self.len && size <= self.len - offset
    }
}

/// A site whose window moves with the item: into which part of its private memory.
#[derive(Clone, Copy, Debug)]
struct Moving {
    site: usize,
    offset: u64,
    span: u64,
}

/// The machine's own memory, with the bounds checker or without.
#[derive(Debug)]
pub(crate) struct HostMemory<'a, const CHECKED: bool> {
    /// One for each site; as many as the kernel has.
    windows: Vec<Window>,
    kernel: &'a Kernel,
    /// By object of the kernel.
    extents: &'a [Extent],
    moving: Vec<Moving>,
    map: &'a MemoryMap,
    private: Block,
    local: Block,
    zero_division: ZeroDivision,
    output: Option<&'a dyn Output>,
    queues: Option<&'a dyn DeviceQueues>,
    group: u64,
    fault: Option<TrapKind>,
}

impl<'a, const CHECKED: bool> HostMemory<'a, CHECKED> {
    /// The memory of a launch, seen by the instructions of a kernel.
    pub(crate) fn new(
        kernel: &'a Kernel,
        extents: &'a [Extent],
        map: &'a MemoryMap,
        launch: &'a Launch,
    ) -> HostMemory<'a, CHECKED> {
        let mut windows = vec![Window::empty(); FIRST_SITE.max(kernel.sites.len())];
        let mut moving = Vec::new();
        for (i, site) in kernel.sites.iter().enumerate() {
            let Some(ObjectId(object)) = site.object else {
                continue;
            };
            let size = u64::from(site.size);
            match extents[usize::from(object)] {
                Extent::Anywhere | Extent::Local { .. } => {}
                Extent::Absolute {
                    first,
                    len,
                    permission,
                } => {
                    if permission.allows(site.write) {
                        windows[i] = Window::new(first, len, size);
                    }
                }
                Extent::Private { offset, len } => {
                    if size > 0 && size <= len {
                        moving.push(Moving {
                            site: i,
                            offset,
                            span: len - size,
                        });
                    }
                }
            }
        }
        HostMemory {
            windows,
            kernel,
            extents,
            moving,
            map,
            private: Block::default(),
            local: Block::default(),
            zero_division: launch.zero_division,
            output: launch.output.as_deref(),
            queues: launch.queues.as_deref(),
            group: 0,
            fault: None,
        }
    }

    fn set_block(&mut self, first_window: usize, block: Block) {
        for log in 0..4 {
            self.windows[first_window + log] = Window::new(block.base, block.len, 1 << log);
        }
    }

    #[inline(always)]
    fn check<W: Word>(&mut self, site: Site, address: u64, write: bool) -> bool {
        if !CHECKED {
            return true;
        }
        // SAFETY: the compiler of the kernel numbers sites from 0, and there are
        // at least as many windows as the kernel has sites.
        let window = unsafe { self.windows.get_unchecked(usize::from(site)) };
        address.wrapping_sub(window.first) <= window.span
            || self.check_slow(site, address, W::SIZE, write)
    }

    #[cold]
    #[inline(never)]
    fn check_slow(&mut self, site: Site, address: u64, size: u64, write: bool) -> bool {
        if size == 0 || !CHECKED {
            return true;
        }
        let info = self.kernel.sites[usize::from(site)];
        if let Some((block, permission)) = info.object.and_then(|o| self.bounds(o)) {
            if block.holds(address, size) && permission.allows(write) {
                return true;
            }
            return self.refuse(site, address, size, write);
        }
        let (private, local, global) = match info.space {
            AddressSpace::Private => (true, false, false),
            AddressSpace::Local => (false, true, false),
            AddressSpace::Constant | AddressSpace::Global => (false, false, true),
            AddressSpace::Generic => (true, true, true),
        };
        if private && self.private.holds(address, size) || local && self.local.holds(address, size)
        {
            return true;
        }
        if global && let Some((first, last)) = self.map.find(address, size, write) {
            if usize::from(site) >= FIRST_SITE && u64::from(info.size) == size {
                let span = (last - first) - (size - 1);
                self.windows[usize::from(site)] = Window::spanning(first, span, size);
            }
            return true;
        }
        self.refuse(site, address, size, write)
    }

    /// Where an object lies and what may be done with it; None if nobody knows.
    fn bounds(&self, ObjectId(object): ObjectId) -> Option<(Block, Permission)> {
        match self.extents[usize::from(object)] {
            Extent::Anywhere => None,
            Extent::Absolute {
                first,
                len,
                permission,
            } => Some((Block { base: first, len }, permission)),
            Extent::Private { offset, len } => {
                let base = self.private.base + offset;
                Some((Block { base, len }, Permission::ReadWrite))
            }
            Extent::Local { offset, len } => {
                let base = self.local.base + offset;
                Some((Block { base, len }, Permission::ReadWrite))
            }
        }
    }

    /// Notes why an access traps.
    fn refuse(&mut self, site: Site, address: u64, size: u64, write: bool) -> bool {
        let missed = self.missed(site, address);
        self.fault = Some(if address < FIRST_PAGE {
            TrapKind::NullPointer { address }
        } else if write {
            TrapKind::BadWrite {
                address,
                size,
                missed,
            }
        } else {
            TrapKind::BadRead {
                address,
                size,
                missed,
            }
        });
        false
    }

    /// What an access should have met.
    fn missed(&self, site: Site, address: u64) -> Option<Missed> {
        let info = self.kernel.sites[usize::from(site)];
        let known = info
            .object
            .and_then(|object| Some((object, self.bounds(object)?)));
        let (object, (block, permission)) = match (known, info.space) {
            (Some((ObjectId(object), bounds)), _) => {
                (&*self.kernel.objects[usize::from(object)].name, bounds)
            }
            (None, AddressSpace::Private) => {
                let whole = (self.private, Permission::ReadWrite);
                ("the work-item's private memory", whole)
            }
            (None, AddressSpace::Local) => {
                let whole = (self.local, Permission::ReadWrite);
                ("the work-group's local memory", whole)
            }
            (None, AddressSpace::Constant | AddressSpace::Global | AddressSpace::Generic) => {
                let (base, len, permission) = self.map.nearest(address)?;
                let nearest = (Block { base, len }, permission);
                ("the nearest memory that the kernel may use", nearest)
            }
        };
        Some(Missed {
            object: object.into(),
            first: block.base,
            len: block.len,
            permission,
        })
    }

    /// Notes that the system refused an access.
    #[cold]
    #[inline(never)]
    fn unmapped(&mut self, address: u64, size: u64, write: bool) {
        self.fault = Some(TrapKind::Unmapped {
            address,
            size,
            write,
        });
    }

    /// Notes it if an access was refused.
    #[inline(always)]
    fn made<T, W: Word>(&mut self, result: Option<T>, address: u64, write: bool) -> Option<T> {
        if result.is_none() {
            self.unmapped(address, W::SIZE, write);
        }
        result
    }

    /// Copies a block that is checked; gives the address that was refused, and whether it
    /// was written.
    fn copy_words(dst: u64, src: u64, size: u64) -> Result<(), (u64, bool)> {
        /// # Safety
        /// Both addresses are aligned, and valid if something is mapped there.
        unsafe fn one<W: Word>(dst: u64, src: u64) -> Result<u64, (u64, bool)> {
            // SAFETY: the caller's promise.
            let word = unsafe { W::read(src as *mut W) }.ok_or((src, false))?;
            // SAFETY: the caller's promise.
            unsafe { W::write(dst as *mut W, word) }.ok_or((dst, true))?;
            Ok(W::SIZE)
        }
        let mut at = 0;
        while at < size {
            let (d, s) = (dst + at, src + at);
            // SAFETY: both blocks are checked; addresses are aligned where words are moved.
            at += unsafe {
                if (d | s) & 7 == 0 && size - at >= 8 {
                    one::<u64>(d, s)
                } else if (d | s) & 3 == 0 && size - at >= 4 {
                    one::<u32>(d, s)
                } else {
                    one::<u8>(d, s)
                }
            }?;
        }
        Ok(())
    }

    /// Fills a block that is checked; gives the address that was refused.
    fn fill_words(dst: u64, byte: u8, size: u64) -> Result<(), u64> {
        let word = u64::from(byte) * 0x0101_0101_0101_0101;
        let mut at = 0;
        while at < size {
            let d = dst + at;
            // SAFETY: the block is checked; the address is aligned where a word is written.
            let (made, step) = unsafe {
                if d & 7 == 0 && size - at >= 8 {
                    (u64::write(d as *mut u64, word), 8)
                } else if d & 3 == 0 && size - at >= 4 {
                    (u32::write(d as *mut u32, word as u32), 4)
                } else {
                    (u8::write(d as *mut u8, byte), 1)
                }
            };
            made.ok_or(d)?;
            at += step;
        }
        Ok(())
    }
}

impl<const CHECKED: bool> GroupPort for HostMemory<'_, CHECKED> {
    const COMPILED: bool = true;

    const CHECKED: bool = CHECKED;

    fn windows(&self) -> *const Window {
        self.windows.as_ptr()
    }

    fn set_local(&mut self, block: Block) {
        self.local = block;
        self.set_block(LOCAL_SITES, block);
        for (window, site) in self.windows.iter_mut().zip(&self.kernel.sites) {
            let Some(ObjectId(object)) = site.object else {
                continue;
            };
            if let Extent::Local { offset, len } = self.extents[usize::from(object)] {
                *window = Window::new(block.base + offset, len, site.size.into());
            }
        }
    }

    fn begin_group(&mut self, number: u64, _items: usize, _sub_group: usize) {
        self.group = number;
    }

    #[inline(always)]
    fn set_private(&mut self, block: Block) {
        if block != self.private {
            self.private = block;
            self.set_block(PRIVATE_SITES, block);
            for m in &self.moving {
                // No items of kernels with private memory run at once.
                self.windows[m.site] = Window {
                    rows: 0,
                    first: block.base + m.offset,
                    span: m.span,
                };
            }
        }
    }
}

impl<const CHECKED: bool> Port for HostMemory<'_, CHECKED> {
    #[inline(always)]
    fn load<W: Word>(&mut self, site: Site, address: u64) -> Option<W> {
        if !self.check::<W>(site, address, false) {
            return None;
        }
        let value = if address & (W::SIZE - 1) == 0 {
            // SAFETY: aligned, and within memory that the launch may read.
            unsafe { W::read(address as *mut W) }
        } else {
            // SAFETY: within memory that the launch may read.
            unsafe { read_bytes(address) }
        };
        self.made::<_, W>(value, address, false)
    }

    #[inline(always)]
    fn store<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()> {
        if !self.check::<W>(site, address, true) {
            return None;
        }
        let made = if address & (W::SIZE - 1) == 0 {
            // SAFETY: aligned, and within memory that the launch may write.
            unsafe { W::write(address as *mut W, value) }
        } else {
            // SAFETY: within memory that the launch may write.
            unsafe { write_bytes(address, value) }
        };
        self.made::<_, W>(made, address, true)
    }

    /// An atomic load needs permission to read only.
    #[inline(always)]
    fn atomic<W: AtomicWord>(&mut self, at: AtomicAt, access: Atomic<W>) -> Option<W> {
        let address = at.address;
        let write = !matches!(access, Atomic::Load);
        if !self.check::<W>(at.site, address, write) {
            return None;
        }
        if address & (W::SIZE - 1) != 0 {
            let size = W::SIZE;
            self.fault = Some(TrapKind::MisalignedAtomic { address, size });
            return None;
        }
        // SAFETY: aligned, and within memory that the launch may access.
        let old = unsafe { W::atomic(address as *mut W, access, at.order) };
        self.made::<_, W>(old, address, write)
    }

    fn copy(&mut self, sites: (Site, Site), dst: u64, src: u64, size: u64) -> Option<()> {
        if !self.check_slow(sites.1, src, size, false) || !self.check_slow(sites.0, dst, size, true)
        {
            return None;
        }
        let copied = Self::copy_words(dst, src, size);
        copied
            .map_err(|(address, write)| self.unmapped(address, 1, write))
            .ok()
    }

    fn fill(&mut self, site: Site, dst: u64, byte: u8, size: u64) -> Option<()> {
        if !self.check_slow(site, dst, size, true) {
            return None;
        }
        let filled = Self::fill_words(dst, byte, size);
        filled
            .map_err(|address| self.unmapped(address, 1, true))
            .ok()
    }

    #[inline(always)]
    fn fence(&mut self, order: Order, _scope: MemScope, _regions: Regions) {
        match order {
            Order::Relaxed => {}
            Order::Acquire => fence(Ordering::Acquire),
            Order::Release => fence(Ordering::Release),
            Order::AcqRel => fence(Ordering::AcqRel),
            Order::SeqCst => fence(Ordering::SeqCst),
        }
    }

    fn divides_by_zero(&self) -> bool {
        match self.zero_division {
            ZeroDivision::Trap => false,
            ZeroDivision::Continue => true,
        }
    }

    fn space_of(&self, address: u64) -> Option<AddressSpace> {
        if address == 0 {
            None
        } else if self.private.holds(address, 0) {
            Some(AddressSpace::Private)
        } else if self.local.holds(address, 0) {
            Some(AddressSpace::Local)
        } else {
            Some(AddressSpace::Global)
        }
    }

    fn print(&mut self, text: &[u8]) -> bool {
        self.output.is_some_and(|output| output.write(text))
    }

    fn permits(&mut self, site: Site, address: u64, size: u64) -> Option<()> {
        self.check_slow(site, address, size, true).then_some(())
    }

    fn reaches(&mut self, site: Site, first: u64, (last, size): (u64, u64), writes: bool) -> bool {
        let whole = last.checked_sub(first).and_then(|n| n.checked_add(size));
        // The first makes the window, the last one sees that both are in one object.
        let reaches = whole.is_some_and(|whole| {
            self.check_slow(site, first, size, writes)
                && self.check_slow(site, first, whole, writes)
        });
        if !reaches {
            self.fault = None;
        }
        reaches
    }

    fn queues(&self) -> Option<&dyn DeviceQueues> {
        self.queues
    }

    fn group(&self) -> u64 {
        self.group
    }

    fn take_fault(&mut self) -> Option<TrapKind> {
        self.fault.take()
    }
}
