//! Data that comes back changed: 1 is added to its first word.
//!
//! A blocking command's data is changed before the call returns, that of a non-blocking one when
//! its event is complete (see [`later`]).

use super::call::Call;
use super::command::Command;
use super::later;
use crate::answer::Answer;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::cl_int;

/// Changes the first word of the data, or the first byte of less than a word.
///
/// # Safety
/// `data` has `size` bytes that may be written.
unsafe fn change(data: *mut c_void, size: size_t) {
    if data.is_null() {
        return;
    }
    if size >= size_of::<u32>() {
        let word = data.cast::<u32>();
        // SAFETY: the word claims in the data.
        unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(1)) };
    } else if size > 0 {
        let byte = data.cast::<u8>();
        // SAFETY: the byte claims in the data.
        unsafe { byte.write(byte.read().wrapping_add(1)) };
    }
}

/// Where the data of a command is.
struct Data(*mut c_void);

// SAFETY: the data belongs to the command until it is complete, whichever thread sees that.
unsafe impl Send for Data {}

/// Around a command that fills `size` bytes at `data`.
pub(crate) unsafe fn filled(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> cl_int,
    data: *mut c_void,
    size: size_t,
) -> cl_int {
    // SAFETY: `size` bytes at `data`.
    unsafe { changed(call, command, issue, |_| data, size) }
}

/// Around a command that maps `size` bytes.
pub(crate) unsafe fn mapped(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> *mut c_void,
    size: size_t,
) -> *mut c_void {
    // SAFETY: the mapped region has `size` bytes.
    unsafe { changed(call, command, issue, |data| *data, size) }
}

/// Changes the data of a command once it is complete.
///
/// # Safety
/// The data of a command that succeeds has `size` bytes.
unsafe fn changed<R: Answer>(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> R,
    data: impl FnOnce(&R) -> *mut c_void,
    size: size_t,
) -> R {
    if !call.has(ApiViolation::Corrupt) {
        return issue(command);
    }
    if command.blocks() {
        let answer = issue(command);
        if answer.succeeded() {
            // SAFETY: the command is complete; this function's contract.
            unsafe { change(data(&answer), size) };
        }
        return answer;
    }
    // SAFETY: the caller's command.
    let (answer, event) = unsafe { command.observed(issue) };
    if let Some(event) = event {
        let data = Data(data(&answer));
        later::when_complete(event, move || {
            let Data(data) = { data };
            // SAFETY: the command that filled the data is complete, and the program, which keeps
            // the memory until it has seen that, is still inside a call.
            unsafe { change(data, size) };
        });
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Entry;
    use opencl_sys::{CL_MAP_FAILURE, CL_SUCCESS, cl_bool};
    use std::ptr;

    #[test]
    fn the_first_word_changes_and_nothing_else() {
        let mut words = [u32::MAX, 7];
        // SAFETY: a local array.
        unsafe { change(words.as_mut_ptr().cast(), 8) };
        assert_eq!(words, [0, 7]);
        let mut bytes = [1u8, 2, 3];
        // SAFETY: a local array.
        unsafe { change(bytes.as_mut_ptr().cast(), 3) };
        assert_eq!(bytes, [2, 2, 3]);
        // SAFETY: nothing is written.
        unsafe { change(bytes.as_mut_ptr().cast(), 0) };
        assert_eq!(bytes, [2, 2, 3]);
    }

    static WORDS: std::sync::Mutex<[u32; 2]> = std::sync::Mutex::new([0; 2]);

    fn words() -> *mut c_void {
        WORDS.lock().expect("a lock").as_mut_ptr().cast()
    }

    fn command(blocking: cl_bool) -> Command {
        Command {
            entry: Entry::named("clEnqueueReadBuffer"),
            queue: ptr::null_mut(),
            blocking: Some(blocking),
            count: 0,
            list: ptr::null(),
            event: ptr::null_mut(),
        }
    }

    #[test]
    fn blocking_maps_and_copies_are_corrupted_only_where_asked_and_successful() {
        let (corrupt, clean) = (Call::broken(ApiViolation::Corrupt), Call::default());
        let read = || *WORDS.lock().expect("a lock");
        for (call, expected) in [(&clean, 0), (&corrupt, 1)] {
            // SAFETY: the fake maps eight bytes.
            let data = unsafe { mapped(call, &command(1), |_| words(), 8) };
            assert_eq!((data, read()), (words(), [expected, 0]));
        }
        for (call, expected) in [(&clean, 1), (&corrupt, 2)] {
            // SAFETY: there are eight bytes.
            let status = unsafe { filled(call, &command(1), |_| CL_SUCCESS, words(), 8) };
            assert_eq!((status, read()), (CL_SUCCESS, [expected, 0]));
        }
        // SAFETY: the fake copies nothing.
        let status = unsafe { filled(&corrupt, &command(1), |_| CL_MAP_FAILURE, words(), 8) };
        assert_eq!((status, read()), (CL_MAP_FAILURE, [2, 0]));
    }
}
