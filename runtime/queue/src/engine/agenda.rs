//! What a thread has made ready and must see to.
//!
//! One command that ends can make others ready, prompt ones among them, whose end makes
//! more ready, and the last child of a command that ends is the end of its parent. The agenda turns
//! that into a loop: however long the chain, the stack stays as it is.

use std::collections::VecDeque;
use std::sync::Arc;

use super::command::{Command, conclude, run_promptly};
use super::pool::Pool;
use super::state::State;

/// Some commands in their order; the first, which mostly is the only one, needs no memory.
pub(super) struct Batch<C> {
    first: Option<Arc<C>>,
    more: VecDeque<Arc<C>>,
}

impl<C> Batch<C> {
    pub(super) fn new() -> Self {
        Self {
            first: None,
            more: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, command: Arc<C>) {
        if self.first.is_none() && self.more.is_empty() {
            self.first = Some(command);
        } else {
            self.more.push_back(command);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Arc<C>> {
        self.first.take().or_else(|| self.more.pop_front())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.more.is_empty()
    }
}

impl<C> Iterator for Batch<C> {
    type Item = Arc<C>;

    fn next(&mut self) -> Option<Arc<C>> {
        self.pop()
    }
}

/// Commands that this thread has made ready, and such whose last child it has ended.
pub(super) struct Agenda<C> {
    ready: Batch<C>,
    over: Batch<C>,
}

impl<C: Command> Agenda<C> {
    pub(super) fn new() -> Self {
        Self {
            ready: Batch::new(),
            over: Batch::new(),
        }
    }

    /// Makes a command ready: the caller has taken its last prerequisite off. Takes no lock.
    pub(super) fn add(&mut self, command: Arc<C>) {
        command.rouse();
        command.core().quietly(State::Ready);
        self.ready.push(command);
    }

    /// A command has run, and so have its children: it is to be concluded.
    pub(super) fn add_over(&mut self, command: Arc<C>) {
        command.rouse();
        self.over.push(command);
    }

    /// Performs what is prompt, keeps the first of the others that the caller wants to run
    /// itself, and gives the rest to the pool.
    pub(super) fn settle(
        mut self,
        pool: &Arc<Pool<C>>,
        wanted: impl Fn(&Arc<C>) -> bool,
    ) -> Option<Arc<C>> {
        let mut kept = None;
        let mut rest = Batch::new();
        loop {
            if let Some(command) = self.over.pop() {
                conclude(&command, &mut self);
                continue;
            }
            let Some(command) = self.ready.pop() else {
                break;
            };
            if run_promptly(&command, &mut self) {
                continue;
            }
            if kept.is_none() && wanted(&command) {
                kept = Some(command);
            } else {
                rest.push(command);
            }
        }
        if !rest.is_empty() {
            pool.push(rest);
        }
        kept
    }
}
