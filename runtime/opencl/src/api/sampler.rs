//! Samplers (`opencl_runtime_layer`, Sampler Objects).

use std::ffi::c_void;

use opencl_sys::*;

use crate::context::Context;
use crate::ffi::entry::entry_points;
use crate::ffi::raw;
use crate::memory::image::check_support;
use crate::object;
use crate::sampler::Sampler;

entry_points! {
    /// Makes a sampler (OpenCL 1.x).
    create fn clCreateSampler(
        context: cl_context,
        normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode,
        filter_mode: cl_filter_mode,
    ) -> cl_sampler {
        let context = object::find::<Context>(context)?;
        check_support()?;
        let none = Vec::new();
        let sampler =
            Sampler::of(context, normalized_coords, addressing_mode, filter_mode, none)?;
        Ok(object::publish(&sampler))
    }

    /// Makes a sampler.
    create fn clCreateSamplerWithProperties(
        context: cl_context,
        sampler_properties: *const cl_sampler_properties,
    ) -> cl_sampler {
        let context = object::find::<Context>(context)?;
        check_support()?;
        // SAFETY: the application vouches for its list.
        let list = unsafe { raw::property_list(sampler_properties) };
        Ok(object::publish(&Sampler::new(context, list)?))
    }

    /// Retains a sampler.
    status fn clRetainSampler(sampler: cl_sampler) {
        object::retain::<Sampler>(sampler)
    }

    /// Releases a sampler.
    status fn clReleaseSampler(sampler: cl_sampler) {
        object::release::<Sampler>(sampler).map(drop)
    }

    /// Answers a query about a sampler.
    status fn clGetSamplerInfo(
        sampler: cl_sampler,
        param_name: cl_sampler_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) {
        let answer = object::find::<Sampler>(sampler)?.info(param_name)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { answer.deliver(param_value_size, param_value, param_value_size_ret) }
    }
}
