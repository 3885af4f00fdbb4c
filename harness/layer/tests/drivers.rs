//! The layer over the OpenCL libraries of this machine. A library that is not there, or has no
//! device, is skipped with a note; `CLASSAY_LAYER_TEST_LIBRARIES` names more of them, separated by colons.

mod common;

use common::{adding_on, stderr, stdout};

fn libraries() -> Vec<String> {
    let more = std::env::var("CLASSAY_LAYER_TEST_LIBRARIES").unwrap_or_default();
    ["libOpenCL.so.1", "libpocl.so.2"]
        .into_iter()
        .chain(more.split(':').filter(|name| !name.is_empty()))
        .map(str::to_owned)
        .collect()
}

/// Runs the addition on every library that is there, with these faults.
fn on_each(faults: &str) {
    for library in libraries() {
        let output = adding_on(&library)
            .arg("2")
            .env("CLASSAY_LAYER_FAULTS", faults)
            .output()
            .expect("runs");
        let said = stderr(&output);
        if said.contains("cannot load") || said.contains("clGetPlatformIDs: -1001") {
            println!("skipped: {library} is not here, or has no platform: {said}");
            continue;
        }
        let printed = stdout(&output);
        assert!(output.status.success(), "{library}: {said}");
        if printed.contains("device: ") {
            assert!(printed.contains("sums: 2 right"), "{library}: {printed}");
        } else {
            println!("skipped: no platform of {library} has a device");
        }
    }
}

#[test]
fn vectors_are_added_on_every_library() {
    on_each("");
}

/// The addition needs no barrier, so that each mutated source must build and still be right.
#[test]
fn weakened_sources_build_on_every_library() {
    on_each("relax-orders,drop-fences,narrow-scopes,swap-flags");
    on_each("drop-barriers");
}
