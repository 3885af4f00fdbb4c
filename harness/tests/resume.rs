//! A run that is killed at any moment and resumed ends with the results of one that was not.

mod common;

use common::{classay, device, run};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Rounds of killing; CLASSAY_TEST_KILLS asks for more.
fn rounds() -> u64 {
    std::env::var("CLASSAY_TEST_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6)
}

fn begin(store: &Path) -> Command {
    let mut command = classay();
    command
        .args(["run", "--seed", "42", "--instances", "3000", "--json"])
        .args([
            "--select", "Co*", "--select", "SB+rlx*", "--select", "RMW+add*",
        ])
        .args(["--device", &device(), "--store"])
        .arg(store);
    command
}

fn resume(store: &Path) -> Command {
    let mut command = classay();
    command
        .args(["run", "--resume", "--json", "--store"])
        .arg(store);
    command
}

/// Test → verdict and counts. On a device that draws its own luck, the instances alone.
fn results(lines: &[serde_json::Value]) -> BTreeMap<String, String> {
    let same = device() == "touchstone";
    lines
        .iter()
        .map(|o| {
            let counts = if same {
                &o["outcomes"]
            } else {
                &o["instances"]
            };
            (o["test"].to_string(), format!("{} {counts}", o["verdict"]))
        })
        .collect()
}

/// A number from 0 to `below`, different for each `round`.
fn scattered(round: u64, below: u64) -> u64 {
    round.wrapping_mul(0x9e37_79b9_7f4a_7c15) % below
}

#[test]
fn killed_at_any_moment_and_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let undisturbed = run(&mut begin(&folder.path().join("whole.db"))).expect(0);
    let expected = results(&undisturbed.json());
    assert!(expected.len() > 5, "{expected:?}");
    let mut killed = 0;
    for round in 0..rounds() {
        let store = folder.path().join(format!("{round}.db"));
        let mut next = begin(&store);
        for blow in 0..4 {
            let mut child = next
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the program can be started");
            std::thread::sleep(Duration::from_millis(scattered(4 * round + blow + 1, 1500)));
            killed += u32::from(child.try_wait().expect("a status").is_none());
            child.kill().expect("killed");
            child.wait().expect("ended");
            // Killed before the run was described, there is nothing to resume.
            let described = run(&mut resume(&store)).code != Some(2);
            if described {
                break;
            }
            next = begin(&store);
        }
        let mut done = run(&mut resume(&store));
        if done.code == Some(2) {
            done = run(&mut begin(&store));
        }
        let done = done.expect(0);
        assert_eq!(results(&done.json()), expected, "round {round}");
    }
    assert!(killed > 0, "every run ended before it was killed");
}

#[test]
fn a_resumed_run_keeps_its_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let mut child = begin(&store)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    // The first line is the first case, committed.
    let mut first = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    std::io::BufRead::read_line(&mut out, &mut first).expect("a line");
    child.kill().expect("killed");
    child.wait().expect("ended");
    for (option, value) in [
        ("--seed", "43"),
        ("--instances", "3001"),
        ("--budget", "10"),
        ("--device", "libm.so.6"),
        ("--select", "MP*"),
    ] {
        run(resume(&store).args([option, value]))
            .expect(2)
            .says(&["was begun with", "leave"]);
    }
    let done = run(resume(&store).args(["--seed", "42", "--instances", "3000"])).expect(0);
    let lines = done.json();
    let first: serde_json::Value = serde_json::from_str(&first).expect("json");
    assert_eq!(lines[0], first, "what was committed is kept as it was");
    // Done: resuming again says the same again.
    let again = run(&mut resume(&store)).expect(0).says(&["is complete"]);
    assert_eq!(again.json(), lines);
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    if device() != "touchstone" {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let one = run(&mut begin(&folder.path().join("1.db"))).expect(0);
    let two = run(&mut begin(&folder.path().join("2.db"))).expect(0);
    assert_eq!(results(&one.json()), results(&two.json()));
}
