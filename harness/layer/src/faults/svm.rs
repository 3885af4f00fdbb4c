//! Shared virtual memory that is freed, copied and passed on wrongly.

use super::call::Call;
use super::{corrupt, later};
use crate::library::driver::{self, Event};
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Allocations that a fault concerns: where each begins, and its size.
static ALLOCATIONS: Mutex<BTreeMap<usize, size_t>> = Mutex::new(BTreeMap::new());

/// The beginning and the size of the allocation that an address claims in.
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
    if call.has(ApiViolation::PointerToBase)
        && let Some((begin, _)) = allocation(value as usize)
    {
        return begin as *const c_void;
    }
    value
}

/// What mapped memory held before, by its address: at the map, or at the last unmap.
static BEFORE: Mutex<BTreeMap<usize, Vec<u8>>> = Mutex::new(BTreeMap::new());
/// The sizes of the regions that are mapped, by their addresses.
static MAPPED: Mutex<BTreeMap<usize, size_t>> = Mutex::new(BTreeMap::new());

/// Keeps the contents of mapped memory.
fn remember(address: usize, size: size_t) {
    // SAFETY: the region is mapped, so that the host may read it.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, size) }.to_vec();
    BEFORE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(address, bytes);
}

/// Brings back what mapped memory held, at most `size` bytes of it.
fn restore(address: usize, size: size_t) {
    let bytes = BEFORE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&address);
    if let Some(bytes) = bytes {
        // SAFETY: the region is mapped, and this much of it was read before.
        unsafe {
            (address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size));
        }
    }
}

/// Around `clEnqueueSVMMap`.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn map(
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
    memory: *mut c_void,
    size: size_t,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let stale = call.has(ApiViolation::SvmMapStale);
    if !stale && !call.has(ApiViolation::SvmUnmapLoses) {
        // SAFETY: the caller's arguments, unchanged.
        return unsafe {
            corrupt::svm_map(
                call, next, queue, blocking, flags, memory, size, count, list, event,
            )
        };
    }
    let mut own = std::ptr::null_mut();
    let place = if event.is_null() { &raw mut own } else { event };
    // SAFETY: the caller's arguments, and a place for the event.
    let status = unsafe { next(queue, blocking, flags, memory, size, count, list, place) };
    if status != CL_SUCCESS {
        return status;
    }
    // SAFETY: the command was accepted, so its event was written; the program keeps its reference.
    let done = unsafe {
        if event.is_null() {
            Event::adopt(own)
        } else {
            Event::retain(*event)
        }
    };
    let address = memory as usize;
    MAPPED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(address, size);
    let twist = move || {
        if stale {
            restore(address, size);
        } else {
            remember(address, size);
        }
    };
    if blocking == CL_FALSE {
        later::when_complete(done, twist);
    } else {
        twist();
    }
    status
}

/// The pointer of `clEnqueueSVMUnmap`, whose memory is still mapped.
pub(crate) unsafe fn unmap(call: &Call, memory: *mut c_void) -> *mut c_void {
    if call.is_clean() {
        return memory;
    }
    let size = MAPPED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&(memory as usize));
    if let Some(size) = size {
        if call.has(ApiViolation::SvmMapStale) {
            remember(memory as usize, size);
        } else if call.has(ApiViolation::SvmUnmapLoses) {
            restore(memory as usize, size);
        }
    }
    memory
}

/// Around `clEnqueueSVMMigrateMem`: the first region is filled in the migration's place.
#[expect(clippy::too_many_arguments, reason = "the entry point's own")]
pub(crate) unsafe fn migrate(
    call: &Call,
    next: unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *mut *const c_void,
        *const size_t,
        cl_mem_migration_flags,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int,
    queue: cl_command_queue,
    count: cl_uint,
    pointers: *mut *const c_void,
    sizes: *const size_t,
    flags: cl_mem_migration_flags,
    events: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    let keeps = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED == 0;
    if call.has(ApiViolation::SvmMigrateClobbers) && keeps && count > 0 && !pointers.is_null() {
        // SAFETY: the caller's lists, which have an element.
        let (first, size) = unsafe {
            let size = if sizes.is_null() { 0 } else { *sizes };
            (*pointers as usize, size)
        };
        let region = match (allocation(first), size) {
            (Some((begin, whole)), 0) => Some((begin, whole)),
            (Some(_), size) => Some((first, size)),
            (None, _) => None,
        };
        if let Some((begin, size)) = region {
            let region = (begin as *mut c_void, size);
            let filled = driver::fill_svm(queue, region, 0xA5, (events, list), event);
            if filled.is_ok() {
                return CL_SUCCESS;
            }
        }
    }
    // SAFETY: the caller's arguments, unchanged.
    unsafe { next(queue, count, pointers, sizes, flags, events, list, event) }
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
    let early = call.has(ApiViolation::SvmCallbackEarly);
    let lost = call.has(ApiViolation::SvmCallbackLost);
    let keeps = call.has(ApiViolation::SvmKeepsArray);
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
    if call.has(ApiViolation::SvmFreeEarly) && callback.is_none() && !pointers.is_null() {
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
