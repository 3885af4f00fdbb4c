//! Events (`opencl_runtime_layer`, Event Objects; Profiling).

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_queue::Trigger;

use super::entry::entry_points;
use crate::callback::UserData;
use crate::context::Context;
use crate::ffi::{Error, Result, ensure, raw};
use crate::object;
use crate::queue::broken;
use crate::queue::event::{Event, NotifyFn};

entry_points! {
    /// Makes a user event.
    create fn clCreateUserEvent(context: cl_context) -> cl_event {
        let context = object::find::<Context>(context)?;
        let _locks = broken::locks(false);
        Ok(object::publish(&Event::of_user(context)))
    }

    /// Ends a user event.
    status fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) {
        let event = object::find::<Event>(event)?;
        ensure!(event.is_user(), CL_INVALID_EVENT);
        ensure!(execution_status <= CL_COMPLETE, CL_INVALID_VALUE);
        event.set(execution_status)
    }

    /// Waits for events.
    status fn clWaitForEvents(num_events: cl_uint, event_list: *const cl_event) {
        ensure!(num_events != 0 && !event_list.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the length.
        let handles = unsafe { raw::slice(event_list, num_events as usize) };
        let handles = handles.iter();
        let events: Vec<Arc<Event>> =
            handles.map(|&handle| object::find(handle)).collect::<Result<_>>()?;
        let same = events.windows(2).all(|pair| Arc::ptr_eq(&pair[0].context, &pair[1].context));
        ensure!(same, CL_INVALID_CONTEXT);
        // One of them may wait for what is not flushed before a later one of the list.
        for queue in events.iter().filter_map(|event| event.queue.as_ref()) {
            queue.flush();
        }
        let failed = events.iter().filter(|event| event.wait() < 0).count();
        ensure!(failed == 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        Ok(())
    }

    /// Answers a query about an event.
    query fn clGetEventInfo(event: cl_event, param_name: cl_event_info) {
        let event = object::find::<Event>(event)?;
        event.info(param_name)
    }

    references clRetainEvent clReleaseEvent(cl_event): Event;

    /// Registers a callback for a status of an event.
    status fn clSetEventCallback(
        event: cl_event, command_exec_callback_type: cl_int, pfn_notify: Option<NotifyFn>,
        user_data: *mut c_void,
    ) {
        let event = object::find::<Event>(event)?;
        let notify = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        let trigger = match command_exec_callback_type {
            CL_SUBMITTED => Trigger::Submitted,
            CL_RUNNING => Trigger::Running,
            CL_COMPLETE => Trigger::Complete,
            _ => return Err(Error(CL_INVALID_VALUE)),
        };
        event.on_status(trigger, notify, UserData::new(user_data));
        Ok(())
    }

    /// Answers a query about the times of a command.
    query fn clGetEventProfilingInfo(event: cl_event, param_name: cl_profiling_info) {
        let event = object::find::<Event>(event)?;
        event.profiling(param_name)
    }
}
