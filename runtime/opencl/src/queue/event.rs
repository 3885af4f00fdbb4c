//! Events: the state of one command, or of a user's own condition.
//!
//! The status only ever moves QUEUED → SUBMITTED → RUNNING → COMPLETE, or from any of
//! these to a negative code (`ex.state.order`, `ex.state.status-query`).

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use opencl_sys::*;
use parking_lot::{Condvar, Mutex};

use super::Queue;
use super::command::{Command, Kind};
use crate::callback::{self, UserData};
use crate::clock;
use crate::context::Context;
use crate::edge::answer::Answer;
use crate::edge::{Error, Result, ensure};
use crate::object::{self, Header, object};

/// An event callback.
pub type NotifyFn = unsafe extern "C" fn(
    event: cl_event,
    event_command_status: cl_int,
    user_data: *mut std::ffi::c_void,
);

/// When a command passed each transition, in nanoseconds of [`clock::now`].
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    queued: u64,
    submit: u64,
    start: u64,
    end: u64,
    complete: u64,
}

struct Callback {
    /// The status whose reaching fires it; an abnormal end fires every one.
    trigger: cl_int,
    notify: NotifyFn,
    user_data: UserData,
}

struct State {
    times: Times,
    callbacks: Vec<Callback>,
    /// Commands that wait for this event.
    dependents: Vec<Dependent>,
}

/// A command that waits for an event.
pub struct Dependent {
    /// The command.
    pub command: Arc<Command>,
    /// Whether it must not run when the event ends abnormally. True for events of wait
    /// lists; false for the order that the queue itself adds.
    pub fails_with: bool,
}

/// An event.
#[repr(C)]
pub struct Event {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    /// The queue of its command; none for a user event.
    pub queue: Option<Arc<Queue>>,
    kind: Kind,
    /// Written under the lock of `state` (release), read anywhere (acquire).
    status: AtomicI32,
    state: Mutex<State>,
    ended: Condvar,
}
object!(Event, CL_INVALID_EVENT);

impl Event {
    fn new(context: Arc<Context>, queue: Option<Arc<Queue>>, kind: Kind, status: cl_int) -> Self {
        Self {
            header: Header::default(),
            context,
            queue,
            kind,
            status: AtomicI32::new(status),
            state: Mutex::new(State {
                times: Times {
                    queued: clock::now(),
                    ..Times::default()
                },
                callbacks: Vec::new(),
                dependents: Vec::new(),
            }),
            ended: Condvar::new(),
        }
    }

    /// The event of a command that is being enqueued.
    pub fn of_command(queue: &Arc<Queue>, kind: Kind) -> Arc<Self> {
        let context = Arc::clone(&queue.context);
        Arc::new(Self::new(context, Some(Arc::clone(queue)), kind, CL_QUEUED))
    }

    /// A user event. Its initial status is SUBMITTED.
    pub fn of_user(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self::new(context, None, Kind::User, CL_SUBMITTED))
    }

    /// The present status.
    pub fn status(&self) -> cl_int {
        self.status.load(Ordering::Acquire)
    }

    /// Whether the status is final.
    pub fn has_ended(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// Whether this is a user event.
    pub fn is_user(&self) -> bool {
        self.queue.is_none()
    }

    /// Moves on to `SUBMITTED` or `RUNNING`.
    pub fn advance(self: &Arc<Self>, status: cl_int) {
        let mut state = self.state.lock();
        if self.status.load(Ordering::Relaxed) <= status {
            return;
        }
        let now = clock::now();
        if status == CL_SUBMITTED {
            state.times.submit = now;
        } else {
            state.times.start = now;
        }
        self.status.store(status, Ordering::Release);
        let reached = take_reached(&mut state.callbacks, status);
        drop(state);
        self.fire(reached, status);
    }

    /// Notes that the command itself has ended.
    pub fn note_end(&self) {
        self.state.lock().times.end = clock::now();
    }

    /// Ends: with `CL_COMPLETE`, or abnormally with a negative code. Wakes the waiters,
    /// sends the callbacks and gives back the commands that waited; `None` when the event
    /// had already ended.
    #[must_use = "the dependents must be told"]
    pub fn finish(self: &Arc<Self>, status: cl_int) -> Option<Vec<Dependent>> {
        let mut state = self.state.lock();
        if self.has_ended() {
            return None;
        }
        let now = clock::now();
        let times = &mut state.times;
        // A command that never ran ends where it starts.
        for time in [&mut times.submit, &mut times.start, &mut times.end] {
            if *time == 0 {
                *time = now;
            }
        }
        times.complete = now;
        self.status.store(status, Ordering::Release);
        let callbacks = std::mem::take(&mut state.callbacks);
        let dependents = std::mem::take(&mut state.dependents);
        drop(state);
        self.ended.notify_all();
        self.fire(callbacks, status);
        Some(dependents)
    }

    /// Registers a command that waits for this event.
    ///
    /// # Errors
    /// Gives the final status instead when the event has already ended.
    pub fn add_dependent(&self, dependent: Dependent) -> std::result::Result<(), cl_int> {
        let mut state = self.state.lock();
        let status = self.status.load(Ordering::Relaxed);
        if status <= CL_COMPLETE {
            return Err(status);
        }
        state.dependents.push(dependent);
        Ok(())
    }

    /// Blocks until the event has ended; gives its final status.
    pub fn wait(&self) -> cl_int {
        let mut state = self.state.lock();
        while !self.has_ended() {
            self.ended.wait(&mut state);
        }
        self.status.load(Ordering::Relaxed)
    }

    /// Registers a callback; one whose status has already been reached fires at once.
    pub fn on_status(self: &Arc<Self>, trigger: cl_int, notify: NotifyFn, user_data: UserData) {
        let callback = Callback {
            trigger,
            notify,
            user_data,
        };
        let mut state = self.state.lock();
        let status = self.status.load(Ordering::Relaxed);
        if status > trigger {
            state.callbacks.push(callback);
            return;
        }
        drop(state);
        self.fire(vec![callback], status);
    }

    /// Sends callbacks to their thread. A callback gets the status it was registered for,
    /// or the negative status of an abnormal end.
    fn fire(self: &Arc<Self>, callbacks: Vec<Callback>, status: cl_int) {
        for callback in callbacks {
            let event = Arc::clone(self);
            let reported = if status < 0 { status } else { callback.trigger };
            callback::later(move || {
                // SAFETY: the application gave this function for this purpose; the event
                // is alive until it returns.
                unsafe {
                    (callback.notify)(object::handle(&event), reported, callback.user_data.get());
                }
                drop(event);
            });
        }
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_event_info) -> Result<Answer> {
        Ok(match name {
            CL_EVENT_COMMAND_QUEUE => Answer::of(
                self.queue
                    .as_ref()
                    .map_or(std::ptr::null_mut(), object::handle),
            ),
            CL_EVENT_CONTEXT => Answer::of(object::handle(&self.context)),
            CL_EVENT_COMMAND_TYPE => Answer::of(self.kind.code()),
            CL_EVENT_COMMAND_EXECUTION_STATUS => Answer::of(self.status()),
            CL_EVENT_REFERENCE_COUNT => Answer::of(object::references(self)),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }

    /// One profiling time.
    ///
    /// # Errors
    /// `CL_PROFILING_INFO_NOT_AVAILABLE` for user events, queues without profiling and
    /// commands that are not complete; `CL_INVALID_VALUE` for an unknown name.
    pub fn profiling(&self, name: cl_profiling_info) -> Result<Answer> {
        let profiles = self.queue.as_ref().is_some_and(|queue| queue.profiles());
        ensure!(profiles, CL_PROFILING_INFO_NOT_AVAILABLE);
        ensure!(
            self.status() == CL_COMPLETE,
            CL_PROFILING_INFO_NOT_AVAILABLE
        );
        let times = self.state.lock().times;
        Ok(Answer::of(match name {
            CL_PROFILING_COMMAND_QUEUED => times.queued,
            CL_PROFILING_COMMAND_SUBMIT => times.submit,
            CL_PROFILING_COMMAND_START => times.start,
            CL_PROFILING_COMMAND_END => times.end,
            CL_PROFILING_COMMAND_COMPLETE => times.complete,
            _ => return Err(Error(CL_INVALID_VALUE)),
        }))
    }
}

fn take_reached(callbacks: &mut Vec<Callback>, status: cl_int) -> Vec<Callback> {
    let (reached, rest) = std::mem::take(callbacks)
        .into_iter()
        .partition(|callback| callback.trigger >= status);
    *callbacks = rest;
    reached
}
