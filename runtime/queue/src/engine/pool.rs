//! The threads that run commands.
//!
//! One pool serves all queues, with as many threads as the queues may keep busy together:
//! one for each in-order queue, some for each out-of-order one. So a command that never ends
//! stops no other queue. A thread is started when there is work and none is idle.
//!
//! A thread that ends a command goes on with the first that this made ready, so chains of
//! commands, within a queue or across queues, stay on one thread without a wake-up; after
//! some it lets others come first. A thread without work looks for it for a while before it
//! sleeps ([`sync::SPIN`]), but only one at a time.
//!
//! A ready command is in the list of the pool or kept by the thread that made it ready. A
//! thread that waits for it may claim it all the same; the entry in the list is then stale,
//! and is dropped when its turn comes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::agenda::{Agenda, Batch};
use super::choice::Choice;
use super::command::{Command, claim, run};
use super::queue::Queue;
use crate::sync::{self, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering};

/// Commands of one chain that a thread runs before it lets others come first.
const TURN: usize = 64;

struct Inner<C> {
    ready: VecDeque<Arc<C>>,
    threads: usize,
    /// Threads that sleep.
    sleeping: usize,
    /// A thread looks for work; it will find what is in the list.
    looking: bool,
    /// Threads that all queues may keep busy together.
    room: usize,
    /// Threads that stay when the room gets less.
    stay: usize,
}

/// The threads that run commands.
pub struct Pool<C> {
    inner: Mutex<Inner<C>>,
    news: Condvar,
    /// How many are in the list, for looking without the lock.
    listed: AtomicUsize,
    /// Which of them comes next.
    choice: Choice,
    /// Where the random ones are, under the lock of `inner`.
    drawn: AtomicU64,
    /// Called by each thread when it starts.
    greet: fn(),
}

impl<C: Command> Pool<C> {
    /// A pool without threads. `stay` of them, once started, stay when there is no queue;
    /// each calls `greet` when it starts.
    pub fn new(stay: usize, greet: fn(), choice: Choice) -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::new(Inner {
                ready: VecDeque::new(),
                threads: 0,
                sleeping: 0,
                looking: false,
                room: 0,
                stay,
            }),
            news: Condvar::new(),
            listed: AtomicUsize::new(0),
            choice,
            drawn: AtomicU64::new(0),
            greet,
        })
    }

    /// A queue has come.
    pub(super) fn enter(&self, width: usize) {
        self.inner.lock().room += width;
    }

    /// A queue has gone.
    pub(super) fn leave(&self, width: usize) {
        let mut inner = self.inner.lock();
        inner.room -= width;
        if inner.threads > inner.allowed() {
            self.news.notify_all();
        }
    }

    /// Lets the threads end that stay without a queue.
    pub fn close(&self) {
        self.inner.lock().stay = 0;
        self.news.notify_all();
    }

    /// Takes ready commands, and sees to it that there are threads for them.
    pub(super) fn push(self: &Arc<Self>, commands: Batch<C>) {
        let mut inner = self.inner.lock();
        inner.ready.extend(commands);
        self.listed.store(inner.ready.len(), Ordering::Relaxed);
        let waiting = inner.ready.len() - usize::from(inner.looking);
        for _ in 0..waiting.min(inner.sleeping) {
            self.news.notify_one();
        }
        let unserved = waiting.saturating_sub(inner.sleeping);
        let more = unserved.min(inner.allowed().saturating_sub(inner.threads));
        inner.threads += more;
        drop(inner);
        for _ in 0..more {
            let pool = Arc::clone(self);
            if !sync::spawn("touchstone-queue", move || pool.serve()) {
                self.without_a_new_thread();
            }
        }
    }

    /// The system has no thread left. If the pool has one, that one does the work; if it has
    /// none, the calling thread does.
    fn without_a_new_thread(self: &Arc<Self>) {
        let mut inner = self.inner.lock();
        inner.threads -= 1;
        if inner.threads > 0 {
            return;
        }
        while let Some(command) = self.pop(&mut inner) {
            // While it works, it counts as a thread: what it makes ready is left to it.
            inner.threads += 1;
            drop(inner);
            if claim(&command) {
                let mut agenda = Agenda::new();
                run(&command, &mut agenda);
                agenda.settle(self, |_| false);
            }
            inner = self.inner.lock();
            inner.threads -= 1;
            self.choice.give_back(&command);
            drop(inner);
            drop(command);
            inner = self.inner.lock();
        }
    }

    fn pop(&self, inner: &mut Inner<C>) -> Option<Arc<C>> {
        let command = if self.choice.is_eager() {
            inner.ready.pop_front()?
        } else {
            self.choice.take(&mut inner.ready, &self.drawn)?
        };
        self.listed.store(inner.ready.len(), Ordering::Relaxed);
        Some(command)
    }

    /// The life of a thread.
    fn serve(self: Arc<Self>) {
        (self.greet)();
        while let Some(command) = self.next() {
            let mut next = Some(command);
            let mut turns = 0;
            while let Some(command) = next {
                let mut agenda = Agenda::new();
                if claim(&command) {
                    turns += 1;
                    run(&command, &mut agenda);
                }
                if self.choice.is_eager() {
                    drop(command);
                    next = agenda.settle(&self, |_| turns < TURN);
                } else {
                    next = agenda.settle(&self, |_| false);
                    self.give_back(&command);
                }
            }
        }
    }

    /// Whether a thread that waits for a command runs it, if it can.
    pub(super) fn is_eager(&self) -> bool {
        self.choice.is_eager()
    }

    /// A command of a queue that runs one at a time has been run: another may be taken, by one that sleeps
    /// because there was none that might.
    fn give_back(&self, command: &Arc<C>) {
        let inner = self.inner.lock();
        self.choice.give_back(command);
        if !inner.ready.is_empty() {
            self.news.notify_one();
        }
    }

    /// The next command to run; none when this thread is to end.
    fn next(&self) -> Option<Arc<C>> {
        let mut inner = self.inner.lock();
        loop {
            if let Some(command) = self.pop(&mut inner) {
                return Some(command);
            }
            if inner.threads > inner.allowed() {
                inner.threads -= 1;
                return None;
            }
            // What is listed may be what must not be taken yet: only news are worth waking for then.
            if inner.looking || !self.choice.is_eager() {
                inner.sleeping += 1;
                self.news.wait(&mut inner);
                inner.sleeping -= 1;
                continue;
            }
            inner.looking = true;
            drop(inner);
            let found = sync::spin(sync::SPIN, || self.listed.load(Ordering::Relaxed) > 0);
            inner = self.inner.lock();
            inner.looking = false;
            if !found && inner.ready.is_empty() && inner.threads <= inner.allowed() {
                // Whoever adds to the list from now on sees that this thread sleeps.
                inner.sleeping += 1;
                self.news.wait(&mut inner);
                inner.sleeping -= 1;
            }
        }
    }

    /// A command of one queue with a number below `end` that is in the list, for a thread
    /// that waits for all of these.
    pub(super) fn take_one_of(&self, queue: &Queue<C>, end: u64) -> Option<Arc<C>> {
        if self.listed.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut inner = self.inner.lock();
        let at = inner
            .ready
            .iter()
            .take(TURN)
            .position(|command| queue.owns(command) && command.core().place() < end)?;
        let command = inner.ready.remove(at);
        self.listed.store(inner.ready.len(), Ordering::Relaxed);
        command
    }
}

impl<C> Inner<C> {
    fn allowed(&self) -> usize {
        self.room.max(self.stay)
    }
}
