//! Tests built for a device: alone, or many in one program.

use crate::device::{Api, Capabilities, OpenDevice};
use crate::environment::{Modules, SubGroupShape};
use crate::execute::bench::{Bench, Foreigns, NotBuilt};
use crate::execute::ended::NotRun;
use crate::execute::needs::choose_dialect;
use classay_litmus::kernel::{Needs, Shape, TestKernel};
use classay_litmus::program::Program;
use classay_reports::record::EvidenceKind;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    /// Builds tests, in order. Compilers of OpenCL C take all in one program, or each alone where that does not build.
    /// In Vulkan a pipeline is one entry point, and drivers compile what its whole module has for it: each test is a
    /// module of its own there.
    pub fn all(
        bench: &mut Bench,
        capabilities: &Capabilities,
        tests: Vec<Written>,
    ) -> Vec<Result<Built, NotRun>> {
        match capabilities.api {
            Api::OpenCl => Built::joined(bench, capabilities, tests),
            Api::Vulkan => {
                let mut collects = Collects::default();
                let each = tests.into_iter();
                each.map(|written| Built::alone(bench, capabilities, written, &mut collects))
                    .collect()
            }
        }
    }

    /// All in one program with all that collects, or each alone where that does not build.
    fn joined(
        bench: &mut Bench,
        capabilities: &Capabilities,
        tests: Vec<Written>,
    ) -> Vec<Result<Built, NotRun>> {
        let started = Instant::now();
        let (mut source, mut collects) = (String::new(), Collects::default());
        for written in &tests {
            source.push_str(written.test.parts().0);
            if let Some(new) = collects.new_text(&written.test) {
                source.push_str(new);
            }
        }
        let count = tests.len();
        let program = match bench.build(&source, &Foreigns::default()) {
            Ok(program) => program,
            Err(failed) if count == 1 => {
                return vec![Err(not_built(source, capabilities, failed))];
            }
            Err(_) => {
                let alone = |written| Built::joined(bench, capabilities, vec![written]);
                return tests.into_iter().flat_map(alone).collect();
            }
        };
        let mut built: Vec<Result<Built, NotRun>> = tests
            .into_iter()
            .map(|written| {
                let collect = collects.kernel(bench, &written.test, program)?;
                let kernels = kernels(bench, &written.test, program)?;
                Built::of(bench, capabilities, written, (kernels, collect))
            })
            .collect();
        let seconds = started.elapsed().as_secs_f64() / count.max(1) as f64;
        for test in built.iter_mut().flatten() {
            test.build_seconds = seconds;
        }
        built
    }

    /// One in a module of its own, beside what collects.
    fn alone(
        bench: &mut Bench,
        capabilities: &Capabilities,
        written: Written,
        collects: &mut Collects,
    ) -> Result<Built, NotRun> {
        let started = Instant::now();
        let test = &written.test;
        // A test of host threads alone has no kernel, and a module has one.
        let kernels = match test.shape.devices.is_empty() {
            true => Vec::new(),
            false => {
                let source = test.parts().0;
                let module = bench.build(source, &Foreigns::of(test, written.modules));
                let module =
                    module.map_err(|failed| not_built(source.to_owned(), capabilities, failed))?;
                kernels(bench, test, module)?
            }
        };
        let collect = collects.apart(bench, capabilities, &written)?;
        let mut built = Built::of(bench, capabilities, written, (kernels, collect))?;
        built.build_seconds = started.elapsed().as_secs_f64();
        Ok(built)
    }

    fn of(
        bench: &mut Bench,
        capabilities: &Capabilities,
        written: Written,
        (tests, collect): (Vec<usize>, usize),
    ) -> Result<Built, NotRun> {
        let test = written.test;
        let mut largest_group = capabilities.max_work_group_size.max(1);
        for (index, &kernel) in tests.iter().enumerate() {
            let family = test.shape.family(index) as u8;
            largest_group = largest_group.min(bench.max_group(family, kernel)?.max(1));
        }
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

/// The kernels of a test, of a program that has its text: one for each of its devices.
fn kernels(bench: &mut Bench, test: &TestKernel, program: usize) -> Result<Vec<usize>, NotRun> {
    let devices = 0..test.shape.devices.len();
    devices
        .map(|index| bench.kernel(program, &test.kernel_name(index)))
        .collect()
}

/// The collecting kernels of tests that are built together: one for all that record the same, since compilers take as
/// long for it as for a test.
#[derive(Default)]
struct Collects(HashMap<String, Collect>);

/// One of them: its name, and its number once it is a kernel.
struct Collect {
    name: String,
    kernel: Option<usize>,
}

impl Collects {
    /// The one of a test, and whether it is the first like it.
    fn of(&mut self, test: &TestKernel) -> (&mut Collect, bool) {
        let name = test.collect_name();
        match self.0.entry(test.parts().1.replacen(&name, "", 1)) {
            Entry::Occupied(known) => (known.into_mut(), false),
            Entry::Vacant(free) => (free.insert(Collect { name, kernel: None }), true),
        }
    }

    /// The text of a test's, where there is none like it yet.
    fn new_text<'a>(&mut self, test: &'a TestKernel) -> Option<&'a str> {
        self.of(test).1.then(|| test.parts().1)
    }

    /// A test's, in the program that has its text.
    fn kernel(
        &mut self,
        bench: &mut Bench,
        test: &TestKernel,
        program: usize,
    ) -> Result<usize, NotRun> {
        let (collect, _) = self.of(test);
        let kernel = match collect.kernel {
            Some(kernel) => kernel,
            None => bench.kernel(program, &collect.name)?,
        };
        collect.kernel = Some(kernel);
        Ok(kernel)
    }

    /// A test's, in a module of its own.
    fn apart(
        &mut self,
        bench: &mut Bench,
        capabilities: &Capabilities,
        written: &Written,
    ) -> Result<usize, NotRun> {
        let (test, text) = (&written.test, written.test.parts().1);
        if let Some(kernel) = self.of(test).0.kernel {
            return Ok(kernel);
        }
        let foreigns = Foreigns {
            modules: written.modules,
            ..Foreigns::default()
        };
        let module = bench.build(text, &foreigns);
        let module = module.map_err(|failed| not_built(text.to_owned(), capabilities, failed))?;
        // The first like it has the name that is in this text, unless its module did not build.
        let (collect, _) = self.of(test);
        collect.name = test.collect_name();
        self.kernel(bench, test, module)
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
        let mut collects = Collects::default();
        let mut first_like_it = |test: &str, number| {
            let mut all = crate::plan::shipped()
                .expect("the shipped tests")
                .into_iter();
            let case = all.find(|case| case.test == test).expect("a shipped test");
            let program = case.body.litmus().expect("a litmus test");
            let test = TestKernel::numbered(program, AtomicsDialect::C11, number).expect("kernels");
            collects.new_text(&test).is_some()
        };
        let first = [
            ("SB+rlx", 0),
            ("MP+rel+acq", 1),
            ("2+2W+rel", 2),
            ("LB+rlx", 3),
        ]
        .map(|(test, number)| first_like_it(test, number));
        assert_eq!(
            first,
            [true, false, true, false],
            "only 2+2W records memory, not registers"
        );
    }
}
