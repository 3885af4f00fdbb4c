//! `classay shrink` as a user runs it, over the layer, which breaks what it is told to.

use crate::common::{GATED, classay, device, run, write};

#[test]
fn what_has_nothing_to_do_with_a_failure_goes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", GATED);
    let small = folder.path().join("small.yaml");
    run(classay()
        .env("CLASSAY_LAYER_FAULTS", "waits-ignored-kernel")
        .args(["shrink", "--device", &device(), "--instances", "8", "--out"])
        .args([&small, &file]))
    .expect(1)
    .says(&["tried", "kept"]);
    let text = std::fs::read_to_string(&small).expect("the small program");
    assert!(text.starts_with("# On "), "{text}");
    assert!(text.contains("Clopper-Pearson"), "{text}");
    // Two commands are enough. But which of the smaller ones fail is a matter of chance, so a third
    // may stay.
    assert!(text.matches("- queue:").count() <= 3, "{text}");
    let plain: usize = text.lines().filter(|l| !l.starts_with('#')).count();
    assert!(plain < 55, "{plain} lines\n{text}");
    // It is a program like any other, and fails as the large one does.
    run(classay()
        .env("CLASSAY_LAYER_FAULTS", "waits-ignored-kernel")
        .args(["replay", "--device", &device(), "--instances", "1000"])
        .arg(&small))
    .expect(1);
    run(classay()
        .args(["replay", "--device", &device(), "--instances", "50"])
        .arg(&small))
    .expect(0);
}

#[test]
fn a_crash_is_shrunk_in_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", GATED);
    let done = run(classay()
        .env("CLASSAY_LAYER_FAULTS", "crash@clSetEventCallback:1")
        .args(["shrink", "--device", &device()])
        .arg(&file))
    .expect(1)
    .says(&["crashes"]);
    assert!(done.stdout.contains("callbacks"), "{}", done.told());
    assert_eq!(
        done.stdout.matches("- queue:").count(),
        1,
        "{}",
        done.told()
    );
}

#[test]
fn a_program_that_passes_is_not_shrunk() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "large.yaml", GATED);
    let done = run(classay()
        .args(["shrink", "--device", &device(), "--instances", "5"])
        .arg(&file))
    .expect(0)
    .says(&["nothing to shrink"]);
    assert!(done.stdout.is_empty(), "{}", done.told());
}

#[test]
fn a_run_keeps_what_failed_beside_its_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("run.db");
    let select = |families: &[&str], more: &[&str]| {
        let mut command = classay();
        command.env(
            "CLASSAY_LAYER_FAULTS",
            "waits-ignored-kernel,offset-dropped",
        );
        command.args([
            "run",
            "--device",
            &device(),
            "--seed",
            "7",
            "--instances",
            "3",
        ]);
        command
            .args(["--bounded", "0", "--programs", "4"])
            .args(more);
        for family in families {
            command.args(["--select", &format!("{family}/*")]);
        }
        command.arg("--store").arg(&store);
        command
    };
    // Without the option the user is told how to get there.
    run(&mut select(&["sync/random"], &[])).expect(1).says(&[
        "classay program sync/random/",
        "--seed 7",
        "--shrink",
    ]);
    run(&mut select(
        &["sync/random", "ndrange/ids"],
        &["--shrink=5"],
    ))
    .expect(1)
    .says(&["kept in", "classay reproduce"]);
    let kept = store.with_extension("failures");
    let files: Vec<_> = std::fs::read_dir(kept)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let of = |family: &str| {
        let found = files
            .iter()
            .find(|path| path.to_string_lossy().contains(family));
        found.unwrap_or_else(|| panic!("nothing of {family} in {files:?}"))
    };
    for family in ["sync-random", "ndrange-ids"] {
        let text = std::fs::read_to_string(of(family)).expect("the file");
        assert!(text.starts_with("# On "), "{text}");
        assert!(text.contains("breaks "), "{text}");
        // They are programs like any other.
        run(classay()
            .args(["replay", "--device", &device(), "--instances", "3"])
            .arg(of(family)))
        .expect(0);
    }
}

/// Two objects that are not what is wanted of them, on any device.
const TWO: &str = include_str!("two_wrong_objects.yaml");

/// Of two violations that every run shows the second one is kept where it is asked for, though it breaks the same rule.
#[test]
fn the_violation_that_is_asked_for_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "two.yaml", TWO);
    let small = |keep: &str| {
        run(classay()
            .args([
                "shrink",
                "--device",
                &device(),
                "--instances",
                "5",
                "--keep",
                keep,
            ])
            .arg(&file))
    };
    let done = small("*second*").expect(1);
    assert!(
        done.stdout.contains("# the second: word 0 is 7, not 8"),
        "{}",
        done.told()
    );
    assert!(!done.stdout.contains("the first"), "{}", done.told());
    small("*third*")
        .expect(2)
        .says(&["--keep *third*", "first is `the first: word 0 is 7"]);
}
