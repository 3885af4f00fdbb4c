//! What is supported: versions, extensions, features, orders, scopes, SVM.
//!
//! Extensions and features of the language are what the front end says it can translate;
//! nothing is listed here that is not there. The order of the lists is the order of the
//! queries.

use std::sync::LazyLock;

use opencl_sys::*;

use crate::ffi::{Result, ensure};
use crate::{environment, frontend};

/// The crate's version, as the platform and the driver report it.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// A version number as the queries encode it: 10 bits, 10 bits, 12 bits.
pub const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    (major << 22) | (minor << 12) | patch
}

/// The version of OpenCL that the platform and the device report.
pub const OPENCL: cl_version = version(3, 0, 0);

/// `CL_PLATFORM_VERSION` and `CL_DEVICE_VERSION`.
pub fn opencl_version_text() -> String {
    format!("OpenCL 3.0 Touchstone {RELEASE}")
}

/// Extensions of the host API.
const HOST_EXTENSIONS: [&str; 4] = [
    "cl_khr_device_uuid",
    "cl_khr_extended_versioning",
    "cl_khr_icd",
    "cl_khr_suggested_local_work_size",
];

/// Extensions with versions. All devices are alike, and "each extension that is supported by
/// all devices associated with this platform must be reported" by the platform as well, so
/// the list is the same for both.
pub fn extensions() -> Vec<(&'static str, cl_version)> {
    let host = HOST_EXTENSIONS.into_iter();
    let images = images().then_some("cl_khr_image2d_from_buffer");
    let names = host.chain(images).chain(frontend::extensions());
    names.map(|name| (name, version(1, 0, 0))).collect()
}

/// Optional features of OpenCL C 3.0.
pub fn language_features() -> Vec<(&'static str, cl_version)> {
    let names = frontend::features();
    names.map(|name| (name, version(3, 0, 0))).collect()
}

/// Whether the language has an optional feature of OpenCL C 3.0.
pub fn has_feature(name: &str) -> bool {
    frontend::features().any(|feature| feature == name)
}

/// Whether the device has `double`.
pub fn has_double() -> bool {
    extensions().iter().any(|&(name, _)| name == "cl_khr_fp64")
}

/// `CL_DEVICE_IMAGE_SUPPORT`: whether there are images. A device that says so promises them
/// to kernels as well, so they are there as soon as the front end can translate them.
///
/// The host's side of images is complete. `TOUCHSTONE_IMAGES=host` offers it before that, for
/// programs that only create, transfer and map images; kernels with image arguments then
/// still fail to build.
pub fn images() -> bool {
    static OFFERED: LazyLock<bool> = LazyLock::new(|| {
        environment::word("TOUCHSTONE_IMAGES").as_deref() == Some("host") || frontend::images()
    });
    *OFFERED
}

/// Names joined by spaces, as the string queries want them.
pub fn joined(list: &[(&str, cl_version)]) -> String {
    let names: Vec<_> = list.iter().map(|&(name, _)| name).collect();
    names.join(" ")
}

/// Orders and scopes of atomic operations: the executor's atomics are the machine's, so
/// every order is kept and every scope is as wide as the widest.
pub const ATOMIC_MEMORY: cl_device_atomic_capabilities = CL_DEVICE_ATOMIC_ORDER_RELAXED
    | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
    | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
    | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | CL_DEVICE_ATOMIC_SCOPE_DEVICE
    | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;

/// Orders and scopes of fences: those of atomic operations, and the work-item itself.
pub const ATOMIC_FENCE: cl_device_atomic_capabilities =
    ATOMIC_MEMORY | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM;

/// Shared virtual memory. Host and device are the same threads over the same memory, so
/// every kind with its atomics comes for free, but for one thing: kernels that may use any address of
/// the process meet addresses where nothing is, which must not end the process. Where
/// the executor cannot catch that, fine-grain system sharing is not offered.
///
/// `TOUCHSTONE_SVM` takes kinds away, for programs that are to be tried on less: `none`,
/// `coarse`, `fine` (fine-grain buffers with atomics) or `system`.
pub fn svm() -> cl_device_svm_capabilities {
    const COARSE: cl_device_svm_capabilities = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    const FINE: cl_device_svm_capabilities =
        COARSE | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS;
    static SVM: LazyLock<cl_device_svm_capabilities> = LazyLock::new(|| {
        let all = if touchstone_exec::CATCHES_FAULTS {
            FINE | CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
        } else {
            FINE
        };
        match environment::word("TOUCHSTONE_SVM").as_deref() {
            Some("none") => 0,
            Some("coarse") => COARSE,
            Some("fine") => FINE,
            Some(_) | None => all,
        }
    });
    *SVM
}

/// Whether kernels may use any address of the process.
pub fn has_system_svm() -> bool {
    svm() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
}

/// Checks that there is shared virtual memory at all.
///
/// # Errors
/// `CL_INVALID_OPERATION`.
pub fn require_svm() -> Result<()> {
    ensure!(svm() != 0, CL_INVALID_OPERATION);
    Ok(())
}

/// Host queues: both orders, with profiling.
pub const QUEUE_PROPERTIES: cl_command_queue_properties =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
