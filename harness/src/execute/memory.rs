//! Memory of the host that a device writes and reads while we may not: bytes behind a raw pointer,
//! aligned to a page.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::ptr::NonNull;

/// More than the largest vector of OpenCL C, and what a device likes that maps memory of the host.
const ALIGN: usize = 4096;

/// Bytes of the host, freed with it: commands on them are complete by then.
pub struct HostMemory {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is memory without an owner thread; every access goes through the raw pointer, and the
// order of the program or case that uses it keeps the accesses apart.
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// So many bytes, all zero.
    pub fn bytes(bytes: usize) -> HostMemory {
        let layout = Self::layout(bytes);
        // SAFETY: the layout has a size above zero.
        match NonNull::new(unsafe { alloc_zeroed(layout) }) {
            Some(start) => HostMemory { start, bytes },
            None => handle_alloc_error(layout),
        }
    }

    fn layout(bytes: usize) -> Layout {
        match Layout::from_size_align(bytes.max(1), ALIGN) {
            Ok(layout) => layout,
            // No allocator has so much.
            Err(_) => handle_alloc_error(Layout::new::<[u8; ALIGN]>()),
        }
    }

    /// Where it begins.
    pub fn pointer(&self) -> *mut c_void {
        self.start.as_ptr().cast()
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), Self::layout(self.bytes)) }
    }
}
