//! Words of memory, and how they are accessed.
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
//! # Accesses that the system refuses
//!
//! Every access may be refused: nothing is mapped there, or nothing that may be written.
//! It then gives None and has no effect, where [`fault`](super::fault) can catch that;
//! elsewhere the process ends.

#[cfg(catches_faults)]
use super::machine as access;
#[cfg(not(catches_faults))]
use super::portable as access;
use std::sync::atomic::Ordering;
use touchstone_ir::{Order, RmwOp};

/// A word of memory: an unsigned integer that can be accessed at once.
pub(crate) trait Word: Copy + Eq {
    const SIZE: u64;
    /// # Safety
    /// `p` is aligned; if something is mapped there, it is valid to read.
    unsafe fn read(p: *mut Self) -> Option<Self>;
    /// # Safety
    /// `p` is aligned; if something is mapped there, it is valid to write.
    unsafe fn write(p: *mut Self, value: Self) -> Option<()>;
    fn from_bytes(bytes: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! word {
    ($($t:ident;)*) => {$(
        impl Word for $t {
            const SIZE: u64 = size_of::<$t>() as u64;
            #[inline(always)]
            unsafe fn read(p: *mut $t) -> Option<$t> {
                // SAFETY: the caller's promise.
                unsafe { access::$t::load(p, Ordering::Relaxed) }
            }
            #[inline(always)]
            unsafe fn write(p: *mut $t, value: $t) -> Option<()> {
                // SAFETY: the caller's promise.
                unsafe { access::$t::store(p, value, Ordering::Relaxed) }
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
word! { u8; u16; u32; u64; }

/// What an atomic access does to a word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Atomic<W> {
    Load,
    Store(W),
    Rmw(RmwOp, W),
    /// Writes `desired` if `expected` is there.
    Cas {
        expected: W,
        desired: W,
        /// The order if it is not.
        failure: Order,
    },
}

/// A word that atomic operations exist for.
pub(crate) trait AtomicWord: Word {
    /// Makes an access; gives what was there before, or the value of a store.
    ///
    /// # Safety
    /// `p` is aligned; if something is mapped there, it is valid to read and, unless this is a
    /// load, to write.
    unsafe fn atomic(p: *mut Self, access: Atomic<Self>, order: Order) -> Option<Self>;
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
    ($($t:ident, $signed:ty, $float:ty, $fmin:path, $fmax:path;)*) => {$(
        impl AtomicWord for $t {
            #[inline(always)]
            unsafe fn atomic(p: *mut $t, access: Atomic<$t>, order: Order) -> Option<$t> {
                let o = rmw_order(order);
                let update = |f: &dyn Fn($t) -> $t| -> Option<$t> {
                    // SAFETY: the caller's promise.
                    let mut old = unsafe { access::$t::load(p, Ordering::Relaxed) }?;
                    loop {
                        // SAFETY: the caller's promise.
                        let now = unsafe {
                            access::$t::compare_exchange(p, old, f(old), o, Ordering::Relaxed)
                        }?;
                        if now == old {
                            return Some(old);
                        }
                        old = now;
                    }
                };
                let float = |f: fn($float, $float) -> $float, v: $t| -> Option<$t> {
                    update(&|old| f(<$float>::from_bits(old), <$float>::from_bits(v)).to_bits())
                };
                match access {
                    // SAFETY: the caller's promise.
                    Atomic::Load => unsafe { access::$t::load(p, load_order(order)) },
                    // SAFETY: the caller's promise.
                    Atomic::Store(v) => unsafe {
                        access::$t::store(p, v, store_order(order)).map(|()| v)
                    },
                    // SAFETY: the caller's promise.
                    Atomic::Cas { expected, desired, failure } => unsafe {
                        access::$t::compare_exchange(p, expected, desired, o, load_order(failure))
                    },
                    Atomic::Rmw(op, v) => match op {
                        // SAFETY: the caller's promise.
                        RmwOp::Exchange => unsafe { access::$t::swap(p, v, o) },
                        // SAFETY: the caller's promise.
                        RmwOp::Add => unsafe { access::$t::fetch_add(p, v, o) },
                        // SAFETY: the caller's promise.
                        RmwOp::Sub => unsafe { access::$t::fetch_add(p, v.wrapping_neg(), o) },
                        RmwOp::And => update(&|old| old & v),
                        RmwOp::Or => update(&|old| old | v),
                        RmwOp::Xor => update(&|old| old ^ v),
                        RmwOp::SMin => update(&|old| (old as $signed).min(v as $signed) as $t),
                        RmwOp::SMax => update(&|old| (old as $signed).max(v as $signed) as $t),
                        RmwOp::UMin => update(&|old| old.min(v)),
                        RmwOp::UMax => update(&|old| old.max(v)),
                        RmwOp::FAdd => float(|a, b| a + b, v),
                        RmwOp::FSub => float(|a, b| a - b, v),
                        RmwOp::FMin => float($fmin, v),
                        RmwOp::FMax => float($fmax, v),
                    },
                }
            }
        }
    )*};
}
atomic_word! {
    u32, i32, f32, libm::fminf, libm::fmaxf;
    u64, i64, f64, libm::fmin, libm::fmax;
}

/// A read at an unnatural address.
///
/// # Safety
/// As [`Word::read`] for each byte.
#[cold]
#[inline(never)]
pub(super) unsafe fn read_bytes<W: Word>(address: u64) -> Option<W> {
    let mut bits = 0;
    for i in 0..W::SIZE {
        // SAFETY: the caller's promise.
        let byte = unsafe { u8::read(address.wrapping_add(i) as *mut u8) }?;
        bits |= u64::from(byte) << (8 * i);
    }
    Some(W::from_bytes(bits))
}

/// A write at an unnatural address.
///
/// # Safety
/// As [`Word::write`] for each byte.
#[cold]
#[inline(never)]
pub(super) unsafe fn write_bytes<W: Word>(address: u64, value: W) -> Option<()> {
    for i in 0..W::SIZE {
        let byte = (value.bits() >> (8 * i)) as u8;
        // SAFETY: the caller's promise.
        unsafe { u8::write(address.wrapping_add(i) as *mut u8, byte) }?;
    }
    Some(())
}
