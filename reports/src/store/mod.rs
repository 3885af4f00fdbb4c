//! The results store: one SQLite file that holds runs, and in which a case is whole or absent.
//!
//! A run is described before it starts ([`Store::begin_run`] writes its plan and every planned
//! case) and each case that ends is written in one transaction ([`Store::commit_case`]), so a
//! process killed at any moment leaves whole cases and the list of those still to do
//! ([`Store::pending_cases`]).
//!
//! What survives what:
//! - *The process is killed*: every case whose commit returned, and possibly the one being
//!   committed; never a part of one. The next open rolls an unfinished transaction back.
//! - *Power loss*: the same. SQLite's rollback journal with `synchronous = EXTRA` syncs the file
//!   and its directory before a commit returns, which costs milliseconds once a case. The disk
//!   must keep what it says it has written.
//! - *Disk full*: the case being committed is rolled back, which needs no space.
//!
//! The rollback journal, not the write-ahead log: between commits the store is a single file that
//! can be copied, and it also works on network file systems, where the log's shared memory does
//! not. Several processes may use one store at a time; each waits for [`BUSY_TIMEOUT`].
//!
//! - [`schema`]: the tables and their version;
//! - [`error`]: everything that can go wrong, as sentences;
//! - `write` and `read`: what the two halves of the interface do;
//! - `old`: results of earlier versions, which are texts.

pub mod error;
mod old;
mod read;
pub mod schema;
mod write;

pub use error::StoreError;

use crate::record::{CaseId, DeviceRecord, Moment, Reach};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use time::OffsetDateTime;

/// How long a process waits for another one's transaction.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// The number of a run in its store, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId(i64);

impl RunId {
    /// The run with this number, as a user gave it. Whether it exists, the store says.
    pub fn new(number: u32) -> RunId {
        RunId(i64::from(number))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A short name for a plan: equal plans have equal hashes, in every version of this program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanHash(String);

impl PlanHash {
    /// The hash of a plan's text: FNV-1a with 128 bits, in hexadecimal (G. Fowler, L. C. Noll,
    /// K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm").
    pub fn of(plan: &str) -> PlanHash {
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        for byte in plan.bytes() {
            hash ^= u128::from(byte);
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        PlanHash(format!("{hash:032x}"))
    }

    /// The hash as 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

classay_vocabulary::words! {
    /// Where a run stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RunStatus {
        /// It goes on, or its process was killed.
        Running = "running",
        /// Every planned case has a result.
        Done = "done",
        /// It was stopped and can be resumed.
        Interrupted = "interrupted",
    }
}

/// What is known of a run before it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// When it was planned.
    pub created: OffsetDateTime,
    /// The version of classay.
    pub version: String,
    /// The master seed.
    pub seed: u64,
    /// The plan, as text that the harness can read back; the store does not look into it.
    pub plan: String,
}

/// A case that a run plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedCase {
    /// The case.
    pub case: CaseId,
    /// How to run it, as text that the harness can read back; the store does not look into it.
    pub spec: String,
}

/// A run as the store holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// What was known before it started. Its time is in UTC, to the microsecond.
    pub record: RunRecord,
    /// The plan's hash.
    pub plan_hash: PlanHash,
    /// The device; `None` if the run ended before it was opened.
    pub device: Option<DeviceRecord>,
    /// Where it stands.
    pub status: RunStatus,
    /// When it ended, where it did.
    pub finished: Option<OffsetDateTime>,
    /// How many cases it plans.
    pub planned: u64,
    /// How many of them have a result.
    pub committed: u64,
    /// How the machine was now and then, in time; empty in a store of schema version 1.
    pub moments: Vec<Moment>,
    /// How far it came, where somebody worked it out who knows what cases are about; a store does not.
    pub reach: Option<Reach>,
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    db: Connection,
}

impl Store {
    /// Opens the store at `path` for reading and writing; creates it if there is no such file (or
    /// an empty one), but never its directory.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or written, is no store, or is one of a later version.
    pub fn open(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut store = Store::connect(path.as_ref(), flags)?;
        store.prepare()?;
        Ok(store)
    }

    /// Opens an existing store for reading only.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no store, or is one of a later version.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Store, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let store = Store::connect(path.as_ref(), flags)?;
        match store.identity()? {
            Identity::Store(version) => {
                steps_done(path.as_ref(), version)?;
            }
            Identity::Empty | Identity::Foreign => return Err(store.not_a_store()),
        }
        Ok(store)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        let error = |e| StoreError::from_sqlite(path, e);
        let db = Connection::open_with_flags(path, flags).map_err(error)?;
        db.busy_timeout(BUSY_TIMEOUT).map_err(error)?;
        // Sorting in memory, so that a full /tmp is no concern of a store elsewhere.
        db.execute_batch(
            "PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
             PRAGMA trusted_schema = OFF;",
        )
        .map_err(error)?;
        Ok(Store {
            path: path.to_path_buf(),
            db,
        })
    }

    /// Creates the tables in a new file, and refuses files that are something else.
    fn prepare(&mut self) -> Result<(), StoreError> {
        // Most opens find a store of this version; only another file needs the write lock.
        if let Identity::Store(schema::VERSION) = self.identity()? {
            // A file that can only be read opens without complaint, and fails at the first commit.
            return match self.db.is_readonly("main").map_err(|e| self.error(e))? {
                true => Err(StoreError::ReadOnly(self.path.clone())),
                false => Ok(()),
            };
        }
        let path = self.path.clone();
        let error = |e| StoreError::from_sqlite(&path, e);
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(error)?;
        // Another process may have created it meanwhile: look again under the lock.
        let done = match identity(&transaction).map_err(error)? {
            Identity::Empty => 0,
            Identity::Store(version) => match steps_done(&path, version) {
                Ok(done) => done,
                Err(odd) => {
                    drop(transaction);
                    return Err(odd);
                }
            },
            Identity::Foreign => {
                drop(transaction);
                return Err(self.not_a_store());
            }
        };
        for step in &schema::STEPS[done..] {
            transaction.execute_batch(step).map_err(error)?;
        }
        transaction
            .pragma_update(None, "application_id", schema::APPLICATION_ID)
            .map_err(error)?;
        transaction
            .pragma_update(None, "user_version", schema::VERSION)
            .map_err(error)?;
        transaction.commit().map_err(error)
    }

    fn identity(&self) -> Result<Identity, StoreError> {
        identity(&self.db).map_err(|e| self.error(e))
    }

    fn not_a_store(&self) -> StoreError {
        StoreError::NotAStore(self.path.clone())
    }

    fn error(&self, source: rusqlite::Error) -> StoreError {
        StoreError::from_sqlite(&self.path, source)
    }
}

/// How many of the schema's steps a store of this version has behind it.
fn steps_done(path: &Path, found: i64) -> Result<usize, StoreError> {
    match usize::try_from(found) {
        Ok(done @ 1..) if done <= schema::STEPS.len() => Ok(done),
        Ok(1..) => Err(StoreError::NewerSchema {
            path: path.to_path_buf(),
            found,
            known: schema::VERSION,
        }),
        Ok(_) | Err(_) => Err(StoreError::Damaged {
            path: path.to_path_buf(),
            reason: format!("its schema version is {found}, which no classay wrote"),
        }),
    }
}

/// What a database file is.
enum Identity {
    /// Nothing is in it.
    Empty,
    /// A store, with its schema version.
    Store(i64),
    /// Another program's.
    Foreign,
}

fn identity(db: &Connection) -> rusqlite::Result<Identity> {
    let application: i64 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, version, tables) {
        (schema::APPLICATION_ID, version, _) => Identity::Store(version),
        (0, 0, 0) => Identity::Empty,
        (_, _, _) => Identity::Foreign,
    })
}

#[cfg(test)]
mod tests;
