//! Calls that wait, flush or give up less, or more, than they should.

use super::call::Call;
use super::{events, kernels, memory, order, waiters};
use crate::library::driver;
use classay_faults::ApiViolation;
use opencl_sys::*;

/// Around `clFinish`.
pub(crate) unsafe fn finish(
    call: &Call,
    finish: impl Fn() -> cl_int,
    queue: cl_command_queue,
) -> cl_int {
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
    finish()
}

/// Around `clFlush`.
pub(crate) unsafe fn flush(
    call: &Call,
    flush: impl Fn() -> cl_int,
    queue: cl_command_queue,
) -> cl_int {
    if !call.is_clean() && !call.has(ApiViolation::FlushLost) {
        order::open(Some(queue));
    }
    flush()
}

/// Around `clWaitForEvents`.
pub(crate) unsafe fn wait(call: &Call, wait: impl Fn(cl_uint) -> cl_int, count: cl_uint) -> cl_int {
    if call.is_clean() {
        return wait(count);
    }
    if !call.has(ApiViolation::WaitDoesNotFlush) {
        order::open(None);
    }
    let count = if call.has(ApiViolation::WaitForFirst) {
        count.min(1)
    } else if count > 64 && call.does(ApiViolation::WaitAfter64Ignored) {
        64
    } else {
        count
    };
    let status = if call.has(ApiViolation::WaitEndsAtFailure) {
        wait_until_failure(call, wait, count)
    } else {
        wait(count)
    };
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

/// Waits for one event after the other until one has failed.
fn wait_until_failure(call: &Call, wait: impl Fn(cl_uint) -> cl_int, count: cl_uint) -> cl_int {
    for first in 1..count {
        let status = wait(first);
        if status != CL_SUCCESS && call.does(ApiViolation::WaitEndsAtFailure) {
            return status;
        }
    }
    wait(count)
}

/// Around the functions that give up a reference to an object.
pub(crate) unsafe fn release(call: &Call, release: impl Fn() -> cl_int) -> cl_int {
    if events::in_callback() && call.does(ApiViolation::ReleaseInCallbackLost) {
        return CL_SUCCESS;
    }
    let status = release();
    if status != CL_SUCCESS && call.does(ApiViolation::OverReleaseAborts) {
        std::process::abort();
    }
    if call.has(ApiViolation::OverRelease) {
        return CL_SUCCESS;
    }
    status
}

/// Around `clReleaseMemObject`.
pub(crate) unsafe fn release_memory(
    call: &Call,
    next: impl Fn() -> cl_int,
    object: cl_mem,
) -> cl_int {
    if call.has(ApiViolation::SubBufferSecond) {
        memory::forget(object);
    }
    // SAFETY: the caller's object.
    unsafe { release(call, next) }
}

/// Around `clReleaseCommandQueue`.
pub(crate) unsafe fn release_queue(
    call: &Call,
    next: impl Fn() -> cl_int,
    queue: cl_command_queue,
) -> cl_int {
    if !call.is_clean() && !call.has(ApiViolation::OverRelease) {
        if call.has(ApiViolation::ReleaseLosesQueue) {
            order::lose(queue);
        }
        order::open(Some(queue));
        if call.has(ApiViolation::ReleaseWakesWaiters) {
            waiters::released(queue);
        }
        if driver::references_of_queue(queue) == Some(1) {
            order::forget(queue);
        }
    }
    // SAFETY: the caller's queue.
    unsafe { release(call, next) }
}

/// Around `clRetainCommandQueue`.
pub(crate) unsafe fn retain_queue(
    call: &Call,
    retain: impl Fn() -> cl_int,
    queue: cl_command_queue,
) -> cl_int {
    let status = retain();
    if call.has(ApiViolation::ReleaseLosesQueue) && status == CL_SUCCESS {
        order::retained(queue);
    }
    status
}

/// Around `clReleaseEvent`.
pub(crate) unsafe fn release_event(
    call: &Call,
    next: impl Fn() -> cl_int,
    event: cl_event,
) -> cl_int {
    if call.has(ApiViolation::ReleaseInCallbackAborts) && events::in_callback() {
        std::process::abort();
    }
    if call.has(ApiViolation::ReleaseLosesEvent) {
        order::lose_event(event);
    }
    // SAFETY: the caller's event.
    unsafe { release(call, next) }
}

/// Around `clReleaseKernel`.
pub(crate) unsafe fn release_kernel(
    call: &Call,
    next: impl Fn() -> cl_int,
    kernel: cl_kernel,
) -> cl_int {
    if call.has(ApiViolation::ArgsStale) {
        kernels::forget(kernel);
    }
    // SAFETY: the caller's kernel.
    unsafe { release(call, next) }
}
