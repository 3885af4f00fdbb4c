//! The entry points, one file for each chapter of the specification.
//!
//! An entry point reads its raw arguments, checks them in the order in which the
//! specification lists the errors, and calls the objects. It contains no other logic.
//! Functions for what is not supported check their handles and return the error the
//! specification names for that; none is missing.

pub mod buffer;
pub mod command_buffer;
pub mod context;
pub mod device;
pub(crate) mod entry;
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
pub(crate) mod recording;
pub mod rect;
pub mod sampler;
pub mod svm;
pub mod sync;
pub mod transfer;

use std::sync::Arc;

use opencl_sys::*;

use crate::ffi::{Result, ensure};
use crate::memory::Buffer;
use crate::object;
use crate::queue::Queue;

/// A buffer that a command of this queue may use.
fn buffer_of(queue: &Arc<Queue>, handle: cl_mem) -> Result<Arc<Buffer>> {
    let buffer: Arc<Buffer> = object::find(handle)?;
    ensure!(
        Arc::ptr_eq(&buffer.context, &queue.context),
        CL_INVALID_CONTEXT
    );
    buffer.address(&queue.device)?;
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
