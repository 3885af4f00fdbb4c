//! Images and samplers: made, moved and looked at.

use super::super::setup::SetupError;
use super::Named;
use super::ask::code;
use super::memory::release;
use cl3::command_queue as queue;
use cl3::memory as mem;
use cl3::types::{
    cl_command_queue, cl_context, cl_image_desc, cl_image_format, cl_mem, cl_sampler,
};
use classay_suites::kernels::case::{ObjectId, Place};
use classay_suites::kernels::image::{self, Addressing, Channel, Image, Order, Shape, Spot};
use classay_suites::kernels::transfer::{Corner, Transfer};
use std::ffi::c_void;
use std::ptr;

fn format_of(image: Image) -> cl_image_format {
    cl_image_format {
        image_channel_order: match image.format.order {
            Order::R => mem::CL_R,
            Order::Rg => mem::CL_RG,
            Order::Rgba => mem::CL_RGBA,
            Order::Bgra => mem::CL_BGRA,
        },
        image_channel_data_type: match image.format.channel {
            Channel::Unorm8 => mem::CL_UNORM_INT8,
            Channel::Unorm16 => mem::CL_UNORM_INT16,
            Channel::Snorm8 => mem::CL_SNORM_INT8,
            Channel::Snorm16 => mem::CL_SNORM_INT16,
            Channel::Signed8 => mem::CL_SIGNED_INT8,
            Channel::Signed16 => mem::CL_SIGNED_INT16,
            Channel::Signed32 => mem::CL_SIGNED_INT32,
            Channel::Unsigned8 => mem::CL_UNSIGNED_INT8,
            Channel::Unsigned16 => mem::CL_UNSIGNED_INT16,
            Channel::Unsigned32 => mem::CL_UNSIGNED_INT32,
            Channel::Half => mem::CL_HALF_FLOAT,
            Channel::Float => mem::CL_FLOAT,
        },
    }
}

fn kind_of(image: Image) -> u32 {
    match image.shape {
        Shape::Line(_) => mem::CL_MEM_OBJECT_IMAGE1D,
        Shape::Plane(..) => mem::CL_MEM_OBJECT_IMAGE2D,
        Shape::Block(..) => mem::CL_MEM_OBJECT_IMAGE3D,
        Shape::Lines(..) => mem::CL_MEM_OBJECT_IMAGE1D_ARRAY,
        Shape::Planes(..) => mem::CL_MEM_OBJECT_IMAGE2D_ARRAY,
    }
}

/// Whether the implementation lists the format for images that kernels may read and write: which it
/// offers beyond a few is its own affair.
pub fn offered(context: cl_context, image: Image) -> Result<bool, SetupError> {
    let formats = mem::get_supported_image_formats(context, mem::CL_MEM_READ_WRITE, kind_of(image))
        .of("clGetSupportedImageFormats")?;
    let wanted = format_of(image);
    Ok(formats.iter().any(|format| {
        format.image_channel_order == wanted.image_channel_order
            && format.image_channel_data_type == wanted.image_channel_data_type
    }))
}

/// An image with its first contents, as many bytes as it has.
pub fn make(
    context: cl_context,
    image: Image,
    flags: u64,
    contents: &mut [u8],
) -> Result<cl_mem, SetupError> {
    let format = format_of(image);
    let [width, height, depth] = image.shape.size();
    // Members that have no meaning for a type are zero.
    let (height, depth, layers) = match image.shape {
        Shape::Line(_) => (0, 0, 0),
        Shape::Plane(..) => (height, 0, 0),
        Shape::Block(..) => (height, depth, 0),
        Shape::Lines(..) => (0, 0, height),
        Shape::Planes(..) => (height, 0, depth),
    };
    let description = cl_image_desc {
        image_type: kind_of(image),
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: layers,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: ptr::null_mut(),
    };
    // SAFETY: the contents have the bytes of all elements, and are copied by the call.
    unsafe {
        mem::create_image(
            context,
            flags,
            &raw const format,
            &raw const description,
            contents.as_mut_ptr().cast(),
        )
    }
    .of("clCreateImage")
}

/// All bytes of an image, as many as `seen` has.
pub fn look(
    to: cl_command_queue,
    handle: cl_mem,
    image: Image,
    seen: &mut [u8],
) -> Result<(), SetupError> {
    let (origin, region) = ([0usize; 3], image.shape.size());
    // SAFETY: `seen` has the bytes of all elements without gaps, and the read blocks.
    let event = unsafe {
        queue::enqueue_read_image(
            to,
            handle,
            1,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            seen.as_mut_ptr().cast(),
            0,
            ptr::null(),
        )
    };
    release(event.of("clEnqueueReadImage")?);
    Ok(())
}

/// A sampler that is given up with it.
pub struct Sampler(cl_sampler);

impl Sampler {
    /// A sampler.
    pub fn make(context: cl_context, sampler: image::Sampler) -> Result<Sampler, SetupError> {
        use cl3::sampler as cl;
        let addressing = match sampler.addressing {
            Addressing::None => mem::CL_ADDRESS_NONE,
            Addressing::ClampToEdge => mem::CL_ADDRESS_CLAMP_TO_EDGE,
            Addressing::Clamp => mem::CL_ADDRESS_CLAMP,
            Addressing::Repeat => mem::CL_ADDRESS_REPEAT,
            Addressing::MirroredRepeat => mem::CL_ADDRESS_MIRRORED_REPEAT,
        };
        let filter = if sampler.linear {
            mem::CL_FILTER_LINEAR
        } else {
            mem::CL_FILTER_NEAREST
        };
        let list = [
            u64::from(cl::CL_SAMPLER_NORMALIZED_COORDS),
            u64::from(sampler.normalized),
            u64::from(cl::CL_SAMPLER_ADDRESSING_MODE),
            u64::from(addressing),
            u64::from(cl::CL_SAMPLER_FILTER_MODE),
            u64::from(filter),
            0,
        ];
        cl::create_sampler_with_properties(context, list.as_ptr())
            .of("clCreateSamplerWithProperties")
            .map(Sampler)
    }

    /// Its handle.
    pub fn handle(&self) -> cl_sampler {
        self.0
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: the sampler is ours, and not used after this; what is enqueued keeps it.
        let _ = unsafe { cl3::sampler::release_sampler(self.0) };
    }
}

/// Where transfers of images go, and what the objects of the case are.
pub struct Moving<'a> {
    /// The queue.
    pub queue: cl_command_queue,
    /// 1 where calls block.
    pub block: u32,
    /// The handle of a buffer or image.
    pub handle: &'a dyn Fn(ObjectId) -> cl_mem,
    /// An image.
    pub image: &'a dyn Fn(ObjectId) -> Option<Image>,
    /// An address of the host.
    pub pointer: &'a dyn Fn(Place) -> *mut c_void,
}

impl Moving<'_> {
    /// Makes a transfer of images: the function that was called, and its code.
    ///
    /// # Safety
    /// The case is valid: what is moved lies in objects that live until the queue is finished, and the
    /// host's memory is touched by nothing else before that.
    pub unsafe fn transfer(&self, what: &Transfer) -> (&'static str, i32) {
        let (q, none) = (self.queue, ptr::null());
        let bytes = |corner: &Corner| {
            // Rectangles of the host begin at a byte of a row of some slice.
            let [byte, row, slice] = corner.origin;
            (self.pointer)(Place {
                object: corner.object,
                byte: byte + row * corner.row + slice * corner.slice,
            })
        };
        // SAFETY: by the caller; the small arrays live through the calls.
        unsafe {
            match what {
                Transfer::ReadImage { from, to, region } => {
                    let event = queue::enqueue_read_image(
                        q,
                        (self.handle)(from.object),
                        self.block,
                        from.origin.as_ptr(),
                        region.as_ptr(),
                        to.row,
                        to.slice,
                        bytes(to),
                        0,
                        none,
                    );
                    ("clEnqueueReadImage", code(event))
                }
                Transfer::WriteImage { from, to, region } => {
                    let event = queue::enqueue_write_image(
                        q,
                        (self.handle)(to.object),
                        self.block,
                        to.origin.as_ptr(),
                        region.as_ptr(),
                        from.row,
                        from.slice,
                        bytes(from),
                        0,
                        none,
                    );
                    ("clEnqueueWriteImage", code(event))
                }
                Transfer::CopyImage { from, to, region } => {
                    let event = queue::enqueue_copy_image(
                        q,
                        (self.handle)(from.object),
                        (self.handle)(to.object),
                        from.origin.as_ptr(),
                        to.origin.as_ptr(),
                        region.as_ptr(),
                        0,
                        none,
                    );
                    ("clEnqueueCopyImage", code(event))
                }
                Transfer::CopyImageToBuffer { from, to, region } => {
                    let event = queue::enqueue_copy_image_to_buffer(
                        q,
                        (self.handle)(from.object),
                        (self.handle)(to.object),
                        from.origin.as_ptr(),
                        region.as_ptr(),
                        to.byte,
                        0,
                        none,
                    );
                    ("clEnqueueCopyImageToBuffer", code(event))
                }
                Transfer::CopyBufferToImage { from, to, region } => {
                    let event = queue::enqueue_copy_buffer_to_image(
                        q,
                        (self.handle)(from.object),
                        (self.handle)(to.object),
                        from.byte,
                        to.origin.as_ptr(),
                        region.as_ptr(),
                        0,
                        none,
                    );
                    ("clEnqueueCopyBufferToImage", code(event))
                }
                Transfer::FillImage { colour, to, region } => self.fill(*colour, *to, region),
                Transfer::MapReadImage { from, to, region } => {
                    let to: *mut u8 = (self.pointer)(*to).cast();
                    self.map(*from, region, mem::CL_MAP_READ, |row, at, bytes| {
                        ptr::copy_nonoverlapping(at, to.add(row * bytes), bytes);
                    })
                }
                Transfer::MapWriteImage {
                    from,
                    to,
                    region,
                    invalidate,
                } => {
                    let flags = if *invalidate {
                        mem::CL_MAP_WRITE_INVALIDATE_REGION
                    } else {
                        mem::CL_MAP_WRITE
                    };
                    let from: *const u8 = (self.pointer)(*from).cast();
                    self.map(*to, region, flags, |row, at, bytes| {
                        ptr::copy_nonoverlapping(from.add(row * bytes), at, bytes);
                    })
                }
                Transfer::Read { .. }
                | Transfer::Write { .. }
                | Transfer::Copy { .. }
                | Transfer::Fill { .. }
                | Transfer::ReadRect { .. }
                | Transfer::WriteRect { .. }
                | Transfer::CopyRect { .. }
                | Transfer::MapRead { .. }
                | Transfer::MapWrite { .. }
                | Transfer::Renew { .. }
                | Transfer::SvmCopy { .. }
                | Transfer::SvmFill { .. } => ("no transfer of an image", 0),
            }
        }
    }

    /// Fills with whole numbers.
    ///
    /// # Safety
    /// As for transfers.
    unsafe fn fill(&self, colour: [i64; 4], to: Spot, region: &[usize; 3]) -> (&'static str, i32) {
        let called = "clEnqueueFillImage";
        let Some(image) = (self.image)(to.object) else {
            return (called, 0);
        };
        let words = image.format.fill_words(colour);
        // SAFETY: four words of the type that the format asks for, which live through the call.
        let event = unsafe {
            queue::enqueue_fill_image(
                self.queue,
                (self.handle)(to.object),
                words.as_ptr().cast(),
                to.origin.as_ptr(),
                region.as_ptr(),
                0,
                ptr::null(),
            )
        };
        (called, code(event))
    }

    /// Maps a region, gives the number, the address and the bytes of each of its rows to `act`, and
    /// unmaps it.
    ///
    /// # Safety
    /// `act` keeps to its row.
    unsafe fn map(
        &self,
        at: Spot,
        region: &[usize; 3],
        flags: u64,
        act: impl Fn(usize, *mut u8, usize),
    ) -> (&'static str, i32) {
        let called = "clEnqueueMapImage";
        let Some(image) = (self.image)(at.object) else {
            return (called, 0);
        };
        let handle = (self.handle)(at.object);
        let (mut row, mut slice) = (0usize, 0usize);
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: the image is alive, and the call blocks.
        let event = unsafe {
            queue::enqueue_map_image(
                self.queue,
                handle,
                1,
                flags,
                at.origin.as_ptr(),
                region.as_ptr(),
                &mut row,
                &mut slice,
                &mut address,
                0,
                ptr::null(),
            )
        };
        let mapped = code(event);
        if mapped != 0 || address.is_null() {
            return (called, mapped);
        }
        // The layers of an array of lines are slices.
        let (second, third) = match image.shape {
            Shape::Lines(..) => (slice, 0),
            Shape::Line(_) | Shape::Plane(..) | Shape::Block(..) | Shape::Planes(..) => {
                (row, slice)
            }
        };
        let bytes = region[0] * image.format.bytes();
        for z in 0..region[2] {
            for y in 0..region[1] {
                // SAFETY: the row lies in the mapped region, by the pitches that the call gave.
                let start = unsafe { address.cast::<u8>().add(z * third + y * second) };
                act(z * region[1] + y, start, bytes);
            }
        }
        // SAFETY: it was mapped above, and is not used after this.
        let event =
            unsafe { queue::enqueue_unmap_mem_object(self.queue, handle, address, 0, ptr::null()) };
        ("clEnqueueUnmapMemObject", code(event))
    }
}
