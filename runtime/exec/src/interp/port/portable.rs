//! Accesses on machines without a way to catch those that the system refuses.

/// Copies bytes; gives how many could not be copied: none.
///
/// # Safety
/// Both ranges are valid, to read and to write; they do not overlap.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, size: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, size) };
    0
}

/// Accesses to words of one type. For all of them, `p` is aligned and valid.
macro_rules! words {
    ($($t:ident, $atomic:ident;)*) => {$(
        pub(super) mod $t {
            use std::sync::atomic::{$atomic, Ordering};

            #[inline(always)]
            pub(in super::super) unsafe fn load(p: *mut $t, order: Ordering) -> Option<$t> {
                // SAFETY: the caller's promise; shared access is through atomics only.
                Some(unsafe { $atomic::from_ptr(p) }.load(order))
            }

            #[inline(always)]
            pub(in super::super) unsafe fn store(
                p: *mut $t,
                value: $t,
                order: Ordering,
            ) -> Option<()> {
                // SAFETY: the caller's promise; shared access is through atomics only.
                unsafe { $atomic::from_ptr(p) }.store(value, order);
                Some(())
            }

            #[allow(dead_code)] // For all sizes alike, used for those that have atomics.
            #[inline(always)]
            pub(in super::super) unsafe fn swap(
                p: *mut $t,
                value: $t,
                order: Ordering,
            ) -> Option<$t> {
                // SAFETY: the caller's promise; shared access is through atomics only.
                Some(unsafe { $atomic::from_ptr(p) }.swap(value, order))
            }

            #[allow(dead_code)] // For all sizes alike, used for those that have atomics.
            #[inline(always)]
            pub(in super::super) unsafe fn fetch_add(
                p: *mut $t,
                value: $t,
                order: Ordering,
            ) -> Option<$t> {
                // SAFETY: the caller's promise; shared access is through atomics only.
                Some(unsafe { $atomic::from_ptr(p) }.fetch_add(value, order))
            }

            #[allow(dead_code)] // For all sizes alike, used for those that have atomics.
            #[inline(always)]
            pub(in super::super) unsafe fn compare_exchange(
                p: *mut $t,
                expected: $t,
                desired: $t,
                success: Ordering,
                failure: Ordering,
            ) -> Option<$t> {
                // SAFETY: the caller's promise; shared access is through atomics only.
                let cell = unsafe { $atomic::from_ptr(p) };
                match cell.compare_exchange(expected, desired, success, failure) {
                    Ok(old) | Err(old) => Some(old),
                }
            }
        }
    )*};
}
words! { u8, AtomicU8; u16, AtomicU16; u32, AtomicU32; u64, AtomicU64; }
