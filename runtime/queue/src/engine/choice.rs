//! Which of the commands that are ready comes next.
//!
//! "Commands execute in any order constrained only by explicit synchronization points […] or explicit
//! dependencies on events" (The OpenCL Architecture, Execution Model): a runtime does what is fastest, and this
//! one does what else is allowed when it is asked to.

use std::collections::VecDeque;
use std::sync::Arc;

use super::command::Command;
use crate::sync::{AtomicU64, Ordering};

/// The n-th of the numbers that follow a seed, for what is to be any: splitmix64.
pub fn draw(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Which of the commands that are ready a thread takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The one that became ready first. A thread that waits for a command runs it itself, and one that ended a
    /// command goes on with what this made ready.
    #[default]
    Eager,
    /// Of each queue one at a time: the one that was enqueued first.
    OneAtATime,
    /// Of each queue one at a time: the one that was enqueued last.
    LastFirst,
    /// Any, drawn from the numbers that follow a seed.
    Random(u64),
}

impl Choice {
    /// Whether commands run as soon as somebody can run them.
    pub(super) fn is_eager(self) -> bool {
        self == Self::Eager
    }

    /// Takes a command off the list, under the lock of the pool; none if those that are there are of queues that
    /// must end another one first.
    pub(super) fn take<C: Command>(
        self,
        ready: &mut VecDeque<Arc<C>>,
        drawn: &AtomicU64,
    ) -> Option<Arc<C>> {
        let free = |command: &Arc<C>| !command.queue().is_some_and(|queue| queue.is_busy());
        let places = ready.iter().enumerate();
        let mut free = places.filter(|(_, command)| free(command));
        let place = |(_, command): &(usize, &Arc<C>)| command.core().place();
        let (at, _) = match self {
            Self::Eager => free.next(),
            Self::OneAtATime => free.min_by_key(place),
            Self::LastFirst => free.max_by_key(place),
            Self::Random(seed) => {
                // All is under the lock.
                let n = drawn.load(Ordering::Relaxed).wrapping_add(1);
                drawn.store(n, Ordering::Relaxed);
                let z = draw(seed, n);
                match ready.len() as u64 {
                    0 => None,
                    many => free.nth((z % many) as usize),
                }
            }
        }?;
        let command = ready.remove(at)?;
        self.mark(&command, true);
        Some(command)
    }

    /// A command that was taken has been run, or another thread had; under the lock of the pool.
    pub(super) fn give_back<C: Command>(self, command: &Arc<C>) {
        self.mark(command, false);
    }

    fn mark<C: Command>(self, command: &Arc<C>, busy: bool) {
        match self {
            Self::Eager | Self::Random(_) => {}
            Self::OneAtATime | Self::LastFirst => {
                if let Some(queue) = command.queue() {
                    queue.set_busy(busy);
                }
            }
        }
    }
}
