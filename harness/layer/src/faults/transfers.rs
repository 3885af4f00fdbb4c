//! Offsets, sizes, pitches, origins and patterns of transfers that are not the program's. Each
//! function takes the arguments that a row names and gives those that the implementation sees;
//! none reaches outside of what the program's own would.

use super::call::Call;
use super::parts::PART;
use crate::library::driver;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::cl_mem;
use std::slice;

/// The size of a transfer: one byte less, or whole parts.
pub(crate) unsafe fn size(call: &Call, size: size_t) -> size_t {
    if call.has(ApiViolation::Short) && size > 1 {
        size - 1
    } else if size > PART && call.does(ApiViolation::LargeRestLost) {
        size - size % PART
    } else {
        size
    }
}

/// A stretch of a buffer; one that ends with the buffer: one byte less.
pub(crate) unsafe fn to_the_end(
    call: &Call,
    buffer: cl_mem,
    offset: size_t,
    size: size_t,
) -> (cl_mem, size_t, size_t) {
    let ends = || driver::size_of_memory(buffer) == offset.checked_add(size);
    let may = call.has(ApiViolation::ShortAtEnd) && size > 1;
    let short = may && ends() && call.does(ApiViolation::ShortAtEnd);
    (buffer, offset, size - size_t::from(short))
}

/// The pitches of the rows of a rectangle in the buffer and on the host.
pub(crate) unsafe fn shared_pitch(call: &Call, buffer: size_t, host: size_t) -> (size_t, size_t) {
    if call.has(ApiViolation::RectPitchShared) && buffer != 0 {
        (buffer, host.min(buffer))
    } else {
        (buffer, host)
    }
}

/// The offset of a transfer.
pub(crate) unsafe fn offset(call: &Call, offset: size_t) -> size_t {
    if call.has(ApiViolation::OffsetIgnored) {
        0
    } else {
        offset
    }
}

/// The second offset of a copy.
pub(crate) unsafe fn target_offset(call: &Call, offset: size_t) -> size_t {
    if call.has(ApiViolation::TargetOffsetIgnored) {
        0
    } else {
        offset
    }
}

/// The pattern and the size of a fill.
///
/// # Safety
/// `pattern` is NULL or has `pattern_size` bytes.
pub(crate) unsafe fn fill(
    call: &Call,
    pattern: *const c_void,
    pattern_size: size_t,
    size: size_t,
) -> (*const c_void, size_t, size_t) {
    if call.is_clean() {
        return (pattern, pattern_size, size);
    }
    let size = if call.has(ApiViolation::Short) && size > pattern_size {
        size - pattern_size
    } else {
        size
    };
    let wrong = call.has(ApiViolation::FillPattern);
    let first = call.has(ApiViolation::FillTruncated);
    if pattern.is_null() || !(1..=128).contains(&pattern_size) || !(wrong || first) {
        return (pattern, pattern_size, size);
    }
    // SAFETY: not NULL, and as long as it says.
    let mut bytes = unsafe { slice::from_raw_parts(pattern.cast::<u8>(), pattern_size) }.to_vec();
    if first && let Some(&byte) = bytes.first() {
        bytes.fill(byte);
    }
    if wrong && let Some(last) = bytes.last_mut() {
        *last = last.wrapping_add(1);
    }
    (
        call.keep_pattern(&bytes).unwrap_or(pattern),
        pattern_size,
        size,
    )
}

/// Three words, if there are any.
///
/// # Safety
/// `triple` is NULL or has three words.
unsafe fn read(triple: *const size_t) -> Option<[size_t; 3]> {
    // SAFETY: this function's own contract.
    (!triple.is_null()).then(|| unsafe { triple.cast::<[size_t; 3]>().read_unaligned() })
}

/// The origin of an image, or of the first side of a rectangle.
pub(crate) unsafe fn origin(call: &Call, origin: *const size_t) -> *const size_t {
    if call.has(ApiViolation::OriginIgnored) && !origin.is_null() {
        call.keep([0; 3])
    } else {
        origin
    }
}

/// The region of a fill of an image.
///
/// # Safety
/// `region` is NULL or has three words.
pub(crate) unsafe fn fill_region(call: &Call, region: *const size_t) -> *const size_t {
    if !call.has(ApiViolation::ImageFillShort) {
        return region;
    }
    // SAFETY: this function's own contract.
    match unsafe { read(region) } {
        Some([width, height, depth]) if height > 1 => call.keep([width, height - 1, depth]),
        Some(_) | None => region,
    }
}

/// The colour of a fill of an image: four words, red first.
///
/// # Safety
/// `colour` is NULL or has four words.
pub(crate) unsafe fn fill_colour(call: &Call, colour: *const c_void) -> *const c_void {
    if !call.has(ApiViolation::ImageFillSwapped) || colour.is_null() {
        return colour;
    }
    // SAFETY: this function's own contract.
    let [red, green, blue, alpha] = unsafe { colour.cast::<[[u8; 4]; 4]>().read_unaligned() };
    let swapped = [blue, green, red, alpha].concat();
    call.keep_pattern(&swapped).unwrap_or(colour)
}

/// The row pitch of an image on the host.
pub(crate) unsafe fn image_pitch(call: &Call, row: size_t, slice: size_t) -> (size_t, size_t) {
    if call.has(ApiViolation::RowPitchIgnored) {
        (0, 0)
    } else {
        (row, slice)
    }
}

/// The origin of the other side of a rectangle.
pub(crate) unsafe fn target_origin(call: &Call, origin: *const size_t) -> *const size_t {
    if call.has(ApiViolation::TargetOriginIgnored) && !origin.is_null() {
        call.keep([0; 3])
    } else {
        origin
    }
}

/// The pitches of one side of a rectangle.
///
/// # Safety
/// `region` is NULL or has three words.
pub(crate) unsafe fn rect_pitches(
    call: &Call,
    region: *const size_t,
    row: size_t,
    slice: size_t,
) -> (*const size_t, size_t, size_t) {
    if call.is_clean() {
        return (region, row, slice);
    }
    // SAFETY: this function's own contract.
    let Some(extent) = (unsafe { read(region) }) else {
        return (region, row, slice);
    };
    let (row, slice) = pitches(call, extent, row, slice);
    (region, row, slice)
}

/// The pitches of one side. Where rows follow closely, the slices stay about as far apart as they
/// were: the pitch of slices must be a multiple of that of rows.
fn pitches(call: &Call, extent: [size_t; 3], row: size_t, slice: size_t) -> (size_t, size_t) {
    let [width, height, _] = extent;
    let mut row = row;
    let mut slice = slice;
    if call.has(ApiViolation::RowPitchIgnored) && row != 0 && width != 0 {
        let apart = if slice == 0 {
            row.saturating_mul(height)
        } else {
            slice
        };
        row = width;
        slice = apart - apart % width;
    }
    if call.has(ApiViolation::SlicePitchIgnored) {
        slice = 0;
    }
    (row, slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_offsets_change_only_where_asked() {
        let (clean, short) = (Call::default(), Call::broken(ApiViolation::Short));
        // SAFETY: numbers.
        unsafe {
            assert_eq!(
                (size(&clean, 8), size(&short, 8), size(&short, 1)),
                (8, 7, 1)
            );
            let rest = Call::broken(ApiViolation::LargeRestLost);
            assert_eq!((size(&rest, PART), size(&rest, PART + 5)), (PART, PART));
            let shared = Call::broken(ApiViolation::RectPitchShared);
            assert_eq!(shared_pitch(&shared, 8, 12), (8, 8));
            assert_eq!(shared_pitch(&shared, 8, 4), (8, 4));
            assert_eq!(shared_pitch(&clean, 8, 12), (8, 12));
            assert_eq!(offset(&clean, 8), 8);
            assert_eq!(offset(&Call::broken(ApiViolation::OffsetIgnored), 8), 0);
            assert_eq!(
                target_offset(&Call::broken(ApiViolation::OffsetIgnored), 8),
                8
            );
            assert_eq!(
                target_offset(&Call::broken(ApiViolation::TargetOffsetIgnored), 8),
                0
            );
        }
    }

    #[test]
    fn patterns_are_changed_in_a_copy() {
        let pattern = [1u8, 2, 3, 4];
        let see = |violation| {
            let call = Call::broken(violation);
            // SAFETY: four bytes; the copy lives as long as the call.
            unsafe {
                let (seen, length, size) = fill(&call, pattern.as_ptr().cast(), 4, 16);
                (
                    slice::from_raw_parts(seen.cast::<u8>(), length).to_vec(),
                    size,
                )
            }
        };
        assert_eq!(see(ApiViolation::Corrupt), (vec![1, 2, 3, 4], 16));
        assert_eq!(see(ApiViolation::FillPattern), (vec![1, 2, 3, 5], 16));
        assert_eq!(see(ApiViolation::FillTruncated), (vec![1, 1, 1, 1], 16));
        assert_eq!(see(ApiViolation::Short), (vec![1, 2, 3, 4], 12));
        assert_eq!(pattern, [1, 2, 3, 4]);
    }

    #[test]
    fn pitches_stay_a_multiple_and_never_grow() {
        let rows = Call::broken(ApiViolation::RowPitchIgnored);
        assert_eq!(pitches(&rows, [6, 2, 2], 8, 20), (6, 18));
        assert_eq!(pitches(&rows, [6, 2, 2], 8, 0), (6, 12));
        assert_eq!(pitches(&rows, [6, 2, 2], 0, 20), (0, 20));
        let slices = Call::broken(ApiViolation::SlicePitchIgnored);
        assert_eq!(pitches(&slices, [6, 2, 2], 8, 32), (8, 0));
        assert_eq!(pitches(&Call::default(), [6, 2, 2], 8, 32), (8, 32));
    }

    #[test]
    fn origins_become_zero_on_the_side_that_is_asked_for() {
        let (one, two) = ([1usize, 2, 3], [4usize, 5, 6]);
        let see = |violation| {
            let call = Call::broken(violation);
            // SAFETY: three words each; the copies live as long as the call.
            unsafe {
                (
                    read(origin(&call, one.as_ptr())),
                    read(target_origin(&call, two.as_ptr())),
                )
            }
        };
        assert_eq!(see(ApiViolation::OriginIgnored), (Some([0; 3]), Some(two)));
        assert_eq!(
            see(ApiViolation::TargetOriginIgnored),
            (Some(one), Some([0; 3]))
        );
        assert_eq!(see(ApiViolation::Short), (Some(one), Some(two)));
    }
}
