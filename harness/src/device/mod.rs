//! Finds, opens and describes an implementation. Runs only in a worker process.

use opencl3::device::Device;

/// What a device offers, after contradictions have been resolved: a flag here can be relied on.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
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
    /// Images.
    pub images: bool,
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
    /// The device under test.
    pub device: Device,
    /// Every device of its platform, the device under test first.
    pub platform_devices: Vec<Device>,
    /// What it offers.
    pub capabilities: Capabilities,
}
