//! What all functions that record a command have in common (`opencl_runtime_layer`, Recording Commands to a
//! Command-Buffer).

use std::sync::Arc;

use opencl_sys::*;

use super::entry::Launched;
use crate::command_buffer::mutable::{self, Dispatch, Properties};
use crate::command_buffer::{CommandBuffer, Recipe};
use crate::context::Context;
use crate::ffi::{Error, Result, ensure, raw};
use crate::object;
use crate::platform::profile::{self, Feature};
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
    properties: Properties,
    /// Where the handle goes; null where none is asked for.
    handle: *mut cl_mutable_command_khr,
}

impl Recording {
    /// The parameters that say where to record what cannot be changed.
    ///
    /// # Errors
    /// As [`Recording::changing`]; `CL_INVALID_VALUE` for any property and for a place for a handle.
    ///
    /// # Safety
    /// As [`Recording::changing`].
    pub(super) unsafe fn fixed(
        to: (cl_command_buffer_khr, cl_command_queue),
        properties: *const cl_command_properties_khr,
        waits: (cl_uint, *const cl_sync_point_khr),
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> Result<Self> {
        let buffer = Self::buffer(to)?;
        // SAFETY: a list that is not null has at least the zero that ends it.
        let empty = properties.is_null() || unsafe { properties.read() } == 0;
        ensure!(empty, CL_INVALID_VALUE);
        ensure!(mutable_handle.is_null(), CL_INVALID_VALUE);
        let properties = Properties::default();
        Ok(Self::of(
            buffer,
            waits,
            sync_point,
            properties,
            mutable_handle,
        ))
    }

    /// The parameters that say where to record what can be updated later.
    ///
    /// # Errors
    /// `CL_INVALID_COMMAND_BUFFER_KHR`; `CL_INVALID_COMMAND_QUEUE` for any queue, because there is one only;
    /// `CL_INVALID_OPERATION` after the finalization; as [`Properties::new`]. Where the device has no mutable
    /// commands `CL_INVALID_VALUE` for any property and for a place for a handle.
    ///
    /// # Safety
    /// As long as the call lasts, the lists are null or what the specification demands, and the places for the
    /// sync point and the handle are null or valid for a write.
    pub(super) unsafe fn changing(
        to: (cl_command_buffer_khr, cl_command_queue),
        properties: *const cl_command_properties_khr,
        waits: (cl_uint, *const cl_sync_point_khr),
        sync_point: *mut cl_sync_point_khr,
        mutable_handle: *mut cl_mutable_command_khr,
    ) -> Result<Self> {
        if !profile::has(Feature::MutableDispatch) {
            // SAFETY: the caller's promise.
            return unsafe { Self::fixed(to, properties, waits, sync_point, mutable_handle) };
        }
        let buffer = Self::buffer(to)?;
        // SAFETY: the caller's promise.
        let list = unsafe { raw::property_list(properties) };
        let given = (!properties.is_null()).then_some(list);
        let properties = Properties::new(given)?;
        Ok(Self::of(
            buffer,
            waits,
            sync_point,
            properties,
            mutable_handle,
        ))
    }

    fn buffer(
        (buffer, queue): (cl_command_buffer_khr, cl_command_queue),
    ) -> Result<Arc<CommandBuffer>> {
        let buffer: Arc<CommandBuffer> = object::find(buffer)?;
        ensure!(queue.is_null(), CL_INVALID_COMMAND_QUEUE);
        buffer.check_recording()?;
        Ok(buffer)
    }

    fn of(
        buffer: Arc<CommandBuffer>,
        (count, list): (cl_uint, *const cl_sync_point_khr),
        sync_point: *mut cl_sync_point_khr,
        properties: Properties,
        handle: *mut cl_mutable_command_khr,
    ) -> Self {
        Self {
            buffer,
            count,
            list,
            sync_point,
            properties,
            handle,
        }
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
        self.record(kind, after, Some(Arc::new(recipe)))
    }

    /// Whether a kernel is taken whose arguments are not set: where its properties say that they can be updated.
    pub(super) fn may_lack_arguments(&self) -> bool {
        self.properties.names_arguments()
    }

    /// Records a launch.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` without a size of work-groups where the application asserts that there will be no more of
    /// them; as [`mutable::recipe`] and [`CommandBuffer::record`].
    pub(super) fn launch(
        self,
        _: &Arc<Queue>,
        kind: Kind,
        after: Vec<usize>,
        launched: &Launched<'_>,
    ) -> Result<()> {
        let asserts = self.properties.asserts() | self.buffer.asserts();
        ensure!(launched.sized || asserts == 0, CL_INVALID_VALUE);
        let Launched {
            kernel,
            range,
            sized,
            ..
        } = *launched;
        let recipe = match mutable::recipe(&self.buffer.queue.device, kernel, range) {
            Err(Error(CL_INVALID_KERNEL_ARGS)) if self.may_lack_arguments() => None,
            made => Some(made?),
        };
        if self.handle.is_null() {
            return self.record(kind, after, recipe);
        }
        let dispatch = Dispatch::new(kernel, *range, sized, self.properties);
        let (point, handle) = self.buffer.record_mutable(kind, after, recipe, dispatch)?;
        // SAFETY: as was promised when this was made.
        unsafe {
            raw::put(self.sync_point, point);
            raw::put(self.handle, handle);
        }
        Ok(())
    }

    fn record(self, kind: Kind, after: Vec<usize>, recipe: Option<Recipe>) -> Result<()> {
        let point = self.buffer.record(kind, after, recipe)?;
        // SAFETY: as was promised when this was made.
        unsafe { raw::put(self.sync_point, point) };
        Ok(())
    }
}
