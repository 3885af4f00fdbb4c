//! A project's defaults: `classay.toml`.

use crate::common::{Done, classay, run, write};
use std::path::Path;

/// The program in a folder of a project.
fn within(folder: &Path, arguments: &[&str]) -> Done {
    run(classay().current_dir(folder).args(arguments))
}

#[test]
fn what_the_file_says_holds_where_the_command_line_says_nothing() {
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path().join("deep/er");
    std::fs::create_dir_all(&folder).expect("a folder");
    write(
        project.path(),
        "classay.toml",
        "device = \"touchstone\"\nseed = 7\nexpect = [\"known.yaml\"]\n\
         [run]\nselect = [\"SB+rlx\", \"MP+rel+acq\"]\ninstances = 1000\nstore = \"mine.db\"\nquiet = true\n\
         [litmus]\nseconds = 0.1\n",
    );
    let known = "cases:\n  - case: litmus/*\n    verdict: [fail, pass]\n    reason: r\n";
    write(project.path(), "known.yaml", known);
    // Without a command, from below the file, and with paths that are the file's.
    let done = within(&folder, &[]).expect(0);
    assert!(done.stdout.contains("2 cases on"), "{}", done.told());
    assert!(project.path().join("mine.db").is_file());
    // The command line goes before: its selection, and its budget where only one may be given.
    let listed = within(&folder, &["run", "--list", "--select", "SB+sc"]).expect(0);
    assert_eq!(listed.stdout, "litmus/classic/SB+sc\n");
    let done = within(&folder, &["run", "--budget", "4"]).expect(0);
    assert!(done.stdout.contains("2 cases on"), "{}", done.told());
    // Other commands take what is for all.
    let done = within(&folder, &["litmus", "SB+rlx"]).expect(0);
    assert!(done.stderr.contains("classay.toml adds"), "{}", done.told());
    assert!(done.stderr.contains("--seed=7"), "{}", done.told());
    assert!(done.stderr.contains("seed 7"), "{}", done.told());
    // Or another file, or none.
    let none = run(classay()
        .current_dir(&folder)
        .env("CLASSAY_CONFIG", "")
        .args(["run", "--list"]))
    .expect(0);
    assert!(none.stdout.lines().count() > 500);
    let missing = run(classay().env("CLASSAY_CONFIG", "/no.toml").arg("devices")).expect(2);
    assert!(
        missing.stderr.contains("/no.toml: cannot be read"),
        "{}",
        missing.told()
    );
}

#[test]
fn a_file_that_is_wrong_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (text, words) in [
        ("devise = \"system\"\n", "no command has an option --devise"),
        ("[ran]\nbudget = 1\n", "there is no command ran"),
        ("[run]\nbuget = 1\n", "`classay run` has no option --buget"),
        (
            "[run]\nbudget = \"soon\"\n",
            "a time is a number of seconds",
        ),
        ("[run]\nbudget = [1, 2]\n", "budget has one value"),
        ("[run]\nquiet = 3\n", "quiet is true or false"),
        ("[run\n", "is no TOML"),
    ] {
        write(folder, "classay.toml", text);
        let done = within(folder, &["run", "--list"]).expect(2);
        assert!(done.stderr.contains(words), "{words}: {}", done.told());
        assert!(done.stderr.contains("classay.toml: "), "{}", done.told());
    }
}

#[test]
fn shells_and_manuals_are_told_of_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish"] {
        let script = within(folder.path(), &["completions", shell])
            .expect(0)
            .stdout;
        assert!(
            script.contains("max-fail") && script.contains("latitudes"),
            "{shell}"
        );
    }
    within(folder.path(), &["man", "--out", "pages"]).expect(0);
    let page = |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name));
    assert!(
        page("classay-run.1")
            .expect("a page")
            .contains("max\\-fail")
    );
    let first = within(folder.path(), &["man"]).expect(0).stdout;
    assert!(first.contains(".TH classay 1") && first.contains("classay\\-latitudes"));
    assert!(page("classay.1").is_ok());
}
