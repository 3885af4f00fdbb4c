//! What a device says about itself, taken as said. [`super::resolve`] decides what to believe.

use super::Capabilities;
use super::info::{
    NoAnswer, bool_of, named_versions_of, size_of, text_of, u32_of, u64_of, version_in, versions_of,
};
use classay_vocabulary::{Extension, FloatAtomics};
use opencl3::command_queue::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
use opencl3::device as cl;
use opencl3::device::Device;

/// A device's answers.
#[derive(Debug, Clone, Default)]
pub struct Reported {
    /// What it claims; nothing of it is tried.
    pub claims: Capabilities,
    /// Every OpenCL C version it claims, highest first.
    pub c_versions: Vec<(u32, u32)>,
    /// Queries that the version requires an answer to and that gave none, as sentences.
    pub unanswered: Vec<String>,
}

/// Relaxed, acq_rel, seq_cst; work-item, work-group, device and all-devices scope: what OpenCL 2.x
/// requires of every device.
const ATOMICS_OF_2_X: u64 = 0x7f;

/// The extension of command-buffers.
const COMMAND_BUFFER: &str = "cl_khr_command_buffer";
/// The extension of recorded kernels that change.
const MUTABLE_DISPATCH: &str = "cl_khr_command_buffer_mutable_dispatch";
/// The newest version of that of command-buffers, for devices that name none.
const NEWEST: (u32, u32, u32) = (0, 9, 8);
/// The first version in which a device lists the properties of queues that it supports.
const LISTS_PROPERTIES: (u32, u32, u32) = (0, 9, 6);
/// Of older ones, the capability of out-of-order queues, which newer versions have no name for.
const OUT_OF_ORDER: u64 = 1 << 3;
/// CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR.
const SIMULTANEOUS_USE: u64 = 1 << 2;
/// CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR.
const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: u32 = 0x12a9;
/// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR.
const CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: u32 = 0x12b0;
/// CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR.
const CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR: u32 = 0x129a;

/// The extension of additions, minima and maxima of floats.
const FLOAT_ATOMICS: &str = "cl_ext_float_atomics";
/// CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT.
const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4231;
/// CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT.
const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: u32 = 0x4232;

/// The bit of an answer to these that reports functions, and whether it is the one about `double`.
const fn bit_of(of: FloatAtomics) -> (bool, u64) {
    match of {
        FloatAtomics::SingleGlobalAdd => (false, 1 << 1),
        FloatAtomics::SingleGlobalMinMax => (false, 1 << 2),
        FloatAtomics::SingleLocalAdd => (false, 1 << 17),
        FloatAtomics::SingleLocalMinMax => (false, 1 << 18),
        FloatAtomics::DoubleGlobalAdd => (true, 1 << 1),
        FloatAtomics::DoubleGlobalMinMax => (true, 1 << 2),
        FloatAtomics::DoubleLocalAdd => (true, 1 << 17),
        FloatAtomics::DoubleLocalMinMax => (true, 1 << 18),
    }
}

/// Asks a device one question by its name.
macro_rules! ask {
    ($asker:expr, $kind:ident $query:ident) => {{
        let answer = $kind($asker.device, cl::$query);
        $asker.answer(stringify!($query), answer)
    }};
}

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
        let extensions = ask!(ask, text_of CL_DEVICE_EXTENSIONS);
        let has = |name: &str| extensions.split_whitespace().any(|e| e == name);
        let c_versions = ask.c_versions(version >= (3, 0));
        let sub_groups = if version >= (2, 1) {
            ask!(ask, u32_of CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0
        } else {
            has("cl_khr_subgroups")
        };
        let svm = if version >= (2, 0) {
            ask!(ask, u64_of CL_DEVICE_SVM_CAPABILITIES)
        } else {
            0
        };
        let mut claims = Capabilities {
            version,
            sub_groups,
            int64_atomics: has("cl_khr_int64_base_atomics") && has("cl_khr_int64_extended_atomics"),
            fp16: has("cl_khr_fp16"),
            kernel_extensions: Extension::ALL
                .into_iter()
                .map(Extension::name)
                .filter(|name| has(name))
                .collect::<Vec<_>>()
                .join(" "),
            svm_coarse: svm & cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER != 0,
            svm_fine_buffer: svm & cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0,
            svm_fine_system: svm & cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0,
            svm_atomics: svm & cl::CL_DEVICE_SVM_ATOMICS != 0,
            out_of_order_queue: ask!(ask, u64_of CL_DEVICE_QUEUE_ON_HOST_PROPERTIES)
                & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                != 0,
            linker: version >= (1, 2) && ask!(ask, bool_of CL_DEVICE_LINKER_AVAILABLE),
            images: ask!(ask, bool_of CL_DEVICE_IMAGE_SUPPORT),
            read_write_images: version >= (2, 0)
                && ask!(ask, u32_of CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) > 0,
            full_profile: ask!(ask, text_of CL_DEVICE_PROFILE) == "FULL_PROFILE",
            il: if version >= (2, 1) || has("cl_khr_il_program") {
                ask!(ask, text_of CL_DEVICE_IL_VERSION)
            } else {
                String::new()
            },
            cpu: ask!(ask, u64_of CL_DEVICE_TYPE) & cl::CL_DEVICE_TYPE_CPU != 0,
            compute_units: ask!(ask, u32_of CL_DEVICE_MAX_COMPUTE_UNITS),
            max_work_group_size: ask!(ask, size_of CL_DEVICE_MAX_WORK_GROUP_SIZE),
            local_mem_size: ask!(ask, u64_of CL_DEVICE_LOCAL_MEM_SIZE),
            max_alloc: ask!(ask, u64_of CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            global_mem: ask!(ask, u64_of CL_DEVICE_GLOBAL_MEM_SIZE),
            native_kernels: ask!(ask, u64_of CL_DEVICE_EXECUTION_CAPABILITIES)
                & cl::CL_EXEC_NATIVE_KERNEL
                != 0,
            built_in_kernels: ask!(ask, text_of CL_DEVICE_BUILT_IN_KERNELS),
            rounded_division: version >= (1, 2)
                && ask!(ask, u64_of CL_DEVICE_SINGLE_FP_CONFIG)
                    & cl::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT
                    != 0,
            fp64: ask!(ask, u64_of CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
            mem_base_addr_align_bits: ask!(ask, u32_of CL_DEVICE_MEM_BASE_ADDR_ALIGN),
            image_pitch_align: match has("cl_khr_image2d_from_buffer") {
                true => ask!(ask, u32_of CL_DEVICE_IMAGE_PITCH_ALIGNMENT),
                false => 0,
            },
            address_bits: ask!(ask, u32_of CL_DEVICE_ADDRESS_BITS),
            program_scope_variables: version >= (2, 0)
                && ask!(ask, size_of CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE) > 0,
            sub_group_progress: version >= (2, 1)
                && ask!(ask, bool_of CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS),
            ..Capabilities::default()
        };
        claims.image_objects = claims.images;
        if has(COMMAND_BUFFER) {
            ask.command_buffers(&mut claims);
        }
        if has(FLOAT_ATOMICS) {
            claims.float_atomics = ask.float_atomics(claims.fp64);
        }
        ask.optional(&mut claims);
        Ok(Reported {
            claims,
            c_versions,
            unanswered: ask.unanswered,
        })
    }
}

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

    /// What OpenCL 3.0 made optional, and 2.x requires.
    fn optional(&mut self, claims: &mut Capabilities) {
        let mut atomics = 0;
        if claims.version >= (3, 0) {
            atomics = ask!(self, u64_of CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
            claims.device_enqueue =
                ask!(self, u64_of CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) & 1 != 0;
            claims.non_uniform_groups =
                ask!(self, bool_of CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT);
            claims.work_group_functions =
                ask!(self, bool_of CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT);
            claims.pipes = ask!(self, bool_of CL_DEVICE_PIPE_SUPPORT);
            claims.generic_address_space =
                ask!(self, bool_of CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT);
        } else if claims.version >= (2, 0) {
            atomics = ATOMICS_OF_2_X;
            claims.device_enqueue = ask!(self, u64_of CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES) != 0;
            claims.non_uniform_groups = true;
            claims.work_group_functions = true;
            claims.pipes = ask!(self, u32_of CL_DEVICE_MAX_PIPE_ARGS) > 0;
            claims.generic_address_space = true;
        }
        claims.order_acq_rel = atomics & cl::CL_DEVICE_ATOMIC_ORDER_ACQ_REL != 0;
        claims.order_seq_cst = atomics & cl::CL_DEVICE_ATOMIC_ORDER_SEQ_CST != 0;
        claims.scope_device = atomics & cl::CL_DEVICE_ATOMIC_SCOPE_DEVICE != 0;
        claims.scope_all_devices = atomics & cl::CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES != 0;
    }

    /// What the extension of command-buffers is able to.
    fn command_buffers(&mut self, claims: &mut Capabilities) {
        let versions = if claims.version >= (3, 0) {
            ask!(self, named_versions_of CL_DEVICE_EXTENSIONS_WITH_VERSION)
        } else {
            Vec::new()
        };
        let named = |of: &str| {
            versions
                .iter()
                .find(|(name, _)| name == of)
                .map(|(_, version)| *version)
        };
        claims.command_buffer_version = named(COMMAND_BUFFER).unwrap_or(NEWEST);
        // Without a number it may be one whose functions had other parameters.
        claims.mutable_dispatch_version = named(MUTABLE_DISPATCH).unwrap_or_default();
        let can = self.bits(
            "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR",
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
        );
        if claims.mutable_dispatch_version != (0, 0, 0) {
            let fields = self.bits(
                "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR",
                CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
            );
            // All that are known are among the first.
            claims.mutable_dispatch_fields = fields as u32;
        }
        claims.command_buffer_at_once = can & SIMULTANEOUS_USE != 0;
        claims.command_buffer_out_of_order = if claims.command_buffer_version >= LISTS_PROPERTIES {
            let supported = self.bits(
                "CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR",
                CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
            );
            supported & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
        } else {
            can & OUT_OF_ORDER != 0
        };
    }

    /// The bits that a query answers, which its name is reported with.
    fn bits(&mut self, name: &str, query: u32) -> u64 {
        let answer = u64_of(self.device, query);
        self.answer(name, answer)
    }

    /// What the extension of atomics of floats has; nothing of `double` where there is none.
    fn float_atomics(&mut self, fp64: bool) -> String {
        let single = self.bits(
            "CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT",
            CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
        );
        let double = match fp64 {
            true => self.bits(
                "CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT",
                CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
            ),
            false => 0,
        };
        let there = |of: &FloatAtomics| {
            let (of_double, bit) = bit_of(*of);
            (if of_double { double } else { single }) & bit != 0
        };
        let there = FloatAtomics::ALL.into_iter().filter(there);
        there.map(FloatAtomics::name).collect::<Vec<_>>().join(" ")
    }

    fn c_versions(&mut self, three: bool) -> Vec<(u32, u32)> {
        let mut versions = Vec::new();
        if three {
            versions = ask!(self, versions_of CL_DEVICE_OPENCL_C_ALL_VERSIONS);
        }
        let text = ask!(self, text_of CL_DEVICE_OPENCL_C_VERSION);
        versions.extend(version_in(&text));
        versions.sort_unstable();
        versions.dedup();
        versions.reverse();
        versions
    }
}
