//! Ctrl-C and SIGTERM: noted once, looked at where something can be stopped.

use classay_vocabulary::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user asked to stop. Clones look at the same thing.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to SIGINT, SIGTERM and SIGHUP from here on. A second one ends the process at once.
    ///
    /// # Errors
    ///
    /// The system takes no handler of signals.
    pub fn listen() -> Result<Interrupt, String> {
        let interrupt = Interrupt::default();
        let noted = interrupt.clone();
        ctrlc::set_handler(move || {
            if noted.0.swap(true, Ordering::Relaxed) {
                crate::sys::exit_now(ExitCode::Interrupted.code().into());
            }
        })
        .map_err(|e| format!("Ctrl-C cannot be listened to: {e}"))?;
        Ok(interrupt)
    }

    /// What is set when it comes.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Notes that it came; what a signal does.
    #[cfg(test)]
    pub fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
