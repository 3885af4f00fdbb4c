//! The layer behind the loader: a program computes the same through it, and each fault that it is asked for is made.
//!
//! Where there is no loader or no device, each test says so and passes.

use classay_faults::vulkan::ROWS;
use classay_vulkan_layer::{effects, manifest, setting};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What cargo has built, in a folder so many levels above this program.
fn built(folders_up: usize, name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("the test program's path");
    let folder = program.ancestors().nth(folders_up).expect("a folder");
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is missing: `cargo test -p classay-vulkan-layer` without a choice of targets builds it",
        path.display()
    );
    path
}

/// The program, past the layer.
fn program() -> Command {
    let mut command = Command::new(built(2, "examples/handshake"));
    for variable in [setting::VARIABLE, effects::VARIABLE, "VK_INSTANCE_LAYERS"] {
        command.env_remove(variable);
    }
    command
}

/// The program through the layer, whose manifest is in the folder.
fn command_through(folder: &Path, faults: &str) -> Command {
    let library = built(1, "libclassay_vulkan_layer.so");
    manifest::write(&library, folder).expect("a manifest");
    let mut command = program();
    command
        .env("VK_LAYER_PATH", folder)
        .env("VK_INSTANCE_LAYERS", manifest::NAME)
        .env(setting::VARIABLE, faults)
        .env(effects::VARIABLE, folder.join("effects"));
    command
}

/// What it printed there.
fn through(folder: &Path, faults: &str) -> Output {
    let output = command_through(folder, faults).output();
    output.expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the program prints past the layer; none, with a sentence, where there is nothing to run it on.
fn without_layer() -> Option<String> {
    let output = program().output().expect("the program runs");
    if matches!(output.status.code(), Some(3 | 4)) {
        let why = text(&output.stderr);
        println!("nothing is run, as this machine has {}", why.trim());
        return None;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout))
}

/// The count of a fault.
fn effect(folder: &Path, fault: &str) -> u64 {
    let bytes = std::fs::read(folder.join("effects")).expect("a file of effects");
    let at = ROWS.iter().position(|row| row.id == fault);
    let mut counts = classay_faults::effects::counts(&bytes);
    counts.nth(at.expect("a fault")).expect("a count")
}

#[test]
fn without_faults_the_layer_is_no_difference() {
    let Some(wanted) = without_layer() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let output = through(folder.path(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        (wanted, String::new())
    );
    // What faults could have changed is counted all the same: it shows that the calls went through the layer.
    let vulkan = text(&output.stdout).contains("model: Vulkan");
    // In the Vulkan memory model, and in the old one.
    let counts = [
        ("drop-make-available", 4, 0),
        ("drop-make-visible", 4, 0),
        ("drop-pointer-available", 2, 0),
        ("drop-pointer-visible", 2, 0),
        ("drop-non-private", 4, 0),
        ("drop-coherent", 0, 1),
        ("drop-uniform-memory", 4, 4),
        ("drop-workgroup-memory", 1, 1),
        ("drop-image-memory", 0, 0),
        ("device-scope-to-queue-family", 6, 0),
        ("device-scope-to-workgroup", 6, 5),
        ("queue-family-scope-to-workgroup", 1, 0),
        ("workgroup-scope-to-subgroup", 3, 1),
        ("scope-to-invocation", 10, 6),
        ("weaken-release", 1, 1),
        ("weaken-acquire", 1, 1),
        ("acquire-release-to-acquire", 3, 3),
        ("acquire-release-to-release", 3, 3),
        ("drop-control-barrier-semantics", 1, 1),
        ("drop-memory-barrier", 1, 1),
        ("ordinary-atomic-load", 1, 1),
        ("ordinary-atomic-store", 1, 1),
        ("halve-read-modify-write", 2, 2),
        ("drop-pipeline-barrier", 4, 4),
        ("drop-semaphore-wait", 1, 1),
    ];
    let counts = counts.map(|(fault, new, old)| (fault, if vulkan { new } else { old }));
    for (fault, count) in counts {
        assert_eq!(effect(folder.path(), fault), count, "{fault}");
    }
}

#[test]
fn the_program_ends_with_every_fault_and_what_it_could_change_is_counted() {
    let Some(wanted) = without_layer() else {
        return;
    };
    for row in ROWS {
        let folder = tempfile::tempdir().expect("a folder");
        let output = through(folder.path(), row.id);
        assert!(
            output.status.success(),
            "{}: {}",
            row.id,
            text(&output.stderr)
        );
        if effect(folder.path(), row.id) == 0 {
            assert_eq!(text(&output.stdout), wanted, "{}", row.id);
        }
    }
}

#[test]
fn barriers_that_are_dropped_are_counted() {
    if without_layer().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = through(folder.path(), "drop-pipeline-barrier,drop-flush");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(effect(folder.path(), "drop-pipeline-barrier"), 4);
    // Memory that is coherent, which some devices have alone, needs no flush.
    assert!(effect(folder.path(), "drop-flush") <= 1);
}

#[test]
fn read_modify_writes_in_halves_lose_updates() {
    let Some(wanted) = without_layer() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let output = through(folder.path(), "halve-read-modify-write");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(effect(folder.path(), "halve-read-modify-write"), 2);
    let (got, additions) = (text(&output.stdout), "additions: 256");
    assert!(wanted.contains(additions), "{wanted}");
    // Of other devices nothing is known: their invocations might run one after the other.
    if wanted.contains("llvmpipe") {
        assert!(!got.contains(additions), "{got}");
    }
}

#[test]
fn threads_have_instances_and_devices_of_their_own() {
    let Some(wanted) = without_layer() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let output = command_through(folder.path(), "").arg("8").output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), wanted);
    assert_eq!(effect(folder.path(), "drop-pipeline-barrier"), 8 * 4);
}

#[test]
fn a_fault_that_does_not_exist_leaves_no_instance() {
    if without_layer().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = through(folder.path(), "drop-flush,drop-flsh");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.contains("'drop-flsh'") && said.contains("CLASSAY_LAYER_FAULTS=list"),
        "{said}"
    );
    assert!(
        said.contains("vkCreateInstance: ERROR_INITIALIZATION_FAILED"),
        "{said}"
    );
}

#[test]
fn the_list_is_printed_on_request() {
    if without_layer().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = through(folder.path(), "list");
    assert!(output.status.success());
    for row in ROWS {
        assert!(text(&output.stderr).contains(row.sentence), "{}", row.id);
    }
}
