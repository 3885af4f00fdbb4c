//! What is known to fail, told from the command line, and what of it no longer does.

use crate::common::{Done, classay, device};
use std::path::Path;

/// Two litmus tests on a device whose kernels forget their fences, or on one that does not.
fn run(folder: &Path, broken: bool, more: &[&str]) -> Done {
    let mut command = classay();
    if broken {
        command.env("CLASSAY_LAYER_FAULTS", "corrupt@clEnqueueReadBuffer:*");
    }
    Done::of(
        command
            .args(["run", "--device", &device(), "--instances", "2000"])
            .args([
                "--select",
                "MP+rel+acq",
                "--select",
                "SB+rlx",
                "--seed",
                "1",
            ])
            .args(more)
            .arg("--store")
            .arg(folder.join("classay.db"))
            .current_dir(folder)
            .output()
            .expect("the program runs"),
    )
}

#[test]
fn a_gate_passes_with_what_is_expected_and_with_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write(
        "known.yaml",
        "cases:\n  - case: litmus/*\n    verdict: fail\n    reason: reads are corrupt\n    \
         link: https://example.com/1\n",
    );
    write(
        "half.yaml",
        "cases:\n  - case: litmus/*/MP*\n    verdict: [fail, pass]\n    reason: now and then\n",
    );
    write(
        "others.yaml",
        "device: { platform: Nowhere }\ncases:\n  - case: \"*\"\n    verdict: fail\n    reason: r\n",
    );

    run(folder, true, &[]).expect(1);
    let known = run(
        folder,
        true,
        &["--expect", "known.yaml", "--junit", "known.xml"],
    )
    .expect(0);
    for words in ["as expected: reads are corrupt", "2 as expected, 0 not"] {
        assert!(known.stdout.contains(words), "{words}\n{}", known.told());
    }
    let xml = std::fs::read_to_string(folder.join("known.xml")).expect("a report");
    assert_eq!(xml.matches("<skipped").count(), 2, "{xml}");
    assert!(
        xml.contains("fail, as expected: reads are corrupt (https://example.com/1)"),
        "{xml}"
    );

    // The other test fails, too, and of that nothing is known.
    run(folder, true, &["--expect", "half.yaml"]).expect(1);
    run(folder, false, &["--expect", "half.yaml"]).expect(0);
    let other = run(folder, true, &["--expect", "others.yaml"]).expect(1);
    other.says(&["is for other devices"]);

    // What no longer fails is told, and fails the gate.
    let mended = run(
        folder,
        false,
        &["--expect", "known.yaml", "--junit", "mended.xml"],
    )
    .expect(1);
    assert!(
        mended.stdout.contains("unexpectedly passes: expected fail"),
        "{}",
        mended.told()
    );
    let xml = std::fs::read_to_string(folder.join("mended.xml")).expect("a report");
    assert_eq!(xml.matches("type=\"unexpected\"").count(), 2, "{xml}");
    let json = run(folder, false, &["--expect", "known.yaml", "--json"]).expect(1);
    for object in json.json() {
        assert_eq!(object["expectation"]["met"], false, "{object}");
        assert_eq!(object["verdict"], "pass", "{object}");
    }
}

#[test]
fn a_file_that_is_wrong_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(
        folder.join("wrong.yaml"),
        "cases:\n  - case: a\n    verdict: bad\n    reason: r\n",
    )
    .expect("a file");
    run(folder, false, &["--expect", "wrong.yaml"])
        .expect(2)
        .says(&["wrong.yaml", "one or more of pass, fail", "line"]);
    run(folder, false, &["--expect", "none.yaml"])
        .expect(2)
        .says(&["none.yaml", "cannot be read"]);
}

#[test]
fn a_run_ends_after_so_many_failures() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let ended = run(folder, true, &["--max-fail", "1"]).expect(1);
    for words in [
        "1 fail",
        "1 of 2 cases not reached",
        "ended after 1 failure (--max-fail)",
    ] {
        assert!(ended.told().contains(words), "{words}\n{}", ended.told());
    }
    // What was not reached is there to go on with.
    let resume = ["run", "--resume", "--store"];
    let mut rest = classay();
    rest.args(resume).arg(folder.join("classay.db"));
    let rest = Done::of(rest.output().expect("the program runs")).expect(1);
    assert!(rest.stdout.contains("2 cases"), "{}", rest.told());
    // What is expected ends nothing.
    let known = "cases:\n  - case: litmus/*\n    verdict: fail\n    reason: reads are corrupt\n";
    std::fs::write(folder.join("known.yaml"), known).expect("a file");
    let known = ["--max-fail", "1", "--expect", "known.yaml"];
    let whole = run(folder, true, &known).expect(0);
    assert!(whole.told().contains("2 fail"), "{}", whole.told());
}

#[test]
fn a_start_that_fails_leaves_no_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    run(folder, false, &["--junit", "/nowhere/at/all.xml"]).expect(6);
    run(folder, false, &["--expect", "missing.yaml"]).expect(2);
    let mut other = classay();
    other.args(["run", "--device", "/no/library.so", "--store"]);
    Done::of(
        other
            .arg(folder.join("classay.db"))
            .output()
            .expect("it runs"),
    )
    .expect(3);
    let mut resume = classay();
    resume
        .args(["run", "--resume", "--store"])
        .arg(folder.join("classay.db"));
    let done = Done::of(resume.output().expect("the program runs")).expect(2);
    assert!(done.stderr.contains("no run"), "{}", done.told());
    assert!(!folder.join("known.xml").exists());
}

#[test]
fn what_would_run_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = run(folder.path(), false, &["--list", "--skip", "SB*"]).expect(0);
    assert_eq!(listed.stdout, "litmus/classic/MP+rel+acq\n");
    assert!(!folder.path().join("classay.db").exists());
    run(folder.path(), false, &["--skip", "*"]).expect(4);
}
