//! Transfers between buffers and the host that are done in parts, or at another time than their command's.

use super::call::Call;
use super::command::Command;
use super::{corrupt, later};
use crate::library::driver::{self, Event};
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::{CL_FALSE, cl_int};
use std::slice;

/// Bytes of a part.
pub(super) const PART: size_t = 1 << 20;

/// Memory of the program, which it keeps until the command that has it is complete.
struct Theirs(*mut u8);

// SAFETY: whoever sees the command complete may use the memory, whichever thread that is.
unsafe impl Send for Theirs {}

/// Around `clEnqueueReadBuffer`; `issue` takes the offset, the size and the memory.
pub(crate) unsafe fn read(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command, size_t, size_t, *mut c_void) -> cl_int,
    offset: size_t,
    size: size_t,
    memory: *mut c_void,
) -> cl_int {
    if size > PART && !memory.is_null() && call.does(ApiViolation::LargeInParts) {
        let issue = |command: &Command, from: size_t, size| {
            issue(command, offset + from, size, memory.wrapping_byte_add(from))
        };
        // SAFETY: the caller's command.
        return unsafe { in_parts(command, issue, size) };
    }
    if call.has(ApiViolation::ReadDeliveredLate) && !command.blocks() && !memory.is_null() {
        let mut bytes = vec![0u8; size];
        // SAFETY: the caller's command; as many bytes as it asks for, which stay until it is complete.
        let (answer, event) = unsafe {
            command.observed(|command| issue(command, offset, size, bytes.as_mut_ptr().cast()))
        };
        let theirs = Theirs(memory.cast());
        if let Some(event) = event {
            later::when_complete(event, move || {
                let Theirs(memory) = { theirs };
                // SAFETY: `size` bytes that are the command's until the program has seen it complete, which it
                // sees in a call that does this first.
                unsafe { memory.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            });
        }
        return answer;
    }
    // SAFETY: the caller's arguments.
    unsafe {
        corrupt::filled(
            call,
            command,
            |command| issue(command, offset, size, memory),
            memory,
            size,
        )
    }
}

/// Around `clEnqueueWriteBuffer`; `issue` takes the offset, the size and the memory.
pub(crate) unsafe fn write(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command, size_t, size_t, *const c_void) -> cl_int,
    offset: size_t,
    size: size_t,
    memory: *const c_void,
) -> cl_int {
    if size > PART && !memory.is_null() && call.does(ApiViolation::LargeInParts) {
        let issue = |command: &Command, from: size_t, size| {
            issue(command, offset + from, size, memory.wrapping_byte_add(from))
        };
        // SAFETY: the caller's command.
        return unsafe { in_parts(command, issue, size) };
    }
    if !call.has(ApiViolation::WriteCapturedEarly) || command.blocks() || memory.is_null() {
        return issue(command, offset, size, memory);
    }
    // SAFETY: the caller's memory, of this size.
    let bytes = unsafe { slice::from_raw_parts(memory.cast::<u8>(), size) }.to_vec();
    // SAFETY: the caller's command; the bytes stay until it is complete.
    let (answer, event) =
        unsafe { command.observed(|command| issue(command, offset, size, bytes.as_ptr().cast())) };
    if let Some(event) = event {
        later::when_complete(event, move || drop(bytes));
    }
    answer
}

/// Enqueues the first part with the program's event, and the rest behind it with none.
///
/// # Safety
/// As OpenCL asks of the entry point's caller; `issue` passes a part on: its first byte, and its size.
unsafe fn in_parts(
    command: &Command,
    issue: impl Fn(&Command, size_t, size_t) -> cl_int,
    size: size_t,
) -> cl_int {
    // SAFETY: this function's own contract.
    let (answer, first) = unsafe { command.observed(|command| issue(command, 0, PART)) };
    let Some(first) = first else { return answer };
    let before = [Event::raw(&first)];
    let mut own = std::ptr::null_mut();
    let rest = Command {
        blocking: Some(CL_FALSE),
        event: &mut own,
        ..command.with_list(&before)
    };
    issue(&rest, PART, size - PART);
    if !own.is_null() {
        // SAFETY: the implementation gave the layer this reference.
        drop(unsafe { Event::adopt(own) });
    }
    if command.blocks() {
        let _ = driver::flush(command.queue);
    }
    answer
}
