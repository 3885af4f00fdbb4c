//! Things to do when a command has completed.
//!
//! They are done by the first call of the layer that sees it: `clFinish`, `clWaitForEvents` and
//! `clGetEventInfo` look before they return, and so do callbacks of events, so a program that
//! synchronizes with the command finds them done.

use crate::library::driver::{self, Event};
use crate::shared::lock;
use opencl_sys::CL_COMPLETE;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is to be done, and the event that the layer holds until then.
struct Pending {
    event: Event,
    action: Box<dyn FnOnce() + Send>,
}

static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());
/// How many there are, so that other calls pay one load.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Does this when the event is complete; never, if it fails.
pub(super) fn when_complete(event: Event, action: impl FnOnce() + Send + 'static) {
    let mut pending = lock(&PENDING);
    pending.push(Pending {
        event,
        action: Box::new(action),
    });
    COUNT.store(pending.len(), Ordering::Release);
}

/// Whether anything waits.
pub(super) fn waits() -> bool {
    COUNT.load(Ordering::Acquire) != 0
}

/// Does what is due. The actions are done under the lock, so that whoever comes second finds them
/// done and not only taken.
pub(super) fn settle() {
    if !waits() {
        return;
    }
    let mut pending = lock(&PENDING);
    for index in (0..pending.len()).rev() {
        let status = pending
            .get(index)
            .and_then(|one| driver::status_of(one.event.raw()));
        if status.is_some_and(|status| status > CL_COMPLETE) {
            continue;
        }
        let one = pending.remove(index);
        if status == Some(CL_COMPLETE) {
            (one.action)();
        }
    }
    COUNT.store(pending.len(), Ordering::Release);
}
