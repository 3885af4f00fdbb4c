//! Every shipped test that shaders play becomes a module that is valid, in either memory model.

use super::{foreign, shader};
use crate::device::vulkan::gpu::Features;
use crate::environment::ModuleModel;
use crate::execute::bench::Foreigns;
use classay_litmus::kernel::{AtomicsDialect, Inexpressible, TestKernel};
use classay_litmus::program::Api;
use std::process::Command;

/// The texts of all shipped tests with what they call in modules of a memory model.
fn texts(model: ModuleModel) -> Vec<(String, String, Foreigns)> {
    let mut all = Vec::new();
    for case in crate::plan::shipped_of(Api::Vulkan).expect("the shipped tests") {
        let program = case.body.litmus().expect("a litmus test");
        match TestKernel::write(program, AtomicsDialect::Vulkan) {
            Ok(test) => {
                let operations = test.operations.all.iter();
                let operations = operations.map(|(name, of)| (name.clone(), foreign(of, model)));
                let foreign = Foreigns {
                    operations: operations.collect(),
                    aliasing: test.aliasing().collect(),
                    model,
                };
                all.push((case.test, test.source, foreign));
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
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for (model, int64) in [
        (ModuleModel::Vulkan, true),
        (ModuleModel::Vulkan, false),
        (ModuleModel::Glsl450, true),
    ] {
        let has = Features {
            memory_model: true,
            device_scope: true,
            int64,
            ..Features::default()
        };
        let texts = texts(model);
        assert!(texts.len() > 250, "{}", texts.len());
        for (name, text, foreign) in texts {
            let shader = shader(&text, &foreign, has).unwrap_or_else(|failure| {
                panic!("{name}: {}", failure.log);
            });
            let bytes: Vec<u8> = shader.words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let file = folder.path().join(format!("{}.spv", files.len()));
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
