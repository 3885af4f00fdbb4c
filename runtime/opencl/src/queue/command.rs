//! Commands: something to do once everything before it has ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use opencl_sys::*;
use parking_lot::Mutex;

use super::engine::Engine;
use super::event::{Dependent, Event};

/// Why a command ended abnormally.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The negative status of the event.
    pub status: cl_int,
    /// What the context's callback is told.
    pub message: String,
}

/// What a command does, on a thread of its queue.
pub type Action = Box<dyn FnOnce() -> Result<(), Failure> + Send>;

/// Kinds of commands, as `CL_EVENT_COMMAND_TYPE` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    NdRangeKernel,
    Task,
    NativeKernel,
    ReadBuffer,
    WriteBuffer,
    CopyBuffer,
    ReadBufferRect,
    WriteBufferRect,
    CopyBufferRect,
    FillBuffer,
    MapBuffer,
    UnmapMemObject,
    MigrateMemObjects,
    Marker,
    /// A marker that waits for its list only.
    MarkerWithList,
    Barrier,
    /// A barrier that waits for its list only.
    BarrierWithList,
    SvmFree,
    SvmMemcpy,
    SvmMemFill,
    SvmMap,
    SvmUnmap,
    SvmMigrateMem,
    User,
}

impl Kind {
    /// The code of the queries.
    pub const fn code(self) -> cl_command_type {
        match self {
            Self::NdRangeKernel => CL_COMMAND_NDRANGE_KERNEL,
            Self::Task => CL_COMMAND_TASK,
            Self::NativeKernel => CL_COMMAND_NATIVE_KERNEL,
            Self::ReadBuffer => CL_COMMAND_READ_BUFFER,
            Self::WriteBuffer => CL_COMMAND_WRITE_BUFFER,
            Self::CopyBuffer => CL_COMMAND_COPY_BUFFER,
            Self::ReadBufferRect => CL_COMMAND_READ_BUFFER_RECT,
            Self::WriteBufferRect => CL_COMMAND_WRITE_BUFFER_RECT,
            Self::CopyBufferRect => CL_COMMAND_COPY_BUFFER_RECT,
            Self::FillBuffer => CL_COMMAND_FILL_BUFFER,
            Self::MapBuffer => CL_COMMAND_MAP_BUFFER,
            Self::UnmapMemObject => CL_COMMAND_UNMAP_MEM_OBJECT,
            Self::MigrateMemObjects => CL_COMMAND_MIGRATE_MEM_OBJECTS,
            Self::Marker | Self::MarkerWithList => CL_COMMAND_MARKER,
            Self::Barrier | Self::BarrierWithList => CL_COMMAND_BARRIER,
            Self::SvmFree => CL_COMMAND_SVM_FREE,
            Self::SvmMemcpy => CL_COMMAND_SVM_MEMCPY,
            Self::SvmMemFill => CL_COMMAND_SVM_MEMFILL,
            Self::SvmMap => CL_COMMAND_SVM_MAP,
            Self::SvmUnmap => CL_COMMAND_SVM_UNMAP,
            Self::SvmMigrateMem => CL_COMMAND_SVM_MIGRATE_MEM,
            Self::User => CL_COMMAND_USER,
        }
    }

    /// Whether it waits for everything enqueued before it.
    pub const fn waits_for_all(self) -> bool {
        matches!(self, Self::Marker | Self::Barrier)
    }

    /// Whether everything enqueued after it waits for it.
    pub const fn holds_all(self) -> bool {
        matches!(self, Self::Barrier | Self::BarrierWithList)
    }
}

/// A command on its way from enqueue to completion.
pub struct Command {
    engine: Arc<Engine>,
    /// Its event.
    pub event: Arc<Event>,
    action: Mutex<Option<Action>>,
    /// Prerequisites that have not ended, and one more while they are being registered.
    remaining: AtomicUsize,
    /// The status of a prerequisite that ended abnormally, or zero.
    failed: AtomicI32,
    /// The events of its wait list, kept alive until it runs: the application may release
    /// a user event before setting it.
    waits_for: Mutex<Vec<Arc<Event>>>,
}

impl Command {
    /// A command that waits for nothing yet.
    pub fn new(engine: Arc<Engine>, event: Arc<Event>, action: Action) -> Arc<Self> {
        Arc::new(Self {
            engine,
            event,
            action: Mutex::new(Some(action)),
            remaining: AtomicUsize::new(1),
            failed: AtomicI32::new(0),
            waits_for: Mutex::default(),
        })
    }

    /// Makes the command wait for an event.
    pub fn wait_for(self: &Arc<Self>, event: &Arc<Event>, fails_with: bool) {
        if fails_with {
            self.waits_for.lock().push(Arc::clone(event));
        }
        self.remaining.fetch_add(1, Ordering::Relaxed);
        let dependent = Dependent {
            command: Arc::clone(self),
            fails_with,
        };
        if let Err(status) = event.add_dependent(dependent) {
            self.prerequisite_ended(status, fails_with);
        }
    }

    /// One prerequisite less. The last one hands the command to its queue's threads.
    ///
    /// The count goes down with acquire-release: whoever takes the last one off has seen
    /// everything that happened before the others were.
    pub fn prerequisite_ended(self: &Arc<Self>, status: cl_int, fails_with: bool) {
        if fails_with && status < 0 {
            self.failed.store(status, Ordering::Relaxed);
        }
        if self.remaining.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.engine.ready(Arc::clone(self));
        }
    }

    /// Runs the command on the calling thread, one of its queue's, and completes it.
    pub fn run(self: &Arc<Self>) {
        let action = self.action.lock().take();
        let status = if self.failed.load(Ordering::Relaxed) < 0 {
            drop(action);
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        } else {
            self.event.advance(CL_RUNNING);
            let outcome = action.map_or(Ok(()), perform);
            self.event.note_end();
            match outcome {
                Ok(()) => CL_COMPLETE,
                Err(failure) => {
                    self.event.context.report(&failure.message);
                    failure.status.min(-1)
                }
            }
        };
        // By here the action and all that it held are gone, so that an application that
        // has seen the event may count on objects it releases to be deleted.
        self.waits_for.lock().clear();
        let dependents = self.event.finish(status).unwrap_or_default();
        self.engine.forget(&self.event);
        tell(dependents, status);
    }
}

/// Tells commands that an event they wait for has ended.
pub fn tell(dependents: Vec<Dependent>, status: cl_int) {
    for dependent in dependents {
        dependent
            .command
            .prerequisite_ended(status, dependent.fails_with);
    }
}

/// Runs an action; a panic in it is a bug of this library and ends the command only.
fn perform(action: Action) -> Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|_| {
        Err(Failure {
            status: CL_OUT_OF_RESOURCES,
            message: "internal error: a command panicked; this is a bug of Touchstone".into(),
        })
    })
}
