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
//! What is recorded does not change, and neither does the list of it that an enqueue takes along: an update
//! ([`mutable`]) puts a list with other commands in its place, which later enqueues take.
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
pub mod mutable;

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
use mutable::{Dispatch, MutableCommand};

/// As Khronos numbers it, beside that of commands; opencl-sys 0.6.5 has 0x1287.
pub const CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR: cl_command_buffer_properties_khr = 0x12b7;

/// What makes the action of a recorded command, once for each time that its command-buffer is enqueued.
pub type Recipe = Arc<dyn Fn() -> Action + Send + Sync>;

/// A recorded command.
#[derive(Clone)]
struct Recorded {
    kind: Kind,
    /// The commands that it waits for, by their places; all of them before its own.
    after: Arc<[usize]>,
    /// None as long as a kernel lacks arguments.
    recipe: Option<Recipe>,
    /// What can be updated, where the application has a handle.
    dispatch: Option<Arc<Dispatch>>,
}

/// Where it is in its life.
enum State {
    /// Commands can be recorded.
    Recording(Vec<Recorded>),
    /// It can be enqueued, where no command lacks arguments ("Executable", else "Finalized").
    Finalized(Arc<[Recorded]>),
}

impl State {
    fn commands(&self) -> &[Recorded] {
        match self {
            Self::Recording(commands) => commands,
            Self::Finalized(commands) => commands,
        }
    }
}

/// A command-buffer.
#[repr(C)]
pub struct CommandBuffer {
    header: Header<Self>,
    /// The queue that commands are recorded to, on which they run where the enqueue names no other.
    pub queue: Arc<Queue>,
    /// As given, the final zero included; `None` where none were.
    properties: Option<Vec<cl_command_buffer_properties_khr>>,
    /// It was made with `CL_COMMAND_BUFFER_MUTABLE_KHR`.
    is_mutable: bool,
    /// What the application asserts of updates of any of its kernels.
    asserts: cl_mutable_dispatch_asserts_khr,
    /// Where recorded commands go when it is enqueued.
    own: Arc<Queue>,
    state: Mutex<State>,
    /// The handles of its commands, which it gives up with itself.
    handles: Mutex<Vec<Arc<MutableCommand>>>,
    /// Whether it has been enqueued, for a fault.
    enqueued: AtomicBool,
}
object!(CommandBuffer, CL_INVALID_COMMAND_BUFFER_KHR);

/// Flags of command-buffers that there are.
const FLAGS: cl_command_buffer_flags_khr = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | CL_COMMAND_BUFFER_MUTABLE_KHR
    | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/// Those that the devices support.
fn supported_flags() -> cl_command_buffer_flags_khr {
    let mutable = match profile::has(Feature::MutableDispatch) {
        true => CL_COMMAND_BUFFER_MUTABLE_KHR,
        false => 0,
    };
    CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | mutable
}

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

/// Checks a list of properties, and gives flags and asserts.
///
/// # Errors
/// `CL_INVALID_VALUE` for what is no property or no value of one, or is given twice; `CL_INVALID_PROPERTY` for
/// flags that no device supports.
fn check_properties(
    list: &[cl_command_buffer_properties_khr],
) -> Result<(cl_command_buffer_flags_khr, cl_mutable_dispatch_asserts_khr)> {
    let (mut flags, mut asserts) = (None, None);
    for (key, value) in raw::pairs(list) {
        let place = match key {
            CL_COMMAND_BUFFER_FLAGS_KHR => &mut flags,
            CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR
                if profile::has(Feature::MutableDispatch) =>
            {
                &mut asserts
            }
            _ => return Err(Error(CL_INVALID_VALUE)),
        };
        ensure!(place.replace(value).is_none(), CL_INVALID_VALUE);
    }
    let (flags, asserts) = (flags.unwrap_or(0), asserts.unwrap_or(0));
    ensure!(flags & !FLAGS == 0, CL_INVALID_VALUE);
    ensure!(asserts & !mutable::ASSERTS == 0, CL_INVALID_VALUE);
    ensure!(flags & !supported_flags() == 0, CL_INVALID_PROPERTY);
    Ok((flags, asserts))
}

/// Whether no command lacks arguments.
fn is_executable(commands: &[Recorded]) -> bool {
    commands.iter().all(|command| command.recipe.is_some())
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
        let (flags, asserts) = check_properties(properties.as_deref().unwrap_or_default())?;
        Ok(Arc::new(Self {
            header: Header::default(),
            queue: Arc::clone(queue),
            properties,
            is_mutable: flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0,
            asserts,
            own: Queue::of_recorded(queue),
            state: Mutex::new(State::Recording(Vec::new())),
            handles: Mutex::default(),
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
        let recorded = self.state.lock().commands().len();
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
        recipe: Option<Recipe>,
    ) -> Result<cl_sync_point_khr> {
        self.add(Recorded {
            kind,
            after: after.into(),
            recipe,
            dispatch: None,
        })
    }

    /// As [`CommandBuffer::record`], of a kernel that can be updated; gives its handle, too.
    ///
    /// # Errors
    /// As [`CommandBuffer::record`].
    pub fn record_mutable(
        self: &Arc<Self>,
        kind: Kind,
        after: Vec<usize>,
        recipe: Option<Recipe>,
        dispatch: Dispatch,
    ) -> Result<(cl_sync_point_khr, cl_mutable_command_khr)> {
        let point = self.add(Recorded {
            kind,
            after: after.into(),
            recipe,
            dispatch: Some(Arc::new(dispatch)),
        })?;
        let command = MutableCommand::new(self, point as usize - 1);
        let handle = object::publish(&command);
        self.handles.lock().push(command);
        Ok((point, handle))
    }

    fn add(&self, command: Recorded) -> Result<cl_sync_point_khr> {
        if on(Fault::RecordedDoneAtOnce)
            && let Some(recipe) = &command.recipe
        {
            let action = apart::wrapped(&self.queue.device, recipe());
            self.queue.enqueue(command.kind, Vec::new(), action, false);
        }
        let mut state = self.state.lock();
        let State::Recording(commands) = &mut *state else {
            ensure!(on(Fault::RecordedLate), CL_INVALID_OPERATION);
            return Ok(cl_sync_point_khr::MAX);
        };
        let point = cl_sync_point_khr::try_from(commands.len() + 1);
        let point = point.map_err(|_| Error(CL_OUT_OF_RESOURCES))?;
        commands.push(command);
        Ok(point)
    }

    /// What the application asserts of updates of any of its kernels.
    pub fn asserts(&self) -> cl_mutable_dispatch_asserts_khr {
        self.asserts
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
        *state = State::Finalized(commands.into());
        Ok(())
    }

    /// The action of an enqueue: the commands are made, and go to their own queue as children of its event.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` where it has not been finalized, and where a command lacks arguments.
    pub fn action(self: &Arc<Self>) -> Result<Action> {
        let commands = match &*self.state.lock() {
            State::Recording(_) => {
                ensure!(on(Fault::EnqueuedUnfinalized), CL_INVALID_OPERATION);
                Vec::new().into()
            }
            State::Finalized(commands) => {
                ensure!(
                    is_executable(commands) || on(Fault::EnqueuedWithoutArguments),
                    CL_INVALID_OPERATION
                );
                Arc::clone(commands)
            }
        };
        if broken::is_spent(&self.enqueued) {
            return Ok(Box::new(|_| Ok(())));
        }
        let queue = Arc::clone(&self.own);
        let late = on(Fault::UpdateReachesPending).then(|| Arc::clone(self));
        Ok(Box::new(move |parent| {
            let commands = match late.as_ref().map(|buffer| buffer.state.lock()).as_deref() {
                Some(State::Finalized(updated)) => Arc::clone(updated),
                Some(State::Recording(_)) | None => commands,
            };
            let mut events: Vec<Arc<Event>> = Vec::with_capacity(commands.len());
            for Recorded {
                kind,
                after,
                recipe,
                ..
            } in commands.iter().take(broken::done_of(commands.len()))
            {
                // Every recipe is there, but for a fault.
                let action = recipe.as_ref().map(|recipe| recipe());
                let action = action.unwrap_or_else(|| Box::new(|_| Ok(())));
                let action = apart::wrapped(&queue.device, action);
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
                State::Finalized(_) if on(Fault::CommandBufferStateStuck) => {
                    CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                }
                State::Finalized(commands)
                    if is_executable(commands) || on(Fault::CommandBufferStateHasty) =>
                {
                    CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
                }
                State::Finalized(_) => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
            }),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => {
                Answer::list(self.properties.iter().flatten().copied())
            }
            CL_COMMAND_BUFFER_CONTEXT_KHR => Answer::of(object::handle(&self.queue.context)),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
