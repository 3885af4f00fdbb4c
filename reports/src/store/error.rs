//! What can go wrong with a store, each as a sentence that says what, where and what to do.

use super::RunId;
use crate::record::CaseId;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why the store could not do what was asked. Whatever the error, everything committed before it
/// is kept, and nothing of what failed is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file can be neither opened nor created.
    #[error("cannot open the results store {path}: {reason}; choose another file with --store")]
    CannotOpen {
        /// The store.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The file, or the directory it lies in, cannot be written.
    #[error(
        "cannot write to the results store {0}: it or its directory is read-only; change its \
         permissions or choose another file with --store"
    )]
    ReadOnly(PathBuf),
    /// The file is no SQLite database.
    #[error(
        "{0} is not a results store: it is not an SQLite database; choose another file with \
         --store, it has been left as it is"
    )]
    NotADatabase(PathBuf),
    /// A database, but of another program.
    #[error(
        "{0} is not a results store: it is an SQLite database of another program; choose another \
         file with --store, it has been left as it is"
    )]
    NotAStore(PathBuf),
    /// Written by a later classay.
    #[error(
        "the results store {path} has schema version {found}, and this classay knows versions up to \
         {known}; use a newer classay, or another file with --store"
    )]
    NewerSchema {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The database is damaged, or its rows are not what this program writes.
    #[error(
        "the results store {path} is damaged: {reason}; keep a copy, and choose another file with \
         --store"
    )]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// No room left.
    #[error(
        "no space left for the results store {0}: the disk or its quota is full; results committed \
         before are kept: free some space and resume"
    )]
    DiskFull(PathBuf),
    /// Another process holds the file for longer than [`super::BUSY_TIMEOUT`].
    #[error(
        "the results store {} is locked by another process for more than {} s; wait for it to \
         end, or choose another file with --store",
        .0.display(),
        super::BUSY_TIMEOUT.as_secs()
    )]
    Locked(PathBuf),
    /// Reading or writing failed.
    #[error(
        "reading or writing the results store {path} failed: {reason}; results committed before are \
         kept: check the disk and resume"
    )]
    Io {
        /// The store.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// There is no run with this id.
    #[error("the results store {path} has no run {run}")]
    NoSuchRun {
        /// The store.
        path: PathBuf,
        /// The run.
        run: RunId,
    },
    /// A case was committed that the run did not plan.
    #[error("run {run} does not plan the case {case}")]
    NotPlanned {
        /// The run.
        run: RunId,
        /// The case.
        case: CaseId,
    },
    /// A plan names a case twice.
    #[error("the plan names the case {0} twice")]
    PlannedTwice(CaseId),
    /// The case has a result already, which is kept: perhaps another process resumed the same run.
    #[error("the case {case} of run {run} has a result already, which is kept")]
    AlreadyCommitted {
        /// The run.
        run: RunId,
        /// The case.
        case: CaseId,
    },
    /// A value that a store cannot hold.
    #[error("the result of {case} cannot be stored: {reason}")]
    Unstorable {
        /// The case.
        case: CaseId,
        /// What is wrong with it.
        reason: String,
    },
    /// Anything else that SQLite reports: a mistake in this program.
    #[error("internal error with the results store {path}: {source}; this is a bug")]
    Internal {
        /// The store.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// What an error of SQLite means for a user of the store at `path`.
    pub(super) fn from_sqlite(path: &Path, source: rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let damaged = |path, e: &dyn std::fmt::Display| StoreError::Damaged {
            path,
            reason: e.to_string(),
        };
        match &source {
            rusqlite::Error::SqliteFailure(e, _) => match e.code {
                ErrorCode::DiskFull => StoreError::DiskFull(path),
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly(path),
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked(path),
                ErrorCode::NotADatabase => StoreError::NotADatabase(path),
                ErrorCode::DatabaseCorrupt => damaged(path, &source),
                ErrorCode::CannotOpen => {
                    let reason = why_not_open(&path).unwrap_or_else(|| source.to_string());
                    StoreError::CannotOpen { path, reason }
                }
                ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed => {
                    StoreError::Io {
                        path,
                        reason: source.to_string(),
                    }
                }
                // The remaining codes, and any that SQLite may add, say that a statement is wrong.
                _ => StoreError::Internal { path, source },
            },
            // A row does not have the type that the schema promises.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::InvalidColumnType(..) => damaged(path, &source),
            // `rusqlite::Error` is open-ended; the rest are misuses of its interface.
            _ => StoreError::Internal { path, source },
        }
    }
}

/// The system's reason why a database could not be opened, which SQLite does not tell.
fn why_not_open(path: &Path) -> Option<String> {
    if path.is_dir() {
        return Some("it is a directory".into());
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    match std::fs::metadata(directory) {
        Err(e) => return Some(format!("its directory {}: {e}", directory.display())),
        Ok(meta) if !meta.is_dir() => {
            return Some(format!("{} is not a directory", directory.display()));
        }
        Ok(_) => {}
    }
    // Opening for writing without creating or truncating changes nothing.
    match std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
    {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Some(format!("no file can be created in {}", directory.display()))
        }
        Err(e) => Some(e.to_string()),
        Ok(_) => Some(format!(
            "no journal can be created in {}",
            directory.display()
        )),
    }
}
