//! `classay progress`: which model of forward progress a device is seen to keep.

use crate::common::{classay, device, run};
use serde_json::{Value, json};

/// Runs it on Touchstone with so many threads, and gives the line of what was seen at the end.
fn seen(threads: &str, more: &[&str], code: i32) -> (Vec<Value>, Value) {
    let mut command = classay();
    command.env("TOUCHSTONE_THREADS", threads);
    command
        .args(["progress", "--json", "--patience", "1"])
        .args(more);
    let mut lines = run(&mut command).expect(code).json();
    let last = lines.pop().expect("a line");
    (lines, last)
}

#[test]
fn the_programs_are_listed_with_the_models_that_end_them() {
    let listed = run(classay().args(["progress", "--list"]))
        .expect(0)
        .shows(&[
            "lower fair hsa hsa+obe lobe P1 waits for P0",
            "between fair lobe",
            "lock fair obe hsa+obe lobe",
        ]);
    assert!(
        listed.stdout.lines().all(|line| line.len() <= 80),
        "{}",
        listed.told()
    );
    let lines = run(classay().args(["progress", "--list", "--json"]))
        .expect(0)
        .json();
    let higher = lines
        .iter()
        .find(|line| line["program"] == "higher")
        .expect("a program");
    assert_eq!(higher["ends_under"], json!(["fair"]));
    assert!(
        higher["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("OPENCL higher"))
    );
}

#[test]
fn what_is_wrong_is_told() {
    run(classay().args(["progress", "--among", "threads"]))
        .expect(2)
        .says(&["work-groups, sub-groups, work-items"]);
    run(classay().args(["progress", "--patience", "0"]))
        .expect(2)
        .says(&["a time is more than 0"]);
    run(classay().args(["progress", "--device", "/nonexistent/library.so"])).expect(3);
}

/// With one thread Touchstone plays one work-group after the other, in the order of their numbers: whoever waits
/// for one that comes later waits for ever, and that is no failure.
#[test]
fn who_waits_for_a_later_work_group_is_stuck_on_one_thread() {
    let (programs, seen) = seen("1", &["--among", "work-groups"], 0);
    let fate = |name: &str| {
        let mut lines = programs.iter();
        let line = lines
            .find(|line| line["program"] == name)
            .expect("a program");
        line["seen"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        (fate("lower"), fate("higher")),
        ("ended".into(), "stuck".into())
    );
    assert_eq!(
        seen["refuted"]["fair"],
        json!(["higher", "higher-chain"]),
        "{seen}"
    );
    assert_eq!(seen["promised"], Value::Null);
    assert_eq!(seen["failures"], json!([]));
}

/// The layer reports that sub-groups make independent progress, whether or not they do.
#[test]
fn a_broken_promise_is_a_failure() {
    let mut command = classay();
    command.env("CLASSAY_LAYER_FAULTS", "spoof=sub-group-forward-progress");
    command.args(["progress", "--device", &device()]);
    command.args(["--among", "sub-groups", "--patience", "1"]);
    let played = run(&mut command);
    if played.code == Some(4) {
        eprintln!("skipped: {} has no sub-groups", device());
        played.shows(&["skipped: the device lacks sub-groups", "nothing was played"]);
        return;
    }
    let played =
        played.shows(&["promised: fair (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)"]);
    match played.stdout.contains("seen to keep: fair") {
        true => _ = played.expect(0),
        false => {
            _ = played.expect(1).shows(&[
                "fails: higher among sub-groups: it did not come to its end",
                "[ex.progress.subgroup]",
            ])
        }
    }
}

/// What was printed as JSON is a section of the page and a key of the report.
#[test]
fn a_report_shows_what_was_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut command = classay();
    command
        .args(["litmus", "SB+rlx", "--instances", "100", "--store"])
        .arg(path("run.db"));
    run(&mut command).expect(0);
    let mut played = classay();
    played.args([
        "progress",
        "--json",
        "--among",
        "work-groups",
        "--patience",
        "1",
    ]);
    let lines = run(&mut played).expect(0).stdout;
    std::fs::write(path("progress.jsonl"), &lines).expect("a file");
    let mut report = classay();
    report
        .arg("report")
        .arg(path("run.db"))
        .arg("--progress")
        .arg(path("progress.jsonl"));
    report
        .arg("--html")
        .arg(path("page.html"))
        .arg("--json")
        .arg(path("report.json"));
    run(&mut report).expect(0);
    let page = std::fs::read_to_string(path("page.html")).expect("a page");
    assert!(
        page.contains("Forward progress") && page.contains("higher-chain"),
        "{page}"
    );
    let text = std::fs::read_to_string(path("report.json")).expect("JSON");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let count = report["progress"]["programs"].as_array().map(Vec::len);
    assert_eq!(count, Some(lines.lines().count() - 1));
    std::fs::write(path("progress.jsonl"), "{}\n").expect("a file");
    let mut wrong = classay();
    wrong
        .arg("report")
        .arg(path("run.db"))
        .arg("--progress")
        .arg(path("progress.jsonl"));
    run(&mut wrong)
        .expect(2)
        .says(&["line 1 is none that `classay progress --json` prints"]);
}
