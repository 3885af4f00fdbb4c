//! What all functions that record a command have in common (`opencl_runtime_layer`, Recording Commands to a
//! Command-Buffer).

use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::entry::Launched;
use crate::command_buffer::{CommandBuffer, Recipe};
use crate::context::Context;
use crate::ffi::{Result, ensure, raw};
use crate::object;
use crate::queue::Queue;
use crate::queue::command::{Action, Failure, Kind};
use crate::queue::event::Event;

/// What every function that records takes first and last: to enqueue functions, their queue and
/// [`super::entry::Tail`].
pub(super) struct Recording {
    buffer: Arc<CommandBuffer>,
    count: cl_uint,
    list: *const cl_sync_point_khr,
    sync_point: *mut cl_sync_point_khr,
}

impl Recording {
    /// The parameters that say where to record.
    ///
    /// # Errors
    /// `CL_INVALID_COMMAND_BUFFER_KHR`; `CL_INVALID_COMMAND_QUEUE` for any queue, because there is one only;
    /// `CL_INVALID_OPERATION` after the finalization; `CL_INVALID_VALUE` for any property and for a place for a
    /// handle, because commands cannot be changed.
    ///
    /// # Safety
    /// As long as the call lasts, the lists are null or what the specification demands, and the place for the
    /// sync point is null or valid for a write.
    pub(super) unsafe fn new(
        (command_buffer, command_queue): (cl_command_buffer_khr, cl_command_queue),
        properties: *const cl_command_properties_khr,
        (count, list): (cl_uint, *const cl_sync_point_khr),
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> Result<Self> {
        let buffer: Arc<CommandBuffer> = object::find(command_buffer)?;
        ensure!(command_queue.is_null(), CL_INVALID_COMMAND_QUEUE);
        buffer.check_recording()?;
        // SAFETY: a list that is not null has at least the zero that ends it.
        let empty = properties.is_null() || unsafe { properties.read() } == 0;
        ensure!(empty, CL_INVALID_VALUE);
        ensure!(mutable_handle.is_null(), CL_INVALID_VALUE);
        Ok(Self {
            buffer,
            count,
            list,
            sync_point,
        })
    }

    /// The queue that is recorded to.
    pub(super) fn queue(&self) -> Arc<Queue> {
        Arc::clone(&self.buffer.queue)
    }

    /// The commands of the wait list, by their places.
    ///
    /// # Errors
    /// `CL_INVALID_SYNC_POINT_WAIT_LIST_KHR`.
    pub(super) fn wait_list(&self, _: &Arc<Context>) -> Result<Vec<usize>> {
        ensure!(
            self.list.is_null() == (self.count == 0),
            CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
        );
        // SAFETY: as was promised when this was made.
        self.buffer
            .places(unsafe { raw::slice(self.list, self.count as usize) })
    }

    /// Records a command that does the same each time.
    ///
    /// # Errors
    /// As [`CommandBuffer::record`].
    pub(super) fn repeatable<F>(
        self,
        _: &Arc<Queue>,
        kind: Kind,
        after: Vec<usize>,
        action: F,
    ) -> Result<()>
    where
        F: Fn(&Arc<Event>) -> std::result::Result<(), Failure> + Send + Sync + 'static,
    {
        let action = Arc::new(action);
        let recipe = move || -> Action {
            let action = Arc::clone(&action);
            Box::new(move |event| action(event))
        };
        self.record(kind, after, Box::new(recipe))
    }

    /// Records a launch.
    ///
    /// # Errors
    /// As [`CommandBuffer::record`].
    pub(super) fn launch(
        self,
        _: &Arc<Queue>,
        kind: Kind,
        after: Vec<usize>,
        (prepared, kernel, range): Launched<'_>,
    ) -> Result<()> {
        if on(Fault::RecordedArgumentsLate) {
            let (kernel, range) = (Arc::clone(kernel), *range);
            let device = Arc::clone(&self.buffer.queue.device);
            let recipe = move || {
                let target = kernel.on(&device);
                let late = target.map(|target| kernel.prepare(&device, target, &range));
                match late {
                    Some(Ok(late)) => late.action(),
                    Some(Err(_)) | None => prepared.clone().action(),
                }
            };
            return self.record(kind, after, Box::new(recipe));
        }
        self.record(kind, after, Box::new(move || prepared.clone().action()))
    }

    fn record(self, kind: Kind, after: Vec<usize>, recipe: Recipe) -> Result<()> {
        let point = self.buffer.record(kind, after, recipe)?;
        // SAFETY: as was promised when this was made.
        unsafe { raw::put(self.sync_point, point) };
        Ok(())
    }
}
