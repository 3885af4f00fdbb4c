//! What the store promises, short of being killed (tests/killed.rs does that).

use super::*;
use crate::record::{CaseResult, MachineRecord, Verdict};
use crate::tests::sample;
use tempfile::TempDir;
use time::macros::datetime;

fn record(plan: &str) -> RunRecord {
    RunRecord {
        created: datetime!(2024-05-06 07:08:09.123456 UTC),
        version: "0.1.0".into(),
        seed: u64::MAX,
        plan: plan.into(),
    }
}

fn planned(results: &[CaseResult]) -> Vec<PlannedCase> {
    let plan = |r: &CaseResult| PlannedCase {
        case: r.case.clone(),
        spec: format!("{{{}}}", r.test),
    };
    results.iter().map(plan).collect()
}

fn all() -> Vec<CaseResult> {
    vec![
        sample::message_passing(),
        sample::store_buffering(),
        sample::coherence_failure(),
        sample::skipped(),
        sample::crashed(),
    ]
}

fn fresh() -> (TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("store.db")).unwrap();
    (directory, store)
}

#[test]
fn what_goes_in_comes_out() {
    let (_directory, mut store) = fresh();
    let results = all();
    let run = store
        .begin_run(&record("plan"), &planned(&results))
        .unwrap();
    // Committed out of order, read in the plan's.
    for result in results.iter().rev() {
        store.commit_case(run, result).unwrap();
    }
    let device = DeviceRecord {
        selector: "system".into(),
        platform: "p".into(),
        platform_version: "OpenCL 3.0".into(),
        name: "d \"quoted\" \u{1f980}".into(),
        vendor: "v".into(),
        version: "OpenCL 3.0".into(),
        driver: "1.2".into(),
        capabilities: vec![("a".into(), "true".into())],
        findings: vec!["f".into()],
    };
    store.set_device(run, &device).unwrap();
    store.finish_run(run, RunStatus::Done).unwrap();

    let path = store.path().to_path_buf();
    drop(store);
    for store in [
        Store::open(&path).unwrap(),
        Store::open_read_only(&path).unwrap(),
    ] {
        assert_eq!(store.case_results(run).unwrap(), results);
        let stored = store.run(run).unwrap();
        assert_eq!(stored.record, record("plan"));
        assert_eq!(stored.plan_hash, PlanHash::of("plan"));
        assert_eq!(stored.device.as_ref(), Some(&device));
        assert_eq!(
            (stored.status, stored.planned, stored.committed),
            (RunStatus::Done, 5, 5)
        );
        assert!(stored.finished.is_some());
        assert_eq!(store.runs().unwrap(), [stored]);
        assert_eq!(store.pending_cases(run).unwrap(), []);
        assert_eq!(store.planned_cases(run).unwrap(), planned(&results));
    }
}

#[test]
fn a_case_has_one_result() {
    let (_directory, mut store) = fresh();
    let result = sample::message_passing();
    let run = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    store.commit_case(run, &result).unwrap();
    let mut other = result.clone();
    other.verdict = Verdict::Fail;
    other.launches.clear();
    let again = store.commit_case(run, &other).unwrap_err();
    assert!(
        matches!(again, StoreError::AlreadyCommitted { .. }),
        "{again}"
    );
    assert_eq!(store.case_results(run).unwrap(), [result]);
    // The same case in another run is another case.
    let second = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    store.commit_case(second, &other).unwrap();
    assert_eq!(store.case_results(second).unwrap(), [other]);
}

#[test]
fn unplanned_cases_and_unknown_runs_are_refused() {
    let (_directory, mut store) = fresh();
    let run = store
        .begin_run(&record("plan"), &planned(&all()[..1]))
        .unwrap();
    let stranger = store.commit_case(run, &sample::skipped()).unwrap_err();
    assert!(
        matches!(stranger, StoreError::NotPlanned { .. }),
        "{stranger}"
    );
    let nowhere = RunId::new(99);
    let errors = [
        store.commit_case(nowhere, &sample::skipped()).unwrap_err(),
        store
            .finish_run(nowhere, RunStatus::Interrupted)
            .unwrap_err(),
        store.run(nowhere).unwrap_err(),
        store.case_results(nowhere).unwrap_err(),
        store.pending_cases(nowhere).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::NoSuchRun { .. }), "{error}");
    }
    let twice = [planned(&all()[..1]), planned(&all()[..1])].concat();
    let error = store.begin_run(&record("plan"), &twice).unwrap_err();
    assert!(matches!(error, StoreError::PlannedTwice { .. }), "{error}");
    assert_eq!(store.runs().unwrap().len(), 1);
}

#[test]
fn an_unfinished_run_is_found_and_resumed() {
    let (_directory, mut store) = fresh();
    let results = all();
    assert!(store.unfinished_run(None).unwrap().is_none());
    let first = store.begin_run(&record("one"), &planned(&results)).unwrap();
    let second = store.begin_run(&record("two"), &planned(&results)).unwrap();
    let found = |store: &Store, plan: Option<&str>| {
        store
            .unfinished_run(plan.map(PlanHash::of).as_ref())
            .unwrap()
            .map(|r| r.id)
    };
    assert_eq!(found(&store, None), Some(second));
    assert_eq!(found(&store, Some("one")), Some(first));
    assert_eq!(found(&store, Some("three")), None);

    store.commit_case(first, &results[1]).unwrap();
    store.finish_run(first, RunStatus::Interrupted).unwrap();
    // A run that its time ended has cases that are still to be run.
    store.finish_run(first, RunStatus::Done).unwrap();
    assert_eq!(store.run(first).unwrap().status, RunStatus::Done);
    assert_eq!(found(&store, Some("one")), Some(first));
    let names: Vec<_> = store
        .pending_cases(first)
        .unwrap()
        .into_iter()
        .map(|p| p.case)
        .collect();
    assert_eq!(names, [0, 2, 3, 4].map(|i: usize| results[i].case.clone()));
    store.finish_run(first, RunStatus::Running).unwrap();
    assert_eq!(store.run(first).unwrap().finished, None);
    for i in [0, 2, 3, 4] {
        store.commit_case(first, &results[i]).unwrap();
    }
    store.finish_run(first, RunStatus::Done).unwrap();
    assert_eq!(found(&store, Some("one")), None);
}

#[test]
fn values_that_a_store_cannot_hold_leave_no_trace() {
    let (_directory, mut store) = fresh();
    let good = sample::message_passing();
    let run = store
        .begin_run(&record("plan"), &planned(std::slice::from_ref(&good)))
        .unwrap();
    let spoil: [fn(&mut CaseResult); 5] = [
        |r| r.seconds = f64::NAN,
        |r| r.launches[1].seconds = f64::INFINITY,
        |r| r.launches[0].outcomes[0].count = u64::MAX,
        |r| r.launches[2].outcomes[1].target = true,
        |r| r.launches[0].outcomes[0].outcome = r.launches[0].outcomes[1].outcome.clone(),
    ];
    for spoil in spoil {
        let mut bad = good.clone();
        spoil(&mut bad);
        let error = store.commit_case(run, &bad).unwrap_err();
        assert!(matches!(error, StoreError::Unstorable { .. }), "{error}");
        assert_eq!(store.pending_cases(run).unwrap().len(), 1);
    }
    store.commit_case(run, &good).unwrap();
    assert_eq!(store.case_results(run).unwrap(), [good]);
}

#[test]
fn a_full_disk_keeps_what_was_committed() {
    let (_directory, mut store) = fresh();
    let results: Vec<CaseResult> = (0..2000)
        .map(|i| {
            let mut result = sample::message_passing();
            result.case = crate::record::CaseId::new("litmus", "many", &format!("case {i}"));
            result
        })
        .collect();
    let run = store
        .begin_run(&record("plan"), &planned(&results))
        .unwrap();
    let pages: i64 = store
        .db
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .unwrap();
    let limit = |store: &Store, pages: i64| {
        let query = format!("PRAGMA max_page_count = {pages}");
        store
            .db
            .query_row(&query, [], |row| row.get::<_, i64>(0))
            .unwrap();
    };
    limit(&store, pages + 8);
    let mut kept = 0;
    let error = loop {
        match store.commit_case(run, &results[kept]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert!(kept > 0);
    assert_eq!(store.case_results(run).unwrap(), results[..kept]);
    // Space again: the same case, and the same store, go on.
    limit(&store, 1_000_000);
    store.commit_case(run, &results[kept]).unwrap();
    assert_eq!(
        store.pending_cases(run).unwrap().len(),
        results.len() - kept - 1
    );
}

#[test]
fn paths_that_cannot_be_stores() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(
        at("file"),
        "not a database, and longer than a header ".repeat(100),
    )
    .unwrap();
    let sentence = |path: &Path| Store::open(path).unwrap_err();

    let error = sentence(&at("file"));
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert!(
        std::fs::read_to_string(at("file"))
            .unwrap()
            .starts_with("not a database")
    );

    for (path, part) in [
        (directory.path().to_path_buf(), "it is a directory"),
        (at("missing/store.db"), "No such file or directory"),
        (at("file/store.db"), "is not a directory"),
    ] {
        let error = sentence(&path);
        assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains("--store"), "{error}");
    }
    assert!(!at("missing").exists());
    // A directory in which not even the superuser can create a file.
    if cfg!(target_os = "linux") {
        let error = sentence(Path::new("/proc/self/store.db"));
        assert!(
            error
                .to_string()
                .contains("no file can be created in /proc/self"),
            "{error}"
        );
    }

    let foreign = rusqlite::Connection::open(at("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE theirs (x)").unwrap();
    let error = sentence(&at("foreign.db"));
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    let tables: i64 = foreign
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);

    // An empty file becomes a store, but not for reading.
    std::fs::write(at("empty"), "").unwrap();
    let error = Store::open_read_only(at("empty")).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
    Store::open(at("empty")).unwrap();
    Store::open_read_only(at("empty")).unwrap();
    let error = Store::open_read_only(at("nothing")).unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
    assert!(!at("nothing").exists());
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let (_directory, store) = fresh();
    store
        .db
        .pragma_update(None, "user_version", schema::VERSION + 1)
        .unwrap();
    let path = store.path().to_path_buf();
    drop(store);
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::NewerSchema {
                found: 7,
                known: 6,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("schema version 7"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_read_only_store_refuses_results() {
    let (_directory, mut store) = fresh();
    let run = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    let mut reader = Store::open_read_only(store.path()).unwrap();
    let error = reader.commit_case(run, &sample::skipped()).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    store.commit_case(run, &sample::skipped()).unwrap();
    assert_eq!(reader.case_results(run).unwrap(), [sample::skipped()]);
}

#[test]
fn damage_is_reported() {
    let (_directory, mut store) = fresh();
    let run = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    store.commit_case(run, &sample::message_passing()).unwrap();
    store
        .db
        .execute("UPDATE runs SET device = '{\"name\": 1}'", [])
        .unwrap();
    let error = store.run(run).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    let path = store.path().to_path_buf();
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[100..end].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let error = Store::open(&path)
        .map(|s| s.runs())
        .and_then(|r| r)
        .unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::Damaged { .. } | StoreError::NotADatabase { .. }
        ),
        "{error}"
    );
}

#[test]
fn another_processes_lock_is_waited_for_and_then_reported() {
    let (_directory, mut store) = fresh();
    let run = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.db.busy_timeout(Duration::from_millis(50)).unwrap();
    let error = store.commit_case(run, &sample::skipped()).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");

    store.db.busy_timeout(BUSY_TIMEOUT).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            other.execute_batch("COMMIT").unwrap();
        });
        store.commit_case(run, &sample::skipped()).unwrap();
    });
    assert_eq!(store.case_results(run).unwrap(), [sample::skipped()]);
}

#[test]
fn several_writers_create_and_fill_one_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Store::open(path).unwrap();
                let run = store
                    .begin_run(&record(&writer.to_string()), &planned(&all()))
                    .unwrap();
                for result in all() {
                    store.commit_case(run, &result).unwrap();
                }
                store.finish_run(run, RunStatus::Done).unwrap();
            });
        }
    });
    let store = Store::open(&path).unwrap();
    let runs = store.runs().unwrap();
    assert_eq!(runs.len(), 4);
    for run in runs {
        assert_eq!(run.status, RunStatus::Done);
        assert_eq!(store.case_results(run.id).unwrap(), all());
    }
}

#[test]
fn hashes_of_plans_never_change() {
    // The published offset basis, and the published value for "a".
    assert_eq!(
        PlanHash::of("").as_str(),
        "6c62272e07bb014262b821756295c58d"
    );
    assert_eq!(
        PlanHash::of("a").as_str(),
        "d228cb696f1a8caf78912b704e4a8964"
    );
}

mod old;
mod readme;

fn moment(load: Option<f64>) -> Moment {
    Moment {
        at: datetime!(2024-05-06 07:08:09.5 UTC),
        machine: MachineRecord {
            host: "h".into(),
            system: "s".into(),
            processor: "p \"q\"".into(),
            processors: 2,
            memory: u64::MAX,
        },
        load,
        clock_mhz: Some(2000.0),
    }
}

#[test]
fn moments_of_a_run_come_out_in_their_order() {
    let (_directory, mut store) = fresh();
    let run = store.begin_run(&record("plan"), &[]).unwrap();
    let other = store.begin_run(&record("other"), &[]).unwrap();
    for load in [Some(1.5), None] {
        store.note_moment(run, &moment(load)).unwrap();
    }
    store.note_moment(other, &moment(Some(f64::NAN))).unwrap();
    assert_eq!(
        store.run(run).unwrap().moments,
        [moment(Some(1.5)), moment(None)]
    );
    assert_eq!(store.run(other).unwrap().moments, [moment(None)]);
    let error = store.note_moment(RunId::new(9), &moment(None)).unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRun { .. }), "{error}");
}

#[test]
fn a_store_of_the_first_version_is_read_as_it_is_and_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(schema::STEPS[0]).unwrap();
    old.pragma_update(None, "application_id", schema::APPLICATION_ID)
        .unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute(
        "INSERT INTO runs (created, version, seed, plan, plan_hash, status)
         VALUES ('2024-05-06T07:08:09.000000Z', '0.1.0', '7', 'p', 'h', 'interrupted')",
        [],
    )
    .unwrap();
    drop(old);
    let before = std::fs::read(&path).unwrap();
    let reader = Store::open_read_only(&path).unwrap();
    assert_eq!(reader.runs().unwrap()[0].moments, []);
    drop(reader);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let mut store = Store::open(&path).unwrap();
    let run = store.runs().unwrap()[0].id;
    store.note_moment(run, &moment(None)).unwrap();
    drop(store);
    let again = Store::open(&path).unwrap();
    assert_eq!(again.runs().unwrap()[0].record.seed, 7);
    assert_eq!(again.run(run).unwrap().moments, [moment(None)]);
}
