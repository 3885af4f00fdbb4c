//! Two devices in turns: one against itself differs in nothing, one against a broken one does.

use crate::common::{Done, classay, device, library, run, write};
use std::path::Path;
use std::process::Command;

fn versus(out: &Path, second: &str, more: &[&str]) -> Done {
    Done::of(
        classay()
            .args(["versus", &device(), second, "--seed", "3", "--out"])
            .arg(out)
            .args(["--budget", "3", "--rounds", "3", "--select", "SB+rlx"])
            // A difference that chance does not make in a million comparisons.
            .args(["--rate", "0.000001"])
            .args(more)
            .output()
            .expect("the program runs"),
    )
}

#[test]
fn a_device_differs_in_nothing_from_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    // Many launches, which tell how much they scatter.
    let small = write(folder.path(), "small.yaml", "launch: {instances: 1024}\n");
    let small = small.to_string_lossy();
    let done = versus(
        folder.path(),
        &device(),
        &["--json", "--environment", &small],
    )
    .expect(0);
    let told = &done.json()[0];
    assert_eq!(told["passes"], true, "{}", done.told());
    assert_eq!(told["changed"], serde_json::json!([]));
    assert!(told["compared"].as_u64() > Some(0), "{}", done.told());
    // What is kept is two runs like others, which add up from all rounds.
    let report = Done::of(
        classay()
            .arg("report")
            .arg(folder.path().join("second.db"))
            .arg("--baseline")
            .arg(folder.path().join("first.db"))
            .arg("--html")
            .arg(folder.path().join("page.html"))
            .output()
            .expect("the program runs"),
    );
    report.expect(0);
}

/// Touchstone with a fault is another device to whoever does not know its name: a library of a few lines
/// that asks for the fault and is Touchstone otherwise. Without a C compiler there is none.
#[test]
fn a_broken_device_differs_from_the_one_that_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = write(
        folder.path(),
        "broken.c",
        "#include <stdlib.h>\n__attribute__((constructor)) static void broken(void)\n\
         { setenv(\"TOUCHSTONE_FAULTS\", \"seq-cst-weakened\", 1); }\n",
    );
    let (broken, touchstone) = (
        folder.path().join("libbroken.so"),
        library("libtouchstone.so"),
    );
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let beside = touchstone.parent().expect("a folder");
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .args([&broken, &source, &touchstone])
        .arg(format!("-Wl,-rpath,{}", beside.display())))
    .expect(0);
    let broken = broken.to_string_lossy();
    let compare = |first: &str, second: &str| {
        Done::of(
            classay()
                .args(["versus", first, second, "--seed", "3", "--out"])
                .arg(folder.path())
                .args(["--budget", "3", "--rounds", "8", "--select", "SB+sc"])
                .args(["--rate", "0.01", "--json"])
                .output()
                .expect("the program runs"),
        )
    };
    let done = compare("touchstone", &broken).expect(1);
    let told = &done.json()[0];
    assert_eq!(told["passes"], false, "{}", done.told());
    assert_eq!(
        told["new_failures"][0]["cases"][0],
        "litmus/classic/SB+sc",
        "{}",
        done.told()
    );
    // What never was before is now, and is what the fault breaks.
    let change = &told["changed"][0];
    assert_eq!(change["outcome"], "0:r0=0 1:r1=0", "{}", done.told());
    // The other way round it is mended, which fails nothing but is no less different.
    let done = compare(&broken, "touchstone").expect(1);
    let told = &done.json()[0];
    assert_eq!(told["new_failures"], serde_json::json!([]));
    assert_eq!(
        told["changed"].as_array().map(Vec::len),
        Some(1),
        "{}",
        done.told()
    );
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    versus(folder.path(), "/nonexistent.so", &[]).expect(3);
    versus(
        folder.path(),
        &device(),
        &["--select", "nothing-is-called-so"],
    )
    .expect(0);
    let none = Done::of(
        classay()
            .args(["versus", &device(), &device(), "--select", "none*", "--out"])
            .arg(folder.path())
            .output()
            .expect("the program runs"),
    );
    none.expect(4).says(&["no shipped litmus test matches"]);
    let one = Done::of(
        classay()
            .args(["versus", &device()])
            .output()
            .expect("the program runs"),
    );
    one.expect(2);
}
