//! Compute shaders for Vulkan: what is written is valid, what is not is refused by name.

mod foreign;
mod language;
mod litmus;
mod refused;

use std::io::Write as _;
use std::process::{Command, Stdio};
use touchstone_clc::vulkan::{Shader, Target};
use touchstone_clc::{BuildOptions, CompileOptions, DeviceProfile, Source, compile_for_vulkan};

/// What every device here has.
pub fn least() -> Target {
    Target {
        memory_model: true,
        ..Target::default()
    }
}

pub fn most() -> Target {
    Target {
        int64: true,
        int64_atomics: true,
        memory_model: true,
        device_scope: true,
        ..Target::default()
    }
}

/// Devices that differ in what they have.
fn targets() -> [(&'static str, Target); 3] {
    let legacy = Target {
        memory_model: false,
        device_scope: false,
        ..most()
    };
    [("least", least()), ("most", most()), ("legacy", legacy)]
}

pub fn write(text: &str, standard: &str, target: &Target) -> Result<Shader, String> {
    let mut device = DeviceProfile::default();
    device.extensions.insert("cl_khr_subgroups".into());
    device.features.insert("__opencl_c_subgroups".into());
    let options = CompileOptions {
        build: BuildOptions::parse(&format!("-cl-std={standard}")).unwrap(),
        device,
        headers: None,
    };
    compile_for_vulkan(&Source::new("t.cl", text), &options, target).map_err(|f| f.log)
}

/// The message of the first error of a build log.
fn first_error(log: &str) -> &str {
    let line = log.lines().find(|line| line.contains("error: "));
    let message = line.and_then(|line| line.split_once("error: "));
    message.map_or(log, |(_, message)| message)
}

/// Checks a module with the validator, where there is one.
pub fn validate(shader: &Shader, what: &str) {
    for environment in ["vulkan1.2", "vulkan1.3"] {
        let child = Command::new("spirv-val")
            .args(["--target-env", environment, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("spirv-val is not installed: {what} is not validated");
            return;
        };
        let bytes: Vec<u8> = shader.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what} for {environment}: {said}");
    }
}

/// Writes a text for every device, and validates the modules.
fn valid(text: &str) {
    for (device, target) in targets() {
        let shader = write(text, "CL3.0", &target).unwrap_or_else(|log| panic!("{device}: {log}"));
        validate(&shader, device);
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        println!("spirv-val is not installed: it is not tried");
        return;
    }
    let mut shader = write(
        "kernel void k(global uint *a) { *a = 1; }",
        "CL3.0",
        &least(),
    )
    .unwrap();
    validate(&shader, "as it is");
    // A module that ends before its function does.
    shader.words.pop();
    assert!(std::panic::catch_unwind(|| validate(&shader, "cut off")).is_err());
}
