CREATE TABLE freedoms (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    launch   INTEGER NOT NULL,                     -- position in `launches`
    freedom  TEXT NOT NULL,
    seen     INTEGER NOT NULL,                     -- instances that showed it
    possible INTEGER NOT NULL,                     -- instances that could have
    PRIMARY KEY (case_row, launch, freedom),
    FOREIGN KEY (case_row, launch) REFERENCES launches (case_row, position)
) STRICT, WITHOUT ROWID;

-- A verdict more; a constraint can only be changed in the text of its table.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''inconclusive''', '''inconclusive'', ''contested''')
    WHERE type = 'table' AND name = 'results';
PRAGMA writable_schema = RESET;
