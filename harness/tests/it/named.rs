//! Tests as users name them: shipped ones by name or pattern, folders, lists of files.

use crate::common::{SB, classay, run, write};

/// The tests that `judge` answers for, in order.
fn judged(arguments: &[&str], folder: &std::path::Path) -> Vec<String> {
    let mut judge = classay();
    judge.current_dir(folder).args(["judge", "--json"]);
    let done = run(judge.args(arguments)).expect(0);
    let name = |line: &serde_json::Value| line["test"].as_str().expect("a test").to_string();
    done.json().iter().map(name).collect()
}

#[test]
fn shipped_tests_go_by_their_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    assert_eq!(judged(&["MP+rel+acq"], folder), ["MP+rel+acq"]);
    let all = judged(&["SB+*"], folder);
    assert!(all.len() > 3 && all.contains(&"SB+rlx".into()), "{all:?}");
    // A file goes before a test of its name.
    write(folder, "MP+rel+acq", SB);
    assert_eq!(judged(&["MP+rel+acq"], folder), ["SB"]);

    let shown = run(classay().args(["show", "SB+rlx"])).expect(0);
    write(folder, "shown.litmus", &shown.stdout);
    assert_eq!(judged(&["shown.litmus"], folder), ["SB+rlx"]);
    let listed = run(classay().arg("show")).expect(0).stdout;
    let names = listed.lines().filter(|line| !line.starts_with(' '));
    let shipped = classay_litmus::shipped().len() + classay_litmus::shipped_vulkan().len();
    assert_eq!(names.count(), shipped);
    assert!(listed.lines().all(|line| line.chars().count() <= 80));

    // What it is called in a run of all is what it is called alone.
    let mut litmus = classay();
    litmus.current_dir(folder).args(["litmus", "SB+rlx"]);
    run(litmus.args(["--store", "store", "--seconds", "0.1"])).expect(0);
    let mut report = classay();
    let done = run(report
        .current_dir(folder)
        .args(["report", "store", "--csv", "-"]))
    .expect(0);
    assert!(
        done.stdout.contains("litmus/classic/SB+rlx"),
        "{}",
        done.stdout
    );
    let said = run(classay().args(["explain", "SB+rlx"])).expect(0).stdout;
    assert!(said.contains("SB+rlx"), "{said}");
}

#[test]
fn folders_and_lists_stand_for_the_files_in_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let within = folder.join("within/deeper");
    std::fs::create_dir_all(&within).expect("a folder");
    let named = |name: &str| SB.replacen("OPENCL SB", &format!("OPENCL {name}"), 1);
    write(&within, "b.litmus", named("B"));
    write(&folder.join("within"), "c.litmus", named("C"));
    write(folder, "a.litmus", named("A"));
    write(folder, "notes.txt", "no test");
    write(
        folder,
        "@all",
        "# all of them\nwithin\n\n  a.litmus\n@more\n",
    );
    write(folder, "more", "MP+rel+acq\n");
    assert_eq!(judged(&["within"], folder), ["C", "B"]);
    assert_eq!(judged(&["."], folder), ["A", "C", "B"]);
    assert_eq!(judged(&["@all"], folder), ["C", "B", "A", "MP+rel+acq"]);
    let parent = folder.parent().expect("a parent");
    let list = format!("@{}", folder.join("more").display());
    assert_eq!(judged(&[&list], parent), ["MP+rel+acq"]);
}

#[test]
fn what_names_no_test_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "@round", "@round\n");
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    let told = |arguments: &[&str]| {
        let mut classay = classay();
        run(classay.current_dir(folder).args(arguments))
            .expect(2)
            .stderr
    };
    for (arguments, wanted) in [
        (
            &["judge", "SB+rx"][..],
            "SB+rx is no file, and is no shipped test (SB+rlx is one)",
        ),
        (&["show", "nothing*"], "nothing* is no shipped test"),
        (
            &["litmus", "empty"],
            "empty has no file that ends in one of litmus, yaml, yml",
        ),
        (&["judge", "@round"], "is a list within too many lists"),
        (&["judge", "@missing"], "missing cannot be read"),
        (&["replay", "SB+rlx"], "SB+rlx cannot be read"),
        (
            &["reproduce", "--c", "SB+rx"],
            "no shipped test (SB+rlx is one)",
        ),
    ] {
        let message = told(arguments);
        assert!(message.contains(wanted), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
