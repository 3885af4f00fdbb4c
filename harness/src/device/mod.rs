//! Finds, opens and describes an implementation.
//!
//! The parent knows names alone: [`selector`] reads `--device`, `bundled` has the libraries
//! that come with this program. The rest runs only in a worker process: `open` loads the library
//! and finds the device, `reported` takes down what the device says of itself, `resolve` decides
//! what to believe by small experiments (`probe`), and `touch` holds the raw calls for them. The same of
//! Vulkan is in `vulkan`.

pub(crate) mod bundled;
mod described;
mod info;
mod offers;
pub(crate) mod open;
mod probe;
mod reported;
mod resolve;
pub(crate) mod same;
mod selector;
mod touch;
pub(crate) mod vulkan;

pub use bundled::{LAYER, Library as Bundled, Origin, TOUCHSTONE, VULKAN_LAYER};
pub use classay_litmus::program::Api;
pub use selector::{At, Library, Selector};

use classay_suites::host::answers::Described;
use opencl3::device::Device;
use serde_json::Value;
use std::rc::Rc;
use vulkan::gpu::Gpu;

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

/// Defines the capabilities from one list of fields, each after the interfaces that have it.
macro_rules! capabilities {
    (@of both $api:expr) => { true };
    (@of opencl $api:expr) => { $api == Api::OpenCl };
    (@of vulkan $api:expr) => { $api == Api::Vulkan };
    ($($(#[doc = $doc:literal])* $of:ident $name:ident: $kind:ty,)*) => {
        /// What a device offers, after contradictions have been resolved: a flag here can be relied on.
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Capabilities {
            /// The interface through which it is reached.
            pub api: Api,
            $($(#[doc = $doc])* pub $name: $kind,)*
        }

        impl Capabilities {
            /// Every capability of the device's interface as name and value, in a stable order; what the store
            /// keeps and what `classay devices` prints.
            pub fn listed(&self) -> Vec<(String, String)> {
                let mut all = Vec::new();
                $(if capabilities!(@of $of self.api) {
                    all.push((stringify!($name).replace('_', "-"), listed(&self.$name)));
                })*
                all
            }
        }
    };
}

capabilities! {
    /// Version of the interface that the device reports, as (major, minor).
    both version: (u32, u32),
    /// Highest OpenCL C version that the compiler takes, as (major, minor).
    opencl c_version: (u32, u32),
    /// The `-cl-std=` value to build with, `CL3.0`, `CL2.0` or `CL1.2`.
    opencl c_std: String,
    /// C11 atomics exist (OpenCL C 2.0 or 3.0).
    opencl c11_atomics: bool,
    /// Atomic orders acquire, release, acq_rel.
    opencl order_acq_rel: bool,
    /// Atomic order seq_cst.
    opencl order_seq_cst: bool,
    /// Atomic scope sub_group.
    both scope_sub_group: bool,
    /// Atomic scope device. (Work-group scope always exists where C11 atomics do.)
    both scope_device: bool,
    /// Atomic scope all_svm_devices.
    opencl scope_all_devices: bool,
    /// 64-bit atomics.
    both int64_atomics: bool,
    /// Generic address space.
    opencl generic_address_space: bool,
    /// Sub-groups in kernels.
    both sub_groups: bool,
    /// Coarse-grain SVM buffers.
    opencl svm_coarse: bool,
    /// Fine-grain SVM buffers.
    opencl svm_fine_buffer: bool,
    /// Fine-grain SVM of any host memory.
    opencl svm_fine_system: bool,
    /// SVM atomics.
    opencl svm_atomics: bool,
    /// Out-of-order host queues.
    opencl out_of_order_queue: bool,
    /// The version of `cl_khr_command_buffer`, as (major, minor, patch); zeros where there is none.
    opencl command_buffer_version: (u32, u32, u32),
    /// The version of `cl_khr_command_buffer_mutable_dispatch`, as (major, minor, patch); zeros where there is none.
    opencl mutable_dispatch_version: (u32, u32, u32),
    /// What updates of recorded kernels may change: CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR.
    opencl mutable_dispatch_fields: u32,
    /// Commands of command-buffers are recorded to out-of-order queues.
    opencl command_buffer_out_of_order: bool,
    /// A command-buffer may be in flight more than once.
    opencl command_buffer_at_once: bool,
    /// Device-side enqueue.
    opencl device_enqueue: bool,
    /// Non-uniform work-groups.
    opencl non_uniform_groups: bool,
    /// Pipes.
    opencl pipes: bool,
    /// Intermediate languages accepted, as reported; empty where none.
    opencl il: String,
    /// Sources are compiled and linked.
    opencl linker: bool,
    /// Images in kernels.
    opencl images: bool,
    /// Images that the host moves, whether or not kernels see them.
    opencl image_objects: bool,
    /// Images that a kernel both reads and writes.
    opencl read_write_images: bool,
    /// The full profile.
    opencl full_profile: bool,
    /// Native kernels.
    opencl native_kernels: bool,
    /// Names of built-in kernels, separated by `;`; empty where none.
    opencl built_in_kernels: String,
    /// Program-scope variables in global memory.
    opencl program_scope_variables: bool,
    /// Work-group collective functions.
    opencl work_group_functions: bool,
    /// Independent forward progress of sub-groups.
    opencl sub_group_progress: bool,
    /// Quotients and roots of `float` that are rounded correctly where a build asks for that.
    opencl rounded_division: bool,
    /// Double precision.
    opencl fp64: bool,
    /// Half precision.
    opencl fp16: bool,
    /// Extensions of the language that cases have kernels for, separated by spaces.
    opencl kernel_extensions: String,
    /// What the device reports of `cl_ext_float_atomics`, by the features of the language, separated by spaces.
    opencl float_atomics: String,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits.
    opencl mem_base_addr_align_bits: u32,
    /// CL_DEVICE_IMAGE_PITCH_ALIGNMENT, in elements; 0 where no plane is over a buffer.
    opencl image_pitch_align: u32,
    /// CL_DEVICE_ADDRESS_BITS.
    opencl address_bits: u32,
    /// A CPU device.
    both cpu: bool,
    /// Compute units.
    both compute_units: u32,
    /// Largest work-group.
    both max_work_group_size: usize,
    /// Bytes of local memory.
    both local_mem_size: u64,
    /// Bytes of the largest single allocation.
    both max_alloc: u64,
    /// Bytes of global memory.
    both global_mem: u64,
    /// The Vulkan memory model.
    vulkan memory_model: bool,
    /// Availability and visibility chains.
    vulkan chains: bool,
    /// 64-bit integers in shaders.
    vulkan int64: bool,
    /// 64-bit atomics on workgroup memory.
    vulkan shared_int64_atomics: bool,
    /// Pointers to buffers as numbers (the storage class PhysicalStorageBuffer).
    vulkan buffer_device_address: bool,
    /// Texels of a buffer view, at most.
    vulkan max_texels: u32,
    /// Rows of a linear storage image of two dimensions, of 32-bit texels with atomics, at most; 0 where there is none.
    vulkan plane_rows: u32,
    /// Memory that the host shares with the device and has to flush and invalidate.
    vulkan non_coherent_memory: bool,
    /// Queue families that compute.
    vulkan queue_families: u32,
    /// Queues of these together.
    vulkan queues: u32,
    /// Queues of the first of these families.
    vulkan family_queues: u32,
    /// Invocations of a subgroup.
    vulkan subgroup_size: u32,
    /// Turns after which it ends every loop of a shader; 0 where it ends none.
    vulkan loop_turns: u32,
}

/// An opened device of the implementation that this process loaded.
pub struct OpenDevice {
    /// How calls reach it.
    pub reached: Reached,
    /// What it offers.
    pub capabilities: Capabilities,
}

/// How calls reach a device.
pub enum Reached {
    /// By OpenCL.
    OpenCl {
        /// The names of the library, as the dynamic loader takes them; the first that can be loaded is it.
        library: Vec<String>,
        /// Every device of its platform, the device under test first.
        platform_devices: Vec<Device>,
    },
    /// By Vulkan.
    Vulkan(Rc<Gpu>),
}

impl OpenDevice {
    /// What it says of itself; nothing of a device of Vulkan.
    pub fn described(&self) -> Described {
        match &self.reached {
            Reached::OpenCl {
                platform_devices, ..
            } => platform_devices.first().map(described::described),
            Reached::Vulkan(_) => None,
        }
        .unwrap_or_default()
    }

    /// Devices that a test can use together.
    pub fn devices(&self) -> usize {
        match &self.reached {
            Reached::OpenCl {
                platform_devices, ..
            } => platform_devices.len(),
            Reached::Vulkan(_) => 1,
        }
    }
}
