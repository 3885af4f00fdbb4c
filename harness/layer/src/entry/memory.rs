//! Memory objects, samplers, pipes and shared virtual memory.

use super::find;
use super::forward::entry_points;
use crate::faults::{memory, svm, sync};
use libc::{c_void, size_t};
use opencl_sys::*;

entry_points! {
    clCreateBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        alters (flags, host_ptr) memory::create_buffer;
    clCreateImage2D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: size_t,
        image_height: size_t,
        image_row_pitch: size_t,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateImage3D(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_width: size_t,
        image_height: size_t,
        image_depth: size_t,
        image_row_pitch: size_t,
        image_slice_pitch: size_t,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clRetainMemObject(
        memobj: cl_mem,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT);
    clReleaseMemObject(
        memobj: cl_mem,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT),
        hook sync::release;
    clGetSupportedImageFormats(
        context: cl_context,
        flags: cl_mem_flags,
        image_type: cl_mem_object_type,
        num_entries: cl_uint,
        image_formats: *mut cl_image_format,
        num_image_formats: *mut cl_uint,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT);
    clGetMemObjectInfo(
        memobj: cl_mem,
        param_name: cl_mem_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT);
    clGetImageInfo(
        image: cl_mem,
        param_name: cl_image_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(image, CL_INVALID_MEM_OBJECT);
    clCreateSampler(
        context: cl_context,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
        errcode_ret: *mut cl_int,
    ) -> cl_sampler,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clRetainSampler(
        sampler: cl_sampler,
    ) -> cl_int,
        by object(sampler, CL_INVALID_SAMPLER);
    clReleaseSampler(
        sampler: cl_sampler,
    ) -> cl_int,
        by object(sampler, CL_INVALID_SAMPLER),
        hook sync::release;
    clGetSamplerInfo(
        sampler: cl_sampler,
        param_name: cl_sampler_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(sampler, CL_INVALID_SAMPLER);
    clCreateSubBuffer(
        buffer: cl_mem,
        flags: cl_mem_flags,
        buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(buffer, CL_INVALID_MEM_OBJECT),
        errcode errcode_ret,
        hook memory::sub_buffer;
    clSetMemObjectDestructorCallback(
        memobj: cl_mem,
        pfn_notify: Option<unsafe extern "C" fn(memobj: cl_mem, user_data: *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(memobj, CL_INVALID_MEM_OBJECT);
    clCreateImage(
        context: cl_context,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreatePipe(
        context: cl_context,
        flags: cl_mem_flags,
        pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint,
        properties: *const cl_pipe_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clGetPipeInfo(
        pipe: cl_mem,
        param_name: cl_pipe_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(pipe, CL_INVALID_MEM_OBJECT);
    clSVMAlloc(
        context: cl_context,
        flags: cl_svm_mem_flags,
        size: size_t,
        alignment: cl_uint,
    ) -> *mut c_void,
        by object(context, CL_INVALID_CONTEXT),
        hook svm::alloc;
    clSVMFree(
        context: cl_context,
        svm_pointer: *mut c_void,
    ) -> (),
        by object(context, CL_INVALID_CONTEXT),
        hook svm::free;
    clCreateSamplerWithProperties(
        context: cl_context,
        sampler_properties: *const cl_sampler_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_sampler,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
    clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        size: size_t,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        alters (flags, host_ptr) memory::create_buffer;
    clCreateImageWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        image_format: *const cl_image_format,
        image_desc: *const cl_image_desc,
        host_ptr: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_mem,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret;
}
