//! Finds, opens and describes an implementation.
//!
//! The parent knows names alone: [`selector`] reads `--device`, `bundled` has the libraries
//! that come with this program. The rest runs only in a worker process: `open` loads the library
//! and finds the device, `reported` takes down what the device says of itself, `resolve` decides
//! what to believe by small experiments (`probe`), and `touch` holds the raw calls for them.

pub(crate) mod bundled;
mod info;
mod offers;
pub(crate) mod open;
mod probe;
mod reported;
mod resolve;
pub(crate) mod same;
mod selector;
mod touch;

pub use bundled::{LAYER, Library as Bundled, Origin, TOUCHSTONE};
pub use selector::{At, Library, Selector};

use opencl3::device::Device;
use serde_json::Value;

/// A value as text.
fn listed(value: impl serde::Serialize) -> String {
    // Numbers, words, truths and a version: nothing in it can fail to become JSON.
    match serde_json::to_value(value).unwrap_or_default() {
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(text) if text.is_empty() => "none".into(),
        Value::String(text) => text,
        Value::Array(version) => version
            .into_iter()
            .map(listed)
            .collect::<Vec<_>>()
            .join("."),
        value @ (Value::Null | Value::Number(_) | Value::Object(_)) => value.to_string(),
    }
}

/// Defines the capabilities from one list of fields.
macro_rules! capabilities {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ty,)*) => {
        /// What a device offers, after contradictions have been resolved: a flag here can be relied on.
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Capabilities {
            $($(#[doc = $doc])* pub $name: $kind,)*
        }

        impl Capabilities {
            /// Every capability as name and value, in a stable order; what the store keeps and what
            /// `classay devices` prints.
            pub fn listed(&self) -> Vec<(String, String)> {
                vec![$((stringify!($name).replace('_', "-"), listed(&self.$name))),*]
            }
        }
    };
}

capabilities! {
    /// OpenCL version the device reports, as (major, minor).
    version: (u32, u32),
    /// Highest OpenCL C version that the compiler takes, as (major, minor).
    c_version: (u32, u32),
    /// The `-cl-std=` value to build with, `CL3.0`, `CL2.0` or `CL1.2`.
    c_std: String,
    /// C11 atomics exist (OpenCL C 2.0 or 3.0).
    c11_atomics: bool,
    /// Atomic orders acquire, release, acq_rel.
    order_acq_rel: bool,
    /// Atomic order seq_cst.
    order_seq_cst: bool,
    /// Atomic scope sub_group.
    scope_sub_group: bool,
    /// Atomic scope device. (Work-group scope always exists where C11 atomics do.)
    scope_device: bool,
    /// Atomic scope all_svm_devices.
    scope_all_devices: bool,
    /// 64-bit atomics.
    int64_atomics: bool,
    /// Generic address space.
    generic_address_space: bool,
    /// Sub-groups in kernels.
    sub_groups: bool,
    /// Coarse-grain SVM buffers.
    svm_coarse: bool,
    /// Fine-grain SVM buffers.
    svm_fine_buffer: bool,
    /// Fine-grain SVM of any host memory.
    svm_fine_system: bool,
    /// SVM atomics.
    svm_atomics: bool,
    /// Out-of-order host queues.
    out_of_order_queue: bool,
    /// Device-side enqueue.
    device_enqueue: bool,
    /// Non-uniform work-groups.
    non_uniform_groups: bool,
    /// Pipes.
    pipes: bool,
    /// Intermediate languages accepted, as reported; empty where none.
    il: String,
    /// Images in kernels.
    images: bool,
    /// Images that the host moves, whether or not kernels see them.
    image_objects: bool,
    /// Images that a kernel both reads and writes.
    read_write_images: bool,
    /// The full profile.
    full_profile: bool,
    /// Native kernels.
    native_kernels: bool,
    /// Names of built-in kernels, separated by `;`; empty where none.
    built_in_kernels: String,
    /// Program-scope variables in global memory.
    program_scope_variables: bool,
    /// Work-group collective functions.
    work_group_functions: bool,
    /// Independent forward progress of sub-groups.
    sub_group_progress: bool,
    /// Double precision.
    fp64: bool,
    /// Half precision.
    fp16: bool,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits.
    mem_base_addr_align_bits: u32,
    /// CL_DEVICE_ADDRESS_BITS.
    address_bits: u32,
    /// A CPU device.
    cpu: bool,
    /// Compute units.
    compute_units: u32,
    /// Largest work-group.
    max_work_group_size: usize,
    /// Bytes of local memory.
    local_mem_size: u64,
    /// Bytes of the largest single allocation.
    max_alloc: u64,
    /// Bytes of global memory.
    global_mem: u64,
}

/// An opened device of the implementation that this process loaded.
pub struct OpenDevice {
    /// The names of the library, as the dynamic loader takes them; the first that can be loaded is it.
    pub library: Vec<String>,
    /// Every device of its platform, the device under test first.
    pub platform_devices: Vec<Device>,
    /// What it offers.
    pub capabilities: Capabilities,
}
