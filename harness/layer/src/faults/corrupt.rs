//! Data that comes back changed: 1 is added to its first word.
//!
//! A blocking command's data is changed before the call returns, that of a non-blocking one when
//! its event is complete (see [`later`]).

use super::call::Call;
use super::later;
use crate::library::driver::Event;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::{
    CL_FALSE, CL_SUCCESS, cl_bool, cl_command_queue, cl_event, cl_int, cl_map_flags, cl_mem,
    cl_uint,
};
use std::ptr;

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

/// Issues a command whose data is to change; `issue` calls the implementation with the event to
/// use and returns its data if the command was accepted.
///
/// # Safety
/// `event` is NULL or may be written; the returned data has `size` bytes.
unsafe fn command(
    blocking: cl_bool,
    size: size_t,
    event: *mut cl_event,
    issue: impl FnOnce(*mut cl_event) -> Option<*mut c_void>,
) {
    if blocking != CL_FALSE {
        if let Some(data) = issue(event) {
            // SAFETY: the command is complete; this function's contract.
            unsafe { change(data, size) };
        }
        return;
    }
    let mut own = ptr::null_mut();
    let place = if event.is_null() { &raw mut own } else { event };
    let Some(data) = issue(place) else { return };
    // SAFETY: the command was accepted, so its event was written; the program keeps its reference.
    let held = unsafe {
        if event.is_null() {
            Event::adopt(own)
        } else {
            Event::retain(*event)
        }
    };
    let data = Data(data);
    later::when_complete(held, move || {
        let Data(data) = { data };
        // SAFETY: the command that filled the data is complete, and the program, which keeps the
        // memory until it has seen that, is still inside a call.
        unsafe { change(data, size) };
    });
}

/// Where the data of a command is.
struct Data(*mut c_void);

// SAFETY: the data belongs to the command until it is complete, whichever thread sees that.
unsafe impl Send for Data {}

/// Around `clEnqueueReadBuffer`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn read_buffer(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        size_t,
        size_t,
        *mut c_void,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    offset: size_t,
    size: size_t,
    data: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut status = CL_SUCCESS;
    let mut issue = |event| {
        // SAFETY: the caller's arguments, and a place for the event.
        status = unsafe {
            next(
                queue, buffer, blocking, offset, size, data, count, list, event,
            )
        };
        (status == CL_SUCCESS).then_some(data)
    };
    if call.has(ApiViolation::Corrupt) {
        // SAFETY: the caller's event, and `size` bytes at `data`.
        unsafe { command(blocking, size, event, issue) };
    } else {
        issue(event);
    }
    status
}

/// Around `clEnqueueMapBuffer`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn map_buffer(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_command_queue,
        cl_mem,
        cl_bool,
        cl_map_flags,
        size_t,
        size_t,
        cl_uint,
        *const cl_event,
        *mut cl_event,
        *mut cl_int,
    ) -> *mut c_void,
    queue: cl_command_queue,
    buffer: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: size_t,
    size: size_t,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    errcode: *mut cl_int,
) -> *mut c_void {
    let mut data = ptr::null_mut();
    let mut issue = |event| {
        // SAFETY: the caller's arguments, and a place for the event.
        data = unsafe {
            next(
                queue, buffer, blocking, flags, offset, size, count, list, event, errcode,
            )
        };
        (!data.is_null()).then_some(data)
    };
    if call.has(ApiViolation::Corrupt) {
        // SAFETY: the caller's event; the mapped region has `size` bytes.
        unsafe { command(blocking, size, event, issue) };
    } else {
        issue(event);
    }
    data
}

/// Around `clEnqueueSVMMap`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn svm_map(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        cl_map_flags,
        *mut c_void,
        size_t,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    queue: cl_command_queue,
    blocking: cl_bool,
    flags: cl_map_flags,
    data: *mut c_void,
    size: size_t,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut status = CL_SUCCESS;
    let mut issue = |event| {
        // SAFETY: the caller's arguments, and a place for the event.
        status = unsafe { next(queue, blocking, flags, data, size, count, list, event) };
        (status == CL_SUCCESS).then_some(data)
    };
    if call.has(ApiViolation::Corrupt) {
        // SAFETY: the caller's event; the mapped region has `size` bytes.
        unsafe { command(blocking, size, event, issue) };
    } else {
        issue(event);
    }
    status
}

/// Around `clEnqueueSVMMemcpy`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn svm_memcpy(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_command_queue,
        cl_bool,
        *mut c_void,
        *const c_void,
        size_t,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    queue: cl_command_queue,
    blocking: cl_bool,
    data: *mut c_void,
    source: *const c_void,
    size: size_t,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let mut status = CL_SUCCESS;
    let mut issue = |event| {
        // SAFETY: the caller's arguments, and a place for the event.
        status = unsafe { next(queue, blocking, data, source, size, count, list, event) };
        (status == CL_SUCCESS).then_some(data)
    };
    if call.has(ApiViolation::Corrupt) {
        // SAFETY: the caller's event, and `size` bytes at the destination.
        unsafe { command(blocking, size, event, issue) };
    } else {
        issue(event);
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencl_sys::CL_MAP_FAILURE;

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

    unsafe extern "C" fn mapped(
        _: cl_command_queue,
        _: cl_mem,
        _: cl_bool,
        _: cl_map_flags,
        _: size_t,
        _: size_t,
        _: cl_uint,
        _: *const cl_event,
        _: *mut cl_event,
        _: *mut cl_int,
    ) -> *mut c_void {
        words()
    }

    unsafe extern "C" fn svm_mapped(
        _: cl_command_queue,
        _: cl_bool,
        _: cl_map_flags,
        _: *mut c_void,
        _: size_t,
        _: cl_uint,
        _: *const cl_event,
        _: *mut cl_event,
    ) -> cl_int {
        CL_SUCCESS
    }

    unsafe extern "C" fn svm_copied(
        _: cl_command_queue,
        _: cl_bool,
        _: *mut c_void,
        _: *const c_void,
        _: size_t,
        _: cl_uint,
        _: *const cl_event,
        _: *mut cl_event,
    ) -> cl_int {
        CL_MAP_FAILURE
    }

    #[test]
    fn blocking_maps_and_copies_are_corrupted_only_where_asked_and_successful() {
        let (corrupt, clean) = (Call::broken(ApiViolation::Corrupt), Call::default());
        let (null, no_list, no_event) = (ptr::null_mut(), ptr::null(), ptr::null_mut());
        let read = || *WORDS.lock().expect("a lock");
        for (call, expected) in [(&clean, 0), (&corrupt, 1)] {
            // SAFETY: the fake maps eight bytes.
            let data = unsafe {
                map_buffer(
                    call,
                    mapped,
                    null,
                    null,
                    1,
                    0,
                    0,
                    8,
                    0,
                    no_list,
                    no_event,
                    null.cast(),
                )
            };
            assert_eq!((data, read()), (words(), [expected, 0]));
        }
        for (call, expected) in [(&clean, 1), (&corrupt, 2)] {
            // SAFETY: the fake maps eight bytes.
            let status = unsafe {
                svm_map(
                    call,
                    svm_mapped,
                    null,
                    1,
                    0,
                    words(),
                    8,
                    0,
                    no_list,
                    no_event,
                )
            };
            assert_eq!((status, read()), (CL_SUCCESS, [expected, 0]));
        }
        // SAFETY: the fake copies nothing.
        let status = unsafe {
            svm_memcpy(
                &corrupt,
                svm_copied,
                null,
                1,
                words(),
                no_list.cast(),
                8,
                0,
                no_list,
                no_event,
            )
        };
        assert_eq!((status, read()), (CL_MAP_FAILURE, [2, 0]));
    }
}
