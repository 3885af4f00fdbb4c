//! Compute shaders for Vulkan.

use classay_litmus::kernel::{AtomicsDialect, TestKernel};
use classay_litmus::syntax::read_litmus;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use touchstone_clc::vulkan::{Shader, Target};
use touchstone_clc::{BuildOptions, CompileOptions, DeviceProfile, Source, compile_for_vulkan};

/// Devices that differ in what they have.
fn targets() -> Vec<(&'static str, Target)> {
    let least = Target {
        memory_model: true,
        ..Target::default()
    };
    let most = Target {
        int64: true,
        int64_atomics: true,
        memory_model: true,
        device_scope: true,
        foreign: BTreeMap::new(),
    };
    let legacy = Target {
        memory_model: false,
        device_scope: false,
        ..most.clone()
    };
    vec![("least", least), ("most", most), ("legacy", legacy)]
}

fn write(text: &str, standard: &str, target: &Target) -> Result<Shader, String> {
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

/// What the validator says against a module; None where there is no validator.
fn invalid(shader: &Shader) -> Option<String> {
    let mut said = String::new();
    for environment in ["vulkan1.2", "vulkan1.3"] {
        let child = Command::new("spirv-val")
            .args(["--target-env", environment, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else {
            println!("spirv-val is not installed: the module is not validated");
            return None;
        };
        let bytes: Vec<u8> = shader.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        if !output.status.success() {
            said += &String::from_utf8_lossy(&output.stdout);
            said += &String::from_utf8_lossy(&output.stderr);
        }
    }
    (!said.is_empty()).then_some(said)
}

#[test]
fn every_shipped_litmus_test_is_a_valid_module_or_refused_by_name() {
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut written = 0;
    for (name, text) in classay_litmus::shipped() {
        let program = read_litmus(name, text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        for (dialect, standard) in [
            (AtomicsDialect::C11, "CL3.0"),
            (AtomicsDialect::V1, "CL1.2"),
        ] {
            let Ok(kernel) = TestKernel::write(&program, dialect) else {
                continue;
            };
            for (device, target) in targets() {
                match write(&kernel.source, standard, &target) {
                    Ok(shader) => {
                        written += 1;
                        if let Some(said) = invalid(&shader) {
                            panic!("{name} for {device}: {said}\n{}", kernel.source);
                        }
                    }
                    Err(log) => {
                        let first = log.lines().find(|l| l.contains("error: ")).unwrap_or(&log);
                        let message = first.split("error: ").last().unwrap_or_default();
                        *refused.entry(format!("{device}: {message}")).or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{written} written; {refused:#?}");
}
