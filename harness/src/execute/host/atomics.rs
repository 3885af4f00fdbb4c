//! Atomic accesses of the host to memory that it shares with kernels, by width.
//!
//! Where threads meet: the other side is not of this language. Every access of the host is an atomic one,
//! also those that a program calls plain (relaxed), so that a race with a kernel is no race in this
//! process; what orders them is the program's own atomics and fences, which is what is put to the test.

use classay_suites::host::exchange::Change;
use std::sync::atomic::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};

/// An element that the host may use: 1, 2, 4 or 8 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    address: *mut u8,
    bytes: usize,
}

/// Does something with an element as an atomic, unsigned and signed.
macro_rules! as_atomic {
    ($shared:expr, $uint:ty: $uint_atomic:ty, $sint:ty: $sint_atomic:ty,
     |$atom:ident: $int:ident, $signed_atom:ident: $signed:ident| $body:expr) => {{
        type $int = $uint;
        type $signed = $sint;
        let at = $shared.address;
        let $atom = <$uint_atomic>::from_ptr(at.cast());
        let $signed_atom = <$sint_atomic>::from_ptr(at.cast());
        $body
    }};
}

/// Does something with the atomic of an element's width, unsigned and signed.
macro_rules! by_width {
    ($shared:expr, |$($what:tt)*) => {{
        #[allow(dead_code, unused_variables, clippy::unnecessary_cast)]
        // SAFETY: whoever made the element promised its bounds, its alignment, and that it lives.
        unsafe {
            match $shared.bytes {
                1 => as_atomic!($shared, u8: AtomicU8, i8: AtomicI8, |$($what)*),
                2 => as_atomic!($shared, u16: AtomicU16, i16: AtomicI16, |$($what)*),
                8 => as_atomic!($shared, u64: AtomicU64, i64: AtomicI64, |$($what)*),
                _ => as_atomic!($shared, u32: AtomicU32, i32: AtomicI32, |$($what)*),
            }
        }
    }};
}

impl Shared {
    /// The element of so many bytes at an address.
    ///
    /// # Safety
    /// It lies in memory that lives longer than this, is aligned to its width, and everyone accesses it
    /// atomically as long as this is used.
    pub unsafe fn at(address: *mut u8, bytes: usize) -> Shared {
        Shared { address, bytes }
    }

    /// Where it is.
    pub fn address(self) -> usize {
        self.address.expose_provenance()
    }

    /// As much of a number as it holds.
    pub fn cut(self, value: u64) -> u64 {
        match self.bytes {
            1 => u64::from(value as u8),
            2 => u64::from(value as u16),
            8 => value,
            _ => u64::from(value as u32),
        }
    }

    pub fn load(self, order: Ordering) -> u64 {
        by_width!(self, |a: Int, s: Signed| a.load(order) as u64)
    }

    pub fn store(self, value: u64, order: Ordering) {
        by_width!(self, |a: Int, s: Signed| a.store(value as Int, order));
    }

    /// The value before.
    pub fn change(self, how: Change, by: u64, order: Ordering) -> u64 {
        by_width!(self, |a: Int, s: Signed| {
            let (value, signed) = (by as Int, by as Signed);
            match how {
                Change::Add => a.fetch_add(value, order) as u64,
                Change::Sub => a.fetch_sub(value, order) as u64,
                Change::Or => a.fetch_or(value, order) as u64,
                Change::And => a.fetch_and(value, order) as u64,
                Change::Xor => a.fetch_xor(value, order) as u64,
                Change::Min => a.fetch_min(value, order) as u64,
                Change::Max => a.fetch_max(value, order) as u64,
                Change::Exchange => a.swap(value, order) as u64,
                Change::MinSigned => s.fetch_min(signed, order) as Int as u64,
                Change::MaxSigned => s.fetch_max(signed, order) as Int as u64,
            }
        })
    }

    /// The value before, or the other one that was found.
    pub fn compare_exchange(
        self,
        expected: u64,
        new: u64,
        (success, failure): (Ordering, Ordering),
        weak: bool,
    ) -> Result<u64, u64> {
        by_width!(self, |a: Int, s: Signed| {
            let (expected, new) = (expected as Int, new as Int);
            let result = if weak {
                a.compare_exchange_weak(expected, new, success, failure)
            } else {
                a.compare_exchange(expected, new, success, failure)
            };
            result.map(|v| v as u64).map_err(|v| v as u64)
        })
    }
}
