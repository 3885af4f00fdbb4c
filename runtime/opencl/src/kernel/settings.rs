//! What the environment says about launches. Each variable is read once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use touchstone_exec::ZeroDivision;

use crate::environment;

/// `TOUCHSTONE_SEED`: where the seeds of the launches begin. The n-th launch of a built
/// program is interleaved by seed + n, so that launches differ, and a program's launches can be
/// repeated whatever else the process did.
pub fn next_seed(launches: &AtomicU64) -> u64 {
    first_seed().wrapping_add(launches.fetch_add(1, Ordering::Relaxed))
}

/// The number itself, by which latitudes draw, too.
pub fn first_seed() -> u64 {
    static FIRST: LazyLock<u64> =
        LazyLock::new(|| environment::number("TOUCHSTONE_SEED").unwrap_or(0));
    *FIRST
}

/// `TOUCHSTONE_ZERO_DIVISION`: with `error`, integer division by zero ends the command; else it gives some
/// value, as OpenCL C allows.
pub fn zero_division() -> ZeroDivision {
    static CHOSEN: LazyLock<ZeroDivision> =
        LazyLock::new(
            || match environment::word("TOUCHSTONE_ZERO_DIVISION").as_deref() {
                Some("error") => ZeroDivision::Trap,
                Some(_) | None => ZeroDivision::Continue,
            },
        );
    *CHOSEN
}

/// `TOUCHSTONE_READ_ONLY_WRITES`: with `allow`, kernels may write to buffers made with `CL_MEM_READ_ONLY`.
pub fn allows_read_only_writes() -> bool {
    static ALLOWED: LazyLock<bool> = LazyLock::new(|| {
        environment::word("TOUCHSTONE_READ_ONLY_WRITES").as_deref() == Some("allow")
    });
    *ALLOWED
}

/// `TOUCHSTONE_BOUNDS_CHECKS`: with `off`, accesses to memory are not checked.
pub fn checks_bounds() -> bool {
    static CHECKED: LazyLock<bool> =
        LazyLock::new(|| environment::word("TOUCHSTONE_BOUNDS_CHECKS").as_deref() != Some("off"));
    *CHECKED
}

/// The processor time that a work-group may take, and that it may spend waiting for memory which
/// nobody changes.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// In all.
    pub group: Option<Duration>,
    /// Waiting.
    pub wait: Option<Duration>,
}

/// `TOUCHSTONE_TIME_LIMIT`: seconds of processor time for one work-group, 120 if it is not set
/// or no positive number, no limit if it is 0. Waiting is limited to 10 of them.
///
/// Processor time, because it does not go on while the machine does something else or
/// the process is stopped; for one work-group, because a large index space may rightly take
/// hours.
pub fn time_limits() -> TimeLimits {
    static LIMITS: LazyLock<TimeLimits> = LazyLock::new(|| {
        let set = environment::number::<f64>("TOUCHSTONE_TIME_LIMIT");
        let seconds = set.filter(|seconds| *seconds >= 0.0).unwrap_or(120.0);
        let limit = |most: f64| match seconds {
            0.0 => None,
            // A number that no duration can hold is no limit.
            _ => Duration::try_from_secs_f64(seconds.min(most)).ok(),
        };
        TimeLimits {
            group: limit(f64::INFINITY),
            wait: limit(10.0),
        }
    });
    *LIMITS
}
