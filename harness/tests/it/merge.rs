//! Parts of a run put together from the command line: nothing is lost, added or changed.

use crate::common::{Done, classay, device};
use classay_reports::record::{CaseResult, OutcomeCount, Verdict};
use classay_reports::store::{Run, RunStatus, Store};
use std::path::{Path, PathBuf};

/// How cases run, and how many are drawn.
const TERMS: [&str; 8] = [
    "run",
    "--instances",
    "20",
    "--programs",
    "1",
    "--bounded",
    "24",
    "--device",
];

/// Litmus tests, programs of commands, kernel and API cases.
const WHOLE: [&str; 12] = [
    "--select",
    "litmus/*/S+r*",
    "--select",
    "litmus/*/SB+r*",
    "--select",
    "queue/r*",
    "--select",
    "atomics/*",
    "--select",
    "index-space/*",
    "--select",
    "api/c*",
];

fn run(store: &Path, more: &[&str]) -> Done {
    Done::of(
        classay()
            .args(TERMS)
            .arg(device())
            .arg("--store")
            .arg(store)
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

fn merge(out: &Path, stores: &[PathBuf], more: &[&str]) -> Done {
    Done::of(
        classay()
            .arg("merge")
            .args(stores)
            .arg("--out")
            .arg(out)
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

fn last(store: &Path) -> (Run, Vec<(String, String)>, Vec<CaseResult>) {
    let store = Store::open_read_only(store).expect("a store");
    let run = store.runs().expect("runs").pop().expect("a run");
    let planned = store.planned_cases(run.id).expect("cases");
    let planned = planned
        .into_iter()
        .map(|p| (p.case.to_string(), p.spec))
        .collect();
    let results = store.case_results(run.id).expect("results");
    (run, planned, results)
}

/// Everything of a result that does not depend on the time it took. Of programs of commands the
/// runs are told in launches by how long they take.
type Lasting = (String, Verdict, String, u64, Vec<OutcomeCount>, Vec<u64>);

fn lasting(result: &CaseResult) -> Lasting {
    let litmus = result.case.family() == "litmus";
    let launches = result.launches.iter().filter(|_| litmus);
    (
        result.case.to_string(),
        result.verdict,
        result.reason.clone(),
        result.instances,
        result.histogram(),
        launches.map(|launch| launch.instances).collect(),
    )
}

/// Parts of the run.
const SHARDS: usize = 5;

#[test]
fn shards_are_the_whole_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole.db");
    let with = |more: &[&'static str]| [&WHOLE[..], more].concat();
    run(&whole, &with(&["--seed", "7"])).expect(0);
    let mut parts: Vec<PathBuf> = Vec::new();
    for n in 1..=SHARDS {
        let path = folder.path().join(format!("{n}.db"));
        let shard = format!("{n}/{SHARDS}");
        run(
            &path,
            &[&WHOLE[..], &["--seed", "7", "--shard", &shard]].concat(),
        )
        .expect(0);
        parts.push(path);
    }
    // In any order.
    parts.rotate_left(3);
    let merged = folder.path().join("merged.db");
    let junit = folder.path().join("merged.xml");
    let more = ["--junit", junit.to_str().expect("a name")];
    merge(&merged, &parts, &more)
        .expect(0)
        .says(&["5 runs are run 1"]);
    let (one, planned, results) = last(&whole);
    let (all, put, added) = last(&merged);
    assert_eq!(put, planned);
    let plain = |results: &[CaseResult]| results.iter().map(lasting).collect::<Vec<_>>();
    assert_eq!(plain(&added), plain(&results));
    assert_eq!(all.status, RunStatus::Done);
    assert_eq!(all.record.seed, one.record.seed);
    assert_eq!(all.record.plan, one.record.plan);
    assert_eq!(all.device, one.device);
    assert!(all.moments.len() >= 2 * SHARDS, "{}", all.moments.len());
    let xml = std::fs::read_to_string(&junit).expect("a report");
    assert_eq!(xml.matches("<testcase ").count(), results.len());

    // Without one of them it is another matter.
    let lost = parts.split_off(SHARDS - 1);
    let partial = folder.path().join("partial.db");
    merge(&partial, &parts, &[])
        .expect(2)
        .says(&["of 5 shards there is one missing: 3;", "--partial"]);
    assert!(!partial.exists());
    merge(&partial, &parts, &["--partial"])
        .expect(0)
        .says(&["shards that are missing: 3"]);
    let (_, _, fewer) = last(&partial);
    let (_, _, those) = last(&lost[0]);
    assert_eq!(fewer.len() + those.len(), results.len());

    // Nor are two of the same, or of another run.
    parts.push(parts[0].clone());
    merge(&partial, &parts, &[])
        .expect(2)
        .says(&["both shard 4/5"]);
    parts.pop();
    let other = folder.path().join("other.db");
    run(&other, &with(&["--seed", "8", "--shard", "3/5"])).expect(0);
    parts.push(other);
    merge(&partial, &parts, &[])
        .expect(2)
        .says(&["differ in the run that they are of"]);
}

#[test]
fn a_shard_that_was_interrupted_is_finished_after_it_was_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let select = ["--select", "litmus/*/S*"];
    let with = |more: &[&'static str]| [&select[..], more].concat();
    let (first, second) = (path("1.db"), path("2.db"));
    run(&first, &with(&["--seed", "3", "--shard", "1/2"])).expect(0);
    run(&second, &with(&["--seed", "3", "--shard", "2/2"])).expect(0);
    // As if it had been killed before its last case.
    let db = rusqlite::Connection::open(&second).expect("a store");
    for statement in [
        "PRAGMA foreign_keys = OFF",
        "DELETE FROM results WHERE case_row = (SELECT max(case_row) FROM results)",
        "UPDATE runs SET status = 'interrupted'",
    ] {
        db.execute_batch(statement).expect("a change");
    }
    drop(db);
    let merged = path("merged.db");
    merge(&merged, &[first, second], &[]).expect(0);
    let (run, planned, results) = last(&merged);
    assert_eq!(run.status, RunStatus::Interrupted);
    assert_eq!(results.len() + 1, planned.len());
    let resume = classay()
        .args(["run", "--resume", "--store"])
        .arg(&merged)
        .output();
    Done::of(resume.expect("the program runs")).expect(0);
    let (run, planned, results) = last(&merged);
    assert_eq!(run.status, RunStatus::Done);
    assert_eq!(results.len(), planned.len());
}

#[test]
fn runs_of_the_same_tests_from_other_seeds_add_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let stores: Vec<PathBuf> = ["1", "2", "3"].iter().map(|n| path(n)).collect();
    for (n, store) in (1..).zip(&stores) {
        let seed = format!("{n}");
        // What is generated is other tests with another seed.
        run(store, &["--select", "litmus/classic/MP*", "--seed", &seed]).expect(0);
    }
    let merged = path("merged.db");
    merge(&merged, &stores, &[]).expect(0);
    let (_, _, sum) = last(&merged);
    let each: Vec<Vec<CaseResult>> = stores.iter().map(|store| last(store).2).collect();
    for (at, result) in sum.iter().enumerate() {
        let parts: Vec<&CaseResult> = each.iter().map(|results| &results[at]).collect();
        assert!(parts.iter().all(|part| part.case == result.case));
        let total = |f: &dyn Fn(&CaseResult) -> u64| parts.iter().map(|p| f(p)).sum::<u64>();
        assert_eq!(result.instances, total(&|r| r.instances));
        assert_eq!(
            result.launches.len() as u64,
            total(&|r| r.launches.len() as u64)
        );
        for outcome in result.histogram() {
            let same = |r: &CaseResult| {
                let histogram = r.histogram();
                let found = histogram.iter().find(|o| o.outcome == outcome.outcome);
                found.map_or(0, |o| o.count)
            };
            assert_eq!(outcome.count, total(&same), "{}", result.case);
        }
    }
    let twice = [stores[0].clone(), stores[0].clone()];
    merge(&merged, &twice, &[])
        .expect(2)
        .says(&["from the same seed", "counted twice"]);
    // What is drawn from a seed is another program with another.
    let drawn: Vec<PathBuf> = ["d1", "d2"].iter().map(|n| path(n)).collect();
    for (n, store) in (1..).zip(&drawn) {
        let seed = format!("{n}");
        run(store, &["--select", "queue/random/*", "--seed", &seed]).expect(0);
    }
    merge(&merged, &drawn, &[])
        .expect(2)
        .says(&["they are different programs"]);
    // Devices whose rates are not one.
    let elsewhere = path("elsewhere");
    let output = classay()
        .args(TERMS)
        .arg(device())
        .args(["--select", "MP*", "--seed", "9", "--store"])
        .arg(&elsewhere)
        .env("TOUCHSTONE_THREADS", "3")
        .output();
    Done::of(output.expect("the program runs")).expect(0);
    let two = [stores[0].clone(), elsewhere];
    merge(&merged, &two, &[]).expect(2).says(&["--any-device"]);
    merge(&merged, &two, &["--any-device"]).expect(0);
    let (run, _, _) = last(&merged);
    let findings = run.device.expect("a device").findings;
    assert!(
        findings.iter().any(|f| f.contains("was run on")),
        "{findings:?}"
    );
}

#[test]
fn what_cannot_be_merged_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let out = path("out.db");
    merge(&out, &[path("none.db")], &[])
        .expect(2)
        .says(&["there is no store"]);
    std::fs::write(
        path("text.db"),
        "no database, but long enough to be read as one\n",
    )
    .expect("a file");
    merge(&out, &[path("text.db")], &[])
        .expect(6)
        .says(&["not a results store"]);
    let empty = path("empty.db");
    drop(Store::open(&empty).expect("a store"));
    merge(&out, &[empty], &[]).expect(2).says(&["holds no run"]);
    assert!(!out.exists());
    run(&out, &["--shard", "1/2"]).expect(2).says(&["--seed"]);
    run(&out, &["--seed", "1", "--shard", "3/2"]).expect(2);
}

/// The shards of a run that a program with version 2 of the store's schema made, with two faults injected.
const OLD: [&str; 2] = [
    include_str!("../../../reports/tests/stores/schema-2-shard-1.sql"),
    include_str!("../../../reports/tests/stores/schema-2-shard-2.sql"),
];

#[test]
fn shards_of_an_earlier_version_are_merged_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let stores: Vec<PathBuf> = (1..)
        .zip(OLD)
        .map(|(n, dump)| {
            let path = folder.path().join(format!("{n}.db"));
            let db = rusqlite::Connection::open(&path).expect("a database");
            db.execute_batch(dump).expect("a store");
            db.pragma_update(None, "application_id", 0x636c_7379)
                .and_then(|()| db.pragma_update(None, "user_version", 2))
                .expect("a version");
            path
        })
        .collect();
    let merged = folder.path().join("merged.db");
    merge(&merged, &stores, &[]).expect(0);
    let (run, planned, results) = last(&merged);
    assert_eq!((run.status, planned.len()), (RunStatus::Done, 4));
    let verdicts: Vec<(&str, Verdict)> = results
        .iter()
        .map(|r| (r.case.as_str(), r.verdict))
        .collect();
    assert_eq!(
        verdicts,
        [
            ("litmus/classic/MP+rel+acq", Verdict::Fail),
            ("queue/random/00001", Verdict::Fail),
            ("queue/random/00005", Verdict::Pass),
            ("kernels/source/00004", Verdict::Skip),
        ]
    );
    let rules: Vec<&str> = results[0]
        .broken_rules()
        .into_iter()
        .map(|r| r.as_str())
        .collect();
    assert_eq!(rules, ["mm.coherence.wr", "mm.visible"]);
    assert!(!results[1].broken_rules().is_empty());
}
