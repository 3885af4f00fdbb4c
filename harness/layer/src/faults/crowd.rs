//! What goes wrong where threads call in the same instant.

use super::call::Call;
use classay_faults::ApiViolation;
use opencl_sys::cl_int;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::time::Duration;

/// How long a call waits for others: threads that are let go together come within less.
const INSTANT: Duration = Duration::from_micros(100);

/// A place where threads may be together.
pub(super) struct Crowd(AtomicUsize);

impl Crowd {
    /// One where nobody is.
    pub(super) const fn new() -> Crowd {
        Crowd(AtomicUsize::new(0))
    }

    /// Whether another thread is there in the same instant, who came before.
    pub(super) fn has_others(&self) -> bool {
        let others = self.0.fetch_add(1, Ordering::SeqCst) > 0;
        std::thread::sleep(INSTANT);
        self.0.fetch_sub(1, Ordering::SeqCst);
        others
    }
}

/// The status that a user event gets in the place of one; none where the call is lost.
pub(super) fn status(call: &Call, status: cl_int) -> Option<cl_int> {
    static SETTERS: Crowd = Crowd::new();
    static LAST: AtomicI32 = AtomicI32::new(0);
    if call.has(ApiViolation::SetAtOnceLost) && SETTERS.has_others() {
        call.does(ApiViolation::SetAtOnceLost);
        return None;
    }
    if call.has(ApiViolation::StatusShared) {
        LAST.store(status, Ordering::SeqCst);
        SETTERS.has_others();
        let last = LAST.load(Ordering::SeqCst);
        if last != status {
            call.does(ApiViolation::StatusShared);
        }
        return Some(last);
    }
    Some(status)
}

/// Whether a wait list is lost because another thread gives one in the same instant.
pub(super) fn loses_list(call: &Call) -> bool {
    static ENQUEUERS: Crowd = Crowd::new();
    call.has(ApiViolation::WaitsLostAtOnce)
        && ENQUEUERS.has_others()
        && call.does(ApiViolation::WaitsLostAtOnce)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn the_second_of_two_at_once_meets_the_first() {
        let (crowd, both) = (Crowd::new(), Barrier::new(2));
        assert!(!crowd.has_others());
        let meets = || {
            both.wait();
            (0..200).filter(|_| crowd.has_others()).count()
        };
        let (one, two) = std::thread::scope(|scope| {
            let other = scope.spawn(meets);
            (meets(), other.join().expect("a thread"))
        });
        assert!(one + two > 0);
    }

    #[test]
    fn a_thread_by_itself_has_its_own_status() {
        for violation in [ApiViolation::StatusShared, ApiViolation::SetAtOnceLost] {
            assert_eq!(status(&Call::broken(violation), -5), Some(-5));
        }
        assert_eq!(status(&Call::default(), 0), Some(0));
    }
}
