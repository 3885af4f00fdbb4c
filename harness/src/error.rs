//! What ends an engine early: what happened, where, and what to do.

use crate::worker::session::Stop;
use classay_reports::store::StoreError;
use classay_vocabulary::ExitCode;
use std::path::{Path, PathBuf};

/// Why an engine did not do what was asked. Each prints as one or more sentences.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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

impl Error {
    /// The code that a process exits with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Error::Usage(_) => ExitCode::Usage,
            Error::Bug(_) => ExitCode::Bug,
            Error::NoDevice(_) => ExitCode::NoDevice,
            Error::Nothing(_) => ExitCode::Nothing,
            Error::Interrupted(_) => ExitCode::Interrupted,
            Error::Store { .. } | Error::Output { .. } => ExitCode::Store,
        }
    }

    /// What stopped the work; where it was interrupted, with what came of it so far.
    pub fn stopped(stop: Stop, so_far: impl Into<String>) -> Error {
        match stop {
            Stop::Interrupted => Error::Interrupted(so_far.into()),
            Stop::NoDevice(sentence) => Error::NoDevice(sentence),
            Stop::TimeIsUp => Error::Bug("a case was cut off that nobody limited".into()),
        }
    }

    /// A file that cannot be written, for `map_err`.
    pub fn output<E: ToString>(path: &Path) -> impl FnOnce(E) -> Error {
        let path = path.to_path_buf();
        move |error| Error::Output {
            path,
            reason: error.to_string(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        Error::Store {
            error,
            advice: String::new(),
        }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Error {
        Error::stopped(stop, "")
    }
}
