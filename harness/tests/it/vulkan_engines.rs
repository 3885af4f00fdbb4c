//! The engines on Vulkan devices: tuning, hunting, comparing, measuring, and campaigns over the faults of the Vulkan
//! layer. What needs a device is skipped where there is none.

use crate::common::vulkan::{LAVAPIPE, devices};
use crate::common::{Done, SB, classay, run, write};
use serde_json::Value;
use std::path::Path;

const USAGE: i32 = 2;
const NO_DEVICE: i32 = 3;
const NOTHING: i32 = 4;

/// Whether lavapipe is here, of which more is known than of any device.
fn lavapipe() -> bool {
    devices().iter().any(|device| device == LAVAPIPE)
}

#[test]
fn environments_are_tuned_by_tests_of_vulkan() {
    let folder = tempfile::tempdir().expect("a folder");
    for (n, device) in devices().into_iter().enumerate() {
        let tune = |tests: &[&str], out: &Path| {
            run(classay()
                .args(["tune", "--device", &device, "--seed", "3", "--budget", "3"])
                .args(["--mutants", "4", "--seconds-each", "0.1", "--out"])
                .arg(out)
                .args(tests))
            .expect(0)
        };
        // Made ones, on one device, and those that are named: one is weak by itself, of the other there are mutants.
        if n == 0 {
            let made = tune(&[], &folder.path().join("made.yaml"));
            assert!(made.stdout.contains("mutation score: "), "{}", made.told());
        }
        let path = folder.path().join("named.yaml");
        tune(&["vulkan/SB+rlx", "vulkan/MP+rel+acq"], &path).shows(&[
            "SB+rlx",
            "MP+rel+acq~",
            "mutation score: ",
        ]);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains("platform: Vulkan"), "{text}");
    }
}

#[test]
fn tests_of_the_other_interface_are_refused_with_the_device_to_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let opencl = write(folder.path(), "sb.litmus", SB);
    let tune = |device: &str, test: &Path| {
        run(classay().args(["tune", "--device", device]).arg(test)).expect(USAGE)
    };
    tune("touchstone", Path::new("vulkan/SB+rlx")).says(&[
        "SB+rlx is a test of Vulkan",
        "name a Vulkan device, as with --device vulkan",
    ]);
    tune("vulkan", &opencl).says(&["SB is a test of OpenCL", "name an OpenCL device"]);
    tune("vulkan", Path::new("vulkan/no-such-test")).says(&["is no shipped test"]);
    let versus = |devices: [&str; 2], more: &[&str]| {
        run(classay()
            .arg("versus")
            .args(devices)
            .args(more)
            .arg("--out")
            .arg(folder.path()))
    };
    versus(["touchstone", "vulkan"], &[])
        .expect(USAGE)
        .says(&["name two devices of one interface"]);
    versus(["touchstone"; 2], &["--select", "vulkan/SB+rlx"])
        .expect(NOTHING)
        .says(&["no shipped litmus test matches", "name a Vulkan device"]);
    run(classay().args(["bench", "--only", "known", "--test", "vulkan/SB+rlx"]))
        .expect(USAGE)
        .says(&["SB+rlx is a test of Vulkan"]);
    run(classay().args(["bench", "--only", "programs", "--device", "vulkan"]))
        .expect(0)
        .shows(&["not measured, since programs of commands call OpenCL: vulkan"]);
}

#[test]
fn a_hunt_on_a_device_that_keeps_the_model_finds_nothing() {
    for device in devices() {
        let folder = tempfile::tempdir().expect("a folder");
        let done = run(classay()
            .args(["hunt", "--device", &device, "--seed", "2", "--tests", "8"])
            .args(["--slice", "0.1", "--hours", "0.001", "--json", "--out"])
            .arg(folder.path().join("hunt")))
        .expect(0);
        let told = &done.json()[0];
        assert_eq!(told["forbidden"], 0, "{}", done.told());
        assert!(told["instances"].as_u64() > Some(0), "{}", done.told());
        assert_eq!(told["device"]["platform"], "Vulkan");
    }
}

#[test]
fn a_device_of_vulkan_is_compared_with_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    for device in devices() {
        let done = run(classay()
            .args(["versus", &device, &device, "--seed", "3", "--budget", "2"])
            .args(["--rounds", "2", "--select", "vulkan/SB+rlx", "--json"])
            // How the rates of a machine at work scatter is not what is tested.
            .args(["--gate", "failures", "--out"])
            .arg(folder.path()))
        .expect(0);
        assert!(
            done.json()[0]["compared"].as_u64() > Some(0),
            "{}",
            done.told()
        );
    }
}

#[test]
fn devices_of_both_interfaces_are_measured_side_by_side() {
    for device in devices() {
        let done = run(classay()
            .args(["bench", "--only", "known", "--test", "SB+rlx"])
            .args(["--device", "touchstone", "--device", &device])
            .args(["--processes", "2", "--each", "0.05"]))
        .expect(0);
        let rows: Vec<&str> = done.stdout.lines().skip(1).collect();
        assert_eq!(rows.len(), 2, "{}", done.told());
        assert!(rows[0].contains("(touchstone)"), "{}", done.told());
        assert!(rows[1].contains(&format!("({device})")), "{}", done.told());
        assert!(rows.iter().all(|row| row.starts_with("SB+rlx")));
    }
    for device in devices() {
        run(classay()
            .args(["bench", "--only", "litmus", "--seconds", "0.2"])
            .args(["--device", &device]))
        .expect(0)
        .shows(&["SB+rlx", "MP+rlx", "IRIW+rel+acq"]);
    }
}

/// What became of faults on a device, by name.
fn campaign(device: &str, budget: &str, faults: &[&str]) -> (Done, Vec<Value>) {
    let mut command = classay();
    command.args(["faults", "--device", device, "--json", "--seed", "1"]);
    command.args(["--jobs", "1", "--budget", budget]);
    for fault in faults {
        command.args(["--select", fault]);
    }
    let done = run(&mut command);
    let lines = done.json();
    (done, lines)
}

fn of<'l>(lines: &'l [Value], fault: &str) -> &'l Value {
    let line = lines.iter().find(|line| line["id"] == fault);
    line.unwrap_or_else(|| panic!("no {fault} in {lines:?}"))
}

#[test]
fn the_faults_of_the_layer_are_listed_for_vulkan_devices_alone() {
    let list = |more: &[&str]| {
        let listed = run(classay().args(["faults", "--list"]).args(more)).expect(0);
        listed
            .stdout
            .lines()
            .filter(|line| !line.starts_with(' '))
            .count()
    };
    let vulkan = ["--device", "vulkan"];
    assert_eq!(list(&vulkan), 27);
    assert_eq!(list(&["--device", "vulkan", "--carrier", "call"]), 4);
    assert_eq!(list(&["--device", "vulkan", "--carrier", "module"]), 23);
    assert!(list(&[]) > 300);
    run(classay().args(["faults", "--list", "--select", "drop-flush"]))
        .expect(NOTHING)
        .says(&["no fault matches drop-flush"]);
    run(classay()
        .args(["faults", "--beyond", "weak-memory"])
        .args(vulkan))
    .expect(USAGE)
    .says(&["of the latitudes that Touchstone takes"]);
}

/// By the driver itself and behind the loader: a fault that the device shows, one that acts and cannot be seen on x86, and
/// one that has nothing to act on. Of the second lavapipe says less: it loses results now and then, which may be
/// taken for the fault's doing.
#[test]
fn faults_of_the_layer_are_detected_or_it_is_said_why_not() {
    if !lavapipe() {
        return;
    }
    let faults = ["halve-read-modify-write", "weaken-release", "drop-flush"];
    // A search that finds nothing lasts as long as it may: once is enough.
    for (device, faults) in [("vulkan", &faults[..1]), (LAVAPIPE, &faults[..])] {
        let (done, lines) = campaign(device, "40", faults);
        let done = done.expect(0);
        assert_eq!(lines.len(), faults.len(), "{}", done.told());
        let halves = of(&lines, "halve-read-modify-write");
        assert_eq!(halves["result"], "detected", "{}", done.told());
        assert_eq!(halves["own"], true, "{}", done.told());
        if faults.len() == 1 {
            continue;
        }
        let weak = of(&lines, "weaken-release");
        if weak["result"] == "undetected" {
            assert_eq!(weak["showable"], false, "{}", done.told());
            // On a busy machine its time may end before a case on which it acts.
            let power = weak["power"].as_str().unwrap_or_default();
            let acts = power.contains("litmus tests that it changes");
            assert!(acts, "{}", done.told());
        }
        // All memory of lavapipe is coherent: where all cases were looked at in time, it is said that it did not act.
        let flush = of(&lines, "drop-flush");
        let idle = flush["result"] == "not-acted" || flush["acted"] == 0;
        assert!(idle, "{}", done.told());
    }
}

#[test]
fn a_fault_that_the_environment_names_breaks_a_device() {
    if !lavapipe() {
        return;
    }
    let litmus = |faults: &str| {
        run(classay()
            .args([
                "litmus",
                "vulkan/RMW+add",
                "--device",
                LAVAPIPE,
                "--seed",
                "1",
            ])
            .args(["--seconds", "1"])
            .env("CLASSAY_LAYER_FAULTS", faults))
    };
    litmus("halve-read-modify-write").expect(1);
    // The layer without a fault that acts is no difference.
    litmus("drop-flush").expect(0);
    litmus("drop-flsh")
        .expect(NO_DEVICE)
        .says(&["'drop-flsh', which is no fault of Vulkan"]);
}
