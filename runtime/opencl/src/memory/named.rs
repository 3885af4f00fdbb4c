//! Memory that an application names by its address: shared virtual memory, and whatever else it
//! passes to the commands of that.
//!
//! What is in an allocation is moved like a buffer's bytes. At any other address there may be
//! nothing, so there each access that the system refuses is caught and ends the command.

use touchstone_exec::copy_caught;

use super::copy;
use super::owned::{Place, place_of};
use crate::queue::command::Failure;

/// Bytes of a fill that are written at a time where there may be nothing.
const CHUNK: usize = 4096;

/// Copies bytes between ranges that do not overlap.
///
/// # Errors
/// When one leaves its allocation, or nothing is mapped where one lies.
///
/// # Safety
/// What is mapped in both ranges is valid, to read and to write, and nobody else uses it meanwhile
/// in a way that conflicts.
pub unsafe fn copy(from: *const u8, to: *mut u8, size: usize) -> Result<(), Failure> {
    let places = [
        (place_of(from as usize, size), from as usize),
        (place_of(to as usize, size), to as usize),
    ];
    for (place, address) in places {
        check(place, address, size)?;
    }
    if places.iter().all(|(place, _)| *place == Place::Inside) {
        // SAFETY: as the caller vouches, and both are in allocations.
        unsafe { copy::bytes(from, to, size) };
        return Ok(());
    }
    // SAFETY: as the caller vouches.
    unsafe { copy_caught(from, to, size) }.map_err(|done| {
        let message = format!(
            "a copy of {size} bytes from {from:p} to {to:p} ends after {done} or a few more: there \
             nothing is mapped that may be read, or written"
        );
        Failure::refused("copy", message)
    })
}

/// Repeats a pattern; `size` is a multiple of the pattern's length, which divides [`CHUNK`].
///
/// # Errors
/// When the range leaves its allocation, or nothing is mapped where it lies.
///
/// # Safety
/// What is mapped in the range is valid to write, and nobody else uses it meanwhile.
pub unsafe fn fill(to: *mut u8, size: usize, pattern: &[u8]) -> Result<(), Failure> {
    let place = place_of(to as usize, size);
    check(place, to as usize, size)?;
    if place == Place::Inside {
        // SAFETY: as the caller vouches, and it is in an allocation.
        unsafe { copy::fill(to, size, pattern) };
        return Ok(());
    }
    let chunk: Vec<u8> = pattern
        .iter()
        .copied()
        .cycle()
        .take(CHUNK.min(size))
        .collect();
    let mut filled = 0;
    while filled < size {
        let count = chunk.len().min(size - filled);
        // SAFETY: as the caller vouches; the chunk is as long.
        let written = unsafe { copy_caught(chunk.as_ptr(), to.wrapping_add(filled), count) };
        written.map_err(|done| {
            let filled = filled + done;
            let message = format!(
                "a fill of {size} bytes at {to:p} ends after {filled} or a few more: there nothing is \
                 mapped that may be written"
            );
            Failure::refused("fill", message)
        })?;
        filled += count;
    }
    Ok(())
}

/// Refuses a range that leaves its allocation.
fn check(place: Place, address: usize, size: usize) -> Result<(), Failure> {
    match place {
        Place::Inside | Place::Foreign => Ok(()),
        Place::Leaves(room) => {
            let message = format!(
                "{size} bytes at {address:#x} leave their allocation, which ends after {room}"
            );
            Err(Failure::refused("range", message))
        }
    }
}
