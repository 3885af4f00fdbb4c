//! The platform and its devices: what they are and what they report.
//!
//! The platform and its root devices are made once, on first use, and live as long as the
//! process; sub-devices ([`partition`]) come and go. What a device reports is in
//! [`limits`] (sizes and counts), [`capabilities`] (what is supported), [`identity`] (which one it
//! is) and [`query`] (the answers to `clGetDeviceInfo`).
//!
//! `TOUCHSTONE_DEVICES` says how many root devices there are. They are alike, and each has
//! threads and program-scope variables of its own, so that rules about several devices
//! have something to hold between.

pub mod capabilities;
pub mod float_atomics;
pub mod identity;
pub mod limits;
pub mod partition;
pub mod profile;
pub mod query;
mod spirv;

use std::io::Write;
use std::num::{NonZeroU16, NonZeroUsize};
use std::sync::{Arc, LazyLock, OnceLock};

use opencl_sys::{cl_device_partition_property, cl_platform_id};
use touchstone_exec::Pool;

use crate::environment;
use crate::ffi::{Result, ensure};
use crate::object::{self, Header, object};
use identity::Uuid;
use limits::Limits;

/// The platform.
#[repr(C)]
pub struct Platform {
    header: Header<Self>,
}
object!(Platform, CL_INVALID_PLATFORM);

/// A device: some of the host's processor cores, used through the executors.
#[repr(C)]
pub struct Device {
    header: Header<Self>,
    /// The sizes and counts it reports and keeps to.
    pub limits: Limits,
    /// Its identifier, the same in every process.
    pub uuid: Uuid,
    /// The device it is a part of; none for a root device.
    pub parent: Option<Arc<Device>>,
    /// How it was made from its parent, as the application said it; empty for a root.
    pub partition: Vec<cl_device_partition_property>,
    /// Its threads, which start with its first kernel.
    pool: OnceLock<Pool>,
}
object!(Device, CL_INVALID_DEVICE);

impl Device {
    fn root(limits: Limits, number: u16) -> Arc<Self> {
        Arc::new(Self {
            header: Header::default(),
            limits,
            uuid: Uuid::of_root(number),
            parent: None,
            partition: Vec::new(),
            pool: OnceLock::new(),
        })
    }

    /// The threads that run its work-groups: as many as it has compute units, shared by
    /// all its queues and by no other device. A sub-device has threads of its own, so a
    /// command on it never runs on more than its share.
    pub fn pool(&self) -> &Pool {
        self.pool.get_or_init(|| {
            Pool::new(NonZeroUsize::new(self.limits.compute_units).unwrap_or(NonZeroUsize::MIN))
        })
    }
}

static PLATFORM: LazyLock<Arc<Platform>> = LazyLock::new(|| {
    let platform = Arc::new(Platform {
        header: Header::default(),
    });
    object::publish(&platform);
    platform
});

static DEVICES: LazyLock<Vec<Arc<Device>>> = LazyLock::new(|| {
    if check_faults().is_err() {
        return Vec::new();
    }
    let limits = Limits::of_this_machine();
    let roots = (0..device_count()).map(|n| Device::root(limits.clone(), n));
    let roots: Vec<_> = roots.collect();
    for root in &roots {
        object::publish(root);
    }
    roots
});

/// `TOUCHSTONE_DEVICES`: 1 to 65535; 1 when it is not set or no such number.
fn device_count() -> u16 {
    environment::number("TOUCHSTONE_DEVICES").map_or(1, NonZeroU16::get)
}

/// Turns on the faults that the environment names and reads the profile, once; says on standard error
/// what is wrong with either.
///
/// # Errors
/// `CL_PLATFORM_NOT_FOUND_KHR` then.
pub fn check_faults() -> Result<()> {
    static READ: LazyLock<bool> = LazyLock::new(|| {
        let profile = profile::check().map_err(str::to_owned);
        match touchstone_faults::read_environment().and(profile) {
            Ok(()) => true,
            Err(sentence) => {
                // Where standard error is closed there is nowhere to report to.
                let _ = writeln!(std::io::stderr(), "touchstone: {sentence}");
                false
            }
        }
    });
    ensure!(*READ, CL_PLATFORM_NOT_FOUND_KHR);
    Ok(())
}

/// The one platform.
pub fn platform() -> &'static Arc<Platform> {
    &PLATFORM
}

/// The root devices of the platform; the first is the default one.
pub fn devices() -> &'static [Arc<Device>] {
    &DEVICES
}

/// The platform behind a handle. Null, whose meaning the specification leaves to the
/// implementation, is the one platform.
///
/// # Errors
/// `CL_INVALID_PLATFORM`.
pub fn find_platform(handle: cl_platform_id) -> Result<Arc<Platform>> {
    ensure!(check_faults().is_ok(), CL_INVALID_PLATFORM);
    if handle.is_null() {
        return Ok(Arc::clone(platform()));
    }
    platform();
    object::find(handle)
}
