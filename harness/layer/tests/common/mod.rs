//! What the tests share: where cargo puts the layer, the fake driver and the program that adds
//! vectors, and how the program is run through the layer.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the test programs' dependencies; the layer is there.
pub fn built(folders_up: usize, name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("the test program's path");
    let folder = program
        .ancestors()
        .nth(folders_up)
        .expect("the target folder");
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is missing: `cargo test -p classay-layer` without a choice of targets builds it",
        path.display()
    );
    path
}

/// The layer as a shared library.
pub fn layer() -> PathBuf {
    built(1, "libclassay_layer.so")
}

/// The reference runtime.
pub fn touchstone() -> PathBuf {
    built(1, "libtouchstone.so")
}

/// A driver that has only ICD entry points.
pub fn fake_driver() -> PathBuf {
    built(2, "examples/libfake_driver.so")
}

/// The program that adds vectors, loading `library`, with no setting of the layer.
pub fn adding_with(library: &Path) -> Command {
    let mut command = Command::new(built(2, "examples/vector_add"));
    command.arg(library);
    for variable in [
        "CLASSAY_LAYER_LIBRARY",
        "CLASSAY_LAYER_FAULTS",
        "CLASSAY_LAYER_STATE",
    ] {
        command.env_remove(variable);
    }
    command
}

/// The program that adds vectors, through the layer, on `library`.
pub fn adding_on(library: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = adding_with(&layer());
    command.env("CLASSAY_LAYER_LIBRARY", library);
    command
}

/// Adds vectors on the fake driver with these faults.
pub fn with_faults(faults: &str, rounds: u32) -> Output {
    adding_on(fake_driver())
        .arg(rounds.to_string())
        .env("CLASSAY_LAYER_FAULTS", faults)
        .output()
        .expect("the program runs")
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
