//! Accesses on x86-64 under Linux, each of which can be refused.
//!
//! An access is one instruction between two labels. Its address and that of the second
//! label are put into a table; when the instruction faults, the signal handler of
//! [`fault`](super::fault) finds it there and goes on at the second label, where a register
//! still says that the access has not been made. To the compiler the access is a block of
//! assembly that reads or writes memory and gives that register: nothing unwinds and no
//! frame is skipped.
//!
//! The instructions are those that a compiler makes of Rust's atomics: loads of every order and
//! stores up to release are moves (the processor keeps their order), a sequentially
//! consistent store is an exchange, read-modify-writes are locked, which orders everything. A
//! block of assembly is also a fence to the compiler.

use std::arch::asm;
use std::sync::atomic::Ordering;

/// Makes an access; gives whether it was made.
macro_rules! access {
    ($code:literal, $($operands:tt)*) => {{
        let refused: u32;
        asm!(
            "mov {refused:e}, 1",
            "2:",
            $code,
            "mov {refused:e}, 0",
            "3:",
            ".pushsection touchstone_faults, \"aR\", @progbits",
            ".balign 4",
            ".long 2b - .",
            ".long 3b - .",
            ".popsection",
            refused = out(reg) refused,
            $($operands)*
            options(nostack),
        );
        refused == 0
    }};
}

/// Copies bytes; gives how many of the last are not known to be copied because the system
/// refused one of them.
///
/// # Safety
/// What is mapped in both ranges is valid, to read and to write; they do not overlap.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, size: usize) -> usize {
    let rest;
    // A fault leaves the registers at the byte that could not be copied, or a few before it.
    // SAFETY: the caller's promise; the module doc says why a fault is harmless.
    let _ = unsafe {
        access!(
            "rep movsb",
            inout("rcx") size => rest,
            inout("rsi") from => _,
            inout("rdi") to => _,
        )
    };
    rest
}

/// Accesses to words of one type: their instructions, and the registers of values.
macro_rules! words {
    ($($t:ident, $class:tt, $a:tt, $load:literal, $store:literal, $swap:literal, $add:literal, $cas:literal;)*) => {$(
        pub(super) mod $t {
            use super::{Ordering, asm};

            /// # Safety
            /// `p` is aligned; if something is mapped there, it is valid to read.
            #[inline(always)]
            pub(in super::super) unsafe fn load(p: *mut $t, _: Ordering) -> Option<$t> {
                let value: u64;
                // SAFETY: the caller's promise; the module doc says why a fault is harmless.
                let made = unsafe { access!($load, p = in(reg) p, v = out(reg) value,) };
                made.then_some(value as $t)
            }

            /// # Safety
            /// `p` is aligned; if something is mapped there, it is valid to write.
            #[inline(always)]
            pub(in super::super) unsafe fn store(
                p: *mut $t,
                value: $t,
                order: Ordering,
            ) -> Option<()> {
                if order == Ordering::SeqCst {
                    // SAFETY: the caller's promise.
                    return unsafe { swap(p, value, order) }.map(|_| ());
                }
                // SAFETY: the caller's promise; the module doc says why a fault is harmless.
                let made = unsafe { access!($store, p = in(reg) p, v = in($class) value,) };
                made.then_some(())
            }

            /// # Safety
            /// `p` is aligned; if something is mapped there, it is valid to read and write.
            #[inline(always)]
            pub(in super::super) unsafe fn swap(p: *mut $t, value: $t, _: Ordering) -> Option<$t> {
                let old: $t;
                let made;
                // SAFETY: the caller's promise; the module doc says why a fault is harmless.
                unsafe { made = access!($swap, p = in(reg) p, v = inout($class) value => old,) };
                made.then_some(old)
            }

            /// # Safety
            /// `p` is aligned; if something is mapped there, it is valid to read and write.
            #[allow(dead_code)] // For all sizes alike, used for those that have atomics.
            #[inline(always)]
            pub(in super::super) unsafe fn fetch_add(
                p: *mut $t,
                value: $t,
                _: Ordering,
            ) -> Option<$t> {
                let old: $t;
                let made;
                // SAFETY: the caller's promise; the module doc says why a fault is harmless.
                unsafe { made = access!($add, p = in(reg) p, v = inout($class) value => old,) };
                made.then_some(old)
            }

            /// The value before; equal to `expected` when `desired` was written.
            ///
            /// # Safety
            /// `p` is aligned; if something is mapped there, it is valid to read and write.
            #[allow(dead_code)] // For all sizes alike, used for those that have atomics.
            #[inline(always)]
            pub(in super::super) unsafe fn compare_exchange(
                p: *mut $t,
                expected: $t,
                desired: $t,
                _: Ordering,
                _: Ordering,
            ) -> Option<$t> {
                let old: $t;
                // SAFETY: the caller's promise; the module doc says why a fault is harmless.
                let made = unsafe {
                    access!($cas, p = in(reg) p, v = in($class) desired, inout($a) expected => old,)
                };
                made.then_some(old)
            }
        }
    )*};
}
words! {
    u8, reg_byte, "al",
        "movzx {v:e}, byte ptr [{p}]", "mov byte ptr [{p}], {v}", "xchg byte ptr [{p}], {v}",
        "lock xadd byte ptr [{p}], {v}", "lock cmpxchg byte ptr [{p}], {v}";
    u16, reg, "ax",
        "movzx {v:e}, word ptr [{p}]", "mov word ptr [{p}], {v:x}", "xchg word ptr [{p}], {v:x}",
        "lock xadd word ptr [{p}], {v:x}", "lock cmpxchg word ptr [{p}], {v:x}";
    u32, reg, "eax",
        "mov {v:e}, dword ptr [{p}]", "mov dword ptr [{p}], {v:e}", "xchg dword ptr [{p}], {v:e}",
        "lock xadd dword ptr [{p}], {v:e}", "lock cmpxchg dword ptr [{p}], {v:e}";
    u64, reg, "rax",
        "mov {v}, qword ptr [{p}]", "mov qword ptr [{p}], {v}", "xchg qword ptr [{p}], {v}",
        "lock xadd qword ptr [{p}], {v}", "lock cmpxchg qword ptr [{p}], {v}";
}
