//! What the making of objects does under a fault; nothing of it is used without one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use touchstone_faults::{Fault, any, on};

/// How long a fault waits for another thread to come.
const MOMENT: Duration = Duration::from_millis(2);

/// While it lives, this thread makes an object.
pub struct Creation(());

impl Drop for Creation {
    fn drop(&mut self) {
        MAKING.fetch_sub(1, Ordering::SeqCst);
    }
}

static MAKING: AtomicUsize = AtomicUsize::new(0);

/// Under its fault, ends the process when another thread makes an object, too.
pub fn creation() -> Option<Creation> {
    if !on(Fault::ConcurrentCreationAborts) {
        return None;
    }
    if MAKING.fetch_add(1, Ordering::SeqCst) > 0 {
        std::process::abort();
    }
    thread::sleep(MOMENT);
    Some(Creation(()))
}

/// The locks of buffers and of events, under the fault that takes them in two orders.
pub fn locks(buffers_first: bool) -> Option<(MutexGuard<'static, ()>, MutexGuard<'static, ()>)> {
    static BUFFERS: Mutex<()> = Mutex::new(());
    static EVENTS: Mutex<()> = Mutex::new(());
    if !(any() && on(Fault::LockOrderInverted)) {
        return None;
    }
    let (first, second) = if buffers_first {
        (&BUFFERS, &EVENTS)
    } else {
        (&EVENTS, &BUFFERS)
    };
    let first = first.lock();
    thread::sleep(MOMENT);
    Some((first, second.lock()))
}
