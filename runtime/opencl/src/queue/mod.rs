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
pub mod member;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use opencl_sys::*;
use touchstone_faults::{Fault, Latitude, on, takes};
use touchstone_queue::{self as engine, Choice, Pool, Submission};

use crate::callback;
use crate::clock;
use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::settings;
use crate::object::{self, Header, object};
use crate::platform::profile::{self, Feature};
use crate::platform::{Device, capabilities, limits};
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

/// What a device queue has that a host queue has not.
struct OnDevice {
    /// Bytes, for the commands that are not complete.
    size: u32,
    /// Bytes that these take. The count orders nothing.
    used: AtomicUsize,
}

/// What a command takes of a device queue, while it lives.
pub struct Room {
    queue: Arc<Queue>,
    bytes: usize,
}

impl OnDevice {
    /// Of a size in bytes, or of the preferred one.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for none at all, `CL_INVALID_QUEUE_PROPERTIES` for more than the device has.
    fn new(size: Option<cl_queue_properties>) -> Result<Self> {
        let size = size.unwrap_or(limits::device_queue_size().into());
        ensure!(size != 0, CL_INVALID_VALUE);
        let most = limits::largest_device_queue();
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        ensure!(size <= most, CL_INVALID_QUEUE_PROPERTIES);
        Ok(Self {
            size,
            used: AtomicUsize::new(0),
        })
    }
}

impl Room {
    /// Room of so many bytes, if a device queue has it.
    pub fn of(queue: &Arc<Queue>, bytes: usize) -> Option<Self> {
        let OnDevice { size, used } = queue.on_device.as_ref()?;
        let fits = |used: usize| used.checked_add(bytes).filter(|&all| all <= *size as usize);
        used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .ok()?;
        Some(Self {
            queue: Arc::clone(queue),
            bytes,
        })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(on_device) = &self.queue.on_device {
            on_device.used.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// A command queue, of the host or on the device.
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
    on_device: Option<OnDevice>,
    engine: engine::Queue<Event>,
}
object!(Queue, CL_INVALID_COMMAND_QUEUE);

impl Queue {
    /// Makes a queue from its property bits; a device queue also from its size, if one is given.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`, `CL_INVALID_VALUE`, `CL_INVALID_QUEUE_PROPERTIES`.
    pub fn new(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
        size: Option<cl_queue_properties>,
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
        let on_device = properties & CL_QUEUE_ON_DEVICE != 0;
        if on_device {
            ensure!(
                profile::has(Feature::DeviceEnqueue),
                CL_INVALID_QUEUE_PROPERTIES
            );
        } else {
            ensure!(
                properties & !capabilities::queue_properties() == 0,
                CL_INVALID_QUEUE_PROPERTIES
            );
        }
        let on_device = on_device.then(|| OnDevice::new(size)).transpose()?;
        Ok(Self::made(
            context,
            device,
            properties,
            property_list,
            on_device,
        ))
    }

    /// A queue for what is recorded to another, of its order. The application has no handle of it.
    pub fn of_recorded(queue: &Arc<Self>) -> Arc<Self> {
        let mut properties = queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        if on(Fault::RecordedOutOfOrder) {
            properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        let (context, device) = (Arc::clone(&queue.context), Arc::clone(&queue.device));
        Self::made(context, device, properties, None, None)
    }

    /// Makes a queue of what has been checked.
    fn made(
        context: Arc<Context>,
        device: Arc<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
        on_device: Option<OnDevice>,
    ) -> Arc<Self> {
        let out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let width = device.limits.compute_units.max(2);
        Arc::new(Self {
            header: Header::default(),
            context,
            device,
            properties,
            property_list,
            engine: engine::Queue::new(
                Arc::clone(pool()),
                out_of_order,
                width,
                // Nobody flushes a device queue.
                match on_device {
                    Some(_) => Submission::AtEnqueue,
                    None => submission(out_of_order),
                },
            ),
            on_device,
        })
    }

    /// Makes a queue from a property list, and gives the application a reference to it.
    ///
    /// # Errors
    /// As [`Queue::new`]; `CL_INVALID_VALUE` for an unknown property or one given twice; `CL_OUT_OF_RESOURCES` for
    /// more device queues than the device has.
    pub fn with_properties(
        context: Arc<Context>,
        device: Arc<Device>,
        list: Vec<cl_queue_properties>,
        given: bool,
    ) -> Result<cl_command_queue> {
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
        if properties & CL_QUEUE_ON_DEVICE == 0 {
            let queue = Self::new(context, device, properties, given.then_some(list), None)?;
            return Ok(object::publish(&queue));
        }
        let (owner, of) = (Arc::clone(&context), Arc::clone(&device));
        let is_default = properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        owner.device_queue(&of, is_default, || {
            Self::new(context, device, properties, given.then_some(list), size)
        })
    }

    /// Whether it is a device queue, to which only kernels enqueue.
    pub fn is_on_device(&self) -> bool {
        self.on_device.is_some()
    }

    /// The host queue of a handle.
    ///
    /// # Errors
    /// `CL_INVALID_COMMAND_QUEUE`, also for a device queue.
    pub fn of_host(handle: cl_command_queue) -> Result<Arc<Self>> {
        let queue: Arc<Self> = object::find(handle)?;
        ensure!(!queue.is_on_device(), CL_INVALID_COMMAND_QUEUE);
        Ok(queue)
    }

    /// Whether it has no properties but some of these.
    pub fn has_only(&self, properties: cl_command_queue_properties) -> bool {
        self.properties & !properties == 0
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
            CL_QUEUE_SIZE => match &self.on_device {
                Some(on_device) => Answer::of(on_device.size),
                None => return Err(Error(CL_INVALID_COMMAND_QUEUE)),
            },
            CL_QUEUE_DEVICE_DEFAULT => Answer::of(
                self.context
                    .default_queue(&self.device)
                    .map_or(std::ptr::null_mut(), |queue| object::handle(&queue)),
            ),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
