//! The answers to `clGetPlatformInfo` and `clGetDeviceInfo`.

use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::capabilities::{self as can, RELEASE, version};
use super::float_atomics::{
    self, CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
    CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
};
use super::identity::Uuid;
use super::limits::{self, LARGEST_TYPE};
use super::profile::{self, Feature, Version};
use super::{Device, partition, platform, spirv};
use crate::command_buffer;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure};
use crate::kernel::range;
use crate::program::builtin;
use crate::{frontend, object};

/// `CL_PLATFORM_NAME`.
pub const PLATFORM_NAME: &str = "Touchstone";
/// `CL_PLATFORM_VENDOR` and `CL_DEVICE_VENDOR`.
pub const VENDOR: &str = "classay";
/// `CL_PLATFORM_ICD_SUFFIX_KHR`.
pub const ICD_SUFFIX: &str = "TOUCHSTONE";
/// By a name that a pattern may have.
const ACCELERATED_PACKED: cl_device_info =
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED;
const PROFILE: &str = "FULL_PROFILE";
const CL_PLATFORM_ICD_SUFFIX_KHR: cl_platform_info = 0x0920;
/// No PCI vendor and no Khronos vendor id: "a unique device vendor identifier" is all
/// that is left to say.
const VENDOR_ID: u32 = 0;

/// One query about the platform.
///
/// # Errors
/// `CL_INVALID_VALUE` for an unknown name.
pub fn platform_info(name: cl_platform_info) -> Result<Answer> {
    let later = (CL_PLATFORM_HOST_TIMER_RESOLUTION..CL_PLATFORM_ICD_SUFFIX_KHR).contains(&name);
    ensure!(profile::includes(Version::V3_0) || !later, CL_INVALID_VALUE);
    Ok(match name {
        CL_PLATFORM_PROFILE => Answer::text(PROFILE),
        CL_PLATFORM_VERSION => Answer::text(&can::opencl_version_text()),
        CL_PLATFORM_NUMERIC_VERSION => Answer::of(profile::opencl()),
        CL_PLATFORM_NAME => Answer::text(PLATFORM_NAME),
        CL_PLATFORM_VENDOR => Answer::text(VENDOR),
        CL_PLATFORM_EXTENSIONS => Answer::text(&can::joined(&can::extensions())),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => Answer::names_with_versions(can::extensions()),
        // Zero: the clocks cannot be read together.
        CL_PLATFORM_HOST_TIMER_RESOLUTION => Answer::of(if profile::has(Feature::HostTimer) {
            crate::clock::resolution() as u64
        } else {
            0
        }),
        CL_PLATFORM_ICD_SUFFIX_KHR => Answer::text(ICD_SUFFIX),
        _ => return Err(Error(CL_INVALID_VALUE)),
    })
}

/// One query about a device.
///
/// # Errors
/// `CL_INVALID_VALUE` for an unknown name.
pub fn device_info(device: &Arc<Device>, name: cl_device_info) -> Result<Answer> {
    let of_buffers = [
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
    ]
    .contains(&name);
    ensure!(
        profile::has(Feature::CommandBuffer) || !of_buffers,
        CL_INVALID_VALUE
    );
    let of_updates = name == CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR;
    ensure!(
        profile::has(Feature::MutableDispatch) || !of_updates,
        CL_INVALID_VALUE
    );
    // The last query of 1.2; those of its extensions that are here have lower numbers, but for those of command-buffers.
    let later = name > CL_DEVICE_PRINTF_BUFFER_SIZE && !of_buffers && !of_updates;
    ensure!(profile::includes(Version::V3_0) || !later, CL_INVALID_VALUE);
    let of_uuid = [
        CL_DEVICE_UUID,
        CL_DRIVER_UUID,
        CL_DEVICE_LUID_VALID,
        CL_DEVICE_LUID,
        CL_DEVICE_NODE_MASK,
    ];
    ensure!(
        profile::has(Feature::Uuid) || !of_uuid.contains(&name),
        CL_INVALID_VALUE
    );
    let of_products = [
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        ACCELERATED_PACKED,
    ];
    ensure!(
        profile::has(Feature::DotProduct) || !of_products.contains(&name),
        CL_INVALID_VALUE
    );
    let of_spirv = [
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS,
        CL_DEVICE_SPIRV_EXTENSIONS,
        CL_DEVICE_SPIRV_CAPABILITIES,
    ];
    ensure!(
        profile::has(Feature::SpirvQueries) || !of_spirv.contains(&name),
        CL_INVALID_VALUE
    );
    let of_float_atomics = [
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT,
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT,
    ];
    ensure!(
        profile::has(Feature::FloatAtomics) || !of_float_atomics.contains(&name),
        CL_INVALID_VALUE
    );
    identity(device, name)
        .or_else(|| language(name))
        .or_else(|| sizes(device, name))
        .or_else(|| memory(device, name))
        .or_else(|| queues(name))
        .or_else(|| images_and_pipes(name))
        .ok_or(Error(CL_INVALID_VALUE))
}

fn identity(device: &Arc<Device>, name: cl_device_info) -> Option<Answer> {
    Some(match name {
        // One type, which is not CL_DEVICE_TYPE_DEFAULT: that is for choosing devices.
        CL_DEVICE_TYPE => Answer::of(CL_DEVICE_TYPE_CPU),
        CL_DEVICE_VENDOR_ID => Answer::of(VENDOR_ID),
        CL_DEVICE_NAME => Answer::text("Touchstone"),
        CL_DEVICE_VENDOR => Answer::text(VENDOR),
        CL_DRIVER_VERSION => Answer::text(&can::driver_version_text()),
        CL_DEVICE_PROFILE => Answer::text(PROFILE),
        CL_DEVICE_VERSION => Answer::text(&can::opencl_version_text()),
        CL_DEVICE_NUMERIC_VERSION if on(Fault::NumericVersionOlder) => {
            Answer::of(profile::opencl() - (1 << 12))
        }
        CL_DEVICE_NUMERIC_VERSION => Answer::of(profile::opencl()),
        CL_DEVICE_EXTENSIONS => Answer::text(&can::joined(&can::extensions())),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => {
            let mut extensions = can::extensions();
            if on(Fault::ExtensionWithoutVersion) {
                extensions.pop();
            }
            Answer::names_with_versions(extensions)
        }
        CL_DEVICE_PLATFORM => Answer::of(object::handle(platform())),
        CL_DEVICE_REFERENCE_COUNT => Answer::of(match device.parent {
            Some(_) => object::references(device),
            None => 1,
        }),
        CL_DEVICE_AVAILABLE => Answer::boolean(true),
        CL_DEVICE_PARENT_DEVICE => Answer::of(match &device.parent {
            Some(parent) => object::handle(parent),
            None => std::ptr::null_mut(),
        }),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => {
            Answer::of(u32::try_from(partition::most(device)).unwrap_or(u32::MAX))
        }
        CL_DEVICE_PARTITION_PROPERTIES => match partition::supported(device) {
            [] => Answer::of(0isize),
            schemes => Answer::list(schemes.iter().copied()),
        },
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => Answer::of(0u64),
        CL_DEVICE_PARTITION_TYPE => Answer::list(device.partition.iter().copied()),
        // No run of the Khronos conformance test suite has been submitted: a version in the form of its
        // versions, so that it can be read and compared, and before all of them.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => Answer::text("v0000-01-01-00"),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => Answer::of(device.limits.clock),
        CL_DEVICE_ENDIAN_LITTLE => Answer::boolean(cfg!(target_endian = "little")),
        CL_DEVICE_ADDRESS_BITS => Answer::of(usize::BITS),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => Answer::of(crate::clock::resolution()),
        CL_DEVICE_UUID => Answer::list(device.uuid.0),
        CL_DRIVER_UUID => Answer::list(Uuid::of_driver().0),
        // No other interface of the system knows the device by a locally unique identifier; the
        // values are there to be asked for, and mean nothing.
        CL_DEVICE_LUID_VALID => Answer::boolean(false),
        CL_DEVICE_LUID => Answer::list([0u8; CL_LUID_SIZE as usize]),
        CL_DEVICE_NODE_MASK => Answer::of(0u32),
        _ => return None,
    })
}

fn language(name: cl_device_info) -> Option<Answer> {
    Some(match name {
        CL_DEVICE_COMPILER_AVAILABLE => Answer::boolean(true),
        CL_DEVICE_LINKER_AVAILABLE => Answer::boolean(true),
        CL_DEVICE_OPENCL_C_VERSION => {
            let (major, minor) = frontend::compatible_version();
            Answer::text(&format!("OpenCL C {major}.{minor} Touchstone {RELEASE}"))
        }
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => {
            let (major, minor) = frontend::compatible_version();
            Answer::of(version(major, minor, 0))
        }
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => Answer::names_with_versions(
            frontend::versions()
                .into_iter()
                .map(|(major, minor)| ("OpenCL C", version(major, minor, 0))),
        ),
        CL_DEVICE_OPENCL_C_FEATURES => Answer::names_with_versions(can::language_features()),
        CL_DEVICE_BUILT_IN_KERNELS => Answer::text(&builtin::offered().join(";")),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Answer::names_with_versions(
            builtin::offered()
                .iter()
                .map(|&name| (name, version(1, 0, 0))),
        ),
        CL_DEVICE_IL_VERSION => Answer::text(&can::il_version_text()),
        CL_DEVICE_ILS_WITH_VERSION => Answer::names_with_versions(can::intermediate_languages()),
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => spirv::instruction_sets(),
        CL_DEVICE_SPIRV_EXTENSIONS => spirv::extensions(),
        CL_DEVICE_SPIRV_CAPABILITIES => Answer::list(frontend::spirv_capabilities()),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => Answer::of(
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
                | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
        ),
        // Six truths, of products with signs, without, of both, and the same with an accumulator: none is faster than
        // what it is made of.
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT | ACCELERATED_PACKED => {
            Answer::list([CL_FALSE as cl_bool; 6])
        }
        CL_DEVICE_PRINTF_BUFFER_SIZE => Answer::of(1usize << 20),
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => {
            Answer::boolean(can::has_feature("__opencl_c_generic_address_space"))
        }
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => Answer::boolean(can::has_feature(
            "__opencl_c_work_group_collective_functions",
        )),
        CL_DEVICE_SINGLE_FP_CONFIG => Answer::of(
            CL_FP_DENORM
                | CL_FP_INF_NAN
                | CL_FP_ROUND_TO_NEAREST
                | CL_FP_FMA
                | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ),
        CL_DEVICE_DOUBLE_FP_CONFIG => Answer::of(if can::has_double() {
            CL_FP_DENORM
                | CL_FP_INF_NAN
                | CL_FP_ROUND_TO_NEAREST
                | CL_FP_ROUND_TO_ZERO
                | CL_FP_ROUND_TO_INF
                | CL_FP_FMA
        } else {
            0
        }),
        CL_DEVICE_HALF_FP_CONFIG if profile::has(Feature::Fp16) => {
            Answer::of(CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA)
        }
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => Answer::of(float_atomics::capabilities(32)),
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => Answer::of(float_atomics::capabilities(64)),
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => Answer::of(float_atomics::capabilities(16)),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => Answer::of(can::atomic_memory()),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => Answer::of(can::atomic_fence()),
        _ => return None,
    })
}

fn sizes(device: &Arc<Device>, name: cl_device_info) -> Option<Answer> {
    Some(match name {
        CL_DEVICE_MAX_COMPUTE_UNITS => {
            Answer::of(u32::try_from(device.limits.compute_units).unwrap_or(u32::MAX))
        }
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => Answer::of(3u32),
        CL_DEVICE_MAX_WORK_GROUP_SIZES => Answer::list([limits::max_work_group_size(); 3]),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => Answer::of(limits::max_work_group_size()),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            Answer::of(range::preferred_multiple(limits::max_work_group_size()))
        }
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => {
            Answer::boolean(profile::has(Feature::NonUniformGroups))
        }
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => Answer::of(1u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            Answer::of(u32::from(can::has_double()))
        }
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            Answer::of(u32::from(profile::has(Feature::Fp16)))
        }
        CL_DEVICE_MAX_PARAMETER_SIZE if on(Fault::ParametersTooSmall) => Answer::of(512_usize),
        CL_DEVICE_MAX_PARAMETER_SIZE => Answer::of(limits::max_parameter_size()),
        CL_DEVICE_MAX_CONSTANT_ARGS => Answer::of(limits::max_constant_args() as u32),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => Answer::of(if profile::has(Feature::SubGroups) {
            limits::max_work_group_size().div_ceil(limits::sub_group_size()) as u32
        } else {
            0
        }),
        // The work-items of a group take turns, whatever sub-group they are in.
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
            Answer::boolean(profile::has(Feature::SubGroups))
        }
        _ => return None,
    })
}

fn memory(device: &Arc<Device>, name: cl_device_info) -> Option<Answer> {
    let limits = &device.limits;
    let globals = can::has_feature("__opencl_c_program_scope_global_variables");
    Some(match name {
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => Answer::of(limits.max_allocation),
        CL_DEVICE_GLOBAL_MEM_SIZE => Answer::of(limits.global_memory),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => Answer::of(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => Answer::of(limits.cache_line),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => Answer::of(limits.cache),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => Answer::of(limits::max_constant_buffer(limits)),
        CL_DEVICE_LOCAL_MEM_TYPE => Answer::of(CL_GLOBAL),
        CL_DEVICE_LOCAL_MEM_SIZE => Answer::of(limits::local_memory()),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => Answer::of(limits::base_alignment() as u32 * 8),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => Answer::of(LARGEST_TYPE as u32),
        CL_DEVICE_HOST_UNIFIED_MEMORY => Answer::boolean(true),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => Answer::boolean(false),
        CL_DEVICE_SVM_CAPABILITIES => Answer::of(can::svm()),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE => Answer::of(if globals {
            limits::max_global_variable()
        } else {
            0
        }),
        CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => Answer::of(if globals {
            limits::max_global_variable()
        } else {
            0
        }),
        // Zero: natural alignment is enough.
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => Answer::of(0u32),
        _ => return None,
    })
}

fn queues(name: cl_device_info) -> Option<Answer> {
    let on_device = profile::has(Feature::DeviceEnqueue);
    let count = |value: u32| Answer::of(if on_device { value } else { 0 });
    let bits = |value: u64| Answer::of(if on_device { value } else { 0 });
    Some(match name {
        CL_DEVICE_EXECUTION_CAPABILITIES => Answer::of(if profile::has(Feature::NativeKernels) {
            CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL
        } else {
            CL_EXEC_KERNEL
        }),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => Answer::of(can::queue_properties()),
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => {
            bits(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => count(limits::device_queue_size()),
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => count(limits::largest_device_queue()),
        CL_DEVICE_MAX_ON_DEVICE_QUEUES => count(limits::device_queues()),
        CL_DEVICE_MAX_ON_DEVICE_EVENTS => count(limits::DEVICE_EVENTS),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            bits(CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT)
        }
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => Answer::of(command_buffer::capabilities()),
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => {
            Answer::of(can::queue_properties())
        }
        CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => {
            Answer::of(0 as cl_command_queue_properties)
        }
        CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR => {
            Answer::of(command_buffer::mutable::fields())
        }
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => Answer::boolean(true),
        _ => return None,
    })
}

fn images_and_pipes(name: cl_device_info) -> Option<Answer> {
    let images = can::images();
    let limits = limits::images();
    let count = |value: u32| Answer::of(if images { value } else { 0 });
    let side = |value: usize| Answer::of(if images { value } else { 0 });
    let pipes = profile::has(Feature::Pipes);
    let of_pipes = |value: u32| Answer::of(if pipes { value } else { 0 });
    Some(match name {
        CL_DEVICE_IMAGE_SUPPORT => Answer::boolean(images),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => count(limits.read_args),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS => count(limits.write_args),
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS if !profile::has(Feature::ReadWriteImages) => {
            Answer::of(0u32)
        }
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => count(limits.read_write_args),
        CL_DEVICE_MAX_SAMPLERS => count(limits.samplers),
        // In elements: any element of a buffer may begin an image or a row of one.
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => count(1),
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => side(limits.side_2d),
        CL_DEVICE_IMAGE3D_MAX_WIDTH
        | CL_DEVICE_IMAGE3D_MAX_HEIGHT
        | CL_DEVICE_IMAGE3D_MAX_DEPTH => side(limits.side_3d),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => side(limits.buffer),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => side(limits.array),
        CL_DEVICE_PIPE_SUPPORT => Answer::boolean(pipes),
        CL_DEVICE_MAX_PIPE_ARGS => of_pipes(limits::PIPE_ARGS),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => of_pipes(limits::PIPE_RESERVATIONS),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => of_pipes(limits::PIPE_PACKET),
        _ => return None,
    })
}
