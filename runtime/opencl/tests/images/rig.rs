//! A context, a queue and shorter names for the calls.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::image::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
use touchstone::api::transfer::*;

pub const RGBA8: cl_image_format = cl_image_format {
    image_channel_order: CL_RGBA,
    image_channel_data_type: CL_UNSIGNED_INT8,
};

pub struct Rig {
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Rig {
    pub fn new() -> Self {
        let mut device = null_mut();
        let mut code = 1;
        unsafe {
            let found = clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut());
            assert_eq!(found, CL_SUCCESS);
            let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
            assert_eq!(code, CL_SUCCESS);
            let queue = clCreateCommandQueueWithProperties(context, device, null(), &mut code);
            assert_eq!(code, CL_SUCCESS);
            Self {
                device,
                context,
                queue,
            }
        }
    }

    pub fn image(
        &self,
        flags: cl_mem_flags,
        format: cl_image_format,
        desc: cl_image_desc,
        host: *mut c_void,
    ) -> Result<cl_mem, cl_int> {
        let mut code = 1;
        let image = unsafe { clCreateImage(self.context, flags, &format, &desc, host, &mut code) };
        if code == CL_SUCCESS {
            Ok(image)
        } else {
            Err(code)
        }
    }

    pub fn buffer(&self, size: usize) -> cl_mem {
        let mut code = 1;
        let buffer = unsafe { clCreateBuffer(self.context, 0, size, null_mut(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        buffer
    }

    pub fn read_buffer(&self, buffer: cl_mem, size: usize) -> Vec<u8> {
        let mut bytes = vec![0xee; size];
        let to = bytes.as_mut_ptr().cast();
        let code = unsafe {
            clEnqueueReadBuffer(
                self.queue,
                buffer,
                CL_TRUE,
                0,
                size,
                to,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        bytes
    }

    pub fn write_buffer(&self, buffer: cl_mem, bytes: &[u8]) {
        let from = bytes.as_ptr().cast();
        let size = bytes.len();
        let code = unsafe {
            clEnqueueWriteBuffer(
                self.queue,
                buffer,
                CL_TRUE,
                0,
                size,
                from,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
    }

    pub fn finish(&self) {
        assert_eq!(unsafe { clFinish(self.queue) }, CL_SUCCESS);
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        unsafe {
            assert_eq!(clReleaseCommandQueue(self.queue), CL_SUCCESS);
            assert_eq!(clReleaseContext(self.context), CL_SUCCESS);
        }
    }
}

pub fn release(objects: &[cl_mem]) {
    for &object in objects {
        assert_eq!(unsafe { clReleaseMemObject(object) }, CL_SUCCESS);
    }
}

/// A descriptor; sides that the kind does not have are ignored.
pub fn desc(image_type: cl_mem_object_type, sides: [usize; 3], images: usize) -> cl_image_desc {
    cl_image_desc {
        image_type,
        image_width: sides[0],
        image_height: sides[1],
        image_depth: sides[2],
        image_array_size: images,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

pub fn image_info<T: Default>(image: cl_mem, name: cl_image_info) -> T {
    let mut value = T::default();
    let mut size = 0;
    let code = unsafe {
        clGetImageInfo(
            image,
            name,
            size_of::<T>(),
            (&raw mut value).cast(),
            &mut size,
        )
    };
    assert_eq!((code, size), (CL_SUCCESS, size_of::<T>()));
    value
}

pub fn mem_info<T: Default>(object: cl_mem, name: cl_mem_info) -> T {
    let mut value = T::default();
    let mut size = 0;
    let code = unsafe {
        clGetMemObjectInfo(
            object,
            name,
            size_of::<T>(),
            (&raw mut value).cast(),
            &mut size,
        )
    };
    assert_eq!((code, size), (CL_SUCCESS, size_of::<T>()));
    value
}

/// A small deterministic stream of numbers.
pub struct Stream(u64);

impl Stream {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}
