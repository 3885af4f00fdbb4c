//! Images and samplers as arguments: what may be one, and the description that a kernel gets of an image.

use std::sync::{Arc, Weak};

use opencl_sys::*;
use touchstone_faults::{Fault, on};
use touchstone_ir::{ImageAccess, ImageKind};

use super::Kernel;
use super::args::Value;
use crate::ffi::{Error, Result, ensure};
use crate::memory::Image;
use crate::memory::image::format::{Channel, Format, Order};
use crate::memory::image::geometry::Kind;
use crate::object;
use crate::platform::Device;
use crate::sampler::Sampler;

/// `struct image` of the library of `clc`, in words of eight bytes.
pub type Description = Arc<[u64; 7]>;

/// Depths of 16 bits.
const SHORT_DEPTH: Format = Format {
    order: Order::Depth,
    channel: Channel::Unorm16,
};

/// The kind of a memory object that an argument of a kind takes.
const fn kind_of(kind: ImageKind) -> Kind {
    match kind {
        ImageKind::D1 => Kind::D1,
        ImageKind::D1Buffer => Kind::D1Buffer,
        ImageKind::D1Array => Kind::D1Array,
        ImageKind::D2 | ImageKind::D2Depth => Kind::D2,
        ImageKind::D2Array | ImageKind::D2ArrayDepth => Kind::D2Array,
        ImageKind::D3 => Kind::D3,
    }
}

impl Kernel {
    /// The value of an argument that is an image.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT` for what is no image and for one of another kind; `CL_INVALID_ARG_VALUE` for one
    /// whose flags forbid what the argument is declared for; `CL_INVALID_CONTEXT`.
    pub(super) fn image_value(
        &self,
        (kind, access): (ImageKind, ImageAccess),
        handle: cl_mem,
    ) -> Result<Value> {
        let image: Arc<Image> = object::find(handle)?;
        ensure!(
            Arc::ptr_eq(image.context(), self.context()),
            CL_INVALID_CONTEXT
        );
        ensure!(
            image.geometry().kind == kind_of(kind),
            CL_INVALID_MEM_OBJECT
        );
        // "If the kernel argument is a 2D depth image, then the image memory object must be of image type
        // CL_MEM_OBJECT_IMAGE2D and image channel order CL_DEPTH." Of others no order is demanded.
        ensure!(
            !kind.has_depth() || image.format().order == Order::Depth,
            CL_INVALID_MEM_OBJECT
        );
        let flags = image.flags();
        let forbidden = access.reads() && flags & CL_MEM_WRITE_ONLY != 0
            || access.writes() && flags & CL_MEM_READ_ONLY != 0;
        ensure!(!forbidden, CL_INVALID_ARG_VALUE);
        Ok(Value::Image(Arc::downgrade(&image)))
    }

    /// The value of an argument that is a sampler.
    ///
    /// # Errors
    /// `CL_INVALID_SAMPLER`, `CL_INVALID_CONTEXT`.
    pub(super) fn sampler_value(&self, handle: cl_sampler) -> Result<Value> {
        let sampler: Arc<Sampler> = object::find(handle)?;
        ensure!(
            Arc::ptr_eq(&sampler.context, self.context()),
            CL_INVALID_CONTEXT
        );
        Ok(Value::Bytes(sampler.bits().to_ne_bytes().to_vec()))
    }
}

/// The image of an argument, if it is still there.
///
/// # Errors
/// `CL_INVALID_KERNEL_ARGS`.
pub fn upgraded(image: &Weak<Image>) -> Result<Arc<Image>> {
    image.upgrade().ok_or(Error(CL_INVALID_KERNEL_ARGS))
}

/// The description of an image for a kernel on a device.
///
/// # Errors
/// `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
pub fn description(image: &Image, device: &Device) -> Result<Description> {
    let geometry = image.geometry();
    let spatial = match geometry.kind {
        Kind::D1 | Kind::D1Buffer | Kind::D1Array => 1,
        Kind::D2 | Kind::D2Array => 2,
        Kind::D3 => 3,
    };
    let mut code = image.format().code();
    if image.format() == SHORT_DEPTH && on(Fault::DepthSigned) {
        code.image_channel_data_type = CL_SNORM_INT16;
    }
    let [width, height, depth] = geometry.sides;
    let [row, slice] = geometry.strides();
    // Two words of four bytes in one of eight.
    let pair = |low: usize, high: usize| {
        let mut bytes = [0; 8];
        for (to, half) in bytes.chunks_exact_mut(4).zip([low, high]) {
            to.copy_from_slice(&(half as u32).to_ne_bytes());
        }
        u64::from_ne_bytes(bytes)
    };
    Ok(Arc::new([
        image.store().address(device)? as u64,
        row as u64,
        slice as u64,
        pair(width, height),
        pair(depth, spatial),
        pair(geometry.element, code.image_channel_order as usize),
        pair(code.image_channel_data_type as usize, 0),
    ]))
}
