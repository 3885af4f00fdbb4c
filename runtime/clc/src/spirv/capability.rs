//! What modules may declare that they need: capabilities, extensions, sets of extended instructions.

use super::extended::OPENCL;
use super::newest;
use crate::DeviceProfile;
use crate::device::Language;
use rspirv::spirv::Capability;

/// Whether modules may declare a capability where the language has so much.
pub(super) fn is_there(capability: Capability, language: &Language) -> bool {
    match capability {
        Capability::Addresses
        | Capability::Linkage
        | Capability::Kernel
        | Capability::Matrix
        | Capability::Vector16
        | Capability::Float16Buffer
        | Capability::Int64
        | Capability::Int16
        | Capability::Int8
        | Capability::ExpectAssumeKHR
        | Capability::SignedZeroInfNanPreserve
        | Capability::DenormPreserve
        | Capability::RoundingModeRTE => true,
        Capability::Float16 => language.fp16,
        Capability::Float64 => language.fp64,
        Capability::Int64Atomics => language.int64_atomics,
        Capability::GenericPointer => language.generic,
        // The functions of each kind of group are asked for where they are called.
        Capability::Groups => language.work_group_functions || language.sub_groups,
        Capability::SubgroupDispatch => language.sub_groups,
        Capability::GroupNonUniformShuffle => language.sub_group_shuffle,
        Capability::GroupNonUniformShuffleRelative => language.sub_group_shuffle_relative,
        Capability::GroupNonUniformRotateKHR => language.sub_group_rotate,
        Capability::GroupNonUniform | Capability::GroupNonUniformVote => language.sub_group_vote,
        Capability::GroupNonUniformBallot => language.sub_group_ballot,
        Capability::GroupNonUniformArithmetic => language.sub_group_arithmetic,
        Capability::GroupNonUniformClustered => language.sub_group_clustered,
        Capability::BitInstructions => language.extended_bits,
        Capability::DotProduct => language.integer_dot || language.integer_dot_packed,
        Capability::DotProductInput4x8Bit => language.integer_dot,
        Capability::DotProductInput4x8BitPacked => language.integer_dot_packed,
        Capability::ImageBasic
        | Capability::LiteralSampler
        | Capability::Sampled1D
        | Capability::Image1D
        | Capability::SampledBuffer
        | Capability::ImageBuffer
        | Capability::ImageQuery => language.images,
        Capability::ImageReadWrite => language.read_write_images,
        Capability::AtomicFloat32AddEXT => float_atomics(language, "fp32", "add"),
        Capability::AtomicFloat32MinMaxEXT => float_atomics(language, "fp32", "min_max"),
        Capability::AtomicFloat64AddEXT => float_atomics(language, "fp64", "add"),
        Capability::AtomicFloat64MinMaxEXT => float_atomics(language, "fp64", "min_max"),
        _ => false,
    }
}

/// Whether all that a capability of atomic floats stands for is there: it says nothing of memories.
fn float_atomics(language: &Language, width: &str, group: &str) -> bool {
    ["global", "local"].iter().all(|memory| {
        let feature = format!("__opencl_c_ext_{width}_{memory}_atomic_{group}");
        language.float_atomics.contains(&feature)
    })
}

/// Numbers of capabilities end before this.
const END: u32 = 1 << 16;

/// The capabilities that modules may declare for a device, by their numbers (`CL_DEVICE_SPIRV_CAPABILITIES`).
/// `Matrix` is none of them: a module may declare it, and has no use for it in a kernel.
pub fn capabilities(device: &DeviceProfile) -> Vec<u32> {
    let language = Language::new(device, &newest(device));
    (0..END)
        .filter_map(Capability::from_u32)
        .filter(|&capability| capability != Capability::Matrix && is_there(capability, &language))
        .map(|capability| capability as u32)
        .collect()
}

/// Extensions whose instructions, decorations and capabilities are read, with one of the capabilities that they add.
const EXTENSIONS: [(&str, Option<Capability>); 9] = [
    (
        "SPV_KHR_bit_instructions",
        Some(Capability::BitInstructions),
    ),
    ("SPV_KHR_expect_assume", Some(Capability::ExpectAssumeKHR)),
    ("SPV_KHR_float_controls", Some(Capability::DenormPreserve)),
    ("SPV_KHR_integer_dot_product", Some(Capability::DotProduct)),
    ("SPV_KHR_no_integer_wrap_decoration", None),
    ("SPV_KHR_non_semantic_info", None),
    (
        "SPV_KHR_subgroup_rotate",
        Some(Capability::GroupNonUniformRotateKHR),
    ),
    (
        "SPV_EXT_shader_atomic_float_add",
        Some(Capability::AtomicFloat32AddEXT),
    ),
    (
        "SPV_EXT_shader_atomic_float_min_max",
        Some(Capability::AtomicFloat32MinMaxEXT),
    ),
];

/// The extensions that modules may declare for a device (`CL_DEVICE_SPIRV_EXTENSIONS`).
pub fn extensions(device: &DeviceProfile) -> Vec<&'static str> {
    let language = Language::new(device, &newest(device));
    let there = EXTENSIONS
        .iter()
        .filter(|(_, needs)| needs.is_none_or(|needs| is_there(needs, &language)));
    there.map(|&(name, _)| name).collect()
}

/// The sets of extended instructions that modules may import (`CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS`).
pub const fn extended_instruction_sets() -> [&'static str; 3] {
    [OPENCL, "DebugInfo", "OpenCL.DebugInfo.100"]
}
