//! Command queues, events and timers.

use super::find;
use super::forward::entry_points;
use crate::faults::{events, order, sync, user_events};
use libc::{c_void, size_t};
use opencl_sys::*;

entry_points! {
    clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: cl_command_queue_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_command_queue,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook order::create_queue;
    clRetainCommandQueue(
        command_queue: cl_command_queue,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        hook sync::retain_queue;
    clReleaseCommandQueue(
        command_queue: cl_command_queue,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        hook sync::release_queue;
    clGetCommandQueueInfo(
        command_queue: cl_command_queue,
        param_name: cl_command_queue_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        hook order::queue_info;
    clSetCommandQueueProperty(
        command_queue: cl_command_queue,
        properties: cl_command_queue_properties,
        enable: cl_bool,
        old_properties: *mut cl_command_queue_properties,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE);
    clWaitForEvents(
        num_events: cl_uint,
        event_list: *const cl_event,
    ) -> cl_int,
        by each(num_events, event_list, CL_INVALID_VALUE, CL_INVALID_EVENT),
        hook sync::wait;
    clGetEventInfo(
        event: cl_event,
        param_name: cl_event_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT),
        hook events::info;
    clRetainEvent(
        event: cl_event,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT);
    clReleaseEvent(
        event: cl_event,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT),
        hook sync::release_event;
    clGetEventProfilingInfo(
        event: cl_event,
        param_name: cl_profiling_info,
        param_value_size: size_t,
        param_value: *mut c_void,
        param_value_size_ret: *mut size_t,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT),
        hook events::profiling_info;
    clFlush(
        command_queue: cl_command_queue,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        hook sync::flush;
    clFinish(
        command_queue: cl_command_queue,
    ) -> cl_int,
        by object(command_queue, CL_INVALID_COMMAND_QUEUE),
        hook sync::finish;
    clSetEventCallback(
        event: cl_event,
        command_exec_callback_type: cl_int,
        pfn_notify: Option< unsafe extern "C" fn( event: cl_event, event_command_status: cl_int, user_data: *mut c_void, ), >,
        user_data: *mut c_void,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT),
        hook events::set_callback;
    clCreateUserEvent(
        context: cl_context,
        errcode_ret: *mut cl_int,
    ) -> cl_event,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook user_events::create;
    clSetUserEventStatus(
        event: cl_event,
        execution_status: cl_int,
    ) -> cl_int,
        by object(event, CL_INVALID_EVENT),
        hook user_events::set_status;
    clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_queue_properties,
        errcode_ret: *mut cl_int,
    ) -> cl_command_queue,
        by object(context, CL_INVALID_CONTEXT),
        errcode errcode_ret,
        hook order::create_queue_with;
    clGetDeviceAndHostTimer(
        device: cl_device_id,
        device_timestamp: *mut cl_ulong,
        host_timestamp: *mut cl_ulong,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clGetHostTimer(
        device: cl_device_id,
        host_timestamp: *mut cl_ulong,
    ) -> cl_int,
        by object(device, CL_INVALID_DEVICE);
    clSetDefaultDeviceCommandQueue(
        context: cl_context,
        device: cl_device_id,
        command_queue: cl_command_queue,
    ) -> cl_int,
        by object(context, CL_INVALID_CONTEXT);
}
