//! The platform's OpenCL loader, whatever is installed: a loader without drivers, and a platform without
//! devices before a usable one. The drivers are Touchstone and one that the layer's tests have, so that
//! nothing here depends on what the machine has; where it has no loader, `system` is no device at all.

mod common;

use common::{Done, SB, classay, library, run, write};
use std::path::{Path, PathBuf};
use std::process::Command;

const NO_DEVICE: i32 = 3;

/// The program, with a loader that reads drivers from this folder alone.
fn within(vendors: &Path) -> Command {
    let mut command = classay();
    command
        .env("OCL_ICD_VENDORS", vendors)
        // The order of the files, and no platform for having more devices.
        .env("OCL_ICD_PLATFORM_SORT", "none")
        .env("FAKE_DRIVER_WITHOUT_DEVICES", "1");
    command
}

fn devices(vendors: &Path) -> Done {
    run(within(vendors).args(["devices", "--json", "--device", "system"]))
}

#[test]
fn a_loader_without_drivers_is_no_device() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = devices(folder.path()).expect(NO_DEVICE);
    let last = listed.json().pop().expect("a line");
    assert_eq!(last["device"], "system");
    assert!(last["error"].is_string(), "{last}");
    let test = write(folder.path(), "sb.litmus", SB);
    run(within(folder.path())
        .args(["litmus", "--device", "system"])
        .arg(&test))
    .expect(NO_DEVICE)
    .says(&["error: "]);
}

/// The driver of the layer's tests, where it is built.
fn fake() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_classay")).parent()?;
    Some(beside.join("examples/libfake_driver.so")).filter(|path| path.exists())
}

#[test]
fn platforms_without_devices_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(fake) = fake() else {
        eprintln!("skipped: the driver without devices is not built");
        return;
    };
    let touchstone = library("libtouchstone.so");
    for (name, driver) in [("1-fake.icd", &fake), ("2-touchstone.icd", &touchstone)] {
        write(folder.path(), name, driver.to_str().expect("text"));
    }
    let listed = devices(folder.path()).json();
    let of_system = |line: &&serde_json::Value| {
        let device = line["device"].as_str().unwrap_or_default();
        device.starts_with("system")
    };
    let system: Vec<_> = listed.iter().filter(of_system).collect();
    let [first, second] = system.as_slice() else {
        eprintln!("skipped: there is no loader that reads OCL_ICD_VENDORS: {listed:?}");
        return;
    };
    let (empty, usable) = match first["error"].is_string() {
        true => (first, second),
        false => (second, first),
    };
    // What is asked for as a whole is there when one of its platforms is usable.
    devices(folder.path()).expect(0);
    let why = empty["error"].as_str().expect("a sentence");
    assert!(why.contains("has no device"), "{why}");
    assert_eq!(usable["platform"], "Touchstone", "{usable}");

    let test = write(folder.path(), "sb.litmus", SB);
    let litmus = |device: &str| {
        run(within(folder.path())
            .args(["litmus", "--json", "--instances", "50", "--device", device])
            .arg(&test))
    };
    let ran = litmus("system").expect(0);
    assert_eq!(ran.json()[0]["verdict"], "pass", "{}", ran.told());
    let place = empty["device"].as_str().expect("a selector");
    litmus(place).expect(NO_DEVICE).says(&["has no device"]);
}
