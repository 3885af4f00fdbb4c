//! Command-buffers (`cl_khr_command_buffer`; `opencl_runtime_layer`, Command-Buffers). What records a command is
//! beside what enqueues it.

use std::ffi::c_void;
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::entry::{Tail, entry_points};
use crate::command_buffer::CommandBuffer;
use crate::command_buffer::mutable::MutableCommand;
use crate::ffi::{ensure, raw};
use crate::object;
use crate::platform::capabilities;
use crate::platform::profile::{self, Feature};
use crate::queue::Queue;
use crate::queue::command::Kind;

entry_points! {
    /// Makes a command-buffer.
    create fn clCreateCommandBufferKHR(
        num_queues: cl_uint, queues: *const cl_command_queue,
        properties: *const cl_command_buffer_properties_khr,
    ) -> cl_command_buffer_khr {
        profile::require(Feature::CommandBuffer)?;
        ensure!(num_queues == 1 && !queues.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for one queue.
        let queue = Queue::of_host(unsafe { queues.read() })?;
        // SAFETY: the application vouches for its list.
        let list = unsafe { raw::property_list(properties) };
        let given = (!properties.is_null()).then_some(list);
        Ok(object::publish(&CommandBuffer::new(&queue, given)?).cast())
    }

    references clRetainCommandBufferKHR clReleaseCommandBufferKHR(cl_command_buffer_khr): CommandBuffer;

    /// Ends the recording of a command-buffer.
    status fn clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        object::find::<CommandBuffer>(command_buffer)?.finalize()
    }

    /// Enqueues all commands of a command-buffer as one.
    status fn clEnqueueCommandBufferKHR(
        num_queues: cl_uint, queues: *mut cl_command_queue, command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint, event_wait_list: *const cl_event, event: *mut cl_event,
    ) {
        let buffer = object::find::<CommandBuffer>(command_buffer)?;
        let action = buffer.action()?;
        ensure!(queues.is_null() == (num_queues == 0) && num_queues <= 1, CL_INVALID_VALUE);
        let queue = if queues.is_null() {
            Arc::clone(&buffer.queue)
        } else {
            // SAFETY: not null, and the application vouches for one queue.
            let queue: Arc<Queue> = object::find(unsafe { queues.read() })?;
            // A device queue has a property that no command-buffer can be executed with.
            let supported = capabilities::queue_properties();
            ensure!(queue.has_only(supported), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
            ensure!(Arc::ptr_eq(&queue.device, &buffer.queue.device), CL_INVALID_DEVICE);
            let foreign = !Arc::ptr_eq(&queue.context, &buffer.queue.context);
            ensure!(!foreign || on(Fault::CommandBufferForeignQueue), CL_INVALID_CONTEXT);
            if on(Fault::CommandBufferQueueIgnored) || foreign {
                Arc::clone(&buffer.queue)
            } else {
                queue
            }
        };
        queue.check_available()?;
        // SAFETY: the application vouches for its wait list and its place for the event.
        let tail = unsafe { Tail::new(num_events_in_wait_list, event_wait_list, event) };
        let mut list = tail.wait_list(&queue.context)?;
        if on(Fault::CommandBufferWaitListIgnored) {
            list.clear();
        }
        tail.enqueue(&queue, Kind::CommandBuffer, list, action)
    }

    /// Records a barrier, for which all waits that is recorded after it.
    record fn clCommandBarrierWithWaitListKHR() |queue, tail| {
        let list = tail.wait_list(&queue.context)?;
        let kind = if list.is_empty() { Kind::Barrier } else { Kind::BarrierWithList };
        tail.repeatable(&queue, kind, list, |_| Ok(()))
    }

    /// Changes what later enqueues of a command-buffer do.
    status fn clUpdateMutableCommandsKHR(
        command_buffer: cl_command_buffer_khr, num_configs: cl_uint,
        config_types: *const cl_command_buffer_update_type_khr, configs: *mut *const c_void,
    ) {
        let buffer = object::find::<CommandBuffer>(command_buffer)?;
        profile::require(Feature::MutableDispatch)?;
        buffer.check_mutable()?;
        let none = num_configs == 0;
        ensure!(config_types.is_null() == none && configs.is_null() == none, CL_INVALID_VALUE);
        // SAFETY: null only when empty, and the application vouches for the lengths.
        let (types, configs) = unsafe {
            (
                raw::slice(config_types, num_configs as usize),
                raw::slice(configs.cast_const(), num_configs as usize),
            )
        };
        let kernels = |kind: &_| *kind == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
        ensure!(types.iter().all(kernels), CL_INVALID_VALUE);
        ensure!(!configs.iter().any(|config| config.is_null()), CL_INVALID_VALUE);
        // SAFETY: the application vouches for what its configs point to.
        unsafe { buffer.update(configs) }
    }

    /// Answers a query about a recorded command.
    query fn clGetMutableCommandInfoKHR(
        command: cl_mutable_command_khr, param_name: cl_mutable_command_info_khr,
    ) {
        object::find::<MutableCommand>(command)?.info(param_name)
    }

    /// Answers a query about a command-buffer.
    query fn clGetCommandBufferInfoKHR(
        command_buffer: cl_command_buffer_khr, param_name: cl_command_buffer_info_khr,
    ) {
        object::find::<CommandBuffer>(command_buffer)?.info(param_name)
    }
}
