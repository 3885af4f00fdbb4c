//! Reading, writing, copying, filling and mapping images (`opencl_runtime_layer`, Image
//! Objects).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::entry::entry_points;
use super::image::image_of;
use super::{buffer_of, map};
use crate::ffi::raw::HostAddress;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::image::format::Colour;
use crate::memory::rect::{Rows, Shape};
use crate::memory::{Buffer, Image, MemObject, copy, flags};
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// Reads an origin and a region and checks that they lie in an image.
///
/// # Safety
/// Each pointer is null or valid for three sizes.
unsafe fn region_of(
    image: &Image,
    origin: *const usize,
    region: *const usize,
) -> Result<([usize; 3], [usize; 3])> {
    // SAFETY: as the caller vouches.
    let both = unsafe { raw::triple(origin).zip(raw::triple(region)) };
    let (origin, region) = both.ok_or(Error(CL_INVALID_VALUE))?;
    image.geometry().check_region(origin, region)?;
    Ok((origin, region))
}

/// A region of an image as it lies without gaps in a buffer from an offset on.
fn in_buffer(
    image: &Image,
    region: [usize; 3],
    buffer: &Arc<Buffer>,
    offset: usize,
) -> Result<Shape> {
    let bytes = image.geometry().in_bytes(region);
    let strides = [bytes[0], bytes[0] * bytes[1]];
    buffer.check_range(offset, strides[1] * bytes[2])?;
    Ok(Shape::strided(offset, bytes, strides))
}

entry_points! {
    /// Reads from an image into host memory.
    status fn clEnqueueReadImage(
        image: cl_mem, blocking_read: cl_bool, origin: *const usize, region: *const usize,
        row_pitch: usize, slice_pitch: usize, ptr: *mut c_void,
    ) |queue, tail| {
        let image = image_of(&queue, image)?;
        // SAFETY: the application vouches for its origin and region.
        let (origin, region) = unsafe { region_of(&image, origin, region)? };
        let to = image.geometry().host_shape(region, row_pitch, slice_pitch)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_reads(image.flags())?;
        let from = image.geometry().shape(origin, region);
        let bytes = image.geometry().in_bytes(region);
        let memory = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            // SAFETY: the region was checked against the image, which is alive; the
            // application vouches for its memory until the command completes.
            unsafe { copy::rect(image.start(), &from, memory.get(), &to, bytes) };
            Ok(())
        });
        tail.blocking(blocking_read).enqueue(&queue, Kind::ReadImage, list, action)
    }

    /// Writes host memory into an image.
    status fn clEnqueueWriteImage(
        image: cl_mem, blocking_write: cl_bool, origin: *const usize, region: *const usize,
        input_row_pitch: usize, input_slice_pitch: usize, ptr: *const c_void,
    ) |queue, tail| {
        let image = image_of(&queue, image)?;
        // SAFETY: the application vouches for its origin and region.
        let (origin, region) = unsafe { region_of(&image, origin, region)? };
        let from = image.geometry().host_shape(region, input_row_pitch, input_slice_pitch)?;
        ensure!(!ptr.is_null(), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        flags::check_host_writes(image.flags())?;
        let to = image.geometry().shape(origin, region);
        let bytes = image.geometry().in_bytes(region);
        let memory = HostAddress::new(ptr);
        let action: Action = Box::new(move |_| {
            // SAFETY: as for reading.
            unsafe { copy::rect(memory.get(), &from, image.start_mut(), &to, bytes) };
            Ok(())
        });
        tail.blocking(blocking_write).enqueue(&queue, Kind::WriteImage, list, action)
    }

    /// Copies from an image to an image of the same format.
    status fn clEnqueueCopyImage recorded clCommandCopyImageKHR(
        src_image: cl_mem, dst_image: cl_mem, src_origin: *const usize,
        dst_origin: *const usize, region: *const usize,
    ) |queue, tail| {
        let source = image_of(&queue, src_image)?;
        let target = image_of(&queue, dst_image)?;
        ensure!(source.format() == target.format(), CL_IMAGE_FORMAT_MISMATCH);
        // SAFETY: the application vouches for its origins and region.
        let ((origin, size), (other, _)) = unsafe {
            (
                region_of(&source, src_origin, region)?,
                region_of(&target, dst_origin, region)?,
            )
        };
        let list = tail.wait_list(&queue.context)?;
        let from = source.geometry().shape(origin, size);
        let to = target.geometry().shape(other, size);
        let bytes = source.geometry().in_bytes(size);
        if Arc::ptr_eq(&source, &target) {
            let rows = |shape: Shape| Rows { shape, region: bytes };
            ensure!(!rows(from).overlap(&rows(to)), CL_MEM_COPY_OVERLAP);
        }
        let action = move |_: &Arc<Event>| {
            // SAFETY: both regions were checked against the images, which are alive.
            unsafe { copy::rect(source.start(), &from, target.start_mut(), &to, bytes) };
            Ok(())
        };
        tail.repeatable(&queue, Kind::CopyImage, list, action)
    }

    /// Copies from an image to a buffer.
    status fn clEnqueueCopyImageToBuffer recorded clCommandCopyImageToBufferKHR(
        src_image: cl_mem, dst_buffer: cl_mem, src_origin: *const usize,
        region: *const usize, dst_offset: usize,
    ) |queue, tail| {
        let image = image_of(&queue, src_image)?;
        let buffer = buffer_of(&queue, dst_buffer)?;
        ensure!(!image.is_made_from(&buffer), CL_INVALID_MEM_OBJECT);
        // SAFETY: the application vouches for its origin and region.
        let (origin, size) = unsafe { region_of(&image, src_origin, region)? };
        let to = in_buffer(&image, size, &buffer, dst_offset)?;
        let list = tail.wait_list(&queue.context)?;
        let from = image.geometry().shape(origin, size);
        let bytes = image.geometry().in_bytes(size);
        let action = move |_: &Arc<Event>| {
            // SAFETY: both regions were checked against their objects, which are alive.
            unsafe { copy::rect(image.start(), &from, buffer.start_mut(), &to, bytes) };
            Ok(())
        };
        tail.repeatable(&queue, Kind::CopyImageToBuffer, list, action)
    }

    /// Copies from a buffer to an image.
    status fn clEnqueueCopyBufferToImage recorded clCommandCopyBufferToImageKHR(
        src_buffer: cl_mem, dst_image: cl_mem, src_offset: usize, dst_origin: *const usize,
        region: *const usize,
    ) |queue, tail| {
        let buffer = buffer_of(&queue, src_buffer)?;
        let image = image_of(&queue, dst_image)?;
        ensure!(!image.is_made_from(&buffer), CL_INVALID_MEM_OBJECT);
        // SAFETY: the application vouches for its origin and region.
        let (origin, size) = unsafe { region_of(&image, dst_origin, region)? };
        let from = in_buffer(&image, size, &buffer, src_offset)?;
        let list = tail.wait_list(&queue.context)?;
        let to = image.geometry().shape(origin, size);
        let bytes = image.geometry().in_bytes(size);
        let action = move |_: &Arc<Event>| {
            // SAFETY: both regions were checked against their objects, which are alive.
            unsafe { copy::rect(buffer.start(), &from, image.start_mut(), &to, bytes) };
            Ok(())
        };
        tail.repeatable(&queue, Kind::CopyBufferToImage, list, action)
    }

    /// Fills a region of an image with a colour.
    status fn clEnqueueFillImage recorded clCommandFillImageKHR(
        image: cl_mem, fill_color: *const c_void, origin: *const usize,
        region: *const usize,
    ) |queue, tail| {
        let image = image_of(&queue, image)?;
        ensure!(!fill_color.is_null(), CL_INVALID_VALUE);
        let mut colour = Colour::default();
        for (n, component) in colour.iter_mut().take(image.format().components()).enumerate() {
            // SAFETY: not null, and a colour of the format has so many components.
            *component = unsafe { fill_color.cast::<u32>().add(n).read_unaligned() };
        }
        // SAFETY: the application vouches for its origin and region.
        let (origin, region) = unsafe { region_of(&image, origin, region)? };
        let list = tail.wait_list(&queue.context)?;
        let element = image.format().element(colour);
        let shape = image.geometry().shape(origin, region);
        let [width, height, depth] = image.geometry().in_bytes(region);
        let action = move |_: &Arc<Event>| {
            for slice in 0..depth {
                for row in 0..height {
                    // SAFETY: each row of the region lies inside the image, which is alive.
                    unsafe {
                        copy::fill(image.start_mut().add(shape.row(row, slice)), width, &element);
                    }
                }
            }
            Ok(())
        };
        tail.repeatable(&queue, Kind::FillImage, list, action)
    }

    /// Maps a region of an image. The address and the pitches are the image's own; the
    /// command is there for its place in the order.
    create fn clEnqueueMapImage(
        image: cl_mem, blocking_map: cl_bool, map_flags: cl_map_flags, origin: *const usize,
        region: *const usize, image_row_pitch: *mut usize, image_slice_pitch: *mut usize,
    ) -> *mut c_void |queue, tail| {
        let image = image_of(&queue, image)?;
        // SAFETY: the application vouches for its origin and region.
        let (origin, region) = unsafe { region_of(&image, origin, region)? };
        map::check_map_flags(map_flags)?;
        ensure!(!image_row_pitch.is_null(), CL_INVALID_VALUE);
        let geometry = *image.geometry();
        let needs_slices = geometry.kind.has_slices();
        ensure!(!(needs_slices && image_slice_pitch.is_null()), CL_INVALID_VALUE);
        let list = tail.wait_list(&queue.context)?;
        map::check_access(map_flags, image.flags())?;
        let mapping = image.map(origin, region, map_flags)?;
        let (tail, object) = (tail.blocking(blocking_map), MemObject::Image(image));
        let address = map::enqueue(&queue, tail, Kind::MapImage, list, object, mapping)?;
        let slice_pitch = match !needs_slices && on(Fault::MapSlicePitch) {
            true => geometry.row_pitch * region[1],
            false => geometry.slice_pitch,
        };
        // SAFETY: the application vouches for its pointers.
        unsafe {
            raw::put(image_row_pitch, geometry.row_pitch);
            raw::put(image_slice_pitch, slice_pitch);
        }
        Ok(address)
    }
}
