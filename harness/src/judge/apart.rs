//! The oracle on a thread of its own: with a deep stack, and apart from what asks it.

use std::thread;

/// Bytes of stack for the work.
const STACK: usize = 64 << 20;

/// The work panicked, or never began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the oracle broke down, which is a bug in classay")]
pub struct Broken;

/// Does `work` on a thread of its own and waits for it; it has to end by itself.
///
/// # Errors
///
/// It panicked, or the thread could not be started.
pub fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Broken> {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("oracle".into())
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .map_err(|_| Broken)?;
        thread.join().map_err(|_| Broken)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_answers_or_breaks() {
        assert_eq!(apart(|| 7), Ok(7));
        let broken = apart(|| {
            std::panic::resume_unwind(Box::new(()));
        });
        assert_eq!(broken, Err(Broken));
    }
}
