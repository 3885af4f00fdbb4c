//! Queues: they take commands in, in some order, and know when all have ended.

use std::sync::Arc;

use touchstone_faults::{Fault, on};

use super::agenda::Agenda;
use super::command::{Command, claim, prerequisite_ended, run, submit, wait, wait_for_list};
use super::order::Order;
use super::pool::Pool;
use super::state::State;
use crate::sync::{self, AtomicBool, AtomicU64, Condvar, Mutex, Ordering};

/// When the commands of a queue are submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submission {
    /// As they are enqueued; a flush has nothing to do.
    AtEnqueue,
    /// When the queue is flushed, explicitly or by a blocking call (`ex.state.flush`): an
    /// application that forgets to flush sees its commands stay queued, as the specification
    /// allows.
    AtFlush,
}

struct Inner<C> {
    order: Order<C>,
    /// Commands to be submitted at the next flush.
    unflushed: Vec<Arc<C>>,
    /// Threads that sleep in [`Queue::finish`].
    sleepers: usize,
}

/// A command-queue.
pub struct Queue<C: Command> {
    pool: Arc<Pool<C>>,
    /// Threads that it may keep busy.
    width: usize,
    submission: Submission,
    /// One of its commands runs and no other may, where they run one at a time; used under the pool's lock.
    busy: AtomicBool,
    inner: Mutex<Inner<C>>,
    /// What [`Order::all_ended_below`] says, for looking without the lock.
    ended_below: AtomicU64,
    progress: Condvar,
}

impl<C: Command> Queue<C> {
    /// A queue without commands. An in-order queue keeps one thread busy at a time, an
    /// out-of-order one up to `width`.
    pub fn new(
        pool: Arc<Pool<C>>,
        out_of_order: bool,
        width: usize,
        submission: Submission,
    ) -> Self {
        let width = if out_of_order { width.max(1) } else { 1 };
        pool.enter(width);
        Self {
            pool,
            width,
            submission,
            busy: AtomicBool::new(false),
            inner: Mutex::new(Inner {
                order: Order::new(out_of_order),
                unflushed: Vec::new(),
                sleepers: 0,
            }),
            ended_below: AtomicU64::new(0),
            progress: Condvar::new(),
        }
    }

    /// Takes a command in, behind all that were taken in before (`ex.queue.in-order`,
    /// `ex.queue.threads`), to run when the events of its list have ended, too
    /// (`ex.prereq.wait-list`).
    pub fn enqueue(&self, command: &Arc<C>, list: Vec<Arc<C>>) {
        let agenda = self.take_in(command, list);
        agenda.settle(&self.pool, |_| false);
    }

    /// As [`Queue::enqueue`], for a caller that waits for the command at once: if it can run
    /// now, the calling thread runs it (`ex.queue.blocking`).
    pub fn enqueue_and_wait(&self, command: &Arc<C>, list: Vec<Arc<C>>) -> State {
        let agenda = self.take_in(command, list);
        let own = agenda.settle(&self.pool, |ready| {
            self.is_helped() && Arc::ptr_eq(ready, command)
        });
        if let Some(ready) = own
            && claim(&ready)
        {
            self.run_claimed(&ready, |_| false);
        }
        wait(command)
    }

    fn take_in(&self, command: &Arc<C>, list: Vec<Arc<C>>) -> Agenda<C> {
        wait_for_list(command, list);
        let core = command.core();
        {
            // The order of the calls' passing here is the order of the queue.
            let mut inner = self.inner.lock();
            let (place, waits) = inner.order.enter(command, core.role());
            core.set_place(place);
            if waits {
                core.add_prerequisite();
            }
            if self.submission == Submission::AtFlush {
                inner.unflushed.push(Arc::clone(command));
            }
        }
        let mut agenda = Agenda::new();
        if self.submission == Submission::AtEnqueue {
            submit_to(&mut agenda, command);
        }
        agenda
    }

    /// Submits what has been enqueued (`ex.state.flush`).
    pub fn flush(&self) {
        if self.submission == Submission::AtEnqueue {
            return;
        }
        let unflushed = std::mem::take(&mut self.inner.lock().unflushed);
        let mut agenda = Agenda::new();
        for command in &unflushed {
            submit_to(&mut agenda, command);
        }
        agenda.settle(&self.pool, |_| false);
    }

    /// Blocks until everything enqueued before has ended (`sp.finish`). The calling thread helps,
    /// as in [`super::wait`].
    pub fn finish(&self) {
        self.flush();
        let mut target = self.inner.lock().order.next();
        if on(Fault::FinishForgetsLast) {
            target = target.saturating_sub(1);
        }
        let done = || self.ended_below.load(Ordering::Acquire) >= target;
        loop {
            if done() {
                return;
            }
            if self.help(None, target) || sync::spin(sync::SPIN, done) {
                continue;
            }
            let mut inner = self.inner.lock();
            inner.sleepers += 1;
            while !done() {
                self.progress.wait(&mut inner);
            }
            inner.sleepers -= 1;
        }
    }

    /// Runs commands of this queue on the calling thread, which waits for `awaited`, or for
    /// all with numbers below `end`; false if there is none that is ready and awaited.
    pub(super) fn help(&self, awaited: Option<&Arc<C>>, end: u64) -> bool {
        if !self.is_helped() {
            return false;
        }
        if let Some(awaited) = awaited
            && claim(awaited)
        {
            self.run_claimed(awaited, |_| false);
            return true;
        }
        let is_awaited = |command: &Arc<C>| self.owns(command) && command.core().place() < end;
        let front = self.inner.lock().order.front().cloned();
        let mut next = if let Some(front) = front.filter(is_awaited)
            && claim(&front)
        {
            self.run_claimed(&front, is_awaited)
        } else if awaited.is_none()
            && let Some(listed) = self.pool.take_one_of(self, end)
        {
            Some(listed)
        } else {
            return false;
        };
        while let Some(command) = next
            && claim(&command)
        {
            next = self.run_claimed(&command, is_awaited);
        }
        true
    }

    /// Whether threads that wait for its commands run them.
    pub(super) fn is_helped(&self) -> bool {
        self.pool.is_eager()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    pub(super) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::Relaxed);
    }

    /// Whether a command is one of this queue's.
    pub(super) fn owns(&self, command: &Arc<C>) -> bool {
        let queue = command.queue();
        queue.is_some_and(|queue| std::ptr::eq(queue, self))
    }

    fn run_claimed(&self, command: &Arc<C>, wanted: impl Fn(&Arc<C>) -> bool) -> Option<Arc<C>> {
        let mut agenda = Agenda::new();
        run(command, &mut agenda);
        agenda.settle(&self.pool, wanted)
    }

    /// A command of this queue has ended.
    pub(super) fn ended(&self, command: &Arc<C>, agenda: &mut Agenda<C>) {
        let core = command.core();
        let mut inner = self.inner.lock();
        inner.order.ended(core.place(), core.role(), |released| {
            if prerequisite_ended(&released, false) {
                agenda.add(released);
            }
        });
        let ended_below = inner.order.all_ended_below();
        self.ended_below.store(ended_below, Ordering::Release);
        if inner.sleepers > 0 {
            self.progress.notify_all();
        }
    }
}

impl<C: Command> Drop for Queue<C> {
    /// No command is pending: each would hold this queue.
    fn drop(&mut self) {
        self.pool.leave(self.width);
    }
}

fn submit_to<C: Command>(agenda: &mut Agenda<C>, command: &Arc<C>) {
    submit(command);
    if prerequisite_ended(command, false) {
        agenda.add(Arc::clone(command));
    }
}
