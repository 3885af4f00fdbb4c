//! How a program of commands is run on a device.
//!
//! A [`Bench`] holds what outlives a run: contexts, the built kernels, a queue for the harness's own
//! transfers. [`run`] makes the program's queues, objects and events in a [`world`], plays its host
//! threads ([`play`]), finishes everything, and gives back the trace. Nothing here judges.
//!
//! **Threads.** Each host thread of the program is a thread here. What they share is in the world:
//! handles of commands' events and pointers of maps are atomics, stored (release) when the call that
//! gave them returned and loaded (acquire) by the steps that use them; a valid program orders the
//! two. Signals are a flag under a lock with a condition. Stamps come from one counter by
//! sequentially consistent additions, so that a stamp drawn before another, in whatever threads, is
//! smaller. Callbacks find their world through a table by number, so that one that comes late, or
//! twice, finds none instead of freed memory.

#![allow(unsafe_code)]

mod bench;
mod host;
mod patience;
mod play;
mod world;
mod worlds;

pub use bench::{Bench, SOURCE};

use classay_suites::commands::check::Plan;
use classay_suites::commands::trace::Trace;
use std::sync::Arc;

/// A call of the harness's own that failed, outside the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} gives error {code}")]
pub struct SetupError {
    /// The function.
    pub call: &'static str,
    /// The code.
    pub code: i32,
}

/// Gives a code its call.
pub(super) trait Named<T> {
    fn of(self, call: &'static str) -> Result<T, SetupError>;
}

impl<T> Named<T> for Result<T, i32> {
    fn of(self, call: &'static str) -> Result<T, SetupError> {
        self.map_err(|code| SetupError { call, code })
    }
}

/// Runs a program once; `run` numbers the run in its tokens.
pub fn run(bench: &mut Bench, plan: &Arc<Plan>, run: u32) -> Result<Trace, SetupError> {
    let world = world::World::make(bench, plan, run)?;
    play::play(&world);
    world.end()
}
