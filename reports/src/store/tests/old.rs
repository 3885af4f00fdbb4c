//! A store that version 2 of the schema wrote, by a run with two faults injected: its first shard has a
//! program of commands that breaks a rule, its second a litmus test that shows what a model forbids.

use crate::record::{CaseResult, Need, Outcome, RuleId, Verdict};
use crate::store::{RunId, Store, schema};
use crate::text::outcome;

const SHARDS: [&str; 2] = [
    include_str!("../../../tests/stores/schema-2-shard-1.sql"),
    include_str!("../../../tests/stores/schema-2-shard-2.sql"),
];

/// The store of a dump, in the form in which a program wrote it.
fn store(path: &std::path::Path, dump: &str) {
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(dump).unwrap();
    db.pragma_update(None, "application_id", schema::APPLICATION_ID)
        .unwrap();
    db.pragma_update(None, "user_version", 2).unwrap();
}

fn rules(result: &CaseResult) -> Vec<&'static str> {
    result
        .broken_rules()
        .into_iter()
        .map(RuleId::as_str)
        .collect()
}

fn texts(result: &CaseResult) -> Vec<String> {
    outcome::table(result)
        .into_iter()
        .map(|(text, _)| text)
        .collect()
}

#[test]
fn a_store_of_the_second_version_is_read_as_it_is_and_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    for (number, dump) in SHARDS.iter().enumerate() {
        let path = directory.path().join(format!("{number}.db"));
        store(&path, dump);
        let before = std::fs::read(&path).unwrap();
        let reader = Store::open_read_only(&path).unwrap();
        let run = RunId::new(1);
        let old = reader.case_results(run).unwrap();
        drop(reader);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let upgraded = Store::open(&path).unwrap();
        assert_eq!(upgraded.case_results(run).unwrap(), old);
        // What is written now is read as what it was.
        let mut new = Store::open(directory.path().join(format!("new-{number}.db"))).unwrap();
        let planned = upgraded.planned_cases(run).unwrap();
        let of = upgraded.run(run).unwrap().record;
        let copy = new.add_run(&of, &planned, None, &[], &old).unwrap();
        assert_eq!(new.case_results(copy).unwrap(), old);
        assert_eq!(old.len(), 2);
        for result in &old {
            let total: u64 = result.histogram().iter().map(|o| o.count).sum();
            assert_eq!(total, result.instances);
        }
    }
}

#[test]
fn the_outcomes_and_violations_of_an_old_store_are_typed() {
    let directory = tempfile::tempdir().unwrap();
    let [commands, litmus] = [0, 1].map(|number| {
        let path = directory.path().join(format!("{number}.db"));
        store(&path, SHARDS[number]);
        let store = Store::open_read_only(&path).unwrap();
        store.case_results(RunId::new(1)).unwrap()
    });
    let failed = &commands[0];
    assert_eq!(failed.verdict, Verdict::Fail);
    assert_eq!(failed.violations[0].rules[0], RuleId::new("sp.marker-list"));
    assert!(
        failed.violations[0]
            .what
            .starts_with("by its times command 3")
    );
    assert!(rules(failed).contains(&"ex.prereq.marker"));
    let required = failed.histogram();
    assert!(
        required
            .iter()
            .any(|o| o.outcome == Outcome::Required && !o.target)
    );
    assert!(failed.observables.is_empty());
    let failed = &litmus[0];
    assert_eq!(failed.verdict, Verdict::Fail);
    assert_eq!(rules(failed), ["mm.coherence.wr", "mm.visible"]);
    assert!(texts(failed).contains(&"1:r0=1 1:r1=0".to_string()));
    let names: Vec<&str> = failed.observables.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["1:r0", "1:r1"]);
    // It named what was lacking in words alone.
    let skipped = &litmus[1];
    assert_eq!(skipped.verdict, Verdict::Skip);
    assert_eq!(skipped.lacks, [] as [Need; 0]);
    assert!(skipped.reason.contains("lacks 2 devices"));
}
