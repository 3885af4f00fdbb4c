//! `classay explain`: what it prints, what it writes, and how it ends. No device is needed.

use crate::common::{classay, run, write};
use std::path::{Path, PathBuf};

const USAGE: i32 = 2;
const STORE: i32 = 6;

/// A shipped test as a file.
fn test(folder: &Path, name: &str) -> PathBuf {
    let (_, text) = classay_litmus::shipped()
        .iter()
        .find(|(n, _)| *n == name)
        .expect("a shipped test");
    write(folder, &format!("{name}.litmus"), text)
}

#[test]
fn a_forbidden_outcome_and_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test(folder.path(), "WRC+rel+acq");
    let (svg, dot) = (folder.path().join("a.svg"), folder.path().join("a.dot"));
    let done = run(classay()
        .arg("explain")
        .arg(&file)
        .args(["--outcome", "1:r0=1 /\\ 2:r1=1 /\\ 2:r2=0"])
        .args(["--model", "opencl-3.0", "--svg"])
        .arg(&svg)
        .arg("--dot")
        .arg(&dot))
    .expect(0);
    for words in [
        "1:r0=1 2:r1=1 2:r2=0 is forbidden by opencl-3.0",
        "mm.coherence.rr (opencl-base.cat:",
        "e -fr-> a -rf-> b -po-> c -gsw: rf-> d -po-> e",
        "P1, the store to y: release → relaxed",
    ] {
        assert!(done.stdout.contains(words), "{words}\n{}", done.told());
    }
    let picture = std::fs::read_to_string(&svg).expect("the SVG");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    let graph = std::fs::read_to_string(&dot).expect("the DOT");
    assert!(graph.starts_with("digraph execution {"), "{graph}");
}

#[test]
fn without_an_outcome_the_test_asks() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test(folder.path(), "SB+rlx");
    let done = run(classay().arg("explain").arg(&file)).expect(0);
    let words = "0:r0=0 1:r1=0 is allowed by opencl-3.1";
    assert!(done.stdout.contains(words), "{}", done.told());
}

#[test]
fn an_impossible_outcome_has_no_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test(folder.path(), "SB+rlx");
    let svg = folder.path().join("a.svg");
    let done = run(classay()
        .arg("explain")
        .arg(&file)
        .args(["--outcome", "0:r0=7", "--svg"])
        .arg(&svg))
    .expect(0)
    .says(&["no execution gives these values"]);
    assert!(done.stdout.contains("is impossible"), "{}", done.told());
    assert!(!svg.exists());
}

#[test]
fn what_takes_too_long_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test(folder.path(), "SB+rlx");
    for command in ["explain", "judge"] {
        run(classay()
            .arg(command)
            .arg(&file)
            .args(["--timeout", "1e-9"]))
        .expect(USAGE)
        .says(&["that takes more than 0.000000001 s"]);
        run(classay()
            .arg(command)
            .arg(&file)
            .args(["--timeout", "never"]))
        .expect(USAGE)
        .says(&["--timeout"]);
    }
}

#[test]
fn mistakes_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = test(folder.path(), "SB+rlx");
    for (outcome, words) in [
        ("0:r9=0", "the test has no `0:r9`; it has 0:r0, 1:r1, x, y"),
        ("0:r0=maybe", "`maybe` is no value for 0:r0"),
        ("0:r0=99999999999", "0:r0 is int and never 99999999999"),
        ("0:r0", "it is written like '0:r0=0 1:r1=0'"),
        ("", "the outcome is empty"),
    ] {
        run(classay()
            .arg("explain")
            .arg(&file)
            .args(["--outcome", outcome]))
        .expect(USAGE)
        .says(&["error: --outcome: ", words]);
    }
    let broken = write(folder.path(), "broken.litmus", "OPENCL broken");
    run(classay().arg("explain").arg(&broken)).expect(USAGE);
    run(classay().args(["explain", "/nowhere.litmus"]))
        .expect(USAGE)
        .says(&["/nowhere.litmus cannot be read"]);
    run(classay()
        .arg("explain")
        .arg(&file)
        .args(["--model", "nobody"]))
    .expect(USAGE)
    .says(&["no model is named `nobody`"]);
    run(classay().arg("explain")).expect(USAGE).says(&["TEST"]);
    run(classay()
        .arg("explain")
        .arg(&file)
        .args(["--svg", "/nowhere/a.svg"]))
    .expect(STORE)
    .says(&["cannot write /nowhere/a.svg"]);
}
