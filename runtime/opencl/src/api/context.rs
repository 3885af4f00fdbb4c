//! Contexts (`opencl_platform_layer`, Contexts).

use std::ffi::c_void;

use opencl_sys::*;

use super::device::devices_of_type;
use super::devices_of;
use super::entry::entry_points;
use crate::callback::UserData;
use crate::context::{Context, ErrorFn, check_properties};
use crate::destructors::DestructorFn;
use crate::ffi::{Error, ensure, raw};
use crate::object;
use crate::platform::profile::{self, Version};

entry_points! {
    /// Makes a context for a list of devices.
    create fn clCreateContext(
        properties: *const cl_context_properties, num_devices: cl_uint,
        devices: *const cl_device_id, pfn_notify: Option<ErrorFn>, user_data: *mut c_void,
    ) -> cl_context {
        // SAFETY: the application vouches for its list.
        let properties = unsafe { raw::property_list(properties) };
        check_properties(&properties)?;
        ensure!(!devices.is_null() && num_devices != 0, CL_INVALID_VALUE);
        ensure!(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the length.
        let devices = devices_of(unsafe { raw::slice(devices, num_devices as usize) })?;
        let notify = pfn_notify.map(|notify| (notify, UserData::new(user_data)));
        Ok(object::publish(&Context::new(devices, properties, notify)))
    }

    /// Makes a context for the devices of a type.
    create fn clCreateContextFromType(
        properties: *const cl_context_properties, device_type: cl_device_type,
        pfn_notify: Option<ErrorFn>, user_data: *mut c_void,
    ) -> cl_context {
        // SAFETY: the application vouches for its list.
        let properties = unsafe { raw::property_list(properties) };
        check_properties(&properties)?;
        ensure!(pfn_notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
        let devices = devices_of_type(device_type)?;
        let notify = pfn_notify.map(|notify| (notify, UserData::new(user_data)));
        ensure!(!devices.is_empty(), CL_DEVICE_NOT_FOUND);
        Ok(object::publish(&Context::new(devices, properties, notify)))
    }

    references clRetainContext clReleaseContext(cl_context): Context;

    /// Answers a query about a context.
    query fn clGetContextInfo(context: cl_context, param_name: cl_context_info) {
        let context = object::find::<Context>(context)?;
        context.info(param_name)
    }

    /// Registers a callback for the deletion of a context.
    status fn clSetContextDestructorCallback(
        context: cl_context, pfn_notify: Option<DestructorFn>, user_data: *mut c_void,
    ) {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        let notify = pfn_notify.ok_or(Error(CL_INVALID_VALUE))?;
        context.on_destruction(notify, UserData::new(user_data));
        Ok(())
    }
}
