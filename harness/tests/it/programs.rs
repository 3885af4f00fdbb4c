//! Programs of commands and API cases: a clean run passes, and faults are detected by their own rules.

use crate::common::{Done, classay, device};
use std::path::Path;

/// A clean run of these kinds, with both devices that Touchstone can have.
fn passes(kinds: &[&str], programs: u32, small: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = classay();
    command.env("TOUCHSTONE_DEVICES", "2");
    command.args(["run", "--device", &device(), "--seed", "11", "--json"]);
    command.args(["--instances", "2", "--programs", &programs.to_string()]);
    command.args(["--bounded", &small.to_string()]);
    command.arg("--store").arg(folder.path().join("store"));
    for kind in kinds {
        command.args(["--select", kind]);
    }
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let verdicts: Vec<String> = done
        .json()
        .iter()
        .map(|case| case["verdict"].as_str().unwrap_or_default().to_string())
        .collect();
    assert!(verdicts.len() >= programs as usize, "{verdicts:?}");
    let passed = verdicts.iter().filter(|verdict| *verdict == "pass");
    assert!(passed.count() * 2 > verdicts.len(), "{verdicts:?}");
}

#[test]
fn clean_programs_pass() {
    let kinds = [
        "queue/*",
        "sync/*",
        "memory/random/*",
        "memory/variable/*",
        "svm/*",
        "kernels/native/*",
    ];
    passes(&kinds, 4, 60);
}

#[test]
fn clean_api_cases_pass() {
    passes(&["api/*", "kernels/builtin/*", "sync/legacy/*"], 4, 0);
}

#[test]
fn litmus_tests_with_commands_are_played() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/tests");
    let files = std::fs::read_dir(tests).expect("the shipped tests");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "litmus"))
        .filter(|path| {
            let text = std::fs::read_to_string(path).expect("a test");
            text.lines().any(|line| line.starts_with("  queue "))
        })
        .map(|path| {
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), 33, "{names:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = classay();
    command.env("TOUCHSTONE_DEVICES", "2");
    command.args(["run", "--device", &device(), "--instances", "40", "--json"]);
    command.arg("--store").arg(folder.path().join("store"));
    for name in &names {
        command.args(["--select", name]);
    }
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let lines = done.json();
    assert_eq!(lines.len(), names.len(), "{}", done.told());
    for line in lines {
        assert_ne!(line["verdict"], "skip", "{line}");
        assert_ne!(line["verdict"], "fail", "{line}");
    }
}

/// Each of these faults shows in every run of some case, and that case names a rule of the fault.
fn detected(faults: &[&str]) {
    let mut command = classay();
    command.args(["faults", "--device", &device(), "--seed", "3", "--json"]);
    // Time enough on a machine that has other things to do: a fault ends its own search.
    command.args(["--programs", "12", "--budget", "400", "--jobs", "2"]);
    for fault in faults {
        command.args(["--select", fault]);
    }
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let lines = done.json();
    // Touchstone and the layer may have a fault of the same name.
    assert!(lines.len() >= faults.len(), "{}", done.told());
    for line in lines {
        assert_eq!(line["result"], "detected", "{line}");
        assert_eq!(line["own"], true, "{line}");
    }
}

#[test]
fn faults_of_touchstone_are_detected_by_their_rules() {
    detected(&[
        "failure-runs",
        "last-item-missing",
        "offset-in-local-id",
        "num-groups-floor",
        "barrier-last-passes",
        "private-shared",
        "min-max-swapped",
        "fetch-gives-new",
    ]);
}

#[test]
fn faults_of_the_layer_are_detected_by_their_rules() {
    detected(&[
        "waits-ignored-kernel",
        "foreign-events-accepted",
        "failure-hidden",
        "callback-early",
        "copy-overlap-accepted",
        "user-event-set-twice",
        "times-always-available",
        "svm-free-keeps-array",
        "svm-misuse-accepted",
        "legacy-barrier-ignored",
        "callback-lost",
        "times-equal",
        "copy-short",
    ]);
}

/// What lies just beyond a latitude is detected with the latitude taken, too; only Touchstone takes any.
#[test]
fn faults_are_detected_beside_the_latitude_that_they_lie_beyond() {
    let beyond = ["faults", "--beyond", "groups-r*", "--seed", "3"];
    let done = passed(&[&beyond[..], &["--programs", "6", "--json"]].concat());
    let lines = done.json();
    let of = |id: &str| lines.iter().filter(|line| line["latitude"] == id).count();
    assert_eq!([of("groups-reversed"), of("groups-random")], [3, 3]);
    for line in lines {
        assert_eq!(line["result"], "detected", "{line}");
    }
    let elsewhere = [&beyond[..], &["--device", "system"]].concat();
    let refused = Done::of(classay().args(elsewhere).output().expect("classay runs")).expect(2);
    assert!(refused.stderr.contains("--beyond"), "{}", refused.told());
}

/// A campaign's lines, whatever became of the faults, are what a report reads; and `--carrier` chooses among all.
#[test]
fn a_campaign_becomes_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let mut command = classay();
    command.args(["faults", "--device", &device(), "--seed", "3", "--json"]);
    command.args(["--programs", "1", "--budget", "30", "--jobs", "2"]);
    command.args(["--carrier", "source", "--select", "loops-cut"]);
    // A fault of a feature that the device is made to lack.
    command.env("TOUCHSTONE_PROFILE", "3.0,-device-enqueue");
    command.args(["--select", "enqueue-kernel-lost"]);
    let done = Done::of(command.output().expect("classay runs")).expect(0);
    let lines = done.json();
    let of = |id: &str| {
        let line = lines.iter().find(|line| line["id"] == id);
        line.unwrap_or_else(|| panic!("{id}\n{}", done.told()))
    };
    assert_eq!(of("loops-cut")["result"], "detected");
    assert_eq!(of("loops-cut")["showable"], true);
    assert_eq!(of("enqueue-kernel-lost")["result"], "not-applicable");
    assert_eq!(of("enqueue-kernel-lost")["showable"], false);
    std::fs::write(path("campaign.jsonl"), &done.stdout).expect("a file");
    let mut command = classay();
    command.args([
        "run",
        "--device",
        &device(),
        "--instances",
        "200",
        "--select",
        "MP+rel+acq",
    ]);
    command.arg("--store").arg(path("run.db"));
    Done::of(command.output().expect("classay runs")).expect(0);
    let mut command = classay();
    command.arg("report").arg(path("run.db"));
    command.arg("--html").arg(path("page.html"));
    command.arg("--faults").arg(path("campaign.jsonl"));
    Done::of(command.output().expect("classay runs")).expect(0);
    let page = std::fs::read_to_string(path("page.html")).expect("a page");
    for words in [
        "1 of the 1 that this device can show",
        "1 fault of what the device lacks",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let mut command = classay();
    command.args(["faults", "--carrier", "call", "--select", "loops-cut"]);
    Done::of(command.output().expect("classay runs"))
        .expect(4)
        .says(&["no fault of that carrier matches loops-cut"]);
}

/// What classay says with these arguments.
fn passed(arguments: &[&str]) -> Done {
    let mut command = classay();
    Done::of(command.args(arguments).output().expect("classay runs")).expect(0)
}

#[test]
fn the_rules_of_every_fault_are_in_the_catalogue() {
    let rules = passed(&["rules", "--format", "json"]);
    let rules: serde_json::Value = serde_json::from_str(&rules.stdout).expect("one array");
    let known: Vec<&str> = rules
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    assert!(known.len() > 150, "{}", known.len());
    let faults = passed(&["faults", "--list", "--json"]).json();
    assert!(faults.len() > 330, "{}", faults.len());
    for fault in faults {
        let named = fault["rules"].as_array().expect("a list of rules");
        // A capability that is reported wrongly breaks a rule only where a rule is about the report.
        let broken = !named.is_empty() || fault["carrier"] == "capability";
        assert!(broken, "{fault}");
        for rule in named {
            let rule = rule.as_str().expect("a name");
            assert!(known.contains(&rule), "{rule} of {fault}");
        }
    }
}

#[test]
fn latitudes_are_listed_and_run() {
    let listed = passed(&["latitudes", "--list", "--json"]).json();
    assert!(listed.iter().any(|row| row["id"] == "weak-memory"));
    for row in &listed {
        assert!(row["grants"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let run = passed(&[
        "latitudes",
        "--latitude",
        "weak-memory",
        "--select",
        "MP+rel+acq*",
        "--seeds",
        "2",
        "--seed",
        "7",
        "--budget",
        "2",
        "--json",
    ]);
    let lines = run.json();
    let seeds: Vec<_> = lines.iter().map(|line| &line["seed"]).collect();
    assert_eq!(seeds, [7, 8]);
    for line in &lines {
        assert!(line["passed"].as_u64() > Some(0), "{line}");
        assert_eq!(line["failures"].as_array().map(Vec::len), Some(0), "{line}");
    }
}

/// A kernel may permit smaller work-groups than its device.
#[test]
fn a_case_whose_kernel_permits_no_groups_that_large_is_skipped() {
    let case = "ndrange/ids/00007";
    let mut seeds = (1..100).map(|seed| seed.to_string());
    let large = |seed: &String| {
        let listed = passed(&["program", case, "--seed", seed]).stdout;
        listed.contains("work-group-size: 1024")
    };
    let seed = &seeds
        .find(large)
        .expect("groups of 1024 in one of a hundred");
    let under = |latitude: &str| {
        let run = passed(&[
            "latitudes",
            "--latitude",
            latitude,
            "--select",
            case,
            "--seed",
            seed,
            "--budget",
            "1",
            "--json",
        ]);
        run.json()[0].clone()
    };
    assert_eq!(under("groups-reversed")["passed"], 1);
    let odd = under("odd-sizes");
    assert_eq!((&odd["cases"], &odd["passed"]), (&1.into(), &0.into()));
    assert_eq!(odd["failures"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_program_is_written_the_same_every_time() {
    for case in [
        "queue/random/00003",
        "svm/coarse/00001",
        "queue/small/00077",
        "api/errors/00002",
        "api/threads/00001",
    ] {
        let program = || {
            let mut command = classay();
            command.args(["program", case, "--seed", "5"]);
            Done::of(command.output().expect("classay runs")).expect(0)
        };
        let (one, two) = (program(), program());
        assert!(one.stdout.len() > 20, "{}", one.told());
        assert_eq!(one.stdout, two.stdout, "{case}");
    }
}
