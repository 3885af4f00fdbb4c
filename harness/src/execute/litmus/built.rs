//! Tests built for a device: alone, or many in one program.

use crate::device::{Capabilities, OpenDevice};
use crate::environment::SubGroupShape;
use crate::execute::cl::Bench;
use crate::execute::ended::NotRun;
use crate::execute::host::BuildFailed;
use crate::execute::needs::choose_dialect;
use classay_litmus::kernel::{Needs, Shape, TestKernel};
use classay_litmus::program::Program;
use classay_reports::record::EvidenceKind;
use std::time::Instant;

/// A test as OpenCL C.
pub struct Written {
    program: Program,
    test: TestKernel,
}

impl Written {
    /// Writes a test for a device. Tests that are built together need different numbers.
    pub fn new(device: &OpenDevice, program: Program, number: usize) -> Result<Written, NotRun> {
        let shape = Shape::of(&program)?;
        let needs = Needs::of(&program, &shape)?;
        let dialect = choose_dialect(&device.capabilities, &needs, device.platform_devices.len())?;
        let test = TestKernel::numbered(&program, dialect, number)?;
        Ok(Written { program, test })
    }

    /// Devices that it takes.
    pub fn devices(&self) -> u8 {
        self.test.shape.devices.len().max(1) as u8
    }
}

/// A test ready to be launched in any environment.
pub struct Built {
    /// The test.
    pub program: Program,
    /// Its text and how instances lie.
    pub test: TestKernel,
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
        let source: String = tests.iter().map(|t| t.test.source.as_str()).collect();
        let (program, count) = (bench.build(&source), tests.len());
        let tests = tests.into_iter();
        let mut built: Vec<Result<Built, NotRun>> = match program {
            Ok(program) => tests
                .map(|written| Built::of(bench, capabilities, written, program))
                .collect(),
            Err(failed) if count == 1 => vec![Err(not_built(source, capabilities, failed))],
            Err(_) => {
                let alone = |written| Built::all(bench, capabilities, vec![written]);
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
        program: usize,
    ) -> Result<Built, NotRun> {
        let test = written.test;
        let mut tests = Vec::new();
        let mut largest_group = capabilities.max_work_group_size.max(1);
        for index in 0..test.shape.devices.len() {
            let kernel = bench.kernel(program, &test.kernel_name(index))?;
            largest_group = largest_group.min(bench.max_group(index as u8, kernel)?.max(1));
            tests.push(kernel);
        }
        let collect = bench.kernel(program, &test.collect_name())?;
        let sub_groups = sub_groups(bench, &test, &tests, largest_group)?;
        Ok(Built {
            program: written.program,
            test,
            tests,
            collect,
            largest_group,
            sub_groups,
            build_seconds: 0.0,
        })
    }
}

fn not_built(source: String, capabilities: &Capabilities, failed: BuildFailed) -> NotRun {
    let (log, _) = failed.said.unwrap_or_default();
    let options = format!("-cl-std={}", capabilities.c_std);
    NotRun::failed(format!("the test does not build: {}", failed.error))
        .with(EvidenceKind::BuildLog, log)
        .with(EvidenceKind::Source, source)
        .with(EvidenceKind::BuildOptions, options)
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
        match bench.sub_group_shape(index as u8, kernels[index], most, widest, largest_group) {
            Some((local, width)) => shapes.push(Some(SubGroupShape { local, width })),
            None => {
                let what = format!("{most} sub-groups of {widest} work-items in a work-group");
                return Err(NotRun::skip(format!("the device lacks {what}")));
            }
        }
    }
    Ok(shapes)
}
