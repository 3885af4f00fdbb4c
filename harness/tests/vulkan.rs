//! Vulkan devices, by the drivers that are installed: Mesa's lavapipe through the loader and by itself, and
//! SwiftShader where Chromium's package has brought it. Where there is none, what needs one is skipped.

mod common;

use common::vulkan::devices;
use common::{SB, classay, library, run, write};

const NO_DEVICE: i32 = 3;

#[test]
fn a_vulkan_device_is_listed_with_what_it_has() {
    for device in devices() {
        let listed = run(classay().args(["devices", "--json", "--device", &device]))
            .expect(0)
            .json();
        let first = &listed[0];
        assert_eq!(first["platform"], "Vulkan", "{first}");
        assert_eq!(first["capabilities"]["api"], "vulkan", "{first}");
        let text = run(classay().args(["devices", "--device", &device])).expect(0);
        assert!(text.stdout.contains("queue"), "{}", text.told());
        assert!(
            text.stdout.lines().all(|line| line.chars().count() <= 80),
            "{}",
            text.told()
        );
    }
}

#[test]
fn drivers_that_are_not_there_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = write(folder.path(), name, text);
        path.to_str().expect("text").to_owned()
    };
    let empty = file("empty.json", "{}");
    let broken = file("broken.json", "{");
    let nowhere = file("nowhere.json", r#"{"ICD": {"library_path": "./none.so"}}"#);
    let touchstone = library("libtouchstone.so");
    let touchstone = touchstone.to_str().expect("text");
    for (driver, words) in [
        (
            "no-such-driver",
            "no Vulkan driver's manifest has no-such-driver in its name",
        ),
        (empty.as_str(), "it has no ICD.library_path"),
        (broken.as_str(), "no JSON"),
        (nowhere.as_str(), "cannot be loaded"),
        ("/none/manifest.json", "manifest"),
        (touchstone, "is a library without Vulkan"),
    ] {
        run(classay().args(["devices", "--device", &format!("vulkan:{driver}")]))
            .expect(NO_DEVICE)
            .shows(&[words]);
    }
}

#[test]
fn tests_of_vulkan_are_played() {
    for device in devices() {
        let tests = ["vulkan/MP+rel+acq", "vulkan/MP+barrier", "vulkan/RMW+add"];
        let played = run(classay().arg("litmus").args(tests).args([
            "--device",
            &device,
            "--instances",
            "20000",
            "--seed",
            "1",
        ]))
        .expect(0);
        assert_eq!(
            played.stdout.matches(": pass").count(),
            tests.len(),
            "{}",
            played.told()
        );
        assert!(
            played.stderr.contains("judged by vulkan"),
            "{}",
            played.told()
        );
    }
}

#[test]
fn a_test_of_the_other_interface_is_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let opencl = write(folder.path(), "sb.litmus", SB);
    for device in devices() {
        run(classay()
            .arg("litmus")
            .arg(&opencl)
            .args(["--device", &device, "--instances", "100"]))
        .shows(&["the test is one of opencl, and the device is reached by vulkan"]);
    }
    run(classay().args(["litmus", "vulkan/MP+rel+acq", "--instances", "100"]))
        .shows(&["the test is one of vulkan, and the device is reached by opencl"]);
}
