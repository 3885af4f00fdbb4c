//! Blocks of device memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use opencl_sys::CL_MEM_OBJECT_ALLOCATION_FAILURE;

use crate::edge::{Error, Result};

/// An owned block of memory. It is zeroed: a kernel that reads what nobody wrote gets
/// zeros, not secrets of this process.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory; what is done with the address is up to kernels and
// commands, which keep to the rules of the OpenCL memory model.
unsafe impl Send for Block {}
// SAFETY: as above; a shared block gives out nothing but its address.
unsafe impl Sync for Block {}

impl Block {
    /// Allocates `size` bytes, at least one, aligned to `align`.
    ///
    /// # Errors
    /// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn new(size: usize, align: usize) -> Result<Self> {
        let refused = Error(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        let layout = Layout::from_size_align(size.max(1), align).map_err(|_| refused)?;
        // SAFETY: the layout's size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).ok_or(refused)?;
        Ok(Self { start, layout })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody uses it once it is dropped.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
