//! Generated tests as users meet them: listed, written, and judged again from their files.

mod common;

use common::{classay, run};
use std::collections::HashSet;

const PASSED: i32 = 0;
const USAGE: i32 = 2;
const NOTHING: i32 = 4;
const OUTPUT: i32 = 6;

#[test]
fn a_selection_is_listed_by_name_and_class() {
    let mut command = classay();
    command.args([
        "generate",
        "--list",
        "--threads",
        "2",
        "--edges",
        "3-4",
        "--count",
        "40",
    ]);
    let done = run(&mut command).expect(PASSED).says(&["40 tests in "]);
    let lines: Vec<Vec<&str>> = done
        .stdout
        .lines()
        .map(|l| l.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 40);
    let names: HashSet<&str> = lines.iter().map(|l| l[0]).collect();
    assert_eq!(names.len(), 40);
    for line in &lines {
        assert!(
            ["conformance", "weak", "sc", "racy"].contains(&line[1]),
            "{line:?}"
        );
    }
    assert_eq!(run(&mut command).stdout, done.stdout);
}

#[test]
fn what_is_written_is_judged_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("tests");
    run(classay()
        .args([
            "generate",
            "--threads",
            "2",
            "--edges",
            "3-4",
            "--count",
            "25",
        ])
        .args(["--class", "conformance,weak", "--mutants", "--out"])
        .arg(&out))
    .expect(PASSED);
    let files: Vec<_> = std::fs::read_dir(&out)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(files.len() > 25, "{}", files.len());
    let judged = run(classay().args(["judge", "--json"]).args(&files)).expect(PASSED);
    let judged = judged.json();
    assert_eq!(judged.len(), files.len());
    for answer in judged {
        assert_eq!(answer["holds"], true, "{answer}");
        let file = answer["file"].as_str().expect("a path");
        let text = std::fs::read_to_string(file).expect("it was written");
        let racy = text.contains("Racy:");
        assert_eq!(answer["racy"], racy, "{answer}");
        assert_eq!(
            text.contains("~exists"),
            text.contains("Conformance:"),
            "{text}"
        );
    }
}

#[test]
fn mistakes_are_told() {
    for (arguments, words) in [
        (["--threads", "1-4"], "from 2 to 4"),
        (["--edges", "7"], "from 3 to 6"),
        (["--class", "strong"], "conformance"),
        (["--model", "opencl-9.9"], "opencl-9.9"),
    ] {
        run(classay().arg("generate").args(arguments))
            .expect(USAGE)
            .says(&[words]);
    }
    run(classay().args(["generate", "--threads", "4", "--edges", "3"]))
        .expect(NOTHING)
        .says(&["no test has"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    run(classay()
        .args(["generate", "--threads", "2", "--edges", "3", "--out"])
        .arg(&file))
    .expect(OUTPUT)
    .says(&["cannot write"]);
}
