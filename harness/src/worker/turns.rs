//! Turns on the machine: how many cases compute at once.
//!
//! A case takes a turn before it runs and gives it back when it ends. One whose worker only waits (for a
//! callback, for a hang to be one) lends its turn meanwhile, so that another may run, and takes it again when
//! it computes: for a moment more cases compute then than there are turns, and the next one waits longer.

use crate::threads::lock;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The turns that there are.
pub struct Turns {
    /// Turns that nobody has; below 0 where lent ones were taken again.
    free: Mutex<i64>,
    freed: Condvar,
}

/// How often somebody who waits for a turn looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(50);

impl Turns {
    /// So many.
    pub fn new(turns: usize) -> Arc<Turns> {
        Arc::new(Turns {
            free: Mutex::new(i64::try_from(turns.max(1)).unwrap_or(i64::MAX)),
            freed: Condvar::new(),
        })
    }

    /// Waits for a turn; none where it is not wanted any more.
    pub fn take(self: &Arc<Turns>, wanted: &dyn Fn() -> bool) -> Option<Turn> {
        let mut free = lock(&self.free);
        while *free <= 0 {
            if !wanted() {
                return None;
            }
            free = match self.freed.wait_timeout(free, LOOK) {
                Ok((free, _)) => free,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        *free -= 1;
        Some(Turn {
            of: Arc::clone(self),
            lent: Mutex::new(false),
        })
    }

    fn add(&self, turns: i64) {
        *lock(&self.free) += turns;
        self.freed.notify_one();
    }
}

/// One of them; dropping it gives it back.
pub struct Turn {
    of: Arc<Turns>,
    lent: Mutex<bool>,
}

impl Turn {
    /// Somebody else may compute.
    pub fn lend(&self) {
        if !std::mem::replace(&mut *lock(&self.lent), true) {
            self.of.add(1);
        }
    }

    /// It computes again.
    pub fn resume(&self) {
        if std::mem::replace(&mut *lock(&self.lent), false) {
            self.of.add(-1);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !*lock(&self.lent) {
            self.of.add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lent_turn_is_anothers_until_it_is_taken_again() {
        let turns = Turns::new(1);
        let never = || false;
        let first = turns.take(&never).expect("the only one");
        assert!(turns.take(&never).is_none());
        first.lend();
        first.lend();
        let second = turns.take(&never).expect("the lent one");
        assert!(turns.take(&never).is_none());
        first.resume();
        drop(second);
        assert!(turns.take(&never).is_none(), "the first computes again");
        first.lend();
        drop(first);
        assert!(
            turns.take(&never).is_some(),
            "a lent turn is not given back twice"
        );
        assert_eq!(*lock(&turns.free), 1);
    }
}
