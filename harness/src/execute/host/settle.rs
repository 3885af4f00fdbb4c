//! Waits at the end of a run for what must come by then.

use super::play::status;
use super::run::Run;
use classay_suites::host::{Awaited, Slot};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Waits until events are not pending and callbacks were called, each until its deadline.
pub fn settle(run: &Run, events: &[Slot], callbacks: &[Awaited]) {
    let pending = || {
        events
            .iter()
            .map(|slot| run.load(*slot))
            .any(|event| event != 0 && status(run, event).is_ok_and(|status| status > 0))
    };
    let begun = Instant::now();
    let deadline = begun + run.deadlines.of_commands(&run.program);
    while pending() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(50));
    }
    if pending() {
        run.deadlines.missed_commands(&run.program);
        run.left_behind.store(true, Ordering::Release);
    }
    await_callbacks(run, callbacks, begun);
    run.observed().record.finished = Some(run.nanoseconds());
}

fn await_callbacks(run: &Run, callbacks: &[Awaited], begun: Instant) {
    let mut observed = run.observed();
    let missing = loop {
        // Anew each time: a callback may register another.
        let missing: Vec<(Awaited, Instant)> = callbacks
            .iter()
            .filter(|awaited| {
                let registered = observed.succeeded.get(&awaited.registered);
                let came = observed.record.times(awaited.callback);
                came < registered.map_or(0, |times| *times as usize)
            })
            .map(|awaited| {
                let within = run.deadlines.of_callback(&run.program, *awaited);
                (*awaited, begun + within)
            })
            .collect();
        let now = Instant::now();
        let Some(last) = missing.iter().map(|(_, deadline)| *deadline).max() else {
            return;
        };
        if now >= last {
            break missing;
        }
        let waited = run.called().wait_timeout(observed, last - now);
        observed = waited.unwrap_or_else(PoisonError::into_inner).0;
    };
    drop(observed);
    for (awaited, _) in missing {
        run.deadlines.missed_callback(&run.program, awaited);
    }
}
