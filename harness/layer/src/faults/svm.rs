//! Shared virtual memory that is freed, copied and passed on wrongly.

use super::Call;
use super::named::Breach;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Allocations that a fault concerns: where each begins, and its size.
static ALLOCATIONS: Mutex<BTreeMap<usize, size_t>> = Mutex::new(BTreeMap::new());

/// The beginning and the size of the allocation that an address lies in.
fn allocation(address: usize) -> Option<(usize, size_t)> {
    let allocations = ALLOCATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let (begin, size) = allocations.range(..=address).next_back()?;
    (address - begin < *size).then_some((*begin, *size))
}

fn forget(address: *mut c_void) {
    ALLOCATIONS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&(address as usize));
}

/// Around `clSVMAlloc`.
pub(crate) unsafe fn alloc(
    call: &Call,
    next: unsafe extern "C" fn(cl_context, cl_svm_mem_flags, size_t, cl_uint) -> *mut c_void,
    context: cl_context,
    flags: cl_svm_mem_flags,
    size: size_t,
    alignment: cl_uint,
) -> *mut c_void {
    // SAFETY: the caller's arguments, unchanged.
    let memory = unsafe { next(context, flags, size, alignment) };
    if !call.is_clean() && !memory.is_null() {
        ALLOCATIONS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(memory as usize, size);
    }
    memory
}

/// Around `clSVMFree`.
pub(crate) unsafe fn free(
    call: &Call,
    next: unsafe extern "C" fn(cl_context, *mut c_void),
    context: cl_context,
    memory: *mut c_void,
) {
    if !call.is_clean() {
        forget(memory);
    }
    // SAFETY: the caller's arguments, unchanged.
    unsafe { next(context, memory) }
}

/// Around `clSetKernelArgSVMPointer`.
pub(crate) unsafe fn pointer(call: &Call, value: *const c_void) -> *const c_void {
    if call.has(Breach::PointerToBase)
        && let Some((begin, _)) = allocation(value as usize)
    {
        return begin as *const c_void;
    }
    value
}

type Free = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

/// What a callback that takes the place of the program's needs to know. It is never freed: an
/// implementation may call twice.
struct Instead {
    own: Option<Free>,
    pointers: *mut *mut c_void,
    data: *mut c_void,
}

/// Calls the program's callback with the program's own array, or does not call it.
unsafe extern "C" fn instead(
    queue: cl_command_queue,
    count: cl_uint,
    _pointers: *mut *mut c_void,
    data: *mut c_void,
) {
    // SAFETY: the layer passed this along, and never frees it.
    let instead = unsafe { &*data.cast::<Instead>() };
    if let Some(own) = instead.own {
        // SAFETY: the program's callback. That its array may be gone is the fault.
        unsafe { own(queue, count, instead.pointers, instead.data) };
    }
}

type EnqueueFree = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *mut *mut c_void,
    Option<Free>,
    *mut c_void,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// Around `clEnqueueSVMFree`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn enqueue_free(
    call: &Call,
    next: EnqueueFree,
    queue: cl_command_queue,
    count: cl_uint,
    pointers: *mut *mut c_void,
    callback: Option<Free>,
    data: *mut c_void,
    events: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let early = call.has(Breach::SvmCallbackEarly);
    let lost = call.has(Breach::SvmCallbackLost);
    let keeps = call.has(Breach::SvmKeepsArray);
    let (callback_seen, data_seen) = match callback {
        Some(_) if early || lost || keeps => {
            let own = if keeps { callback } else { None };
            let instead_of = Box::leak(Box::new(Instead {
                own,
                pointers,
                data,
            }));
            (Some(instead as Free), (&raw mut *instead_of).cast())
        }
        other => (other, data),
    };
    if call.has(Breach::SvmFreeEarly) && callback.is_none() && !pointers.is_null() {
        // Before the enqueue: after it the memory may be free already.
        // SAFETY: the caller's list of this length.
        for memory in unsafe { std::slice::from_raw_parts(pointers, count as usize) } {
            overwrite(*memory);
        }
    }
    // SAFETY: the caller's arguments, but for the callback.
    let status = unsafe {
        next(
            queue,
            count,
            pointers,
            callback_seen,
            data_seen,
            events,
            list,
            event,
        )
    };
    if status != CL_SUCCESS || pointers.is_null() {
        return status;
    }
    if let (true, Some(callback)) = (early, callback) {
        // SAFETY: the program's callback and its arguments; it runs in the caller's thread.
        unsafe { callback(queue, count, pointers, data) };
    }
    status
}

/// Overwrites an allocation that was given up, if it is still the layer's to know.
fn overwrite(memory: *mut c_void) {
    let size = ALLOCATIONS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&(memory as usize));
    if let Some(size) = size {
        // SAFETY: an allocation of this size, which is not freed before this call goes on, and which
        // the layer's book gives out once. On a device whose
        // memory the host cannot reach without a map this is the fault's own undefined behaviour.
        unsafe { memory.cast::<u8>().write_bytes(0xA5, size) };
    }
}
