//! Moving many bytes: by several threads, past the caches.
//!
//! What is larger than the caches is gone from them before it is read again, so keeping it
//! there only costs: an ordinary store first reads the line that it is to overwrite. Stores
//! that go past the caches do not, and two threads move more than one on most machines
//! (`examples/latency` shows both beside the system's memcpy).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::ffi::raw::HostAddress;

/// From this size on it is worth it.
const LARGE: usize = 8 << 20;
/// What one thread takes at a time: long enough to be worth a thread, short enough that one
/// that the system has put aside keeps the others waiting for little.
const CHUNK: usize = 1 << 20;
/// More threads than this gain nothing where memory is the limit.
const MOST_THREADS: usize = 8;

/// Whether [`bytes`] is for this size.
pub fn is_large(size: usize) -> bool {
    size >= LARGE
}

/// Copies bytes between ranges that do not overlap.
///
/// # Safety
/// As for [`super::copy::bytes`], and the ranges do not overlap.
pub unsafe fn bytes(from: *const u8, to: *mut u8, size: usize) {
    let (from, to) = (
        HostAddress::new(from.cast()),
        HostAddress::new(to.cast_const().cast()),
    );
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let start = next.fetch_add(CHUNK, Ordering::Relaxed);
            if start >= size {
                return;
            }
            let count = CHUNK.min(size - start);
            // SAFETY: the chunk lies in both ranges, and no other thread has it.
            unsafe { past_caches(from.get().add(start), to.get().add(start), count) };
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let helpers = processors.min(MOST_THREADS).min(size / LARGE + 1) - 1;
    // The end of the scope joins the helpers: what they wrote happens before its end.
    thread::scope(|scope| {
        for _ in 0..helpers {
            // Where the system has no thread left, the others do its share.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// Copies a chunk without leaving it in the caches.
///
/// # Safety
/// As for [`bytes`].
#[cfg(target_arch = "x86_64")]
unsafe fn past_caches(from: *const u8, to: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    const LINE: usize = 64;
    const WORD: usize = size_of::<__m128i>();
    let head = to.align_offset(LINE).min(size);
    let lines = (size - head) / LINE;
    let tail = head + lines * LINE;
    // SAFETY: head, lines and tail make up the range; the stores to lines are aligned. The
    // instructions are part of every x86-64 processor. The fence orders the stores, which
    // are weakly ordered, before everything that this thread does later, such as telling
    // that it has ended.
    unsafe {
        to.copy_from_nonoverlapping(from, head);
        let mut source = from.add(head);
        let mut target = to.add(head);
        for _ in 0..lines {
            let words: [__m128i; LINE / WORD] =
                std::array::from_fn(|n| _mm_loadu_si128(source.add(n * WORD).cast()));
            for (n, word) in words.into_iter().enumerate() {
                _mm_stream_si128(target.add(n * WORD).cast(), word);
            }
            source = source.add(LINE);
            target = target.add(LINE);
        }
        to.add(tail)
            .copy_from_nonoverlapping(from.add(tail), size - tail);
        _mm_sfence();
    }
}

/// Copies a chunk.
///
/// # Safety
/// As for [`bytes`].
#[cfg(not(target_arch = "x86_64"))]
unsafe fn past_caches(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: as the caller vouches.
    unsafe { to.copy_from_nonoverlapping(from, size) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_whatever_the_alignment_and_no_other_changes() {
        for (from, to, size) in [
            (0, 0, 4096),
            (1, 0, 4096),
            (3, 5, 63),
            (7, 63, 200),
            (0, 1, LARGE + 77),
            (9, 2, CHUNK),
        ] {
            let source: Vec<u8> = (0..from + size).map(|at| (at * 31 % 251) as u8).collect();
            let mut target = vec![0xEE; to + size + 64];
            // SAFETY: both are at least as long, and apart.
            unsafe { bytes(source.as_ptr().add(from), target.as_mut_ptr().add(to), size) };
            assert!(target[..to].iter().all(|byte| *byte == 0xEE));
            assert!(target[to..to + size] == source[from..]);
            assert!(target[to + size..].iter().all(|byte| *byte == 0xEE));
        }
    }
}
