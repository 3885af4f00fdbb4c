//! Functions of OpenCL 1.1 for which there are no bindings: found in the library that the worker has
//! opened already.

use crate::worker::variables;
use cl3::types::{cl_command_queue, cl_event, cl_int, cl_uint};
use libloading::Library;

/// The library; opening it again gives the one that is open.
fn library() -> Option<Library> {
    let names = std::env::var(variables::LIBRARY).ok()?;
    names.split(';').find_map(|name| {
        // SAFETY: it is loaded already, so nothing is initialized.
        unsafe { Library::new(name) }.ok()
    })
}

/// clEnqueueMarker; `None` where the library has none.
pub fn marker(q: cl_command_queue, event: &mut cl_event) -> Option<i32> {
    type Function = unsafe extern "C" fn(cl_command_queue, *mut cl_event) -> cl_int;
    let library = library()?;
    // SAFETY: the function has this type in every version of the specification.
    unsafe {
        let function = library.get::<Function>(b"clEnqueueMarker\0").ok()?;
        Some(function(q, event))
    }
}

/// clEnqueueBarrier; `None` where the library has none.
pub fn barrier(q: cl_command_queue) -> Option<i32> {
    type Function = unsafe extern "C" fn(cl_command_queue) -> cl_int;
    let library = library()?;
    // SAFETY: as above.
    unsafe {
        let function = library.get::<Function>(b"clEnqueueBarrier\0").ok()?;
        Some(function(q))
    }
}

/// clEnqueueWaitForEvents for one; `None` where the library has none.
pub fn wait_for_events(q: cl_command_queue, event: &mut cl_event) -> Option<i32> {
    type Function = unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event) -> cl_int;
    let library = library()?;
    // SAFETY: as above; the list has one event.
    unsafe {
        let function = library.get::<Function>(b"clEnqueueWaitForEvents\0").ok()?;
        Some(function(q, 1, event))
    }
}
