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
