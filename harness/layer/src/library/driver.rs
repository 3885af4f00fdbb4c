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

/// An object that a call made, or the status why it did not.
fn made_or(object: *mut c_void, status: cl_int) -> Result<*mut c_void, cl_int> {
    if object.is_null() {
        Err(status)
    } else {
        Ok(object)
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
        made_or(event, status).map(Event)
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

/// Defines queries that answer with one word.
macro_rules! queries {
    ($($ask:ident as $type:ident of $object:ident: $handle:ty {
        $($info:ident => $name:ident: $word:ty = $empty:expr;)*
    })*) => {
        $($(
            #[doc = concat!("`", stringify!($info), "`.")]
            pub(crate) fn $name($object: $handle) -> Option<$word> {
                let mut value: $word = $empty;
                let place: *mut c_void = (&raw mut value).cast();
                let size = size_of::<$word>();
                done(ask!($ask as $type, $object, ($object, $info, size, place, ptr::null_mut())))
                    .ok()
                    .map(|()| value)
            }
        )*)*
    };
}

queries! {
    clGetEventInfo as clGetEventInfo_t of event: cl_event {
        CL_EVENT_COMMAND_EXECUTION_STATUS => status_of: cl_int = 0;
        CL_EVENT_COMMAND_TYPE => command_of: cl_command_type = 0;
        // NULL for a user event.
        CL_EVENT_COMMAND_QUEUE => queue_of: cl_command_queue = ptr::null_mut();
        CL_EVENT_CONTEXT => context_of_event: cl_context = ptr::null_mut();
    }
    clGetCommandQueueInfo as clGetCommandQueueInfo_t of queue: cl_command_queue {
        CL_QUEUE_CONTEXT => context_of_queue: cl_context = ptr::null_mut();
        CL_QUEUE_DEVICE => device_of_queue: cl_device_id = ptr::null_mut();
        CL_QUEUE_PROPERTIES => properties_of: cl_command_queue_properties = 0;
        CL_QUEUE_REFERENCE_COUNT => references_of_queue: cl_uint = 0;
    }
    clGetMemObjectInfo as clGetMemObjectInfo_t of memory: cl_mem {
        CL_MEM_FLAGS => flags_of: cl_mem_flags = 0;
        CL_MEM_SIZE => size_of_memory: size_t = 0;
        CL_MEM_REFERENCE_COUNT => references_of_memory: cl_uint = 0;
        CL_MEM_CONTEXT => context_of_memory: cl_context = ptr::null_mut();
    }
    clGetKernelInfo as clGetKernelInfo_t of kernel: cl_kernel {
        CL_KERNEL_PROGRAM => program_of: cl_program = ptr::null_mut();
    }
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
    let context = context_of_memory(buffer).ok_or(CL_INVALID_MEM_OBJECT)?;
    let mut status = CL_SUCCESS;
    let made = ask!(
        clCreateBuffer as clCreateBuffer_t,
        context,
        (context, flags, size, ptr::null_mut(), &mut status)
    )?;
    made_or(made, status)
}

/// An in-order queue of the same device and context as another.
///
/// # Errors
/// The status of the call that failed.
pub(crate) fn queue_beside(queue: cl_command_queue) -> Result<cl_command_queue, cl_int> {
    let wrong = CL_INVALID_COMMAND_QUEUE;
    let context = context_of_queue(queue).ok_or(wrong)?;
    let device = device_of_queue(queue).ok_or(wrong)?;
    let mut status = CL_SUCCESS;
    let made = ask!(
        clCreateCommandQueue as clCreateCommandQueue_t,
        context,
        (context, device, 0, &mut status)
    )?;
    made_or(made, status)
}

/// Gives up a reference to a queue.
pub(crate) fn release_queue(queue: cl_command_queue) {
    let _ = ask!(
        clReleaseCommandQueue as clReleaseCommandQueue_t,
        queue,
        (queue)
    );
}

/// The source of a program; empty for one that has none.
pub(crate) fn source_of(program: cl_program) -> Option<Vec<u8>> {
    let ask = |size: size_t, place: *mut c_void, needed: *mut size_t| {
        done(ask!(
            clGetProgramInfo as clGetProgramInfo_t,
            program,
            (program, CL_PROGRAM_SOURCE, size, place, needed)
        ))
    };
    let mut needed = 0;
    ask(0, ptr::null_mut(), &mut needed).ok()?;
    let mut source = vec![0u8; needed];
    ask(needed, source.as_mut_ptr().cast(), ptr::null_mut()).ok()?;
    Some(source)
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

/// Where a command is enqueued: its queue, its wait list with the length first, and the place of its event.
pub(crate) type Place = (cl_command_queue, cl_uint, *const cl_event, *mut cl_event);

/// `clEnqueueMarkerWithWaitList` in the place of a command.
///
/// # Errors
/// Its status.
pub(crate) fn marker((queue, count, list, event): Place) -> Result<(), cl_int> {
    done(ask!(
        clEnqueueMarkerWithWaitList as clEnqueueMarkerWithWaitList_t,
        queue,
        (queue, count, list, event)
    ))
}

/// `clEnqueueFillBuffer` with one byte in the place of a command.
///
/// # Errors
/// Its status.
pub(crate) fn fill(
    (queue, count, list, event): Place,
    buffer: cl_mem,
    byte: u8,
    (offset, size): (size_t, size_t),
) -> Result<(), cl_int> {
    let pattern: *const c_void = (&raw const byte).cast();
    done(ask!(
        clEnqueueFillBuffer as clEnqueueFillBuffer_t,
        queue,
        (queue, buffer, pattern, 1, offset, size, count, list, event)
    ))
}

/// `clEnqueueSVMMemFill` with one byte in the place of a command.
///
/// # Errors
/// Its status.
pub(crate) fn fill_svm(
    (queue, count, list, event): Place,
    memory: *mut c_void,
    byte: u8,
    size: size_t,
) -> Result<(), cl_int> {
    let pattern: *const c_void = (&raw const byte).cast();
    done(ask!(
        clEnqueueSVMMemFill as clEnqueueSVMMemFill_t,
        queue,
        (queue, memory, pattern, 1, size, count, list, event)
    ))
}

/// `clEnqueueNDRangeKernel`, with offset, global and local size, behind these events.
///
/// # Errors
/// Its status.
pub(crate) fn range(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    [offset, global, local]: [*const size_t; 3],
    list: &[cl_event],
) -> Result<Event, cl_int> {
    let mut event = ptr::null_mut();
    let before = if list.is_empty() {
        ptr::null()
    } else {
        list.as_ptr()
    };
    let count = list.len() as cl_uint;
    done(ask!(
        clEnqueueNDRangeKernel as clEnqueueNDRangeKernel_t,
        queue,
        (
            queue, kernel, dimensions, offset, global, local, count, before, &mut event
        )
    ))?;
    Ok(Event(event))
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
    made_or(made, status)
}
