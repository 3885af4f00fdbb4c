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
pub(super) enum Order<C> {
    InOrder(InOrder<C>),
    OutOfOrder(OutOfOrder<C>),
}

impl<C> Order<C> {
    pub(super) fn new(out_of_order: bool) -> Self {
        if out_of_order {
            Self::OutOfOrder(OutOfOrder::new())
        } else {
            Self::InOrder(InOrder::new())
        }
    }

    /// Takes a command in: gives its number, and whether it has to wait for others.
    pub(super) fn enter(&mut self, command: &Arc<C>, role: Role) -> (u64, bool) {
        match self {
            Self::InOrder(order) => order.enter(command),
            Self::OutOfOrder(order) => order.enter(command, role),
        }
    }

    /// A command has ended: `release` gets the ones that now wait for no other of the queue.
    pub(super) fn ended(&mut self, place: u64, role: Role, release: impl FnMut(Arc<C>)) {
        match self {
            Self::InOrder(order) => order.ended(release),
            Self::OutOfOrder(order) => order.ended(place, role, release),
        }
    }

    /// The number that the next command gets.
    pub(super) fn next(&self) -> u64 {
        match self {
            Self::InOrder(order) => order.ended + order.line.len() as u64,
            Self::OutOfOrder(order) => order.ended + order.window.len() as u64,
        }
    }

    /// All commands with lower numbers have ended.
    pub(super) fn all_ended_below(&self) -> u64 {
        match self {
            Self::InOrder(order) => order.ended,
            Self::OutOfOrder(order) => order.ended,
        }
    }

    /// The one command that all others wait for, if the order has such a one.
    pub(super) fn front(&self) -> Option<&Arc<C>> {
        match self {
            Self::InOrder(order) => order.line.front(),
            Self::OutOfOrder(_) => None,
        }
    }
}

/// Each command waits for the one before it (`ex.queue.in-order`).
pub(super) struct InOrder<C> {
    ended: u64,
    /// Commands that have not ended, in their order. All but the first wait.
    line: VecDeque<Arc<C>>,
}

impl<C> InOrder<C> {
    fn new() -> Self {
        Self {
            ended: 0,
            line: VecDeque::new(),
        }
    }

    fn enter(&mut self, command: &Arc<C>) -> (u64, bool) {
        let before = self.line.len();
        self.line.push_back(Arc::clone(command));
        (self.ended + before as u64, before > 0)
    }

    /// The first has ended: no other can run.
    fn ended(&mut self, release: impl FnMut(Arc<C>)) {
        // The caller holds the command itself, so nothing is deleted under its lock.
        self.line.pop_front();
        self.ended += 1;
        self.line.front().cloned().into_iter().for_each(release);
    }
}

/// Commands wait for barriers, and some of them for everything before them
/// (`ex.queue.out-of-order`, `ex.prereq.barrier`, `ex.prereq.marker`).
pub(super) struct OutOfOrder<C> {
    /// All commands with lower numbers have ended.
    ended: u64,
    /// Which of the commands from there on have ended; the first has not.
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
            ended: 0,
            window: VecDeque::new(),
            last_of_all: VecDeque::new(),
            barriers: VecDeque::new(),
        }
    }

    fn enter(&mut self, command: &Arc<C>, role: Role) -> (u64, bool) {
        let place = self.ended + self.window.len() as u64;
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
        (place, waits)
    }

    fn ended(&mut self, place: u64, role: Role, mut release: impl FnMut(Arc<C>)) {
        if role.before_all
            && let Some(barrier) = self.barriers.pop_front()
        {
            // Barriers end in their order, as each waits for the one before it.
            debug_assert_eq!(barrier.place, place);
            barrier.behind.into_iter().for_each(&mut release);
        }
        if let Some(ended) = self.window.get_mut((place - self.ended) as usize) {
            *ended = true;
        }
        while self.window.front() == Some(&true) {
            self.window.pop_front();
            self.ended += 1;
        }
        while let Some((waiting, _)) = self.last_of_all.front()
            && *waiting == self.ended
        {
            if let Some((_, command)) = self.last_of_all.pop_front() {
                release(command);
            }
        }
    }
}
