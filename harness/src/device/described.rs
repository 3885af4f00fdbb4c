//! What a device and its platform say of themselves, word by word: what else they say must agree with it.

use super::info::{bool_of, platform_text, text_of, u32_of, u64_of};
use cl3::platform;
use cl3::types::cl_name_version;
use classay_suites::host::answers::Described;
use opencl3::device as cl;
use opencl3::device::Device;
use opencl3::platform::Platform;

/// Asks for it; what a device does not answer is not known.
pub fn described(device: &Device) -> Described {
    let text = |query| text_of(device, query).unwrap_or_default();
    let of_platform = |query| {
        let platform = device.platform().ok().map(|id| Platform::new(id.cast()));
        platform
            .map(|platform| platform_text(&platform, query))
            .unwrap_or_default()
    };
    let features = device.opencl_c_features().ok();
    let name = |feature: cl_name_version| {
        let end = feature.name.iter().position(|byte| *byte == 0);
        let name = &feature.name[..end.unwrap_or(feature.name.len())];
        String::from_utf8_lossy(name).into_owned()
    };
    let enqueues = u64_of(device, cl::CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES);
    Described {
        version: text(cl::CL_DEVICE_VERSION),
        extensions: text(cl::CL_DEVICE_EXTENSIONS),
        features: features.into_iter().flatten().map(name).collect(),
        il: text(cl::CL_DEVICE_IL_VERSION),
        built_in_kernels: text(cl::CL_DEVICE_BUILT_IN_KERNELS),
        platform_version: of_platform(platform::CL_PLATFORM_VERSION),
        platform_extensions: of_platform(platform::CL_PLATFORM_EXTENSIONS),
        dimensions: u32_of(device, cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS).ok(),
        units: u32_of(device, cl::CL_DEVICE_MAX_COMPUTE_UNITS).ok(),
        global_memory: u64_of(device, cl::CL_DEVICE_GLOBAL_MEM_SIZE).ok(),
        images: bool_of(device, cl::CL_DEVICE_IMAGE_SUPPORT).ok(),
        pipes: bool_of(device, cl::CL_DEVICE_PIPE_SUPPORT).ok(),
        enqueues: enqueues.ok().map(|capabilities| capabilities & 1 != 0),
        full: text_of(device, cl::CL_DEVICE_PROFILE)
            .ok()
            .map(|profile| profile == "FULL_PROFILE"),
    }
}
