//! How long a program is in the implementation.
//!
//! `CLASSAY_LAYER_TIMES=FILE` counts the calls that the program's main thread makes, and the
//! nanoseconds that they take, in the first two 64-bit words of the file, which are shared memory:
//! who reads the file knows them at any time. The layer's own part of a call, some tens of
//! nanoseconds and two readings of the clock, is counted with it. A call inside a call, as of a
//! callback, belongs to the outer one.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Names the file.
pub const VARIABLE: &str = "CLASSAY_LAYER_TIMES";

/// The two words. Only the main thread writes them; relaxed, for nothing else is ordered by them.
struct Counters {
    calls: AtomicU64,
    nanoseconds: AtomicU64,
}

fn counters() -> Option<&'static Counters> {
    static COUNTERS: OnceLock<Option<&'static Counters>> = OnceLock::new();
    *COUNTERS.get_or_init(|| {
        let memory = crate::shared::named_by(VARIABLE, size_of::<Counters>())?;
        // SAFETY: the mapping is page-aligned, as long as this, and never given up; its words are
        // used as atomics only.
        Some(unsafe { memory.cast::<Counters>().as_ref() })
    })
}

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Unknown,
    /// It is not the main thread.
    Beside,
    Outside,
    Inside,
}

thread_local! {
    static WHERE: Cell<Where> = const { Cell::new(Where::Unknown) };
}

/// A call that is measured.
pub(crate) struct Timer {
    counters: &'static Counters,
    begun: Instant,
}

/// The beginning of a call; none where it is not measured.
pub(crate) fn begin() -> Option<Timer> {
    let counters = counters()?;
    WHERE.with(|here| {
        if here.get() == Where::Unknown {
            // SAFETY: both only ask.
            let main = unsafe { libc::gettid() == libc::getpid() };
            here.set(if main { Where::Outside } else { Where::Beside });
        }
        (here.get() == Where::Outside).then(|| {
            here.set(Where::Inside);
            Timer {
                counters,
                begun: Instant::now(),
            }
        })
    })
}

impl Drop for Timer {
    fn drop(&mut self) {
        let taken = self.begun.elapsed().as_nanos() as u64;
        let Counters { calls, nanoseconds } = self.counters;
        calls.fetch_add(1, Ordering::Relaxed);
        nanoseconds.fetch_add(taken, Ordering::Relaxed);
        WHERE.with(|here| here.set(Where::Outside));
    }
}
