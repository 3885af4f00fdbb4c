//! Making and querying images (`opencl_runtime_layer`, Image Objects), the old forms
//! included.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::Image;
use crate::memory::flags::{HOST_ACCESS, HOST_POINTER};
use crate::memory::image::format::Format;
use crate::memory::image::geometry::Kind;
use crate::memory::image::{Request, check_support};
use crate::object;
use crate::platform::capabilities;
use crate::platform::profile::{self, Feature, Version};
use crate::queue::Queue;

/// A descriptor for the functions of OpenCL 1.1.
fn old_desc(
    image_type: cl_mem_object_type,
    sides: [usize; 3],
    pitches: [usize; 2],
) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: sides[0],
        image_height: sides[1],
        image_depth: sides[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

/// Makes an image and publishes it.
///
/// # Safety
/// The pointers are null or what the specification demands of them.
unsafe fn make(
    context: cl_context,
    properties: Vec<cl_mem_properties>,
    flags: cl_mem_flags,
    image_format: *const cl_image_format,
    desc: Option<&cl_image_desc>,
    host_ptr: *mut c_void,
) -> Result<cl_mem> {
    let context = object::find::<Context>(context)?;
    let request = Request {
        flags,
        // SAFETY: the caller vouches for its pointer.
        format: unsafe { image_format.as_ref() },
        desc,
        host_ptr,
        properties,
    };
    // SAFETY: the caller vouches for its pointer.
    let image = unsafe { Image::new(context, request)? };
    Ok(object::publish(&image))
}

/// What the functions of OpenCL 1.1 say about pitches, which they count among the sizes.
fn old_error(error: Error) -> Error {
    if error == Error(CL_INVALID_IMAGE_DESCRIPTOR) {
        Error(CL_INVALID_IMAGE_SIZE)
    } else {
        error
    }
}

entry_points! {
    /// Makes an image.
    create fn clCreateImage(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
        image_desc: *const cl_image_desc, host_ptr: *mut c_void,
    ) -> cl_mem {
        // SAFETY: the application vouches for its pointers.
        unsafe { make(context, Vec::new(), flags, image_format, image_desc.as_ref(), host_ptr) }
    }

    /// Makes an image with properties, of which none is defined.
    create fn clCreateImageWithProperties(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
        image_format: *const cl_image_format, image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        profile::require_version(Version::V3_0)?;
        // SAFETY: the application vouches for its list and its pointers.
        unsafe {
            let properties = raw::property_list(properties);
            make(context, properties, flags, image_format, image_desc.as_ref(), host_ptr)
        }
    }

    /// Makes a 2D image (OpenCL 1.1).
    create fn clCreateImage2D(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
        image_width: usize, image_height: usize, image_row_pitch: usize,
        host_ptr: *mut c_void,
    ) -> cl_mem {
        let sides = [image_width, image_height, 0];
        let desc = old_desc(CL_MEM_OBJECT_IMAGE2D, sides, [image_row_pitch, 0]);
        // SAFETY: the application vouches for its pointers.
        unsafe { make(context, Vec::new(), flags, image_format, Some(&desc), host_ptr) }
            .map_err(old_error)
    }

    /// Makes a 3D image (OpenCL 1.1).
    create fn clCreateImage3D(
        context: cl_context, flags: cl_mem_flags, image_format: *const cl_image_format,
        image_width: usize, image_height: usize, image_depth: usize, image_row_pitch: usize,
        image_slice_pitch: usize, host_ptr: *mut c_void,
    ) -> cl_mem {
        let sides = [image_width, image_height, image_depth];
        // A depth of one, which this old function does not take, is made as wrong as zero.
        let sides = if image_depth == 1 { [image_width, image_height, 0] } else { sides };
        let pitches = [image_row_pitch, image_slice_pitch];
        let desc = old_desc(CL_MEM_OBJECT_IMAGE3D, sides, pitches);
        // SAFETY: the application vouches for its pointers.
        unsafe { make(context, Vec::new(), flags, image_format, Some(&desc), host_ptr) }
            .map_err(old_error)
    }

    /// Lists the supported image formats of a kind of images, which are the same for every use.
    status fn clGetSupportedImageFormats(
        context: cl_context, flags: cl_mem_flags, image_type: cl_mem_object_type,
        num_entries: cl_uint, image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) {
        object::find::<Context>(context)?;
        let uses = CL_MEM_READ_WRITE
            | CL_MEM_READ_ONLY
            | CL_MEM_WRITE_ONLY
            | CL_MEM_KERNEL_READ_AND_WRITE;
        let known = HOST_ACCESS | HOST_POINTER;
        ensure!(flags & !(uses | known) == 0, CL_INVALID_VALUE);
        ensure!((flags & uses).count_ones() <= 1, CL_INVALID_VALUE);
        let kind = Kind::of_code(image_type).ok_or(Error(CL_INVALID_VALUE))?;
        ensure!(image_formats.is_null() || num_entries != 0, CL_INVALID_VALUE);
        let both = flags & CL_MEM_KERNEL_READ_AND_WRITE != 0;
        let offered = capabilities::images() && (!both || profile::has(Feature::ReadWriteImages));
        let formats: Vec<Format> = if offered { Format::of(kind).collect() } else { Vec::new() };
        let codes = formats.iter().map(|format| format.code());
        // SAFETY: the list has room for `num_entries`; the application vouches for its pointers.
        unsafe {
            raw::put_all(image_formats, num_entries as usize, codes);
            raw::put(num_image_formats, formats.len() as cl_uint);
        }
        Ok(())
    }

    /// Answers a query about an image.
    query fn clGetImageInfo(image: cl_mem, param_name: cl_image_info) {
        object::find::<Image>(image)?.image_info(param_name)
    }
}

/// An image that a command of a queue may use.
///
/// # Errors
/// `CL_INVALID_OPERATION`, `CL_INVALID_MEM_OBJECT`, `CL_INVALID_CONTEXT`.
pub(super) fn image_of(queue: &Arc<Queue>, handle: cl_mem) -> Result<Arc<Image>> {
    check_support()?;
    let image = object::find::<Image>(handle)?;
    ensure!(
        Arc::ptr_eq(image.context(), &queue.context),
        CL_INVALID_CONTEXT
    );
    image.store().address(&queue.device)?;
    Ok(image)
}
