//! Events, markers and barriers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::sync::*;

use crate::table::{Refusal, refused, room};

unsafe extern "C" fn never(_: cl_event, _: cl_int, _: *mut std::ffi::c_void) {
    unreachable!("a call that is refused tells nothing");
}

pub fn cases() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateUserEvent {
            (zoo.device) CL_INVALID_CONTEXT "if _context_ is not a valid context.";
        }
        status clSetUserEventStatus {
            (zoo.queue, CL_COMPLETE) CL_INVALID_EVENT "if _event_ is not a valid user event object.";
            (zoo.done, CL_COMPLETE) CL_INVALID_EVENT "if _event_ is not a valid user event object.";
            (zoo.waiting, CL_COMPLETE) CL_INVALID_EVENT "if _event_ is not a valid user event object.";
            (zoo.gate, CL_RUNNING) CL_INVALID_VALUE
                "if the _execution_status_ is not {CL_COMPLETE} or a negative integer value.";
            (zoo.gate, CL_SUBMITTED) CL_INVALID_VALUE
                "if the _execution_status_ is not {CL_COMPLETE} or a negative integer value.";
            (zoo.passed, CL_COMPLETE) CL_INVALID_OPERATION
                "if the _execution_status_ for _event_ has already been changed by a previous call to {clSetUserEventStatus}.";
            (zoo.failed, -1) CL_INVALID_OPERATION
                "if the _execution_status_ for _event_ has already been changed by a previous call to {clSetUserEventStatus}.";
        }
        status clWaitForEvents {
            (0, &zoo.done) CL_INVALID_VALUE "if _num_events_ is zero or _event_list_ is `NULL`.";
            (1, null()) CL_INVALID_VALUE "if _num_events_ is zero or _event_list_ is `NULL`.";
            (2, [zoo.done, zoo.foreign_gate].as_ptr()) CL_INVALID_CONTEXT
                "if events specified in _event_list_ do not belong to the same context.";
            (2, [zoo.done, zoo.queue].as_ptr()) CL_INVALID_EVENT
                "if event objects specified in _event_list_ are not valid event objects.";
            (2, [zoo.done, zoo.failed].as_ptr()) CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
                "if the execution status of any of the events in _event_list_ is a negative integer value.";
        }
        status clGetEventInfo {
            (zoo.queue, CL_EVENT_CONTEXT, 0, null_mut(), &mut 0) CL_INVALID_EVENT
                "if _event_ is a not a valid event object.";
            (zoo.done, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.done, CL_EVENT_CONTEXT, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
        status clRetainEvent {
            (zoo.queue) CL_INVALID_EVENT "if _event_ is not a valid event object.";
        }
        status clReleaseEvent {
            (null_mut()) CL_INVALID_EVENT "if _event_ is not a valid event object.";
        }
        status clSetEventCallback {
            (zoo.queue, CL_COMPLETE, Some(never), null_mut()) CL_INVALID_EVENT
                "if _event_ is not a valid event object.";
            (zoo.done, CL_COMPLETE, None, null_mut()) CL_INVALID_VALUE
                "if _pfn_event_notify_ is `NULL` or if _command_exec_callback_type_ is not {CL_SUBMITTED}, {CL_RUNNING}, or {CL_COMPLETE}.";
            (zoo.done, CL_QUEUED, Some(never), null_mut()) CL_INVALID_VALUE
                "if _pfn_event_notify_ is `NULL` or if _command_exec_callback_type_ is not {CL_SUBMITTED}, {CL_RUNNING}, or {CL_COMPLETE}.";
            (zoo.done, -1, Some(never), null_mut()) CL_INVALID_VALUE
                "if _pfn_event_notify_ is `NULL` or if _command_exec_callback_type_ is not {CL_SUBMITTED}, {CL_RUNNING}, or {CL_COMPLETE}.";
        }
        status clGetEventProfilingInfo {
            (zoo.queue, CL_PROFILING_COMMAND_END, 0, null_mut(), &mut 0) CL_INVALID_EVENT
                "if _event_ is a not a valid event object.";
            (zoo.unprofiled, CL_PROFILING_COMMAND_END, 0, null_mut(), &mut 0) CL_PROFILING_INFO_NOT_AVAILABLE
                "if the {CL_QUEUE_PROFILING_ENABLE} flag is not set for the command-queue, if the execution status of the command identified by _event_ is not {CL_COMPLETE} or if _event_ is a user event object.";
            (zoo.waiting, CL_PROFILING_COMMAND_QUEUED, 0, null_mut(), &mut 0) CL_PROFILING_INFO_NOT_AVAILABLE
                "if the {CL_QUEUE_PROFILING_ENABLE} flag is not set for the command-queue, if the execution status of the command identified by _event_ is not {CL_COMPLETE} or if _event_ is a user event object.";
            (zoo.passed, CL_PROFILING_COMMAND_END, 0, null_mut(), &mut 0) CL_PROFILING_INFO_NOT_AVAILABLE
                "if the {CL_QUEUE_PROFILING_ENABLE} flag is not set for the command-queue, if the execution status of the command identified by _event_ is not {CL_COMPLETE} or if _event_ is a user event object.";
            (zoo.done, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.done, CL_PROFILING_COMMAND_END, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
        status clEnqueueMarkerWithWaitList {
            (zoo.context, 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
        }
        status clEnqueueBarrierWithWaitList {
            (zoo.context, 0, null(), null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
        }
        status clEnqueueMarker {
            (zoo.context, &mut null_mut()) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, null_mut()) CL_INVALID_VALUE "if _event_ is `NULL`.";
        }
        status clEnqueueBarrier {
            (zoo.context) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
        }
        status clEnqueueWaitForEvents {
            (zoo.context, 1, &zoo.done) CL_INVALID_COMMAND_QUEUE
                "if _command_queue_ is not a valid host command-queue.";
            (zoo.queue, 1, &zoo.foreign_gate) CL_INVALID_CONTEXT
                "if context associated with _command_queue_ and events in _event_list_ are not the same.";
            (zoo.queue, 0, &zoo.done) CL_INVALID_VALUE
                "if _num_events_ is 0 or _event_list_ is `NULL`.";
            (zoo.queue, 1, null()) CL_INVALID_VALUE
                "if _num_events_ is 0 or _event_list_ is `NULL`.";
        }
    }
}
