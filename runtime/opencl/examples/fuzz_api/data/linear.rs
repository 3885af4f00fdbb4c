//! Commands on buffers, sub-buffers and shared virtual memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::kernel::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::range::*;
use touchstone::api::rect::*;
use touchstone::api::svm::*;
use touchstone::api::transfer::*;

use super::boxes::Region;
use super::{Plant, Sequence};
use crate::model::OWN;

/// Linear memory and what is in it when all commands so far have ended.
pub struct Memory {
    kind: Kind,
    pub shadow: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Kind {
    Buffer,
    Svm(*mut c_void),
}

/// A buffer, a sub-buffer or an allocation of shared virtual memory.
#[derive(Clone, Copy)]
pub struct Part {
    /// Null for shared virtual memory.
    pub handle: cl_mem,
    pub memory: usize,
    pub start: usize,
    pub size: usize,
}

/// Bytes of a row when a part is taken for rows.
const ROW: usize = 16;
/// Rows of a slice.
const SLICE: usize = 4;

impl Sequence<'_> {
    pub(super) fn make_linear(&mut self) {
        let context = self.world.contexts[OWN].handle;
        for _ in 0..2 + self.world.random.below(2) {
            let size = 256 * (1 + self.world.random.below(4));
            let shadow = self.world.bytes(size);
            let mut code = 1;
            let (flags, host) = if self.world.random.once_in(2) {
                let mut lent = vec![0u64; size / 8];
                let start = lent.as_mut_ptr().cast::<c_void>();
                unsafe { std::ptr::copy_nonoverlapping(shadow.as_ptr(), start.cast(), size) };
                self.world.lent.push(lent);
                (CL_MEM_USE_HOST_PTR, start)
            } else {
                (CL_MEM_COPY_HOST_PTR, shadow.as_ptr().cast_mut().cast())
            };
            let handle = unsafe { clCreateBuffer(context, flags, size, host, &mut code) };
            self.world.expect("clCreateBuffer", code, &[CL_SUCCESS]);
            let memory = self.memories.len();
            self.memories.push(Memory {
                kind: Kind::Buffer,
                shadow,
            });
            let whole = Part {
                handle,
                memory,
                start: 0,
                size,
            };
            self.parts.push(whole);
            // Two that meet or overlap.
            for start in [0, 128] {
                let region = cl_buffer_region {
                    origin: start,
                    size: 128,
                };
                let kind = CL_BUFFER_CREATE_TYPE_REGION;
                let info = (&raw const region).cast();
                let handle = unsafe { clCreateSubBuffer(handle, 0, kind, info, &mut code) };
                self.world.expect("clCreateSubBuffer", code, &[CL_SUCCESS]);
                self.parts.push(Part {
                    handle,
                    start,
                    size: 128,
                    ..whole
                });
            }
        }
        for flags in [
            CL_MEM_READ_WRITE,
            CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
        ] {
            let start = unsafe { clSVMAlloc(context, flags, 512, 0) };
            if start.is_null() {
                self.world.found("clSVMAlloc gave null");
            }
            let memory = self.memories.len();
            self.memories.push(Memory {
                kind: Kind::Svm(start),
                shadow: vec![0; 512],
            });
            self.parts.push(Part {
                handle: null_mut(),
                memory,
                start: 0,
                size: 512,
            });
            // What is in a new allocation is not said.
            self.write_whole_part(self.parts.len() - 1);
        }
    }

    pub(super) fn release_linear(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            match self.memories[part.memory].kind {
                Kind::Buffer => {
                    let code = unsafe { clReleaseMemObject(part.handle) };
                    self.world.expect("clReleaseMemObject", code, &[CL_SUCCESS]);
                }
                Kind::Svm(start) => unsafe { clSVMFree(self.world.contexts[OWN].handle, start) },
            }
        }
    }

    pub(super) fn linear_command(&mut self) {
        let part = self.parts[self.world.random.below(self.parts.len())];
        let offset = self.world.random.below(part.size);
        let size = 1 + self.world.random.below(part.size - offset);
        match self.world.random.below(10) {
            0 | 1 => {
                let bytes = self.world.bytes(size);
                self.write(part, offset, bytes);
            }
            2 => self.read(part, offset, size),
            3 | 4 => self.copy(part, offset, size),
            5 => self.fill(part),
            6 => self.rectangles(part),
            7 => self.map(part, offset, size),
            _ => self.turn(part),
        }
    }

    fn address(&self, part: Part) -> Option<*mut c_void> {
        match self.memories[part.memory].kind {
            Kind::Buffer => None,
            Kind::Svm(start) => Some(start),
        }
    }

    /// What is there when all commands so far have ended.
    pub(super) fn shadow(&mut self, part: Part, offset: usize, size: usize) -> &mut [u8] {
        &mut self.memories[part.memory].shadow[part.start + offset..][..size]
    }

    fn write_whole_part(&mut self, place: usize) {
        let part = self.parts[place];
        let bytes = self.world.bytes(part.size);
        self.write(part, 0, bytes);
    }

    pub(super) fn read_whole_part(&mut self, place: usize) {
        let part = self.parts[place];
        self.read(part, 0, part.size);
    }

    fn write(&mut self, part: Part, offset: usize, bytes: Vec<u8>) {
        let size = bytes.len();
        self.shadow(part, offset, size).copy_from_slice(&bytes);
        let from = self.source(bytes);
        let address = self.address(part);
        self.enqueue("a write", |t| unsafe {
            match address {
                Some(start) => {
                    let to = start.byte_add(offset);
                    clEnqueueSVMMemcpy(t.queue, 0, to, from, size, t.count, t.list, t.event)
                }
                None => clEnqueueWriteBuffer(
                    t.queue,
                    part.handle,
                    0,
                    offset,
                    size,
                    from,
                    t.count,
                    t.list,
                    t.event,
                ),
            }
        });
    }

    fn read(&mut self, part: Part, offset: usize, size: usize) {
        let expected = self.shadow(part, offset, size).to_vec();
        let to = self.sink("a read", expected);
        let address = self.address(part);
        self.enqueue("a read", |t| unsafe {
            match address {
                Some(start) => {
                    let from = start.byte_add(offset);
                    clEnqueueSVMMemcpy(t.queue, 0, to, from, size, t.count, t.list, t.event)
                }
                None => clEnqueueReadBuffer(
                    t.queue,
                    part.handle,
                    0,
                    offset,
                    size,
                    to,
                    t.count,
                    t.list,
                    t.event,
                ),
            }
        });
    }

    /// A copy to other memory of the same kind.
    fn copy(&mut self, part: Part, offset: usize, size: usize) {
        let to = self.parts[self.world.random.below(self.parts.len())];
        let (from_svm, to_svm) = (self.address(part), self.address(to));
        if to.memory == part.memory || from_svm.is_some() != to_svm.is_some() {
            return;
        }
        let size = size.min(to.size);
        let target = self.world.random.below(to.size - size + 1);
        let bytes = self.shadow(part, offset, size).to_vec();
        self.shadow(to, target, size).copy_from_slice(&bytes);
        self.enqueue("a copy", |t| unsafe {
            match (from_svm, to_svm) {
                (Some(from), Some(to)) => {
                    let (from, to) = (from.byte_add(offset), to.byte_add(target));
                    clEnqueueSVMMemcpy(t.queue, 0, to, from, size, t.count, t.list, t.event)
                }
                _ => clEnqueueCopyBuffer(
                    t.queue,
                    part.handle,
                    to.handle,
                    offset,
                    target,
                    size,
                    t.count,
                    t.list,
                    t.event,
                ),
            }
        });
    }

    fn fill(&mut self, part: Part) {
        let width = 1usize << self.world.random.below(8);
        let count = 1 + self.world.random.below(part.size / width);
        let offset = width * self.world.random.below(part.size / width - count + 1);
        let pattern = self.world.bytes(width);
        let size = count * width;
        self.shadow(part, offset, size)
            .copy_from_slice(&pattern.repeat(count));
        let short = self.world.plant == Some(Plant::Short);
        let size = if short { size - width } else { size };
        let address = self.address(part);
        self.enqueue("a fill", |t| unsafe {
            let pattern = pattern.as_ptr().cast();
            match address {
                Some(start) => {
                    let to = start.byte_add(offset);
                    clEnqueueSVMMemFill(t.queue, to, pattern, width, size, t.count, t.list, t.event)
                }
                None => clEnqueueFillBuffer(
                    t.queue,
                    part.handle,
                    pattern,
                    width,
                    offset,
                    size,
                    t.count,
                    t.list,
                    t.event,
                ),
            }
        });
    }

    /// A region of a part that is taken for rows of 16 bytes and slices of 4 rows.
    fn region(&mut self, size: usize) -> Region {
        let slices = size / (ROW * SLICE);
        let random = &mut self.world.random;
        let mut origin = [0; 3];
        let mut extent = [0; 3];
        for (axis, whole) in [ROW, SLICE, slices].into_iter().enumerate() {
            origin[axis] = random.below(whole);
            extent[axis] = 1 + random.below(whole - origin[axis]);
        }
        Region {
            origin,
            extent,
            pitches: [ROW, ROW * SLICE],
        }
    }

    fn rectangles(&mut self, part: Part) {
        if self.address(part).is_some() {
            return;
        }
        let region = self.region(part.size);
        let [row, slice] = region.pitches;
        let (origin, extent) = (region.origin.as_ptr(), region.extent.as_ptr());
        let zero = [0usize; 3].as_ptr();
        match self.world.random.below(3) {
            0 => {
                let expected = region.take(self.shadow(part, 0, part.size));
                let to = self.sink("a rectangle's read", expected);
                self.enqueue("clEnqueueReadBufferRect", |t| unsafe {
                    clEnqueueReadBufferRect(
                        t.queue,
                        part.handle,
                        0,
                        origin,
                        zero,
                        extent,
                        row,
                        slice,
                        0,
                        0,
                        to,
                        t.count,
                        t.list,
                        t.event,
                    )
                });
            }
            1 => {
                let bytes = self.world.bytes(region.size());
                region.put(self.shadow(part, 0, part.size), &bytes);
                let from = self.source(bytes);
                self.enqueue("clEnqueueWriteBufferRect", |t| unsafe {
                    clEnqueueWriteBufferRect(
                        t.queue,
                        part.handle,
                        0,
                        origin,
                        zero,
                        extent,
                        row,
                        slice,
                        0,
                        0,
                        from,
                        t.count,
                        t.list,
                        t.event,
                    )
                });
            }
            _ => {
                let to = self.parts[self.world.random.below(self.parts.len())];
                if to.memory == part.memory || self.address(to).is_some() || to.size < part.size {
                    return;
                }
                // The same place in memory that is at least as large.
                let bytes = region.take(self.shadow(part, 0, part.size));
                region.put(self.shadow(to, 0, to.size), &bytes);
                self.enqueue("clEnqueueCopyBufferRect", |t| unsafe {
                    clEnqueueCopyBufferRect(
                        t.queue,
                        part.handle,
                        to.handle,
                        origin,
                        origin,
                        extent,
                        row,
                        slice,
                        row,
                        slice,
                        t.count,
                        t.list,
                        t.event,
                    )
                });
            }
        }
    }

    /// Maps a part, looks at it or changes it, and unmaps it.
    fn map(&mut self, part: Part, offset: usize, size: usize) {
        if self.world.plant.is_some() {
            // A map that was lost would leave nothing to look at.
            return;
        }
        self.open_gate();
        let flags = self.world.random.of(&[
            CL_MAP_READ,
            CL_MAP_WRITE,
            CL_MAP_READ | CL_MAP_WRITE,
            CL_MAP_WRITE_INVALIDATE_REGION,
        ]);
        let svm = self.address(part);
        let mut address = null_mut();
        self.enqueue("a map", |t| unsafe {
            if let Some(start) = svm {
                address = start.byte_add(offset);
                return clEnqueueSVMMap(
                    t.queue, CL_TRUE, flags, address, size, t.count, t.list, t.event,
                );
            }
            let mut code = 1;
            address = clEnqueueMapBuffer(
                t.queue,
                part.handle,
                CL_TRUE,
                flags,
                offset,
                size,
                t.count,
                t.list,
                t.event,
                &mut code,
            );
            code
        });
        // SAFETY: mapped, with all commands before it ended, and none enqueued until it is unmapped.
        let mapped = unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), size) };
        if flags != CL_MAP_WRITE_INVALIDATE_REGION {
            let expected = self.shadow(part, offset, size).to_vec();
            self.compare("a mapped region", &expected, mapped);
        }
        if flags != CL_MAP_READ {
            let bytes = self.world.bytes(size);
            mapped.copy_from_slice(&bytes);
            self.shadow(part, offset, size).copy_from_slice(&bytes);
        }
        self.enqueue("an unmap", |t| unsafe {
            match svm {
                Some(_) => clEnqueueSVMUnmap(t.queue, address, t.count, t.list, t.event),
                None => {
                    clEnqueueUnmapMemObject(t.queue, part.handle, address, t.count, t.list, t.event)
                }
            }
        });
    }

    /// A kernel that changes every byte according to what it is.
    fn turn(&mut self, part: Part) {
        let count = 1 + self.world.random.below(part.size);
        for byte in self.shadow(part, 0, count) {
            *byte = byte.wrapping_mul(3).wrapping_add(1);
        }
        let (kernel, words) = (self.kernel, count as cl_uint);
        let code = unsafe {
            match self.address(part) {
                Some(start) => clSetKernelArgSVMPointer(kernel, 0, start),
                None => {
                    let value = (&raw const part.handle).cast();
                    clSetKernelArg(kernel, 0, size_of::<cl_mem>(), value)
                }
            }
        };
        self.world.expect("an argument", code, &[CL_SUCCESS]);
        let code = unsafe { clSetKernelArg(kernel, 1, 4, (&raw const words).cast()) };
        self.world.expect("clSetKernelArg", code, &[CL_SUCCESS]);
        // The groups cover the bytes, the last perhaps more.
        let (local, global) = ([32usize], [count.next_multiple_of(32)]);
        self.enqueue("clEnqueueNDRangeKernel", |t| unsafe {
            clEnqueueNDRangeKernel(
                t.queue,
                kernel,
                1,
                null(),
                global.as_ptr(),
                local.as_ptr(),
                t.count,
                t.list,
                t.event,
            )
        });
    }
}
