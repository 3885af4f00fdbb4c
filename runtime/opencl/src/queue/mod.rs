//! Command queues, commands and events: the execution model of the host side.
//!
//! ```text
//!  clEnqueue* ──▶ Event = command ──▶ touchstone-queue: what comes first, which thread, when
//!                   │ action                                     │
//!                   ▼                                            ▼
//!          memory/ kernel/ application's function      waiters, callbacks, other commands
//! ```
//!
//! [`event`] is one command as the application sees it; [`command`] is what commands do and
//! how each kind takes its place in a queue. Everything else, the states, the orders, the
//! threads, and why all that neither deadlocks nor races, is in the crate `touchstone-queue`.
//!
//! # When commands are submitted
//! As they are enqueued, so `clFlush` has nothing left to do, and an event of one queue can
//! be waited for in another without a flush. An application must not count on that
//! (`opencl_runtime_layer`, Flush and Finish). With the latitude `deferred-submission` commands stay
//! queued until `clFlush`, a blocking call or the release of their queue, so that one that
//! forgets to flush shows it.

pub mod broken;
pub mod command;
pub mod event;

use std::sync::{Arc, LazyLock};

use opencl_sys::*;
use touchstone_faults::{Latitude, takes};
use touchstone_queue::{self as engine, Choice, Pool, Submission};

use crate::callback;
use crate::clock;
use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::settings;
use crate::object::{self, Header, object};
use crate::platform::{Device, capabilities};
use command::{Action, Kind};
use event::Event;

/// The threads that run commands, shared by all queues.
pub fn pool() -> &'static Arc<Pool<Event>> {
    static POOL: LazyLock<Arc<Pool<Event>>> =
        LazyLock::new(|| Pool::new(2, callback::mark_queue_thread, choice()));
    &POOL
}

/// Which of the commands that are ready comes next.
fn choice() -> Choice {
    if takes(Latitude::QueueOneAtATime) {
        Choice::OneAtATime
    } else if takes(Latitude::QueueLastFirst) {
        Choice::LastFirst
    } else if takes(Latitude::QueueRandom) {
        Choice::Random(settings::first_seed())
    } else {
        Choice::Eager
    }
}

/// When commands are submitted. Those of a queue that is to reorder them wait for a flush, so that there is
/// something to reorder.
fn submission(out_of_order: bool) -> Submission {
    let reorders = takes(Latitude::QueueLastFirst) || takes(Latitude::QueueRandom);
    if takes(Latitude::DeferredSubmission) || out_of_order && reorders {
        Submission::AtFlush
    } else {
        Submission::AtEnqueue
    }
}

/// What host queues can be.
pub const HOST_QUEUE_PROPERTIES: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

/// A host command queue.
#[repr(C)]
pub struct Queue {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    /// Its device.
    pub device: Arc<Device>,
    properties: cl_command_queue_properties,
    /// As given, the final zero included; `None` when the queue was made without a list.
    property_list: Option<Vec<cl_queue_properties>>,
    engine: engine::Queue<Event>,
}
object!(Queue, CL_INVALID_COMMAND_QUEUE);

impl Queue {
    /// Makes a queue from its property bits.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`, `CL_INVALID_VALUE`, `CL_INVALID_QUEUE_PROPERTIES`.
    pub fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
    ) -> Result<Arc<Self>> {
        ensure!(context.has(&device), CL_INVALID_DEVICE);
        let known = HOST_QUEUE_PROPERTIES | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
        ensure!(properties & !known == 0, CL_INVALID_VALUE);
        // A device queue is out of order, and only it can be the default one.
        let without = |property, needed| properties & property != 0 && properties & needed == 0;
        let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        ensure!(
            !without(CL_QUEUE_ON_DEVICE_DEFAULT, CL_QUEUE_ON_DEVICE),
            CL_INVALID_VALUE
        );
        ensure!(!without(CL_QUEUE_ON_DEVICE, out_of_order), CL_INVALID_VALUE);
        ensure!(
            properties & !capabilities::queue_properties() == 0,
            CL_INVALID_QUEUE_PROPERTIES
        );
        let out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let width = device.limits.compute_units.max(2);
        Ok(Arc::new(Self {
            header: Header::default(),
            context,
            device,
            properties,
            property_list,
            engine: engine::Queue::new(
                Arc::clone(pool()),
                out_of_order,
                width,
                submission(out_of_order),
            ),
        }))
    }

    /// Makes a queue from a property list.
    ///
    /// # Errors
    /// As [`Queue::new`]; `CL_INVALID_VALUE` for an unknown property or one given twice.
    pub fn with_properties(
        context: Arc<Context>,
        device: Arc<Device>,
        list: Vec<cl_queue_properties>,
        given: bool,
    ) -> Result<Arc<Self>> {
        let mut bits = None;
        let mut size = None;
        for (key, value) in raw::pairs(&list) {
            let known = match u32::try_from(key) {
                Ok(CL_QUEUE_PROPERTIES) => &mut bits,
                Ok(CL_QUEUE_SIZE) => &mut size,
                Ok(_) | Err(_) => return Err(Error(CL_INVALID_VALUE)),
            };
            // Given twice, it would have two values.
            ensure!(known.replace(value).is_none(), CL_INVALID_VALUE);
        }
        let properties = bits.unwrap_or(0);
        // A size is for device queues only.
        ensure!(
            size.is_none() || properties & CL_QUEUE_ON_DEVICE != 0,
            CL_INVALID_VALUE
        );
        Self::new(context, device, properties, given.then_some(list))
    }

    /// Checks that commands can be enqueued.
    ///
    /// # Errors
    /// `CL_OUT_OF_RESOURCES` where the context has lost its queues.
    pub fn check_available(&self) -> Result<()> {
        ensure!(!self.context.has_lost_queues(), CL_OUT_OF_RESOURCES);
        Ok(())
    }

    /// Whether commands keep their times.
    pub fn profiles(&self) -> bool {
        self.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// The time for profiling; nothing for a queue without.
    pub fn now(&self) -> u64 {
        if self.profiles() { clock::now() } else { 0 }
    }

    /// The engine's part of it.
    pub fn engine(&self) -> &engine::Queue<Event> {
        &self.engine
    }

    /// Enqueues a command and gives its event; with `wait` the command has ended by then.
    pub fn enqueue(
        self: &Arc<Self>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        action: Action,
        wait: bool,
    ) -> Arc<Event> {
        let event = Event::of_command(self, kind, action);
        if wait {
            self.engine.enqueue_and_wait(&event, wait_list);
        } else {
            self.engine.enqueue(&event, wait_list);
        }
        event
    }

    /// Submits what has been enqueued.
    pub fn flush(&self) {
        self.engine.flush();
    }

    /// Waits for every command enqueued so far.
    pub fn finish(&self) {
        self.engine.finish();
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name, `CL_INVALID_COMMAND_QUEUE` for one that
    /// only a device queue answers.
    pub fn info(self: &Arc<Self>, name: cl_command_queue_info) -> Result<Answer> {
        Ok(match name {
            CL_QUEUE_CONTEXT => Answer::of(object::handle(&self.context)),
            CL_QUEUE_DEVICE => Answer::of(object::handle(&self.device)),
            CL_QUEUE_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_QUEUE_PROPERTIES => Answer::of(self.properties),
            CL_QUEUE_PROPERTIES_ARRAY => Answer::list(self.property_list.iter().flatten().copied()),
            CL_QUEUE_SIZE => return Err(Error(CL_INVALID_COMMAND_QUEUE)),
            // There is no device queue that could be the default.
            CL_QUEUE_DEVICE_DEFAULT => Answer::of(std::ptr::null_mut()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
