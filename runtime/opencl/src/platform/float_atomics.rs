//! What `cl_ext_float_atomics` has devices say: `CL_DEVICE_…_FP_ATOMIC_CAPABILITIES_EXT`.

use opencl_sys::{cl_bitfield, cl_device_info};

use super::capabilities::has_feature;

/// Of `float`.
pub const CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4231;
/// Of `double`.
pub const CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4232;
/// Of `half`.
pub const CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT: cl_device_info = 0x4233;

/// Loads, stores and exchanges in global memory.
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 0;
/// Additions and subtractions in global memory.
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 1;
/// Minima and maxima in global memory.
pub const CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 2;
/// Loads, stores and exchanges in local memory.
pub const CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT: cl_bitfield = 1 << 16;
/// Additions and subtractions in local memory.
pub const CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT: cl_bitfield = 1 << 17;
/// Minima and maxima in local memory.
pub const CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT: cl_bitfield = 1 << 18;

/// The answer for floats of so many bits: what the features of the language say. Where there is any of it, so are
/// loads, stores and exchanges, as of every atomic object. Of halves there are no atomic objects.
pub fn capabilities(width: u32) -> cl_bitfield {
    let features = [
        ("global_atomic_add", CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT),
        (
            "global_atomic_min_max",
            CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT,
        ),
        ("local_atomic_add", CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT),
        (
            "local_atomic_min_max",
            CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT,
        ),
    ];
    let there = features
        .into_iter()
        .filter(|(name, _)| has_feature(&format!("__opencl_c_ext_fp{width}_{name}")));
    match there.fold(0, |all, (_, bit)| all | bit) {
        0 => 0,
        some => {
            some | CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
                | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
        }
    }
}
