//! Mapping buffers (`opencl_runtime_layer`, Mapping Buffer Objects; Unmapping Mapped
//! Memory Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer_of;
use super::entry::{Tail, entry_points};
use crate::ffi::{Result, ensure};
use crate::memory::map::Mapping;
use crate::memory::{MemObject, flags};
use crate::queue::Queue;
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// Checks the flags of a map.
///
/// # Errors
/// `CL_INVALID_VALUE` for unknown flags and for invalidating together with others.
pub(super) fn check_map_flags(flags: cl_map_flags) -> Result<()> {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    ensure!(
        !(invalidates && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0),
        CL_INVALID_VALUE
    );
    Ok(())
}

/// Checks that the host may do what a map is for.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub(super) fn check_access(map_flags: cl_map_flags, flags: cl_mem_flags) -> Result<()> {
    let writes = map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    if map_flags & CL_MAP_READ != 0 {
        flags::check_host_reads(flags)?;
    }
    if writes {
        flags::check_host_writes(flags)?;
    }
    Ok(())
}

/// Enqueues the map of an object, which is noted.
///
/// # Errors
/// As [`Tail::enqueue`]; the application then gets no address, and nothing is mapped.
pub(super) fn enqueue(
    queue: &Arc<Queue>,
    tail: Tail,
    kind: Kind,
    list: Vec<Arc<Event>>,
    object: MemObject,
    mapping: Mapping,
) -> Result<*mut c_void> {
    let mapped = object.clone();
    let address = mapping.address;
    let action: Action = Box::new(move |_| {
        if let Some(view) = mapping.view {
            view.fetch(object.store());
        }
        Ok(())
    });
    if let Err(error) = tail.enqueue(queue, kind, list, action) {
        mapped.unmap(address)?;
        return Err(error);
    }
    Ok(std::ptr::with_exposed_provenance_mut(address))
}

entry_points! {
    /// Maps a region of a buffer. The address is the buffer's own; the command is there
    /// for its place in the order.
    create fn clEnqueueMapBuffer(
        buffer: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, offset: usize,
        size: usize,
    ) -> *mut c_void |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        buffer.check_range(offset, size)?;
        ensure!(size != 0, CL_INVALID_VALUE);
        check_map_flags(map_flags)?;
        let list = tail.wait_list(&queue.context)?;
        check_access(map_flags, buffer.flags())?;
        let mapping = buffer.map(offset, size, map_flags)?;
        let tail = tail.blocking(blocking_map);
        enqueue(&queue, tail, Kind::MapBuffer, list, MemObject::Buffer(buffer), mapping)
    }

    /// Unmaps a region.
    status fn clEnqueueUnmapMemObject(memobj: cl_mem, mapped_ptr: *mut c_void) |queue, tail| {
        let object = MemObject::find(memobj)?;
        ensure!(object.is_mapped_at(mapped_ptr as usize), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        ensure!(Arc::ptr_eq(object.context(), &queue.context), CL_INVALID_CONTEXT);
        object.prepare(&queue.device)?;
        // Another thread may have been quicker since the check above.
        let mapping = object.unmap(mapped_ptr as usize)?;
        let action: Action = Box::new(move |_| {
            if let Some(view) = mapping.view.filter(|_| mapping.writes) {
                view.write_back(object.store());
            }
            Ok(())
        });
        tail.enqueue(&queue, Kind::UnmapMemObject, list, action)
    }
}
