//! Generated tests as users meet them: listed, written, and judged again from their files.

use crate::common::{classay, run};
use std::collections::{HashMap, HashSet};

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
            ["conformance", "contested", "weak", "sc", "racy"].contains(&line[1]),
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
        .filter(|path| path.extension().is_some_and(|e| e == "litmus"))
        .collect();
    let index = std::fs::read_to_string(out.join("index.csv")).expect("there is an index");
    let mut lines = index.lines();
    assert_eq!(lines.next(), Some(classay_litmus_header()));
    let mut classes = HashMap::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), 16, "{line}");
        assert_eq!(fields[15], "", "{line}");
        classes.insert(out.join(fields[1]), (fields[0], fields[2], fields[3]));
    }
    assert_eq!(classes.len(), files.len());
    assert!(files.len() > 25, "{}", files.len());
    let judged = run(classay().args(["judge", "--json"]).args(&files)).expect(PASSED);
    let judged = judged.json();
    assert_eq!(judged.len(), files.len());
    for answer in judged {
        let path = std::path::PathBuf::from(answer["file"].as_str().expect("a path"));
        let (name, class, allowed) = classes[&path];
        assert_eq!(answer["test"], name);
        assert_eq!(answer["racy"], class == "racy", "{answer}");
        // a racy test asks whether its outcome exists and may be told that it does not
        assert_eq!(
            answer["holds"],
            class != "racy" || allowed == "yes",
            "{answer}"
        );
        assert!(class == "racy" || (allowed == "no") == (class == "conformance"));
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
fn what_is_contested_is_what_judge_contests() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = run(classay()
        .args(["generate", "--threads", "2", "--edges", "4"])
        .args(["--alphabet", "core", "--class", "contested", "--out"])
        .arg(folder.path()))
    .expect(PASSED);
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "litmus"))
        .collect();
    let count = format!("0 conformance, {} contested", files.len());
    assert!(!files.is_empty());
    done.says(&[&count]);
    let judged = run(classay().args(["judge", "--json"]).args(&files)).expect(PASSED);
    for answer in judged.json() {
        let contested = answer["contested"].as_array().map_or(0, Vec::len);
        assert!(contested > 0, "{answer}");
    }
}

/// The documented columns.
fn classay_litmus_header() -> &'static str {
    "name,file,class,allowed,shape,cycle,threads,edges,orders,scopes,layout,spread,idiom,mutant_of,\
     needs,inexpressible"
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let generate = |more: &[&str]| {
        let mut command = classay();
        command.args(["generate", "--threads", "2", "--edges", "3", "--count", "9"]);
        command.arg("--out").arg(folder.path()).args(more);
        run(&mut command)
    };
    generate(&[]).expect(PASSED);
    // again the same, which changes nothing
    generate(&["--jobs", "1"]).expect(PASSED);
    let index = folder.path().join("index.csv");
    std::fs::write(&index, "my own").expect("written");
    generate(&["--format", "yaml"]).expect(OUTPUT).says(&[
        "index.csv",
        "nothing was written",
        "--replace",
    ]);
    assert_eq!(
        std::fs::read_to_string(&index).expect("it is there"),
        "my own"
    );
    let yaml = || {
        let entries = std::fs::read_dir(folder.path()).expect("a folder");
        let names = entries.map(|e| e.expect("an entry").file_name());
        names
            .filter(|n| n.to_string_lossy().ends_with(".yaml"))
            .count()
    };
    assert_eq!(yaml(), 0);
    generate(&["--format", "yaml", "--replace"]).expect(PASSED);
    assert_eq!(yaml(), 9);
}

#[test]
fn a_covering_says_what_it_covers() {
    let mut command = classay();
    command.args([
        "generate",
        "--threads",
        "2",
        "--edges",
        "3",
        "--cover",
        "pairwise",
    ]);
    let done = run(&mut command).expect(PASSED);
    let line = done
        .stderr
        .lines()
        .find(|l| l.contains("feasible pairs"))
        .expect("a line about pairs");
    let numbers: Vec<&str> = line
        .split(' ')
        .filter(|w| w.parse::<u32>().is_ok())
        .collect();
    assert_eq!(numbers.len(), 2, "{line}");
    assert_eq!(numbers[0], numbers[1], "{line}");
}

#[test]
fn mistakes_are_told() {
    for (arguments, words) in [
        (["--threads", "1-4"], "from 2 to 4"),
        (["--edges", "7"], "from 3 to 6"),
        (["--class", "strong"], "conformance"),
        (["--model", "opencl-9.9"], "opencl-9.9"),
        (["--alphabet", "greek"], "graded"),
        (["--count", "0"], "1.."),
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

#[test]
fn tests_of_vulkan_are_written_and_judged_as_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("tests");
    let draw = |seed: &str| {
        let mut command = classay();
        command.args([
            "generate", "--api", "vulkan", "--count", "20", "--seed", seed, "--list",
        ]);
        command
    };
    let first = run(&mut draw("5")).expect(PASSED);
    assert_eq!(run(&mut draw("5")).stdout, first.stdout);
    assert_ne!(run(&mut draw("6")).stdout, first.stdout);
    run(draw("5")
        .args(["--class", "conformance,weak", "--mutants", "--out"])
        .arg(&out))
    .expect(PASSED);
    let files: Vec<_> = std::fs::read_dir(&out)
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "litmus"))
        .collect();
    assert!(files.len() > 20, "{}", files.len());
    let judged = run(classay().args(["judge", "--json"]).args(&files)).expect(PASSED);
    for (answer, file) in judged.json().iter().zip(&files) {
        let text = std::fs::read_to_string(file).expect("a test");
        assert!(text.starts_with("VULKAN "), "{text}");
        assert_eq!(answer["racy"], text.contains("Racy:"), "{answer}");
        if !text.contains("Racy:") {
            assert_eq!(answer["holds"], true, "{answer}");
        }
    }
    run(classay().args(["generate", "--api", "vulkan", "--seed", "1"])).expect(USAGE);
}
