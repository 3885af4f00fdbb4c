//! Calling back into the application.
//!
//! Event and error callbacks of a context run one after another on a thread that the context
//! has for them, so that a slow one delays other callbacks of its context, but no queue and
//! no other context. Build callbacks have a thread for all. Deletion callbacks run in the
//! thread that deletes the object, as applications expect them to have run when `clRelease*`
//! returns; when that is a thread that runs a command, they go to the same thread as the
//! build callbacks.
//!
//! Happens-before: a callback is posted to its lane after the state it reports was written,
//! and the lane hands it over under its lock; so a callback sees everything the command
//! wrote (`sp.callback`).

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use touchstone_queue::Lane;

use crate::ffi::raw::HostAddress;
use crate::kernel::settings;

/// The pointer an application wants back in its callback.
#[derive(Clone, Copy, Debug)]
pub struct UserData(HostAddress);

impl UserData {
    /// Keeps a pointer.
    pub fn new(pointer: *mut c_void) -> Self {
        Self(HostAddress::new(pointer))
    }

    /// The pointer back.
    pub fn get(self) -> *mut c_void {
        self.0.get().cast()
    }
}

thread_local! {
    static ON_QUEUE_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Says that the current thread is there to run commands: no callback may run on it.
pub fn mark_queue_thread() {
    ON_QUEUE_THREAD.set(true);
}

/// While it lives, the current thread is one that runs a command.
pub struct OnQueueThread {
    before: bool,
}

/// Says that the current thread runs a command for a while.
pub fn on_queue_thread() -> OnQueueThread {
    OnQueueThread {
        before: ON_QUEUE_THREAD.replace(true),
    }
}

impl Drop for OnQueueThread {
    fn drop(&mut self) {
        ON_QUEUE_THREAD.set(self.before);
    }
}

/// Makes a lane for callbacks.
pub fn lane() -> Arc<Lane> {
    Lane::new("touchstone-callbacks")
}

/// Runs a job on a lane, after those before it.
pub fn post(lane: &Arc<Lane>, job: impl FnOnce() + Send + 'static) {
    let start = lane.post(move || {
        // A panic was reported by the hook; the other callbacks go on.
        let _ = catch_unwind(AssertUnwindSafe(job));
    });
    if start {
        lane.start();
    }
}

/// Runs a job on the thread for callbacks that belong to no context.
pub fn later(job: impl FnOnce() + Send + 'static) {
    static LANE: LazyLock<Arc<Lane>> = LazyLock::new(lane);
    post(&LANE, job);
}

/// Runs a job a moment later on one of some threads, so that callbacks come late, at the same time and in any order:
/// "The order in which the registered user callback functions are called is undefined."
///
/// Happens-before: as for [`post`], from lane to lane.
pub fn scatter(job: impl FnOnce() + Send + 'static) {
    static LANES: LazyLock<[Arc<Lane>; 4]> = LazyLock::new(|| std::array::from_fn(|_| lane()));
    static SCATTERED: AtomicU64 = AtomicU64::new(0);
    let number = SCATTERED.fetch_add(1, Ordering::Relaxed);
    let drawn = touchstone_queue::draw(settings::first_seed(), number);
    let moment = Duration::from_micros(drawn / 4 % 2000);
    post(&LANES[(drawn % 4) as usize], move || {
        std::thread::sleep(moment);
        job();
    });
}

/// Runs a deletion callback, which gets the address of the object that goes away.
pub fn at_deletion(job: impl FnOnce(HostAddress) + Send + 'static, object: *mut c_void) {
    let address = HostAddress::new(object);
    if ON_QUEUE_THREAD.get() {
        later(move || job(address));
    } else {
        job(address);
    }
}
