//! How long the end of a run waits for what should have happened by then, while the driver does nothing.
//!
//! Nothing says how soon a callback is called or a released queue is done, so what does not come is waited
//! for until nobody would wait longer. That is a long time for each of many runs. Once something was
//! missed in that way, so that its program has failed whatever the other runs show, its further runs wait
//! for the same thing only [`AGAIN`]; callbacks of the same sort in other programs are waited for
//! [`LIKEWISE`], which is still far above what a busy machine takes to call one.

use crate::threads::lock;
use classay_suites::host::{Awaited, CallbackId, HostProgram};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// For what an earlier run of the same program missed.
const AGAIN: Duration = Duration::from_millis(300);

/// For callbacks like one that another program missed.
const LIKEWISE: Duration = Duration::from_millis(2500);

/// Until someone says otherwise.
const FULL: Duration = Duration::from_secs(10);

/// So many times as long a driver may work on it, until someone says otherwise.
const AT_WORK: u32 = 4;

/// What was missed on a device.
#[derive(Default)]
struct Missed {
    full: Option<Duration>,
    longest: Option<Duration>,
    /// The program that ran last, and what of it was missed.
    program: Option<Arc<HostProgram>>,
    callbacks: BTreeSet<CallbackId>,
    commands: bool,
    sorts: BTreeSet<u8>,
}

impl Missed {
    fn full(&self) -> Duration {
        self.full.unwrap_or(FULL)
    }
}

/// The deadlines on a device.
#[derive(Default)]
pub struct Deadlines(Mutex<Missed>);

impl Deadlines {
    /// What is known of a program begins with its first run.
    fn of(&self, program: &Arc<HostProgram>) -> MutexGuard<'_, Missed> {
        let mut missed = lock(&self.0);
        let last = missed.program.as_ref();
        if !last.is_some_and(|last| Arc::ptr_eq(last, program)) {
            missed.program = Some(program.clone());
            missed.callbacks.clear();
            missed.commands = false;
        }
        missed
    }

    /// How long something is waited for that was never missed, and how long anything while the driver works.
    pub fn set(&self, full: Duration, longest: Duration) {
        let mut missed = lock(&self.0);
        (missed.full, missed.longest) = (Some(full), Some(longest));
    }

    /// How long a driver may be at work on what is waited for.
    pub fn longest(&self) -> Duration {
        let missed = lock(&self.0);
        missed.longest.unwrap_or_else(|| missed.full() * AT_WORK)
    }

    /// For commands that should be done.
    pub fn of_commands(&self, program: &Arc<HostProgram>) -> Duration {
        let missed = self.of(program);
        match missed.commands {
            true => AGAIN.min(missed.full()),
            false => missed.full(),
        }
    }

    /// For a callback.
    pub fn of_callback(&self, program: &Arc<HostProgram>, awaited: Awaited) -> Duration {
        let missed = self.of(program);
        let full = missed.full();
        if missed.callbacks.contains(&awaited.callback) {
            AGAIN.min(full)
        } else if missed.sorts.contains(&awaited.sort) {
            LIKEWISE.min(full)
        } else {
            full
        }
    }

    /// Commands were waited for in vain.
    pub fn missed_commands(&self, program: &Arc<HostProgram>) {
        self.of(program).commands = true;
    }

    /// A callback was waited for in vain.
    pub fn missed_callback(&self, program: &Arc<HostProgram>, awaited: Awaited) {
        let mut missed = self.of(program);
        missed.callbacks.insert(awaited.callback);
        missed.sorts.insert(awaited.sort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_suites::host::Mark;

    fn awaited(callback: u16, sort: u8) -> Awaited {
        Awaited {
            callback: CallbackId(callback),
            registered: Mark(0),
            sort,
        }
    }

    #[test]
    fn what_was_missed_is_waited_for_less_and_only_that() {
        let deadlines = Deadlines::default();
        let [one, other] = [(); 2].map(|()| Arc::new(HostProgram::default()));
        assert_eq!(deadlines.of_callback(&one, awaited(0, 1)), FULL);
        deadlines.missed_callback(&one, awaited(0, 1));
        assert_eq!(deadlines.of_callback(&one, awaited(0, 1)), AGAIN);
        assert_eq!(deadlines.of_commands(&one), FULL);
        assert_eq!(deadlines.of_callback(&other, awaited(0, 1)), LIKEWISE);
        assert_eq!(deadlines.of_callback(&other, awaited(0, 2)), FULL);
        // What a program missed is its own.
        deadlines.missed_commands(&other);
        assert_eq!(deadlines.of_commands(&other), AGAIN);
        assert_eq!(deadlines.of_commands(&one), FULL);
    }

    #[test]
    fn no_deadline_is_later_than_the_whole() {
        let deadlines = Deadlines::default();
        let program = Arc::new(HostProgram::default());
        let short = Duration::from_millis(100);
        deadlines.set(short, short * 2);
        deadlines.missed_callback(&program, awaited(0, 1));
        assert_eq!(deadlines.of_callback(&program, awaited(0, 1)), short);
        assert_eq!(deadlines.of_callback(&program, awaited(1, 1)), short);
    }
}
