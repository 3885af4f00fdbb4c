//! What is supported: versions, extensions, features, orders, scopes, SVM.
//!
//! Extensions and features of the language are what the front end says it can translate;
//! nothing is listed here that is not there. The order of the lists is the order of the
//! queries.

use opencl_sys::*;

use super::profile::{self, Feature, Version};
use crate::ffi::{Result, ensure};
use crate::frontend;

/// The crate's version, as the platform reports it.
pub const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// `CL_DRIVER_VERSION`: the crate's version, and the latitudes that are taken, because what is measured so is of
/// another device.
pub fn driver_version_text() -> String {
    let words: Vec<&str> = std::iter::once(RELEASE)
        .chain(touchstone_faults::taken().map(|row| row.id))
        .collect();
    words.join(" ")
}

/// A version number as the queries encode it: 10 bits, 10 bits, 12 bits.
pub const fn version(major: u32, minor: u32, patch: u32) -> cl_version {
    (major << 22) | (minor << 12) | patch
}

/// `CL_PLATFORM_VERSION` and `CL_DEVICE_VERSION`.
pub fn opencl_version_text() -> String {
    let number = profile::opencl();
    let (major, minor) = (number >> 22, (number >> 12) & 0x3ff);
    format!("OpenCL {major}.{minor} Touchstone {RELEASE}")
}

/// Extensions of the host API.
const HOST_EXTENSIONS: [&str; 8] = [
    "cl_khr_command_buffer",
    "cl_khr_command_buffer_mutable_dispatch",
    "cl_khr_device_uuid",
    EXTENDED_VERSIONING,
    "cl_khr_icd",
    "cl_khr_il_program",
    "cl_khr_spirv_queries",
    "cl_khr_suggested_local_work_size",
];

/// What every image can do where there are images: 2D ones lie in buffers.
const IMAGE_EXTENSIONS: [&str; 1] = ["cl_khr_image2d_from_buffer"];

/// Its queries are those of 3.0, and answered where 3.0 is reported.
const EXTENDED_VERSIONING: &str = "cl_khr_extended_versioning";

/// Extensions with versions. All devices are alike, and "each extension that is supported by
/// all devices associated with this platform must be reported" by the platform as well, so
/// the list is the same for both.
pub fn extensions() -> Vec<(&'static str, cl_version)> {
    let host = HOST_EXTENSIONS.into_iter().filter(|&name| {
        profile::keeps(name) && (name != EXTENDED_VERSIONING || profile::includes(Version::V3_0))
    });
    let images = IMAGE_EXTENSIONS.into_iter().filter(|_| images());
    let names = host.chain(images).chain(frontend::extensions());
    names.map(|name| (name, extension_version(name))).collect()
}

/// The version of an extension that is here.
fn extension_version(name: &str) -> cl_version {
    match name {
        // The one with dot products of vectors that are not packed.
        "cl_khr_integer_dot_product" => version(2, 0, 0),
        "cl_khr_command_buffer" => version(0, 9, 8),
        // The one in which arguments may be set after the recording.
        "cl_khr_command_buffer_mutable_dispatch" => version(0, 9, 4),
        _ => version(1, 0, 0),
    }
}

/// Intermediate languages, the newest version first.
pub fn intermediate_languages() -> Vec<(&'static str, cl_version)> {
    let versions = frontend::spirv_versions().iter().rev();
    let named = versions.map(|&(major, minor)| ("SPIR-V", version(major, minor, 0)));
    named.collect()
}

/// `CL_DEVICE_IL_VERSION`: "a space-separated list of IL version strings of the form
/// `<IL_Prefix>_<Major_Version>.<Minor_Version>`".
pub fn il_version_text() -> String {
    let versions = frontend::spirv_versions().iter().rev();
    let words: Vec<_> = versions
        .map(|(major, minor)| format!("SPIR-V_{major}.{minor}"))
        .collect();
    words.join(" ")
}

/// Optional features of OpenCL C 3.0 and newer.
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

/// `CL_DEVICE_IMAGE_SUPPORT`: whether there are images, for the host and for kernels.
pub fn images() -> bool {
    frontend::images()
}

/// Names joined by spaces, as the string queries want them.
pub fn joined(list: &[(&str, cl_version)]) -> String {
    let names: Vec<_> = list.iter().map(|&(name, _)| name).collect();
    names.join(" ")
}

/// Orders and scopes of atomic operations: the executor's atomics are the machine's, so
/// every order is kept and every scope is as wide as the widest.
pub fn atomic_memory() -> cl_device_atomic_capabilities {
    let optional = [
        (Feature::OrderAcqRel, CL_DEVICE_ATOMIC_ORDER_ACQ_REL),
        (Feature::OrderSeqCst, CL_DEVICE_ATOMIC_ORDER_SEQ_CST),
        (Feature::ScopeDevice, CL_DEVICE_ATOMIC_SCOPE_DEVICE),
        (Feature::ScopeAllDevices, CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ];
    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | bits_of(optional)
}

/// Orders and scopes of fences: those of atomic operations, and of those that acquire and release, which
/// every device has. The scope of the work-item itself is optional, and there with sequential consistency.
pub fn atomic_fence() -> cl_device_atomic_capabilities {
    let optional = [(Feature::OrderSeqCst, CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)];
    atomic_memory() | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | bits_of(optional)
}

/// The bits of the features that there are.
fn bits_of<const N: usize>(optional: [(Feature, u64); N]) -> u64 {
    let there = optional
        .into_iter()
        .filter(|(feature, _)| profile::has(*feature));
    there.fold(0, |all, (_, bit)| all | bit)
}

/// Shared virtual memory. Host and device are the same threads over the same memory, so
/// every kind with its atomics comes for free, but for one thing: kernels that may use any address of
/// the process meet addresses where nothing is, which must not end the process. Where
/// the executor cannot catch that, fine-grain system sharing is not offered.
pub fn svm() -> cl_device_svm_capabilities {
    let system = profile::has(Feature::SvmSystem) && touchstone_exec::CATCHES_FAULTS;
    let optional = [
        (Feature::SvmCoarse, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
        (Feature::SvmFine, CL_DEVICE_SVM_FINE_GRAIN_BUFFER),
        (Feature::SvmAtomics, CL_DEVICE_SVM_ATOMICS),
    ];
    bits_of(optional)
        | if system {
            CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
        } else {
            0
        }
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
pub fn queue_properties() -> cl_command_queue_properties {
    let optional = [(Feature::OutOfOrder, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)];
    CL_QUEUE_PROFILING_ENABLE | bits_of(optional)
}
