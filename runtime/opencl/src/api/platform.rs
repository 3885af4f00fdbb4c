//! Platforms (`opencl_platform_layer`, Querying Platform Info).

use opencl_sys::*;

use super::entry::entry_points;
use crate::ffi::{ensure, raw};
use crate::object;
use crate::platform::{self, query};

entry_points! {
    /// Lists the platforms.
    status fn clGetPlatformIDs also clIcdGetPlatformIDsKHR(
        num_entries: cl_uint, platforms: *mut cl_platform_id, num_platforms: *mut cl_uint,
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
    query fn clGetPlatformInfo(platform: cl_platform_id, param_name: cl_platform_info) {
        platform::find_platform(platform)?;
        query::platform_info(param_name)
    }
}
