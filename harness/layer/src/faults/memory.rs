//! What memory objects and maps promise the host, and do not keep.
//!
//! A map whose contents or whose writes are to be lost is answered with memory of the layer's own,
//! a *shadow* of the mapped region; the implementation's mapping stays behind it until the unmap.

use super::call::Call;
use super::command::Command;
use super::{corrupt, later, stale};
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ptr;
use std::sync::{Arc, Mutex};

/// What a stale map shows.
const STALE: u8 = 0xA5;

/// The flags, the size and the host pointer of a new buffer.
pub(crate) unsafe fn create_buffer(
    call: &Call,
    flags: cl_mem_flags,
    size: size_t,
    host: *mut c_void,
) -> (cl_mem_flags, size_t, *mut c_void) {
    if call.has(ApiViolation::HostPointerMapStale) && flags & CL_MEM_USE_HOST_PTR != 0 {
        // SAFETY: the caller's memory, of this size.
        unsafe { stale::made(host, size) };
    }
    // SAFETY: the caller's arguments.
    let (flags, host) = unsafe { initial(call, flags, host) };
    (flags, size, host)
}

/// Where a new buffer has its contents from.
unsafe fn initial(
    call: &Call,
    flags: cl_mem_flags,
    host: *mut c_void,
) -> (cl_mem_flags, *mut c_void) {
    if call.has(ApiViolation::UseHostPtrCopied) && flags & CL_MEM_USE_HOST_PTR != 0 {
        return (flags & !CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, host);
    }
    if call.has(ApiViolation::CopyHostPtrIgnored)
        && flags & CL_MEM_COPY_HOST_PTR != 0
        && !host.is_null()
    {
        return (flags & !CL_MEM_COPY_HOST_PTR, ptr::null_mut());
    }
    (flags, host)
}

/// How much the origin of a sub-buffer that was refused is rounded down.
const PAGE: size_t = 4096;

/// The parts that buffers have, by their parent's handle: origin and size.
static PARTS: Mutex<BTreeMap<usize, Vec<(size_t, size_t)>>> = Mutex::new(BTreeMap::new());

/// The origin of an earlier part of the buffer that overlaps this one and begins before it.
fn overlapped(buffer: cl_mem, region: &cl_buffer_region) -> Option<size_t> {
    let mut all = lock(&PARTS);
    let parts = all.entry(buffer as usize).or_default();
    let earlier = parts.iter().find(|(origin, size)| {
        *origin < region.origin && region.origin < origin.saturating_add(*size)
    });
    let origin = earlier.map(|(origin, _)| *origin);
    parts.push((region.origin, region.size));
    origin
}

/// A buffer is given up; its handle may come back for another one.
pub(super) fn forget(buffer: cl_mem) {
    if driver::references_of_memory(buffer) == Some(1) {
        lock(&PARTS).remove(&(buffer as usize));
    }
}

/// Around `clCreateSubBuffer`.
pub(crate) unsafe fn sub_buffer(
    call: &Call,
    next: impl Fn(*const c_void, *mut cl_int) -> cl_mem,
    buffer: cl_mem,
    flags: cl_mem_flags,
    kind: cl_buffer_create_type,
    info: *const c_void,
    errcode: *mut cl_int,
) -> cl_mem {
    let given = !call.is_clean() && kind == CL_BUFFER_CREATE_TYPE_REGION && !info.is_null();
    // SAFETY: not NULL, and of this type.
    let region = given.then(|| unsafe { info.cast::<cl_buffer_region>().read_unaligned() });
    let create = |origin, size, errcode| {
        let region = cl_buffer_region { origin, size };
        next((&raw const region).cast(), errcode)
    };
    match region {
        Some(region) if call.has(ApiViolation::SubBufferDetached) => {
            match driver::buffer_beside(buffer, flags, region.size) {
                Ok(made) => {
                    if !errcode.is_null() {
                        // SAFETY: the caller's place.
                        unsafe { *errcode = CL_SUCCESS };
                    }
                    made
                }
                Err(_) => create(region.origin, region.size, errcode),
            }
        }
        Some(region) if call.has(ApiViolation::SubBufferOrigin) => create(0, region.size, errcode),
        Some(region) if call.has(ApiViolation::SubBufferSecond) => {
            let origin = overlapped(buffer, &region)
                .filter(|_| call.does(ApiViolation::SubBufferSecond))
                .unwrap_or(region.origin);
            create(origin, region.size, errcode)
        }
        Some(region) if call.has(ApiViolation::SubBufferMisaligned) => {
            let mut status = CL_SUCCESS;
            let mut made = create(region.origin, region.size, &mut status);
            if made.is_null() && status == CL_MISALIGNED_SUB_BUFFER_OFFSET {
                made = create(
                    region.origin - region.origin % PAGE,
                    region.size,
                    &mut status,
                );
            }
            if !errcode.is_null() {
                // SAFETY: the caller's place.
                unsafe { *errcode = status };
            }
            made
        }
        _ => next(info, errcode),
    }
}

/// Memory that stands in for a mapped region.
struct Shadow {
    memory: *mut u8,
    layout: Layout,
    /// The implementation's mapping.
    mapped: *mut u8,
    size: size_t,
    /// It shows stale data; only what differs from that was written.
    stale: bool,
}

// SAFETY: memory of the layer's own, and a mapping that lasts until the unmap; the program orders
// its accesses as it does those of a mapping.
unsafe impl Send for Shadow {}
// SAFETY: as above.
unsafe impl Sync for Shadow {}

impl Shadow {
    fn new(mapped: *mut c_void, size: size_t, stale: bool) -> Option<Shadow> {
        // The alignment of the largest type of OpenCL C, as mappings have it.
        let layout = Layout::from_size_align(size.max(1), 128).ok()?;
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            return None;
        }
        // SAFETY: allocated with at least this size.
        unsafe { memory.write_bytes(STALE, size) };
        let mapped = mapped.cast();
        Some(Shadow {
            memory,
            layout,
            mapped,
            size,
            stale,
        })
    }

    /// Takes the contents of the mapping.
    fn take(&self) {
        // SAFETY: both have this size, and the map is complete.
        unsafe { ptr::copy_nonoverlapping(self.mapped, self.memory, self.size) };
    }

    /// Gives what the program wrote to the mapping.
    fn give(&self) {
        for index in 0..self.size {
            // SAFETY: both have this size.
            unsafe {
                let byte = *self.memory.add(index);
                if byte != STALE {
                    *self.mapped.add(index) = byte;
                }
            }
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.memory, self.layout) };
    }
}

/// The shadows that the program holds, by their addresses.
static SHADOWS: Mutex<BTreeMap<usize, Arc<Shadow>>> = Mutex::new(BTreeMap::new());

/// The pointer that an unmap passes on.
pub(crate) unsafe fn unmap(call: &Call, pointer: *mut c_void) -> *mut c_void {
    if call.is_clean() {
        return pointer;
    }
    stale::unmap(call, pointer);
    let shadow = lock(&SHADOWS).remove(&(pointer as usize));
    match shadow {
        Some(shadow) => {
            if shadow.stale {
                shadow.give();
            }
            shadow.mapped.cast()
        }
        None => pointer,
    }
}

/// Around `clEnqueueMapBuffer`.
pub(crate) unsafe fn map(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> *mut c_void,
    buffer: cl_mem,
    flags: cl_map_flags,
    offset: size_t,
    size: size_t,
) -> *mut c_void {
    let clobbers =
        call.has(ApiViolation::InvalidateClobbers) && flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    let filled = clobbers
        .then(|| clobber(command, buffer, (offset, size)))
        .flatten();
    let before: Vec<cl_event> = filled.iter().map(Event::raw).collect();
    let command = if before.is_empty() {
        command
    } else {
        &command.with_list(&before)
    };
    let at_host = || driver::flags_of(buffer).is_none_or(|bits| bits & CL_MEM_USE_HOST_PTR != 0);
    if call.has(ApiViolation::HostPointerMapStale) && at_host() {
        // SAFETY: the caller's arguments, but for the list.
        return unsafe { stale::map(command, issue, size) };
    }
    let stale = call.has(ApiViolation::MapStale);
    if !(stale || call.has(ApiViolation::UnmapLoses)) || at_host() {
        // SAFETY: the caller's arguments, but for the list.
        return unsafe { corrupt::mapped(call, command, issue, size) };
    }
    // SAFETY: the caller's command.
    let (mapped, Some(done)) = (unsafe { command.observed(issue) }) else {
        return ptr::null_mut();
    };
    let Some(shadow) = Shadow::new(mapped, size, stale).map(Arc::new) else {
        return mapped;
    };
    if !stale && command.blocks() {
        shadow.take();
    } else if !stale {
        let shadow = Arc::clone(&shadow);
        later::when_complete(done, move || shadow.take());
    }
    let pointer = shadow.memory;
    lock(&SHADOWS).insert(pointer as usize, shadow);
    pointer.cast()
}

/// Fills everything of the buffer but this region; the events of the fills.
fn clobber(command: &Command, buffer: cl_mem, (offset, size): (size_t, size_t)) -> Option<Event> {
    let whole = driver::size_of_memory(buffer)?;
    let end = offset.checked_add(size).filter(|end| *end <= whole)?;
    let mut last: Option<Event> = None;
    for (from, to) in [(0, offset), (end, whole)] {
        if from == to {
            continue;
        }
        let before: Vec<cl_event> = last.iter().map(Event::raw).collect();
        let mut event = ptr::null_mut();
        let fill = Command {
            event: &mut event,
            ..if before.is_empty() {
                command.clone()
            } else {
                command.with_list(&before)
            }
        };
        driver::fill(fill.place(), buffer, STALE, (from, to - from)).ok()?;
        // SAFETY: the implementation gave the layer this reference.
        last = Some(unsafe { Event::adopt(event) });
    }
    last
}

/// Around `clEnqueueMigrateMemObjects`.
pub(crate) unsafe fn migrate(
    call: &Call,
    command: &Command,
    issue: impl Fn(&Command) -> cl_int,
    objects: cl_uint,
    memory: *const cl_mem,
    flags: cl_mem_migration_flags,
) -> cl_int {
    let clobbers = call.has(ApiViolation::MigrateClobbers)
        && flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED == 0;
    if clobbers && objects > 0 && !memory.is_null() {
        // SAFETY: the caller's list, which has an element.
        let first = unsafe { *memory };
        if let Some(size) = driver::size_of_memory(first)
            && driver::fill(command.place(), first, STALE, (0, size)).is_ok()
        {
            return CL_SUCCESS;
        }
    }
    issue(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_pointers_are_copied_or_ignored_where_asked() {
        let mut word = 0u32;
        let host: *mut c_void = (&raw mut word).cast();
        let see = |violation, flags| {
            // SAFETY: nothing is read.
            unsafe { initial(&Call::broken(violation), flags, host) }
        };
        let (used, copied) = (CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR);
        assert_eq!(see(ApiViolation::UseHostPtrCopied, used), (copied, host));
        assert_eq!(see(ApiViolation::UseHostPtrCopied, copied), (copied, host));
        assert_eq!(
            see(ApiViolation::CopyHostPtrIgnored, copied),
            (0, ptr::null_mut())
        );
        assert_eq!(see(ApiViolation::CopyHostPtrIgnored, used), (used, host));
        assert_eq!(see(ApiViolation::Short, used), (used, host));
    }

    #[test]
    fn a_stale_shadow_gives_back_only_what_was_written() {
        let mut mapped = [1u8, 2, 3];
        let shadow = Shadow::new(mapped.as_mut_ptr().cast(), 3, true).expect("memory");
        // SAFETY: three bytes.
        unsafe {
            assert_eq!(*shadow.memory, STALE);
            *shadow.memory.add(1) = 9;
        }
        shadow.give();
        drop(shadow);
        assert_eq!(mapped, [1, 9, 3]);
    }
}
