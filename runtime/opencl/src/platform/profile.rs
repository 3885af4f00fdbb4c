//! `TOUCHSTONE_PROFILE`: the version and the optional features that every device reports and accepts.
//!
//! The devices that others make differ in what they lack. So that a program can be tried on less than
//! Touchstone has, the variable takes features away: what a device does not report is refused, too, by
//! the calls with the codes that the specification names for an absent feature
//! (`opencl-3.0-backwards-compatibility`), and by the compiler.
//!
//! The value is a base and changes to it, separated by commas: `3.0,-svm-fine`, `3.0-minimal,+fp64`. A feature
//! that is added brings what it needs, one that is taken takes along what needs it. What 3.1 demands cannot be
//! taken from it; as extensions they can be added to 3.0.

use std::sync::LazyLock;

use opencl_sys::cl_version;

use super::capabilities::version;
use crate::environment;
use crate::ffi::{Result, ensure};

/// A version of OpenCL that a profile can report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// 1.2.
    V1_2,
    /// 3.0.
    V3_0,
    /// 3.1.
    V3_1,
}

/// Declares [`Feature`] and the table of its rows.
macro_rules! features {
    ($($(#[$of:meta])* $feature:ident = $name:literal, $since:ident, [$($needs:ident),*], [$($word:literal),*];)+) => {
        /// Something that a device may lack.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[$of])* $feature,)+
        }

        const ROWS: &[Row] = &[
            $(Row {
                feature: Feature::$feature,
                name: $name,
                since: Version::$since,
                needs: &[$(Feature::$needs),*],
                words: &[$($word),*],
            },)+
        ];
    };
}

/// What there is to know about a feature.
struct Row {
    feature: Feature,
    /// What the variable calls it.
    name: &'static str,
    /// The first version whose devices have it, if nothing is taken away. What devices have since 3.1 are extensions
    /// below it, which can be added to those of 3.0.
    since: Version,
    /// What a device that has it must have, too.
    needs: &'static [Feature],
    /// Its extensions and features of OpenCL C, and extensions of the host API.
    words: &'static [&'static str],
}

features! {
    /// Coarse-grain buffers of shared virtual memory.
    SvmCoarse = "svm-coarse", V3_0, [], [];
    /// Fine-grain buffers.
    SvmFine = "svm-fine", V3_0, [SvmCoarse], [];
    /// Atomics on fine-grain memory.
    SvmAtomics = "svm-atomics", V3_0, [SvmFine], [];
    /// Fine-grain sharing of all memory, where the executor can catch what goes astray.
    SvmSystem = "svm-system", V3_0, [SvmFine], [];
    /// Atomic operations that acquire and release. "Because atomic memory orders are hierarchical, a
    /// device that supports a strong memory order must also support all weaker memory orders."
    OrderAcqRel = "acq-rel", V3_0, [], ["__opencl_c_atomic_order_acq_rel"];
    /// Sequentially consistent atomic operations and fences.
    OrderSeqCst = "seq-cst", V3_0, [OrderAcqRel], ["__opencl_c_atomic_order_seq_cst"];
    /// Device scope.
    ScopeDevice = "scope-device", V3_0, [], ["__opencl_c_atomic_scope_device"];
    /// The scope of all devices. "Because atomic scopes are hierarchical, a device that supports a wide scope
    /// must also support all narrower scopes".
    ScopeAllDevices = "scope-all-devices", V3_0, [ScopeDevice], ["__opencl_c_atomic_scope_all_devices"];
    /// The generic address space.
    GenericAddressSpace = "generic-address-space", V3_0, [], ["__opencl_c_generic_address_space"];
    /// Variables of programs in global memory.
    ProgramScopeVariables = "program-scope-variables", V3_0, [],
        ["__opencl_c_program_scope_global_variables"];
    /// Work-groups of unequal size.
    NonUniformGroups = "non-uniform-groups", V3_0, [], [];
    /// Collective functions of work-groups.
    WorkGroupFunctions = "work-group-functions", V3_0, [],
        ["__opencl_c_work_group_collective_functions"];
    /// Sub-groups.
    SubGroups = "sub-groups", V3_0, [], ["__opencl_c_subgroups", "cl_khr_subgroups"];
    /// Images and samplers.
    Images = "images", V1_2, [], ["__opencl_c_images"];
    /// Images that a kernel both reads and writes.
    ReadWriteImages = "read-write-images", V3_0, [Images], ["__opencl_c_read_write_images"];
    /// Kernels that write images of three dimensions.
    ImageWrites3d = "3d-image-writes", V1_2, [Images],
        ["__opencl_c_3d_image_writes", "cl_khr_3d_image_writes"];
    /// Images whose elements are depths.
    DepthImages = "depth-images", V1_2, [Images], ["cl_khr_depth_images"];
    /// Pipes. "OpenCL C compilers that define the feature macro __opencl_c_pipes must also define the feature
    /// macro __opencl_c_generic_address_space".
    Pipes = "pipes", V3_0, [GenericAddressSpace], ["__opencl_c_pipes"];
    /// Device-side enqueue. "OpenCL C compilers that define the feature macro __opencl_c_device_enqueue must also
    /// define the feature macro __opencl_c_generic_address_space", and that of program-scope variables.
    DeviceEnqueue = "device-enqueue", V3_0, [GenericAddressSpace, ProgramScopeVariables],
        ["__opencl_c_device_enqueue"];
    /// Reading the clocks of host and device together.
    HostTimer = "host-timer", V3_0, [], [];
    /// Programs as SPIR-V.
    Il = "il", V3_0, [], ["cl_khr_il_program"];
    /// Atomic additions, minima and maxima of floats. There are none of them before OpenCL 2.0.
    FloatAtomics = "float-atomics", V3_0, [],
        ["cl_ext_float_atomics",
         "__opencl_c_ext_fp32_global_atomic_add", "__opencl_c_ext_fp32_local_atomic_add",
         "__opencl_c_ext_fp32_global_atomic_min_max", "__opencl_c_ext_fp32_local_atomic_min_max",
         "__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add",
         "__opencl_c_ext_fp64_global_atomic_min_max", "__opencl_c_ext_fp64_local_atomic_min_max"];
    /// Half precision.
    Fp16 = "fp16", V1_2, [], ["cl_khr_fp16"];
    /// Double precision.
    Fp64 = "fp64", V1_2, [],
        ["__opencl_c_fp64", "cl_khr_fp64",
         "__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add",
         "__opencl_c_ext_fp64_global_atomic_min_max", "__opencl_c_ext_fp64_local_atomic_min_max"];
    /// Atomic operations on 64 bits.
    Int64Atomics = "int64-atomics", V1_2, [],
        ["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics",
         "__opencl_c_ext_fp64_global_atomic_add", "__opencl_c_ext_fp64_local_atomic_add",
         "__opencl_c_ext_fp64_global_atomic_min_max", "__opencl_c_ext_fp64_local_atomic_min_max"];
    /// Out-of-order host queues. "The mandated minimum capability is: CL_QUEUE_PROFILING_ENABLE."
    OutOfOrder = "out-of-order", V1_2, [], [];
    /// Native kernels. "The mandated minimum capability is: CL_EXEC_KERNEL."
    NativeKernels = "native-kernels", V1_2, [], [];
    /// Built-in kernels.
    BuiltInKernels = "built-in-kernels", V1_2, [], [];
    /// Splitting a device.
    SubDevices = "sub-devices", V1_2, [], [];
    /// The extension that names devices.
    Uuid = "uuid", V3_0, [], ["cl_khr_device_uuid"];
    /// The extension that tells the work-group size of an enqueue without one.
    SuggestedSize = "suggested-size", V3_0, [], ["cl_khr_suggested_local_work_size"];
    /// Command-buffers. "This extension requires OpenCL 1.2 or later."
    CommandBuffer = "command-buffer", V1_2, [], ["cl_khr_command_buffer"];
    /// Command-buffers whose kernels can be updated.
    MutableDispatch = "mutable-dispatch", V1_2, [CommandBuffer],
        ["cl_khr_command_buffer_mutable_dispatch"];
    /// Bit fields and bits in reverse order.
    BitOps = "bit-ops", V3_1, [], ["cl_khr_extended_bit_ops"];
    /// Dot products of integers.
    DotProduct = "dot-product", V3_1, [],
        ["cl_khr_integer_dot_product", "__opencl_c_integer_dot_product_input_4x8bit",
         "__opencl_c_integer_dot_product_input_4x8bit_packed"];
    /// The extension by which devices report what they read of SPIR-V.
    SpirvQueries = "spirv-queries", V3_1, [Il], ["cl_khr_spirv_queries"];
    /// Ballots of those of a sub-group that are present.
    SubGroupBallot = "sub-group-ballot", V3_1, [SubGroups], ["cl_khr_subgroup_ballot"];
    /// Reductions of clusters of sub-groups.
    SubGroupClusteredReduce = "sub-group-clustered-reduce", V3_1, [SubGroups],
        ["cl_khr_subgroup_clustered_reduce"];
    /// Reductions and scans of those of a sub-group that are present.
    SubGroupNonUniformArithmetic = "sub-group-non-uniform-arithmetic", V3_1, [SubGroups],
        ["cl_khr_subgroup_non_uniform_arithmetic"];
    /// Votes of those of a sub-group that are present.
    SubGroupNonUniformVote = "sub-group-non-uniform-vote", V3_1, [SubGroups],
        ["cl_khr_subgroup_non_uniform_vote"];
    /// Functions of sub-groups of narrow integers and of vectors.
    SubGroupTypes = "sub-group-types", V3_1, [SubGroups], ["cl_khr_subgroup_extended_types"];
    /// Rotations of sub-groups.
    SubGroupRotate = "sub-group-rotate", V3_1, [SubGroups], ["cl_khr_subgroup_rotate"];
    /// Shuffles of sub-groups.
    SubGroupShuffle = "sub-group-shuffle", V3_1, [SubGroups], ["cl_khr_subgroup_shuffle"];
    /// Shuffles relative to the own place.
    SubGroupShuffleRelative = "sub-group-shuffle-relative", V3_1, [SubGroups],
        ["cl_khr_subgroup_shuffle_relative"];
}

/// What a device of 3.1 must have: Required Device Extensions, and "Support for sub-groups is required for an … OpenCL 3.1
/// device"; "An OpenCL 3.1 device must support at least SPIR-V 1.0".
const DEMANDED_BY_3_1: [Feature; 11] = [
    Feature::SubGroups,
    Feature::Il,
    Feature::Uuid,
    Feature::SuggestedSize,
    Feature::BitOps,
    Feature::DotProduct,
    Feature::SpirvQueries,
    Feature::SubGroupTypes,
    Feature::SubGroupRotate,
    Feature::SubGroupShuffle,
    Feature::SubGroupShuffleRelative,
];

impl Feature {
    const fn bit(self) -> u64 {
        1 << self as u64
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// A version with some features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Profile {
    version: Version,
    features: u64,
}

impl Profile {
    /// All that there is in a version.
    fn full(version: Version) -> Self {
        let rows = ROWS.iter().filter(|row| row.since <= version);
        let features = rows.fold(0, |all, row| all | row.feature.bit());
        Self { version, features }
    }

    const fn has(self, feature: Feature) -> bool {
        self.features & feature.bit() != 0
    }

    fn add(&mut self, feature: Feature) {
        self.features |= feature.bit();
        feature.row().needs.iter().for_each(|&need| self.add(need));
    }

    fn take(&mut self, feature: Feature) {
        self.features &= !feature.bit();
        for row in ROWS.iter().filter(|row| row.needs.contains(&feature)) {
            self.take(row.feature);
        }
    }

    /// What a value says.
    ///
    /// # Errors
    /// A sentence about the first word that is wrong.
    fn read(text: &str) -> std::result::Result<Self, String> {
        let mut words = text.split(',').map(str::trim);
        let base = words.next().unwrap_or_default();
        let (base, minimal) = match base.strip_suffix("-minimal") {
            Some(version) => (version, true),
            None => (base, false),
        };
        let version = match base {
            "1.2" => Version::V1_2,
            "3.0" => Version::V3_0,
            "3.1" => Version::V3_1,
            _ => {
                return Err(wrong(
                    text,
                    "begins with none of 1.2, 3.0, 3.1, 1.2-minimal, 3.0-minimal and 3.1-minimal",
                ));
            }
        };
        let mut profile = Self::full(version);
        let demanded: &[Feature] = match version {
            Version::V1_2 | Version::V3_0 => &[],
            Version::V3_1 => &DEMANDED_BY_3_1,
        };
        if minimal {
            profile.features = 0;
            demanded.iter().for_each(|&feature| profile.add(feature));
        }
        for word in words {
            let named = |name: &str| ROWS.iter().find(|row| row.name == name);
            let change = word
                .split_at_checked(1)
                .and_then(|(sign, name)| Some((sign, named(name)?)));
            match change {
                Some(("+", row)) if row.since <= version || version == Version::V3_0 => {
                    profile.add(row.feature);
                }
                Some(("+", _)) => {
                    return Err(wrong(
                        text,
                        &format!("has `{word}`, which 1.2 does not know"),
                    ));
                }
                Some(("-", row)) => {
                    profile.take(row.feature);
                    if let Some(gone) = demanded.iter().find(|&&feature| !profile.has(feature)) {
                        let name = gone.row().name;
                        let why = format!("has `{word}`, which takes `{name}`: 3.1 demands that");
                        return Err(wrong(text, &why));
                    }
                }
                Some(_) | None => {
                    let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
                    let names = names.join(", ");
                    let why = format!("has `{word}`, which is no + or - before one of: {names}");
                    return Err(wrong(text, &why));
                }
            }
        }
        Ok(profile)
    }
}

fn wrong(text: &str, why: &str) -> String {
    format!("TOUCHSTONE_PROFILE is `{text}` and {why}, so there is no platform.")
}

/// The version without the variable.
const USUAL: Version = Version::V3_1;

static READ: LazyLock<std::result::Result<Profile, String>> =
    LazyLock::new(|| match environment::word("TOUCHSTONE_PROFILE") {
        None => Ok(Profile::full(USUAL)),
        Some(text) => Profile::read(&text),
    });

/// Whether the variable says something that can be read.
///
/// # Errors
/// A sentence that says what is wrong; there is to be no platform then.
pub fn check() -> std::result::Result<(), &'static str> {
    READ.as_ref().map(drop).map_err(String::as_str)
}

fn chosen() -> Profile {
    READ.as_ref().copied().unwrap_or(Profile::full(USUAL))
}

/// Whether the devices have a feature.
pub fn has(feature: Feature) -> bool {
    static CHOSEN: LazyLock<Profile> = LazyLock::new(chosen);
    CHOSEN.has(feature)
}

/// Whether nothing is taken away that devices of 3.0 have.
pub fn is_full() -> bool {
    let all = Profile::full(Version::V3_0).features;
    chosen().features & all == all
}

/// The version that platform and devices report, as the queries encode it.
pub fn opencl() -> cl_version {
    match chosen().version {
        Version::V1_2 => version(1, 2, 0),
        Version::V3_0 => version(3, 0, 0),
        Version::V3_1 => version(3, 1, 0),
    }
}

/// The version that platform and devices report.
pub fn version_reported() -> Version {
    chosen().version
}

/// Whether there is what came with a version.
pub fn includes(version: Version) -> bool {
    chosen().version >= version
}

/// Checks that a device has a feature.
///
/// # Errors
/// `CL_INVALID_OPERATION`, by which most calls of an absent feature are refused.
pub fn require(feature: Feature) -> Result<()> {
    ensure!(has(feature), CL_INVALID_OPERATION);
    Ok(())
}

/// Checks that a call is one of OpenCL 1.2. One that came later is not there for a program that heeds
/// the version.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub fn require_version(version: Version) -> Result<()> {
    ensure!(includes(version), CL_INVALID_OPERATION);
    Ok(())
}

/// Whether the name of an extension or of a feature of OpenCL C belongs to nothing that is taken away.
pub fn keeps(word: &str) -> bool {
    let mut owners = ROWS.iter().filter(|row| row.words.contains(&word));
    owners.all(|row| has(row.feature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_features_and_in_the_manual() {
        let manual = include_str!("../../../README.md");
        for (number, row) in ROWS.iter().enumerate() {
            assert_eq!(row.feature as usize, number);
            assert!(row.needs.iter().all(|need| need.row().since <= row.since));
            let name = format!("`{}`", row.name);
            assert!(manual.contains(&name), "README.md does not name {name}");
        }
    }

    #[test]
    fn what_is_added_brings_its_needs_and_what_is_taken_takes_along_what_needs_it() {
        let read = |text| Profile::read(text).unwrap();
        let minimal = read("3.0-minimal");
        assert!(ROWS.iter().all(|row| !minimal.has(row.feature)));
        let some = read("3.0-minimal,+svm-system,+seq-cst");
        let has: Vec<_> = ROWS
            .iter()
            .filter(|row| some.has(row.feature))
            .map(|row| row.name)
            .collect();
        assert_eq!(
            has,
            ["svm-coarse", "svm-fine", "svm-system", "acq-rel", "seq-cst"]
        );
        let less = read("3.0, -svm-fine, -acq-rel");
        assert!(less.has(Feature::SvmCoarse) && !less.has(Feature::SvmAtomics));
        assert!(!less.has(Feature::OrderSeqCst) && less.has(Feature::ScopeAllDevices));
        assert_eq!(read("3.0"), Profile::full(Version::V3_0));
        let newest = read("3.1");
        assert!(newest.has(Feature::BitOps) && !read("3.0").has(Feature::BitOps));
        let demanded = read("3.1-minimal");
        assert!(
            DEMANDED_BY_3_1
                .into_iter()
                .all(|feature| demanded.has(feature))
        );
        assert!(!demanded.has(Feature::Fp64) && newest.has(Feature::Fp64));
        let some = read("3.0-minimal,+sub-group-rotate");
        assert!(some.has(Feature::SubGroups) && some.version == Version::V3_0);
        let old = read("1.2");
        assert!(old.has(Feature::Fp64) && !old.has(Feature::SvmCoarse));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let sentence = |text| Profile::read(text).unwrap_err();
        assert!(sentence("2.0").contains("begins with none of 1.2"));
        assert!(sentence("1.2,+svm-fine").contains("`+svm-fine`, which 1.2 does not know"));
        assert!(sentence("3.0,svm-fine").contains("`svm-fine`, which is no + or -"));
        assert!(sentence("3.0,").contains("has ``"));
        assert!(sentence("3.1,-il").contains("`-il`, which takes `il`: 3.1 demands that"));
        assert!(sentence("1.2,+dot-product").contains("which 1.2 does not know"));
    }
}
