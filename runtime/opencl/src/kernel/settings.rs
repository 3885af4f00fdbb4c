//! What the environment says about launches. Each variable is read once.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use touchstone_exec::ZeroDivision;

/// `TOUCHSTONE_SEED`: where the seeds of the launches begin. The n-th launch of a built
/// program is interleaved by seed + n, so that launches differ, and a program's launches can be
/// repeated whatever else the process did.
pub fn next_seed(launches: &AtomicU64) -> u64 {
    static FIRST: LazyLock<u64> = LazyLock::new(|| number("TOUCHSTONE_SEED").unwrap_or(0));
    FIRST.wrapping_add(launches.fetch_add(1, Ordering::Relaxed))
}

/// `TOUCHSTONE_ZERO_DIVISION`: with `value`, integer division by zero gives some value, as
/// OpenCL C allows; else it ends the command.
pub fn zero_division() -> ZeroDivision {
    static CHOSEN: LazyLock<ZeroDivision> = LazyLock::new(|| {
        match std::env::var("TOUCHSTONE_ZERO_DIVISION")
            .as_deref()
            .map(str::trim)
        {
            Ok("value") => ZeroDivision::Continue,
            Ok(_) | Err(_) => ZeroDivision::Trap,
        }
    });
    *CHOSEN
}

/// The value of a variable, if it is set and a number.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.trim().parse().ok()
}
