//! A run, compared with a baseline from the command line.

use crate::common::{Done, classay, device};
use classay_reports::store::Store;
use std::collections::BTreeSet;
use std::path::Path;

fn run(store: &Path, seed: &str, faults: Option<&str>) -> Done {
    let mut command = classay();
    if let Some(faults) = faults {
        command.env("CLASSAY_LAYER_FAULTS", faults);
    }
    Done::of(
        command
            .args(["run", "--device", &device(), "--instances", "20000"])
            .args([
                "--select",
                "litmus/*/MP+rel+*",
                "--select",
                "litmus/*/SB+r*",
            ])
            .args(["--seed", seed, "--store"])
            .arg(store)
            .output()
            .expect("the program runs"),
    )
}

fn compare(arguments: &[&str]) -> Done {
    let output = classay().arg("compare").args(arguments).output();
    Done::of(output.expect("the program runs"))
}

#[test]
fn a_run_that_does_as_before_passes_and_one_that_fails_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (first, second, broken) = (path("a.db"), path("b.db"), path("c.db"));
    run(Path::new(&first), "1", None).expect(0);
    run(Path::new(&second), "2", None).expect(0);
    run(
        Path::new(&broken),
        "1",
        Some("corrupt@clEnqueueReadBuffer:*"),
    )
    .expect(1);

    let same = compare(&[&first, &first]).expect(0);
    assert!(same.stdout.contains("0 new failures;"), "{}", same.told());
    let alike = compare(&[&first, &second]).expect(0);
    assert!(
        alike.stdout.contains("The seeds differ"),
        "{}",
        alike.told()
    );
    let worse = compare(&[&first, &broken]).expect(1);
    assert!(
        worse
            .stdout
            .contains("new failure: litmus/classic/MP+rel+acq"),
        "{}",
        worse.told()
    );
    // Paths are as long as they are.
    let mut lines = worse.stdout.lines().filter(|line| !line.contains(".db"));
    assert!(
        lines.all(|line| line.chars().count() <= 80),
        "{}",
        worse.told()
    );

    let object = compare(&[&first, &broken, "--json"])
        .expect(1)
        .json()
        .remove(0);
    assert_eq!(object["passes"], false);
    assert!(
        object["new_failures"]
            .as_array()
            .is_some_and(|f| !f.is_empty()),
        "{object}"
    );
    // What was wrong before is no new failure, and getting better is none.
    let better = compare(&[&broken, &first]);
    assert!(
        better.stdout.contains("0 new failures"),
        "{}",
        better.told()
    );
}

/// Some cases, played by time: each for a moment.
fn cases(store: &Path, faults: Option<&str>, more: &[&str]) -> Done {
    let mut command = classay();
    if let Some(faults) = faults {
        command.env("CLASSAY_LAYER_FAULTS", faults);
    }
    let device = device();
    command.args(["run", "--device", &device, "--seed", "7", "--budget", "8"]);
    command.args(["--select", "ndrange/*", "--programs", "6", "--store"]);
    Done::of(command.arg(store).args(more).output().expect("it runs"))
}

/// Of how many cases of a run more than one process tells.
fn of_several_processes(store: &Path) -> usize {
    let store = Store::open_read_only(store).expect("a store");
    let run = store.runs().expect("runs").pop().expect("a run");
    let results = store.case_results(run.id).expect("results");
    let processes = results.iter().map(|result| {
        let launches = result.launches.iter();
        launches
            .map(|launch| launch.process)
            .collect::<BTreeSet<_>>()
    });
    processes.filter(|all| all.len() > 1).count()
}

#[test]
fn what_is_unexpected_is_played_again_in_a_fresh_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (first, broken, as_known) = (path("a.db"), path("b.db"), path("c.db"));
    let faults = Some("corrupt@clEnqueueReadBuffer:*");
    let known = path("known.yaml");
    let words = "cases:\n  - case: ndrange/*\n    verdict: fail\n    reason: reads are corrupt\n";
    std::fs::write(&known, words).expect("a file");
    let known = known.to_string_lossy();
    cases(&first, None, &[]).expect(0);
    cases(&broken, faults, &[]).expect(1);
    cases(&as_known, faults, &["--expect", &known]);
    assert_eq!(of_several_processes(&first), 0);
    assert!(of_several_processes(&broken) > 0);
    assert_eq!(of_several_processes(&as_known), 0);

    let [first, broken] = [&first, &broken].map(|path| path.to_string_lossy());
    let worse = compare(&[&first, &broken]).expect(1);
    let says = "new failure: ndrange/";
    assert!(worse.stdout.contains(says), "{}", worse.told());
    // What is known is no news.
    let object = compare(&[&first, &broken, "--json", "--expect", &known]);
    let object = object.expect(0).json().remove(0);
    assert_eq!(object["new_failures"], serde_json::json!([]), "{object}");
}

#[test]
fn what_is_no_store_or_has_no_such_run_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (store, text) = (path("a.db"), path("text.db"));
    run(Path::new(&store), "1", None).expect(0);
    std::fs::write(&text, "this is no database, however long it may be").expect("a file");
    compare(&[&path("none.db"), &store])
        .expect(2)
        .says(&["there is no store", "classay run --store"]);
    compare(&[&store, &text]).expect(6).says(&["text.db"]);
    compare(&[&store, &store, "--after-run", "7"])
        .expect(6)
        .says(&["7"]);
    compare(&[&store, &store, "--rate", "2"])
        .expect(2)
        .says(&["between 0 and 1"]);
}
