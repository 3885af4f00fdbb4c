//! Pipes (`opencl_runtime_layer`, Pipes).

use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::ensure;
use crate::memory::Pipe;
use crate::object;
use crate::platform::profile::{self, Feature};

entry_points! {
    /// Makes a pipe.
    create fn clCreatePipe(
        context: cl_context, flags: cl_mem_flags, pipe_packet_size: cl_uint,
        pipe_max_packets: cl_uint, properties: *const cl_pipe_properties,
    ) -> cl_mem {
        let context = object::find::<Context>(context)?;
        ensure!(profile::has(Feature::Pipes), CL_INVALID_OPERATION);
        ensure!(properties.is_null(), CL_INVALID_VALUE);
        let pipe = Pipe::new(context, flags, pipe_packet_size, pipe_max_packets)?;
        Ok(object::publish(&pipe))
    }

    /// Answers a query about a pipe.
    query fn clGetPipeInfo(pipe: cl_mem, param_name: cl_pipe_info) {
        object::find::<Pipe>(pipe)?.pipe_info(param_name)
    }
}
