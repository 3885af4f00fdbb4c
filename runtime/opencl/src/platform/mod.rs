//! The platform and its device: what they are and what they report.
//!
//! Both are made once, on first use, and live as long as the process. What the device
//! reports is in [`limits`] (sizes and counts), [`capabilities`] (what is supported) and
//! [`query`] (the answers to `clGetDeviceInfo`).

pub mod capabilities;
pub mod limits;
pub mod query;

use std::sync::{Arc, LazyLock};

use opencl_sys::cl_platform_id;

use crate::edge::Result;
use crate::object::{self, Header, object};
use limits::Limits;

/// The platform.
#[repr(C)]
pub struct Platform {
    header: Header<Self>,
}
object!(Platform, CL_INVALID_PLATFORM);

/// A device: the host's processor cores, used through the executors.
#[repr(C)]
pub struct Device {
    header: Header<Self>,
    /// The sizes and counts it reports and keeps to.
    pub limits: Limits,
}
object!(Device, CL_INVALID_DEVICE);

static PLATFORM: LazyLock<Arc<Platform>> = LazyLock::new(|| {
    let platform = Arc::new(Platform {
        header: Header::default(),
    });
    object::publish(&platform);
    platform
});

static DEVICE: LazyLock<Arc<Device>> = LazyLock::new(|| {
    let device = Arc::new(Device {
        header: Header::default(),
        limits: Limits::of_this_machine(),
    });
    object::publish(&device);
    device
});

/// The one platform.
pub fn platform() -> &'static Arc<Platform> {
    &PLATFORM
}

/// The devices of the platform.
pub fn devices() -> &'static [Arc<Device>] {
    std::slice::from_ref(&*DEVICE)
}

/// The platform behind a handle. Null, whose meaning the specification leaves to the
/// implementation, is the one platform.
///
/// # Errors
/// `CL_INVALID_PLATFORM`.
pub fn find_platform(handle: cl_platform_id) -> Result<Arc<Platform>> {
    if handle.is_null() {
        return Ok(Arc::clone(platform()));
    }
    platform();
    object::find(handle)
}
