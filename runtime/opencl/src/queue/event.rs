//! Events: the state of one command, or of a user's own condition.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use opencl_sys::*;
use parking_lot::Mutex;
use touchstone_faults::{Latitude, takes};
use touchstone_queue::{self as engine, Core, Lane, State, Trigger};

use super::command::{Action, Failure, Kind};
use super::member::Member;
use super::{Queue, Room};
use crate::callback::{self, UserData};
use crate::children::{Activity, Parent};
use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::object::{self, Header, object};

/// An event callback.
pub type NotifyFn = unsafe extern "C" fn(
    event: cl_event,
    event_command_status: cl_int,
    user_data: *mut std::ffi::c_void,
);

/// What [`Event::on_status`] keeps.
pub struct Callback {
    notify: NotifyFn,
    user_data: UserData,
}

/// An event, and the command that it is the event of.
#[repr(C)]
pub struct Event {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    /// The queue of its command; none for a user event.
    pub queue: Option<Arc<Queue>>,
    kind: Kind,
    core: Core<Self>,
    /// What is to be done; taken out when it is.
    action: Mutex<Option<Action>>,
    /// Of a kernel that has to do with device queues, what that is.
    member: OnceLock<Box<Member>>,
}
object!(Event, CL_INVALID_EVENT);

impl Event {
    /// The event of a command that is being enqueued.
    pub fn of_command(queue: &Arc<Queue>, kind: Kind, action: Action) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            context: Arc::clone(&queue.context),
            queue: Some(Arc::clone(queue)),
            kind,
            core: Core::queued(kind.role(), queue.now()),
            action: Mutex::new(Some(action)),
            member: OnceLock::new(),
        })
    }

    /// A user event. Its initial status is SUBMITTED.
    pub fn of_user(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            context,
            queue: None,
            kind: Kind::User,
            core: Core::user(0),
            action: Mutex::new(None),
            member: OnceLock::new(),
        })
    }

    /// A command that is about to be enqueued by a kernel of a family, in which it takes room in its queue.
    pub fn joins(&self, activity: &Arc<Activity>, room: Room) {
        let _ = self.member.set(Box::new(Member::of(activity, Some(room))));
    }

    /// A kernel that begins to run and may enqueue others; one that the host enqueued founds a family.
    pub fn becomes(&self, parent: Arc<Parent>, activity: &Arc<Activity>) {
        let member = self
            .member
            .get_or_init(|| Box::new(Member::of(activity, None)));
        *member.parent.lock() = Some(parent);
    }

    /// Has two times written to sixteen bytes at an address of the kernel's when the command is complete: how long it
    /// ran, and how long until its children were complete, in nanoseconds.
    pub fn capture(&self, place: u64) {
        if let Some(member) = self.member.get() {
            member.captures.add(place);
        }
    }

    /// Whether the event has its last status.
    pub fn has_ended(&self) -> bool {
        self.core.state().is_final()
    }

    /// The present status. Of the six states, the specification shows four.
    pub fn status(&self) -> cl_int {
        let state = self.core.state();
        if engine::Command::tells_late(self) && !state.is_final() {
            return CL_QUEUED;
        }
        match state {
            State::Queued => CL_QUEUED,
            State::Submitted | State::Ready => CL_SUBMITTED,
            State::Running | State::Ended => CL_RUNNING,
            State::Complete => CL_COMPLETE,
            State::Failed(status) => status,
        }
    }

    /// Whether this is a user event.
    pub fn is_user(&self) -> bool {
        self.queue.is_none()
    }

    /// Sets a user event: `CL_COMPLETE` or a negative code.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION` when it has been set before.
    pub fn set(self: &Arc<Self>, status: cl_int) -> Result<()> {
        let failure = (status < 0).then_some(status);
        let first = engine::set(self, failure, super::pool());
        ensure!(first, CL_INVALID_OPERATION);
        Ok(())
    }

    /// Blocks until the event has ended; gives its final status.
    pub fn wait(self: &Arc<Self>) -> cl_int {
        engine::wait(self).failure().unwrap_or(CL_COMPLETE)
    }

    /// Registers a callback; one whose status has already been reached fires at once.
    pub fn on_status(self: &Arc<Self>, trigger: Trigger, notify: NotifyFn, user_data: UserData) {
        engine::ask(self, trigger, Callback { notify, user_data });
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
        let times = self.core.times();
        Ok(Answer::of(match name {
            CL_PROFILING_COMMAND_QUEUED => times.queued,
            CL_PROFILING_COMMAND_SUBMIT => times.submit,
            CL_PROFILING_COMMAND_START => times.start,
            // What a command-buffer does is its children's.
            CL_PROFILING_COMMAND_END if self.kind == Kind::CommandBuffer => times.complete,
            CL_PROFILING_COMMAND_END => times.end,
            // Only command-buffers have children to wait for, and kernels, if there is device-side enqueue.
            CL_PROFILING_COMMAND_COMPLETE => match self.member.get() {
                None if self.kind != Kind::CommandBuffer => times.end,
                Some(_) | None => times.complete,
            },
            _ => return Err(Error(CL_INVALID_VALUE)),
        }))
    }
}

impl engine::Command for Event {
    type Notice = Callback;

    fn core(&self) -> &Core<Self> {
        &self.core
    }

    fn queue(&self) -> Option<&engine::Queue<Self>> {
        self.queue.as_ref().map(|queue| queue.engine())
    }

    /// By the end the action and all that it held are gone, so that an application that has
    /// seen the event may count on objects it releases to be deleted.
    fn perform(self: &Arc<Self>) -> std::result::Result<(), cl_int> {
        let _queue_thread = callback::on_queue_thread();
        let action = self.action.lock().take();
        if self.context.has_lost_queues() {
            return Err(CL_OUT_OF_RESOURCES);
        }
        action
            .map_or(Ok(()), |action| run(action, self))
            .map_err(|failure| {
                self.context.ended_abnormally();
                self.context.report(&failure);
                failure.status.min(-1)
            })
    }

    fn performed(&self, failed: bool) {
        let parent = self
            .member
            .get()
            .and_then(|member| member.parent.lock().take());
        if let Some(parent) = parent {
            parent.ended(failed);
        }
    }

    fn concludes(&self, end: u64) {
        if let Some(member) = self.member.get() {
            let (start, complete) = (self.core.times().start, self.now());
            let times = [end, complete].map(|time| time.saturating_sub(start));
            member.captures.write(times);
        }
    }

    fn rouse(&self) {
        if let Some(member) = self.member.get() {
            member.activity.rouse();
        }
    }

    fn rest(&self) {
        if let Some(member) = self.member.get() {
            if self.has_ended() {
                drop(member.room.lock().take());
            }
            member.activity.rest();
        }
    }

    fn may_be_late(&self) -> bool {
        matches!(
            self.kind,
            Kind::NdRangeKernel
                | Kind::Task
                | Kind::CopyBuffer
                | Kind::CopyBufferRect
                | Kind::FillBuffer
                | Kind::CopyImage
                | Kind::FillImage
        )
    }

    fn discard(&self) {
        let _queue_thread = callback::on_queue_thread();
        self.context.ended_abnormally();
        let action = self.action.lock().take();
        drop(action);
    }

    /// A callback gets the status it was registered for, or the negative status of an
    /// abnormal end.
    fn notify(self: &Arc<Self>, notice: Callback, asked: Trigger, failure: Option<cl_int>) {
        let status = failure.unwrap_or(match asked {
            Trigger::Submitted => CL_SUBMITTED,
            Trigger::Running => CL_RUNNING,
            Trigger::Complete => CL_COMPLETE,
        });
        let event = Arc::clone(self);
        let call = move || {
            // SAFETY: the application gave this function for this purpose; the event is alive
            // until it returns.
            unsafe { (notice.notify)(object::handle(&event), status, notice.user_data.get()) };
        };
        if takes(Latitude::CallbacksScattered) {
            callback::scatter(call);
        } else {
            call();
        }
    }

    fn tells_at_once(&self) -> bool {
        takes(Latitude::CallbacksAtOnce)
    }

    /// A user event is submitted from the start, and that its status goes on is what it is for.
    fn tells_late(&self) -> bool {
        takes(Latitude::StatusesJump) && !self.is_user()
    }

    fn lane(&self) -> &Arc<Lane> {
        self.context.lane()
    }

    fn now(&self) -> u64 {
        self.queue.as_ref().map_or(0, |queue| queue.now())
    }
}

/// Runs an action; a panic in it is a bug of this library and ends the command only.
fn run(action: Action, event: &Arc<Event>) -> std::result::Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(|| action(event))).unwrap_or_else(|_| {
        Err(Failure {
            status: CL_OUT_OF_RESOURCES,
            message: "internal error: a command panicked; this is a bug of Touchstone".into(),
            of: "internal error".into(),
            advice: "",
        })
    })
}
