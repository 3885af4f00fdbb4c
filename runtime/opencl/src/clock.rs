//! The one clock: host timer, device timer and profiling times are the same.

use touchstone_faults::{Latitude, takes};

/// Nanoseconds between two readings of the device's timer that differ, at least.
pub fn resolution() -> usize {
    if takes(Latitude::CoarseTimes) {
        1_000_000
    } else {
        1
    }
}

/// Nanoseconds since some fixed moment, by the device's timer. Never goes back, on any thread.
pub fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a local variable of the right type. The call cannot fail
    // for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let now = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
    if takes(Latitude::CoarseTimes) {
        now - now % resolution() as u64
    } else {
        now
    }
}
