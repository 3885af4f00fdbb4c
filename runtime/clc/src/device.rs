//! What the caller's device can do, as far as the language shows it.

use crate::options::BuildOptions;
use std::collections::BTreeSet;

/// A version of OpenCL or of OpenCL C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 1.0
    V1_0 = 100,
    /// 1.1
    V1_1 = 110,
    /// 1.2
    V1_2 = 120,
    /// 2.0
    V2_0 = 200,
    /// 3.0
    V3_0 = 300,
    /// 3.1
    V3_1 = 310,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 6] = [
        Self::V1_0,
        Self::V1_1,
        Self::V1_2,
        Self::V2_0,
        Self::V3_0,
        Self::V3_1,
    ];

    /// As `__OPENCL_C_VERSION__` spells it: 120 for 1.2.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// As `-cl-std=CL…` spells it.
    pub fn name(self) -> String {
        format!("{}.{}", self.number() / 100, self.number() / 10 % 10)
    }
}

/// How the features of `cl_ext_float_atomics` begin.
pub(crate) const FLOAT_ATOMICS: &str = "__opencl_c_ext_";

/// The device a program is built for.
#[derive(Clone, Debug)]
pub struct DeviceProfile {
    /// `CL_DEVICE_VERSION`, which `__OPENCL_VERSION__` shows.
    pub version: Version,
    /// Extensions, such as `cl_khr_fp64`; each becomes a macro of value 1.
    pub extensions: BTreeSet<String>,
    /// Optional features of OpenCL C 3.0 and newer, such as `__opencl_c_generic_address_space`; each becomes
    /// a macro of value 1 when the program is built as one of these. Those of `cl_ext_float_atomics`
    /// ([`FLOAT_ATOMICS`]) are there in OpenCL C 2.0, too.
    pub features: BTreeSet<String>,
    /// `CL_DEVICE_IMAGE_SUPPORT`, which defines `__IMAGE_SUPPORT__`.
    pub images: bool,
}

impl Default for DeviceProfile {
    /// Everything this front end can translate.
    fn default() -> Self {
        let names = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        Self {
            version: Version::V3_1,
            extensions: names(&[
                "cl_ext_float_atomics",
                "cl_khr_byte_addressable_store",
                "cl_khr_depth_images",
                "cl_khr_fp16",
                "cl_khr_fp64",
                "cl_khr_global_int32_base_atomics",
                "cl_khr_global_int32_extended_atomics",
                "cl_khr_local_int32_base_atomics",
                "cl_khr_local_int32_extended_atomics",
                "cl_khr_int64_base_atomics",
                "cl_khr_int64_extended_atomics",
                "cl_khr_3d_image_writes",
                "cl_khr_subgroups",
                "cl_khr_extended_bit_ops",
                "cl_khr_integer_dot_product",
                "cl_khr_subgroup_extended_types",
                "cl_khr_subgroup_ballot",
                "cl_khr_subgroup_clustered_reduce",
                "cl_khr_subgroup_non_uniform_arithmetic",
                "cl_khr_subgroup_non_uniform_vote",
                "cl_khr_subgroup_rotate",
                "cl_khr_subgroup_shuffle",
                "cl_khr_subgroup_shuffle_relative",
            ]),
            features: names(&[
                "__opencl_c_int64",
                "__opencl_c_fp64",
                "__opencl_c_generic_address_space",
                "__opencl_c_program_scope_global_variables",
                "__opencl_c_atomic_order_acq_rel",
                "__opencl_c_atomic_order_seq_cst",
                "__opencl_c_atomic_scope_device",
                "__opencl_c_atomic_scope_all_devices",
                "__opencl_c_images",
                "__opencl_c_3d_image_writes",
                "__opencl_c_read_write_images",
                "__opencl_c_pipes",
                "__opencl_c_device_enqueue",
                "__opencl_c_subgroups",
                "__opencl_c_work_group_collective_functions",
                "__opencl_c_integer_dot_product_input_4x8bit",
                "__opencl_c_integer_dot_product_input_4x8bit_packed",
                "__opencl_c_ext_fp32_global_atomic_add",
                "__opencl_c_ext_fp32_local_atomic_add",
                "__opencl_c_ext_fp32_global_atomic_min_max",
                "__opencl_c_ext_fp32_local_atomic_min_max",
                "__opencl_c_ext_fp64_global_atomic_add",
                "__opencl_c_ext_fp64_local_atomic_add",
                "__opencl_c_ext_fp64_global_atomic_min_max",
                "__opencl_c_ext_fp64_local_atomic_min_max",
            ]),
            images: true,
        }
    }
}

/// The language a program is written in: the version it asked for on the device it is built for.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    pub(crate) version: Version,
    pub(crate) fp16: bool,
    pub(crate) fp64: bool,
    pub(crate) int64_atomics: bool,
    pub(crate) generic: bool,
    pub(crate) program_scope_globals: bool,
    pub(crate) atomics: bool,
    /// The features of `cl_ext_float_atomics`.
    pub(crate) float_atomics: BTreeSet<String>,
    pub(crate) order_acq_rel: bool,
    pub(crate) order_seq_cst: bool,
    pub(crate) scope_device: bool,
    pub(crate) scope_all_devices: bool,
    pub(crate) work_group_functions: bool,
    pub(crate) sub_groups: bool,
    /// Functions of sub-groups take narrow integers, and broadcast vectors.
    pub(crate) sub_group_types: bool,
    pub(crate) sub_group_shuffle: bool,
    pub(crate) sub_group_shuffle_relative: bool,
    pub(crate) sub_group_rotate: bool,
    pub(crate) sub_group_ballot: bool,
    pub(crate) sub_group_vote: bool,
    pub(crate) sub_group_arithmetic: bool,
    pub(crate) sub_group_clustered: bool,
    pub(crate) extended_bits: bool,
    pub(crate) integer_dot: bool,
    pub(crate) integer_dot_packed: bool,
    pub(crate) images: bool,
    pub(crate) image_writes_3d: bool,
    pub(crate) depth_images: bool,
    pub(crate) read_write_images: bool,
    pub(crate) pipes: bool,
    pub(crate) device_enqueue: bool,
    /// Functions of device-side enqueue say why they failed.
    pub(crate) explains_enqueues: bool,
    pub(crate) single_precision_constants: bool,
}

impl Language {
    /// In OpenCL C 2.0 the features are part of the language; since 3.0 they are what the device
    /// says; before 2.0 there are none. What 3.1 made a part of the language is there before where the device has the
    /// extension that it was.
    pub(crate) fn new(device: &DeviceProfile, options: &BuildOptions) -> Self {
        let version = options.version();
        let feature = |name: &str| match version {
            Version::V1_0 | Version::V1_1 | Version::V1_2 => false,
            Version::V2_0 => true,
            Version::V3_0 | Version::V3_1 => device.features.contains(name),
        };
        let extension = |name: &str| device.extensions.contains(name);
        let promoted = |name: &str| version >= Version::V3_1 || extension(name);
        let since_3_0 = |name: &str| version >= Version::V3_0 && device.features.contains(name);
        let float_atomics = |name: &&String| {
            version >= Version::V2_0
                && extension("cl_ext_float_atomics")
                && name.starts_with(FLOAT_ATOMICS)
        };
        let sub_groups = version >= Version::V2_0 && extension("cl_khr_subgroups")
            || since_3_0("__opencl_c_subgroups");
        Self {
            version,
            fp16: extension("cl_khr_fp16"),
            fp64: extension("cl_khr_fp64") || device.features.contains("__opencl_c_fp64"),
            int64_atomics: extension("cl_khr_int64_base_atomics"),
            generic: feature("__opencl_c_generic_address_space"),
            program_scope_globals: feature("__opencl_c_program_scope_global_variables"),
            atomics: version >= Version::V2_0,
            float_atomics: device
                .features
                .iter()
                .filter(float_atomics)
                .cloned()
                .collect(),
            order_acq_rel: feature("__opencl_c_atomic_order_acq_rel"),
            order_seq_cst: feature("__opencl_c_atomic_order_seq_cst"),
            scope_device: feature("__opencl_c_atomic_scope_device"),
            scope_all_devices: feature("__opencl_c_atomic_scope_all_devices"),
            work_group_functions: feature("__opencl_c_work_group_collective_functions"),
            sub_groups,
            sub_group_types: sub_groups && promoted("cl_khr_subgroup_extended_types"),
            sub_group_shuffle: sub_groups && promoted("cl_khr_subgroup_shuffle"),
            sub_group_shuffle_relative: sub_groups && promoted("cl_khr_subgroup_shuffle_relative"),
            sub_group_rotate: sub_groups && promoted("cl_khr_subgroup_rotate"),
            sub_group_ballot: sub_groups && extension("cl_khr_subgroup_ballot"),
            sub_group_vote: sub_groups && extension("cl_khr_subgroup_non_uniform_vote"),
            sub_group_arithmetic: sub_groups && extension("cl_khr_subgroup_non_uniform_arithmetic"),
            sub_group_clustered: sub_groups && extension("cl_khr_subgroup_clustered_reduce"),
            extended_bits: promoted("cl_khr_extended_bit_ops"),
            integer_dot: since_3_0("__opencl_c_integer_dot_product_input_4x8bit"),
            integer_dot_packed: since_3_0("__opencl_c_integer_dot_product_input_4x8bit_packed"),
            images: device.images,
            image_writes_3d: extension("cl_khr_3d_image_writes"),
            depth_images: device.images && extension("cl_khr_depth_images"),
            read_write_images: device.images && feature("__opencl_c_read_write_images"),
            pipes: feature("__opencl_c_pipes"),
            device_enqueue: feature("__opencl_c_device_enqueue"),
            explains_enqueues: options.debug,
            single_precision_constants: options.single_precision_constant,
        }
    }
}
