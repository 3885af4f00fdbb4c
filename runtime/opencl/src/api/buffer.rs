//! Buffers (`opencl_runtime_layer`, Buffer Objects).

use std::ffi::c_void;

use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::{ensure, raw};
use crate::memory::Buffer;
use crate::object;
use crate::platform::profile::{self, Version};

entry_points! {
    /// Makes a buffer.
    create fn clCreateBuffer(
        context: cl_context, flags: cl_mem_flags, size: usize, host_ptr: *mut c_void,
    ) -> cl_mem {
        let context = object::find::<Context>(context)?;
        let _locks = crate::queue::broken::locks(true);
        // SAFETY: the application vouches for its pointer.
        let buffer = unsafe { Buffer::new(context, Vec::new(), flags, size, host_ptr)? };
        Ok(object::publish(&buffer))
    }

    /// Makes a buffer with properties, of which none is defined.
    create fn clCreateBufferWithProperties(
        context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags,
        size: usize, host_ptr: *mut c_void,
    ) -> cl_mem {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        // SAFETY: the application vouches for its list and its pointer.
        let buffer = unsafe {
            let properties = raw::property_list(properties);
            Buffer::new(context, properties, flags, size, host_ptr)?
        };
        Ok(object::publish(&buffer))
    }

    /// Makes a sub-buffer.
    create fn clCreateSubBuffer(
        buffer: cl_mem, flags: cl_mem_flags, buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void,
    ) -> cl_mem {
        let buffer = object::find::<Buffer>(buffer)?;
        ensure!(buffer_create_type == CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE);
        ensure!(!buffer_create_info.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and of the type that the creation type says.
        let region = unsafe { buffer_create_info.cast::<cl_buffer_region>().read_unaligned() };
        Ok(object::publish(&buffer.part(flags, region)?))
    }
}
