//! Platforms, devices and contexts.

use super::find;
use super::forward::{Notify, entry_points};
use crate::faults::{answers, spoof, sync};
use libc::{c_char, c_void, size_t};
use opencl_sys::*;

/// What a context calls with its errors.
type ContextNotify = unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void);

entry_points! {
    platform(platform) {
        clGetPlatformInfo(
            param_name: cl_platform_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name; param_value_size, param_value, param_value_size_ret)
                => spoof::platform_info;
        clGetDeviceIDs(
            device_type: cl_device_type, num_entries: cl_uint, devices: *mut cl_device_id,
            num_devices: *mut cl_uint,
        ) -> cl_int;
    }
    object(device: cl_device_id, CL_INVALID_DEVICE) {
        clGetDeviceInfo(
            param_name: cl_device_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name; param_value_size, param_value, param_value_size_ret)
                => spoof::device_info;
        clCreateSubDevices(
            properties: *const cl_device_partition_property, num_devices: cl_uint,
            out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
        ) -> cl_int,
            hook(num_devices_ret) => answers::count;
        clRetainDevice() -> cl_int;
        clReleaseDevice() -> cl_int;
    }
    other() {
        clCreateContext(
            properties: *const cl_context_properties, num_devices: cl_uint,
            devices: *const cl_device_id, pfn_notify: Option<ContextNotify>, user_data: *mut c_void,
        ) -> cl_context,
            by(num_devices, devices, CL_INVALID_VALUE, CL_INVALID_DEVICE) => find::each,
            errcode(errcode_ret);
        clCreateContextFromType(
            properties: *const cl_context_properties, device_type: cl_device_type,
            pfn_notify: Option<ContextNotify>, user_data: *mut c_void,
        ) -> cl_context,
            by(properties) => find::properties, errcode(errcode_ret);
    }
    object(context: cl_context, CL_INVALID_CONTEXT) {
        clRetainContext() -> cl_int;
        clReleaseContext() -> cl_int, hook() => sync::release;
        clGetContextInfo(
            param_name: cl_context_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clSetContextDestructorCallback(
            pfn_notify: Option<Notify>, user_data: *mut c_void,
        ) -> cl_int;
    }
}
