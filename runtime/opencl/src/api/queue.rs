//! Command queues (`opencl_runtime_layer`, Command-Queues; Flush and Finish).

use std::sync::Arc;

use opencl_sys::*;

use super::device_of;
use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::{Error, ensure, raw};
use crate::object;
use crate::platform::profile::{self, Feature, Version};
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
        Ok(object::publish(&Queue::new(context, device, properties, None, None)?))
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
        Queue::with_properties(context, device, list, given)
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

    /// Makes a device queue the default one of its device.
    status fn clSetDefaultDeviceCommandQueue(
        context: cl_context, device: cl_device_id, command_queue: cl_command_queue,
    ) {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        let device = device_of(device)?;
        ensure!(context.has(&device), CL_INVALID_DEVICE);
        profile::require(Feature::DeviceEnqueue)?;
        let queue = object::find::<Queue>(command_queue)?;
        let fits = queue.is_on_device()
            && Arc::ptr_eq(&queue.context, &context)
            && Arc::ptr_eq(&queue.device, &device);
        ensure!(fits, CL_INVALID_COMMAND_QUEUE);
        context.set_default_queue(&queue);
        Ok(())
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
        Queue::of_host(command_queue)?.flush();
        Ok(())
    }

    /// Waits for everything enqueued.
    status fn clFinish(command_queue: cl_command_queue) {
        Queue::of_host(command_queue)?.finish();
        Ok(())
    }
}
