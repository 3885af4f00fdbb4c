//! Tests built for a device: alone, or many in one program.

use super::super::cl::{Bench, BuildFailure, Program as ClProgram};
use super::super::{NotRun, choose_dialect};
use crate::device::{Capabilities, OpenDevice};
use crate::environment::SubGroupShape;
use classay_litmus::kernel::{Needs, Shape, TestKernel};
use classay_litmus::program::Program;
use classay_reports::record::EvidenceKind;
use opencl3::kernel::Kernel;
use std::rc::Rc;
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
    pub fn devices(&self) -> usize {
        self.test.shape.devices.len().max(1)
    }
}

/// A test ready to be launched in any environment.
pub struct Built {
    /// The test.
    pub program: Program,
    /// Its text and how instances lie.
    pub test: TestKernel,
    /// A kernel for each of its devices.
    pub tests: Vec<Kernel>,
    /// The kernel that collects.
    pub collect: Kernel,
    /// The most work-items that the kernels allow in a work-group.
    pub largest_group: usize,
    /// An entry for each device.
    pub sub_groups: Vec<Option<SubGroupShape>>,
    /// Seconds of the build; its share where several tests were built together.
    pub build_seconds: f64,
    /// Declared last: its kernels go first.
    _program: Rc<ClProgram>,
}

impl Built {
    /// Builds one test.
    pub fn one(
        bench: &Bench,
        capabilities: &Capabilities,
        written: Written,
    ) -> Result<Built, NotRun> {
        let started = Instant::now();
        let program = bench
            .build(&written.test.source, &options(capabilities))
            .map_err(|failure| not_built(&written.test.source, capabilities, failure))?;
        let mut built = Built::from(bench, capabilities, written, &Rc::new(program))?;
        built.build_seconds = started.elapsed().as_secs_f64();
        Ok(built)
    }

    /// Builds tests in one program, in order; gives them back where that fails.
    pub fn all(
        bench: &Bench,
        capabilities: &Capabilities,
        tests: Vec<Written>,
    ) -> Result<Vec<Result<Built, NotRun>>, Vec<Written>> {
        let started = Instant::now();
        let source: String = tests.iter().map(|t| t.test.source.as_str()).collect();
        let Ok(program) = bench.build(&source, &options(capabilities)) else {
            return Err(tests);
        };
        let program = Rc::new(program);
        let each = started.elapsed().as_secs_f64() / tests.len().max(1) as f64;
        Ok(tests
            .into_iter()
            .map(|written| {
                let mut built = Built::from(bench, capabilities, written, &program)?;
                built.build_seconds = each;
                Ok(built)
            })
            .collect())
    }

    fn from(
        bench: &Bench,
        capabilities: &Capabilities,
        written: Written,
        program: &Rc<ClProgram>,
    ) -> Result<Built, NotRun> {
        let test = written.test;
        let mut tests = Vec::new();
        let mut largest_group = capabilities.max_work_group_size.max(1);
        for index in 0..test.shape.devices.len() {
            let kernel = bench.kernel(program, &test.kernel_name(index))?;
            largest_group = largest_group.min(bench.max_group(index, &kernel)?.max(1));
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
            _program: Rc::clone(program),
        })
    }
}

fn options(capabilities: &Capabilities) -> String {
    format!("-cl-std={}", capabilities.c_std)
}

fn not_built(source: &str, capabilities: &Capabilities, failure: BuildFailure) -> NotRun {
    NotRun::failed(format!("the test does not build: {}", failure.error))
        .with(EvidenceKind::BuildLog, failure.log)
        .with(EvidenceKind::Source, source.into())
        .with(EvidenceKind::BuildOptions, options(capabilities))
}

/// How work-groups fall into sub-groups, where the test names them.
fn sub_groups(
    bench: &Bench,
    test: &TestKernel,
    kernels: &[Kernel],
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
        match bench.sub_group_shape(index, &kernels[index], most, widest, largest_group) {
            Some((local, width)) => shapes.push(Some(SubGroupShape { local, width })),
            None => {
                let what = format!("{most} sub-groups of {widest} work-items in a work-group");
                return Err(NotRun::skip(format!("the device lacks {what}")));
            }
        }
    }
    Ok(shapes)
}
