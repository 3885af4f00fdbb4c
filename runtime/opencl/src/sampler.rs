//! Samplers: how a kernel reads between and beyond the elements of an image.

use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use crate::context::Context;
use crate::ffi::answer::Answer;
use crate::ffi::{Error, Result, ensure, raw};
use crate::object::{self, Header, object};

/// A sampler.
#[repr(C)]
pub struct Sampler {
    header: Header<Self>,
    /// Its context.
    pub context: Arc<Context>,
    normalized: bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    /// As given, the final zero included; empty when no list was given.
    properties: Vec<cl_sampler_properties>,
}
object!(Sampler, CL_INVALID_SAMPLER);

impl Sampler {
    /// Makes a sampler from a property list; what it does not name is the default.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn new(context: Arc<Context>, list: Vec<cl_sampler_properties>) -> Result<Arc<Self>> {
        let mut normalized = None;
        let mut addressing = None;
        let mut filter = None;
        for (key, value) in raw::pairs(&list) {
            let place = match cl_sampler_info::try_from(key) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => &mut normalized,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => &mut addressing,
                Ok(CL_SAMPLER_FILTER_MODE) => &mut filter,
                Ok(_) | Err(_) => return Err(Error(CL_INVALID_VALUE)),
            };
            ensure!(place.is_none(), CL_INVALID_VALUE);
            *place = Some(u32::try_from(value).map_err(|_| Error(CL_INVALID_VALUE))?);
        }
        let normalized = normalized.unwrap_or(CL_TRUE);
        let unnamed = match on(Fault::SamplerDefaultEdge) {
            true => CL_ADDRESS_CLAMP_TO_EDGE,
            false => CL_ADDRESS_CLAMP,
        };
        let addressing = addressing.unwrap_or(unnamed);
        let filter = filter.unwrap_or(CL_FILTER_NEAREST);
        Self::of(context, normalized, addressing, filter, list)
    }

    /// Makes a sampler from its three values.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn of(
        context: Arc<Context>,
        normalized: cl_bool,
        addressing: cl_addressing_mode,
        filter: cl_filter_mode,
        properties: Vec<cl_sampler_properties>,
    ) -> Result<Arc<Self>> {
        let modes = [
            CL_ADDRESS_NONE,
            CL_ADDRESS_CLAMP_TO_EDGE,
            CL_ADDRESS_CLAMP,
            CL_ADDRESS_REPEAT,
            CL_ADDRESS_MIRRORED_REPEAT,
        ];
        ensure!(
            normalized == CL_TRUE || normalized == CL_FALSE,
            CL_INVALID_VALUE
        );
        ensure!(modes.contains(&addressing), CL_INVALID_VALUE);
        let filters = [CL_FILTER_NEAREST, CL_FILTER_LINEAR];
        ensure!(filters.contains(&filter), CL_INVALID_VALUE);
        Ok(Arc::new(Self {
            header: Header::default(),
            context,
            normalized: normalized == CL_TRUE,
            addressing,
            filter,
            properties,
        }))
    }

    /// Its properties as a kernel gets them: the bits of OpenCL C's constants, which are
    /// `CLK_NORMALIZED_COORDS_TRUE` 1, the addressing modes in the order of their codes 0, 2, 4, 6, 8, and
    /// `CLK_FILTER_NEAREST` 16 and `CLK_FILTER_LINEAR` 32.
    pub fn bits(&self) -> u32 {
        let addressing = 2 * (self.addressing - CL_ADDRESS_NONE);
        let filter = 16 << (self.filter - CL_FILTER_NEAREST);
        u32::from(self.normalized) | addressing | filter
    }

    /// One query.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for an unknown name.
    pub fn info(self: &Arc<Self>, name: cl_sampler_info) -> Result<Answer> {
        Ok(match name {
            CL_SAMPLER_REFERENCE_COUNT => Answer::of(object::references(self)),
            CL_SAMPLER_CONTEXT => Answer::of(object::handle(&self.context)),
            CL_SAMPLER_NORMALIZED_COORDS => Answer::boolean(self.normalized),
            CL_SAMPLER_ADDRESSING_MODE => Answer::of(self.addressing),
            CL_SAMPLER_FILTER_MODE => Answer::of(self.filter),
            CL_SAMPLER_PROPERTIES => Answer::list(self.properties.iter().copied()),
            _ => return Err(Error(CL_INVALID_VALUE)),
        })
    }
}
