//! Command queues, events and timers.

use super::find;
use super::forward::entry_points;
use crate::faults::{events, order, sync, user_events};
use libc::{c_void, size_t};
use opencl_sys::*;

entry_points! {
    object(context: cl_context, CL_INVALID_CONTEXT) {
        clCreateCommandQueue(
            device: cl_device_id, properties: cl_command_queue_properties,
        ) -> cl_command_queue,
            errcode(errcode_ret), hook(; properties) => order::create_queue;
        clCreateUserEvent() -> cl_event, errcode(errcode_ret), hook() => user_events::create;
        clCreateCommandQueueWithProperties(
            device: cl_device_id, properties: *const cl_queue_properties,
        ) -> cl_command_queue,
            errcode(errcode_ret), hook(; properties) => order::create_queue_with;
        clSetDefaultDeviceCommandQueue(
            device: cl_device_id, command_queue: cl_command_queue,
        ) -> cl_int;
    }
    object(command_queue: cl_command_queue, CL_INVALID_COMMAND_QUEUE) {
        clRetainCommandQueue() -> cl_int, hook(command_queue) => sync::retain_queue;
        clReleaseCommandQueue() -> cl_int, hook(command_queue) => sync::release_queue;
        clGetCommandQueueInfo(
            param_name: cl_command_queue_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(command_queue, param_name, param_value_size, param_value, param_value_size_ret)
                => order::queue_info;
        clSetCommandQueueProperty(
            properties: cl_command_queue_properties, enable: cl_bool,
            old_properties: *mut cl_command_queue_properties,
        ) -> cl_int;
        clFlush() -> cl_int, hook(command_queue) => sync::flush;
        clFinish() -> cl_int, hook(command_queue) => sync::finish;
    }
    other() {
        clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) -> cl_int,
            by(num_events, event_list, CL_INVALID_VALUE, CL_INVALID_EVENT) => find::each,
            hook(; num_events) => sync::wait;
    }
    object(event: cl_event, CL_INVALID_EVENT) {
        clGetEventInfo(
            param_name: cl_event_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(event, param_name, param_value_size, param_value, param_value_size_ret) => events::info;
        clRetainEvent() -> cl_int;
        clReleaseEvent() -> cl_int, hook(event) => sync::release_event;
        clGetEventProfilingInfo(
            param_name: cl_profiling_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_value_size; param_name, param_value) => events::profiling_info;
        clSetEventCallback(
            command_exec_callback_type: cl_int, pfn_notify: Option<events::Callback>,
            user_data: *mut c_void,
        ) -> cl_int,
            hook(event, command_exec_callback_type; pfn_notify, user_data) => events::set_callback;
        clSetUserEventStatus(execution_status: cl_int) -> cl_int,
            hook(event; execution_status) => user_events::set_status;
    }
    object(device: cl_device_id, CL_INVALID_DEVICE) {
        clGetDeviceAndHostTimer(
            device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong,
        ) -> cl_int;
        clGetHostTimer(host_timestamp: *mut cl_ulong) -> cl_int;
    }
}
