//! Vulkan devices, by the drivers that are installed: Mesa's lavapipe through the loader and by itself, and
//! SwiftShader where Chromium's package has brought it. Where there is none, what needs one is skipped.

use crate::common::vulkan::devices;
use crate::common::{SB, classay, library, run, write};
use std::path::Path;
use std::process::Command;

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
        let tests = [
            "vulkan/MP+rel+acq",
            "vulkan/MP+barrier",
            "vulkan/RMW+add",
            "vulkan/SSW+device",
            "vulkan/SSW+MP+av-vis",
            "vulkan/SSW+MP+further",
            "vulkan/SSW+device+alias",
            "vulkan/MP+sc2",
            "vulkan/WAR+sc0+sc2",
            "vulkan/CoRR+hosts",
        ];
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
            played.stdout.matches(": pass").count()
                + played.stdout.matches(": inconclusive").count(),
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
fn modules_of_the_older_memory_model_are_chosen_and_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let older = write(folder.path(), "older.yaml", "module: glsl450\n");
    for device in devices() {
        let (store, report) = (folder.path().join("r.db"), folder.path().join("r.json"));
        let mut command = classay();
        command.args([
            "run",
            "--device",
            &device,
            "--instances",
            "8000",
            "--seed",
            "3",
        ]);
        for test in ["MP+rel+acq", "MP+fences", "RMW+add", "SSW+device"] {
            command.arg("--select").arg(format!("litmus/vulkan/{test}"));
        }
        command
            .arg("--environment")
            .arg(&older)
            .arg("--store")
            .arg(&store);
        let played = run(&mut command).expect(0);
        assert!(played.stdout.contains("4 pass"), "{}", played.told());
        run(classay()
            .arg("report")
            .arg(&store)
            .arg("--json")
            .arg(&report))
        .expect(0);
        let told = std::fs::read_to_string(&report).expect("a report");
        assert!(told.contains("glsl450"), "{told}");
        std::fs::remove_file(&store).expect("the store");
    }
}

/// Both of a family's queues are the driver's one here: what is played is the order of submissions and the work-groups
/// that each gets, not that queues run at once.
#[test]
fn threads_of_a_family_are_in_several_of_its_queues() {
    let folder = tempfile::tempdir().expect("a folder");
    let spread = write(folder.path(), "spread.yaml", "launch: {spread: 100}\n");
    for device in devices() {
        let through = |arguments: &[&str]| {
            let mut command = classay();
            command.env("CLASSAY_LAYER_QUEUES", "2");
            command.args(arguments).args(["--device", &device]);
            command
        };
        let listed = run(&mut through(&["devices"])).expect(0);
        assert!(
            listed.stdout.contains("2 queues in 1 family"),
            "{}",
            listed.told()
        );
        let tests = [
            "vulkan/MP+rel+acq",
            "vulkan/SB+rlx",
            "vulkan/IRIW+rel+acq",
            "vulkan/MP+local",
        ];
        let mut command = through(&["litmus", "--instances", "20000", "--seed", "1", "--json"]);
        let played = run(command.arg("--environment").arg(&spread).args(tests)).expect(0);
        for result in played.json() {
            assert_eq!(result["verdict"], "pass", "{}", played.told());
            assert_eq!(result["instances"], 20000, "{}", played.told());
        }
        let wrong = run(through(&["devices"]).env("CLASSAY_LAYER_QUEUES", "none"));
        wrong.expect(NO_DEVICE).shows(&["makes no Vulkan instance"]);
    }
}

#[test]
fn locations_in_images_lie_in_planes_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let planes = write(folder.path(), "planes.yaml", "memory: {images: planes}\n");
    for device in devices() {
        let tests = [
            "vulkan/MP+sc2",
            "vulkan/WAR+sc0+sc2",
            "vulkan/MP+sc2+other-av",
        ];
        let mut command = classay();
        command.args([
            "litmus",
            "--device",
            &device,
            "--instances",
            "20000",
            "--seed",
            "1",
            "--json",
        ]);
        let played = run(command.arg("--environment").arg(&planes).args(tests));
        for result in played.json() {
            let reason = result["reason"].as_str().unwrap_or_default();
            let lacks = reason.contains("the device lacks linear 2D storage images");
            assert!(
                !lacks || device != crate::common::vulkan::LAVAPIPE,
                "{}",
                played.told()
            );
            if !lacks {
                assert_eq!(result["instances"], 20000, "{}", played.told());
                assert_ne!(result["verdict"], "fail", "{}", played.told());
            }
        }
    }
}

/// Where the Vulkan loader finds the Khronos validation layer.
const LAYER: &str = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json";

#[test]
fn the_validation_layer_has_nothing_to_say() {
    let usable = Path::new(LAYER).exists() && devices().iter().any(|device| device == "vulkan");
    if !usable {
        eprintln!("skipped: there is no validation layer");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.txt");
    let settings = format!(
        "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n\
         khronos_validation.report_flags = error,warn,info\n\
         khronos_validation.log_filename = {}\n",
        log.display()
    );
    write(folder.path(), "vk_layer_settings.txt", &settings);
    let tests = [
        "vulkan/MP+rel+acq",
        "vulkan/MP+local",
        "vulkan/MP+cbar+sg",
        "vulkan/SSW+device",
        "vulkan/SSW+device+order",
        "vulkan/SSW+MP",
        "vulkan/MP+alias",
        "vulkan/MP+sc2",
        "vulkan/WAR+sc0+sc2",
        "vulkan/CoRR+hosts",
        "vulkan/SSW+device+host-read",
        "vulkan/Host+flush+submit",
        "vulkan/Host+dependency+invalidate",
        "vulkan/Hosts+flush+invalidate",
    ];
    let older = write(folder.path(), "older.yaml", "module: glsl450\n");
    let planes = write(folder.path(), "planes.yaml", "memory: {images: planes}\n");
    for environment in [None, Some(older), Some(planes)] {
        let mut command = classay();
        command
            .arg("litmus")
            .args(tests)
            .args(["--device", "vulkan"]);
        command.args(["--instances", "4000", "--seed", "5"]);
        if let Some(environment) = environment {
            command.arg("--environment").arg(environment);
        }
        command
            .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
            .env("VK_LAYER_SETTINGS_PATH", folder.path());
        run(&mut command).expect(0);
        let said = std::fs::read_to_string(&log).expect("what the layer says");
        assert!(said.contains("Validation Layer"), "it is there: {said}");
        let wrong: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("Error") || line.contains("Warning"))
            .collect();
        assert!(wrong.is_empty(), "{said}");
    }
}

#[test]
fn a_test_becomes_a_c_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let compile = |source: &Path| {
        let program = source.with_extension("program");
        let done = run(Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(source)
            .args(["-lvulkan", "-lpthread"]));
        (done.code == Some(0))
            .then_some(program)
            .ok_or_else(|| done.told())
    };
    let nothing = "#include <vulkan/vulkan.h>\nint main(void) { return 0; }\n";
    let there = Command::new("cc").arg("--version").output().is_ok()
        && compile(&write(folder.path(), "nothing.c", nothing)).is_ok();
    if !there || !devices().iter().any(|device| device == "vulkan") {
        eprintln!("skipped: there is no C compiler with Vulkan's headers, or no device");
        return;
    }
    for test in [
        "MP+rel+acq",
        "MP+local",
        "SB+rlx",
        "SSW+device",
        "SSW+MP",
        "MP+alias",
        "MP+sc2",
        "CoRR+hosts",
        "Host+flush+submit",
        "MP+cbar+sg",
        "Hosts+MP+submit",
        "Host+coherent+submit",
    ] {
        let c = folder.path().join(format!("{test}.c"));
        let environment = write(
            folder.path(),
            "environment.yaml",
            match test {
                "MP+sc2" => "memory: {images: planes}\n",
                _ => "launch: {spread: 100}\n",
            },
        );
        run(classay()
            .env("CLASSAY_LAYER_QUEUES", "2")
            .args([
                "reproduce",
                &format!("vulkan/{test}"),
                "--c",
                "--device",
                "vulkan",
                "--environment",
            ])
            .arg(&environment)
            .arg("--out")
            .arg(&c))
        .expect(0);
        let text = std::fs::read_to_string(&c).expect("a program");
        let queues = if test == "SB+rlx" { 2 } else { 0 };
        assert!(queues == 0 || text.contains(&format!("#define QUEUES {queues}\n")));
        let program = compile(&c).unwrap_or_else(|told| panic!("{test}: {told}"));
        let played = run(Command::new(&program).arg("0.2"))
            .expect(0)
            .shows(&["instances in", "; 0 with a forbidden outcome"]);
        assert!(
            !played.stdout.contains("left no result"),
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

#[test]
fn generated_litmus_tests_are_cases_of_a_run() {
    let apis = [
        ("vulkan", "vulkan-generated", "VULKAN "),
        ("touchstone", "generated", "OPENCL "),
    ];
    for (device, kind, language) in apis {
        let select = format!("litmus/{kind}/*");
        let list = |seed: &str| {
            let mut command = classay();
            command.args(["run", "--list", "--device", device, "--select", &select]);
            run(command.args(["--programs", "2", "--seed", seed]))
                .expect(0)
                .stdout
        };
        let eight = list("1");
        assert_eq!(eight.lines().count(), 8, "{eight}");
        assert_eq!(eight, list("1"));
        assert_ne!(eight, list("2"));
        for case in eight.lines() {
            let text = run(classay().args(["program", case, "--seed", "1"])).expect(0);
            assert!(text.stdout.starts_with(language), "{}", text.told());
        }
    }
    for device in devices() {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = ["--seed", "1", "--programs", "1", "--instances", "2000"];
        let select = ["--select", "litmus/vulkan-generated/*"];
        let done = run(classay()
            .current_dir(folder.path())
            .args(["run", "--device", &device])
            .args(select)
            .args(arguments))
        .told();
        assert!(!done.contains("fail "), "{done}");
        assert!(done.contains("4 cases"), "{done}");
    }
}
