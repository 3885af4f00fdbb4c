//! Rectangular transfers (`opencl_runtime_layer`, Reading, Writing and Copying Buffer
//! Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::buffer_of;
use super::entry::entry_points;
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::rect::{Rows, Shape};
use crate::memory::{Buffer, copy, flags};
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// Two origins and a region, none of them null.
///
/// # Safety
/// Each pointer is null or valid for three sizes.
unsafe fn triples(
    first: *const usize,
    second: *const usize,
    region: *const usize,
) -> Result<([usize; 3], [usize; 3], [usize; 3])> {
    // SAFETY: as the caller vouches.
    let all = unsafe {
        raw::triple(first)
            .zip(raw::triple(second))
            .zip(raw::triple(region))
    };
    let ((first, second), region) = all.ok_or(Error(CL_INVALID_VALUE))?;
    Ok((first, second, region))
}

fn check_inside(shape: &Shape, buffer: &Arc<Buffer>) -> Result<()> {
    ensure!(shape.end() <= buffer.size(), CL_INVALID_VALUE);
    Ok(())
}

entry_points! {
    /// Reads a rectangular region of a buffer.
    status fn clEnqueueReadBufferRect(
        buffer: cl_mem, blocking_read: cl_bool, buffer_origin: *const usize,
        host_origin: *const usize, region: *const usize, buffer_row_pitch: usize,
        buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize,
        ptr: *mut c_void,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        // SAFETY: the application vouches for its origins and region.
        let (origin, host, region) = unsafe { triples(buffer_origin, host_origin, region)? };
        let from = Shape::new(origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let to = Shape::new(host, region, host_row_pitch, host_slice_pitch)?;
        check_inside(&from, &buffer)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_reads(buffer.flags())?;
        let memory = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            // SAFETY: the region was checked against the buffer, which is alive; the
            // application vouches for its memory until the command completes.
            unsafe { copy::rect(buffer.start(), &from, memory.get(), &to, region) };
            Ok(())
        });
        let tail = tail.blocking(blocking_read);
        tail.enqueue(&queue, Kind::ReadBufferRect, list, action)
    }

    /// Writes a rectangular region of a buffer.
    status fn clEnqueueWriteBufferRect(
        buffer: cl_mem, blocking_write: cl_bool, buffer_origin: *const usize,
        host_origin: *const usize, region: *const usize, buffer_row_pitch: usize,
        buffer_slice_pitch: usize, host_row_pitch: usize, host_slice_pitch: usize,
        ptr: *const c_void,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, buffer)?;
        // SAFETY: the application vouches for its origins and region.
        let (origin, host, region) = unsafe { triples(buffer_origin, host_origin, region)? };
        let to = Shape::new(origin, region, buffer_row_pitch, buffer_slice_pitch)?;
        let from = Shape::new(host, region, host_row_pitch, host_slice_pitch)?;
        check_inside(&to, &buffer)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_writes(buffer.flags())?;
        let memory = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            // SAFETY: as for reading.
            unsafe { copy::rect(memory.get(), &from, buffer.start_mut(), &to, region) };
            Ok(())
        });
        let tail = tail.blocking(blocking_write);
        tail.enqueue(&queue, Kind::WriteBufferRect, list, action)
    }

    /// Copies a rectangular region from a buffer to a buffer.
    status fn clEnqueueCopyBufferRect recorded clCommandCopyBufferRectKHR(
        src_buffer: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
        dst_origin: *const usize, region: *const usize, src_row_pitch: usize,
        src_slice_pitch: usize, dst_row_pitch: usize, dst_slice_pitch: usize,
    ) |queue, tail| {
        let source = buffer_of(&queue, src_buffer)?;
        let target = buffer_of(&queue, dst_buffer)?;
        // SAFETY: the application vouches for its origins and region.
        let (origin, other, region) = unsafe { triples(src_origin, dst_origin, region)? };
        let from = Shape::new(origin, region, src_row_pitch, src_slice_pitch)?;
        let to = Shape::new(other, region, dst_row_pitch, dst_slice_pitch)?;
        check_inside(&from, &source)?;
        check_inside(&to, &target)?;
        if Arc::ptr_eq(&source, &target) {
            ensure!(from.has_pitches_of(&to), CL_INVALID_VALUE);
        }
        let list = tail.wait_list(&queue.context)?;
        let (from_root, from_start) = source.place();
        let (to_root, to_start) = target.place();
        if from_root == to_root {
            let rows = |shape: Shape| Rows { shape, region };
            let (from, to) = (rows(from.moved(from_start)), rows(to.moved(to_start)));
            ensure!(!from.overlap(&to), CL_MEM_COPY_OVERLAP);
        }
        let action = move |_: &Arc<Event>| {
            // SAFETY: both regions were checked against the buffers, which are alive.
            unsafe { copy::rect(source.start(), &from, target.start_mut(), &to, region) };
            Ok(())
        };
        tail.repeatable(&queue, Kind::CopyBufferRect, list, action)
    }
}
