//! What ends a command early, for the user: what happened, where, and what to do.

use super::exit;
use crate::worker::session::Stop;
use classay_reports::store::StoreError;
use std::path::PathBuf;

/// Why a command did not do what was asked. Each prints as one or more sentences.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A mistake in what the user gave.
    #[error("{0}")]
    Usage(String),
    /// The device does not open, or no longer.
    #[error("{0}")]
    NoDevice(String),
    /// Nothing to run, or nothing ran.
    #[error("{0}")]
    Nothing(String),
    /// The user stopped it.
    #[error("interrupted{0}")]
    Interrupted(String),
    /// The store.
    #[error("{error}{advice}")]
    Store {
        /// What the store says.
        error: StoreError,
        /// What to do, where there is something; begins with a separator.
        advice: String,
    },
    /// Another file that was to be written.
    #[error("cannot write {}: {reason}", path.display())]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// This program is wrong.
    #[error("{0}\nThis is a bug in classay; please report it.")]
    Bug(String),
}

impl Failure {
    /// The code that the process exits with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => exit::USAGE,
            Failure::Bug(_) => exit::BUG,
            Failure::NoDevice(_) => exit::NO_DEVICE,
            Failure::Nothing(_) => exit::NOTHING,
            Failure::Interrupted(_) => exit::INTERRUPTED,
            Failure::Store { .. } | Failure::Output { .. } => exit::STORE,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store {
            error,
            advice: String::new(),
        }
    }
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        match stop {
            Stop::Interrupted => Failure::Interrupted(String::new()),
            Stop::NoDevice(sentence) => Failure::NoDevice(sentence),
        }
    }
}
