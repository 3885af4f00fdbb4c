//! Program to OpenCL C for a test environment.
//!
//! One launch runs many instances of a test at once. [`shape`] sorts the threads into devices,
//! work-groups and barrier segments, [`steps`] into what is played one after the other, [`needs`] says what a device must offer, [`operation`] what tests of Vulkan
//! do to memory, [`layout`] places an instance in memory, [`test`] writes the kernel that plays the instances, [`body`] a thread's own
//! statements, [`collect`] the kernel that clears instances and counts their ends, and [`frame`]
//! what stands around them. Tests that enqueue commands of their own are played an instance at a time, by
//! the kernels of [`commands`].
//!
//! The text depends on the program alone: everything about an environment (how many instances,
//! which pitches, how partners are permuted, when to meet, who stresses which memory) is an
//! argument, a word of [`env`](mod@env), so a change of environment never rebuilds a program. Tests
//! with different numbers can be built together: their texts, one after the other, are one program.

pub mod body;
pub mod collect;
pub mod commands;
mod early;
pub mod env;
pub mod frame;
pub mod layout;
pub mod needs;
pub mod operation;
pub mod shape;
pub mod steps;
pub mod test;

pub use body::AtomicsDialect;
pub use commands::{CommandKernel, CommandKernels};
pub use early::early_reads;
pub use layout::{Argument, End, Layout};
pub use needs::Needs;
pub use operation::{Operation, Operations};
pub use shape::{DeviceShape, GroupShape, Inexpressible, Shape};
pub use steps::{Step, played};

use crate::program::{Program, ThreadId};

/// A litmus test ready to be built for a device.
#[derive(Debug, Clone)]
pub struct TestKernel {
    /// OpenCL C: one test kernel for each device of the test, and the collecting kernels.
    pub source: String,
    /// Threads by place.
    pub shape: Shape,
    /// Instances in memory.
    pub layout: Layout,
    /// The atomic functions used.
    pub dialect: AtomicsDialect,
    /// What functions stand for that the text calls and does not define; none but of tests of Vulkan.
    pub operations: Operations,
    /// What sets its names apart from those of other tests in the same program.
    pub number: usize,
    /// Where the text of the collecting kernel begins.
    collects: usize,
}

impl TestKernel {
    /// Writes the kernels of a program that are built alone.
    ///
    /// # Errors
    /// The program cannot be written as a kernel.
    pub fn write(program: &Program, dialect: AtomicsDialect) -> Result<TestKernel, Inexpressible> {
        TestKernel::numbered(program, dialect, 0)
    }

    /// Writes the kernels of a program that can be built together with those of other numbers.
    ///
    /// # Errors
    /// The program cannot be written as a kernel.
    pub fn numbered(
        program: &Program,
        dialect: AtomicsDialect,
        number: usize,
    ) -> Result<TestKernel, Inexpressible> {
        let shape = Shape::of(program)?;
        let layout = Layout::of(program);
        let mut test = TestKernel {
            source: String::new(),
            shape,
            layout,
            dialect,
            operations: match dialect {
                AtomicsDialect::Vulkan => Operations::of(program),
                AtomicsDialect::C11 | AtomicsDialect::V1 => Operations::default(),
            },
            number,
            collects: 0,
        };
        test.source = test.playing(program);
        test.collects = test.source.len();
        collect::write(&mut test.source, program, &test.layout, number);
        Ok(test)
    }

    /// The text in two parts: of the test kernels, and of the collecting kernel. Tests that record the same have
    /// collecting kernels that differ by their names alone, so that one does for all that are built together.
    pub fn parts(&self) -> (&str, &str) {
        self.source.split_at(self.collects)
    }

    /// The text without the collecting kernel, for who looks at the instances otherwise; `program` is the
    /// one that this was written for.
    pub fn playing(&self, program: &Program) -> String {
        let mut source = String::new();
        source.push_str("// ");
        source.push_str(&test::printable(&program.name));
        source.push('\n');
        let crosses = self.shape.crosses_devices() && self.dialect != AtomicsDialect::Vulkan;
        frame::write(&mut source, self.dialect, crosses, self.number);
        source.push_str(&self.operations.declarations);
        for index in 0..self.shape.devices.len() {
            test::write(&mut source, self.of(program), index);
            source.push('\n');
        }
        source
    }

    fn of<'p>(&'p self, program: &'p Program) -> test::Of<'p> {
        test::Of {
            program,
            shape: &self.shape,
            layout: &self.layout,
            dialect: self.dialect,
            number: self.number,
        }
    }

    /// Words that a location of the program holds when an instance begins.
    pub fn initial_words(&self, program: &Program, location: usize) -> Vec<u32> {
        let location = &program.locations[location];
        test::initial_words(location.ty, &location.init)
    }

    /// Name of the test kernel for the device at `index` of the shape.
    pub fn kernel_name(&self, index: usize) -> String {
        test::kernel_name(self.number, index)
    }

    /// Name of the collecting kernel.
    pub fn collect_name(&self) -> String {
        collect::kernel_name(self.number)
    }

    /// Whether that kernel takes local memory.
    pub fn takes_local(&self, program: &Program, index: usize) -> bool {
        self.of(program).takes_local(index)
    }

    /// Whether a work-item may play threads of several work-groups in turn, by [`env::WIDE`].
    pub fn may_share(&self) -> bool {
        self.shape.may_share(&self.layout)
    }

    /// The threads that meet before an instance; none in a step where they do not.
    pub fn meeting(&self, program: &Program, step: usize) -> usize {
        let meeting = self.shape.meeting(program.api);
        meeting
            .filter(|(at, _)| *at == step)
            .map_or(0, |(_, threads)| threads)
    }

    /// The kernels whose arguments reach the same memory, by name.
    pub fn aliasing(&self) -> impl Iterator<Item = String> + '_ {
        let aliases = !self.layout.arguments().is_empty();
        let devices = 0..self.shape.devices.len();
        devices
            .filter(move |_| aliases)
            .map(|index| self.kernel_name(index))
    }

    /// The host threads.
    pub fn host_threads(&self) -> &[ThreadId] {
        &self.shape.host
    }
}
