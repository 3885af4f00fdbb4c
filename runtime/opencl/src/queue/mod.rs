//! Command queues, commands and events: the execution model of the host side.
//!
//! ```text
//!  clEnqueue* ──▶ Command ──registers with──▶ its prerequisites' events
//!                    │  (each completion takes one off its count)
//!                    ▼ count is zero: ready
//!                 Engine of its queue ──▶ a worker thread runs it ──▶ its event completes
//!                                                                        │
//!                     waiters, callbacks and dependent commands ◀────────┘
//! ```
//!
//! [`event`] is the state of one command as the application sees it; [`command`] is what
//! is to be done and what must come first; [`engine`] is the queue: which prerequisites
//! its order adds, its ready list and its threads.
//!
//! # Why this cannot deadlock
//! A command waits only for events that existed when it was enqueued, so waiting is
//! acyclic. A worker never waits for an event: only ready commands reach it. No lock is
//! held while another of the same kind is taken; the only nesting is none at all: event
//! state, engine state, callback channel and registries are each locked for a few
//! instructions by themselves.
//!
//! # Happens-before
//! - Enqueue → command: what the application wrote before the call reaches the worker
//!   through the engine's lock, where the command is handed over (`sp.enqueue`).
//! - Command → its event: the worker changes the state under the event's lock after the
//!   command's last write; whoever reads the new state under that lock sees those writes
//!   (`sp.completion-event`, `sp.host-wait`). The lock-free reading of the status uses an
//!   acquire load of a release store.
//! - Event → dependent command: completion takes the dependents out under the event's
//!   lock and counts each down with an acquire-release operation; the thread that reaches
//!   zero has so seen all prerequisites, and hands the command to its worker through the
//!   engine's lock (`sp.event-wait`, `sp.in-order`, `sp.barrier`, `sp.transitive`).
//! - Event → callback: see [`crate::callback`] (`sp.callback`).

pub mod command;
pub mod engine;
pub mod event;

use std::sync::Arc;

use opencl_sys::*;

use crate::context::Context;
use crate::edge::answer::Answer;
use crate::edge::{Error, Result, ensure, raw};
use crate::object::{self, Header, object};
use crate::platform::{Device, capabilities};
use command::{Action, Command, Kind};
use engine::Engine;
use event::Event;

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
    engine: Arc<Engine>,
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
        let known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
            | CL_QUEUE_PROFILING_ENABLE
            | CL_QUEUE_ON_DEVICE
            | CL_QUEUE_ON_DEVICE_DEFAULT;
        ensure!(properties & !known == 0, CL_INVALID_VALUE);
        let needs_device_queue =
            properties & CL_QUEUE_ON_DEVICE_DEFAULT != 0 && properties & CL_QUEUE_ON_DEVICE == 0;
        ensure!(!needs_device_queue, CL_INVALID_VALUE);
        ensure!(
            properties & !capabilities::QUEUE_PROPERTIES == 0,
            CL_INVALID_QUEUE_PROPERTIES
        );
        let out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        let threads = if out_of_order {
            device.limits.compute_units.max(2)
        } else {
            1
        };
        Ok(Arc::new(Self {
            header: Header::default(),
            context,
            device,
            properties,
            property_list,
            engine: Engine::new(out_of_order, threads),
        }))
    }

    /// Makes a queue from a property list.
    ///
    /// # Errors
    /// As [`Queue::new`]; `CL_INVALID_VALUE` for an unknown property.
    pub fn with_properties(
        context: Arc<Context>,
        device: Arc<Device>,
        list: Vec<cl_queue_properties>,
        given: bool,
    ) -> Result<Arc<Self>> {
        let mut properties = 0;
        let mut size = None;
        for (key, value) in raw::pairs(&list) {
            match key as u32 {
                CL_QUEUE_PROPERTIES => properties = value,
                CL_QUEUE_SIZE => size = Some(value),
                _ => return Err(Error(CL_INVALID_VALUE)),
            }
        }
        // A size is for device queues only.
        ensure!(
            size.is_none() || properties & CL_QUEUE_ON_DEVICE != 0,
            CL_INVALID_VALUE
        );
        Self::new(context, device, properties, given.then_some(list))
    }

    /// Whether commands keep their times.
    pub fn profiles(&self) -> bool {
        self.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// Enqueues a command and gives its event.
    pub fn enqueue(
        self: &Arc<Self>,
        kind: Kind,
        wait_list: Vec<Arc<Event>>,
        action: Action,
    ) -> Arc<Event> {
        let event = Event::of_command(self, kind);
        let command = Command::new(Arc::clone(&self.engine), Arc::clone(&event), action);
        self.engine.enqueue(command, kind, wait_list);
        event
    }

    /// Waits for every command enqueued so far.
    pub fn finish(&self) {
        for event in self.engine.outstanding() {
            event.wait();
        }
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

impl Drop for Queue {
    /// No command is pending: each would hold this queue through its event.
    fn drop(&mut self) {
        self.engine.close();
    }
}
