//! Waits at the end of a run for what must come by then.

use super::api::room;
use super::run::Run;
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
    let begun = Instant::now();
    let deadline = begun + run.setting.deadlines.of_commands(&run.setting.program);
    while pending() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_micros(50));
    }
    if pending() {
        run.setting.deadlines.missed_commands(&run.setting.program);
        run.left_behind.store(true, Ordering::Release);
    }
    await_callbacks(run, callbacks, begun);
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
                let within = run
                    .setting
                    .deadlines
                    .of_callback(&run.setting.program, *awaited);
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
        run.setting
            .deadlines
            .missed_callback(&run.setting.program, awaited);
    }
}
