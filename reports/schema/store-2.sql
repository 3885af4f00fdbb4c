CREATE TABLE moments (
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in time, from 0
    at       TEXT NOT NULL,                 -- RFC 3339, UTC
    machine  TEXT NOT NULL,                 -- JSON
    load     REAL,                          -- processes that run or wait to, over a minute
    clock    REAL,                          -- mean of the processors, in MHz
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
