//! Markers, barriers and waiting for events (`opencl_runtime_layer`, Markers, Barriers and
//! Waiting for Events), the old forms included.

use std::sync::Arc;

use opencl_sys::*;

use super::Tail;
use crate::ffi::entry::entry_points;
use crate::ffi::{Result, ensure};
use crate::object;
use crate::queue::Queue;
use crate::queue::command::Kind;

/// Enqueues a command that does nothing but be in its place.
///
/// # Safety
/// The tail's pointers are null or what the specification demands.
unsafe fn enqueue(queue: &Arc<Queue>, tail: Tail, all: Kind, listed: Kind) -> Result<()> {
    // SAFETY: as the caller vouches.
    unsafe {
        let list = tail.wait_list(&queue.context)?;
        let kind = if list.is_empty() { all } else { listed };
        tail.enqueue(queue, kind, list, Box::new(|| Ok(())))
    }
}

entry_points! {
    /// A marker: completes when its list, or everything before it, has completed.
    status fn clEnqueueMarkerWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        let tail = Tail::new(num_events_in_wait_list, event_wait_list, event);
        let queue = object::find::<Queue>(command_queue)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { enqueue(&queue, tail, Kind::Marker, Kind::MarkerWithList) }
    }

    /// A barrier: a marker that everything after it waits for.
    status fn clEnqueueBarrierWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) {
        let tail = Tail::new(num_events_in_wait_list, event_wait_list, event);
        let queue = object::find::<Queue>(command_queue)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList) }
    }

    /// A marker for everything before it (OpenCL 1.1).
    status fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) {
        let queue = object::find::<Queue>(command_queue)?;
        ensure!(!event.is_null(), CL_INVALID_VALUE);
        let tail = Tail::new(0, std::ptr::null(), event);
        // SAFETY: the application vouches for its place for the event.
        unsafe { enqueue(&queue, tail, Kind::Marker, Kind::MarkerWithList) }
    }

    /// A barrier for a list of events (OpenCL 1.1).
    status fn clEnqueueWaitForEvents(
        command_queue: cl_command_queue,
        num_events: cl_uint,
        event_list: *const cl_event,
    ) {
        let queue = object::find::<Queue>(command_queue)?;
        ensure!(num_events != 0 && !event_list.is_null(), CL_INVALID_VALUE);
        let tail = Tail::new(num_events, event_list, std::ptr::null_mut());
        // SAFETY: the application vouches for its list. This old function has its own
        // code for a handle in it that is no event.
        unsafe { enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList) }.map_err(|error| {
            if error.0 == CL_INVALID_EVENT_WAIT_LIST {
                crate::ffi::Error(CL_INVALID_EVENT)
            } else {
                error
            }
        })
    }

    /// A barrier for everything before it (OpenCL 1.1).
    status fn clEnqueueBarrier(command_queue: cl_command_queue) {
        let queue = object::find::<Queue>(command_queue)?;
        let tail = Tail::new(0, std::ptr::null(), std::ptr::null_mut());
        // SAFETY: the tail has no pointers.
        unsafe { enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList) }
    }
}
