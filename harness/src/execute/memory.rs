//! Memory that a device writes and reads: of the host, bytes behind a raw pointer that are aligned to a page; and
//! memory that threads of the host share with it, word by word.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

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

/// A shared allocation as host threads see it. Valid while the words that it is of live.
#[derive(Clone, Copy)]
pub struct SharedWords {
    start: *mut AtomicU32,
    len: usize,
}

// SAFETY: only atomic accesses are made through it, and those may come from any thread.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// The words from there on: what allocates them sees to it that they live.
    pub(super) fn new(start: *mut AtomicU32, len: usize) -> SharedWords {
        SharedWords { start, len }
    }

    /// The address of `bytes` bytes at byte `at`, aligned to `bytes`, for an atomic access.
    pub fn address(&self, at: usize, bytes: usize) -> *mut u8 {
        assert!(
            at + bytes <= self.len * 4 && at.is_multiple_of(bytes),
            "a host access stays inside its array and is aligned"
        );
        // SAFETY: the assertion keeps it inside the allocation.
        unsafe { self.start.cast::<u8>().add(at) }
    }

    /// The word at `index`.
    pub fn atomic(&self, index: usize) -> &AtomicU32 {
        // SAFETY: inside the allocation and aligned, by `address`.
        unsafe { AtomicU32::from_ptr(self.address(index * 4, 4).cast()) }
    }
}
