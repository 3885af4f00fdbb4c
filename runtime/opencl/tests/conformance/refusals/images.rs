//! Images and samplers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::sampler::*;

use crate::table::{Refusal, refused, room, to};
use crate::zoo::{RGBA8, desc};

/// Where regions begin, and a region of a plane.
const O: [usize; 3] = [0; 3];
const R: [usize; 3] = [4, 4, 1];
const PLANE: cl_mem_object_type = CL_MEM_OBJECT_IMAGE2D;
/// No format: this order goes with no type of this kind.
const BAD: cl_image_format = cl_image_format {
    image_channel_order: CL_RGB,
    image_channel_data_type: CL_FLOAT,
};

pub fn cases() -> Vec<Refusal> {
    let mut all = making();
    all.extend(moving());
    all.extend(copying());
    all
}

fn making() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateImage {
            (zoo.queue, 0, &RGBA8, &desc(PLANE, [8, 8, 0]), null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, 1 << 40, &RGBA8, &desc(PLANE, [8, 8, 0]), null_mut()) CL_INVALID_VALUE
                "if values specified in _flags_ are not valid";
            (zoo.context, 0, null(), &desc(PLANE, [8, 8, 0]), null_mut())
                CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if _image_format_ is `NULL`";
            (zoo.context, 0, &BAD, &desc(PLANE, [8, 8, 0]), null_mut())
                CL_INVALID_IMAGE_FORMAT_DESCRIPTOR "if values specified in _image_format_ are not valid";
            (zoo.context, 0, &RGBA8, null(), null_mut()) CL_INVALID_IMAGE_DESCRIPTOR
                "_image_desc_ is a pointer to a structure that describes type and dimensions of the image to be allocated.";
            (zoo.context, 0, &RGBA8, &desc(PLANE, [0, 8, 0]), null_mut()) CL_INVALID_IMAGE_SIZE
                "if the image dimensions specified in _image_desc_ are not valid";
            (zoo.context, 0, &RGBA8, &desc(PLANE, [1 << 20, 8, 0]), null_mut()) CL_INVALID_IMAGE_SIZE
                "or exceed the maximum image dimensions";
            (zoo.context, CL_MEM_USE_HOST_PTR, &RGBA8, &desc(PLANE, [8, 8, 0]), null_mut())
                CL_INVALID_HOST_PTR "if _host_ptr_ is `NULL` and {CL_MEM_USE_HOST_PTR} or {CL_MEM_COPY_HOST_PTR} are set in _flags_";
            (zoo.context, 0, &RGBA8, &desc(PLANE, [2, 2, 0]), zoo.shared(0))
                CL_INVALID_HOST_PTR "if _host_ptr_ is not `NULL` but {CL_MEM_COPY_HOST_PTR} or {CL_MEM_USE_HOST_PTR} are not set in _flags_";
        }
        create clCreateImageWithProperties {
            (zoo.device, null(), 0, &RGBA8, &desc(PLANE, [8, 8, 0]), null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, [77, 1, 0].as_ptr(), 0, &RGBA8, &desc(PLANE, [8, 8, 0]), null_mut())
                CL_INVALID_PROPERTY "if a property name in _properties_ is not a supported property name";
        }
        create clCreateImage2D {
            (zoo.device, 0, &RGBA8, 8, 8, 0, null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 1 << 40, &RGBA8, 8, 8, 0, null_mut()) CL_INVALID_VALUE
                "if values specified in _flags_ are not valid.";
            (zoo.context, 0, null(), 8, 8, 0, null_mut()) CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                "if values specified in _image_format_ are not valid or if _image_format_ is `NULL`.";
            (zoo.context, 0, &RGBA8, 8, 0, 0, null_mut()) CL_INVALID_IMAGE_SIZE
                "if _image_width_ or _image_height_ are 0";
            (zoo.context, CL_MEM_COPY_HOST_PTR, &RGBA8, 8, 8, 31, zoo.shared(0)) CL_INVALID_IMAGE_SIZE
                "or if values specified by _image_row_pitch_ do not follow rules described in the argument description above.";
            (zoo.context, CL_MEM_COPY_HOST_PTR, &RGBA8, 8, 8, 0, null_mut()) CL_INVALID_HOST_PTR
                "if _host_ptr_ is `NULL` and {CL_MEM_USE_HOST_PTR} or {CL_MEM_COPY_HOST_PTR} are set in _flags_";
        }
        create clCreateImage3D {
            (zoo.device, 0, &RGBA8, 8, 8, 2, 0, 0, null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 0, &RGBA8, 8, 8, 1, 0, 0, null_mut()) CL_INVALID_IMAGE_SIZE
                "if _image_width_ or _image_height_ are 0 or if _image_depth_ {leq} 1";
        }
        status clGetSupportedImageFormats {
            (zoo.device, 0, PLANE, 0, null_mut(), &mut 0) CL_INVALID_CONTEXT
                "if _context_ is not a valid context";
            (zoo.context, 1 << 40, PLANE, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _flags_ is not valid";
            (zoo.context, 0, CL_MEM_OBJECT_BUFFER, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _image_type_ is not valid";
            (zoo.context, 0, PLANE, 0, [RGBA8].as_mut_ptr(), &mut 0) CL_INVALID_VALUE
                "if _num_entries_ is zero and _image_formats_ is not `NULL`";
        }
        status clGetImageInfo {
            (zoo.buffer, CL_IMAGE_WIDTH, 0, null_mut(), &mut 0) CL_INVALID_MEM_OBJECT
                "if _image_ is a not a valid image object";
            (zoo.plane, CL_MEM_SIZE, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.plane, CL_IMAGE_WIDTH, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "if the size in bytes specified by _param_value_size_ is less than the size of the return type";
        }
        create clCreateSampler {
            (zoo.device, 1, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST) CL_INVALID_VALUE
                "if _addressing_mode_, _filter_mode_, _normalized_coords_ or a combination of these arguments are not valid.";
            (zoo.context, 1, 0, CL_FILTER_NEAREST) CL_INVALID_VALUE
                "if _addressing_mode_, _filter_mode_, _normalized_coords_ or a combination of these arguments are not valid.";
            (zoo.context, 1, CL_ADDRESS_CLAMP, 0) CL_INVALID_VALUE
                "if _addressing_mode_, _filter_mode_, _normalized_coords_ or a combination of these arguments are not valid.";
        }
        create clCreateSamplerWithProperties {
            (zoo.device, null()) CL_INVALID_CONTEXT "if _context_ is not a valid context.";
            (zoo.context, [77, 1, 0].as_ptr()) CL_INVALID_VALUE
                "if the property name in _sampler_properties_ is not a supported property name";
            (zoo.context, [u64::from(CL_SAMPLER_FILTER_MODE), 1, 0].as_ptr()) CL_INVALID_VALUE
                "if the value specified for a supported property name is not valid";
            (zoo.context, [u64::from(CL_SAMPLER_NORMALIZED_COORDS), 1, u64::from(CL_SAMPLER_NORMALIZED_COORDS), 1, 0].as_ptr())
                CL_INVALID_VALUE "or if the same property name is specified more than once.";
        }
        status clRetainSampler {
            (zoo.buffer) CL_INVALID_SAMPLER "if _sampler_ is not a valid sampler object.";
        }
        status clReleaseSampler {
            (null_mut()) CL_INVALID_SAMPLER "if _sampler_ is not a valid sampler object.";
        }
        status clGetSamplerInfo {
            (zoo.buffer, CL_SAMPLER_CONTEXT, 0, null_mut(), &mut 0) CL_INVALID_SAMPLER
                "if _sampler_ is a not a valid sampler object.";
            (zoo.sampler, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.sampler, CL_SAMPLER_CONTEXT, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
    }
}

fn moving() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueReadImage {
            (zoo.context, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _image_ are not the same";
            (zoo.queue, zoo.buffer, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _image_ is not a valid image object";
            (zoo.queue, zoo.plane, CL_TRUE, null(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _origin_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), null(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, [5, 0, 0].as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being read or written specified by _origin_ and _region_ is out of bounds";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), [4, 4, 2].as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if values in _origin_ and _region_ do not follow the rules described in the argument description for _origin_ and _region_";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 64, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if _image_ is a 1D or 2D image and _slice_pitch_ or _input_slice_pitch_ is not zero";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the read or write operations are blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error.";
            (zoo.queue, zoo.hidden_plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueReadImage} is called on _image_ which has been created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueWriteImage {
            (zoo.context, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _image_ are not the same";
            (zoo.queue, zoo.sampler, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _image_ is not a valid image object";
            (zoo.queue, zoo.row, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_VALUE "if values in _origin_ and _region_ do not follow the rules described in the argument description for _origin_ and _region_";
            (zoo.queue, zoo.plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _ptr_ is `NULL`";
            (zoo.queue, zoo.hidden_plane, CL_TRUE, O.as_ptr(), R.as_ptr(), 0, 0, zoo.shared(0), 0, null(), null_mut())
                CL_INVALID_OPERATION "if {clEnqueueWriteImage} is called on _image_ which has been created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS}";
        }
        status clEnqueueFillImage {
            (zoo.context, zoo.plane, to(&[0u32; 4]), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, to(&[0u32; 4]), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _image_ are not the same";
            (zoo.queue, zoo.buffer, to(&[0u32; 4]), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _image_ is not a valid image object";
            (zoo.queue, zoo.plane, null(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _fill_color_ is `NULL`";
            (zoo.queue, zoo.plane, to(&[0u32; 4]), null(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _origin_ is `NULL`";
            (zoo.queue, zoo.plane, to(&[0u32; 4]), O.as_ptr(), null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.plane, to(&[0u32; 4]), O.as_ptr(), [9, 1, 1].as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being filled specified by _origin_ and _region_ is out of bounds";
            (zoo.queue, zoo.plane, to(&[0u32; 4]), O.as_ptr(), [0, 1, 1].as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if values in _origin_ and _region_ do not follow the rules described in the argument description for _origin_ and _region_";
        }
        create clEnqueueMapImage {
            (zoo.context, zoo.plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _image_ are not the same";
            (zoo.queue, zoo.buffer, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _image_ is not a valid image object";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, null(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _origin_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), null(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, [8, 0, 0].as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region being mapped specified by _origin_ and _region_ is out of bounds";
            (zoo.queue, zoo.plane, CL_TRUE, 1 << 9, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if values specified in _map_flags_ are not valid";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), null_mut(), null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _image_row_pitch_ is `NULL`";
            (zoo.queue, zoo.solid, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _image_ is a 3D and _image_slice_pitch_ is `NULL`";
            (zoo.queue, zoo.plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 1, &zoo.failed, null_mut())
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the map operations is blocking and the execution status of any of the events in _event_wait_list_ is a negative integer value indicating an error.";
            (zoo.queue, zoo.hidden_plane, CL_TRUE, CL_MAP_READ, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_OPERATION "if _image_ has been created with {CL_MEM_HOST_WRITE_ONLY} or {CL_MEM_HOST_NO_ACCESS} and {CL_MAP_READ} is set in _map_flags_";
            (zoo.queue, zoo.hidden_plane, CL_TRUE, CL_MAP_WRITE, O.as_ptr(), R.as_ptr(), &mut 0, null_mut(), 0, null(), null_mut())
                CL_INVALID_OPERATION "if _image_ has been created with {CL_MEM_HOST_READ_ONLY} or {CL_MEM_HOST_NO_ACCESS} and {CL_MAP_WRITE} or {CL_MAP_WRITE_INVALIDATE_REGION} is set in _map_flags_";
        }
    }
}

fn copying() -> Vec<Refusal> {
    refused! { zoo:
        status clEnqueueCopyImage {
            (zoo.context, zoo.plane, zoo.solid, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, zoo.solid, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _src_image_ are not the same";
            (zoo.queue, zoo.plane, zoo.foreign_plane, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _dst_image_ are not the same";
            (zoo.queue, zoo.buffer, zoo.solid, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _src_image_ is not a valid image object";
            (zoo.queue, zoo.plane, zoo.buffer, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _dst_image_ is not a valid image object";
            (zoo.queue, zoo.plane, zoo.grey, O.as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_IMAGE_FORMAT_MISMATCH "if _src_image_ and _dst_image_ do not use the same image format";
            (zoo.queue, zoo.plane, zoo.solid, null(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_origin_ is `NULL`";
            (zoo.queue, zoo.plane, zoo.solid, O.as_ptr(), null(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_origin_ is `NULL`";
            (zoo.queue, zoo.plane, zoo.solid, O.as_ptr(), O.as_ptr(), null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.plane, zoo.solid, [5, 0, 0].as_ptr(), O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the 2D or 3D rectangular region specified by _src_origin_ and _region_ refers to a region outside _src_image_";
            (zoo.queue, zoo.plane, zoo.solid, O.as_ptr(), [0, 0, 2].as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the 2D or 3D rectangular region specified by _dst_origin_ and _region_ refers to a region outside _dst_image_";
            (zoo.queue, zoo.plane, zoo.plane, O.as_ptr(), [3, 3, 0].as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_MEM_COPY_OVERLAP "if _src_image_ and _dst_image_ are the same image object and the source and destination regions overlap";
        }
        status clEnqueueCopyImageToBuffer {
            (zoo.context, zoo.plane, zoo.buffer, O.as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_plane, zoo.buffer, O.as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _src_image_ are not the same";
            (zoo.queue, zoo.plane, zoo.foreign_buffer, O.as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _dst_buffer_ are not the same";
            (zoo.queue, zoo.buffer, zoo.buffer, O.as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _src_image_ is not a valid image object";
            (zoo.queue, zoo.plane, zoo.plane, O.as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _dst_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.plane, zoo.buffer, null(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _src_origin_ is `NULL`";
            (zoo.queue, zoo.plane, zoo.buffer, O.as_ptr(), null(), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.plane, zoo.buffer, [0, 5, 0].as_ptr(), R.as_ptr(), 0, 0, null(), null_mut())
                CL_INVALID_VALUE "if the 1D, 2D or 3D rectangular region specified by _src_origin_ and _region_ is out of bounds of _src_image_";
            (zoo.queue, zoo.plane, zoo.buffer, O.as_ptr(), R.as_ptr(), 961, 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _dst_offset_ and the computed _dst_cb_ is out of bounds of _dst_buffer_";
        }
        status clEnqueueCopyBufferToImage {
            (zoo.context, zoo.buffer, zoo.plane, 0, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_COMMAND_QUEUE "if _command_queue_ is not a valid host command-queue";
            (zoo.queue, zoo.foreign_buffer, zoo.plane, 0, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _src_buffer_ are not the same";
            (zoo.queue, zoo.buffer, zoo.foreign_plane, 0, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_CONTEXT "if the context associated with _command_queue_ and _dst_image_ are not the same";
            (zoo.queue, zoo.plane, zoo.plane, 0, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _src_buffer_ is not a valid buffer object";
            (zoo.queue, zoo.buffer, zoo.buffer, 0, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_MEM_OBJECT "if _dst_image_ is not a valid image object";
            (zoo.queue, zoo.buffer, zoo.plane, 0, null(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _dst_origin_ is `NULL`";
            (zoo.queue, zoo.buffer, zoo.plane, 0, O.as_ptr(), null(), 0, null(), null_mut())
                CL_INVALID_VALUE "if _region_ is `NULL`";
            (zoo.queue, zoo.buffer, zoo.plane, 961, O.as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the region specified by _src_offset_ and the computed _src_cb_ is out of bounds of _src_buffer_";
            (zoo.queue, zoo.buffer, zoo.plane, 0, [0, 5, 0].as_ptr(), R.as_ptr(), 0, null(), null_mut())
                CL_INVALID_VALUE "if the 1D, 2D or 3D rectangular region specified by _dst_origin_ and _region_ is out of bounds of _dst_image_";
        }
    }
}
