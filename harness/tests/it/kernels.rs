//! Kernel cases: a clean run passes, and faults are found.

use crate::common::{Done, classay, device};
use std::collections::BTreeMap;

/// Runs so many cases of some families, with a fault of the layer or without; the exit code and how
/// many cases of each family failed.
fn run(families: &[&str], cases: u32, fault: Option<&str>) -> (Done, BTreeMap<String, usize>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = classay();
    command.args(["run", "--device", &device(), "--seed", "7", "--json"]);
    command.args(["--instances", "2", "--programs", &cases.to_string()]);
    command.arg("--store").arg(folder.path().join("store"));
    for family in families {
        command.args(["--select", &format!("{family}/*")]);
    }
    if let Some(fault) = fault {
        command.env("CLASSAY_LAYER_FAULTS", fault);
    }
    let done = Done::of(command.output().expect("classay runs"));
    let mut failed = BTreeMap::new();
    for case in done.json() {
        let id = case["case"].as_str().unwrap_or_default();
        let family = id.rsplit_once('/').map_or(id, |(family, _)| family);
        match case["verdict"].as_str() {
            Some("fail") => *failed.entry(family.to_string()).or_default() += 1,
            Some("pass" | "skip") => {}
            other => panic!("{id}: {other:?}\n{}", done.told()),
        }
    }
    (done, failed)
}

const ALL: [&str; 9] = [
    "ndrange",
    "group",
    "subgroup",
    "atomics",
    "transfer",
    "memory/disjoint",
    "memory/program-scope",
    "memory/generic",
    "memory/arguments",
];

#[test]
fn a_clean_run_passes() {
    let mut families = ALL.to_vec();
    families.extend(["svm/structures", "svm/bytes"]);
    families.extend(["enqueue", "image", "pipe", "program"]);
    let (done, failed) = run(&families, 6, None);
    done.expect(0);
    assert!(failed.is_empty(), "{failed:?}");
}

/// Each fault is found by the family that looks for it.
fn found(family: &str, cases: u32, faults: &[&str]) {
    for fault in faults {
        let (done, failed) = run(&[family], cases, Some(fault));
        assert!(
            !failed.is_empty(),
            "{fault} is not detected by {family}\n{}",
            done.told()
        );
        done.expect(1);
    }
}

#[test]
fn faults_of_the_index_space_are_found() {
    found(
        "ndrange",
        12,
        &[
            "offset-dropped",
            "offset-32-bit",
            "last-group-lost",
            "remainder-lost",
            "kernel-runs-twice",
            "group-size-accepted",
            "global-id-repeats",
            "local-id-reversed",
            "group-count-short",
        ],
    );
}

#[test]
fn faults_of_groups_and_atomics_are_found() {
    found(
        "group",
        6,
        &["drop-work-group-barriers", "barrier-to-fence"],
    );
    found(
        "atomics",
        32,
        &["split-read-modify-write", "blind-compare-exchange"],
    );
}

#[test]
fn faults_of_transfers_are_found() {
    found(
        "transfer",
        8,
        &[
            "read-short",
            "fill-pattern-wrong",
            "rect-row-pitch-ignored",
            "copy-overlap-accepted",
            "sub-buffer-origin-ignored",
            "unmap-loses-writes",
            "svm-copy-short",
        ],
    );
}

#[test]
fn faults_of_regions_are_found() {
    found("memory/program-scope", 2, &["initializers-dropped"]);
    found(
        "memory/generic",
        4,
        &["get-fence-swapped", "to-address-null"],
    );
    found("memory/arguments", 12, &["arg-truncated"]);
    found("svm/structures", 8, &["svm-pointer-to-base"]);
}

#[test]
fn faults_of_where_kernels_come_from_are_found() {
    found("program/built-in", 4, &["built-in-kernels-first-only"]);
    found("program/again", 2, &["rebuilt-differs"]);
}

#[test]
fn faults_of_images_are_found() {
    found(
        "image/transfer",
        24,
        &["image-fill-short", "image-origin-ignored"],
    );
}

#[test]
fn a_drawn_case_is_printed_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = classay();
    command.args(["program", "--seed", "7", "ndrange/ids/00001"]);
    let printed = Done::of(command.output().expect("classay runs")).expect(0);
    let file = folder.path().join("case.yaml");
    std::fs::write(&file, &printed.stdout).expect("a file");
    let mut command = classay();
    command.args(["replay", "--device", &device(), "--instances", "3"]);
    command
        .arg("--store")
        .arg(folder.path().join("store"))
        .arg(&file);
    Done::of(command.output().expect("classay runs")).expect(0);
}
