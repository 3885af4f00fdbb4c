//! Moving bytes.

use super::rect::Shape;
use super::stream;

/// Copies bytes; the ranges may overlap.
///
/// # Safety
/// Both ranges are valid for `size` bytes, and by the rules of OpenCL nobody else uses
/// them meanwhile in a way that conflicts.
pub unsafe fn bytes(from: *const u8, to: *mut u8, size: usize) {
    let apart = (from as usize).abs_diff(to as usize) >= size;
    if stream::is_large(size) && apart {
        // SAFETY: as the caller vouches, and they do not overlap.
        unsafe { stream::bytes(from, to, size) };
    } else {
        // SAFETY: as the caller vouches.
        unsafe { std::ptr::copy(from, to, size) };
    }
}

/// Copies a rectangular region row by row.
///
/// # Safety
/// Both shapes lie inside memory that is valid as for [`bytes`].
pub unsafe fn rect(
    from: *const u8,
    from_shape: &Shape,
    to: *mut u8,
    to_shape: &Shape,
    region: [usize; 3],
) {
    let [width, height, depth] = region;
    for slice in 0..depth {
        for row in 0..height {
            // SAFETY: each row of the region lies inside its shape.
            unsafe {
                bytes(
                    from.add(from_shape.row(row, slice)),
                    to.add(to_shape.row(row, slice)),
                    width,
                );
            }
        }
    }
}

/// Repeats a pattern; `size` is a multiple of the pattern's length.
///
/// # Safety
/// The range is valid for writes of `size` bytes, as for [`bytes`].
pub unsafe fn fill(to: *mut u8, size: usize, pattern: &[u8]) {
    if let [byte] = pattern {
        // SAFETY: as the caller vouches.
        unsafe { to.write_bytes(*byte, size) };
        return;
    }
    // The filled part doubles with every copy.
    let mut filled = pattern.len().min(size);
    // SAFETY: the first `filled` bytes are in the range.
    unsafe { bytes(pattern.as_ptr(), to, filled) };
    while filled < size {
        let more = filled.min(size - filled);
        // SAFETY: both parts are in the range and do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(to, to.add(filled), more) };
        filled += more;
    }
}
