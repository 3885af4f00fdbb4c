//! Touchstone refuses every call that must be refused, whatever came before it.

use crate::common::{Done, classay, device};
use classay_suites::api::refused::{self, Refused};
use classay_suites::api::{Case, Kind, Scenario};
use classay_suites::family::Family;
use classay_vocabulary::Need;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Calls of one case.
const CALLS: usize = 40;

/// Cases with every refused call that Touchstone can be given, each once.
fn cases() -> Vec<Case> {
    let mut groups: BTreeMap<(BTreeSet<Need>, bool), Vec<Refused>> = BTreeMap::new();
    for row in refused::all() {
        let own = groups.entry((row.all_needs(), row.fails())).or_default();
        own.push(row.clone());
    }
    let mut cases = Vec::new();
    for ((needs, fails), rows) in groups {
        for calls in rows.chunks(if fails { 1 } else { CALLS }) {
            cases.push(Case {
                kind: Kind::Api,
                needs: needs.clone(),
                scenario: Scenario::Refused {
                    held: !fails,
                    calls: calls.to_vec(),
                },
            });
        }
    }
    cases
}

/// A replay on Touchstone, of files that are still to be named.
fn replay(folder: &Path) -> Command {
    let mut command = classay();
    command.args(["replay", "--json", "--instances", "2"]);
    command.args(["--device", &device()]);
    command.arg("--store").arg(folder.join("store"));
    command
}

#[test]
fn touchstone_refuses_every_call_and_nothing_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = cases();
    let mut command = replay(folder.path());
    command.env("TOUCHSTONE_DEVICES", "2");
    for (n, case) in cases.iter().enumerate() {
        let path = folder.path().join(format!("{n:03}.yaml"));
        std::fs::write(&path, case.write()).expect("a file");
        command.arg(path);
    }
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let json = done.json();
    assert_eq!(json.len(), cases.len());
    let mut passed = 0;
    for (case, end) in cases.iter().zip(&json) {
        let verdict = end["verdict"].as_str().unwrap_or_default();
        let versions = [Need::BeforeApi31, Need::Api31];
        let may_skip = versions.iter().any(|need| case.needs.contains(need));
        assert!(
            verdict == "pass" || (may_skip && verdict == "skip"),
            "{end}\n{}",
            case.write()
        );
        passed += usize::from(verdict == "pass");
    }
    assert!(passed > 20, "{passed}");
}

#[test]
fn a_listed_call_is_a_case_to_replay() {
    let refused = |arguments: &[&str]| {
        let mut command = classay();
        command.arg("refused").args(arguments);
        Done::of(command.output().expect("classay runs"))
    };
    let listed = refused(&["--select", "clFlush"]).expect(0);
    for words in ["clFlush(NULL)", "CL_INVALID_COMMAND_QUEUE"] {
        assert!(listed.stdout.contains(words), "{}", listed.told());
    }
    refused(&["--select", "clNothing"])
        .expect(2)
        .says(&["no call that must be refused", "clNothing"]);

    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("cases");
    refused(&["--select", "clFlush", "--out", out.to_str().expect("text")]).expect(0);
    let cases = std::fs::read_dir(&out)
        .expect("cases")
        .map(|entry| entry.expect("one").path());
    let played = replay(folder.path()).args(cases).output();
    let played = Done::of(played.expect("classay runs")).expect(0);
    let verdicts: Vec<_> = played
        .json()
        .iter()
        .map(|end| end["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["pass", "pass"]);
}
