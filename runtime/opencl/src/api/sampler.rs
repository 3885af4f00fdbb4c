//! Samplers. The device has no images, so there can be none.

use std::ffi::c_void;

use opencl_sys::*;

use crate::context::Context;
use crate::edge::Error;
use crate::edge::entry::entry_points;
use crate::object;

entry_points! {
    /// Makes a sampler (OpenCL 1.x).
    create fn clCreateSampler(
        context: cl_context,
        _normalized_coords: cl_bool,
        _addressing_mode: cl_addressing_mode,
        _filter_mode: cl_filter_mode,
    ) -> cl_sampler {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Makes a sampler.
    create fn clCreateSamplerWithProperties(
        context: cl_context,
        _sampler_properties: *const cl_sampler_properties,
    ) -> cl_sampler {
        object::find::<Context>(context)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Retains a sampler.
    status fn clRetainSampler(_sampler: cl_sampler) {
        Err(Error(CL_INVALID_SAMPLER))
    }

    /// Releases a sampler.
    status fn clReleaseSampler(_sampler: cl_sampler) {
        Err(Error(CL_INVALID_SAMPLER))
    }

    /// Answers a query about a sampler.
    status fn clGetSamplerInfo(
        _sampler: cl_sampler,
        _param_name: cl_sampler_info,
        _param_value_size: usize,
        _param_value: *mut c_void,
        _param_value_size_ret: *mut usize,
    ) {
        Err(Error(CL_INVALID_SAMPLER))
    }
}
