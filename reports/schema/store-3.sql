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
