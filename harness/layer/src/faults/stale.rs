//! Buffers over memory of the program, which their maps do not bring up to date.
//!
//! The memory shows what the program itself left there last, from the making of the buffer on; what commands wrote comes
//! back at the unmap, but for what the host changed meanwhile.

use super::call::Call;
use super::command::Command;
use super::later;
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use std::collections::BTreeMap;
use std::slice;
use std::sync::Mutex;

/// What the program left at addresses, by the first one.
static LEFT: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// What maps hide, by their addresses.
static HIDDEN: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// A buffer is made over this memory.
///
/// # Safety
/// `memory` is NULL or has `size` bytes.
pub(super) unsafe fn made(memory: *const c_void, size: size_t) {
    if !memory.is_null() {
        // SAFETY: this function's own contract.
        let bytes = unsafe { slice::from_raw_parts(memory.cast::<u8>(), size) };
        lock(&LEFT).insert(memory as usize, bytes.to_vec());
    }
}

/// Around a map of such a buffer; none of it where the map is not of memory that is known.
///
/// # Safety
/// As OpenCL asks of the entry point's caller; `issue` passes the command on and gives the map's address.
pub(super) unsafe fn map(
    command: &Command,
    issue: impl Fn(&Command) -> *mut c_void,
    size: size_t,
) -> *mut c_void {
    // SAFETY: the caller's command.
    let (mapped, event) = unsafe { command.observed(issue) };
    let address = mapped as usize;
    let hide = move || {
        // SAFETY: the map is complete, and has `size` bytes.
        unsafe { hide(address, size) }
    };
    match event {
        Some(_) if command.blocks() => hide(),
        Some(event) => later::when_complete(event, hide),
        None => {}
    }
    mapped
}

/// Shows what the program left at an address in the place of what is there.
///
/// # Safety
/// There are `size` bytes, which belong to a map.
unsafe fn hide(address: usize, size: size_t) {
    let left = lock(&LEFT);
    let Some((start, bytes)) = left.range(..=address).next_back() else {
        return;
    };
    let Some(stale) = bytes.get(address - start..address - start + size) else {
        return;
    };
    // SAFETY: this function's own contract.
    let seen = unsafe { slice::from_raw_parts_mut(address as *mut u8, size) };
    lock(&HIDDEN)
        .entry(address)
        .or_insert_with(|| seen.to_vec());
    seen.copy_from_slice(stale);
}

/// The program gives a map up: brings back what was hidden, but for bytes that the host changed.
pub(super) fn unmap(call: &Call, address: *mut c_void) {
    if !call.has(ApiViolation::HostPointerMapStale) {
        return;
    }
    let Some(hidden) = lock(&HIDDEN).remove(&(address as usize)) else {
        return;
    };
    let mut left = lock(&LEFT);
    let Some((start, bytes)) = left.range_mut(..=address as usize).next_back() else {
        return;
    };
    let at = address as usize - start;
    let Some(stale) = bytes.get_mut(at..at + hidden.len()) else {
        return;
    };
    // SAFETY: the map is not ended yet, and has as many bytes as were hidden.
    let seen = unsafe { slice::from_raw_parts_mut(address.cast::<u8>(), hidden.len()) };
    for ((seen, stale), hidden) in seen.iter_mut().zip(stale).zip(hidden) {
        match seen == stale {
            true => *seen = hidden,
            false => *stale = *seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_shows_what_the_program_left_until_its_end() {
        let mut memory = [1u8, 2, 3];
        let address: *mut c_void = memory.as_mut_ptr().cast();
        // SAFETY: three bytes.
        unsafe { made(address, 3) };
        memory = [7, 8, 9];
        // SAFETY: three bytes.
        unsafe { hide(address as usize, 3) };
        assert_eq!(memory, [1, 2, 3]);
        memory[1] = 5;
        unmap(&Call::broken(ApiViolation::HostPointerMapStale), address);
        assert_eq!(memory, [7, 5, 9]);
    }
}
