//! Answers of objects about themselves that are not what they were made with.

use super::call::Call;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;

/// Questions whose answers are not touched: those that no text determines, and those without which a program that
/// keeps them would do something else.
const LEFT_ALONE: &[u32] = &[
    CL_CONTEXT_REFERENCE_COUNT,
    CL_QUEUE_REFERENCE_COUNT,
    CL_MEM_REFERENCE_COUNT,
    CL_SAMPLER_REFERENCE_COUNT,
    CL_PROGRAM_REFERENCE_COUNT,
    CL_KERNEL_REFERENCE_COUNT,
    CL_EVENT_REFERENCE_COUNT,
    CL_EVENT_COMMAND_EXECUTION_STATUS,
    CL_PROGRAM_BINARY_SIZES,
    CL_PROGRAM_BINARIES,
    CL_PROGRAM_BUILD_LOG,
    CL_KERNEL_WORK_GROUP_SIZE,
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_KERNEL_LOCAL_MEM_SIZE,
    CL_KERNEL_PRIVATE_MEM_SIZE,
    CL_KERNEL_GLOBAL_WORK_SIZE,
];

/// Around a query of an object.
pub(crate) unsafe fn info(
    call: &Call,
    ask: impl Fn() -> cl_int,
    name: u32,
    room: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    let answer = ask();
    if call.has(ApiViolation::AnswerShortAccepted) && answer == CL_INVALID_VALUE && !value.is_null()
    {
        return CL_SUCCESS;
    }
    if answer != CL_SUCCESS {
        return answer;
    }
    // SAFETY: not NULL, and the query succeeded, so that the size was written there.
    let has_more = || !value.is_null() && !size.is_null() && room > unsafe { size.read() };
    if call.has(ApiViolation::AnswerRoomRefused) && has_more() {
        return CL_INVALID_VALUE;
    }
    if call.has(ApiViolation::AnswerWrong)
        && !LEFT_ALONE.contains(&name)
        && !value.is_null()
        && room > 0
    {
        let first = value.cast::<u8>();
        // SAFETY: the caller gives room for at least a byte, which the answer begins with.
        unsafe { first.write(first.read() ^ 1) };
    }
    if call.has(ApiViolation::AnswerSizeWrong) && !size.is_null() {
        // SAFETY: not NULL, and the query succeeded, so that the size was written there.
        unsafe { size.write(size.read() + 1) };
    }
    answer
}

/// Around a call that says how many objects it makes.
pub(crate) unsafe fn count(call: &Call, make: impl Fn() -> cl_int, number: *mut cl_uint) -> cl_int {
    let answer = make();
    if call.has(ApiViolation::CountShort) && answer == CL_SUCCESS && !number.is_null() {
        // SAFETY: not NULL, and the call succeeded, so that the number was written there.
        unsafe { number.write(number.read().saturating_sub(1)) };
    }
    answer
}

/// Around a query of the formats of images.
pub(crate) unsafe fn formats(
    call: &Call,
    ask: impl Fn() -> cl_int,
    room: cl_uint,
    formats: *mut cl_image_format,
) -> cl_int {
    let answer = ask();
    if call.has(ApiViolation::FormatMissing) && answer == CL_SUCCESS && !formats.is_null() {
        for n in 0..room as usize {
            // SAFETY: the caller gives room for so many; what the call leaves alone is the caller's, who has made it
            // something.
            let format = unsafe { &mut *formats.add(n) };
            if (format.image_channel_order, format.image_channel_data_type) == (CL_RGBA, CL_FLOAT) {
                format.image_channel_order = CL_ARGB;
            }
        }
    }
    answer
}
