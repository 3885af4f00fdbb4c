//! The entry points, one file for each chapter of the specification.
//!
//! An entry point reads its raw arguments, checks them in the order in which the
//! specification lists the errors, and calls the objects. It contains no other logic.
//! Functions for what is not supported check their handles and return the error the
//! specification names for that; none is missing.

pub mod buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod image;
pub mod image_transfer;
pub mod interop;
pub mod kernel;
pub mod map;
pub mod memory;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod range;
pub mod rect;
pub mod sampler;
pub mod svm;
pub mod sync;
pub mod transfer;

use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use crate::context::Context;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::Buffer;
use crate::object;
use crate::queue::Queue;
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// What every enqueue function takes last.
#[derive(Clone, Copy)]
struct Tail {
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    blocking: bool,
}

impl Tail {
    fn new(count: cl_uint, list: *const cl_event, event: *mut cl_event) -> Self {
        Self {
            count,
            list,
            event,
            blocking: false,
        }
    }

    fn blocking(self, blocking: cl_bool) -> Self {
        Self {
            blocking: blocking != CL_FALSE,
            ..self
        }
    }

    /// The events of the wait list.
    ///
    /// # Safety
    /// The list is null or has as many elements as it says.
    unsafe fn wait_list(&self, context: &Arc<Context>) -> Result<Vec<Arc<Event>>> {
        // SAFETY: as the caller vouches.
        unsafe { wait_list(self.count, self.list, context) }
    }

    /// Enqueues the command, waits for it if the call is blocking and gives out its event.
    ///
    /// # Safety
    /// The place for the event is null or valid for a write.
    unsafe fn enqueue(
        self,
        queue: &Arc<Queue>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        action: Action,
    ) -> Result<()> {
        let event = if self.waits_for(kind) {
            let event = queue.enqueue_and_wait(kind, wait_list, action);
            let status = event.status();
            if status < 0 && self.blocking && !on(Fault::WaitHidesFailure) {
                return Err(Error(status));
            }
            event
        } else {
            queue.enqueue(kind, wait_list, action)
        };
        if !self.event.is_null() {
            // SAFETY: not null, and the caller vouches for it.
            unsafe { self.event.write(object::publish(&event)) };
            if on(Fault::EventsLeak) {
                std::mem::forget(event);
            }
        }
        Ok(())
    }

    /// Whether the call waits for its command.
    fn waits_for(self, kind: Kind) -> bool {
        if !touchstone_faults::any() {
            return self.blocking;
        }
        let returns = match kind {
            Kind::ReadBuffer | Kind::ReadBufferRect | Kind::ReadImage => Fault::BlockingReadReturns,
            Kind::WriteBuffer | Kind::WriteBufferRect | Kind::WriteImage => {
                Fault::BlockingWriteReturns
            }
            Kind::MapBuffer | Kind::MapImage | Kind::SvmMap => Fault::BlockingMapReturns,
            Kind::SvmMemcpy => Fault::BlockingSvmReturns,
            // Nothing else can be blocking.
            _ => return self.blocking,
        };
        if self.blocking {
            !on(returns)
        } else {
            on(Fault::NonBlockingBlocks)
        }
    }
}

/// Reads a wait list.
///
/// # Safety
/// The list is null or has as many elements as it says.
unsafe fn wait_list(
    count: cl_uint,
    list: *const cl_event,
    context: &Arc<Context>,
) -> Result<Vec<Arc<Event>>> {
    ensure!(list.is_null() == (count == 0), CL_INVALID_EVENT_WAIT_LIST);
    // SAFETY: as the caller vouches.
    let handles = unsafe { raw::slice(list, count as usize) };
    let events = handles
        .iter()
        .map(|&handle| object::find::<Event>(handle))
        .collect::<Result<Vec<_>>>()
        .map_err(|_| Error(CL_INVALID_EVENT_WAIT_LIST))?;
    let same = events
        .iter()
        .all(|event| Arc::ptr_eq(&event.context, context));
    ensure!(same || on(Fault::ForeignEventsAccepted), CL_INVALID_CONTEXT);
    Ok(events)
}

/// A buffer that a command of this queue may use.
fn buffer_of(queue: &Arc<Queue>, handle: cl_mem) -> Result<Arc<Buffer>> {
    let buffer: Arc<Buffer> = object::find(handle)?;
    ensure!(
        Arc::ptr_eq(&buffer.context, &queue.context),
        CL_INVALID_CONTEXT
    );
    Ok(buffer)
}

/// The devices of a list, each a live one.
fn devices_of(handles: &[cl_device_id]) -> Result<Vec<Arc<crate::platform::Device>>> {
    // The first use makes the device, without which no handle is live.
    crate::platform::devices();
    handles.iter().map(|&handle| object::find(handle)).collect()
}

/// A device by its handle.
fn device_of(handle: cl_device_id) -> Result<Arc<crate::platform::Device>> {
    crate::platform::devices();
    object::find(handle)
}
