-- A dump of the store that a shard left, with version 2 of the schema.
PRAGMA foreign_keys = OFF;
BEGIN TRANSACTION;
CREATE TABLE cases (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in the plan, from 0
    name     TEXT NOT NULL,                 -- family/kind/name
    spec     TEXT NOT NULL,                 -- JSON, the harness's own
    UNIQUE (run, position),
    UNIQUE (run, name)
) STRICT;
INSERT INTO "cases" VALUES(1,1,0,'litmus/classic/MP+rel+acq','{"test":"MP+rel+acq","file":"","body":{"litmus":{"source":"OPENCL MP+rel+acq\n\n{\n  [x] = 0;\n  [y] = 0;\n}\n\nP0@wg 0, dev 0 (global int* x, global atomic_int* y) {\n  *x = 1;\n  atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);\n}\n\nP1@wg 1, dev 0 (global int* x, global atomic_int* y) {\n  int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device);\n  int r1 = 1;\n  if (r0 == 1) {\n    r1 = *x;\n  }\n}\n\n~exists (1:r0=1 /\\ 1:r1=0)\n","question":"not_exists"}},"seed":3417340132188456792,"budget":{"instances":200},"place":0}');
INSERT INTO "cases" VALUES(2,1,1,'kernels/source/00004','{"test":"kernels/source/00004","file":"","body":{"drawn-kernel":{"family":"kernels/source"}},"seed":15507868667372909234,"budget":{"instances":200},"place":3}');
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
INSERT INTO "counts" VALUES(1,0,0,0,70);
INSERT INTO "counts" VALUES(1,0,1,1,106);
INSERT INTO "counts" VALUES(1,0,2,2,24);
CREATE TABLE evidence (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "evidence" VALUES(1,0,'environment','{"name":"default","digest":"0880955d","knobs":{},"arrangement":{"instances":262144,"first":1024,"teams":1,"lanes":1,"local_sizes":[1],"queues":1,"apart":false,"kind":"buffer","instance_pitch":1,"bases":[0,262416],"memory_words":524560,"order_instances":0,"order_locations":0,"order_groups":0,"order_partners":100,"runs":true,"batch":64,"sync_every":1,"sync_percent":100,"sync_bound":2000,"spare":8388608,"lags":[100,0,50,150,75,125,25,200,300],"touch":100,"loop_bound":10000,"stress_groups":0,"stress_chunk":0,"collectors":8,"collect_chunk":1024},"lags":[{"lag":100,"launches":1,"diversity":0.22591728641159345},{"lag":0,"launches":0,"diversity":0.0},{"lag":50,"launches":0,"diversity":0.0},{"lag":150,"launches":0,"diversity":0.0},{"lag":75,"launches":0,"diversity":0.0},{"lag":125,"launches":0,"diversity":0.0},{"lag":25,"launches":0,"diversity":0.0},{"lag":200,"launches":0,"diversity":0.0},{"lag":300,"launches":0,"diversity":0.0}]}');
INSERT INTO "evidence" VALUES(1,1,'forbidden','opencl-3.0 forbids `1:r0=1 1:r1=0`, observed 24 times:
mm.coherence.wr (opencl-base.cat:84): fr; po; gsw; po
mm.visible (opencl-base.cat:96): rf

MP+rel+acq: 1:r0=1 1:r1=0 is forbidden by opencl-3.0.

Rules that rule it out
  mm.coherence.wr (opencl-base.cat:84)
    d -fr-> a -po-> b -gsw: rf-> c -po-> d
    3.3.6: the four coherences. [mm.mo]
  mm.visible (opencl-base.cat:96)
    there may be no init x -rf-> d
    3.3.6 "The value of a non-atomic scalar object M, as determined by
    evaluation B, shall be the value stored by the visible side effect A." The
    text defines it for global and for local objects; an object reached through
    a pointer without an address space is stated to be neither. Only programs
    with a race can tell the difference: without one, coherence alone leaves a
    read the visible side effect.

The execution that fails them
  initially x=0, y=0
  P0 (wg 0, dev 0)
    a  W x=1  plain
    b  W y=1  release, device
  P1 (wg 1, dev 0)
    c  R y=1  acquire, device
    d  R x=0  plain
  rf: b → c, init x → d
  fr: d → a

Any one of these changes makes the behaviour undefined, so that it may be seen
  P0, the store to y: release → relaxed
  P0, the store to y: device → work_group
  P1, the load of y: acquire → relaxed
  P1, the load of y: device → work_group
');
CREATE TABLE launches (
    case_row  INTEGER NOT NULL REFERENCES results (case_row),
    position  INTEGER NOT NULL,             -- among the case's launches, from 0
    number    INTEGER NOT NULL,             -- as the worker numbered it
    instances INTEGER NOT NULL CHECK (instances >= 0),
    seconds   REAL NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "launches" VALUES(1,0,0,200,5.28791260000000054586e-02);
CREATE TABLE moments (
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in time, from 0
    at       TEXT NOT NULL,                 -- RFC 3339, UTC
    machine  TEXT NOT NULL,                 -- JSON
    load     REAL,                          -- processes that run or wait to, over a minute
    clock    REAL,                          -- mean of the processors, in MHz
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "moments" VALUES(1,0,'2026-11-23T05:51:33.449487Z','{"host": "machine", "system": "Linux", "processor": "processor", "processors": 2, "memory": 25276502016}',13.23,2596.0);
INSERT INTO "moments" VALUES(1,1,'2026-11-23T05:51:40.025367Z','{"host": "machine", "system": "Linux", "processor": "processor", "processors": 2, "memory": 25276502016}',13.05,2596.0);
CREATE TABLE outcomes (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    number   INTEGER NOT NULL,
    outcome  TEXT NOT NULL,
    asked    INTEGER NOT NULL CHECK (asked IN (0, 1)),
    PRIMARY KEY (case_row, number),
    UNIQUE (case_row, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO "outcomes" VALUES(1,0,'1:r0=1 1:r1=1',0);
INSERT INTO "outcomes" VALUES(1,1,'1:r0=0 1:r1=1',0);
INSERT INTO "outcomes" VALUES(1,2,'1:r0=1 1:r1=0',1);
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
INSERT INTO "results" VALUES(1,'2026-11-23T05:51:39.949868Z','MP+rel+acq','','fail','observed `1:r0=1 1:r1=0` 24 times in 200 (rate 0.1200), which opencl-3.0 (mm.coherence.wr, mm.visible) forbids',200,6.451704305,6.321878968,5.28791260000000054586e-02,1,0);
INSERT INTO "results" VALUES(2,'2026-11-23T05:51:39.997136Z','kernels/source/00004','','skip','the device lacks 2 devices on its platform',0,0.007871903,0.0,0.0,1,0);
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
INSERT INTO "runs" VALUES(1,'2026-11-23T05:51:33.371335Z','2026-11-23T05:51:40.048586Z','0.1.0','5','{"device":"touchstone","model":"opencl-3.0","seed":5,"select":["litmus/classic/MP+rel+acq","litmus/classic/MP+rlx","queue/random/00001","queue/random/00005","kernels/source/00004"],"asked":{"instances":200},"cases":2,"digest":"cc0df367b01b5f858b67c885ad180acf","part":{"shard":{"index":2,"of":2},"cases":4,"digest":"9033bc5457cffa8dc39c9d11d675f7ab"}}','13dc6c5769536b1993707dbb68073595','{"selector":"touchstone","platform":"Touchstone","platform_version":"OpenCL 3.0 Touchstone 0.1.0","name":"Touchstone interpreter","vendor":"classay","version":"OpenCL 3.0 Touchstone 0.1.0","driver":"0.1.0","capabilities":[["version","3.0"],["c-version","3.0"],["c-std","CL3.0"],["c11-atomics","yes"],["order-acq-rel","yes"],["order-seq-cst","yes"],["scope-sub-group","no"],["scope-device","yes"],["scope-all-devices","yes"],["int64-atomics","yes"],["generic-address-space","yes"],["sub-groups","no"],["svm-coarse","yes"],["svm-fine-buffer","yes"],["svm-fine-system","yes"],["svm-atomics","yes"],["out-of-order-queue","yes"],["device-enqueue","no"],["non-uniform-groups","yes"],["pipes","no"],["il","none"],["images","no"],["image-objects","no"],["read-write-images","no"],["full-profile","yes"],["native-kernels","yes"],["built-in-kernels","touchstone_nop;touchstone_count;touchstone_iota;touchstone_copy"],["program-scope-variables","yes"],["work-group-functions","no"],["sub-group-progress","no"],["fp64","yes"],["fp16","no"],["mem-base-addr-align-bits","1024"],["address-bits","64"],["cpu","yes"],["compute-units","2"],["max-work-group-size","1024"],["local-mem-size","65536"],["max-alloc","6319125504"],["global-mem","25276502016"]],"findings":[]}','done');
CREATE INDEX runs_by_plan ON runs (plan_hash);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',1);
COMMIT;
