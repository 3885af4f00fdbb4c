//! Finds, opens and describes an implementation.
//!
//! The parent knows names alone: [`selector`] reads `--device`, `bundled` finds the libraries
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

pub use selector::{At, Library, Selector};

use opencl3::device::Device;

/// What a device offers, after contradictions have been resolved: a flag here can be relied on.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Capabilities {
    /// OpenCL version the device reports, as (major, minor).
    pub version: (u32, u32),
    /// Highest OpenCL C version that the compiler takes, as (major, minor).
    pub c_version: (u32, u32),
    /// The `-cl-std=` value to build with, `CL3.0`, `CL2.0` or `CL1.2`.
    pub c_std: String,
    /// C11 atomics exist (OpenCL C 2.0 or 3.0).
    pub c11_atomics: bool,
    /// Atomic orders acquire, release, acq_rel.
    pub order_acq_rel: bool,
    /// Atomic order seq_cst.
    pub order_seq_cst: bool,
    /// Atomic scope sub_group.
    pub scope_sub_group: bool,
    /// Atomic scope device. (Work-group scope always exists where C11 atomics do.)
    pub scope_device: bool,
    /// Atomic scope all_svm_devices.
    pub scope_all_devices: bool,
    /// 64-bit atomics.
    pub int64_atomics: bool,
    /// Generic address space.
    pub generic_address_space: bool,
    /// Sub-groups in kernels.
    pub sub_groups: bool,
    /// Coarse-grain SVM buffers.
    pub svm_coarse: bool,
    /// Fine-grain SVM buffers.
    pub svm_fine_buffer: bool,
    /// Fine-grain SVM of any host memory.
    pub svm_fine_system: bool,
    /// SVM atomics.
    pub svm_atomics: bool,
    /// Out-of-order host queues.
    pub out_of_order_queue: bool,
    /// Device-side enqueue.
    pub device_enqueue: bool,
    /// Non-uniform work-groups.
    pub non_uniform_groups: bool,
    /// Pipes.
    pub pipes: bool,
    /// Intermediate languages accepted, as reported; empty where none.
    pub il: String,
    /// Images in kernels.
    pub images: bool,
    /// Images that the host moves, whether or not kernels see them.
    pub image_objects: bool,
    /// Images that a kernel both reads and writes.
    pub read_write_images: bool,
    /// The full profile.
    pub full_profile: bool,
    /// Native kernels.
    pub native_kernels: bool,
    /// Names of built-in kernels, separated by `;`; empty where none.
    pub built_in_kernels: String,
    /// Program-scope variables in global memory.
    pub program_scope_variables: bool,
    /// Work-group collective functions.
    pub work_group_functions: bool,
    /// Independent forward progress of sub-groups.
    pub sub_group_progress: bool,
    /// Double precision.
    pub fp64: bool,
    /// Half precision.
    pub fp16: bool,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits.
    pub mem_base_addr_align_bits: u32,
    /// CL_DEVICE_ADDRESS_BITS.
    pub address_bits: u32,
    /// A CPU device.
    pub cpu: bool,
    /// Compute units.
    pub compute_units: u32,
    /// Largest work-group.
    pub max_work_group_size: usize,
    /// Bytes of local memory.
    pub local_mem_size: u64,
    /// Bytes of the largest single allocation.
    pub max_alloc: u64,
    /// Bytes of global memory.
    pub global_mem: u64,
}

/// An opened device of the implementation that this process loaded.
pub struct OpenDevice {
    /// Every device of its platform, the device under test first.
    pub platform_devices: Vec<Device>,
    /// What it offers.
    pub capabilities: Capabilities,
}

impl Capabilities {
    /// Every capability as name and value, in a stable order; what the store keeps and what
    /// `classay devices` prints.
    pub fn listed(&self) -> Vec<(String, String)> {
        let yes = |b: bool| if b { "yes" } else { "no" }.to_string();
        let version = |v: (u32, u32)| format!("{}.{}", v.0, v.1);
        let text = |s: &str| if s.is_empty() { "none" } else { s }.to_string();
        [
            ("version", version(self.version)),
            ("c-version", version(self.c_version)),
            ("c-std", text(&self.c_std)),
            ("c11-atomics", yes(self.c11_atomics)),
            ("order-acq-rel", yes(self.order_acq_rel)),
            ("order-seq-cst", yes(self.order_seq_cst)),
            ("scope-sub-group", yes(self.scope_sub_group)),
            ("scope-device", yes(self.scope_device)),
            ("scope-all-devices", yes(self.scope_all_devices)),
            ("int64-atomics", yes(self.int64_atomics)),
            ("generic-address-space", yes(self.generic_address_space)),
            ("sub-groups", yes(self.sub_groups)),
            ("svm-coarse", yes(self.svm_coarse)),
            ("svm-fine-buffer", yes(self.svm_fine_buffer)),
            ("svm-fine-system", yes(self.svm_fine_system)),
            ("svm-atomics", yes(self.svm_atomics)),
            ("out-of-order-queue", yes(self.out_of_order_queue)),
            ("device-enqueue", yes(self.device_enqueue)),
            ("non-uniform-groups", yes(self.non_uniform_groups)),
            ("pipes", yes(self.pipes)),
            ("il", text(&self.il)),
            ("images", yes(self.images)),
            ("image-objects", yes(self.image_objects)),
            ("read-write-images", yes(self.read_write_images)),
            ("full-profile", yes(self.full_profile)),
            ("native-kernels", yes(self.native_kernels)),
            ("built-in-kernels", text(&self.built_in_kernels)),
            ("program-scope-variables", yes(self.program_scope_variables)),
            ("work-group-functions", yes(self.work_group_functions)),
            ("sub-group-progress", yes(self.sub_group_progress)),
            ("fp64", yes(self.fp64)),
            ("fp16", yes(self.fp16)),
            (
                "mem-base-addr-align-bits",
                self.mem_base_addr_align_bits.to_string(),
            ),
            ("address-bits", self.address_bits.to_string()),
            ("cpu", yes(self.cpu)),
            ("compute-units", self.compute_units.to_string()),
            ("max-work-group-size", self.max_work_group_size.to_string()),
            ("local-mem-size", self.local_mem_size.to_string()),
            ("max-alloc", self.max_alloc.to_string()),
            ("global-mem", self.global_mem.to_string()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
    }
}
