//! Calls that wait, flush or give up less, or more, than they should.

use super::call::Call;
use super::{events, kernels, order};
use crate::library::driver;
use classay_faults::ApiViolation;
use libc::c_void;
use opencl_sys::*;

type OfQueue = unsafe extern "C" fn(cl_command_queue) -> cl_int;

/// Around `clFinish`.
pub(crate) unsafe fn finish(call: &Call, next: OfQueue, queue: cl_command_queue) -> cl_int {
    if !call.is_clean() {
        order::open(Some(queue));
        if call.has(ApiViolation::FinishFlushes) {
            return driver::flush(queue).err().unwrap_or(CL_SUCCESS);
        }
        if call.has(ApiViolation::FinishLastOnly)
            && let Some(last) = order::last(queue)
        {
            // A command that failed is no failure of clFinish.
            let _ = driver::flush(queue);
            let _ = driver::wait(&last);
            return CL_SUCCESS;
        }
    }
    // SAFETY: the caller's queue.
    unsafe { next(queue) }
}

/// Around `clFlush`.
pub(crate) unsafe fn flush(call: &Call, next: OfQueue, queue: cl_command_queue) -> cl_int {
    if !call.is_clean() && !call.has(ApiViolation::FlushLost) {
        order::open(Some(queue));
    }
    // SAFETY: the caller's queue.
    unsafe { next(queue) }
}

/// Around `clWaitForEvents`.
pub(crate) unsafe fn wait(
    call: &Call,
    next: unsafe extern "C" fn(cl_uint, *const cl_event) -> cl_int,
    count: cl_uint,
    list: *const cl_event,
) -> cl_int {
    if call.is_clean() {
        // SAFETY: the caller's arguments, unchanged.
        return unsafe { next(count, list) };
    }
    if !call.has(ApiViolation::WaitDoesNotFlush) {
        order::open(None);
    }
    let count = if call.has(ApiViolation::WaitForFirst) {
        count.min(1)
    } else {
        count
    };
    // SAFETY: the caller's list, or its beginning.
    let status = unsafe { next(count, list) };
    if status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {
        if call.does(ApiViolation::WaitHidesFailure) {
            return CL_SUCCESS;
        }
        if call.does(ApiViolation::WaitWrongError) {
            return CL_OUT_OF_RESOURCES;
        }
    }
    status
}

type Release = unsafe extern "C" fn(*mut c_void) -> cl_int;

/// Around the functions that give up a reference to an object.
pub(crate) unsafe fn release(call: &Call, next: Release, object: *mut c_void) -> cl_int {
    // SAFETY: the caller's object.
    let status = unsafe { next(object) };
    if status != CL_SUCCESS && call.does(ApiViolation::OverReleaseAborts) {
        std::process::abort();
    }
    if call.has(ApiViolation::OverRelease) {
        return CL_SUCCESS;
    }
    status
}

/// Around `clReleaseCommandQueue`.
pub(crate) unsafe fn release_queue(call: &Call, next: Release, queue: cl_command_queue) -> cl_int {
    if call.is_clean() {
        // SAFETY: the caller's queue.
        return unsafe { next(queue) };
    }
    if !call.has(ApiViolation::OverRelease) {
        if call.has(ApiViolation::ReleaseLosesQueue) {
            order::lose(queue);
        }
        order::open(Some(queue));
        if driver::references_of_queue(queue) == Some(1) {
            order::forget(queue);
        }
    }
    // SAFETY: the caller's queue.
    unsafe { release(call, next, queue) }
}

/// Around `clRetainCommandQueue`.
pub(crate) unsafe fn retain_queue(call: &Call, next: OfQueue, queue: cl_command_queue) -> cl_int {
    // SAFETY: the caller's queue.
    let status = unsafe { next(queue) };
    if call.has(ApiViolation::ReleaseLosesQueue) && status == CL_SUCCESS {
        order::retained(queue);
    }
    status
}

/// Around `clReleaseEvent`.
pub(crate) unsafe fn release_event(call: &Call, next: Release, event: cl_event) -> cl_int {
    if call.has(ApiViolation::ReleaseInCallbackAborts) && events::in_callback() {
        std::process::abort();
    }
    if call.has(ApiViolation::ReleaseLosesEvent) {
        order::lose_event(event);
    }
    // SAFETY: the caller's event.
    unsafe { release(call, next, event) }
}

/// Around `clReleaseKernel`.
pub(crate) unsafe fn release_kernel(call: &Call, next: Release, kernel: cl_kernel) -> cl_int {
    if call.has(ApiViolation::ArgsStale) {
        kernels::forget(kernel);
    }
    // SAFETY: the caller's kernel.
    unsafe { release(call, next, kernel) }
}
