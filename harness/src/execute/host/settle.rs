//! Waits at the end of a run for what must come by then.
//!
//! Nothing says how soon that is, and on a busy machine a driver may be slow to come to it. So time counts while
//! the driver does nothing: what has not come when no thread of this process has been at work for so long is lost.
//! A driver that never rests is given up after a longer time.

use super::api::room;
use super::run::{Run, Setting};
use crate::activity;
use classay_suites::host::constant::cl;
use classay_suites::host::{Awaited, Function, Slot};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Waits until events are not pending and callbacks were called, each until its deadline.
pub fn settle(run: &Run, events: &[Slot], callbacks: &[Awaited]) {
    let pending = || {
        events
            .iter()
            .map(|slot| run.load(*slot))
            .any(|event| event != 0 && is_pending(run, event))
    };
    let deadlines = &run.setting.deadlines;
    let mut rest = Rest::begin(deadlines.longest());
    let within = deadlines.of_commands(&run.setting.program);
    while pending() && !rest.lasts(within) {
        std::thread::sleep(Duration::from_micros(50));
    }
    if pending() {
        deadlines.missed_commands(&run.setting.program);
        run.left_behind.store(true, Ordering::Release);
    }
    await_callbacks(run, callbacks, &mut rest);
    run.observed().record.finished = Some(run.nanoseconds());
}

/// Whether an event has not come to its end; one that says nothing of itself counts as if it had.
fn is_pending(run: &Run, event: usize) -> bool {
    let mut status = [0_i32];
    let what = cl::CL_EVENT_COMMAND_EXECUTION_STATUS.value() as u64;
    let words = [event as u64, what, 4, room(&mut status), 0];
    // SAFETY: the event is alive, and the answer has four bytes.
    let asked = unsafe { run.setting.api.must(Function::GetEventInfo, &words) };
    asked.is_ok() && status[0] > 0
}

fn await_callbacks(run: &Run, callbacks: &[Awaited], rest: &mut Rest) {
    let Setting {
        deadlines, program, ..
    } = &*run.setting;
    let mut observed = run.observed();
    let missing = loop {
        // Anew each time: a callback may register another.
        let is_missing = |awaited: &&Awaited| {
            let registered = observed.succeeded.get(&awaited.registered);
            let came = observed.record.times(awaited.callback);
            came < registered.map_or(0, |times| *times as usize)
        };
        let missing: Vec<Awaited> = callbacks.iter().filter(is_missing).copied().collect();
        let within = missing.iter().map(|m| deadlines.of_callback(program, *m));
        observed.record.settled = Some(observed.succeeded.keys().copied().collect());
        let Some(within) = within.max() else {
            return;
        };
        if rest.lasts(within) {
            break missing;
        }
        let waited = run.called().wait_timeout(observed, rest.next(within));
        observed = waited.unwrap_or_else(PoisonError::into_inner).0;
    };
    drop(observed);
    for awaited in missing {
        deadlines.missed_callback(program, awaited);
    }
}

/// How often it is looked at whether the driver is at work.
const LOOK: Duration = Duration::from_millis(50);

/// For how long the driver has done nothing.
struct Rest {
    begun: Instant,
    /// Since when, as far as is known.
    since: Instant,
    looked: Instant,
    longest: Duration,
}

impl Rest {
    /// From now on; whatever the driver does, it is waited for no longer than this.
    fn begin(longest: Duration) -> Rest {
        let now = Instant::now();
        Rest {
            begun: now,
            since: now,
            looked: now,
            longest,
        }
    }

    /// Whether it has done nothing for so long, or worked for too long.
    fn lasts(&mut self, within: Duration) -> bool {
        let now = Instant::now();
        // A short rest is looked at before it ends, too.
        if now - self.looked >= LOOK.min(within / 2) {
            self.looked = now;
            if activity::others_are_at_work() {
                self.since = now;
            }
        }
        now - self.since >= within || now - self.begun >= self.longest
    }

    /// How long nothing is decided, if it does nothing.
    fn next(&self, within: Duration) -> Duration {
        let left = within.saturating_sub(self.since.elapsed());
        left.min(LOOK).max(Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    const SHORT: Duration = Duration::from_millis(100);

    #[test]
    fn a_driver_at_work_is_waited_for_as_long_as_that_may_take() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let driver = std::thread::spawn(|| {
            while !STOP.load(Ordering::Relaxed) {
                std::hint::spin_loop()
            }
        });
        let begun = Instant::now();
        let mut rest = Rest::begin(SHORT * 5);
        while begun.elapsed() < SHORT * 4 {
            // This thread may have been away for longer than is allowed.
            assert!(!rest.lasts(SHORT) || begun.elapsed() >= SHORT * 5);
            std::thread::sleep(rest.next(SHORT));
        }
        std::thread::sleep(SHORT);
        assert!(rest.lasts(SHORT), "it works for too long");
        STOP.store(true, Ordering::Relaxed);
        driver.join().expect("an end");
    }

    #[test]
    fn a_driver_that_rests_is_given_up() {
        let begun = Instant::now();
        // Other tests may be at work in this process; a rest that is never seen ends nothing.
        let mut rest = Rest::begin(Duration::MAX);
        while !rest.lasts(SHORT) {
            std::thread::sleep(rest.next(SHORT));
        }
        assert!(begun.elapsed() >= SHORT);
    }
}
