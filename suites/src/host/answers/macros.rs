//! The macros of extensions and features that the compiler of a device defines ("Preprocessor Directives for Optional
//! Extensions", "Optional features in OpenCL C 3.0 or newer and their predefined macros").

use super::device::{Described, NUMBERED, numeric};
use std::collections::BTreeMap;

/// Extensions that "affect the OpenCL language semantics, syntax or add built-in functions to the language".
const EXTENSIONS: [&str; 33] = [
    "cl_ext_float_atomics",
    "cl_khr_3d_image_writes",
    "cl_khr_async_work_group_copy_fence",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_device_enqueue_local_arg_types",
    "cl_khr_expect_assume",
    "cl_khr_extended_async_copies",
    "cl_khr_extended_bit_ops",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_gl_msaa_sharing",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_kernel_clock",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
    "cl_khr_work_group_uniform_arithmetic",
];

/// Features of OpenCL C 3.0.
const FEATURES: [&str; 20] = [
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_device_enqueue",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

/// Whether text may name a macro.
fn is_macro(text: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with('_') && text.chars().all(of_name)
}

impl Described {
    /// The macros of extensions and features, and whether its compiler defines each. Features are those of OpenCL C 3.0;
    /// before that "there is no guarantee that feature test macros will be defined and that if defined they will indicate
    /// the presence of the corresponding optional functionality".
    pub fn macros(&self) -> Vec<(&str, bool)> {
        // Only the embedded profile allows for a device without a compiler.
        if self.extensions.is_empty() || self.full != Some(true) {
            return Vec::new();
        }
        let extensions = EXTENSIONS.map(|name| (name, self.has(name) == Some(true)));
        let mut all = BTreeMap::from(extensions);
        if numeric(&self.version).is_some_and(|version| version >= NUMBERED) {
            all.extend(FEATURES.map(|name| (name, false)));
            let listed = self.features.iter().map(String::as_str);
            all.extend(
                listed
                    .filter(|name| is_macro(name))
                    .map(|name| (name, true)),
            );
        }
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_those_of_what_is_listed() {
        let mut said = Described {
            version: "OpenCL 3.0 of a test".into(),
            extensions: "cl_khr_fp16 cl_khr_icd".into(),
            features: vec!["__opencl_c_of_a_vendor".into(), "no name".into()],
            full: Some(true),
            ..Described::default()
        };
        let defined = |said: &Described, name: &str| {
            let macros = said.macros();
            let one = macros.iter().find(|(of, _)| *of == name);
            one.map(|(_, is_defined)| *is_defined)
        };
        assert_eq!(defined(&said, "cl_khr_fp16"), Some(true));
        assert_eq!(defined(&said, "cl_khr_fp64"), Some(false));
        assert_eq!(defined(&said, "cl_khr_icd"), None);
        assert_eq!(defined(&said, "__opencl_c_of_a_vendor"), Some(true));
        assert_eq!(defined(&said, "__opencl_c_images"), Some(false));
        assert_eq!(defined(&said, "no name"), None);
        said.version = "OpenCL 2.1 of a test".into();
        assert_eq!(defined(&said, "__opencl_c_images"), None);
        said.full = Some(false);
        assert_eq!(said.macros(), []);
    }
}
