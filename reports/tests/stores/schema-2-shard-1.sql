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
INSERT INTO "cases" VALUES(1,1,0,'queue/random/00001','{"test":"queue/random/00001","file":"","body":{"drawn":{"profile":"queue/random"}},"seed":14368225108121552276,"budget":{"instances":200},"place":1}');
INSERT INTO "cases" VALUES(2,1,1,'queue/random/00005','{"test":"queue/random/00005","file":"","body":{"drawn":{"profile":"queue/random"}},"seed":7013909877577609058,"budget":{"instances":200},"place":2}');
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
INSERT INTO "counts" VALUES(1,0,0,0,7);
INSERT INTO "counts" VALUES(1,0,1,1,2);
INSERT INTO "counts" VALUES(1,0,2,2,7);
INSERT INTO "counts" VALUES(1,1,0,0,3);
INSERT INTO "counts" VALUES(1,1,1,1,3);
INSERT INTO "counts" VALUES(1,1,2,2,10);
INSERT INTO "counts" VALUES(1,2,0,0,2);
INSERT INTO "counts" VALUES(1,2,1,1,11);
INSERT INTO "counts" VALUES(1,2,2,2,3);
INSERT INTO "counts" VALUES(1,3,0,0,3);
INSERT INTO "counts" VALUES(1,3,1,1,2);
INSERT INTO "counts" VALUES(1,3,2,2,11);
INSERT INTO "counts" VALUES(1,4,0,0,9);
INSERT INTO "counts" VALUES(1,4,1,2,7);
INSERT INTO "counts" VALUES(1,5,0,0,3);
INSERT INTO "counts" VALUES(1,5,1,1,8);
INSERT INTO "counts" VALUES(1,5,2,2,5);
INSERT INTO "counts" VALUES(1,6,0,0,3);
INSERT INTO "counts" VALUES(1,6,1,1,9);
INSERT INTO "counts" VALUES(1,6,2,2,4);
INSERT INTO "counts" VALUES(1,7,0,0,3);
INSERT INTO "counts" VALUES(1,7,1,1,10);
INSERT INTO "counts" VALUES(1,7,2,2,3);
INSERT INTO "counts" VALUES(1,8,0,0,1);
INSERT INTO "counts" VALUES(1,8,1,1,14);
INSERT INTO "counts" VALUES(1,8,2,2,1);
INSERT INTO "counts" VALUES(1,9,0,0,1);
INSERT INTO "counts" VALUES(1,9,1,1,9);
INSERT INTO "counts" VALUES(1,9,2,2,5);
INSERT INTO "counts" VALUES(1,9,3,3,1);
INSERT INTO "counts" VALUES(1,10,0,0,7);
INSERT INTO "counts" VALUES(1,10,1,1,5);
INSERT INTO "counts" VALUES(1,10,2,2,4);
INSERT INTO "counts" VALUES(1,11,0,1,12);
INSERT INTO "counts" VALUES(1,11,1,2,4);
INSERT INTO "counts" VALUES(1,12,0,0,8);
INSERT INTO "counts" VALUES(2,0,0,0,16);
INSERT INTO "counts" VALUES(2,1,0,0,16);
INSERT INTO "counts" VALUES(2,2,0,0,16);
INSERT INTO "counts" VALUES(2,3,0,0,16);
INSERT INTO "counts" VALUES(2,4,0,0,16);
INSERT INTO "counts" VALUES(2,5,0,0,16);
INSERT INTO "counts" VALUES(2,6,0,0,16);
INSERT INTO "counts" VALUES(2,7,0,0,16);
INSERT INTO "counts" VALUES(2,8,0,0,16);
INSERT INTO "counts" VALUES(2,9,0,0,16);
INSERT INTO "counts" VALUES(2,10,0,0,16);
INSERT INTO "counts" VALUES(2,11,0,0,16);
INSERT INTO "counts" VALUES(2,12,0,0,8);
CREATE TABLE evidence (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "evidence" VALUES(1,0,'violation','sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready|ex.queue.out-of-order-deps|ex.queue.cross-event|sp.transitive|ex.state.profiling: by its times command 3 ended before command 0, for which it waits, had');
INSERT INTO "evidence" VALUES(1,1,'violation','sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready|ex.queue.out-of-order-deps|ex.queue.cross-event|sp.transitive|ex.state.profiling: by its times command 3 ended before command 1, for which it waits, had');
INSERT INTO "evidence" VALUES(1,2,'program','devices: 1
contexts: 1
cell_words: 4
queues:
- context: 0
  device: 0
  out_of_order: true
- context: 0
  device: 0
  out_of_order: false
objects:
- context: 0
  cells: 8
  kind:
    buffer: copy
commands:
- queue: 1
  what:
    read:
      range:
        object: 0
        first: 5
        count: 3
      rect: true
- queue: 1
  what:
    write:
      range:
        object: 0
        first: 3
        count: 3
  wait:
  - command: 0
  - command: 0
- queue: 1
  what:
    fill:
      object: 0
      first: 3
      count: 2
  wait:
  - command: 1
  - command: 1
  - command: 0
  - command: 0
  - command: 1
- queue: 0
  what: marker
  wait:
  - command: 2
  - command: 1
  - command: 0
signals: 0
threads:
- - enqueue: 0
  - enqueue: 1
  - flush: 0
  - flush: 1
  - enqueue: 2
  - flush: 0
  - flush: 1
  - release-queue: 1
  - enqueue: 3
  - flush: 0
  - wait:
    - command: 3
  - wait:
    - command: 2
    - command: 1
    - command: 0
  - inspect: 0
  - status:
      command: 1
  - release-event:
      command: 2
');
CREATE TABLE launches (
    case_row  INTEGER NOT NULL REFERENCES results (case_row),
    position  INTEGER NOT NULL,             -- among the case's launches, from 0
    number    INTEGER NOT NULL,             -- as the worker numbered it
    instances INTEGER NOT NULL CHECK (instances >= 0),
    seconds   REAL NOT NULL,
    PRIMARY KEY (case_row, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "launches" VALUES(1,0,0,16,0.005668962);
INSERT INTO "launches" VALUES(1,1,1,16,0.0030692);
INSERT INTO "launches" VALUES(1,2,2,16,0.002822694);
INSERT INTO "launches" VALUES(1,3,3,16,0.003266525);
INSERT INTO "launches" VALUES(1,4,4,16,0.003664497);
INSERT INTO "launches" VALUES(1,5,5,16,0.0034177);
INSERT INTO "launches" VALUES(1,6,6,16,0.002916033);
INSERT INTO "launches" VALUES(1,7,7,16,0.002221228);
INSERT INTO "launches" VALUES(1,8,8,16,0.001523208);
INSERT INTO "launches" VALUES(1,9,9,16,0.001606052);
INSERT INTO "launches" VALUES(1,10,10,16,0.005788225);
INSERT INTO "launches" VALUES(1,11,11,16,0.002240717);
INSERT INTO "launches" VALUES(1,12,12,8,0.00174588);
INSERT INTO "launches" VALUES(2,0,0,16,0.002698038);
INSERT INTO "launches" VALUES(2,1,1,16,0.002703225);
INSERT INTO "launches" VALUES(2,2,2,16,0.002469888);
INSERT INTO "launches" VALUES(2,3,3,16,0.001802524);
INSERT INTO "launches" VALUES(2,4,4,16,0.001506854);
INSERT INTO "launches" VALUES(2,5,5,16,0.001543148);
INSERT INTO "launches" VALUES(2,6,6,16,0.00141012);
INSERT INTO "launches" VALUES(2,7,7,16,0.00161877);
INSERT INTO "launches" VALUES(2,8,8,16,0.001380546);
INSERT INTO "launches" VALUES(2,9,9,16,0.00153114);
INSERT INTO "launches" VALUES(2,10,10,16,0.001353125);
INSERT INTO "launches" VALUES(2,11,11,16,0.001441597);
INSERT INTO "launches" VALUES(2,12,12,8,0.000660373);
CREATE TABLE moments (
    run      INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,              -- in time, from 0
    at       TEXT NOT NULL,                 -- RFC 3339, UTC
    machine  TEXT NOT NULL,                 -- JSON
    load     REAL,                          -- processes that run or wait to, over a minute
    clock    REAL,                          -- mean of the processors, in MHz
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "moments" VALUES(1,0,'2026-11-23T05:51:32.973679Z','{"host": "machine", "system": "Linux", "processor": "processor", "processors": 2, "memory": 25276502016}',13.23,2596.0);
INSERT INTO "moments" VALUES(1,1,'2026-11-23T05:51:33.122048Z','{"host": "machine", "system": "Linux", "processor": "processor", "processors": 2, "memory": 25276502016}',13.23,2596.0);
CREATE TABLE outcomes (
    case_row INTEGER NOT NULL REFERENCES results (case_row),
    number   INTEGER NOT NULL,
    outcome  TEXT NOT NULL,
    asked    INTEGER NOT NULL CHECK (asked IN (0, 1)),
    PRIMARY KEY (case_row, number),
    UNIQUE (case_row, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO "outcomes" VALUES(1,0,'as the rules require',0);
INSERT INTO "outcomes" VALUES(1,1,'sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready: by its times command 3 ended before command 0, for which it waits, had',1);
INSERT INTO "outcomes" VALUES(1,2,'sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready: by its times command 3 ended before command 1, for which it waits, had',1);
INSERT INTO "outcomes" VALUES(1,3,'sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready: by its times command 3 started before command 1, for which it waits, ended',1);
INSERT INTO "outcomes" VALUES(2,0,'as the rules require',0);
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
INSERT INTO "results" VALUES(1,'2026-11-23T05:51:33.068801Z','queue/random/00001','','fail','observed `sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready: by its times command 3 ended before command 0, for which it waits, had` and 2 more outcomes 150 times in 200 (rate 0.7500), which sp.marker-list|ex.prereq.marker|sp.completion-event|ex.state.not-before-ready (Host-Side and Device-Side Commands) forbids',200,0.045721472,0.0,0.039950921,1,0);
INSERT INTO "results" VALUES(2,'2026-11-23T05:51:33.120112Z','queue/random/00005','','pass','the asked outcome was never observed in 200: rate below 0.0149 at 95 %',200,0.022768591,0.0,2.2119347999999997012e-02,1,0);
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
INSERT INTO "runs" VALUES(1,'2026-11-23T05:51:32.887659Z','2026-11-23T05:51:33.137058Z','0.1.0','5','{"device":"touchstone","model":"opencl-3.0","seed":5,"select":["litmus/classic/MP+rel+acq","litmus/classic/MP+rlx","queue/random/00001","queue/random/00005","kernels/source/00004"],"asked":{"instances":200},"cases":2,"digest":"6fd3b3aa55ee24212e52d2af5833cad1","part":{"shard":{"index":1,"of":2},"cases":4,"digest":"9033bc5457cffa8dc39c9d11d675f7ab"}}','4d4af0f2252ffa7797b8dc0c3f7f70c4','{"selector":"touchstone","platform":"Touchstone","platform_version":"OpenCL 3.0 Touchstone 0.1.0","name":"Touchstone interpreter","vendor":"classay","version":"OpenCL 3.0 Touchstone 0.1.0","driver":"0.1.0","capabilities":[["version","3.0"],["c-version","3.0"],["c-std","CL3.0"],["c11-atomics","yes"],["order-acq-rel","yes"],["order-seq-cst","yes"],["scope-sub-group","no"],["scope-device","yes"],["scope-all-devices","yes"],["int64-atomics","yes"],["generic-address-space","yes"],["sub-groups","no"],["svm-coarse","yes"],["svm-fine-buffer","yes"],["svm-fine-system","yes"],["svm-atomics","yes"],["out-of-order-queue","yes"],["device-enqueue","no"],["non-uniform-groups","yes"],["pipes","no"],["il","none"],["images","no"],["image-objects","no"],["read-write-images","no"],["full-profile","yes"],["native-kernels","yes"],["built-in-kernels","touchstone_nop;touchstone_count;touchstone_iota;touchstone_copy"],["program-scope-variables","yes"],["work-group-functions","no"],["sub-group-progress","no"],["fp64","yes"],["fp16","no"],["mem-base-addr-align-bits","1024"],["address-bits","64"],["cpu","yes"],["compute-units","2"],["max-work-group-size","1024"],["local-mem-size","65536"],["max-alloc","6319125504"],["global-mem","25276502016"]],"findings":[]}','done');
CREATE INDEX runs_by_plan ON runs (plan_hash);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',1);
COMMIT;
