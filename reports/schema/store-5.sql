-- Schema version 5: which process played a launch.

-- Of the worker processes of its case, from 0. Earlier versions played a case in one process, but for those
-- that died.
ALTER TABLE launches ADD COLUMN process INTEGER NOT NULL DEFAULT 0 CHECK (process >= 0);
