-- Schema version 6: a verdict more; a constraint can only be changed in the text of its table.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''inconclusive''', '''flaky'', ''inconclusive''')
    WHERE type = 'table' AND name = 'results';
PRAGMA writable_schema = RESET;
