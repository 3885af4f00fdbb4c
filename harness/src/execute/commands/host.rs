//! Memory of the host that a device writes and reads while we may not: words behind a raw pointer,
//! aligned to a page, with a margin after it that nothing may touch.

use classay_suites::commands::trace::Seen;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;

const ALIGN: usize = 4096;

/// Words of the host.
pub struct HostWords {
    start: NonNull<u32>,
    len: usize,
}

// SAFETY: it is memory without an owner thread; every access is a volatile one through the raw
// pointer, and the program's order keeps the accesses apart.
unsafe impl Send for HostWords {}
// SAFETY: as above.
unsafe impl Sync for HostWords {}

impl HostWords {
    /// So many words, all zero.
    pub fn new(len: usize) -> HostWords {
        let layout = Self::layout(len);
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc_zeroed(layout) };
        match NonNull::new(start.cast()) {
            Some(start) => HostWords { start, len },
            None => std::alloc::handle_alloc_error(layout),
        }
    }

    fn layout(len: usize) -> Layout {
        // A length that overflows is refused by the allocator like one that is too large.
        Layout::from_size_align(len.max(1) * 4, ALIGN).unwrap_or(Layout::new::<[u8; ALIGN]>())
    }

    /// Where it begins.
    pub fn pointer(&self) -> *mut c_void {
        self.start.as_ptr().cast()
    }

    /// Writes a word; outside the memory it does nothing.
    pub fn put(&self, at: usize, word: u32) {
        if at < self.len {
            // SAFETY: inside the allocation.
            unsafe { self.start.as_ptr().add(at).write_volatile(word) }
        }
    }

    /// How many words.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Drop for HostWords {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr().cast(), Self::layout(self.len)) }
    }
}

/// What the words of a cell show.
///
/// # Safety
/// `start` points to `cells * words` words that may be read.
pub unsafe fn see(start: *const u32, cell: usize, words: usize) -> Seen {
    // SAFETY: the caller's.
    let word = |n: usize| unsafe { start.add(cell * words + n).read_volatile() };
    let first = word(0);
    match (1..words).map(word).find(|w| *w != first) {
        None => Seen::Whole(first),
        Some(other) => Seen::Mixed(first, other),
    }
}

/// Fills the words of a cell.
///
/// # Safety
/// `start` points to `cells * words` words that may be written.
pub unsafe fn put(start: *mut u32, cell: usize, words: usize, token: u32) {
    for n in 0..words {
        // SAFETY: the caller's.
        unsafe { start.add(cell * words + n).write_volatile(token) }
    }
}
