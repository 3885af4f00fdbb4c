//! Calls that the layer makes by itself, for faults that need an event, a flush or an answer of
//! the implementation. They go past the entry points: no fault sees them.

use super::{Entry, Library};
use libc::{c_void, size_t};
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::mem::transmute;
use std::ptr;

/// Calls a function of the implementation; `Err` where it has none.
macro_rules! ask {
    ($name:ident as $type:ident, $object:expr, ($($argument:expr),* $(,)?)) => {{
        const ENTRY: Entry = Entry::named(stringify!($name));
        // SAFETY: the caller of these functions passes live objects of the library.
        unsafe { Library::get().function(ENTRY, $object.cast()) }.and_then(|address| {
            // SAFETY: the address of this entry point, whose type OpenCL fixes.
            let function = unsafe { transmute::<*mut c_void, $type>(address) };
            let function = function.ok_or(CL_INVALID_OPERATION)?;
            // SAFETY: live objects and local memory of the sizes that are passed along.
            Ok(unsafe { function($($argument),*) })
        })
    }};
}

fn done(answer: Result<cl_int, cl_int>) -> Result<(), cl_int> {
    match answer {
        Ok(CL_SUCCESS) => Ok(()),
        Ok(status) | Err(status) => Err(status),
    }
}

/// One reference to an event, given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Event(cl_event);

// SAFETY: OpenCL's events may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    /// A further reference to an event.
    ///
    /// # Safety
    /// A live event of the library.
    pub(crate) unsafe fn retain(event: cl_event) -> Event {
        // A failure leaves one reference too few, which a live event does not have.
        let _ = ask!(clRetainEvent as clRetainEvent_t, event, (event));
        Event(event)
    }

    /// Takes over a reference that the caller has.
    ///
    /// # Safety
    /// A live event of the library, of which the caller gives up one reference.
    pub(crate) unsafe fn adopt(event: cl_event) -> Event {
        Event(event)
    }

    /// A user event of this context.
    ///
    /// # Errors
    /// The status of `clCreateUserEvent`.
    pub(crate) fn user(context: cl_context) -> Result<Event, cl_int> {
        let mut status = CL_SUCCESS;
        let event = ask!(
            clCreateUserEvent as clCreateUserEvent_t,
            context,
            (context, &mut status)
        )?;
        if event.is_null() {
            Err(status)
        } else {
            Ok(Event(event))
        }
    }

    /// A user event of this queue's context.
    ///
    /// # Errors
    /// The status of the call that failed.
    pub(crate) fn of_queue(queue: cl_command_queue) -> Result<Event, cl_int> {
        Event::user(context_of_queue(queue).ok_or(CL_INVALID_COMMAND_QUEUE)?)
    }

    /// A user event of this queue's context that is complete already.
    ///
    /// # Errors
    /// As above.
    pub(crate) fn complete(queue: cl_command_queue) -> Result<Event, cl_int> {
        let event = Event::of_queue(queue)?;
        event.set(CL_COMPLETE);
        Ok(event)
    }

    /// The handle, which lives as long as this does.
    pub(crate) fn raw(&self) -> cl_event {
        self.0
    }

    /// The handle, with the reference.
    pub(crate) fn into_raw(self) -> cl_event {
        let event = self.0;
        std::mem::forget(self);
        event
    }

    /// Sets the status of a user event. One that was set already keeps its status.
    pub(crate) fn set(&self, status: cl_int) {
        let _ = set_user_status(self.0, status);
    }

    /// Another reference.
    pub(crate) fn again(&self) -> Event {
        // SAFETY: this reference keeps the event alive.
        unsafe { Event::retain(self.0) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let _ = ask!(clReleaseEvent as clReleaseEvent_t, self.0, (self.0));
    }
}

/// `clSetUserEventStatus`.
///
/// # Errors
/// Its status.
pub(crate) fn set_user_status(event: cl_event, status: cl_int) -> Result<(), cl_int> {
    done(ask!(
        clSetUserEventStatus as clSetUserEventStatus_t,
        event,
        (event, status)
    ))
}

/// A query of an event that answers with one word.
fn event_info<T: Copy>(event: cl_event, info: cl_event_info, mut value: T) -> Option<T> {
    let place: *mut c_void = (&raw mut value).cast();
    done(ask!(
        clGetEventInfo as clGetEventInfo_t,
        event,
        (event, info, size_of::<T>(), place, ptr::null_mut())
    ))
    .ok()
    .map(|()| value)
}

/// `CL_EVENT_COMMAND_EXECUTION_STATUS`.
pub(crate) fn status_of(event: cl_event) -> Option<cl_int> {
    event_info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, 0)
}

/// `CL_EVENT_COMMAND_TYPE`.
pub(crate) fn command_of(event: cl_event) -> Option<cl_command_type> {
    event_info(event, CL_EVENT_COMMAND_TYPE, 0)
}

/// `CL_EVENT_COMMAND_QUEUE`; NULL for a user event.
pub(crate) fn queue_of(event: cl_event) -> Option<cl_command_queue> {
    event_info(event, CL_EVENT_COMMAND_QUEUE, ptr::null_mut())
}

/// `CL_EVENT_CONTEXT`.
pub(crate) fn context_of_event(event: cl_event) -> Option<cl_context> {
    event_info(event, CL_EVENT_CONTEXT, ptr::null_mut())
}

/// A query of a queue that answers with one word.
fn queue_info<T: Copy>(
    queue: cl_command_queue,
    info: cl_command_queue_info,
    mut value: T,
) -> Option<T> {
    let place: *mut c_void = (&raw mut value).cast();
    done(ask!(
        clGetCommandQueueInfo as clGetCommandQueueInfo_t,
        queue,
        (queue, info, size_of::<T>(), place, ptr::null_mut())
    ))
    .ok()
    .map(|()| value)
}

/// `CL_QUEUE_CONTEXT`.
pub(crate) fn context_of_queue(queue: cl_command_queue) -> Option<cl_context> {
    queue_info(queue, CL_QUEUE_CONTEXT, ptr::null_mut())
}

/// `CL_QUEUE_DEVICE`.
pub(crate) fn device_of_queue(queue: cl_command_queue) -> Option<cl_device_id> {
    queue_info(queue, CL_QUEUE_DEVICE, ptr::null_mut())
}

/// `CL_QUEUE_PROPERTIES`.
pub(crate) fn properties_of(queue: cl_command_queue) -> Option<cl_command_queue_properties> {
    queue_info(queue, CL_QUEUE_PROPERTIES, 0)
}

/// `CL_QUEUE_REFERENCE_COUNT`.
pub(crate) fn references_of_queue(queue: cl_command_queue) -> Option<cl_uint> {
    queue_info(queue, CL_QUEUE_REFERENCE_COUNT, 0)
}

/// A query of a memory object that answers with one word.
fn memory_info<T: Copy>(memory: cl_mem, info: cl_mem_info, mut value: T) -> Option<T> {
    let place: *mut c_void = (&raw mut value).cast();
    done(ask!(
        clGetMemObjectInfo as clGetMemObjectInfo_t,
        memory,
        (memory, info, size_of::<T>(), place, ptr::null_mut())
    ))
    .ok()
    .map(|()| value)
}

/// `CL_MEM_FLAGS`.
pub(crate) fn flags_of(memory: cl_mem) -> Option<cl_mem_flags> {
    memory_info(memory, CL_MEM_FLAGS, 0)
}

/// `CL_MEM_SIZE`.
pub(crate) fn size_of_memory(memory: cl_mem) -> Option<size_t> {
    memory_info(memory, CL_MEM_SIZE, 0)
}

/// A buffer of its own in the context of another.
///
/// # Errors
/// The status of the call that failed.
pub(crate) fn buffer_beside(
    buffer: cl_mem,
    flags: cl_mem_flags,
    size: size_t,
) -> Result<cl_mem, cl_int> {
    let context: cl_context =
        memory_info(buffer, CL_MEM_CONTEXT, ptr::null_mut()).ok_or(CL_INVALID_MEM_OBJECT)?;
    let mut status = CL_SUCCESS;
    let made = ask!(
        clCreateBuffer as clCreateBuffer_t,
        context,
        (context, flags, size, ptr::null_mut(), &mut status)
    )?;
    if made.is_null() {
        Err(status)
    } else {
        Ok(made)
    }
}

/// `clFlush`.
pub(crate) fn flush(queue: cl_command_queue) -> Result<(), cl_int> {
    done(ask!(clFlush as clFlush_t, queue, (queue)))
}

/// `clWaitForEvents` on one event.
pub(crate) fn wait(event: &Event) -> Result<(), cl_int> {
    let event = event.raw();
    done(ask!(
        clWaitForEvents as clWaitForEvents_t,
        event,
        (1, &event)
    ))
}

/// `clEnqueueMarkerWithWaitList`.
pub(crate) fn marker(
    queue: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> Result<(), cl_int> {
    done(ask!(
        clEnqueueMarkerWithWaitList as clEnqueueMarkerWithWaitList_t,
        queue,
        (queue, count, list, event)
    ))
}

/// `clEnqueueFillBuffer` with one byte.
pub(crate) fn fill(
    queue: cl_command_queue,
    buffer: cl_mem,
    byte: u8,
    (offset, size): (size_t, size_t),
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<(), cl_int> {
    let pattern: *const c_void = (&raw const byte).cast();
    done(ask!(
        clEnqueueFillBuffer as clEnqueueFillBuffer_t,
        queue,
        (queue, buffer, pattern, 1, offset, size, count, list, event)
    ))
}

/// `clEnqueueSVMMemFill` with one byte.
///
/// # Errors
/// Its status.
pub(crate) fn fill_svm(
    queue: cl_command_queue,
    (memory, size): (*mut c_void, size_t),
    byte: u8,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<(), cl_int> {
    let pattern: *const c_void = (&raw const byte).cast();
    done(ask!(
        clEnqueueSVMMemFill as clEnqueueSVMMemFill_t,
        queue,
        (queue, memory, pattern, 1, size, count, list, event)
    ))
}

/// `CL_KERNEL_PROGRAM`.
pub(crate) fn program_of(kernel: cl_kernel) -> Option<cl_program> {
    let mut program: cl_program = ptr::null_mut();
    let place: *mut c_void = (&raw mut program).cast();
    done(ask!(
        clGetKernelInfo as clGetKernelInfo_t,
        kernel,
        (
            kernel,
            CL_KERNEL_PROGRAM,
            size_of::<cl_program>(),
            place,
            ptr::null_mut()
        )
    ))
    .ok()
    .map(|()| program)
}

/// A new kernel of the same function, without arguments.
///
/// # Errors
/// The status of the call that failed.
pub(crate) fn kernel_like(kernel: cl_kernel) -> Result<cl_kernel, cl_int> {
    let program = program_of(kernel).ok_or(CL_INVALID_KERNEL)?;
    let mut name = [0u8; 256];
    let place: *mut c_void = name.as_mut_ptr().cast();
    done(ask!(
        clGetKernelInfo as clGetKernelInfo_t,
        kernel,
        (
            kernel,
            CL_KERNEL_FUNCTION_NAME,
            name.len(),
            place,
            ptr::null_mut()
        )
    ))?;
    let mut status = CL_SUCCESS;
    let made = ask!(
        clCreateKernel as clCreateKernel_t,
        program,
        (program, name.as_ptr().cast(), &mut status)
    )?;
    if made.is_null() {
        Err(status)
    } else {
        Ok(made)
    }
}
