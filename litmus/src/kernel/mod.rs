//! Program to OpenCL C for a test environment.
//!
//! One launch runs many instances of a test at once. [`shape`] sorts the threads into devices,
//! work-groups and barrier segments, [`needs`] says what a device must offer, [`layout`] places an
//! instance in memory, [`test`] writes the kernel that plays the instances, [`body`] a thread's own
//! statements, and [`collect`] the kernels that clear instances and count their ends.
//!
//! The text depends on the program alone: everything about an environment (how many instances,
//! which pitches, how partners are permuted, when to meet) is an argument, so a change of
//! environment never rebuilds a program.

pub mod body;
pub mod collect;
pub mod layout;
pub mod needs;
pub mod shape;
pub mod test;

pub use body::AtomicsDialect;
pub use layout::{End, Layout};
pub use needs::{Need, Needs};
pub use shape::{DeviceShape, GroupShape, Inexpressible, Shape};
pub use test::env;

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
}

impl TestKernel {
    /// Writes the kernels of a program.
    pub fn write(program: &Program, dialect: AtomicsDialect) -> Result<TestKernel, Inexpressible> {
        let shape = Shape::of(program)?;
        let layout = Layout::of(program);
        let mut source = String::new();
        source.push_str("// ");
        source.push_str(&test::printable(&program.name));
        source.push('\n');
        source.push_str(prelude(dialect, shape.crosses_devices()));
        for index in 0..shape.devices.len() {
            test::write(&mut source, program, &shape, &layout, index, dialect);
            source.push('\n');
        }
        collect::write(&mut source, program, &layout);
        Ok(TestKernel {
            source,
            shape,
            layout,
            dialect,
        })
    }

    /// Name of the test kernel for the device at `index` of the shape.
    pub fn kernel_name(index: usize) -> String {
        test::kernel_name(index)
    }

    /// Whether that kernel takes local memory.
    pub fn takes_local(&self, program: &Program, index: usize) -> bool {
        test::takes_local(program, &self.shape, &self.layout, index)
    }

    /// Threads of the test over all devices and the host.
    pub fn thread_count(&self) -> usize {
        let on_devices: usize = self
            .shape
            .devices
            .iter()
            .flat_map(|d| &d.groups)
            .map(GroupShape::thread_count)
            .sum();
        on_devices + self.shape.host.len()
    }

    /// The host threads.
    pub fn host_threads(&self) -> &[ThreadId] {
        &self.shape.host
    }
}

/// What test kernels call and name.
fn prelude(dialect: AtomicsDialect, crosses_devices: bool) -> &'static str {
    match (dialect, crosses_devices) {
        (AtomicsDialect::C11, true) => concat!(
            "#define CLASSAY_SCOPE memory_scope_all_svm_devices\n",
            "long classay_clamp(long i, long n);\n",
            "long classay_clamp(long i, long n) { return i < 0 || i >= n ? 0 : i; }\n\n"
        ),
        (AtomicsDialect::C11, false) => concat!(
            "#if defined(__opencl_c_atomic_scope_device) || __OPENCL_C_VERSION__ < 300\n",
            "#define CLASSAY_SCOPE memory_scope_device\n",
            "#else\n",
            "#define CLASSAY_SCOPE memory_scope_work_group\n",
            "#endif\n",
            "long classay_clamp(long i, long n);\n",
            "long classay_clamp(long i, long n) { return i < 0 || i >= n ? 0 : i; }\n\n"
        ),
        (AtomicsDialect::V1, _) => concat!(
            "long classay_clamp(long i, long n);\n",
            "long classay_clamp(long i, long n) { return i < 0 || i >= n ? 0 : i; }\n\n"
        ),
    }
}
