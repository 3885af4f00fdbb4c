//! Platforms (`opencl_platform_layer`, Querying Platform Info).

use std::ffi::c_void;

use opencl_sys::*;

use crate::ffi::entry::entry_points;
use crate::ffi::{ensure, raw};
use crate::object;
use crate::platform::{self, query};

entry_points! {
    /// Lists the platforms.
    status fn clGetPlatformIDs(
        num_entries: cl_uint,
        platforms: *mut cl_platform_id,
        num_platforms: *mut cl_uint,
    ) {
        ensure!(platforms.is_null() || num_entries != 0, CL_INVALID_VALUE);
        ensure!(!(platforms.is_null() && num_platforms.is_null()), CL_INVALID_VALUE);
        platform::check_faults()?;
        // SAFETY: the list has room for at least one entry, if there is one.
        unsafe {
            raw::put(platforms, object::handle(platform::platform()));
            raw::put(num_platforms, 1);
        }
        Ok(())
    }

    /// Answers a query about a platform.
    status fn clGetPlatformInfo(
        platform: cl_platform_id,
        param_name: cl_platform_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) {
        platform::find_platform(platform)?;
        let answer = query::platform_info(param_name)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { answer.deliver(param_value_size, param_value, param_value_size_ret) }
    }
}
