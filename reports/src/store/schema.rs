//! The tables, and how a file says which version of them it holds.
//!
//! `PRAGMA application_id` marks the file as a store of classay, `PRAGMA user_version` is the
//! version of the schema. A change of the tables raises [`VERSION`] and adds a step that upgrades
//! from the one before.

/// Version of the schema that this program writes.
pub const VERSION: i64 = 3;

/// `clsy` in ASCII.
pub const APPLICATION_ID: i64 = 0x636c_7379;

/// The tables of version 1. Every table hangs on a run, and the rows of a case's result on its
/// row in `cases`.
const FIRST: &str = "
CREATE TABLE runs (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    created   TEXT NOT NULL,                -- RFC 3339, UTC
    finished  TEXT,                         -- RFC 3339, UTC; NULL while the run is unfinished
    version   TEXT NOT NULL,                -- of classay
    seed      TEXT NOT NULL,                -- decimal, 64 bits unsigned
    plan      TEXT NOT NULL,                -- JSON, the harness's own
    plan_hash TEXT NOT NULL,                -- FNV-1a, 128 bits, of plan
    device    TEXT,                         -- JSON; NULL until the device was opened
    status    TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted'))
) STRICT;
CREATE INDEX runs_by_plan ON runs (plan_hash);

CREATE TABLE cases (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in the plan, from 0
    name     TEXT NOT NULL,                 -- family/kind/name
    spec     TEXT NOT NULL,                 -- JSON, the harness's own
    UNIQUE (run, position),
    UNIQUE (run, name)
) STRICT;

CREATE TABLE results (
    case_row        INTEGER PRIMARY KEY REFERENCES cases (id),
    committed       TEXT NOT NULL,          -- RFC 3339, UTC
    test            TEXT NOT NULL,
    file            TEXT NOT NULL,
    verdict         TEXT NOT NULL
        CHECK (verdict IN ('pass', 'fail', 'skip', 'crash', 'timeout', 'inconclusive')),
    reason          TEXT NOT NULL,
    instances       INTEGER NOT NULL CHECK (instances >= 0),
    seconds         REAL NOT NULL,
    build_seconds   REAL NOT NULL,
    device_seconds  REAL NOT NULL,
    attempts        INTEGER NOT NULL,
    failed_attempts INTEGER NOT NULL
) STRICT;

-- The outcomes of a case, once each, in order of first occurrence.
CREATE TABLE outcomes (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    number   INTEGER NOT NULL,
    outcome  TEXT NOT NULL,
    asked    INTEGER NOT NULL CHECK (asked IN (0, 1)),
    PRIMARY KEY (case_row, number),
    UNIQUE (case_row, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE launches (
    case_row  INTEGER NOT NULL REFERENCES results (case_row),
    position  INTEGER NOT NULL,             -- among the case's launches, from 0
    number    INTEGER NOT NULL,             -- as the worker numbered it
    instances INTEGER NOT NULL CHECK (instances >= 0),
    seconds   REAL NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;

-- How often an outcome occurred in a launch.
CREATE TABLE counts (
    case_row INTEGER NOT NULL,
    launch   INTEGER NOT NULL,              -- launches.position
    position INTEGER NOT NULL,              -- among the launch's outcomes, from 0
    outcome  INTEGER NOT NULL,              -- outcomes.number
    count    INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (case_row, launch, position),
    UNIQUE (case_row, launch, outcome),
    FOREIGN KEY (case_row, launch) REFERENCES launches (case_row, position),
    FOREIGN KEY (case_row, outcome) REFERENCES outcomes (case_row, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
";

/// What version 2 adds: how the machine was at moments of a run.
const MOMENTS: &str = "
CREATE TABLE moments (
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in time, from 0
    at       TEXT NOT NULL,                 -- RFC 3339, UTC
    machine  TEXT NOT NULL,                 -- JSON
    load     REAL,                          -- processes that run or wait to, over a minute
    clock    REAL,                          -- mean of the processors, in MHz
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
";

/// What version 3 adds: outcomes and violations that are more than texts. The new columns are NULL in rows
/// that an earlier version wrote (`old.rs` reads those).
const TYPED: &str = "
ALTER TABLE outcomes RENAME COLUMN asked TO target;
ALTER TABLE outcomes ADD COLUMN typed TEXT;        -- JSON
ALTER TABLE results ADD COLUMN observables TEXT;   -- JSON, what states have values of
ALTER TABLE results ADD COLUMN lacks TEXT;         -- JSON, needs
CREATE TABLE violations (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    position INTEGER NOT NULL,
    rules    TEXT NOT NULL,                        -- JSON, the likeliest first
    what     TEXT NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
";

/// What each version adds to the one before, from version 1.
pub const STEPS: [&str; VERSION as usize] = [FIRST, MOMENTS, TYPED];
