//! Callbacks and profiling times that are wrong.

use super::Call;
use super::act::Shape;
use libc::{c_void, size_t};
use opencl_sys::{
    CL_PROFILING_COMMAND_COMPLETE, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_SUBMIT, CL_SUCCESS, cl_event, cl_int,
    cl_profiling_info,
};

type Callback = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// Around `clSetEventCallback`. Lost callbacks need no hook: they are skipped calls.
pub(crate) unsafe fn set_callback(
    call: &Call,
    next: unsafe extern "C" fn(cl_event, cl_int, Option<Callback>, *mut c_void) -> cl_int,
    event: cl_event,
    status: cl_int,
    callback: Option<Callback>,
    data: *mut c_void,
) -> cl_int {
    if let (true, Some(callback)) = (call.has(Shape::EarlyCallback), callback) {
        // SAFETY: the caller's callback and its data; it runs in the caller's thread.
        unsafe { callback(event, status, data) };
        return CL_SUCCESS;
    }
    // SAFETY: the caller's arguments, unchanged.
    let answer = unsafe { next(event, status, callback, data) };
    if answer == CL_SUCCESS && call.has(Shape::DoubleCallback) {
        // SAFETY: as above.
        return unsafe { next(event, status, callback, data) };
    }
    answer
}

/// Around `clGetEventProfilingInfo`.
pub(crate) unsafe fn profiling_info(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_event,
        cl_profiling_info,
        size_t,
        *mut c_void,
        *mut size_t,
    ) -> cl_int,
    event: cl_event,
    info: cl_profiling_info,
    room: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    let equal = call.has(Shape::EqualTimes);
    let reversed = call.has(Shape::ReversedTimes);
    let info = match info {
        CL_PROFILING_COMMAND_SUBMIT
        | CL_PROFILING_COMMAND_START
        | CL_PROFILING_COMMAND_END
        | CL_PROFILING_COMMAND_COMPLETE
            if equal =>
        {
            CL_PROFILING_COMMAND_QUEUED
        }
        CL_PROFILING_COMMAND_START if reversed => CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_END if reversed => CL_PROFILING_COMMAND_START,
        other => other,
    };
    // SAFETY: the caller's arguments; every time has the same type.
    unsafe { next(event, info, room, value, size) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    unsafe extern "C" fn count(_: cl_event, status: cl_int, data: *mut c_void) {
        // SAFETY: the tests pass a counter.
        unsafe { *data.cast::<Vec<cl_int>>() = vec![status] };
    }

    /// Registers, and says so in its status: each registration is one less.
    unsafe extern "C" fn register(
        _: cl_event,
        _: cl_int,
        _: Option<Callback>,
        data: *mut c_void,
    ) -> cl_int {
        // SAFETY: the tests pass a list.
        unsafe { (*data.cast::<Vec<cl_int>>()).push(-1) };
        CL_SUCCESS
    }

    #[test]
    fn callbacks_are_registered_once_twice_or_called_at_once() {
        let set = |call: &Call| {
            let mut seen: Vec<cl_int> = Vec::new();
            let data = (&raw mut seen).cast();
            // SAFETY: the fakes above, and their list.
            let status =
                unsafe { set_callback(call, register, ptr::null_mut(), 2, Some(count), data) };
            assert_eq!(status, CL_SUCCESS);
            seen
        };
        assert_eq!(set(&Call::default()), [-1]);
        assert_eq!(set(&Call::shaped(Shape::DoubleCallback)), [-1, -1]);
        assert_eq!(set(&Call::shaped(Shape::EarlyCallback)), [2]);
    }

    /// Answers with the query itself.
    unsafe extern "C" fn echo(
        _: cl_event,
        info: cl_profiling_info,
        _: size_t,
        _: *mut c_void,
        _: *mut size_t,
    ) -> cl_int {
        info as cl_int
    }

    #[test]
    fn times_are_equal_or_reversed() {
        let ask = |call: &Call, info: cl_profiling_info| {
            // SAFETY: the fake reads nothing.
            unsafe {
                let null = ptr::null_mut();
                profiling_info(call, echo, null, info, 0, null, ptr::null_mut()) as u32
            }
        };
        let (start, end) = (CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END);
        let clean = Call::default();
        assert_eq!((ask(&clean, start), ask(&clean, end)), (start, end));
        let reversed = Call::shaped(Shape::ReversedTimes);
        assert_eq!((ask(&reversed, start), ask(&reversed, end)), (end, start));
        let equal = Call::shaped(Shape::EqualTimes);
        assert_eq!(ask(&equal, start), ask(&equal, end));
    }
}
