//! Hunting from the command line: a device that breaks the memory model is found out and written up, a hunt
//! that was killed goes on, and one of a device that keeps the model finds nothing.

use crate::common::{Done, classay, device};
use std::path::Path;
use std::process::Command;

fn hunt(out: &Path, more: &[&str]) -> Command {
    let mut command = classay();
    command.args(["hunt", "--out"]);
    command.arg(out).args(more);
    command
}

/// The seed of the hunts.
const SEED: &str = "5";

fn begin(out: &Path, hours: &str) -> Command {
    let device = device();
    let more = [
        "--device", &device, "--seed", SEED, "--tests", "40", "--slice", "0.1", "--hours", hours,
    ];
    hunt(out, &more)
}

fn journal(out: &Path) -> String {
    std::fs::read_to_string(out.join("hunt.jsonl")).expect("a journal")
}

#[test]
fn a_device_that_breaks_the_model_is_written_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("hunt");
    // What is expected of barriers is gone from the kernels: of work-items, and of their memory. With this seed the
    // first violation is one that an execution explains, so that it can be drawn. (What local memory holds in the
    // end is read behind a barrier, too, and without it has values that none explains.)
    let done = Done::of(
        begin(&out, "0.1")
            .args(["--violations", "1", "--case-timeout", "120"])
            .env("CLASSAY_LAYER_FAULTS", "drop-barriers")
            .output()
            .expect("the program runs"),
    )
    .expect(1);
    assert!(
        done.stdout.contains("forbidden outcomes were written up"),
        "{}",
        done.told()
    );
    let found = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.is_dir())
        .expect("a finding");
    for file in [
        "report.md",
        "test.litmus",
        "test.yaml",
        "environment.yaml",
        "execution.svg",
        "reproduce.c",
    ] {
        let text = std::fs::read_to_string(found.join(file)).expect(file);
        assert!(text.len() > 20, "{file}: {text}");
    }
    let report = std::fs::read_to_string(found.join("report.md")).expect("a report");
    for words in [
        "forbids.",
        "## Why it is forbidden",
        "## What was seen",
        "classay litmus",
    ] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    // What was written down is a test that the model judges so.
    let judged = Done::of(
        classay()
            .args(["judge", "--json"])
            .arg(found.join("test.litmus"))
            .output()
            .expect("the program runs"),
    )
    .expect(0);
    assert!(
        !judged.stdout.contains("\"racy\":true"),
        "{}",
        judged.told()
    );
}

#[test]
fn a_hunt_that_was_killed_goes_on_and_finds_nothing_where_nothing_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("hunt");
    let mut child = begin(&out, "1").spawn().expect("the program runs");
    let trials = |text: &str| text.matches("\"kind\":\"trial\"").count();
    let begun = std::time::Instant::now();
    loop {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let text = std::fs::read_to_string(out.join("hunt.jsonl")).unwrap_or_default();
        if trials(&text) >= 3 {
            break;
        }
        assert!(begun.elapsed().as_secs() < 300, "it does not begin");
    }
    child.kill().expect("killed");
    child.wait().expect("its end");
    let before = journal(&out);
    let whole = before.rfind('\n').map_or(0, |at| at + 1);

    // Nothing is begun over it, and nothing else goes on with it.
    Done::of(begin(&out, "1").output().expect("the program runs"))
        .expect(2)
        .says(&["--resume goes on with it"]);
    let done = Done::of(
        hunt(&out, &["--resume", "--hours", "0.002", "--json"])
            .output()
            .expect("the program runs"),
    )
    .expect(0);
    let after = journal(&out);
    assert!(after.starts_with(&before[..whole]));
    let told = &done.json()[0];
    assert_eq!(told["seed"].to_string(), SEED);
    assert_eq!(told["violations"], serde_json::json!([]), "{}", done.told());
    assert_eq!(told["forbidden"], 0);
    assert_eq!(told["trials"], trials(&after));
    assert!(told["instances"].as_u64() > Some(0), "{}", done.told());
}

#[test]
fn what_cannot_be_gone_on_with_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |more: &[&str]| {
        Done::of(
            hunt(folder.path(), more)
                .output()
                .expect("the program runs"),
        )
    };
    run(&["--resume"])
        .expect(2)
        .says(&["has no hunt to go on with"]);
    std::fs::write(folder.path().join("hunt.jsonl"), "rubbish\n").expect("a file");
    run(&["--resume"])
        .expect(2)
        .says(&["line 1 is none of a hunt's"]);
    run(&["--hours", "0"]).expect(2);
}
