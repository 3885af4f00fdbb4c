//! The orders that queues keep.
//!
//! Either order numbers its commands as they come and says, when one ends, which others have
//! lost their last prerequisite of this kind. These waits order only: a command still runs
//! when the one before it failed. Wait lists are for failing together (`ex.fail.propagate`).

use std::collections::VecDeque;
use std::sync::Arc;

use touchstone_faults::{Fault, on};

/// How a command takes its place in its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// It takes less time than handing it to another thread, so whoever makes it ready
    /// performs it: markers, barriers, maps.
    pub prompt: bool,
    /// It waits for everything before it: a marker or barrier without a list.
    pub after_all: bool,
    /// Everything behind it waits for it: a barrier.
    pub before_all: bool,
}

/// The order of one queue.
pub(super) struct Order<C> {
    /// All commands with lower numbers have ended.
    ended: u64,
    waiting: Waiting<C>,
}

/// The commands that have not ended.
enum Waiting<C> {
    /// In their order: each waits for the one before it (`ex.queue.in-order`).
    InOrder(VecDeque<Arc<C>>),
    OutOfOrder(OutOfOrder<C>),
}

impl<C> Order<C> {
    pub(super) fn new(out_of_order: bool) -> Self {
        let waiting = if out_of_order {
            Waiting::OutOfOrder(OutOfOrder::new())
        } else {
            Waiting::InOrder(VecDeque::new())
        };
        Self { ended: 0, waiting }
    }

    /// Takes a command in: gives its number, and whether it has to wait for others.
    pub(super) fn enter(&mut self, command: &Arc<C>, role: Role) -> (u64, bool) {
        let place = self.next();
        let waits = match &mut self.waiting {
            Waiting::InOrder(line) => {
                line.push_back(Arc::clone(command));
                line.len() > 1
            }
            Waiting::OutOfOrder(order) => order.enter(place, command, role),
        };
        (place, waits)
    }

    /// A command has ended: `release` gets the ones that now wait for no other of the queue.
    pub(super) fn ended(&mut self, place: u64, role: Role, release: impl FnMut(Arc<C>)) {
        match &mut self.waiting {
            Waiting::InOrder(line) => {
                // It is the first, as no other can run. The caller holds it, so nothing is
                // deleted under its lock.
                line.pop_front();
                self.ended += 1;
                line.front().cloned().into_iter().for_each(release);
            }
            Waiting::OutOfOrder(order) => order.ended(&mut self.ended, place, role, release),
        }
    }

    /// The number that the next command gets.
    pub(super) fn next(&self) -> u64 {
        let waiting = match &self.waiting {
            Waiting::InOrder(line) => line.len(),
            Waiting::OutOfOrder(order) => order.window.len(),
        };
        self.ended + waiting as u64
    }

    /// All commands with lower numbers have ended.
    pub(super) fn all_ended_below(&self) -> u64 {
        self.ended
    }

    /// The one command that all others wait for, if the order has such a one.
    pub(super) fn front(&self) -> Option<&Arc<C>> {
        match &self.waiting {
            Waiting::InOrder(line) => line.front(),
            Waiting::OutOfOrder(_) => None,
        }
    }
}

/// Commands wait for barriers, and some of them for everything before them
/// (`ex.queue.out-of-order`, `ex.prereq.barrier`, `ex.prereq.marker`).
struct OutOfOrder<C> {
    /// Which of the commands from the first that has not ended on have ended.
    window: VecDeque<bool>,
    /// Commands that wait for everything before them, by their numbers.
    last_of_all: VecDeque<(u64, Arc<C>)>,
    /// Barriers that have not ended, in their order: each waits for the one before it.
    barriers: VecDeque<Barrier<C>>,
}

struct Barrier<C> {
    place: u64,
    /// What was enqueued between this barrier and the next; the next one included.
    behind: Vec<Arc<C>>,
}

impl<C> OutOfOrder<C> {
    fn new() -> Self {
        Self {
            window: VecDeque::new(),
            last_of_all: VecDeque::new(),
            barriers: VecDeque::new(),
        }
    }

    /// Takes a command in; whether it has to wait for others.
    fn enter(&mut self, place: u64, command: &Arc<C>, role: Role) -> bool {
        let mut waits = false;
        if role.after_all {
            // Barriers are among everything.
            if !self.window.is_empty() {
                self.last_of_all.push_back((place, Arc::clone(command)));
                waits = true;
            }
        } else if let Some(barrier) = self.barriers.back_mut()
            && !(on(Fault::BarrierHoldsOne) && !role.before_all && !barrier.behind.is_empty())
        {
            barrier.behind.push(Arc::clone(command));
            waits = true;
        }
        if role.before_all {
            self.barriers.push_back(Barrier {
                place,
                behind: Vec::new(),
            });
        }
        self.window.push_back(false);
        waits
    }

    /// A command has ended; `below` is up to where all have.
    fn ended(&mut self, below: &mut u64, place: u64, role: Role, mut release: impl FnMut(Arc<C>)) {
        if role.before_all
            && let Some(barrier) = self.barriers.pop_front()
        {
            // Barriers end in their order, as each waits for the one before it.
            debug_assert_eq!(barrier.place, place);
            barrier.behind.into_iter().for_each(&mut release);
        }
        if let Some(ended) = self.window.get_mut((place - *below) as usize) {
            *ended = true;
        }
        while self.window.front() == Some(&true) {
            self.window.pop_front();
            *below += 1;
        }
        while let Some((waiting, _)) = self.last_of_all.front()
            && *waiting == *below
        {
            if let Some((_, command)) = self.last_of_all.pop_front() {
                release(command);
            }
        }
    }
}
