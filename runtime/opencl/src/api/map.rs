//! Mapping buffers (`opencl_runtime_layer`, Mapping Buffer Objects; Unmapping Mapped
//! Memory Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer_of;
use super::entry::entry_points;
use crate::ffi::ensure;
use crate::memory::MemObject;
use crate::queue::command::Kind;

/// Checks the flags of a map.
///
/// # Errors
/// `CL_INVALID_VALUE` for unknown flags and for invalidating together with others.
pub(super) fn check_map_flags(flags: cl_map_flags) -> crate::ffi::Result<()> {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    ensure!(
        !(invalidates && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0),
        CL_INVALID_VALUE
    );
    Ok(())
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
        let writes = map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        if map_flags & CL_MAP_READ != 0 {
            buffer.check_host_reads()?;
        }
        if writes {
            buffer.check_host_writes()?;
        }
        let address = buffer.map(offset, size, writes)?;
        let mapped = Arc::clone(&buffer);
        let action = Box::new(move || {
            drop(buffer);
            Ok(())
        });
        let enqueued = tail.blocking(blocking_map).enqueue(&queue, Kind::MapBuffer, list, action);
        match enqueued {
            Ok(()) => Ok(address.cast()),
            Err(error) => {
                // The application gets no address, so nothing is mapped.
                mapped.unmap(address as usize)?;
                Err(error)
            }
        }
    }

    /// Unmaps a region.
    status fn clEnqueueUnmapMemObject(memobj: cl_mem, mapped_ptr: *mut c_void) |queue, tail| {
        let object = MemObject::find(memobj)?;
        ensure!(object.is_mapped_at(mapped_ptr as usize), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        ensure!(Arc::ptr_eq(object.context(), &queue.context), CL_INVALID_CONTEXT);
        // Another thread may have been quicker since the check above.
        object.unmap(mapped_ptr as usize)?;
        let action = Box::new(move || {
            drop(object);
            Ok(())
        });
        tail.enqueue(&queue, Kind::UnmapMemObject, list, action)
    }
}
