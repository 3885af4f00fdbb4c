//! When the oracle stops.

use super::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the oracle may think. It looks at it at every step of its searches, so it stops within
/// milliseconds; with executions of hundreds of events within tenths of a second.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    /// The moment at which it gives up; never where there is none.
    pub until: Option<Instant>,
    /// Set from elsewhere to make it give up.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Deadline {
    /// A deadline after a while from now.
    pub fn after(time: Duration) -> Deadline {
        Deadline {
            until: Instant::now().checked_add(time),
            stop: None,
        }
    }

    /// Looks whether it is time to give up.
    ///
    /// # Errors
    /// It is.
    pub fn check(&self) -> Result<(), Error> {
        // Relaxed: the flag carries no data, it is only looked at again and again.
        if (self.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::Stopped);
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(Error::Late);
        }
        Ok(())
    }
}
