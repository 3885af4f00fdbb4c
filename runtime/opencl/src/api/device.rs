//! Devices (`opencl_platform_layer`, Querying Devices, Partitioning a Device).

use std::sync::Arc;

use opencl_sys::*;

use super::device_of;
use super::entry::entry_points;
use crate::ffi::{Result, ensure, raw};
use crate::object;
use crate::platform::partition::Scheme;
use crate::platform::profile::{self, Feature};
use crate::platform::{self, Device, query};

entry_points! {
    /// Lists the devices of a type.
    status fn clGetDeviceIDs(
        platform: cl_platform_id, device_type: cl_device_type, num_entries: cl_uint,
        devices: *mut cl_device_id, num_devices: *mut cl_uint,
    ) {
        platform::find_platform(platform)?;
        let matching = devices_of_type(device_type)?;
        ensure!(devices.is_null() || num_entries != 0, CL_INVALID_VALUE);
        ensure!(!(devices.is_null() && num_devices.is_null()), CL_INVALID_VALUE);
        ensure!(!matching.is_empty(), CL_DEVICE_NOT_FOUND);
        // SAFETY: the list has room for `num_entries`; the application vouches for its pointers.
        unsafe {
            raw::put_all(devices, num_entries as usize, matching.iter().map(object::handle));
            raw::put(num_devices, matching.len() as cl_uint);
        }
        Ok(())
    }

    /// Answers a query about a device.
    query fn clGetDeviceInfo(device: cl_device_id, param_name: cl_device_info) {
        let device = device_of(device)?;
        query::device_info(&device, param_name)
    }

    /// Reads both clocks, which are one.
    status fn clGetDeviceAndHostTimer(
        device: cl_device_id, device_timestamp: *mut cl_ulong,
        host_timestamp: *mut cl_ulong,
    ) {
        device_of(device)?;
        profile::require(Feature::HostTimer)?;
        ensure!(!device_timestamp.is_null() && !host_timestamp.is_null(), CL_INVALID_VALUE);
        let now = crate::clock::now();
        // SAFETY: neither is null, and the application vouches for them.
        unsafe {
            raw::put(device_timestamp, now);
            raw::put(host_timestamp, now);
        }
        Ok(())
    }

    /// Reads the host clock.
    status fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) {
        device_of(device)?;
        profile::require(Feature::HostTimer)?;
        ensure!(!host_timestamp.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for it.
        unsafe { raw::put(host_timestamp, crate::clock::now()) };
        Ok(())
    }

    /// Partitions a device into sub-devices.
    status fn clCreateSubDevices(
        in_device: cl_device_id, properties: *const cl_device_partition_property,
        num_devices: cl_uint, out_devices: *mut cl_device_id, num_devices_ret: *mut cl_uint,
    ) {
        let device = device_of(in_device)?;
        // SAFETY: the application vouches for its list.
        let scheme = unsafe { Scheme::read(properties)? };
        let count = scheme.parts(&device)?.len();
        ensure!(out_devices.is_null() || num_devices as usize >= count, CL_INVALID_VALUE);
        if !out_devices.is_null() {
            let parts = scheme.split(&device)?;
            // SAFETY: the list has room for as many as there are.
            unsafe { raw::put_all(out_devices, count, parts.iter().map(object::publish)) };
        }
        // SAFETY: the application vouches for its pointer.
        unsafe { raw::put(num_devices_ret, count as cl_uint) };
        Ok(())
    }

    /// Retains a sub-device; a root device does not count references.
    status fn clRetainDevice also clRetainDeviceEXT(device: cl_device_id) {
        match device_of(device)?.parent {
            Some(_) => object::retain::<Device>(device),
            None => Ok(()),
        }
    }

    /// Releases a sub-device; a root device does not count references.
    status fn clReleaseDevice also clReleaseDeviceEXT(device: cl_device_id) {
        match device_of(device)?.parent {
            Some(_) => object::release::<Device>(device).map(drop),
            None => Ok(()),
        }
    }
}

/// The devices that a type selects.
///
/// # Errors
/// `CL_INVALID_DEVICE_TYPE`.
pub(super) fn devices_of_type(device_type: cl_device_type) -> Result<Vec<Arc<Device>>> {
    let known = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    let all = device_type == CL_DEVICE_TYPE_ALL;
    ensure!(
        all || (device_type != 0 && device_type & !known == 0),
        CL_INVALID_DEVICE_TYPE
    );
    let devices = platform::devices();
    Ok(if all || device_type & CL_DEVICE_TYPE_CPU != 0 {
        devices.to_vec()
    } else if device_type & CL_DEVICE_TYPE_DEFAULT != 0 {
        devices.iter().take(1).cloned().collect()
    } else {
        Vec::new()
    })
}
