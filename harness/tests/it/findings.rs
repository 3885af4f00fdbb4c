//! What implementations were found to do wrong, Touchstone does right.

use crate::common::{Done, classay, device};
use std::path::{Path, PathBuf};

/// Every program of the findings.
fn findings() -> Vec<PathBuf> {
    of("../suites/findings")
}

/// Those of a folder, in folders by their implementations.
fn of(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = |path: &Path| -> Vec<PathBuf> {
        let read = std::fs::read_dir(path).expect("a folder of findings");
        let mut all: Vec<PathBuf> = read.map(|e| e.expect("an entry").path()).collect();
        all.sort();
        all
    };
    entries(&folder)
        .iter()
        .filter(|path| path.is_dir())
        .flat_map(|path| entries(path))
        .collect()
}

#[test]
fn touchstone_plays_them_as_the_rules_require() {
    let all = findings();
    assert!(all.len() > 15, "{all:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = classay();
    command.args([
        "replay",
        "--device",
        &device(),
        "--instances",
        "3",
        "--json",
    ]);
    command.arg("--store").arg(folder.path().join("store"));
    command.args(&all);
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let verdicts: Vec<String> = done
        .json()
        .iter()
        .map(|case| format!("{} {}", case["test"], case["verdict"]))
        .collect();
    assert_eq!(verdicts.len(), all.len(), "{verdicts:?}");
    let passed = verdicts.iter().filter(|v| v.contains("\"pass\"")).count();
    // Where Touchstone lacks what a program needs, it says so.
    let skipped = verdicts.iter().filter(|v| v.contains("\"skip\"")).count();
    assert_eq!(passed + skipped, all.len(), "{verdicts:?}");
    assert!(passed > 15, "{verdicts:?}");
}

#[test]
fn litmus_tests_are_named_in_the_table_and_allow_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites/findings");
    let table = std::fs::read_to_string(folder.join("README.md")).expect("the table");
    let all = of("../litmus/findings");
    assert!(!all.is_empty());
    for path in &all {
        let place = path.iter().rev().take(2).collect::<Vec<_>>();
        let named = format!(
            "litmus/findings/{}/{}`",
            place[1].display(),
            place[0].display()
        );
        assert!(table.contains(&named), "{named}");
    }
    let mut command = classay();
    command
        .args(["judge", "--model", "vulkan", "--json"])
        .args(&all);
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    for test in done.json() {
        assert_eq!(
            (&test["holds"], &test["racy"]),
            (&true.into(), &false.into()),
            "{test}"
        );
    }
}

#[test]
fn each_is_named_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites/findings");
    let table = std::fs::read_to_string(folder.join("README.md")).expect("the table");
    for path in findings() {
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(table.contains(&format!("`{name}`")), "{name}");
    }
}
