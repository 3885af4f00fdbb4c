//! Pipes, which the device does not have.

use std::ffi::c_void;

use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::Error;
use crate::object;

entry_points! {
    /// Makes a pipe.
    create fn clCreatePipe(
        context: cl_context, _flags: cl_mem_flags, _pipe_packet_size: cl_uint,
        _pipe_max_packets: cl_uint, _properties: *const cl_pipe_properties,
    ) -> cl_mem {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Answers a query about a pipe.
    status fn clGetPipeInfo(
        _pipe: cl_mem, _param_name: cl_pipe_info, _param_value_size: usize,
        _param_value: *mut c_void, _param_value_size_ret: *mut usize,
    ) {
        Err(Error(CL_INVALID_MEM_OBJECT))
    }
}
