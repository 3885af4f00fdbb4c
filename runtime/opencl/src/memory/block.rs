//! Blocks of device memory.
//!
//! A block has a margin on either side, as wide as itself but within bounds, in which nothing else
//! lies: an access that misses the block by a little meets no other block.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use opencl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE;
use touchstone_faults::{Latitude, takes};

use super::{owned, rubbish};
use crate::ffi::{Error, Result};

/// The narrowest and the widest margin, in bytes.
const MARGINS: (usize, usize) = (128, 4096);

/// An owned block of memory. It is zeroed: a kernel that reads what nobody wrote gets
/// zeros, not secrets of this process; or rubbish, under a latitude.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    /// What was allocated, margins included.
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory; what is done with the address is up to kernels and
// commands, which keep to the rules of the OpenCL memory model.
unsafe impl Send for Block {}
// SAFETY: as above; a shared block gives out nothing but its address.
unsafe impl Sync for Block {}

impl Block {
    /// Allocates `size` bytes, at least one, aligned to `align`, a power of two.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn new(size: usize, align: usize) -> Result<Self> {
        let refused = Error(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let size = size.max(1);
        let margin = size.clamp(MARGINS.0, MARGINS.1);
        // The start is aligned by hand: the system's zeroed memory, which costs nothing until it is
        // used, comes with small alignments only.
        let whole = size
            .checked_add(2 * margin)
            .and_then(|bytes| bytes.checked_add(align))
            .ok_or(refused)?;
        let layout = Layout::from_size_align(whole, 16).map_err(|_| refused)?;
        // SAFETY: the layout's size is not zero.
        let base = unsafe { alloc_zeroed(layout) };
        let base = NonNull::new(base).ok_or(refused)?;
        let first = base.as_ptr() as usize;
        let offset = (first + margin).next_multiple_of(align) - first;
        // SAFETY: within the allocation, which has room for the margin and the alignment.
        let start = unsafe { base.add(offset) };
        if takes(Latitude::FreshMemoryRubbish) {
            // SAFETY: the block has as many bytes, and is new.
            unsafe { rubbish::fill(start.as_ptr(), size) };
        }
        owned::claim(first, first + whole, first + offset, size);
        Ok(Self {
            start,
            base,
            layout,
        })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        owned::disclaim(self.base.as_ptr() as usize);
        // SAFETY: allocated with this layout, and nobody uses it once it is dropped.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}
