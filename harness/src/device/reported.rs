//! What a device says about itself, taken as said. [`super::resolve`] decides what to believe.

use super::info::{NoAnswer, bool_of, size_of, text_of, u32_of, u64_of, version_in, versions_of};
use opencl3::device as cl;
use opencl3::device::Device;

/// A device's answers.
#[derive(Debug, Clone, Default)]
pub struct Reported {
    /// CL_DEVICE_VERSION as (major, minor).
    pub version: (u32, u32),
    /// Every OpenCL C version it claims, highest first.
    pub c_versions: Vec<(u32, u32)>,
    /// CL_DEVICE_EXTENSIONS.
    pub extensions: Vec<String>,
    /// CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES; for OpenCL 2.x what that version requires.
    pub atomics: u64,
    /// Sub-groups are claimed.
    pub sub_groups: bool,
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub svm: u64,
    /// Out-of-order host queues are claimed.
    pub out_of_order_queue: bool,
    /// Device-side enqueue is claimed.
    pub device_enqueue: bool,
    /// Non-uniform work-groups are claimed.
    pub non_uniform_groups: bool,
    /// Pipes are claimed.
    pub pipes: bool,
    /// The generic address space is claimed.
    pub generic_address_space: bool,
    /// Images are claimed.
    pub images: bool,
    /// Images that a kernel both reads and writes are claimed.
    pub read_write_images: bool,
    /// CL_DEVICE_PROFILE is FULL_PROFILE.
    pub full_profile: bool,
    /// CL_DEVICE_IL_VERSION.
    pub il: String,
    /// Native kernels are claimed.
    pub native_kernels: bool,
    /// CL_DEVICE_BUILT_IN_KERNELS.
    pub built_in_kernels: String,
    /// Program-scope variables are claimed: a size above 0.
    pub program_scope_variables: bool,
    /// Work-group collective functions are claimed.
    pub work_group_functions: bool,
    /// CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS.
    pub sub_group_progress: bool,
    /// Double precision is claimed.
    pub fp64: bool,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits.
    pub mem_base_addr_align_bits: u32,
    /// CL_DEVICE_ADDRESS_BITS.
    pub address_bits: u32,
    /// A CPU.
    pub cpu: bool,
    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub compute_units: u32,
    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub max_work_group_size: usize,
    /// CL_DEVICE_LOCAL_MEM_SIZE.
    pub local_mem_size: u64,
    /// CL_DEVICE_MAX_MEM_ALLOC_SIZE.
    pub max_alloc: u64,
    /// CL_DEVICE_GLOBAL_MEM_SIZE.
    pub global_mem: u64,
    /// Queries that the version requires an answer to and that gave none, as sentences.
    pub unanswered: Vec<String>,
}

/// Relaxed, acq_rel, seq_cst; work-item, work-group, device and all-devices scope: what OpenCL 2.x
/// requires of every device.
const ATOMICS_OF_2_X: u64 = 0x7f;

const OUT_OF_ORDER: u64 = 1;
const TYPE_CPU: u64 = 1 << 1;
const EXEC_NATIVE_KERNEL: u64 = 1 << 1;

impl Reported {
    /// Asks everything. An error is a device that does not even tell its version.
    pub fn ask(device: &Device) -> Result<Reported, String> {
        let text = text_of(device, cl::CL_DEVICE_VERSION)
            .map_err(|NoAnswer(why)| format!("CL_DEVICE_VERSION gives {why}"))?;
        let version = version_in(&text).ok_or_else(|| {
            format!("CL_DEVICE_VERSION is \"{text}\", which does not begin with \"OpenCL\" and a version")
        })?;
        let mut ask = Asker {
            device,
            unanswered: Vec::new(),
        };
        let three = version >= (3, 0);
        let extensions: Vec<String> = ask
            .answer(
                "CL_DEVICE_EXTENSIONS",
                text_of(device, cl::CL_DEVICE_EXTENSIONS),
            )
            .split_whitespace()
            .map(str::to_string)
            .collect();
        let has = |name: &str| extensions.iter().any(|e| e == name);
        let mut reported = Reported {
            version,
            c_versions: ask.c_versions(three),
            sub_groups: if version >= (2, 1) {
                ask.u32(
                    "CL_DEVICE_MAX_NUM_SUB_GROUPS",
                    cl::CL_DEVICE_MAX_NUM_SUB_GROUPS,
                ) > 0
            } else {
                has("cl_khr_subgroups")
            },
            svm: if version >= (2, 0) {
                ask.u64("CL_DEVICE_SVM_CAPABILITIES", cl::CL_DEVICE_SVM_CAPABILITIES)
            } else {
                0
            },
            out_of_order_queue: ask.u64(
                "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES",
                cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
            ) & OUT_OF_ORDER
                != 0,
            images: ask.bool("CL_DEVICE_IMAGE_SUPPORT", cl::CL_DEVICE_IMAGE_SUPPORT),
            read_write_images: version >= (2, 0)
                && ask.u32(
                    "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS",
                    cl::CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                ) > 0,
            full_profile: ask.answer("CL_DEVICE_PROFILE", text_of(device, cl::CL_DEVICE_PROFILE))
                == "FULL_PROFILE",
            il: if version >= (2, 1) || has("cl_khr_il_program") {
                ask.answer(
                    "CL_DEVICE_IL_VERSION",
                    text_of(device, cl::CL_DEVICE_IL_VERSION),
                )
            } else {
                String::new()
            },
            cpu: ask.u64("CL_DEVICE_TYPE", cl::CL_DEVICE_TYPE) & TYPE_CPU != 0,
            compute_units: ask.u32(
                "CL_DEVICE_MAX_COMPUTE_UNITS",
                cl::CL_DEVICE_MAX_COMPUTE_UNITS,
            ),
            max_work_group_size: ask.answer(
                "CL_DEVICE_MAX_WORK_GROUP_SIZE",
                size_of(device, cl::CL_DEVICE_MAX_WORK_GROUP_SIZE),
            ),
            local_mem_size: ask.u64("CL_DEVICE_LOCAL_MEM_SIZE", cl::CL_DEVICE_LOCAL_MEM_SIZE),
            max_alloc: ask.u64(
                "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
                cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE,
            ),
            global_mem: ask.u64("CL_DEVICE_GLOBAL_MEM_SIZE", cl::CL_DEVICE_GLOBAL_MEM_SIZE),
            native_kernels: ask.u64(
                "CL_DEVICE_EXECUTION_CAPABILITIES",
                cl::CL_DEVICE_EXECUTION_CAPABILITIES,
            ) & EXEC_NATIVE_KERNEL
                != 0,
            built_in_kernels: ask.answer(
                "CL_DEVICE_BUILT_IN_KERNELS",
                text_of(device, cl::CL_DEVICE_BUILT_IN_KERNELS),
            ),
            fp64: ask.u64("CL_DEVICE_DOUBLE_FP_CONFIG", cl::CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
            mem_base_addr_align_bits: ask.u32(
                "CL_DEVICE_MEM_BASE_ADDR_ALIGN",
                cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN,
            ),
            address_bits: ask.u32("CL_DEVICE_ADDRESS_BITS", cl::CL_DEVICE_ADDRESS_BITS),
            program_scope_variables: version >= (2, 0)
                && ask.answer(
                    "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE",
                    size_of(device, cl::CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE),
                ) > 0,
            sub_group_progress: version >= (2, 1)
                && ask.bool(
                    "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS",
                    cl::CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                ),
            ..Reported::default()
        };
        ask.optional(&mut reported);
        reported.extensions = extensions;
        reported.unanswered = ask.unanswered;
        Ok(reported)
    }

    /// Whether the device claims this extension.
    pub fn extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }
}

/// Asks, and notes what was not answered.
struct Asker<'d> {
    device: &'d Device,
    unanswered: Vec<String>,
}

impl Asker<'_> {
    fn answer<T: Default>(&mut self, name: &str, answer: Result<T, NoAnswer>) -> T {
        answer.unwrap_or_else(|NoAnswer(why)| {
            self.unanswered
                .push(format!("the query {name} gives {why}; taken as absent"));
            T::default()
        })
    }

    fn u32(&mut self, name: &str, query: u32) -> u32 {
        let answer = u32_of(self.device, query);
        self.answer(name, answer)
    }

    fn u64(&mut self, name: &str, query: u32) -> u64 {
        let answer = u64_of(self.device, query);
        self.answer(name, answer)
    }

    fn bool(&mut self, name: &str, query: u32) -> bool {
        let answer = bool_of(self.device, query);
        self.answer(name, answer)
    }

    /// What OpenCL 2.x requires of every device, and a device of 3.0 reports.
    fn optional(&mut self, reported: &mut Reported) {
        if reported.version >= (3, 0) {
            reported.atomics = self.u64(
                "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES",
                cl::CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
            );
            reported.device_enqueue = self.u64(
                "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES",
                cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
            ) & 1
                != 0;
            reported.non_uniform_groups = self.bool(
                "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT",
                cl::CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
            );
            reported.work_group_functions = self.bool(
                "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT",
                cl::CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
            );
            reported.pipes = self.bool("CL_DEVICE_PIPE_SUPPORT", cl::CL_DEVICE_PIPE_SUPPORT);
            reported.generic_address_space = self.bool(
                "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT",
                cl::CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
            );
        } else if reported.version >= (2, 0) {
            reported.atomics = ATOMICS_OF_2_X;
            reported.device_enqueue = self.u64(
                "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES",
                cl::CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
            ) != 0;
            reported.non_uniform_groups = true;
            reported.work_group_functions = true;
            reported.pipes = self.u32("CL_DEVICE_MAX_PIPE_ARGS", cl::CL_DEVICE_MAX_PIPE_ARGS) > 0;
            reported.generic_address_space = true;
        }
    }

    fn c_versions(&mut self, three: bool) -> Vec<(u32, u32)> {
        let mut versions = Vec::new();
        if three {
            let all = versions_of(self.device, cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS);
            versions = self.answer("CL_DEVICE_OPENCL_C_ALL_VERSIONS", all);
        }
        let text = text_of(self.device, cl::CL_DEVICE_OPENCL_C_VERSION);
        let text = self.answer("CL_DEVICE_OPENCL_C_VERSION", text);
        versions.extend(version_in(&text));
        versions.sort_unstable();
        versions.dedup();
        versions.reverse();
        versions
    }
}
