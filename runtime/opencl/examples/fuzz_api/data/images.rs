//! Commands on images.

use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;

use super::Sequence;
use super::boxes::Region;
use crate::model::OWN;

/// Bytes of a pixel: four components of a byte.
const PIXEL: usize = 4;

/// An image and what is in it when all commands so far have ended, without gaps.
pub struct Image {
    handle: cl_mem,
    /// Width, height and depth or layers, in pixels.
    shape: [usize; 3],
    shadow: Vec<u8>,
}

impl Sequence<'_> {
    pub(super) fn make_images(&mut self) {
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNSIGNED_INT8,
        };
        for kind in [
            CL_MEM_OBJECT_IMAGE1D,
            CL_MEM_OBJECT_IMAGE2D,
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
            CL_MEM_OBJECT_IMAGE3D,
        ] {
            let mut side = || 1 + self.world.random.below(8);
            let shape = match kind {
                CL_MEM_OBJECT_IMAGE1D => [side(), 1, 1],
                CL_MEM_OBJECT_IMAGE2D => [side(), side(), 1],
                _ => [side(), side(), side()],
            };
            let deep = kind == CL_MEM_OBJECT_IMAGE3D;
            let layered = kind == CL_MEM_OBJECT_IMAGE2D_ARRAY;
            let desc = cl_image_desc {
                image_type: kind,
                image_width: shape[0],
                image_height: if kind == CL_MEM_OBJECT_IMAGE1D {
                    0
                } else {
                    shape[1]
                },
                image_depth: if deep { shape[2] } else { 0 },
                image_array_size: if layered { shape[2] } else { 0 },
                ..unsafe { std::mem::zeroed() }
            };
            let shadow = self.world.bytes(shape.iter().product::<usize>() * PIXEL);
            let context = self.world.contexts[OWN].handle;
            let mut code = 1;
            let host = shadow.as_ptr().cast_mut().cast();
            let flags = CL_MEM_COPY_HOST_PTR;
            let handle = unsafe { clCreateImage(context, flags, &format, &desc, host, &mut code) };
            self.world.expect("clCreateImage", code, &[CL_SUCCESS]);
            self.images.push(Image {
                handle,
                shape,
                shadow,
            });
        }
    }

    pub(super) fn release_images(&mut self) {
        for image in std::mem::take(&mut self.images) {
            let code = unsafe { clReleaseMemObject(image.handle) };
            self.world.expect("clReleaseMemObject", code, &[CL_SUCCESS]);
        }
    }

    /// A region in pixels, and the same in bytes.
    fn pixels(&mut self, shape: [usize; 3]) -> ([usize; 3], [usize; 3]) {
        let random = &mut self.world.random;
        let mut origin = [0; 3];
        let mut extent = [0; 3];
        for axis in 0..3 {
            origin[axis] = random.below(shape[axis]);
            extent[axis] = 1 + random.below(shape[axis] - origin[axis]);
        }
        (origin, extent)
    }

    pub(super) fn image_command(&mut self) {
        let place = self.world.random.below(self.images.len());
        let (handle, shape) = (self.images[place].handle, self.images[place].shape);
        let (from, extent) = self.pixels(shape);
        let region = region(shape, from, extent);
        let (origin, sides) = (from.as_ptr(), extent.as_ptr());
        match self.world.random.below(7) {
            0 => {
                let bytes = self.world.bytes(region.size());
                region.put(&mut self.images[place].shadow, &bytes);
                let source = self.source(bytes);
                self.enqueue("clEnqueueWriteImage", |t| unsafe {
                    clEnqueueWriteImage(
                        t.queue, handle, 0, origin, sides, 0, 0, source, t.count, t.list, t.event,
                    )
                });
            }
            1 => self.read_image(place, from, extent),
            2 => {
                let color: [u32; 4] = std::array::from_fn(|_| self.world.random.below(256) as u32);
                let pixel = color.map(|component| component as u8);
                let bytes = pixel.repeat(region.size() / PIXEL);
                region.put(&mut self.images[place].shadow, &bytes);
                self.enqueue("clEnqueueFillImage", |t| unsafe {
                    let color = color.as_ptr().cast();
                    clEnqueueFillImage(
                        t.queue, handle, color, origin, sides, t.count, t.list, t.event,
                    )
                });
            }
            3 => self.copy_image(place, from, extent),
            4 | 5 => self.copy_with_buffer(place, from, extent),
            _ => self.map_image(place, from, extent),
        }
    }

    pub(super) fn read_whole_image(&mut self, place: usize) {
        self.read_image(place, [0; 3], self.images[place].shape);
    }

    fn read_image(&mut self, place: usize, origin: [usize; 3], extent: [usize; 3]) {
        let image = &self.images[place];
        let handle = image.handle;
        let expected = region(image.shape, origin, extent).take(&image.shadow);
        let to = self.sink("a read of an image", expected);
        self.enqueue("clEnqueueReadImage", |t| unsafe {
            let (origin, sides) = (origin.as_ptr(), extent.as_ptr());
            clEnqueueReadImage(
                t.queue, handle, 0, origin, sides, 0, 0, to, t.count, t.list, t.event,
            )
        });
    }

    /// A copy to the beginning of another image that has room.
    fn copy_image(&mut self, place: usize, origin: [usize; 3], extent: [usize; 3]) {
        let other = self.world.random.below(self.images.len());
        let (from, to) = (&self.images[place], &self.images[other]);
        if other == place || (0..3).any(|axis| extent[axis] > to.shape[axis]) {
            return;
        }
        let (from_handle, to_handle) = (from.handle, to.handle);
        let bytes = region(from.shape, origin, extent).take(&from.shadow);
        let target = region(to.shape, [0; 3], extent);
        target.put(&mut self.images[other].shadow, &bytes);
        self.enqueue("clEnqueueCopyImage", |t| unsafe {
            let (origin, start, sides) = (origin.as_ptr(), [0usize; 3].as_ptr(), extent.as_ptr());
            clEnqueueCopyImage(
                t.queue,
                from_handle,
                to_handle,
                origin,
                start,
                sides,
                t.count,
                t.list,
                t.event,
            )
        });
    }

    /// A copy to or from a buffer that has room.
    fn copy_with_buffer(&mut self, place: usize, origin: [usize; 3], extent: [usize; 3]) {
        let part = self.parts[self.world.random.below(self.parts.len())];
        let image = &self.images[place];
        let (handle, region) = (image.handle, region(image.shape, origin, extent));
        if part.handle.is_null() || part.size < region.size() {
            return;
        }
        let offset = self.world.random.below(part.size - region.size() + 1);
        let to_image = self.world.random.once_in(2);
        if to_image {
            let bytes = self.shadow(part, offset, region.size()).to_vec();
            region.put(&mut self.images[place].shadow, &bytes);
        } else {
            let bytes = region.take(&self.images[place].shadow);
            self.shadow(part, offset, region.size())
                .copy_from_slice(&bytes);
        }
        self.enqueue("a copy between image and buffer", |t| unsafe {
            let (origin, sides) = (origin.as_ptr(), extent.as_ptr());
            if to_image {
                clEnqueueCopyBufferToImage(
                    t.queue,
                    part.handle,
                    handle,
                    offset,
                    origin,
                    sides,
                    t.count,
                    t.list,
                    t.event,
                )
            } else {
                clEnqueueCopyImageToBuffer(
                    t.queue,
                    handle,
                    part.handle,
                    origin,
                    sides,
                    offset,
                    t.count,
                    t.list,
                    t.event,
                )
            }
        });
    }

    /// Maps a region, looks at it, changes it and unmaps it.
    fn map_image(&mut self, place: usize, origin: [usize; 3], extent: [usize; 3]) {
        if self.world.plant.is_some() {
            // A map that was lost would leave nothing to look at.
            return;
        }
        self.open_gate();
        let image = &self.images[place];
        let (handle, shape) = (image.handle, image.shape);
        let (mut row, mut slice) = (0, 0);
        let mut address = null_mut();
        self.enqueue("clEnqueueMapImage", |t| unsafe {
            let (origin, sides) = (origin.as_ptr(), extent.as_ptr());
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            let mut code = 1;
            address = clEnqueueMapImage(
                t.queue, handle, CL_TRUE, flags, origin, sides, &mut row, &mut slice, t.count,
                t.list, t.event, &mut code,
            );
            code
        });
        let mapped = Region {
            origin: [0; 3],
            extent: [extent[0] * PIXEL, extent[1], extent[2]],
            pitches: [row, slice],
        };
        // Up to the end of its last row.
        let size = (extent[2] - 1) * slice + (extent[1] - 1) * row + mapped.extent[0];
        // SAFETY: mapped, with all commands before it ended, and none enqueued until it is unmapped.
        let memory = unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), size) };
        let region = region(shape, origin, extent);
        let expected = region.take(&self.images[place].shadow);
        self.compare("a mapped image", &expected, &mapped.take(memory));
        let bytes = self.world.bytes(region.size());
        mapped.put(memory, &bytes);
        region.put(&mut self.images[place].shadow, &bytes);
        self.enqueue("clEnqueueUnmapMemObject", |t| unsafe {
            clEnqueueUnmapMemObject(t.queue, handle, address, t.count, t.list, t.event)
        });
    }
}

/// A region of pixels in the bytes of an image's shadow.
fn region(shape: [usize; 3], origin: [usize; 3], extent: [usize; 3]) -> Region {
    let row = shape[0] * PIXEL;
    Region {
        origin: [origin[0] * PIXEL, origin[1], origin[2]],
        extent: [extent[0] * PIXEL, extent[1], extent[2]],
        pitches: [row, row * shape[1]],
    }
}
