//! Whether anything of a family can still go on.
//!
//! Only kernels of a family can set the user events that kernels of it made. When none of them runs or is ready to, and
//! not all are complete, these wait for user events that will never be set: such a family would wait for ever, and its
//! process with it. Its user events then fail instead.
//!
//! Counted are the commands that are ready or run, and those whose children have all ended and whose own end is yet to
//! be told: the engine says so of each ([`touchstone_queue::Command::rouse`], `rest`), before the one whose end made
//! it so rests. So the count is zero only where nothing is to happen any more.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use opencl_sys::*;
use parking_lot::Mutex;

use crate::queue::command::Failure;
use crate::queue::event::Event;

/// What a family does at present.
#[derive(Default)]
pub struct Activity {
    /// Commands that can go on. What the count orders is what was done before the last one rested.
    active: AtomicUsize,
    /// The command that the host enqueued.
    root: OnceLock<Weak<Event>>,
    /// User events that kernels made, as far as they are still there.
    gates: Mutex<Vec<Weak<Event>>>,
}

impl Activity {
    /// Of a family whose root runs.
    pub fn of(root: &Arc<Event>) -> Arc<Self> {
        let activity = Self {
            active: AtomicUsize::new(1),
            ..Self::default()
        };
        // It is new.
        let _ = activity.root.set(Arc::downgrade(root));
        Arc::new(activity)
    }

    /// A command can go on.
    pub fn rouse(&self) {
        self.active.fetch_add(1, Ordering::AcqRel);
    }

    /// A command cannot.
    pub fn rest(&self) {
        if self.active.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.give_up();
        }
    }

    /// Kernels made a user event.
    pub fn made(&self, event: &Arc<Event>) {
        let mut gates = self.gates.lock();
        // Those that have been deleted need no place.
        if gates.len() == gates.capacity() {
            gates.retain(|gate| gate.strong_count() > 0);
        }
        gates.push(Arc::downgrade(event));
    }

    /// Nothing goes on: if something is left, it waits for user events, which fail.
    fn give_up(&self) {
        let root = self.root.get().and_then(Weak::upgrade);
        let Some(root) = root.filter(|root| !root.has_ended()) else {
            return;
        };
        root.context.report(&Failure {
            status: CL_INVALID_EVENT,
            message: "kernels wait for a user event of theirs that none of them can set any more"
                .into(),
            of: "device-side enqueue".into(),
            advice: "A kernel sets each event of create_user_event with set_user_event_status.",
        });
        let gates = std::mem::take(&mut *self.gates.lock());
        for gate in gates.iter().filter_map(Weak::upgrade) {
            // Some have been set.
            let _ = gate.set(CL_INVALID_EVENT);
        }
    }
}
