//! Tests that end when enough is known, and say so.

use crate::common::{Done, classay, device, write};
use std::path::Path;

fn litmus(name: &str, more: &[&str]) -> Done {
    let folder = tempfile::tempdir().expect("a folder");
    // Small launches, since a look needs some.
    let environment = write(folder.path(), "small.yaml", "launch: {instances: 64}\n");
    let test = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../litmus/tests/{name}.litmus"));
    Done::of(
        classay()
            .args(["litmus", "--device", &device(), "--seconds", "100000"])
            .arg("--environment")
            .arg(environment)
            .args(more)
            .arg(test)
            .output()
            .expect("the program runs"),
    )
}

/// It would take more than a day to its end.
#[test]
fn a_test_ends_when_its_rate_is_known_well_enough() {
    let done = litmus("MP+barrier+both", &["--precision", "0.2"]).expect(0);
    assert!(
        done.stdout.contains("interval: at all times"),
        "{}",
        done.told()
    );
    let done = litmus("CoRR", &["--below", "0.01"]).expect(0);
    assert!(done.stdout.contains("CoRR: pass"), "{}", done.told());
    assert!(
        done.stdout.contains("interval: at all times"),
        "{}",
        done.told()
    );
}

#[test]
fn what_means_nothing_is_refused() {
    litmus("CoRR", &["--below", "2"]).expect(2);
    litmus("CoRR", &["--precision", "0"]).expect(2);
}
