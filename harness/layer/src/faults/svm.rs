//! Shared virtual memory that is freed, copied and passed on wrongly.

use super::call::Call;
use super::command::Command;
use super::{corrupt, later};
use crate::library::driver;
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Allocations that a fault concerns: where each begins, and its size.
static ALLOCATIONS: Mutex<BTreeMap<usize, size_t>> = Mutex::new(BTreeMap::new());

/// The beginning and the size of the allocation that an address claims in.
fn allocation(address: usize) -> Option<(usize, size_t)> {
    let allocations = lock(&ALLOCATIONS);
    let (begin, size) = allocations.range(..=address).next_back()?;
    (address - begin < *size).then_some((*begin, *size))
}

/// Around `clSVMAlloc`.
pub(crate) unsafe fn alloc(
    call: &Call,
    alloc: impl Fn() -> *mut c_void,
    size: size_t,
) -> *mut c_void {
    let memory = alloc();
    if !call.is_clean() && !memory.is_null() {
        lock(&ALLOCATIONS).insert(memory as usize, size);
    }
    memory
}

/// Around `clSVMFree`.
pub(crate) unsafe fn free(call: &Call, free: impl Fn(), memory: *mut c_void) {
    if !call.is_clean() {
        lock(&ALLOCATIONS).remove(&(memory as usize));
    }
    free();
}

/// The pointer of `clSetKernelArgSVMPointer`.
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
    lock(&BEFORE).insert(address, bytes);
}

/// Brings back what mapped memory held, at most `size` bytes of it.
fn restore(address: usize, size: size_t) {
    let bytes = lock(&BEFORE).remove(&address);
    if let Some(bytes) = bytes {
        // SAFETY: the region is mapped, and this much of it was read before.
        unsafe {
            (address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size));
        }
    }
}

/// Around `clEnqueueSVMMap`.
pub(crate) unsafe fn map(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> cl_int,
    memory: *mut c_void,
    size: size_t,
) -> cl_int {
    let stale = call.has(ApiViolation::SvmMapStale);
    if !stale && !call.has(ApiViolation::SvmUnmapLoses) {
        // SAFETY: the caller's arguments, unchanged.
        return unsafe { corrupt::filled(call, command, issue, memory, size) };
    }
    // SAFETY: the caller's command.
    let (status, done) = unsafe { command.observed(issue) };
    let Some(done) = done else { return status };
    let address = memory as usize;
    lock(&MAPPED).insert(address, size);
    let twist = move || {
        if stale {
            restore(address, size);
        } else {
            remember(address, size);
        }
    };
    if command.blocks() {
        twist();
    } else {
        later::when_complete(done, twist);
    }
    status
}

/// The pointer of `clEnqueueSVMUnmap`, whose memory is still mapped.
pub(crate) unsafe fn unmap(call: &Call, memory: *mut c_void) -> *mut c_void {
    if call.is_clean() {
        return memory;
    }
    let size = lock(&MAPPED).remove(&(memory as usize));
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
pub(crate) unsafe fn migrate(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> cl_int,
    count: cl_uint,
    pointers: *mut *const c_void,
    sizes: *const size_t,
    flags: cl_mem_migration_flags,
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
        if let Some((begin, size)) = region
            && driver::fill_svm(command.place(), begin as *mut c_void, 0xA5, size).is_ok()
        {
            return CL_SUCCESS;
        }
    }
    issue(command)
}

/// The callback of `clEnqueueSVMFree`.
pub(crate) type Free =
    unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

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

/// Around `clEnqueueSVMFree`.
pub(crate) unsafe fn enqueue_free(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command, Option<Free>, *mut c_void) -> cl_int,
    count: cl_uint,
    pointers: *mut *mut c_void,
    callback: Option<Free>,
    data: *mut c_void,
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
    let status = issue(command, callback_seen, data_seen);
    if status != CL_SUCCESS || pointers.is_null() {
        return status;
    }
    if let (true, Some(callback)) = (early, callback) {
        // SAFETY: the program's callback and its arguments; it runs in the caller's thread.
        unsafe { callback(command.queue, count, pointers, data) };
    }
    status
}

/// Overwrites an allocation that was given up, if it is still the layer's to know.
fn overwrite(memory: *mut c_void) {
    let size = lock(&ALLOCATIONS).remove(&(memory as usize));
    if let Some(size) = size {
        // SAFETY: an allocation of this size, which is not freed before this call goes on, and which
        // the layer's book gives out once. On a device whose
        // memory the host cannot reach without a map this is the fault's own undefined behaviour.
        unsafe { memory.cast::<u8>().write_bytes(0xA5, size) };
    }
}
