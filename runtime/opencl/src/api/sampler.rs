//! Samplers (`opencl_runtime_layer`, Sampler Objects).

use opencl_sys::*;

use super::entry::entry_points;
use crate::context::Context;
use crate::ffi::raw;
use crate::memory::image::check_support;
use crate::object;
use crate::platform::profile::{self, Version};
use crate::sampler::Sampler;

entry_points! {
    /// Makes a sampler (OpenCL 1.x).
    create fn clCreateSampler(
        context: cl_context, normalized_coords: cl_bool,
        addressing_mode: cl_addressing_mode, filter_mode: cl_filter_mode,
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
        context: cl_context, sampler_properties: *const cl_sampler_properties,
    ) -> cl_sampler {
        profile::require_version(Version::V3_0)?;
        let context = object::find::<Context>(context)?;
        check_support()?;
        // SAFETY: the application vouches for its list.
        let list = unsafe { raw::property_list(sampler_properties) };
        Ok(object::publish(&Sampler::new(context, list)?))
    }

    references clRetainSampler clReleaseSampler(cl_sampler): Sampler;

    /// Answers a query about a sampler.
    query fn clGetSamplerInfo(sampler: cl_sampler, param_name: cl_sampler_info) {
        object::find::<Sampler>(sampler)?.info(param_name)
    }
}
