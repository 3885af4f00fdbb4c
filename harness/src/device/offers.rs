//! Whether a device offers what a case needs.

use super::Capabilities;
use classay_vocabulary::Need;

/// CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR and CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR.
const SIZES: u32 = 7;
/// CL_MUTABLE_DISPATCH_ARGUMENTS_KHR.
const ARGUMENTS: u32 = 1 << 3;
/// CL_MUTABLE_DISPATCH_EXEC_INFO_KHR.
const EXEC_INFO: u32 = 1 << 4;

impl Capabilities {
    /// The version of `cl_khr_command_buffer`, as (major, minor, patch); none where the device lacks it.
    pub fn command_buffers(&self) -> Option<(u32, u32, u32)> {
        Some(self.command_buffer_version).filter(|version| *version != (0, 0, 0))
    }

    /// Whether a device of these capabilities, one of so many of its platform, offers what a case needs.
    pub fn offers(&self, need: Need, devices: usize) -> bool {
        let c = self;
        match need {
            Need::Devices(n) => devices >= n as usize,
            Need::OutOfOrderQueue => c.out_of_order_queue,
            Need::CommandBuffers(patch) => c
                .command_buffers()
                .is_some_and(|version| version >= (0, 9, patch)),
            Need::CommandBuffersOutOfOrder => c.command_buffer_out_of_order,
            Need::CommandBuffersAtOnce => c.command_buffer_at_once,
            Need::MutableDispatch(patch) => c.mutable_dispatch_version >= (0, 9, patch.max(1)),
            Need::UpdatedArguments => c.mutable_dispatch_fields & ARGUMENTS != 0,
            Need::UpdatedSizes => c.mutable_dispatch_fields & SIZES == SIZES,
            Need::UpdatedInfo => c.mutable_dispatch_fields & EXEC_INFO != 0,
            Need::NativeKernels => c.native_kernels,
            Need::BuiltInKernels => !c.built_in_kernels.is_empty(),
            Need::BuiltIn(kernel) => c
                .built_in_kernels
                .split(';')
                .any(|name| name.trim() == kernel.name()),
            Need::SvmCoarse => c.svm_coarse,
            Need::SvmFine => c.svm_fine_buffer,
            Need::SvmSystem => c.svm_fine_system,
            Need::SvmAtomics => c.svm_atomics,
            Need::ProgramScopeVariables => c.program_scope_variables,
            Need::GenericAddressSpace => c.generic_address_space,
            Need::VulkanMemoryModel => c.memory_model,
            Need::QueueFamilies(n) => c.queue_families >= n,
            Need::NonUniformGroups => c.non_uniform_groups,
            Need::SubGroups => c.sub_groups,
            Need::SubGroupProgress => c.sub_group_progress,
            Need::WorkGroupFunctions => c.work_group_functions,
            Need::DeviceEnqueue => c.device_enqueue,
            Need::Pipes => c.pipes,
            Need::Images => c.images,
            Need::ImageObjects => c.image_objects,
            Need::ReadWriteImages => c.read_write_images,
            Need::FullProfile => c.full_profile,
            Need::Il => !c.il.is_empty(),
            Need::Linker => c.linker,
            Need::C11Atomics => c.c11_atomics,
            Need::OrderAcqRel => c.order_acq_rel,
            Need::OrderSeqCst => c.order_seq_cst,
            Need::ScopeSubGroup => c.scope_sub_group,
            Need::ScopeDevice => c.scope_device,
            Need::ScopeAllDevices => c.scope_all_devices,
            Need::Int64Atomics => c.int64_atomics,
            Need::FloatAtomics(of) => c
                .float_atomics
                .split_whitespace()
                .any(|feature| feature == of.name()),
            Need::RoundedDivision => c.rounded_division,
            Need::Fp64 => c.fp64,
            Need::Fp16 => c.fp16,
            Need::Extension(extension) => c
                .kernel_extensions
                .split_whitespace()
                .any(|e| e == extension.name()),
            Need::WorkGroupSize(n) => c.max_work_group_size >= n as usize,
            Need::PitchAlign(elements) => {
                c.image_pitch_align > 0 && elements % c.image_pitch_align == 0
            }
            Need::SubBufferAlign(bytes) => bytes % (c.mem_base_addr_align_bits / 8).max(1) == 0,
            Need::C20 => c.c_version >= (2, 0),
            // Known when a kernel has printed.
            Need::PrintsToStdout => true,
            Need::Bits64 => c.address_bits == 64,
            Need::Api20 => c.version >= (2, 0),
            Need::Api21 => c.version >= (2, 1),
            Need::Api22 => c.version >= (2, 2),
            Need::Api30 => c.version >= (3, 0),
            Need::Api31 => c.version >= (3, 1),
            Need::BeforeApi31 => c.version < (3, 1),
        }
    }
}
