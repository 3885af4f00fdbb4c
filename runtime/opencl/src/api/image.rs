//! Images. `CL_DEVICE_IMAGE_SUPPORT` is false: making or using one is
//! `CL_INVALID_OPERATION`, as the specification says where no device of the context
//! supports images.

use std::ffi::c_void;

use opencl_sys::*;

use crate::context::Context;
use crate::edge::entry::entry_points;
use crate::edge::{Error, ensure, raw};
use crate::object;
use crate::queue::Queue;

entry_points! {
    /// Makes an image.
    create fn clCreateImage(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes an image with properties.
    create fn clCreateImageWithProperties(
        context: cl_context,
        _properties: *const cl_mem_properties,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_desc: *const cl_image_desc,
        _host_ptr: *mut c_void,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes a 2D image (OpenCL 1.1).
    create fn clCreateImage2D(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_row_pitch: usize,
        _host_ptr: *mut c_void,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes a 3D image (OpenCL 1.1).
    create fn clCreateImage3D(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_format: *const cl_image_format,
        _image_width: usize,
        _image_height: usize,
        _image_depth: usize,
        _image_row_pitch: usize,
        _image_slice_pitch: usize,
        _host_ptr: *mut c_void,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Lists the supported image formats: none.
    status fn clGetSupportedImageFormats(
        context: cl_context,
        _flags: cl_mem_flags,
        _image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) {
        object::find::<Context>(context)?;
        ensure!(image_formats.is_null() || num_entries != 0, CL_INVALID_VALUE);
        // SAFETY: the application vouches for its pointer.
        unsafe { raw::put(num_image_formats, 0) };
        Ok(())
    }

    /// Answers a query about an image.
    status fn clGetImageInfo(
        _image: cl_mem,
        _param_name: cl_image_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) {
        Err(Error(CL_INVALID_MEM_OBJECT))
    }

    /// Reads from an image.
    status fn clEnqueueReadImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_read: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _row_pitch: usize,
        _slice_pitch: usize,
        _ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Writes into an image.
    status fn clEnqueueWriteImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_write: cl_bool,
        _origin: *const usize,
        _region: *const usize,
        _input_row_pitch: usize,
        _input_slice_pitch: usize,
        _ptr: *const c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Copies from an image to an image.
    status fn clEnqueueCopyImage(
        command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_image: cl_mem,
        _src_origin: *const usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Copies from an image to a buffer.
    status fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue,
        _src_image: cl_mem,
        _dst_buffer: cl_mem,
        _src_origin: *const usize,
        _region: *const usize,
        _dst_offset: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Copies from a buffer to an image.
    status fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue,
        _src_buffer: cl_mem,
        _dst_image: cl_mem,
        _src_offset: usize,
        _dst_origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Fills an image.
    status fn clEnqueueFillImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _fill_color: *const c_void,
        _origin: *const usize,
        _region: *const usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Maps a region of an image.
    create fn clEnqueueMapImage(
        command_queue: cl_command_queue,
        _image: cl_mem,
        _blocking_map: cl_bool,
        _map_flags: cl_map_flags,
        _origin: *const usize,
        _region: *const usize,
        _image_row_pitch: *mut usize,
        _image_slice_pitch: *mut usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> *mut c_void {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }
}
