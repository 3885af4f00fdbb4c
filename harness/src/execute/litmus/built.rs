//! Tests built for a device: alone, or many in one program.

use crate::device::{Api, Capabilities, OpenDevice};
use crate::environment::{Images, Modules, SubGroupShape};
use crate::execute::bench::{Bench, Foreigns, NotBuilt};
use crate::execute::ended::NotRun;
use crate::execute::needs::choose_dialect;
use crate::execute::vulkan;
use classay_litmus::kernel::{Needs, Shape, TestKernel};
use classay_litmus::program::Program;
use classay_reports::record::EvidenceKind;
use std::collections::HashMap;
use std::time::Instant;

/// A test as OpenCL C.
pub struct Written {
    program: Program,
    test: TestKernel,
    modules: Modules,
}

impl Written {
    /// Writes a test for a device. Tests that are built together need different numbers, and modules of one kind.
    pub fn new(
        device: &OpenDevice,
        program: Program,
        modules: Modules,
        number: usize,
    ) -> Result<Written, NotRun> {
        let own = device.capabilities.api;
        if program.api != own {
            let (test, device) = (program.api, own);
            return Err(NotRun::skip(format!(
                "the test is one of {test}, and the device is reached by {device}"
            )));
        }
        let shape = Shape::of(&program)?;
        let needs = Needs::of(&program, &shape)?;
        let dialect = choose_dialect(&device.capabilities, &needs, device.devices())?;
        let test = TestKernel::numbered(&program, dialect, number)?;
        Ok(Written {
            modules: modules.of(&program),
            program,
            test,
        })
    }

    /// Devices that it takes, or in Vulkan queue families.
    pub fn devices(&self) -> u8 {
        self.test.shape.families().len().max(1) as u8
    }
}

/// A test ready to be launched in any environment.
pub struct Built {
    /// The test.
    pub program: Program,
    /// Its text and how instances lie.
    pub test: TestKernel,
    /// What its module is, in Vulkan.
    pub modules: Modules,
    /// A kernel for each of its devices.
    pub tests: Vec<usize>,
    /// The kernel that collects.
    pub collect: usize,
    /// The most work-items that the kernels allow in a work-group.
    pub largest_group: usize,
    /// An entry for each device.
    pub sub_groups: Vec<Option<SubGroupShape>>,
    /// Seconds of the build; its share where several tests were built together.
    pub build_seconds: f64,
}

impl Built {
    /// Builds tests, in order: all in one program, or each alone where that does not build.
    pub fn all(
        bench: &mut Bench,
        capabilities: &Capabilities,
        tests: Vec<Written>,
    ) -> Vec<Result<Built, NotRun>> {
        let started = Instant::now();
        let mut source = String::new();
        let mut collects = Collects::default();
        let mut foreign = Foreigns::default();
        for written in &tests {
            foreign.modules.model = written.modules.model;
            // Those of tests without images are of either kind.
            if written.modules.images == Images::Planes {
                foreign.modules.images = Images::Planes;
            }
            let operations = written.test.operations.all.iter();
            let operations = operations
                .map(|(name, of)| (name.clone(), vulkan::foreign(of, written.modules.model)));
            foreign.operations.extend(operations);
            foreign.aliasing.extend(written.test.aliasing());
        }
        let names: Vec<String> = tests
            .iter()
            .map(|written| {
                source.push_str(written.test.parts().0);
                collects.name(&written.test, &mut source)
            })
            .collect();
        let (program, count) = (bench.build(&source, &foreign), tests.len());
        let tests = tests.into_iter().zip(names);
        let mut built: Vec<Result<Built, NotRun>> = match program {
            Ok(program) => tests
                .map(|(written, collect)| {
                    Built::of(bench, capabilities, written, (program, &collect))
                })
                .collect(),
            Err(failed) if count == 1 => vec![Err(not_built(source, capabilities, failed))],
            Err(_) => {
                let alone = |(written, _)| Built::all(bench, capabilities, vec![written]);
                return tests.flat_map(alone).collect();
            }
        };
        let seconds = started.elapsed().as_secs_f64() / count.max(1) as f64;
        for test in built.iter_mut().flatten() {
            test.build_seconds = seconds;
        }
        built
    }

    fn of(
        bench: &mut Bench,
        capabilities: &Capabilities,
        written: Written,
        (program, collect): (usize, &str),
    ) -> Result<Built, NotRun> {
        let test = written.test;
        let mut tests = Vec::new();
        let mut largest_group = capabilities.max_work_group_size.max(1);
        for index in 0..test.shape.devices.len() {
            let kernel = bench.kernel(program, &test.kernel_name(index))?;
            let family = test.shape.family(index) as u8;
            largest_group = largest_group.min(bench.max_group(family, kernel)?.max(1));
            tests.push(kernel);
        }
        let collect = bench.kernel(program, collect)?;
        let sub_groups = sub_groups(bench, &test, &tests, largest_group)?;
        Ok(Built {
            program: written.program,
            test,
            modules: written.modules,
            tests,
            collect,
            largest_group,
            sub_groups,
            build_seconds: 0.0,
        })
    }
}

/// The collecting kernels of a program: one for all tests that record the same, since compilers take as long for
/// it as for a test.
#[derive(Default)]
struct Collects(HashMap<String, String>);

impl Collects {
    /// The name of a test's; it is added to the source where that has none like it.
    fn name(&mut self, test: &TestKernel, source: &mut String) -> String {
        let (name, text) = (test.collect_name(), test.parts().1);
        let known = self.0.entry(text.replacen(&name, "", 1));
        let known = known.or_insert_with(|| {
            source.push_str(text);
            name
        });
        known.clone()
    }
}

fn not_built(source: String, capabilities: &Capabilities, failed: NotBuilt) -> NotRun {
    let why = NotRun::failed(format!("the test does not build: {}", failed.reason))
        .with(EvidenceKind::BuildLog, failed.log)
        .with(EvidenceKind::Source, source);
    match capabilities.api {
        Api::OpenCl => {
            let options = format!("-cl-std={}", capabilities.c_std);
            why.with(EvidenceKind::BuildOptions, options)
        }
        Api::Vulkan => why,
    }
}

/// How work-groups fall into sub-groups, where the test names them.
fn sub_groups(
    bench: &Bench,
    test: &TestKernel,
    kernels: &[usize],
    largest_group: usize,
) -> Result<Vec<Option<SubGroupShape>>, NotRun> {
    let mut shapes = Vec::new();
    for (index, device) in test.shape.devices.iter().enumerate() {
        if !test.shape.uses_sub_groups() {
            shapes.push(None);
            continue;
        }
        let groups = || device.groups.iter();
        let most = groups().map(|g| g.sub_groups.len()).max().unwrap_or(1);
        let widest = groups().map(|g| g.widest_sub_group()).max().unwrap_or(1);
        let family = test.shape.family(index) as u8;
        match bench.sub_group_shape(family, kernels[index], most, widest, largest_group) {
            Some((local, width)) => shapes.push(Some(SubGroupShape { local, width })),
            None => {
                let what = format!("{most} sub-groups of {widest} work-items in a work-group");
                return Err(NotRun::skip(format!("the device lacks {what}")));
            }
        }
    }
    Ok(shapes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_litmus::kernel::AtomicsDialect;

    #[test]
    fn tests_that_record_the_same_share_what_collects() {
        let mut source = String::new();
        let mut collects = Collects::default();
        let mut name = |test: &str, number| {
            let mut all = crate::plan::shipped()
                .expect("the shipped tests")
                .into_iter();
            let case = all.find(|case| case.test == test).expect("a shipped test");
            let program = case.body.litmus().expect("a litmus test");
            let test = TestKernel::numbered(program, AtomicsDialect::C11, number).expect("kernels");
            collects.name(&test, &mut source)
        };
        let names = [
            ("SB+rlx", 0),
            ("MP+rel+acq", 1),
            ("2+2W+rel", 2),
            ("LB+rlx", 3),
        ]
        .map(|(test, number)| name(test, number));
        assert_eq!(names[1], names[0]);
        assert_eq!(names[3], names[0]);
        assert_ne!(names[2], names[0], "it records memory, not registers");
        assert_eq!(source.matches("__kernel").count(), 2);
    }
}
