//! Markers, barriers and waiting for events (`opencl_runtime_layer`, Markers, Barriers and
//! Waiting for Events), the old forms included.

use std::sync::Arc;

use opencl_sys::*;

use super::entry::{Tail, entry_points};
use crate::ffi::{Result, ensure};
use crate::queue::Queue;
use crate::queue::command::Kind;

/// Enqueues a command that does nothing but be in its place.
fn enqueue(queue: &Arc<Queue>, tail: Tail, all: Kind, listed: Kind) -> Result<()> {
    let list = tail.wait_list(&queue.context)?;
    let kind = if list.is_empty() { all } else { listed };
    tail.enqueue(queue, kind, list, Box::new(|_| Ok(())))
}

entry_points! {
    /// A marker: completes when its list, or everything before it, has completed.
    status fn clEnqueueMarkerWithWaitList() |queue, tail| {
        enqueue(&queue, tail, Kind::Marker, Kind::MarkerWithList)
    }

    /// A barrier: a marker that everything after it waits for.
    status fn clEnqueueBarrierWithWaitList() |queue, tail| {
        enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList)
    }

    /// A marker for everything before it (OpenCL 1.1).
    status fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) {
        let queue = Queue::of_host(command_queue)?;
        ensure!(!event.is_null(), CL_INVALID_VALUE);
        // SAFETY: the application vouches for its place for the event.
        let tail = unsafe { Tail::new(0, std::ptr::null(), event) };
        enqueue(&queue, tail, Kind::Marker, Kind::MarkerWithList)
    }

    /// A barrier for a list of events (OpenCL 1.1).
    status fn clEnqueueWaitForEvents(
        command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event,
    ) {
        let queue = Queue::of_host(command_queue)?;
        ensure!(num_events != 0 && !event_list.is_null(), CL_INVALID_VALUE);
        // SAFETY: the application vouches for its list.
        let tail = unsafe { Tail::new(num_events, event_list, std::ptr::null_mut()) };
        // This old function has its own code for a handle in the list that is no event.
        enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList).map_err(|error| {
            if error.0 == CL_INVALID_EVENT_WAIT_LIST {
                crate::ffi::Error(CL_INVALID_EVENT)
            } else {
                error
            }
        })
    }

    /// A barrier for everything before it (OpenCL 1.1).
    status fn clEnqueueBarrier(command_queue: cl_command_queue) {
        let queue = Queue::of_host(command_queue)?;
        // SAFETY: both pointers are null.
        let tail = unsafe { Tail::new(0, std::ptr::null(), std::ptr::null_mut()) };
        enqueue(&queue, tail, Kind::Barrier, Kind::BarrierWithList)
    }
}
