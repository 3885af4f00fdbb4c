//! Tuning from the command line: what it finds is kept for the device, and used by its runs.

use crate::common::{Done, classay, device};
use std::path::Path;

fn tune(home: &Path, more: &[&str]) -> Done {
    Done::of(
        classay()
            .env("CLASSAY_HOME", home)
            .args(["tune", "--device", &device(), "--seed", "3"])
            .args(["--budget", "4", "--mutants", "6", "--seconds-each", "0.1"])
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

fn run(home: &Path, more: &[&str]) -> Done {
    Done::of(
        classay()
            .env("CLASSAY_HOME", home)
            .args(["run", "--device", &device(), "--instances", "500", "--json"])
            .args(["--select", "SB+rlx", "--seed", "1", "--store"])
            .arg(home.join("classay.db"))
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

#[test]
fn what_was_tuned_for_a_device_surrounds_its_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path();
    let before = run(home, &[]).expect(0);
    assert!(!before.stderr.contains("tuned"), "{}", before.told());
    let tuned = tune(home, &[]).expect(0);
    for words in ["mutation score: ", "x86-TSO allows", "often enough"] {
        assert!(tuned.stdout.contains(words), "{words}\n{}", tuned.told());
    }
    let kept: Vec<_> = std::fs::read_dir(home.join("tuned"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let text = std::fs::read_to_string(&kept[0]).expect("a file");
    for words in ["merged:", "mutants:", "sight: x86", "driver:"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let after = run(home, &[]).expect(0);
    assert!(
        after.stderr.contains("--untuned leaves it out"),
        "{}",
        after.told()
    );
    // And the page of a run tells of it, by the device or by the file.
    let store = home.join("classay.db");
    let page = |more: &[&str]| {
        let mut command = classay();
        command.env("CLASSAY_HOME", home).arg("report").arg(&store);
        command.arg("--html").arg(home.join("page.html")).args(more);
        Done::of(command.output().expect("the program runs"))
    };
    page(&["--tuned"]).expect(0);
    let text = std::fs::read_to_string(home.join("page.html")).expect("a page");
    assert!(text.contains("Mutants seen") && !text.contains("another device than the run"));
    page(&["--tuned", &kept[0].display().to_string()]).expect(0);
    page(&["--tuned", &store.display().to_string()])
        .expect(2)
        .says(&["classay.db: "]);
    let without = run(home, &["--untuned"]).expect(0);
    assert!(
        !without.stderr.contains("leaves it out"),
        "{}",
        without.told()
    );

    // What was kept and is no longer understood stops nobody who says so.
    std::fs::write(&kept[0], "merged: 7\n").expect("a file");
    run(home, &[]).expect(2).says(&["--untuned"]);
    run(home, &["--untuned"]).expect(0);
}

#[test]
fn a_result_that_cannot_be_kept_is_told_before_anything_is_played() {
    let folder = tempfile::tempdir().expect("a folder");
    tune(folder.path(), &["--out", "/proc/self/none/tuned.yaml"])
        .expect(6)
        .says(&["cannot write /proc/self/none/tuned.yaml"]);
    tune(folder.path(), &["--mutants", "0"]).expect(2);
}
