//! Reading, writing, copying and filling buffers (`opencl_runtime_layer`, Reading,
//! Writing and Copying Buffer Objects; Filling Buffer Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer_of;
use super::entry::entry_points;
use crate::ffi::raw::HostAddress;
use crate::ffi::{Result, ensure, raw};
use crate::memory::{broken, copy, flags};
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// The longest pattern of a fill: the size of the largest built-in type.
const MAX_PATTERN: usize = 128;

/// Checks a fill's pattern; `base` is what must be aligned to it.
///
/// # Errors
/// `CL_INVALID_VALUE`.
///
/// # Safety
/// `pattern` is null or valid for reads of `pattern_size` bytes.
pub(super) unsafe fn pattern_of<'a>(
    pattern: *const c_void,
    pattern_size: usize,
    base: usize,
    size: usize,
) -> Result<&'a [u8]> {
    ensure!(!pattern.is_null(), CL_INVALID_VALUE);
    ensure!(
        pattern_size.is_power_of_two() && pattern_size <= MAX_PATTERN,
        CL_INVALID_VALUE
    );
    ensure!(
        base.is_multiple_of(pattern_size) && size.is_multiple_of(pattern_size),
        CL_INVALID_VALUE
    );
    // SAFETY: not null, and the caller vouches for the size.
    Ok(unsafe { raw::slice(pattern.cast(), pattern_size) })
}

entry_points! {
    /// Reads from a buffer into host memory.
    status fn clEnqueueReadBuffer(
        buffer: cl_mem, blocking_read: cl_bool, offset: usize, size: usize,
        ptr: *mut c_void,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        buffer.check_range(offset, size)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_reads(buffer.flags())?;
        let to = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            if broken::is_used(buffer.start()) {
                // SAFETY: as below.
                unsafe { to.get().write_bytes(0, size) };
                return Ok(());
            }
            // SAFETY: the range was checked against the buffer, which is alive; the
            // application vouches for its memory until the command completes.
            unsafe { copy::bytes(buffer.start().add(offset), to.get(), size) };
            Ok(())
        });
        tail.blocking(blocking_read).enqueue(&queue, Kind::ReadBuffer, list, action)
    }

    /// Writes host memory into a buffer.
    status fn clEnqueueWriteBuffer(
        buffer: cl_mem, blocking_write: cl_bool, offset: usize, size: usize,
        ptr: *const c_void,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        buffer.check_range(offset, size)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_writes(buffer.flags())?;
        let from = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            // SAFETY: as for reading.
            unsafe { copy::bytes(from.get(), buffer.start_mut().add(offset), size) };
            Ok(())
        });
        tail.blocking(blocking_write).enqueue(&queue, Kind::WriteBuffer, list, action)
    }

    /// Copies from a buffer to a buffer.
    status fn clEnqueueCopyBuffer recorded clCommandCopyBufferKHR(
        src_buffer: cl_mem, dst_buffer: cl_mem, src_offset: usize, dst_offset: usize,
        size: usize,
    ) |queue, tail| {
        let from = buffer_of(&queue, src_buffer)?;
        let to = buffer_of(&queue, dst_buffer)?;
        from.check_range(src_offset, size)?;
        to.check_range(dst_offset, size)?;
        let list = tail.wait_list(&queue.context)?;
        let (from_root, from_origin) = from.place();
        let (to_root, to_origin) = to.place();
        let distance = (from_origin + src_offset).abs_diff(to_origin + dst_offset);
        let overlaps = from_root == to_root && distance < size;
        ensure!(!overlaps, CL_MEM_COPY_OVERLAP);
        let action = move |_: &Arc<Event>| {
            // SAFETY: both ranges were checked against the buffers, which are alive.
            unsafe {
                copy::bytes(
                    from.start().add(src_offset),
                    to.start_mut().add(dst_offset),
                    size,
                );
            }
            Ok(())
        };
        tail.repeatable(&queue, Kind::CopyBuffer, list, action)
    }

    /// Fills a buffer with a pattern.
    status fn clEnqueueFillBuffer recorded clCommandFillBufferKHR(
        buffer: cl_mem, pattern: *const c_void, pattern_size: usize, offset: usize,
        size: usize,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        buffer.check_range(offset, size)?;
        // SAFETY: the application vouches for its pattern.
        let pattern = unsafe { pattern_of(pattern, pattern_size, offset, size)? }.to_vec();
        let list = tail.wait_list(&queue.context)?;
        let action = move |_: &Arc<Event>| {
            // SAFETY: the range was checked against the buffer, which is alive.
            unsafe { copy::fill(buffer.start_mut().add(offset), size, &pattern) };
            Ok(())
        };
        tail.repeatable(&queue, Kind::FillBuffer, list, action)
    }
}
