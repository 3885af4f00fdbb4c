//! Drivers that crash, hang, exit and print: each costs one case, and the run goes on.
//!
//! The driver is the test device behind the layer, which does what CLASSAY_LAYER_FAULTS says.

use crate::common::{Done, SB, classay, device, eventually, run, write};
use std::path::Path;
use std::process::{Command, Stdio};

/// `classay litmus` on two tests, `first` and `second`, with faults.
fn faulty(folder: &Path, faults: &str) -> Command {
    let first = write(
        folder,
        "first.litmus",
        SB.replace("OPENCL SB", "OPENCL first"),
    );
    let second = write(
        folder,
        "second.litmus",
        SB.replace("OPENCL SB", "OPENCL second"),
    );
    let mut command = classay();
    command
        .arg("litmus")
        .args([&first, &second])
        .args([
            "--json",
            "--instances",
            "2000",
            "--seed",
            "1",
            "--device",
            &device(),
        ])
        .env("CLASSAY_LAYER_FAULTS", faults);
    command
}

/// The result of the test called `name`.
#[track_caller]
fn result(done: &Done, name: &str) -> serde_json::Value {
    done.json()
        .into_iter()
        .find(|o| o["test"] == name)
        .unwrap_or_else(|| panic!("no result for {name}\n{}", done.told()))
}

#[track_caller]
fn reason_has(result: &serde_json::Value, words: &[&str]) {
    let reason = result["reason"].as_str().expect("a reason");
    for word in words {
        assert!(reason.contains(word), "{word:?} is not in {reason:?}");
    }
}

#[test]
fn without_faults_both_tests_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = run(&mut faulty(folder.path(), "")).expect(0);
    for name in ["first", "second"] {
        let result = result(&done, name);
        assert_eq!(result["verdict"], "pass", "{result}");
        assert_eq!(result["instances"], 2000);
    }
}

#[test]
fn every_way_to_die_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for (fault, how) in [
        ("crash@clEnqueueNDRangeKernel", "SIGSEGV"),
        ("abort@clEnqueueNDRangeKernel", "SIGABRT"),
        ("exit=7@clEnqueueNDRangeKernel", "exited with code 7"),
    ] {
        let done = run(&mut faulty(folder.path(), fault)).expect(1);
        for name in ["first", "second"] {
            let result = result(&done, name);
            assert_eq!(result["verdict"], "crash", "{result}");
            reason_has(&result, &[how, "2 of 2 attempts"]);
        }
    }
}

#[test]
fn a_crash_costs_one_case_and_a_pass_after_it_is_no_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = faulty(folder.path(), "crash@clEnqueueNDRangeKernel:1");
    command.env("CLASSAY_LAYER_STATE", folder.path().join("state"));
    let done = run(&mut command).expect(1);
    let first = result(&done, "first");
    assert_eq!(first["verdict"], "flaky");
    assert_eq!(first["instances"], 2000, "the second try ran to its end");
    reason_has(
        &first,
        &["SIGSEGV", "1 of 2 attempts", "an attempt that ended gives"],
    );
    assert_eq!(result(&done, "second")["verdict"], "pass");

    // A gate may let it pass, and no other death.
    let state = folder.path().join("again");
    let mut again = faulty(folder.path(), "crash@clEnqueueNDRangeKernel:1");
    again
        .env("CLASSAY_LAYER_STATE", state)
        .arg("--accept-flaky");
    let lenient = run(&mut again).expect(0);
    assert_eq!(result(&lenient, "first")["verdict"], "flaky");
    let mut dies = faulty(folder.path(), "crash@clEnqueueNDRangeKernel:*");
    run(dies.arg("--accept-flaky")).expect(1);
}

#[test]
fn retries_say_how_often() {
    let folder = tempfile::tempdir().expect("a folder");
    for (retries, words) in [("0", "(1 attempt)"), ("3", "4 of 4 attempts")] {
        let mut command = faulty(folder.path(), "crash@clEnqueueNDRangeKernel");
        let done = run(command.args(["--retries", retries])).expect(1);
        reason_has(&result(&done, "first"), &[words]);
    }
}

#[test]
fn a_hang_is_a_timeout() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = faulty(folder.path(), "hang@clEnqueueNDRangeKernel:1");
    command.env("CLASSAY_LAYER_STATE", folder.path().join("state"));
    let done = run(command.args(["--case-timeout", "2", "--retries", "0"])).expect(1);
    let first = result(&done, "first");
    assert_eq!(first["verdict"], "timeout", "{first}");
    reason_has(&first, &["no sign of life for 2 s"]);
    assert_eq!(result(&done, "second")["verdict"], "pass");
}

#[test]
fn a_driver_that_prints_disturbs_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    for fault in ["stdout@clEnqueueNDRangeKernel:*", "stderr@*:*"] {
        let done = run(&mut faulty(folder.path(), fault)).expect(0);
        assert_eq!(result(&done, "first")["instances"], 2000);
    }
}

#[test]
fn counts_that_do_not_add_up_are_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = run(&mut faulty(folder.path(), "corrupt@clEnqueueReadBuffer:*")).expect(1);
    let first = result(&done, "first");
    assert_eq!(first["verdict"], "fail", "{first}");
}

#[test]
fn a_driver_that_dies_while_it_is_opened_is_no_device() {
    let folder = tempfile::tempdir().expect("a folder");
    run(&mut faulty(folder.path(), "crash@clCreateContext"))
        .expect(3)
        .says(&[
            "could not be opened",
            "SIGSEGV",
            "Its last words: classay-layer: fault",
        ]);
}

#[test]
fn the_end_of_standard_error_is_evidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let junit = folder.path().join("junit.xml");
    let mut command = faulty(folder.path(), "crash@clEnqueueNDRangeKernel");
    run(command.arg("--junit").arg(&junit)).expect(1);
    let xml = std::fs::read_to_string(junit).expect("the report");
    assert!(xml.contains("classay-layer: fault: crash"), "{xml}");
}

/// Processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| parent_of(*pid) == Some(parent))
        .collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// Whether the process is there and no zombie.
fn lives(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn signal(pid: u32, signal: &str) {
    let status = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    assert!(status.is_ok_and(|s| s.success()));
}

/// A program that hangs in its first case, with its worker.
fn hanging(folder: &Path, store: &Path) -> (std::process::Child, u32) {
    let state = folder.join("state");
    let child = faulty(folder, "hang@clEnqueueNDRangeKernel:1")
        .env("CLASSAY_LAYER_STATE", &state)
        .env("TMPDIR", folder)
        .arg("--store")
        .arg(store)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    // The layer counts a call before it hangs in it; a file without counts is its head alone.
    let counted = || std::fs::metadata(&state).is_ok_and(|m| m.len() > 16);
    eventually("the hang", || counted() && children(child.id()).len() == 1);
    std::thread::sleep(std::time::Duration::from_millis(100));
    let worker = children(child.id())[0];
    (child, worker)
}

#[test]
fn a_killed_parent_leaves_nothing_running() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut child, worker) = hanging(folder.path(), &folder.path().join("s.db"));
    assert!(lives(worker));
    child.kill().expect("killed");
    child.wait().expect("ended");
    eventually("the end of the worker", || !lives(worker));
    let files = std::fs::read_dir(folder.path()).expect("the folder");
    let names = files.map(|file| file.expect("a file").file_name());
    let names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
    let of_workers = |name: &&String| name.starts_with("classay-worker");
    assert_eq!(names.iter().find(of_workers), None, "{names:?}");
}

#[test]
fn ctrl_c_ends_cleanly_and_the_run_can_be_resumed() {
    for kind in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("s.db");
        let (child, worker) = hanging(folder.path(), &store);
        signal(child.id(), kind);
        let done = Done::of(child.wait_with_output().expect("ended")).expect(5);
        assert!(!lives(worker), "the worker outlived its parent");
        let done = done.says(&["interrupted", "0 of 2 cases are done", "--resume --store"]);
        assert_eq!(done.stdout, "");
        let resumed = run(classay()
            .args(["run", "--resume", "--json", "--store"])
            .arg(&store));
        let resumed = resumed.expect(0);
        for name in ["first", "second"] {
            assert_eq!(result(&resumed, name)["verdict"], "pass");
        }
    }
}

#[test]
fn a_killed_worker_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let (child, worker) = hanging(folder.path(), &folder.path().join("s.db"));
    signal(worker, "-KILL");
    let done = Done::of(child.wait_with_output().expect("ended")).expect(1);
    let first = result(&done, "first");
    assert_eq!(first["verdict"], "flaky");
    reason_has(&first, &["SIGKILL", "1 of 2 attempts"]);
    assert_eq!(result(&done, "second")["verdict"], "pass");
}
