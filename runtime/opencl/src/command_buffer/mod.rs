//! Command-buffers: commands that are recorded once and enqueued again and again
//! (`cl_khr_command_buffer` 0.9.8; `opencl_runtime_layer`, Command-Buffers).
//!
//! ```text
//!   clCommand*KHR ──▶ recipe: kind, sync points, what makes its action   (recording)
//!                        │ clFinalizeCommandBufferKHR                    (executable)
//!                        ▼
//!   clEnqueueCommandBufferKHR ──▶ Event of the kind CommandBuffer, in the queue of the application
//!                        │ performed: each recipe becomes a command of the own queue, adopted by that event
//!                        ▼
//!              touchstone-queue: what comes first, which thread; the event is complete with its last child
//! ```
//!
//! There is no second executor. A recorded command is the [`Event`] that the `clEnqueue*` function of its kind
//! makes, from the same checks and the same action; its sync points are the events of its wait list. It goes to
//! a queue that the command-buffer has for itself, of the order of the queue that it was recorded to: so a
//! barrier is that queue's barrier, and the "additional dependency … on the last command appended" of an in-order
//! queue is that queue's order. The commands of a command-buffer are children of its event, as those that a kernel
//! enqueues are of the kernel's.
//!
//! # Happens-before
//! Written A → B where A happens before B; the engine's edges are those of its own text.
//! - *Recording → finalizing → enqueuing*: the list of commands is locked. What a thread records before
//!   it lets another enqueue is ordered by the application, which may not call functions of one command-buffer
//!   that change its state at the same time.
//! - *Enqueue → recorded command*: the action of the event makes the commands; the engine orders the enqueue of the
//!   event before its action, and the enqueue of a child before the child.
//! - *Recorded command → what lists its sync point, barrier → what follows*: wait lists and roles of the engine.
//! - *Recorded command → event of the enqueue* (`ex.state.complete-children`): by the engine.

mod broken;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_faults::{Fault, on};

use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::memory::apart;
use crate::object::{self, Header, object};
use crate::platform::profile::{self, Feature};
use crate::queue::Queue;
use crate::queue::command::{Action, Kind};
use crate::queue::event::Event;

/// What makes the action of a recorded command, once for each time that its command-buffer is enqueued.
pub type Recipe = Box<dyn Fn() -> Action + Send + Sync>;

/// A recorded command.
struct Recorded {
    kind: Kind,
    /// The commands that it waits for, by their places; all of them before its own.
    after: Vec<usize>,
    recipe: Recipe,
}

/// The states that there are without mutable commands.
enum State {
    /// Commands can be recorded.
    Recording(Vec<Recorded>),
    /// It can be enqueued.
    Executable(Arc<[Recorded]>),
}

/// A command-buffer.
#[repr(C)]
pub struct CommandBuffer {
    header: Header<Self>,
    /// The queue that commands are recorded to, on which they run where the enqueue names no other.
    pub queue: Arc<Queue>,
    /// As given, the final zero included; `None` where none were.
    properties: Option<Vec<cl_command_buffer_properties_khr>>,
    /// Where recorded commands go when it is enqueued.
    own: Arc<Queue>,
    state: Mutex<State>,
    /// Whether it has been enqueued, for a fault.
    enqueued: AtomicBool,
}
object!(CommandBuffer, CL_INVALID_COMMAND_BUFFER_KHR);

/// Flags of command-buffers that the devices support.
const FLAGS: cl_command_buffer_flags_khr = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;

/// Flags that extensions define which are not here.
const FOREIGN_FLAGS: cl_command_buffer_flags_khr =
    CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/// `CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR`: commands of any kernel, and any number of executions at once, since
/// each has commands of its own.
pub fn capabilities() -> cl_device_command_buffer_capabilities_khr {
    let children = if profile::has(Feature::DeviceEnqueue) {
        CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR
    } else {
        0
    };
    CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
        | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
        | children
}

/// Checks a list of properties.
///
/// # Errors
/// `CL_INVALID_VALUE` for what is no property or no value of one, or is given twice; `CL_INVALID_PROPERTY` for
/// flags that no device supports.
fn check_properties(list: &[cl_command_buffer_properties_khr]) -> Result<()> {
    let mut flags = None;
    for (key, value) in raw::pairs(list) {
        ensure!(key == CL_COMMAND_BUFFER_FLAGS_KHR, CL_INVALID_VALUE);
        ensure!(flags.replace(value).is_none(), CL_INVALID_VALUE);
    }
    let flags = flags.unwrap_or(0);
    ensure!(flags & !(FLAGS | FOREIGN_FLAGS) == 0, CL_INVALID_VALUE);
    ensure!(flags & FOREIGN_FLAGS == 0, CL_INVALID_PROPERTY);
    Ok(())
}

impl CommandBuffer {
    /// An empty command-buffer, whose commands are recorded to a queue.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_PROPERTY`.
    pub fn new(
        queue: &Arc<Queue>,
        properties: Option<Vec<cl_command_buffer_properties_khr>>,
    ) -> Result<Arc<Self>> {
        check_properties(properties.as_deref().unwrap_or_default())?;
        Ok(Arc::new(Self {
            header: Header::default(),
            queue: Arc::clone(queue),
            properties,
            own: Queue::of_recorded(queue),
            state: Mutex::new(State::Recording(Vec::new())),
            enqueued: AtomicBool::new(false),
        }))
    }

    /// Checks that commands can be recorded.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has been finalized.
    pub fn check_recording(&self) -> Result<()> {
        let recording = matches!(*self.state.lock(), State::Recording(_));
        ensure!(recording || on(Fault::RecordedLate), CL_INVALID_OPERATION);
        Ok(())
    }

    /// The places of the commands that sync points name.
    ///
    /// # Errors
    /// `CL_INVALID_SYNC_POINT_WAIT_LIST_KHR` for a number that is no sync point of this command-buffer.
    pub fn places(&self, sync_points: &[cl_sync_point_khr]) -> Result<Vec<usize>> {
        let recorded = match &*self.state.lock() {
            State::Recording(commands) => commands.len(),
            State::Executable(commands) => commands.len(),
        };
        let place = |&point: &cl_sync_point_khr| {
            let place = (point as usize).checked_sub(1);
            place
                .filter(|&place| place < recorded)
                .ok_or(Error(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR))
        };
        if on(Fault::SyncPointsUnchecked) {
            return Ok(sync_points.iter().flat_map(place).collect());
        }
        sync_points.iter().map(place).collect()
    }

    /// Records a command that waits for others, by their places; gives its sync point, which is its place, counted from
    /// one.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has been finalized, `CL_OUT_OF_RESOURCES` where it has as many commands as
    /// there are sync points.
    pub fn record(
        &self,
        kind: Kind,
        after: Vec<usize>,
        recipe: Recipe,
    ) -> Result<cl_sync_point_khr> {
        if on(Fault::RecordedDoneAtOnce) {
            let action = apart::wrapped(&self.queue.device, recipe());
            self.queue.enqueue(kind, Vec::new(), action, false);
        }
        let mut state = self.state.lock();
        let State::Recording(commands) = &mut *state else {
            ensure!(on(Fault::RecordedLate), CL_INVALID_OPERATION);
            return Ok(cl_sync_point_khr::MAX);
        };
        let point = cl_sync_point_khr::try_from(commands.len() + 1);
        let point = point.map_err(|_| Error(CL_OUT_OF_RESOURCES))?;
        commands.push(Recorded {
            kind,
            after,
            recipe,
        });
        Ok(point)
    }

    /// Ends recording.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has been finalized before.
    pub fn finalize(&self) -> Result<()> {
        let mut state = self.state.lock();
        let State::Recording(commands) = &mut *state else {
            return Err(Error(CL_INVALID_OPERATION));
        };
        let commands = std::mem::take(commands);
        *state = State::Executable(commands.into());
        Ok(())
    }

    /// The action of an enqueue: the commands are made, and go to their own queue as children of its event.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has not been finalized.
    pub fn action(&self) -> Result<Action> {
        let commands = match &*self.state.lock() {
            State::Recording(_) => {
                ensure!(on(Fault::EnqueuedUnfinalized), CL_INVALID_OPERATION);
                Vec::new().into()
            }
            State::Executable(commands) => Arc::clone(commands),
        };
        if broken::is_spent(&self.enqueued) {
            return Ok(Box::new(|_| Ok(())));
        }
        let queue = Arc::clone(&self.own);
        Ok(Box::new(move |parent| {
            let mut events: Vec<Arc<Event>> = Vec::with_capacity(commands.len());
            for Recorded {
                kind,
                after,
                recipe,
            } in commands.iter().take(broken::done_of(commands.len()))
            {
                let action = apart::wrapped(&queue.device, recipe());
                let event = Event::of_command(&queue, broken::kind(*kind), action);
                if !on(Fault::CommandBufferCompleteEarly) {
                    touchstone_queue::adopt(parent, &event);
                }
                let after = broken::after(after);
                let list = after.iter().map(|&place| Arc::clone(&events[place]));
                queue.engine().enqueue(&event, list.collect());
                events.push(event);
            }
            // Where a latitude has commands wait for a flush, nobody else could flush this queue.
            queue.flush();
            Ok(())
        }))
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_command_buffer_info_khr) -> Result<Answer> {
        Ok(match name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => Answer::of(1 as cl_uint),
            CL_COMMAND_BUFFER_QUEUES_KHR => Answer::of(object::handle(&self.queue)),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => Answer::of(object::references(self)),
            CL_COMMAND_BUFFER_STATE_KHR => Answer::of(match &*self.state.lock() {
                State::Recording(_) => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
                State::Executable(_) if on(Fault::CommandBufferStateStuck) => {
                    CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                }
                State::Executable(_) => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            }),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => {
                Answer::list(self.properties.iter().flatten().copied())
            }
            CL_COMMAND_BUFFER_CONTEXT_KHR => Answer::of(object::handle(&self.queue.context)),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
