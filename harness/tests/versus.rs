//! Two devices in turns: one against itself differs in nothing, one against a broken one does.

mod common;

use common::{Done, classay, device, write};
use std::path::Path;

fn versus(out: &Path, second: &str, more: &[&str]) -> Done {
    Done::of(
        classay()
            .args(["versus", &device(), second, "--seed", "3", "--out"])
            .arg(out)
            .args(["--budget", "3", "--rounds", "3", "--select", "SB+rlx"])
            // A difference that chance does not make in a million comparisons.
            .args(["--rate", "0.000001"])
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

#[test]
fn a_device_differs_in_nothing_from_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    // Many launches, which tell how much they scatter.
    let small = write(folder.path(), "small.yaml", "launch: {instances: 1024}\n");
    let small = small.to_string_lossy();
    let done = versus(
        folder.path(),
        &device(),
        &["--json", "--environment", &small],
    )
    .expect(0);
    let told = &done.json()[0];
    assert_eq!(told["passes"], true, "{}", done.told());
    assert_eq!(told["changed"], serde_json::json!([]));
    assert!(told["compared"].as_u64() > Some(0), "{}", done.told());
    // What is kept is two runs like others, which add up from all rounds.
    let report = Done::of(
        classay()
            .arg("report")
            .arg(folder.path().join("second.db"))
            .arg("--against")
            .arg(folder.path().join("first.db"))
            .arg("--html")
            .arg(folder.path().join("page.html"))
            .output()
            .expect("the program runs"),
    );
    report.expect(0);
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    versus(folder.path(), "/nonexistent.so", &[]).expect(3);
    versus(
        folder.path(),
        &device(),
        &["--select", "nothing-is-called-so"],
    )
    .expect(0);
    let none = Done::of(
        classay()
            .args(["versus", &device(), &device(), "--select", "none*", "--out"])
            .arg(folder.path())
            .output()
            .expect("the program runs"),
    );
    none.expect(4).says(&["no shipped litmus test matches"]);
    let one = Done::of(
        classay()
            .args(["versus", &device()])
            .output()
            .expect("the program runs"),
    );
    one.expect(2);
}
