//! Every shipped test that one dispatch plays becomes a module that is valid.

use super::{foreign, shader};
use crate::device::vulkan::gpu::Features;
use crate::execute::bench::Foreigns;
use classay_litmus::kernel::{AtomicsDialect, Inexpressible, TestKernel};
use classay_litmus::program::Api;
use std::process::Command;

/// The texts of all shipped tests with what they call.
fn texts() -> Vec<(String, String, Foreigns)> {
    let mut all = Vec::new();
    for case in crate::plan::shipped_of(Api::Vulkan).expect("the shipped tests") {
        let program = case.body.litmus().expect("a litmus test");
        match TestKernel::write(program, AtomicsDialect::Vulkan) {
            Ok(test) => {
                let operations = test.operations.all.iter();
                let foreign = operations.map(|(name, of)| (name.clone(), foreign(of)));
                all.push((case.test, test.source, foreign.collect()));
            }
            Err(
                Inexpressible::BeyondDispatch(_)
                | Inexpressible::BarrierMismatch { .. }
                | Inexpressible::NestedBarrier { .. }
                | Inexpressible::LocalAcrossGroups { .. },
            ) => {}
            Err(other) => panic!("{}: {other}", case.test),
        }
    }
    all
}

#[test]
fn modules_of_shipped_tests_are_valid() {
    let texts = texts();
    assert!(texts.len() > 100, "{}", texts.len());
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for int64 in [true, false] {
        let has = Features {
            memory_model: true,
            device_scope: true,
            int64,
            ..Features::default()
        };
        for (name, text, foreign) in &texts {
            let shader = shader(text, foreign, has).unwrap_or_else(|failure| {
                panic!("{name}: {}", failure.log);
            });
            let bytes: Vec<u8> = shader.words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let file = folder.path().join(format!("{int64}-{}.spv", files.len()));
            std::fs::write(&file, bytes).expect("a file");
            files.push((name, file));
        }
    }
    for (name, file) in files {
        let validated = Command::new("spirv-val")
            .args(["--target-env", "vulkan1.2"])
            .arg(&file)
            .output();
        let Ok(validated) = validated else {
            eprintln!("skipped: spirv-val is not installed");
            return;
        };
        let said = String::from_utf8_lossy(&validated.stderr);
        assert!(validated.status.success(), "{name}: {said}");
    }
}
