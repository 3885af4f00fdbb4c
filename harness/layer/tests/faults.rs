//! Each fault breaks what it names, when it is asked to, and nothing else.

mod common;

use common::{adding_on, fake_driver, stderr, stdout, with_faults};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

#[test]
fn no_fault_is_no_difference() {
    assert!(with_faults("", 3).status.success());
}

#[test]
fn the_process_dies_as_asked_and_only_then() {
    let crash = with_faults("crash@clCreateKernel", 1);
    assert_eq!(crash.status.signal(), Some(libc::SIGSEGV));
    assert!(
        stderr(&crash).contains("fault: crash in clCreateKernel"),
        "{}",
        stderr(&crash)
    );
    assert_eq!(
        with_faults("abort@clFinish", 1).status.signal(),
        Some(libc::SIGABRT)
    );
    assert_eq!(
        with_faults("exit=7@clBuildProgram", 1).status.code(),
        Some(7)
    );
    assert!(with_faults("crash@clCreateKernel:4", 3).status.success());
    assert_eq!(
        with_faults("crash@clCreateKernel:3", 3).status.signal(),
        Some(libc::SIGSEGV)
    );
    assert_eq!(
        with_faults("crash@*:20", 9).status.signal(),
        Some(libc::SIGSEGV)
    );
}

#[test]
fn a_hang_does_not_end() {
    let mut child = adding_on(fake_driver())
        .env("CLASSAY_LAYER_FAULTS", "hang@clFinish")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(700) {
        assert!(child.try_wait().expect("a child").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("killed");
    let output = child.wait_with_output().expect("an end");
    assert!(stderr(&output).contains("fault: hang in clFinish"));
}

#[test]
fn a_delay_is_as_long_as_asked() {
    let begin = Instant::now();
    assert!(with_faults("delay=150@clFinish:*", 2).status.success());
    assert!(begin.elapsed() >= Duration::from_millis(300));
}

#[test]
fn rubbish_is_written_and_the_call_goes_on() {
    let out = with_faults("stdout@clFinish:*", 2);
    assert!(out.status.success());
    assert_eq!(out.stdout.iter().filter(|byte| **byte == 0xff).count(), 2);
    let err = with_faults("stderr@clFinish", 2);
    assert!(err.status.success());
    assert!(err.stderr.contains(&0xff) && !err.stdout.contains(&0xff));
}

#[test]
fn an_error_comes_instead_of_the_call() {
    for (faults, says) in [
        ("error=CL_OUT_OF_RESOURCES@clFinish", "clFinish: -5"),
        ("error=-11@clBuildProgram", "clBuildProgram: -11"),
        ("error=-4@clCreateBuffer:2", "clCreateBuffer: -4"),
        ("error=-48@clCreateKernel:%3", "clCreateKernel: -48"),
    ] {
        let output = with_faults(faults, 3);
        assert_eq!(output.status.code(), Some(1), "{faults}");
        assert_eq!(stderr(&output), format!("failed: {says}\n"));
    }
    assert!(
        with_faults("error=-48@clCreateKernel:%3", 2)
            .status
            .success()
    );
}

#[test]
fn data_is_corrupted_though_the_read_does_not_block() {
    let output = with_faults("corrupt@clEnqueueReadBuffer:2", 3);
    assert_eq!(stderr(&output), "failed: sum[0] is 1, not 0\n");
    assert!(
        with_faults("corrupt@clEnqueueReadBuffer:2", 1)
            .status
            .success()
    );
}

#[test]
fn a_skipped_finish_leaves_the_data_unread() {
    let output = with_faults("skip@clFinish", 1);
    assert_eq!(stderr(&output), "failed: sum[1] is 0, not 8\n");
}

#[test]
fn devices_are_described_as_what_they_are_not() {
    let output = with_faults("spoof=version:1.2,spoof=CL_DEVICE_NAME:Imposter", 1);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("device: OpenCL 1.2 Fake"),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output).contains("device: Imposter"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn sources_are_mutated_before_the_driver_sees_them() {
    assert!(stdout(&with_faults("", 1)).contains("barrier(CLK_GLOBAL_MEM_FENCE);"));
    assert!(stdout(&with_faults("swap-flags", 1)).contains("barrier(CLK_LOCAL_MEM_FENCE);"));
    let dropped = stdout(&with_faults("drop-barriers", 1));
    assert!(
        dropped.contains("((void)0);") && !dropped.contains("barrier"),
        "{dropped}"
    );
}

#[test]
fn a_wrong_setting_ends_the_process_with_2() {
    for faults in [
        "crash@clFinsh",
        "crsh@clFinish",
        "crash@clFinish,,",
        "spoof=nothing",
    ] {
        let output = with_faults(faults, 1);
        assert_eq!(output.status.code(), Some(2), "{faults}");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("CLASSAY_LAYER_FAULTS=list"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn the_list_is_printed_on_request() {
    let output = with_faults("list", 1);
    assert_eq!(output.status.code(), Some(0));
    for word in [
        "crash@FUNCTION",
        "relax-orders",
        "spoof=CLAIM",
        "svm-atomics",
        "~PROBABILITY",
    ] {
        assert!(stderr(&output).contains(word), "{word}");
    }
    assert_eq!(stdout(&output), "");
}

#[test]
fn counters_in_a_file_go_on_from_process_to_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    let run = |faults: &str| {
        adding_on(fake_driver())
            .env("CLASSAY_LAYER_FAULTS", faults)
            .env("CLASSAY_LAYER_STATE", &state)
            .output()
            .expect("runs")
            .status
    };
    let signals: Vec<_> = (0..5)
        .map(|_| run("crash@clBuildProgram:3").signal())
        .collect();
    assert_eq!(signals, [None, None, Some(libc::SIGSEGV), None, None]);
    // A rate: the same calls of the same seed, however many processes make them.
    let failures = |faults| (0..40).filter(|_| !run(faults).success()).count();
    let failed = failures("error=-5@clFinish:~0.3/11");
    assert!((3..25).contains(&failed), "{failed}");
    std::fs::write(&state, "something else").expect("written");
    assert_eq!(run("crash@clBuildProgram:3").code(), Some(2));
    assert_eq!(std::fs::read(&state).expect("read"), b"something else");
}
