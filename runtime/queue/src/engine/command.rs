//! One command: its state, what it waits for, what waits for it.
//!
//! The state has one writer at a time, because the right to move it is handed on: from the
//! thread that enqueues (to Submitted), to the one that takes the last prerequisite off (to
//! Ready), to the one that claims the command (to Running and to the end). Steps that others
//! can wait for or be notified of, all but Ready and Ended, are made under the lock of `inner`.

use std::sync::Arc;

use touchstone_faults::{Fault, on};

use super::agenda::Agenda;
use super::lane::Lane;
use super::order::Role;
use super::queue::Queue;
use super::state::{State, Times, Trigger};
use crate::sync::{self, AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering};

/// The status of a command that ended because one of its wait list ended abnormally:
/// `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST`.
pub const WAIT_LIST_FAILED: i32 = -14;

/// What the engine moves: a command with its event, or a user event.
pub trait Command: Sized + Send + Sync + 'static {
    /// What the application is notified of when a state is reached.
    type Notice: Send + 'static;

    /// The engine's part of it.
    fn core(&self) -> &Core<Self>;

    /// Its queue; none for a user event.
    fn queue(&self) -> Option<&Queue<Self>>;

    /// Does what the command is there for, on whatever thread, and lets go of all that it
    /// held for that. Called at most once.
    ///
    /// # Errors
    /// The negative status that it ends with.
    fn perform(self: &Arc<Self>) -> Result<(), i32>;

    /// Lets go of all that it holds; it will not be performed. Called at most once, and not
    /// together with [`Command::perform`].
    fn discard(&self);

    /// Notifies of a state, on the thread of the lane or, with [`Command::tells_at_once`], on one that asks: the one that was asked for, and the
    /// negative status if the command ended abnormally.
    fn notify(self: &Arc<Self>, notice: Self::Notice, asked: Trigger, failure: Option<i32>);

    /// The lane that notices are posted to.
    fn lane(&self) -> &Arc<Lane>;

    /// Whether it may be performed when it has its last state already, for a fault: it uses
    /// nothing of the application's then.
    fn may_be_late(&self) -> bool {
        false
    }

    /// Whether notices of the states before the last one wait for the last: "equal to or past the status
    /// specified" (`clSetEventCallback`).
    fn tells_late(&self) -> bool {
        false
    }

    /// Whether a notice of a state that has been reached is told by the thread that asks for it, before its call
    /// returns: a callback "may be called asynchronously", and need not.
    fn tells_at_once(&self) -> bool {
        false
    }

    /// It has been performed, by the thread that did so, and failed or not: what waits for no more than that goes on.
    fn performed(&self, _failed: bool) {}

    /// It ran until `end`, and its children have ended; its event has not.
    fn concludes(&self, _end: u64) {}

    /// From now on it can go on: it is ready, or its last child has ended.
    fn rouse(&self) {}

    /// It cannot go on: it has been performed and waits for children, or is complete and everybody who waits for it
    /// has been told.
    fn rest(&self) {}

    /// The time now, for [`Times`]; never goes back. Anything for a queue without profiling.
    fn now(&self) -> u64;
}

struct Asked<C: Command> {
    trigger: Trigger,
    notice: C::Notice,
}

struct Inner<C: Command> {
    times: Times,
    asked: Vec<Asked<C>>,
    /// Commands whose list this is in; once for each time.
    dependents: Vec<Arc<C>>,
    /// The events of the wait list, alive until they have ended: an application may release
    /// a user event and have it set by another thread that still holds it.
    list: Vec<Arc<C>>,
    /// The command that enqueued this one while it ran; until this one has ended.
    parent: Option<Arc<C>>,
    /// Threads that sleep in [`wait`].
    sleepers: usize,
}

/// The engine's part of a command.
pub struct Core<C: Command> {
    /// A [`State::code`].
    state: AtomicI32,
    /// Prerequisites that have not ended, and one more until the command is submitted.
    prerequisites: AtomicUsize,
    /// One of its wait list ended abnormally.
    failed: AtomicBool,
    /// Itself, until it has run, and its children that have not ended.
    unfinished: AtomicUsize,
    /// The status of its own failure or of a child's, whichever came first; zero if there was none.
    failure: AtomicI32,
    /// Its number in its queue.
    place: AtomicU64,
    role: Role,
    inner: Mutex<Inner<C>>,
    ended: Condvar,
}

impl<C: Command> Core<C> {
    /// For a command that is about to be enqueued, at this time.
    pub fn queued(role: Role, now: u64) -> Self {
        Self::new(State::Queued, role, now)
    }

    /// For a user event.
    pub fn user(now: u64) -> Self {
        Self::new(State::Submitted, Role::default(), now)
    }

    fn new(state: State, role: Role, now: u64) -> Self {
        Self {
            state: AtomicI32::new(state.code()),
            prerequisites: AtomicUsize::new(1),
            failed: AtomicBool::new(false),
            unfinished: AtomicUsize::new(1),
            failure: AtomicI32::new(0),
            place: AtomicU64::new(0),
            role,
            inner: Mutex::new(Inner {
                times: Times {
                    queued: now,
                    ..Times::default()
                },
                asked: Vec::new(),
                dependents: Vec::new(),
                list: Vec::new(),
                parent: None,
                sleepers: 0,
            }),
            ended: Condvar::new(),
        }
    }

    /// The present state. What led to it is visible to who reads it.
    pub fn state(&self) -> State {
        State::of_code(self.state.load(Ordering::Acquire))
    }

    /// The times so far.
    pub fn times(&self) -> Times {
        self.inner.lock().times
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    /// Its number in its queue, from zero; set by the enqueue.
    pub fn place(&self) -> u64 {
        self.place.load(Ordering::Relaxed)
    }

    pub(super) fn set_place(&self, place: u64) {
        self.place.store(place, Ordering::Relaxed);
    }

    pub(super) fn add_prerequisite(&self) {
        self.prerequisites.fetch_add(1, Ordering::Relaxed);
    }

    /// Ready, and not to be ended by the thread that made it so because of its wait list.
    fn can_be_claimed(&self) -> bool {
        self.state() == State::Ready && !self.failed.load(Ordering::Relaxed)
    }

    /// The caller has the right to move the state; see the module's text.
    fn store(&self, next: State) {
        debug_assert!(
            State::of_code(self.state.load(Ordering::Relaxed)).may_become(next),
            "{:?} to {next:?}",
            self.state()
        );
        self.state.store(next.code(), Ordering::Release);
    }

    /// Keeps the first status of a failure, which decides how the command ends (`ex.fail.children`).
    fn note_failure(&self, status: i32) {
        let status = State::Failed(status).code();
        // What the count of unfinished ones orders sees it.
        let _ = self
            .failure
            .compare_exchange(0, status, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// One of the command and its children less that has not ended. True for the thread that takes the last one
    /// off: it has seen what happened before all of them ended, and concludes the command.
    fn one_less(&self) -> bool {
        self.unfinished.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// A step that has no time and no notice.
    pub(super) fn quietly(&self, next: State) {
        debug_assert!(matches!(next, State::Ready | State::Ended));
        self.store(next);
    }
}

/// One prerequisite less (`ex.state.not-before-ready`). True for the thread that takes the last one off: it has seen what
/// happened before all of them ended, and makes the command ready.
pub(super) fn prerequisite_ended<C: Command>(command: &Arc<C>, failed: bool) -> bool {
    let core = command.core();
    if failed {
        core.failed.store(true, Ordering::Relaxed);
    }
    core.prerequisites.fetch_sub(1, Ordering::AcqRel) == 1
}

/// Makes a command wait for the events of its list, before it takes its place in its queue
/// (`ex.prereq.wait-list`; Event Objects: "specify events that need to complete before this
/// particular command can be executed").
pub(super) fn wait_for_list<C: Command>(command: &Arc<C>, list: Vec<Arc<C>>) {
    if list.is_empty() {
        return;
    }
    for event in &list {
        let core = event.core();
        // Not the last to be taken off: the command is not submitted yet.
        command.core().add_prerequisite();
        let mut inner = core.inner.lock();
        let state = State::of_code(core.state.load(Ordering::Relaxed));
        if !state.is_final() {
            inner.dependents.push(Arc::clone(command));
            continue;
        }
        drop(inner);
        prerequisite_ended(command, fails_others(state));
    }
    command.core().inner.lock().list = list;
}

/// Moves a command to Submitted (`ex.state.order`, `ex.state.flush`).
pub(super) fn submit<C: Command>(command: &Arc<C>) {
    let core = command.core();
    let mut inner = core.inner.lock();
    inner.times.submit = command.now();
    core.store(State::Submitted);
    let start = post_notices(command, &mut inner, State::Submitted);
    drop(inner);
    start_lane(command, start);
}

/// Moves a ready command to Running; false when another thread has. Whoever gets true runs
/// and finishes it.
pub(super) fn claim<C: Command>(command: &Arc<C>) -> bool {
    let core = command.core();
    if !core.can_be_claimed() {
        return false;
    }
    let mut inner = core.inner.lock();
    if !core.can_be_claimed() {
        return false;
    }
    inner.times.start = command.now();
    core.store(State::Running);
    let start = post_notices(command, &mut inner, State::Running);
    let list = std::mem::take(&mut inner.list);
    drop(inner);
    start_lane(command, start);
    // The last reference to an event may be the last to its queue: not under a lock.
    drop(list);
    true
}

/// Runs a command that the caller has claimed, and finishes it.
pub(super) fn run<C: Command>(command: &Arc<C>, agenda: &mut Agenda<C>) {
    if on(Fault::CompleteEarly) && command.may_be_late() {
        let now = Some(command.now());
        command.core().quietly(State::Ended);
        finish(command, State::Complete, now, agenda);
        sync::pause();
        // Its event says already that it went well.
        let _ = command.perform();
        command.performed(false);
        return;
    }
    let outcome = command.perform();
    let end = command.now();
    let core = command.core();
    match outcome {
        Ok(()) => core.quietly(State::Ended),
        Err(status) => core.note_failure(status),
    }
    command.performed(outcome.is_err());
    // Only what is performed gets children.
    let waits = core.unfinished.load(Ordering::Acquire) > 1 && !on(Fault::ParentCompleteEarly);
    if !waits {
        return conclude_at(command, end, agenda);
    }
    core.inner.lock().times.end = end;
    if core.one_less() {
        conclude_at(command, end, agenda);
    } else {
        command.rest();
    }
}

/// Makes a command the child of one that is being performed, before it is enqueued: the parent is complete only
/// when the child is (`ex.state.complete-children`), and fails with it (`ex.dev.child-failure`).
pub fn adopt<C: Command>(parent: &Arc<C>, child: &Arc<C>) {
    // Not from zero: the parent is one itself while it is performed.
    parent.core().unfinished.fetch_add(1, Ordering::Relaxed);
    child.core().inner.lock().parent = Some(Arc::clone(parent));
}

/// Finishes a command that has run and whose last child has ended.
pub(super) fn conclude<C: Command>(command: &Arc<C>, agenda: &mut Agenda<C>) {
    let end = command.core().times().end;
    conclude_at(command, end, agenda);
}

/// Finishes a command that ran until `end` and whose children have ended.
fn conclude_at<C: Command>(command: &Arc<C>, end: u64, agenda: &mut Agenda<C>) {
    let last = match command.core().failure.load(Ordering::Relaxed) {
        0 => State::Complete,
        status => State::Failed(status),
    };
    command.concludes(end);
    finish(command, last, Some(end), agenda);
}

/// Handles a ready command on this thread, if it is one that takes no time: one that is
/// prompt (`ex.state.empty-command`) or that will not run because of its wait list
/// (`ex.fail.propagate`). False for any other.
pub(super) fn run_promptly<C: Command>(command: &Arc<C>, agenda: &mut Agenda<C>) -> bool {
    let core = command.core();
    // Written before the prerequisite was taken off, read after the last one was.
    if core.failed.load(Ordering::Relaxed) {
        if on(Fault::FailureRuns) {
            // Its event fails all the same.
            let _ = command.perform();
            command.performed(true);
        }
        let list = std::mem::take(&mut core.inner.lock().list);
        drop(list);
        if !on(Fault::FailureRuns) {
            command.discard();
        }
        finish(command, State::Failed(WAIT_LIST_FAILED), None, agenda);
        true
    } else if core.role.prompt {
        if claim(command) {
            run(command, agenda);
        }
        true
    } else {
        false
    }
}

/// Moves a command or user event to its last state: wakes the threads that wait, posts the
/// notices (`ex.state.callbacks`), releases the dependents (`sp.event-wait`), leaves the queue. `end` is when it ended, if
/// it ran. False, and nothing is done, if it already had its last state.
pub(super) fn finish<C: Command>(
    command: &Arc<C>,
    last: State,
    end: Option<u64>,
    agenda: &mut Agenda<C>,
) -> bool {
    let core = command.core();
    let mut inner = core.inner.lock();
    if core.state().is_final() {
        return false;
    }
    let now = command.now();
    let times = &mut inner.times;
    times.end = end.unwrap_or(0);
    // What never ran started and ended now.
    for time in [&mut times.submit, &mut times.start, &mut times.end] {
        if *time == 0 {
            *time = now;
        }
    }
    times.complete = now;
    core.store(last);
    let start = post_notices(command, &mut inner, last);
    let dependents = std::mem::take(&mut inner.dependents);
    let parent = inner.parent.take();
    if inner.sleepers > 0 {
        core.ended.notify_all();
    }
    drop(inner);
    start_lane(command, start);
    if on(Fault::CallbackHoldsQueue) {
        command.lane().drain();
    }
    let failed = fails_others(last);
    for dependent in dependents {
        if on(Fault::CrossQueueHangs) && elsewhere(command, &dependent) {
            continue;
        }
        if prerequisite_ended(&dependent, failed) {
            agenda.add(dependent);
        }
    }
    if let Some(parent) = parent {
        child_ended(parent, last, agenda);
    }
    if on(Fault::FailureHangsFinish) && last.failure().is_some() {
        return true;
    }
    if let Some(queue) = command.queue() {
        queue.ended(command, agenda);
        command.rest();
    }
    true
}

/// A child of a command has ended so.
fn child_ended<C: Command>(parent: Arc<C>, last: State, agenda: &mut Agenda<C>) {
    let core = parent.core();
    if let Some(status) = last.failure()
        && !on(Fault::ChildFailureHidden)
    {
        core.note_failure(status);
    }
    if core.one_less() {
        agenda.add_over(parent);
    }
}

/// Whether a command that has ended so makes those fail whose list it is in
/// (`ex.fail.propagate`, `ex.fail.user-event`).
fn fails_others(last: State) -> bool {
    let indirectly = last == State::Failed(WAIT_LIST_FAILED);
    last.failure().is_some() && !(indirectly && on(Fault::FailureNotTransitive))
}

/// Whether two commands are of different queues.
fn elsewhere<C: Command>(one: &Arc<C>, other: &Arc<C>) -> bool {
    let owned = |queue: &Queue<C>| queue.owns(other);
    one.queue().is_some_and(|queue| !owned(queue))
}

/// Sends the notices that are due, in the order of their states; says whether the lane is to
/// be started. The lane's lock is taken under this one, so notices of one event are sent in
/// the order of its steps.
fn post_notices<C: Command>(command: &Arc<C>, inner: &mut Inner<C>, state: State) -> bool {
    let mut start = false;
    for trigger in [Trigger::Submitted, Trigger::Running, Trigger::Complete] {
        if inner.asked.is_empty() || !is_due(command, state, trigger) {
            break;
        }
        let due = inner.asked.extract_if(.., |asked| asked.trigger == trigger);
        for asked in due {
            start |= send(command, asked, state);
        }
    }
    start
}

/// Whether a notice is to be sent now.
fn is_due<C: Command>(command: &Arc<C>, state: State, trigger: Trigger) -> bool {
    state.has_reached(trigger) && (state.is_final() || !command.tells_late())
}

fn send<C: Command>(command: &Arc<C>, asked: Asked<C>, state: State) -> bool {
    let held = Arc::clone(command);
    command.lane().post(move || {
        held.notify(asked.notice, asked.trigger, state.failure());
    })
}

/// A thread is started outside of every lock.
fn start_lane<C: Command>(command: &Arc<C>, start: bool) {
    if start {
        command.lane().start();
    }
}

/// Asks for a notice; one whose state has been reached is sent at once.
pub fn ask<C: Command>(command: &Arc<C>, trigger: Trigger, notice: C::Notice) {
    let asked = Asked { trigger, notice };
    let core = command.core();
    let mut inner = core.inner.lock();
    let state = core.state();
    let due = is_due(command, state, trigger);
    if due && command.tells_at_once() {
        drop(inner);
        command.notify(asked.notice, trigger, state.failure());
        return;
    }
    let start = if due {
        send(command, asked, state)
    } else {
        inner.asked.push(asked);
        false
    };
    drop(inner);
    start_lane(command, start);
}

/// Sets a user event: complete, or abnormally ended with a negative status. False if it had
/// been set.
pub fn set<C: Command>(event: &Arc<C>, failure: Option<i32>, pool: &Arc<super::Pool<C>>) -> bool {
    let last = failure.map_or(State::Complete, State::Failed);
    let mut agenda = Agenda::new();
    let first = finish(event, last, None, &mut agenda);
    agenda.settle(pool, |_| false);
    first
}

/// Blocks until a command or user event has ended; gives its last state.
///
/// While it is not running, the calling thread runs it itself, or what comes before it in
/// its in-order queue: nothing but what it has to wait for anyway.
pub fn wait<C: Command>(command: &Arc<C>) -> State {
    let core = command.core();
    if let Some(queue) = command.queue() {
        queue.flush();
    }
    loop {
        let state = core.state();
        if state.is_final() {
            return state;
        }
        if let Some(queue) = command.queue()
            && queue.help(Some(command), core.place() + 1)
        {
            continue;
        }
        if sync::spin(sync::SPIN, || {
            core.state().is_final()
                || core.can_be_claimed() && command.queue().is_none_or(Queue::is_helped)
        }) {
            continue;
        }
        let mut inner = core.inner.lock();
        inner.sleepers += 1;
        while !core.state().is_final() {
            core.ended.wait(&mut inner);
        }
        inner.sleepers -= 1;
    }
}
