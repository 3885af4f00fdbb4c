//! A run that is killed at any moment and resumed ends with the results of one that was not.

use crate::common::{Done, classay, device, run};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

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
            // Threads of the host make no two runs alike.
            "--select",
            "Co??",
            "--select",
            "Co???",
            "--select",
            "CoRR+local",
            "--select",
            "SB+rlx*",
            "--select",
            "RMW+add*",
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

/// Test → verdict and counts. Counts are compared where the device repeats itself: on Touchstone
/// with one thread. Elsewhere the instances are.
fn results(lines: &[serde_json::Value]) -> BTreeMap<String, String> {
    lines
        .iter()
        .map(|o| {
            let test = o["test"].as_str().expect("a name");
            let counts = if device() == "touchstone" {
                &o["outcomes"]
            } else {
                &o["instances"]
            };
            (test.to_string(), format!("{} {counts}", o["verdict"]))
        })
        .collect()
}

/// A number from 0 to 1, different for each `n` and spread evenly.
fn scattered(n: u64) -> f64 {
    (n as f64 * 0.618_033_988_75).fract()
}

#[test]
fn killed_at_any_moment_and_resumed() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let undisturbed = run(&mut begin(&folder.path().join("whole.db"))).expect(0);
    let whole = begun.elapsed();
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
            std::thread::sleep(whole.mul_f64(scattered(4 * round + blow)));
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
    assert_eq!(by_test(again.json()), by_test(lines));
}

/// Results are printed as cases end, and those that a store has in the order of its plan.
fn by_test(mut lines: Vec<serde_json::Value>) -> Vec<serde_json::Value> {
    lines.sort_by_key(|line| line["test"].to_string());
    lines
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

/// The children of a process.
fn children(parent: u32) -> Vec<String> {
    let path = format!("/proc/{parent}/task/{parent}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_string).collect()
}

#[test]
fn workers_killed_at_any_moment_cost_what_they_were_doing() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let undisturbed = run(&mut begin(&folder.path().join("whole.db"))).expect(0);
    let whole = begun.elapsed();
    let expected = results(&undisturbed.json());
    let mut killed = 0;
    for round in 0..4 * rounds() {
        // On a machine that was busier before, a run may have ended whenever a worker was to be killed.
        if round >= rounds() && killed > 0 {
            break;
        }
        let store = folder.path().join(format!("{round}.db"));
        let child = begin(&store)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        std::thread::sleep(whole.mul_f64(scattered(round)));
        for worker in children(child.id()) {
            let kill = Command::new("kill").args(["-KILL", &worker]).status();
            killed += u32::from(kill.is_ok_and(|s| s.success()));
        }
        let end = Done::of(child.wait_with_output().expect("an end"));
        match end.code {
            // Killed while the device was opened for the first time: nothing has begun.
            Some(3) => continue,
            Some(0 | 1) => {}
            Some(_) | None => panic!("{}", end.told()),
        }
        let lines = end.json();
        assert_eq!(lines.len(), expected.len(), "{}", end.told());
        for line in &lines {
            let reason = line["reason"].as_str().expect("a reason");
            match line["verdict"].as_str() {
                Some("pass" | "skip") => {}
                Some("crash" | "flaky") => assert!(reason.contains("SIGKILL"), "{line}"),
                Some(_) | None => panic!("{line}"),
            }
            // The second try of a killed case ran to its end.
            assert!(
                line["verdict"] == "skip" || line["instances"] == 3000,
                "{line}"
            );
        }
        let crashed = lines
            .iter()
            .filter(|l| l["verdict"] == "flaky" || l["verdict"] == "crash")
            .count();
        assert!(crashed <= 1, "one worker was killed: {}", end.told());
    }
    assert!(killed > 0, "no worker was killed");
}

/// Every shipped test, so that the store outgrows its empty tables.
fn begin_all(store: &Path) -> Command {
    let mut command = classay();
    command
        .args([
            "run",
            "--seed",
            "42",
            "--instances",
            "500",
            "--programs",
            "0",
            "--bounded",
            "5",
            "--json",
        ])
        .args(["--device", &device(), "--store"])
        .arg(store);
    command
}

/// A file that may not grow stands for a disk that is full.
#[test]
fn a_full_disk_is_told_and_what_was_committed_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s.db");
    let undisturbed = folder.path().join("whole.db");
    let whole = run(&mut begin_all(&undisturbed)).expect(0).json();
    let size = std::fs::metadata(&undisturbed).expect("the store").len();
    let mut full = None;
    for share in (1..8).rev() {
        let _ = std::fs::remove_file(&store);
        let command = begin_all(&store);
        let mut limited = Command::new("/bin/sh");
        limited
            .args(["-c", r#"trap '' XFSZ; ulimit -f "$0"; exec "$@""#])
            // In blocks of 512 bytes.
            .arg((size * share / 8 / 512).to_string())
            .arg(command.get_program())
            .args(command.get_args())
            .env("TOUCHSTONE_THREADS", "1");
        let done = run(&mut limited).expect(6).says(&["results store"]);
        let committed = done.json();
        if !committed.is_empty() {
            full = Some((done, committed));
            break;
        }
    }
    let (done, committed) = full.expect("some size is full in the middle of the run");
    let done = done.says(&["--resume"]);
    assert!(committed.len() < whole.len(), "{}", done.told());
    let resumed = run(&mut resume(&store)).expect(0).json();
    assert_eq!(resumed.len(), whole.len());
    for line in &committed {
        assert!(
            resumed.contains(line),
            "committed is kept as it was: {line}"
        );
    }
}
