//! What is in memory to which nobody gave contents.

use touchstone_faults::rubbish;

use super::rect::Shape;

/// Fills a range.
///
/// # Safety
/// It is valid for writes of `size` bytes, and nobody else uses it meanwhile.
pub unsafe fn fill(start: *mut u8, size: usize) {
    for (at, byte) in rubbish().take(size).enumerate() {
        // SAFETY: as the caller vouches.
        unsafe { start.add(at).write(byte) };
    }
}

/// Fills a region.
///
/// # Safety
/// As [`fill`] for each row.
pub unsafe fn scatter(start: *mut u8, shape: &Shape, [width, height, depth]: [usize; 3]) {
    for slice in 0..depth {
        for row in 0..height {
            // SAFETY: as the caller vouches.
            unsafe { fill(start.add(shape.row(row, slice)), width) };
        }
    }
}
