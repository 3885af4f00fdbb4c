//! Calls that make what the rest of a round does not use: images, samplers, sub-devices; and calls on
//! objects that all threads share. Each tidies up at once.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::memory::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::sampler::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use super::model::*;

impl World {
    /// One of these.
    pub fn rare(&mut self) {
        match self.random.below(5) {
            0 => self.image(),
            1 => self.sampler(),
            2 => self.sub_devices(),
            3 => self.hold_what_is_shared(),
            _ => self.wait_across_contexts(),
        }
    }

    fn image(&mut self) {
        let mut format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNSIGNED_INT8,
        };
        let mut desc = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_width: 1 + self.random.below(16),
            image_height: 1 + self.random.below(16),
            ..unsafe { std::mem::zeroed() }
        };
        let (mut has_format, mut has_desc) = (true, true);
        let mut context = self.contexts[OWN].handle;
        let mut flags = CL_MEM_READ_WRITE;
        let mut expected: &[cl_int] = &[CL_SUCCESS];
        match self.random.below(12) {
            0 => (context, expected) = (self.foreign(self.device), &[CL_INVALID_CONTEXT]),
            _ if !self.images => expected = &[CL_INVALID_OPERATION],
            1 => (flags, expected) = (1 << 50, &[CL_INVALID_VALUE]),
            2 => (has_format, expected) = (false, &[CL_INVALID_IMAGE_FORMAT_DESCRIPTOR]),
            3 => (has_desc, expected) = (false, &[CL_INVALID_IMAGE_DESCRIPTOR]),
            4 => (desc.image_type, expected) = (77, &[CL_INVALID_IMAGE_DESCRIPTOR]),
            5 => {
                desc.image_width = 0;
                expected = &[CL_INVALID_IMAGE_SIZE, CL_INVALID_IMAGE_DESCRIPTOR];
            }
            6 => {
                format.image_channel_data_type = CL_UNORM_SHORT_565;
                expected = &[CL_INVALID_IMAGE_FORMAT_DESCRIPTOR];
            }
            7 => (flags, expected) = (CL_MEM_COPY_HOST_PTR, &[CL_INVALID_HOST_PTR]),
            8 => {
                desc.image_width = usize::MAX;
                expected = &[CL_INVALID_IMAGE_SIZE];
            }
            _ => {}
        }
        let format_at = if has_format {
            &raw const format
        } else {
            null()
        };
        let desc_at = if has_desc { &raw const desc } else { null() };
        let mut code = 1;
        let image =
            unsafe { clCreateImage(context, flags, format_at, desc_at, null_mut(), &mut code) };
        self.expect("clCreateImage", code, expected);
        if code != CL_SUCCESS {
            return;
        }
        let mut width = 0usize;
        let at = (&raw mut width).cast();
        let code = unsafe { clGetImageInfo(image, CL_IMAGE_WIDTH, 8, at, null_mut()) };
        self.expect("clGetImageInfo", code, &[CL_SUCCESS]);
        if width != desc.image_width {
            self.found("an image forgot its width");
        }
        self.wrong_transfers(image, desc.image_width);
        if self.random.once_in(2) {
            let code = unsafe { clRetainMemObject(image) };
            self.expect("clRetainMemObject", code, &[CL_SUCCESS]);
            let code = unsafe { clReleaseMemObject(image) };
            self.expect("clReleaseMemObject", code, &[CL_SUCCESS]);
        }
        let code = unsafe { clReleaseMemObject(image) };
        self.expect("clReleaseMemObject", code, &[CL_SUCCESS]);
    }

    /// Reads of an image that must be refused.
    fn wrong_transfers(&mut self, image: cl_mem, width: usize) {
        let Some(queue) = (0..self.queues.len()).find(|&q| self.queues[q].context == OWN) else {
            return;
        };
        let queue = self.queues[queue].handle;
        let host = self.host.as_mut_ptr().cast::<c_void>();
        let zero = [0usize; 3];
        let (mut handle, mut expected) = (image, CL_INVALID_VALUE);
        let (mut origin, mut region, mut row, mut to) = (zero, [1usize; 3], 0, host);
        match self.random.below(7) {
            0 => region[0] = width + 1,
            1 => region[1] = 0,
            2 => origin[0] = usize::MAX,
            3 => region[2] = 2,
            4 => row = 1,
            5 => to = null_mut(),
            _ => {
                (handle, expected) = match self.buffer_in(OWN) {
                    Some(buffer) => (self.buffers[buffer].handle, CL_INVALID_MEM_OBJECT),
                    None => (null_mut(), CL_INVALID_MEM_OBJECT),
                };
            }
        }
        let code = unsafe {
            let (origin, region) = (origin.as_ptr(), region.as_ptr());
            clEnqueueReadImage(
                queue,
                handle,
                CL_TRUE,
                origin,
                region,
                row,
                0,
                to,
                0,
                null(),
                null_mut(),
            )
        };
        self.expect("clEnqueueReadImage", code, &[expected]);
        let code = unsafe {
            clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 1, host, 0, null(), null_mut())
        };
        self.expect("clEnqueueReadBuffer", code, &[CL_INVALID_MEM_OBJECT]);
    }

    fn sampler(&mut self) {
        let mut context = self.contexts[OWN].handle;
        let mut addressing = self.random.of(&[CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE]);
        let mut filter = self.random.of(&[CL_FILTER_NEAREST, CL_FILTER_LINEAR]);
        let mut expected = CL_SUCCESS;
        match self.random.below(6) {
            0 => (context, expected) = (self.foreign(self.device), CL_INVALID_CONTEXT),
            _ if !self.images => expected = CL_INVALID_OPERATION,
            1 => (addressing, expected) = (3, CL_INVALID_VALUE),
            2 => (filter, expected) = (3, CL_INVALID_VALUE),
            _ => {}
        }
        let mut code = 1;
        let sampler = unsafe { clCreateSampler(context, CL_FALSE, addressing, filter, &mut code) };
        self.expect("clCreateSampler", code, &[expected]);
        if code != CL_SUCCESS {
            return;
        }
        let mut count: cl_uint = 0;
        let room = (&raw mut count).cast();
        unsafe {
            self.expect("a retain", clRetainSampler(sampler), &[CL_SUCCESS]);
            let name = CL_SAMPLER_REFERENCE_COUNT;
            let code = clGetSamplerInfo(sampler, name, 4, room, null_mut());
            self.expect("clGetSamplerInfo", code, &[CL_SUCCESS]);
            self.expect("a release", clReleaseSampler(sampler), &[CL_SUCCESS]);
            self.expect("a release", clReleaseSampler(sampler), &[CL_SUCCESS]);
        }
        if count != 2 {
            self.found(&format!("a sampler has {count} references, not 2"));
        }
    }

    /// Splits the device, rightly or wrongly, and works on a part.
    fn sub_devices(&mut self) {
        let mut units: cl_uint = 0;
        let room = (&raw mut units).cast();
        let name = CL_DEVICE_MAX_COMPUTE_UNITS;
        let code = unsafe { clGetDeviceInfo(self.device, name, 4, room, null_mut()) };
        self.expect("clGetDeviceInfo", code, &[CL_SUCCESS]);
        let units = units as isize;
        let (equally, counts) = (CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS);
        let each = 1 + self.random.below((units - 1).max(1) as usize) as isize;
        let too_many = CL_INVALID_DEVICE_PARTITION_COUNT;
        // The list, and how many parts it makes or why it makes none.
        let (list, made) = match self.random.below(8) {
            0 => (vec![0], Err(CL_INVALID_VALUE)),
            1 => (vec![0x9999, 1, 0], Err(CL_INVALID_VALUE)),
            2 => (vec![equally, 0, 0], Err(CL_INVALID_VALUE)),
            _ if units == 1 => (vec![equally, 1, 0], Err(CL_DEVICE_PARTITION_FAILED)),
            3 => (vec![equally, units, 0], Err(CL_DEVICE_PARTITION_FAILED)),
            4 => (vec![equally, units + 1, 0], Err(too_many)),
            5 => (vec![counts, units, 1, 0, 0], Err(too_many)),
            6 => (vec![counts, 1, units - 1, 0, 0], Ok(2)),
            _ => (vec![equally, each, 0], Ok((units / each) as usize)),
        };
        let room = *made.as_ref().unwrap_or(&4);
        let mut parts = vec![null_mut(); room];
        let mut count = 0;
        let code = unsafe {
            let (list, parts) = (list.as_ptr(), parts.as_mut_ptr());
            clCreateSubDevices(self.device, list, room as cl_uint, parts, &mut count)
        };
        self.expect(
            "clCreateSubDevices",
            code,
            &[made.err().unwrap_or(CL_SUCCESS)],
        );
        if code != CL_SUCCESS {
            return;
        }
        if count as usize != parts.len() {
            self.found(&format!("{count} sub-devices, not {}", parts.len()));
        }
        let part = self.random.of(&parts);
        let mut code = 1;
        let context = unsafe { clCreateContext(null(), 1, &part, None, null_mut(), &mut code) };
        self.expect("clCreateContext", code, &[CL_SUCCESS]);
        // The context and its queue keep the device that they are for.
        for part in parts {
            let code = unsafe { clReleaseDevice(part) };
            self.expect("clReleaseDevice", code, &[CL_SUCCESS]);
        }
        let queue = unsafe { clCreateCommandQueueWithProperties(context, part, null(), &mut code) };
        self.expect("clCreateCommandQueueWithProperties", code, &[CL_SUCCESS]);
        let code = unsafe { clEnqueueMarkerWithWaitList(queue, 0, null(), null_mut()) };
        self.expect("clEnqueueMarkerWithWaitList", code, &[CL_SUCCESS]);
        let code = unsafe { clReleaseContext(context) };
        self.expect("clReleaseContext", code, &[CL_SUCCESS]);
        if self.random.once_in(2) {
            self.expect("clFinish", unsafe { clFinish(queue) }, &[CL_SUCCESS]);
        }
        let code = unsafe { clReleaseCommandQueue(queue) };
        self.expect("clReleaseCommandQueue", code, &[CL_SUCCESS]);
    }

    /// Retains and releases what the other threads retain and release at the same time.
    fn hold_what_is_shared(&mut self) {
        let context = &self.contexts[SHARED];
        let (context, program, queue) = (context.handle, context.program, self.queues[0].handle);
        let times = 1 + self.random.below(20);
        for _ in 0..times {
            unsafe {
                self.expect("a retain", clRetainContext(context), &[CL_SUCCESS]);
                self.expect("a retain", clRetainProgram(program), &[CL_SUCCESS]);
                self.expect("a retain", clRetainCommandQueue(queue), &[CL_SUCCESS]);
            }
        }
        for _ in 0..times {
            unsafe {
                self.expect("a release", clReleaseCommandQueue(queue), &[CL_SUCCESS]);
                self.expect("a release", clReleaseProgram(program), &[CL_SUCCESS]);
                self.expect("a release", clReleaseContext(context), &[CL_SUCCESS]);
            }
        }
    }

    /// Events of two contexts cannot be waited for together.
    fn wait_across_contexts(&mut self) {
        let of = |context| self.events.iter().find(|event| event.context == context);
        let (Some(shared), Some(own)) = (of(SHARED), of(OWN)) else {
            return;
        };
        let list = [own.handle, shared.handle];
        let code = unsafe { clWaitForEvents(2, list.as_ptr()) };
        self.expect("clWaitForEvents", code, &[CL_INVALID_CONTEXT]);
    }
}
