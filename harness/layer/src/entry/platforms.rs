//! Platforms, devices and contexts.

use super::find;
use super::forward::entry_points;
use crate::faults::{spoof, sync};
use libc::{c_char, c_void, size_t};
use opencl_sys::*;

entry_points! {
    clGetPlatformInfo(
        platform: cl_platform_id,
        param_name: cl_platform_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by platform_or_first(platform),
        replaces platform,
        hook spoof::platform_info;
    clGetDeviceIDs(
        platform: cl_platform_id,
        device_type: cl_device_type,
        num_entries: cl_uint,
        devices: *mut cl_device_id,
        num_devices: *mut cl_uint,
    ) -> cl_int,
        by platform_or_first(platform),
        replaces platform;
    clGetDeviceInfo(
        device: cl_device_id,
        param_name: cl_device_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE),
        hook spoof::device_info;
    clCreateContext(
        properties: *const cl_context_properties,
        num_devices: cl_uint,
        devices: *const cl_device_id,
        pfn_notify: Option< unsafe extern "C" fn( errinfo: *const c_char, private_info: *const c_void, cb: size_t, user_data: *mut c_void, ), >,
        user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_context,
        by each(num_devices, devices, CL_INVALID_VALUE, CL_INVALID_DEVICE),
        errcode errcode_ret;
    clCreateContextFromType(
        properties: *const cl_context_properties,
        device_type: cl_device_type,
        pfn_notify: Option< unsafe extern "C" fn( errinfo: *const c_char, private_info: *const c_void, cb: size_t, user_data: *mut c_void, ), >,
        user_data: *mut c_void,
        errcode_ret: *mut cl_int,
    ) -> cl_context,
        by properties(properties),
        errcode errcode_ret;
    clRetainContext(
        context: cl_context,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT);
    clReleaseContext(
        context: cl_context,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT),
        hook sync::release;
    clGetContextInfo(
        context: cl_context,
        param_name: cl_context_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT);
    clCreateSubDevices(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property,
        num_devices: cl_uint,
        out_devices: *mut cl_device_id,
        num_devices_ret: *mut cl_uint,
    ) -> cl_int,
        by object(in_device, CL_INVALID_DEVICE);
    clRetainDevice(
        device: cl_device_id,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clReleaseDevice(
        device: cl_device_id,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clSetContextDestructorCallback(
        context: cl_context,
        pfn_notify: Option<unsafe extern "C" fn(context: cl_context, user_data: *mut c_void)>,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT);
}
