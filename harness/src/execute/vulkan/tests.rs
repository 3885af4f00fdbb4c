//! Every shipped test that shaders play, and generated ones, become modules that are valid, in either memory model.

use super::shader;
use crate::device::vulkan::gpu::Features;
use crate::environment::{Images, ModuleModel, Modules};
use crate::execute::bench::Foreigns;
use classay_litmus::generate::{Options, Selection, generate};
use classay_litmus::kernel::{AtomicsDialect, Inexpressible, TestKernel};
use classay_litmus::oracle::Model;
use classay_litmus::program::{Api, Program};
use std::process::Command;

/// The texts of tests, of those that can be played, with what they call in modules of a kind.
fn texts(programs: &[Program], modules: Modules) -> Vec<(String, String, Foreigns)> {
    let mut all = Vec::new();
    for program in programs {
        match TestKernel::write(program, AtomicsDialect::Vulkan) {
            Ok(test) => {
                let foreign = Foreigns::of(&test, modules);
                all.push((program.name.clone(), test.source, foreign));
            }
            Err(
                Inexpressible::BeyondDispatch(_)
                | Inexpressible::BarrierMismatch { .. }
                | Inexpressible::NestedBarrier { .. }
                | Inexpressible::LocalAcrossGroups { .. },
            ) => {}
            Err(other) => panic!("{}: {other}", program.name),
        }
    }
    all
}

#[test]
fn modules_of_shipped_tests_are_valid() {
    let cases = crate::plan::shipped_of(Api::Vulkan).expect("the shipped tests");
    let program = |case: &crate::plan::Case| {
        let program = case.body.litmus().expect("a litmus test");
        Program::clone(program)
    };
    are_valid(&cases.iter().map(program).collect::<Vec<_>>(), 250);
}

#[test]
fn modules_of_generated_tests_are_valid() {
    let options = Options {
        api: Api::Vulkan,
        mutants: true,
        selection: Selection::Drawn { count: 30, seed: 3 },
        ..Options::default()
    };
    let named = |name| Model::named(name).expect("a model");
    let (model, sc) = (named(Api::Vulkan.model()), named("sc"));
    let made = generate(&options, &model, &sc).expect("they can be judged");
    let programs: Vec<Program> = made.tests.iter().map(|test| test.program()).collect();
    are_valid(&programs, 30);
}

/// Checks the modules of these tests, of which at least so many can be played: all can be written, and of each test one
/// of the four is given to the validator, the next test's in another form, as a process for each takes a minute and more.
fn are_valid(programs: &[Program], least: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for (form, (model, images, int64)) in [
        (ModuleModel::Vulkan, Images::Texels, true),
        (ModuleModel::Vulkan, Images::Planes, false),
        (ModuleModel::Glsl450, Images::Texels, true),
        (ModuleModel::Glsl450, Images::Planes, true),
    ]
    .into_iter()
    .enumerate()
    {
        let has = Features {
            memory_model: true,
            device_scope: true,
            int64,
            ..Features::default()
        };
        let texts = texts(programs, Modules { model, images });
        assert!(texts.len() >= least, "{}", texts.len());
        for (number, (name, text, foreign)) in texts.into_iter().enumerate() {
            let shader = shader(&text, &foreign, has).unwrap_or_else(|failure| {
                panic!("{name}: {}", failure.log);
            });
            if number % 4 != form {
                continue;
            }
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
