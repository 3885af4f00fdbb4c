//! Memory objects, samplers, pipes and shared virtual memory.

use super::forward::{Notify, entry_points};
use crate::faults::{answers, memory, svm, sync};
use libc::{c_void, size_t};
use opencl_sys::*;

entry_points! {
    object(context: cl_context, CL_INVALID_CONTEXT) {
        clCreateBuffer(flags: cl_mem_flags, size: size_t, host_ptr: *mut c_void) -> cl_mem,
            errcode(errcode_ret), alters(flags, size, host_ptr) => memory::create_buffer;
        clCreateImage2D(
            flags: cl_mem_flags, image_format: *const cl_image_format, image_width: size_t,
            image_height: size_t, image_row_pitch: size_t, host_ptr: *mut c_void,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreateImage3D(
            flags: cl_mem_flags, image_format: *const cl_image_format, image_width: size_t,
            image_height: size_t, image_depth: size_t, image_row_pitch: size_t,
            image_slice_pitch: size_t, host_ptr: *mut c_void,
        ) -> cl_mem,
            errcode(errcode_ret);
        clGetSupportedImageFormats(
            flags: cl_mem_flags, image_type: cl_mem_object_type, num_entries: cl_uint,
            image_formats: *mut cl_image_format, num_image_formats: *mut cl_uint,
        ) -> cl_int,
            hook(num_entries, image_formats) => answers::formats;
        clCreateSampler(
            normalized_coords: cl_bool, addressing_mode: cl_addressing_mode,
            filter_mode: cl_filter_mode,
        ) -> cl_sampler,
            errcode(errcode_ret);
        clCreateImage(
            flags: cl_mem_flags, image_format: *const cl_image_format,
            image_desc: *const cl_image_desc, host_ptr: *mut c_void,
        ) -> cl_mem,
            errcode(errcode_ret);
        clCreatePipe(
            flags: cl_mem_flags, pipe_packet_size: cl_uint, pipe_max_packets: cl_uint,
            properties: *const cl_pipe_properties,
        ) -> cl_mem,
            errcode(errcode_ret);
        clSVMAlloc(flags: cl_svm_mem_flags, size: size_t, alignment: cl_uint) -> *mut c_void,
            hook(size) => svm::alloc;
        clSVMFree(svm_pointer: *mut c_void) -> (), hook(svm_pointer) => svm::free;
        clCreateSamplerWithProperties(
            sampler_properties: *const cl_sampler_properties,
        ) -> cl_sampler,
            errcode(errcode_ret);
        clCreateBufferWithProperties(
            properties: *const cl_mem_properties, flags: cl_mem_flags, size: size_t,
            host_ptr: *mut c_void,
        ) -> cl_mem,
            errcode(errcode_ret), alters(flags, size, host_ptr) => memory::create_buffer;
        clCreateImageWithProperties(
            properties: *const cl_mem_properties, flags: cl_mem_flags,
            image_format: *const cl_image_format, image_desc: *const cl_image_desc,
            host_ptr: *mut c_void,
        ) -> cl_mem,
            errcode(errcode_ret);
    }
    object(memobj: cl_mem, CL_INVALID_MEM_OBJECT) {
        clRetainMemObject() -> cl_int;
        clReleaseMemObject() -> cl_int, hook(memobj) => sync::release_memory;
        clGetMemObjectInfo(
            param_name: cl_mem_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clGetImageInfo(
            param_name: cl_image_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clCreateSubBuffer(
            flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
            buffer_create_info: *const c_void,
        ) -> cl_mem,
            errcode(errcode_ret),
            hook(memobj, flags, buffer_create_type; buffer_create_info, errcode_ret)
                => memory::sub_buffer;
        clSetMemObjectDestructorCallback(
            pfn_notify: Option<Notify>, user_data: *mut c_void,
        ) -> cl_int;
        clGetPipeInfo(
            param_name: cl_pipe_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
    }
    object(sampler: cl_sampler, CL_INVALID_SAMPLER) {
        clRetainSampler() -> cl_int;
        clReleaseSampler() -> cl_int, hook() => sync::release;
        clGetSamplerInfo(
            param_name: cl_sampler_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
    }
}
