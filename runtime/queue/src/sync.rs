//! What threads meet through.
//!
//! The engine takes every lock, condition, atomic and thread from here, so that its files
//! can be compiled a second time over a controlled scheduler: `tests/model` has a module of
//! this name made of shuttle's primitives.

use std::time::{Duration, Instant};

pub use parking_lot::{Condvar, Mutex};
pub use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// How long a thread looks for news before it sleeps. A wake-up costs some microseconds of
/// both threads; news within that time come cheaper to one that is awake.
pub const SPIN: Duration = Duration::from_micros(50);

/// Looks for news for a while; says whether they came. Where there is one processor, news
/// can only come when this thread gives it up, so it does not wait at all.
pub fn spin(time: Duration, news: impl Fn() -> bool) -> bool {
    if news() {
        return true;
    }
    if !several_processors() {
        return false;
    }
    let start = Instant::now();
    loop {
        for _ in 0..64 {
            std::hint::spin_loop();
            if news() {
                return true;
            }
        }
        if start.elapsed() > time {
            return false;
        }
    }
}

fn several_processors() -> bool {
    static SEVERAL: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
    });
    *SEVERAL
}

/// Waits for so long that others can be seen not to have waited: for faults.
pub fn pause() {
    std::thread::sleep(Duration::from_millis(5));
}

/// Starts a thread; says whether the system had one.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(body)
        .is_ok()
}
