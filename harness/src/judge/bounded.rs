//! Work that may take for ever, given up after a while.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Bytes of stack for the work.
const STACK: usize = 64 << 20;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// It takes too long.
    #[error("that takes more than {0} s")]
    Late(u64),
    /// It panicked, or never began.
    #[error("the oracle broke down, which is a bug in classay")]
    Broken,
}

/// Does `work` on a thread of its own, and waits for it no longer than `limit`. Work that is late
/// goes on unheeded until the program ends: nothing can end a thread. So its memory has to be
/// bounded.
pub fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, NoAnswer> {
    let (send, receive) = sync_channel(1);
    let thread = thread::Builder::new()
        .name("oracle".into())
        .stack_size(STACK)
        .spawn(move || {
            // Nobody listens any more where the work is late.
            let _ = send.send(work());
        });
    if thread.is_err() {
        return Err(NoAnswer::Broken);
    }
    receive.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => NoAnswer::Late(limit.as_secs()),
        RecvTimeoutError::Disconnected => NoAnswer::Broken,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_answers_is_late_or_breaks() {
        assert_eq!(within(Duration::from_secs(60), || 7), Ok(7));
        let late = within(Duration::from_millis(5), || {
            thread::sleep(Duration::from_millis(200));
        });
        assert_eq!(late, Err(NoAnswer::Late(0)));
        let broken = within(Duration::from_secs(60), || {
            std::panic::resume_unwind(Box::new(()));
        });
        assert_eq!(broken, Err(NoAnswer::Broken));
    }
}
