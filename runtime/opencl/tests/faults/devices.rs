//! What a device says of itself.

use opencl_sys::*;
use touchstone::api::device::*;

use crate::Scenario;
use crate::rig::{self, Rig, device};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[("device_answers", device_answers), ("macros", macros)];

/// Its limits are those that every device has, and its version and extensions are the same as text and as numbers.
fn device_answers() {
    let text = |name| {
        // SAFETY: the sizes and places are those that the rig makes.
        rig::query_text(|size, value, ret| unsafe {
            clGetDeviceInfo(device(), name, size, value, ret)
        })
    };
    // SAFETY: as above.
    let most: usize = rig::query(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_MAX_PARAMETER_SIZE, size, value, ret)
    });
    assert!(most >= 1024);
    // SAFETY: as above.
    let version: cl_version = rig::query(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_NUMERIC_VERSION, size, value, ret)
    });
    let numbers = format!("OpenCL {}.{} ", version >> 22, version >> 12 & 0x3ff);
    assert!(text(CL_DEVICE_VERSION).starts_with(&numbers));
    // SAFETY: as above.
    let versions = rig::query_bytes(|size, value, ret| unsafe {
        clGetDeviceInfo(
            device(),
            CL_DEVICE_EXTENSIONS_WITH_VERSION,
            size,
            value,
            ret,
        )
    });
    let extensions = text(CL_DEVICE_EXTENSIONS);
    assert_eq!(versions.len(), 68 * extensions.split_whitespace().count());
}

/// The compiler defines the macros of what the device lists, and of nothing else.
fn macros() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
#if defined(cl_khr_subgroup_rotate) && !defined(__opencl_c_kernel_clock_scope_device)
        x[0] = 1;
#endif
    }";
    assert_eq!(output(&rig, source, 1, space(&[1], &[1])), [1]);
}
