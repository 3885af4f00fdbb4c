//! The slots of a work-item.
//!
//! # Safety
//!
//! The stepper reads and writes slots through a raw pointer without bounds
//! checks. The compiler of kernels hands out slots from 0 to `frame - 1` and
//! from -1 to `-fills.len()`, the group gives every item a region that is as
//! large, and every jump goes to an instruction of the kernel, whose last
//! instruction never falls through.

use crate::interp::code::Slot;

/// The slots of one work-item.
#[derive(Clone, Copy)]
pub(crate) struct Regs {
    origin: *mut u64,
}

impl Regs {
    /// # Safety
    /// `origin` points to slot 0 of a region with all slots of the kernel, which nothing else
    /// uses meanwhile.
    #[inline(always)]
    pub(crate) unsafe fn new(origin: *mut u64) -> Regs {
        Regs { origin }
    }

    #[inline(always)]
    pub(crate) fn get(self, slot: Slot) -> u64 {
        // SAFETY: slots of the kernel's code lie within the item's region (module doc).
        unsafe { *self.origin.offset(slot as isize) }
    }

    #[inline(always)]
    pub(crate) fn set(self, slot: Slot, value: u64) {
        // SAFETY: slots of the kernel's code lie within the item's region (module doc).
        unsafe { *self.origin.offset(slot as isize) = value }
    }

    #[inline(always)]
    pub(crate) fn u32(self, slot: Slot) -> u32 {
        self.get(slot) as u32
    }

    #[inline(always)]
    pub(crate) fn i32(self, slot: Slot) -> i32 {
        self.get(slot) as i32
    }

    #[inline(always)]
    pub(crate) fn i64(self, slot: Slot) -> i64 {
        self.get(slot) as i64
    }

    #[inline(always)]
    pub(crate) fn f32(self, slot: Slot) -> f32 {
        f32::from_bits(self.get(slot) as u32)
    }

    #[inline(always)]
    pub(crate) fn f64(self, slot: Slot) -> f64 {
        f64::from_bits(self.get(slot))
    }
}
