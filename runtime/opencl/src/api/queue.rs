//! Command queues (`opencl_runtime_layer`, Command-Queues; Flush and Finish).

use opencl_sys::*;

use super::device_of;
use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::{Error, ensure, raw};
use crate::object;
use crate::platform::profile::{self, Version};
use crate::queue::{HOST_QUEUE_PROPERTIES, Queue};

entry_points! {
    /// Makes a host queue (OpenCL 1.x).
    create fn clCreateCommandQueue(
        context: cl_context, device: cl_device_id, properties: cl_command_queue_properties,
    ) -> cl_command_queue {
        let context = object::find::<Context>(context)?;
        let device = device_of(device)?;
        ensure!(context.has(&device), CL_INVALID_DEVICE);
        ensure!(properties & !HOST_QUEUE_PROPERTIES == 0, CL_INVALID_VALUE);
        Ok(object::publish(&Queue::new(context, device, properties, None)?))
    }

    /// Makes a queue.
    create fn clCreateCommandQueueWithProperties(
        context: cl_context, device: cl_device_id, properties: *const cl_queue_properties,
    ) -> cl_command_queue {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        let device = device_of(device)?;
        // SAFETY: the application vouches for its list.
        let list = unsafe { raw::property_list(properties) };
        let given = !properties.is_null();
        let queue = Queue::with_properties(context, device, list, given)?;
        Ok(object::publish(&queue))
    }

    /// Changes a queue's properties (OpenCL 1.0). Since 1.1 this is an error; the
    /// function is here so that old programs get the code.
    status fn clSetCommandQueueProperty(
        command_queue: cl_command_queue, _properties: cl_command_queue_properties,
        _enable: cl_bool, _old_properties: *mut cl_command_queue_properties,
    ) {
        object::find::<Queue>(command_queue)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes a device queue the default one. There are no device queues.
    status fn clSetDefaultDeviceCommandQueue(
        context: cl_context, device: cl_device_id, _command_queue: cl_command_queue,
    ) {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        ensure!(context.has(&device_of(device)?), CL_INVALID_DEVICE);
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Retains a queue.
    status fn clRetainCommandQueue(command_queue: cl_command_queue) {
        object::retain::<Queue>(command_queue)
    }

    /// Releases a queue, after an implicit flush: its commands go on.
    status fn clReleaseCommandQueue(command_queue: cl_command_queue) {
        object::find::<Queue>(command_queue)?.flush();
        object::release::<Queue>(command_queue).map(drop)
    }

    /// Answers a query about a queue.
    query fn clGetCommandQueueInfo(
        command_queue: cl_command_queue, param_name: cl_command_queue_info,
    ) {
        let queue = object::find::<Queue>(command_queue)?;
        queue.info(param_name)
    }

    /// Submits what was enqueued.
    status fn clFlush(command_queue: cl_command_queue) {
        object::find::<Queue>(command_queue)?.flush();
        Ok(())
    }

    /// Waits for everything enqueued.
    status fn clFinish(command_queue: cl_command_queue) {
        object::find::<Queue>(command_queue)?.finish();
        Ok(())
    }
}
