//! How entry points are defined, and what all that enqueue commands have in common.

use std::sync::Arc;

use opencl_sys::*;

use crate::context::Context;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::Kernel;
use crate::kernel::range::Range;
use crate::memory::apart;
use crate::object;
use crate::program::Target;
use crate::queue::Queue;
use crate::queue::command::{Action, Failure, Kind};
use crate::queue::event::Event;

/// Defines entry points.
///
/// - `status fn` bodies evaluate to `Result<()>` and the symbol returns the code;
/// - `create fn` bodies evaluate to `Result<*mut _>` and the symbol gains the trailing
///   `errcode_ret` that all such functions of OpenCL have;
/// - `query fn` bodies evaluate to `Result<Answer>` and the symbol gains the three trailing
///   parameters of the `clGet*Info` family;
/// - `references` makes the pair of functions that retain and release an object of a type;
/// - with `also` a `status fn` or a `create fn` has a second name, that of an extension;
/// - with `|queue, tail|` the function enqueues a command: the symbol gains the queue as its first
///   parameter and the wait list and the event as its last;
/// - `record fn` bodies record a command: the symbol gains the command-buffer, a queue and properties as its first
///   parameters, and the wait list, the sync point and a handle as its last;
/// - with `recorded` the same body enqueues under one name and records under another. It gives its command to
///   `tail.repeatable` or `tail.launch`, which [`Tail`] and [`super::recording::Recording`] both have;
/// - with `changing` it is recorded so, too, and may have properties and give out a handle, by which it can be updated.
macro_rules! entry_points {
    () => {};
    (
        $(#[$meta:meta])*
        status fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// Every pointer is null or what the OpenCL specification demands of it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> opencl_sys::cl_int {
            $crate::ffi::entry::status(move || -> $crate::ffi::Result<()> { $body })
        }
        $crate::api::entry::entry_points! { $($rest)* }
    };
    (
        references $retain:ident $release:ident($handle:ty): $object:ty;
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            #[doc = concat!("Retains a [`", stringify!($object), "`].")]
            status fn $retain(object: $handle) {
                $crate::object::retain::<$object>(object)
            }

            #[doc = concat!("Releases a [`", stringify!($object), "`].")]
            status fn $release(object: $handle) {
                $crate::object::release::<$object>(object).map(drop)
            }
            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        status fn $name:ident also $alias:ident($($arg:ident: $ty:ty),* $(,)?) $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            status fn $name($($arg: $ty),*) $body

            #[doc = concat!("As [`", stringify!($name), "`].")]
            status fn $alias($($arg: $ty),*) {
                // SAFETY: the same arguments with the same promises.
                match unsafe { $name($($arg),*) } {
                    opencl_sys::CL_SUCCESS => Ok(()),
                    code => Err($crate::ffi::Error(code)),
                }
            }
            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        create fn $name:ident also $alias:ident($($arg:ident: $ty:ty),* $(,)?) -> $made:ty $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            create fn $name($($arg: $ty),*) -> $made $body
        }

        #[doc = concat!("As [`", stringify!($name), "`].")]
        ///
        /// # Safety
        /// Every pointer is null or what the OpenCL specification demands of it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $alias(
            $($arg: $ty,)*
            errcode_ret: *mut opencl_sys::cl_int,
        ) -> $made {
            // SAFETY: the same arguments with the same promises.
            unsafe { $name($($arg,)* errcode_ret) }
        }
        $crate::api::entry::entry_points! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        create fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $made:ty $body:block
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        ///
        /// # Safety
        /// Every pointer is null or what the OpenCL specification demands of it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($arg: $ty,)*
            errcode_ret: *mut opencl_sys::cl_int,
        ) -> $made {
            let body = move || -> $crate::ffi::Result<$made> { $body };
            // SAFETY: the caller passes null or a valid pointer for the error code.
            unsafe { $crate::ffi::entry::created(errcode_ret, body) }
        }
        $crate::api::entry::entry_points! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        query fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            status fn $name(
                $($arg: $ty,)*
                param_value_size: usize,
                param_value: *mut std::ffi::c_void,
                param_value_size_ret: *mut usize,
            ) {
                let answer: $crate::ffi::Result<$crate::ffi::answer::Answer> = $body;
                // SAFETY: the application vouches for its pointers.
                unsafe { answer?.deliver(param_value_size, param_value, param_value_size_ret) }
            }
            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        status fn $name:ident recorded $record:ident($($arg:ident: $ty:ty),* $(,)?)
        |$queue:ident, $tail:ident| $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            status fn $name($($arg: $ty),*) |$queue, $tail| $body

            #[doc = concat!("Records what [`", stringify!($name), "`] enqueues.")]
            record fn $record($($arg: $ty),*) |$queue, $tail| $body

            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        status fn $name:ident changing $record:ident($($arg:ident: $ty:ty),* $(,)?)
        |$queue:ident, $tail:ident| $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            status fn $name($($arg: $ty),*) |$queue, $tail| $body

            #[doc = concat!("Records what [`", stringify!($name), "`] enqueues, and what can be updated.")]
            record changing fn $record($($arg: $ty),*) |$queue, $tail| $body

            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        record fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        |$queue:ident, $tail:ident| $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            record fixed fn $name($($arg: $ty),*) |$queue, $tail| $body

            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        record $kept:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        |$queue:ident, $tail:ident| $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            status fn $name(
                command_buffer: opencl_sys::cl_command_buffer_khr,
                command_queue: opencl_sys::cl_command_queue,
                properties: *const opencl_sys::cl_command_properties_khr,
                $($arg: $ty,)*
                num_sync_points_in_wait_list: opencl_sys::cl_uint,
                sync_point_wait_list: *const opencl_sys::cl_sync_point_khr,
                sync_point: *mut opencl_sys::cl_sync_point_khr,
                mutable_handle: *mut opencl_sys::cl_mutable_command_khr,
            ) {
                // SAFETY: the application vouches for its lists and its places for the sync point and the handle.
                let $tail = unsafe {
                    $crate::api::recording::Recording::$kept(
                        (command_buffer, command_queue),
                        properties,
                        (num_sync_points_in_wait_list, sync_point_wait_list),
                        sync_point,
                        mutable_handle,
                    )?
                };
                let $queue = $tail.queue();
                $body
            }
            $($rest)*
        }
    };
    (
        $(#[$meta:meta])*
        $form:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $made:ty)?
        |$queue:ident, $tail:ident| $body:block
        $($rest:tt)*
    ) => {
        $crate::api::entry::entry_points! {
            $(#[$meta])*
            $form fn $name(
                command_queue: opencl_sys::cl_command_queue,
                $($arg: $ty,)*
                num_events_in_wait_list: opencl_sys::cl_uint,
                event_wait_list: *const opencl_sys::cl_event,
                event: *mut opencl_sys::cl_event,
            ) $(-> $made)? {
                // SAFETY: the application vouches for its wait list and its place for the event.
                let $tail = unsafe {
                    $crate::api::entry::Tail::new(num_events_in_wait_list, event_wait_list, event)
                };
                let $queue = $crate::queue::Queue::of_host(command_queue)?;
                $queue.check_available()?;
                $body
            }
            $($rest)*
        }
    };
}
pub(crate) use entry_points;

/// A launch.
pub(super) struct Launched<'l> {
    pub(super) kernel: &'l Arc<Kernel>,
    /// What there is of it for the queue's device.
    pub(super) target: &'l Target,
    pub(super) range: &'l Range,
    /// The application gave the size of work-groups.
    pub(super) sized: bool,
}

/// What every enqueue function takes last.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    count: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
    blocking: bool,
}

impl Tail {
    /// The end of a call's parameters.
    ///
    /// # Safety
    /// As long as the call lasts, the list is null or has as many elements as it says, and the
    /// place for the event is null or valid for a write.
    pub(super) unsafe fn new(count: cl_uint, list: *const cl_event, event: *mut cl_event) -> Self {
        Self {
            count,
            list,
            event,
            blocking: false,
        }
    }

    pub(super) fn blocking(self, blocking: cl_bool) -> Self {
        Self {
            blocking: blocking != CL_FALSE,
            ..self
        }
    }

    /// The events of the wait list.
    ///
    /// # Errors
    /// `CL_INVALID_EVENT_WAIT_LIST`, `CL_INVALID_CONTEXT`.
    pub(super) fn wait_list(&self, context: &Arc<Context>) -> Result<Vec<Arc<Event>>> {
        ensure!(
            self.list.is_null() == (self.count == 0),
            CL_INVALID_EVENT_WAIT_LIST
        );
        // SAFETY: as was promised when this was made.
        let handles = unsafe { raw::slice(self.list, self.count as usize) };
        let events = handles
            .iter()
            .map(|&handle| object::find::<Event>(handle))
            .collect::<Result<Vec<_>>>()
            .map_err(|_| Error(CL_INVALID_EVENT_WAIT_LIST))?;
        let same = events
            .iter()
            .all(|event| Arc::ptr_eq(&event.context, context));
        ensure!(same, CL_INVALID_CONTEXT);
        Ok(events)
    }

    /// Enqueues a command that could be recorded, too.
    ///
    /// # Errors
    /// As [`Tail::enqueue`].
    pub(super) fn repeatable<F>(
        self,
        queue: &Arc<Queue>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        action: F,
    ) -> Result<()>
    where
        F: Fn(&Arc<Event>) -> std::result::Result<(), Failure> + Send + Sync + 'static,
    {
        self.enqueue(queue, kind, wait_list, Box::new(action))
    }

    /// Whether a kernel is taken whose arguments are not set: none that is enqueued.
    pub(super) fn may_lack_arguments(&self) -> bool {
        false
    }

    /// Enqueues a launch.
    ///
    /// # Errors
    /// As [`Kernel::prepare`] and [`Tail::enqueue`].
    pub(super) fn launch(
        self,
        queue: &Arc<Queue>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        launched: &Launched<'_>,
    ) -> Result<()> {
        let Launched {
            kernel,
            target,
            range,
            ..
        } = launched;
        let prepared = kernel.prepare(&queue.device, target, range)?;
        self.enqueue(queue, kind, wait_list, prepared.action())
    }

    /// Enqueues the command, waits for it if the call is blocking and gives out its event.
    ///
    /// # Errors
    /// Of a blocking call the command's status, when it failed.
    pub(super) fn enqueue(
        self,
        queue: &Arc<Queue>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        action: Action,
    ) -> Result<()> {
        let action = apart::wrapped(&queue.device, action);
        let event = queue.enqueue(kind, wait_list, action, self.blocking);
        if self.blocking && event.status() < 0 {
            return Err(Error(event.status()));
        }
        if !self.event.is_null() {
            // SAFETY: not null, and valid as was promised when this was made.
            unsafe { self.event.write(object::publish(&event)) };
        }
        Ok(())
    }
}
