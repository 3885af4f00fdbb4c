//! A context with a queue, and shorter names for the calls.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;
use touchstone::api::platform::*;
use touchstone::api::queue::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

pub fn platform() -> cl_platform_id {
    let mut platform = null_mut();
    let mut count = 0;
    let code = unsafe { clGetPlatformIDs(1, &mut platform, &mut count) };
    assert_eq!((code, count), (CL_SUCCESS, 1));
    platform
}

pub fn device() -> cl_device_id {
    let mut device = null_mut();
    let code =
        unsafe { clGetDeviceIDs(platform(), CL_DEVICE_TYPE_CPU, 1, &mut device, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    device
}

pub fn context() -> cl_context {
    let mut code = 1;
    let context = unsafe { clCreateContext(null(), 1, &device(), None, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    context
}

pub fn queue(context: cl_context, properties: cl_command_queue_properties) -> cl_command_queue {
    let mut code = 1;
    let list = [u64::from(CL_QUEUE_PROPERTIES), properties, 0];
    let queue =
        unsafe { clCreateCommandQueueWithProperties(context, device(), list.as_ptr(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    queue
}

/// A context and a queue of it, released at the end of the test.
pub struct Rig {
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(CL_QUEUE_PROFILING_ENABLE)
    }

    pub fn with(properties: cl_command_queue_properties) -> Self {
        let context = context();
        let queue = queue(context, properties);
        Self { context, queue }
    }

    pub fn buffer(&self, flags: cl_mem_flags, size: usize) -> cl_mem {
        let mut code = 1;
        let buffer = unsafe { clCreateBuffer(self.context, flags, size, null_mut(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        buffer
    }

    pub fn buffer_of(&self, bytes: &mut [u8], flags: cl_mem_flags) -> cl_mem {
        let mut code = 1;
        let start = bytes.as_mut_ptr().cast();
        let buffer = unsafe { clCreateBuffer(self.context, flags, bytes.len(), start, &mut code) };
        assert_eq!(code, CL_SUCCESS);
        buffer
    }

    pub fn read(&self, buffer: cl_mem, size: usize) -> Vec<u8> {
        let mut bytes = vec![0xee; size];
        let code = unsafe {
            clEnqueueReadBuffer(
                self.queue,
                buffer,
                CL_TRUE,
                0,
                size,
                bytes.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        bytes
    }

    /// Enqueues a write of bytes, of which it keeps a copy for ever: the command may be done after the caller's are gone.
    pub fn write(&self, buffer: cl_mem, bytes: &[u8], wait: &[cl_event]) -> cl_event {
        let bytes: &'static [u8] = Box::leak(bytes.into());
        let mut event = null_mut();
        let code = unsafe {
            clEnqueueWriteBuffer(
                self.queue,
                buffer,
                CL_FALSE,
                0,
                bytes.len(),
                bytes.as_ptr().cast(),
                wait.len() as u32,
                list(wait),
                &mut event,
            )
        };
        assert_eq!(code, CL_SUCCESS);
        event
    }

    pub fn user_event(&self) -> cl_event {
        let mut code = 1;
        let event = unsafe { clCreateUserEvent(self.context, &mut code) };
        assert_eq!(code, CL_SUCCESS);
        event
    }

    pub fn marker(&self, wait: &[cl_event]) -> cl_event {
        let mut event = null_mut();
        let code = unsafe {
            clEnqueueMarkerWithWaitList(self.queue, wait.len() as u32, list(wait), &mut event)
        };
        assert_eq!(code, CL_SUCCESS);
        event
    }

    pub fn finish(&self) {
        assert_eq!(unsafe { clFinish(self.queue) }, CL_SUCCESS);
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        unsafe {
            assert_eq!(clReleaseCommandQueue(self.queue), CL_SUCCESS);
            assert_eq!(clReleaseContext(self.context), CL_SUCCESS);
        }
    }
}

pub fn list(events: &[cl_event]) -> *const cl_event {
    if events.is_empty() {
        null()
    } else {
        events.as_ptr()
    }
}

pub fn wait(events: &[cl_event]) -> cl_int {
    unsafe { clWaitForEvents(events.len() as u32, list(events)) }
}

pub fn status(event: cl_event) -> cl_int {
    query(|size, value, ret| unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret)
    })
}

pub fn release_events(events: &[cl_event]) {
    for &event in events {
        assert_eq!(unsafe { clReleaseEvent(event) }, CL_SUCCESS);
    }
}

pub fn release_buffers(buffers: &[cl_mem]) {
    for &buffer in buffers {
        assert_eq!(unsafe { clReleaseMemObject(buffer) }, CL_SUCCESS);
    }
}

/// Calls a query for one value of a plain type.
pub fn query<T: Default>(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> T {
    let mut value = T::default();
    let mut size = 0;
    let code = call(size_of::<T>(), (&raw mut value).cast(), &mut size);
    assert_eq!((code, size), (CL_SUCCESS, size_of::<T>()));
    value
}

/// Calls a query for bytes of any length.
pub fn query_bytes(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Vec<u8> {
    let mut size = usize::MAX;
    assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS);
    let mut bytes = vec![0u8; size];
    assert_eq!(
        call(size, bytes.as_mut_ptr().cast(), null_mut()),
        CL_SUCCESS
    );
    bytes
}

/// Calls a query for a string.
pub fn query_text(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
    let mut bytes = query_bytes(call);
    assert_eq!(bytes.pop(), Some(0), "no terminating zero");
    String::from_utf8(bytes).expect("no UTF-8")
}

/// Waits for what a queue's thread does a moment after it has told the end of a command,
/// such as letting go of it.
pub fn eventually(happened: impl Fn() -> bool) {
    for _ in 0..20_000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("it has not happened");
}

/// Something that callbacks note what they saw in.
#[derive(Default)]
pub struct Notes {
    notes: Mutex<Vec<i32>>,
    changed: Condvar,
}

impl Notes {
    pub fn add(&self, note: i32) {
        // Told under the lock: who waits for the note may be done with this as it is let go.
        let mut notes = self.notes.lock().expect("poisoned");
        notes.push(note);
        self.changed.notify_all();
    }

    /// Waits for as many notes; fails the test when they do not come.
    pub fn wait_for(&self, count: usize) -> Vec<i32> {
        let notes = self.notes.lock().expect("poisoned");
        let (notes, timeout) = self
            .changed
            .wait_timeout_while(notes, Duration::from_secs(20), |notes| notes.len() < count)
            .expect("poisoned");
        assert!(!timeout.timed_out(), "only {notes:?} of {count}");
        notes.clone()
    }

    pub fn seen(&self) -> Vec<i32> {
        self.notes.lock().expect("poisoned").clone()
    }

    pub fn pointer(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    pub unsafe fn at<'a>(pointer: *mut c_void) -> &'a Self {
        unsafe { &*pointer.cast() }
    }
}
