//! Cells of memory that the host sees and fills: words behind a raw pointer, while a device may not
//! write them.

use classay_suites::commands::trace::Seen;

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
