//! The memory port: what the stepper asks of memory, and the machine's memory
//! as its answer.
//!
//! # Why plain accesses are relaxed atomics
//!
//! Kernels are unknown programs: two work-items may access the same bytes at
//! once, in a data race of the kernel or in one with the host. For Rust a race
//! of ordinary accesses is undefined behaviour of *our* program. Therefore every access
//! of up to eight bytes at a natural address is a relaxed atomic of that width,
//! which is the same machine instruction; an access at an unnatural address is
//! made byte by byte, each byte a relaxed atomic; larger values and blocks are
//! several accesses. A racy kernel then reads some mixture of values, as on any
//! device, and nothing worse happens. Accesses of several widths to one place
//! are outside of what Rust's model describes; hardware defines them, and no
//! reference to this memory exists that the compiler could reason with.
//!
//! Relaxed atomics may be merged or reordered by a compiler only within what the
//! stepper's own loop shows it, where two accesses of a kernel are separated by
//! a dispatch through memory; so `volatile` needs nothing more.
//!
//! # Orders and scopes
//!
//! Orders are those of Rust. Every scope is served as the widest.
//!
//! # The guard
//!
//! Each access is checked against the memory that the launch names. Every
//! memory instruction has a *window*: the range that its last access fell in.
//! An access inside of the window costs a subtraction and a compare; another
//! looks the range up and moves the window. Private and local memory have
//! windows of their own, one for each size of access, that the group sets. The
//! example `speed` takes about a tenth longer with the guard than without.

use crate::error::TrapKind;
use crate::interp::code::{Site, SiteInfo};
use crate::launch::{FIRST_PAGE, MemoryMap};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};
use touchstone_ir::{AddressSpace, MemScope, Order, RmwOp};

/// A word of memory: an unsigned integer that can be accessed at once.
pub(crate) trait Word: Copy + Eq {
    const SIZE: u64;
    /// # Safety
    /// `p` is aligned and valid to read.
    unsafe fn read(p: *mut Self) -> Self;
    /// # Safety
    /// `p` is aligned and valid to write.
    unsafe fn write(p: *mut Self, value: Self);
    fn from_bytes(bytes: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! word {
    ($($t:ty, $atomic:ty;)*) => {$(
        impl Word for $t {
            const SIZE: u64 = size_of::<$t>() as u64;
            #[inline(always)]
            unsafe fn read(p: *mut $t) -> $t {
                // SAFETY: the caller's promise; shared access is through atomics only.
                unsafe { <$atomic>::from_ptr(p) }.load(Ordering::Relaxed)
            }
            #[inline(always)]
            unsafe fn write(p: *mut $t, value: $t) {
                // SAFETY: the caller's promise; shared access is through atomics only.
                unsafe { <$atomic>::from_ptr(p) }.store(value, Ordering::Relaxed);
            }
            #[inline(always)]
            fn from_bytes(bits: u64) -> $t {
                bits as $t
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                self.into()
            }
        }
    )*};
}
word! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }

/// A word that atomic operations exist for.
pub(crate) trait AtomicWord: Word {
    /// # Safety
    /// `p` is aligned and valid to read and write.
    unsafe fn atomic_load(p: *mut Self, order: Order) -> Self;
    /// # Safety
    /// `p` is aligned and valid to read and write.
    unsafe fn atomic_store(p: *mut Self, value: Self, order: Order);
    /// # Safety
    /// `p` is aligned and valid to read and write.
    unsafe fn rmw(p: *mut Self, op: RmwOp, value: Self, order: Order) -> Self;
    /// # Safety
    /// `p` is aligned and valid to read and write.
    unsafe fn cas(p: *mut Self, expected: Self, desired: Self, orders: (Order, Order)) -> Self;
}

/// The order of a load; release parts have no meaning there and are dropped.
#[inline(always)]
fn load_order(order: Order) -> Ordering {
    match order {
        Order::Relaxed | Order::Release => Ordering::Relaxed,
        Order::Acquire | Order::AcqRel => Ordering::Acquire,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// The order of a store; acquire parts have no meaning there and are dropped.
#[inline(always)]
fn store_order(order: Order) -> Ordering {
    match order {
        Order::Relaxed | Order::Acquire => Ordering::Relaxed,
        Order::Release | Order::AcqRel => Ordering::Release,
        Order::SeqCst => Ordering::SeqCst,
    }
}

/// The order of a read-modify-write.
#[inline(always)]
fn rmw_order(order: Order) -> Ordering {
    match order {
        Order::Relaxed => Ordering::Relaxed,
        Order::Acquire => Ordering::Acquire,
        Order::Release => Ordering::Release,
        Order::AcqRel => Ordering::AcqRel,
        Order::SeqCst => Ordering::SeqCst,
    }
}

macro_rules! atomic_word {
    ($($t:ty, $signed:ty, $float:ty, $atomic:ty, $fmin:path, $fmax:path;)*) => {$(
        impl AtomicWord for $t {
            #[inline(always)]
            unsafe fn atomic_load(p: *mut $t, order: Order) -> $t {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(p) }.load(load_order(order))
            }
            #[inline(always)]
            unsafe fn atomic_store(p: *mut $t, value: $t, order: Order) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(p) }.store(value, store_order(order));
            }
            #[inline(always)]
            unsafe fn rmw(p: *mut $t, op: RmwOp, v: $t, order: Order) -> $t {
                // SAFETY: the caller's promise.
                let cell = unsafe { <$atomic>::from_ptr(p) };
                let o = rmw_order(order);
                let update = |f: &dyn Fn($t) -> $t| -> $t {
                    let mut old = cell.load(Ordering::Relaxed);
                    loop {
                        match cell.compare_exchange_weak(old, f(old), o, Ordering::Relaxed) {
                            Ok(old) => return old,
                            Err(now) => old = now,
                        }
                    }
                };
                let float = |f: fn($float, $float) -> $float| -> $t {
                    update(&|old| f(<$float>::from_bits(old), <$float>::from_bits(v)).to_bits())
                };
                match op {
                    RmwOp::Exchange => cell.swap(v, o),
                    RmwOp::Add => cell.fetch_add(v, o),
                    RmwOp::Sub => cell.fetch_sub(v, o),
                    RmwOp::And => cell.fetch_and(v, o),
                    RmwOp::Or => cell.fetch_or(v, o),
                    RmwOp::Xor => cell.fetch_xor(v, o),
                    RmwOp::SMin => update(&|old| (old as $signed).min(v as $signed) as $t),
                    RmwOp::SMax => update(&|old| (old as $signed).max(v as $signed) as $t),
                    RmwOp::UMin => cell.fetch_min(v, o),
                    RmwOp::UMax => cell.fetch_max(v, o),
                    RmwOp::FAdd => float(|a, b| a + b),
                    RmwOp::FSub => float(|a, b| a - b),
                    RmwOp::FMin => float($fmin),
                    RmwOp::FMax => float($fmax),
                }
            }
            #[inline(always)]
            unsafe fn cas(p: *mut $t, e: $t, d: $t, (success, failure): (Order, Order)) -> $t {
                // SAFETY: the caller's promise.
                let cell = unsafe { <$atomic>::from_ptr(p) };
                match cell.compare_exchange(e, d, rmw_order(success), load_order(failure)) {
                    Ok(old) | Err(old) => old,
                }
            }
        }
    )*};
}
atomic_word! {
    u32, i32, f32, AtomicU32, libm::fminf, libm::fmaxf;
    u64, i64, f64, AtomicU64, libm::fmin, libm::fmax;
}

/// What the stepper asks of memory. None means that the access traps; the port
/// keeps the reason for [`Port::take_fault`].
pub(crate) trait Port {
    fn load<W: Word>(&mut self, site: Site, address: u64) -> Option<W>;
    fn store<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()>;
    fn atomic_load<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        order: Order,
        scope: MemScope,
    ) -> Option<W>;
    fn atomic_store<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        value: W,
        order: Order,
        scope: MemScope,
    ) -> Option<()>;
    fn rmw<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        op: RmwOp,
        value: W,
        order: Order,
        scope: MemScope,
    ) -> Option<W>;
    fn cas<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        values: (W, W),
        orders: (Order, Order),
        scope: MemScope,
    ) -> Option<W>;
    fn copy(&mut self, sites: (Site, Site), dst: u64, src: u64, size: u64) -> Option<()>;
    fn fill(&mut self, site: Site, dst: u64, byte: u8, size: u64) -> Option<()>;
    fn fence(&mut self, order: Order, scope: MemScope);
    fn take_fault(&mut self) -> Option<TrapKind>;
}

/// The addresses at which an access of one size is known to be good:
/// `first ..= first + span`.
#[derive(Clone, Copy, Debug)]
struct Window {
    first: u64,
    span: u64,
}

/// What an empty window admits: no address of a kernel, and if ever, valid memory.
static NOWHERE: AtomicU64 = AtomicU64::new(0);

impl Window {
    fn empty() -> Window {
        Window {
            first: NOWHERE.as_ptr() as u64,
            span: 0,
        }
    }

    /// For accesses of `size` bytes within `first ..= last`.
    fn new(first: u64, last: u64, size: u64) -> Window {
        match (last - first).checked_sub(size - 1) {
            Some(span) => Window { first, span },
            None => Window::empty(),
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

/// Windows of private memory come first, one for each size, then those of local
/// memory, then those of the sites.
const PRIVATE: usize = 0;
const LOCAL: usize = 4;

/// Where the windows of single instructions begin.
pub(crate) const FIRST_SITE: usize = 8;

/// The site of an access to private memory.
pub(crate) const fn private_site(size: u32) -> Site {
    (PRIVATE as u32 + size.trailing_zeros()) as Site
}

/// The site of an access to local memory.
pub(crate) const fn local_site(size: u32) -> Site {
    (LOCAL as u32 + size.trailing_zeros()) as Site
}

/// The machine's own memory.
#[derive(Debug)]
pub(crate) struct HostMemory<'a> {
    /// One for each site; as many as the kernel has.
    windows: Vec<Window>,
    sites: &'a [SiteInfo],
    map: &'a MemoryMap,
    private: Block,
    local: Block,
    fault: Option<TrapKind>,
}

impl<'a> HostMemory<'a> {
    /// The memory of a launch, seen by the instructions of a kernel.
    pub(crate) fn new(sites: &'a [SiteInfo], map: &'a MemoryMap) -> HostMemory<'a> {
        HostMemory {
            windows: vec![Window::empty(); FIRST_SITE.max(sites.len())],
            sites,
            map,
            private: Block::default(),
            local: Block::default(),
            fault: None,
        }
    }

    fn set_block(&mut self, first_window: usize, block: Block) {
        for log in 0..4 {
            self.windows[first_window + log] = match block.len {
                0 => Window::empty(),
                len => Window::new(block.base, block.base + (len - 1), 1 << log),
            };
        }
    }

    /// Sets the local memory of the group, for the rest of the launch.
    pub(crate) fn set_local(&mut self, block: Block) {
        self.local = block;
        self.set_block(LOCAL, block);
    }

    /// Sets the private memory of the item that runs next.
    #[inline(always)]
    pub(crate) fn set_private(&mut self, block: Block) {
        if block != self.private {
            self.private = block;
            self.set_block(PRIVATE, block);
        }
    }

    #[inline(always)]
    fn check<W: Word>(&mut self, site: Site, address: u64, write: bool) -> bool {
        // SAFETY: the compiler of the kernel numbers sites from 0, and there are
        // at least as many windows as the kernel has sites.
        let window = unsafe { self.windows.get_unchecked(usize::from(site)) };
        address.wrapping_sub(window.first) <= window.span
            || self.check_slow(site, address, W::SIZE, write)
    }

    #[cold]
    #[inline(never)]
    fn check_slow(&mut self, site: Site, address: u64, size: u64, write: bool) -> bool {
        if size == 0 {
            return true;
        }
        let space = self.sites[usize::from(site)].space;
        let (private, local, global) = match space {
            AddressSpace::Private => (true, false, false),
            AddressSpace::Local => (false, true, false),
            AddressSpace::Constant | AddressSpace::Global => (false, false, true),
            AddressSpace::Generic => (true, true, true),
        };
        if private && self.private.holds(address, size) {
            return true;
        }
        if local && self.local.holds(address, size) {
            return true;
        }
        if global && let Some(range) = self.map.find(address, size, write) {
            if usize::from(site) >= FIRST_SITE && self.sites[usize::from(site)].size as u64 == size
            {
                self.windows[usize::from(site)] = Window::new(range.first, range.last, size);
            }
            return true;
        }
        self.fault = Some(if address < FIRST_PAGE {
            TrapKind::NullPointer { address }
        } else if write {
            TrapKind::BadWrite { address, size }
        } else {
            TrapKind::BadRead { address, size }
        });
        false
    }

    /// The address of an atomic access, if it may be made. An atomic load needs
    /// permission to read only: Rust allows those of up to eight bytes on memory
    /// that cannot be written.
    #[inline(always)]
    fn atomic<W: AtomicWord>(&mut self, site: Site, address: u64, write: bool) -> Option<*mut W> {
        if !self.check::<W>(site, address, write) {
            return None;
        }
        if address & (W::SIZE - 1) != 0 {
            self.fault = Some(TrapKind::MisalignedAtomic {
                address,
                size: W::SIZE,
            });
            return None;
        }
        Some(address as *mut W)
    }
}

#[cold]
#[inline(never)]
unsafe fn read_bytes<W: Word>(address: u64) -> W {
    let mut bits = 0;
    for i in 0..W::SIZE {
        // SAFETY: the caller has checked all bytes of the word.
        bits |= u64::from(unsafe { u8::read((address + i) as *mut u8) }) << (8 * i);
    }
    W::from_bytes(bits)
}

#[cold]
#[inline(never)]
unsafe fn write_bytes<W: Word>(address: u64, value: W) {
    for i in 0..W::SIZE {
        // SAFETY: the caller has checked all bytes of the word.
        unsafe { u8::write((address + i) as *mut u8, (value.bits() >> (8 * i)) as u8) };
    }
}

impl Port for HostMemory<'_> {
    #[inline(always)]
    fn load<W: Word>(&mut self, site: Site, address: u64) -> Option<W> {
        if !self.check::<W>(site, address, false) {
            return None;
        }
        Some(if address & (W::SIZE - 1) == 0 {
            // SAFETY: aligned, and within memory that the launch may read.
            unsafe { W::read(address as *mut W) }
        } else {
            // SAFETY: within memory that the launch may read.
            unsafe { read_bytes(address) }
        })
    }

    #[inline(always)]
    fn store<W: Word>(&mut self, site: Site, address: u64, value: W) -> Option<()> {
        if !self.check::<W>(site, address, true) {
            return None;
        }
        if address & (W::SIZE - 1) == 0 {
            // SAFETY: aligned, and within memory that the launch may write.
            unsafe { W::write(address as *mut W, value) };
        } else {
            // SAFETY: within memory that the launch may write.
            unsafe { write_bytes(address, value) };
        }
        Some(())
    }

    #[inline(always)]
    fn atomic_load<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        order: Order,
        _scope: MemScope,
    ) -> Option<W> {
        let p = self.atomic(site, address, false)?;
        // SAFETY: aligned, and within memory that the launch may access.
        Some(unsafe { W::atomic_load(p, order) })
    }

    #[inline(always)]
    fn atomic_store<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        value: W,
        order: Order,
        _scope: MemScope,
    ) -> Option<()> {
        let p = self.atomic(site, address, true)?;
        // SAFETY: aligned, and within memory that the launch may write.
        unsafe { W::atomic_store(p, value, order) };
        Some(())
    }

    #[inline(always)]
    fn rmw<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        op: RmwOp,
        value: W,
        order: Order,
        _scope: MemScope,
    ) -> Option<W> {
        let p = self.atomic(site, address, true)?;
        // SAFETY: aligned, and within memory that the launch may write.
        Some(unsafe { W::rmw(p, op, value, order) })
    }

    #[inline(always)]
    fn cas<W: AtomicWord>(
        &mut self,
        site: Site,
        address: u64,
        (expected, desired): (W, W),
        orders: (Order, Order),
        _scope: MemScope,
    ) -> Option<W> {
        let p = self.atomic(site, address, true)?;
        // SAFETY: aligned, and within memory that the launch may write.
        Some(unsafe { W::cas(p, expected, desired, orders) })
    }

    fn copy(&mut self, sites: (Site, Site), dst: u64, src: u64, size: u64) -> Option<()> {
        if !self.check_slow(sites.1, src, size, false) || !self.check_slow(sites.0, dst, size, true)
        {
            return None;
        }
        let mut at = 0;
        while at < size {
            let (d, s) = (dst + at, src + at);
            // SAFETY: both blocks are checked; addresses are aligned where words are moved.
            unsafe {
                if (d | s) & 7 == 0 && size - at >= 8 {
                    u64::write(d as *mut u64, u64::read(s as *mut u64));
                    at += 8;
                } else if (d | s) & 3 == 0 && size - at >= 4 {
                    u32::write(d as *mut u32, u32::read(s as *mut u32));
                    at += 4;
                } else {
                    u8::write(d as *mut u8, u8::read(s as *mut u8));
                    at += 1;
                }
            }
        }
        Some(())
    }

    fn fill(&mut self, site: Site, dst: u64, byte: u8, size: u64) -> Option<()> {
        if !self.check_slow(site, dst, size, true) {
            return None;
        }
        let word = u64::from(byte) * 0x0101_0101_0101_0101;
        let mut at = 0;
        while at < size {
            let d = dst + at;
            // SAFETY: the block is checked; the address is aligned where a word is written.
            unsafe {
                if d & 7 == 0 && size - at >= 8 {
                    u64::write(d as *mut u64, word);
                    at += 8;
                } else if d & 3 == 0 && size - at >= 4 {
                    u32::write(d as *mut u32, word as u32);
                    at += 4;
                } else {
                    u8::write(d as *mut u8, byte);
                    at += 1;
                }
            }
        }
        Some(())
    }

    #[inline(always)]
    fn fence(&mut self, order: Order, _scope: MemScope) {
        match order {
            Order::Relaxed => {}
            Order::Acquire => fence(Ordering::Acquire),
            Order::Release => fence(Ordering::Release),
            Order::AcqRel => fence(Ordering::AcqRel),
            Order::SeqCst => fence(Ordering::SeqCst),
        }
    }

    fn take_fault(&mut self) -> Option<TrapKind> {
        self.fault.take()
    }
}
