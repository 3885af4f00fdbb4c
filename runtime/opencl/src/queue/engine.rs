//! The engine of one queue: the order it keeps, its ready commands, its threads.
//!
//! In an in-order queue every command waits for the one before it. In an out-of-order
//! queue it waits for the last barrier; a barrier or a marker without a list waits for
//! everything outstanding. These waits order only: a command still runs when the one
//! before it in the queue failed. Wait lists are for failing together (`ex.fail.propagate`).
//!
//! Commands are submitted as they are enqueued, so `clFlush` has nothing left to do.
//! Threads start when there is work for them, one for an in-order queue, up to the
//! device's compute units for an out-of-order one, and end when the queue is deleted.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use opencl_sys::CL_SUBMITTED;
use parking_lot::{Condvar, Mutex};

use super::command::{Command, Kind};
use super::event::Event;
use crate::callback;

struct State {
    /// Commands that have not ended, by the address of their event.
    outstanding: HashMap<usize, Arc<Event>>,
    /// What the next command waits for: the one before it, or the last barrier.
    /// Only kept while it has not ended.
    before: Option<Arc<Event>>,
    ready: VecDeque<Arc<Command>>,
    threads: usize,
    idle: usize,
    closed: bool,
}

/// The engine of one queue.
pub struct Engine {
    out_of_order: bool,
    max_threads: usize,
    state: Mutex<State>,
    work: Condvar,
}

impl Engine {
    /// An engine without threads; the first ready command starts one.
    pub fn new(out_of_order: bool, max_threads: usize) -> Arc<Self> {
        Arc::new(Self {
            out_of_order,
            max_threads,
            state: Mutex::new(State {
                outstanding: HashMap::new(),
                before: None,
                ready: VecDeque::new(),
                threads: 0,
                idle: 0,
                closed: false,
            }),
            work: Condvar::new(),
        })
    }

    /// Takes a command in: adds the waits of the queue's order and of its list.
    pub fn enqueue(&self, command: Arc<Command>, kind: Kind, wait_list: Vec<Arc<Event>>) {
        let event = &command.event;
        let mut order = Vec::new();
        {
            // One lock for reading and replacing `before`: the order of the calls'
            // passing here is the order of the queue.
            let mut state = self.state.lock();
            if self.out_of_order && kind.waits_for_all() {
                order.extend(state.outstanding.values().cloned());
            } else {
                order.extend(state.before.clone());
            }
            if !self.out_of_order || kind.holds_all() {
                state.before = Some(Arc::clone(event));
            }
            state.outstanding.insert(key(event), Arc::clone(event));
        }
        event.advance(CL_SUBMITTED);
        for earlier in &order {
            command.wait_for(earlier, false);
        }
        for earlier in &wait_list {
            command.wait_for(earlier, true);
        }
        // The one that was counted while the others were registered.
        command.prerequisite_ended(0, false);
    }

    /// Puts a command whose prerequisites have ended on the ready list.
    pub fn ready(self: &Arc<Self>, command: Arc<Command>) {
        let mut state = self.state.lock();
        state.ready.push_back(command);
        if state.idle >= state.ready.len() || state.threads >= self.max_threads {
            drop(state);
            self.work.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let engine = Arc::clone(self);
        let started = std::thread::Builder::new()
            .name("touchstone-queue".into())
            .spawn(move || engine.serve());
        if started.is_err() {
            self.without_a_new_thread();
        }
    }

    /// The system has no thread left. If the queue has one, that one does the work; if it
    /// has none, the thread that made the command ready does it here.
    fn without_a_new_thread(self: &Arc<Self>) {
        loop {
            let mut state = self.state.lock();
            state.threads -= 1;
            if state.threads > 0 {
                drop(state);
                self.work.notify_one();
                return;
            }
            let Some(command) = state.ready.pop_front() else {
                return;
            };
            state.threads += 1;
            drop(state);
            command.run();
        }
    }

    /// The life of a thread of this queue.
    fn serve(&self) {
        callback::mark_queue_thread();
        let mut state = self.state.lock();
        loop {
            if let Some(command) = state.ready.pop_front() {
                drop(state);
                command.run();
                drop(command);
                state = self.state.lock();
            } else if state.closed {
                state.threads -= 1;
                return;
            } else {
                state.idle += 1;
                self.work.wait(&mut state);
                state.idle -= 1;
            }
        }
    }

    /// Forgets a command that has ended.
    pub fn forget(&self, event: &Arc<Event>) {
        let mut state = self.state.lock();
        let outstanding = state.outstanding.remove(&key(event));
        let before = match &state.before {
            Some(before) if Arc::ptr_eq(before, event) => state.before.take(),
            Some(_) | None => None,
        };
        drop(state);
        // The last reference to an event may be the last to its queue, whose deletion
        // locks this engine: drop outside the lock.
        drop((outstanding, before));
    }

    /// The events of every command that has not ended.
    pub fn outstanding(&self) -> Vec<Arc<Event>> {
        self.state.lock().outstanding.values().cloned().collect()
    }

    /// Lets the threads end.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.work.notify_all();
    }
}

fn key(event: &Arc<Event>) -> usize {
    Arc::as_ptr(event) as usize
}
