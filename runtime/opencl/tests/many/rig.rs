//! Three devices of four compute units, and shorter names for the calls.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::memory::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::transfer::*;

pub const DEVICES: usize = 3;
pub const UNITS: u32 = 4;

/// The root devices.
pub fn roots() -> Vec<cl_device_id> {
    static SETTINGS: Once = Once::new();
    SETTINGS.call_once(|| {
        // Every test comes here before it calls anything else, and waits here.
        unsafe {
            std::env::set_var("TOUCHSTONE_DEVICES", DEVICES.to_string());
            std::env::set_var("TOUCHSTONE_THREADS", UNITS.to_string());
        }
    });
    let mut devices = [null_mut(); DEVICES + 1];
    let mut count = 0;
    let code = unsafe {
        clGetDeviceIDs(
            null_mut(),
            CL_DEVICE_TYPE_ALL,
            devices.len() as u32,
            devices.as_mut_ptr(),
            &mut count,
        )
    };
    assert_eq!((code, count as usize), (CL_SUCCESS, DEVICES));
    devices[..DEVICES].to_vec()
}

/// Splits a device; all at once or an error.
pub fn split(
    device: cl_device_id,
    scheme: &[cl_device_partition_property],
) -> Result<Vec<cl_device_id>, cl_int> {
    let mut count = 0;
    let code = unsafe { clCreateSubDevices(device, scheme.as_ptr(), 0, null_mut(), &mut count) };
    if code != CL_SUCCESS {
        return Err(code);
    }
    let mut parts = vec![null_mut(); count as usize];
    let code = unsafe {
        clCreateSubDevices(
            device,
            scheme.as_ptr(),
            count,
            parts.as_mut_ptr(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    Ok(parts)
}

pub fn info<T: Default>(device: cl_device_id, name: cl_device_info) -> T {
    query(|size, value, ret| unsafe { clGetDeviceInfo(device, name, size, value, ret) })
}

pub fn list<T: Clone + Default>(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> Vec<T> {
    let mut size = 0;
    assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS);
    let mut values = vec![T::default(); size / size_of::<T>()];
    assert_eq!(
        call(size, values.as_mut_ptr().cast(), null_mut()),
        CL_SUCCESS
    );
    values
}

pub fn query<T: Default>(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> T {
    let mut value = T::default();
    assert_eq!(
        call(size_of::<T>(), (&raw mut value).cast(), null_mut()),
        CL_SUCCESS
    );
    value
}

pub fn context(devices: &[cl_device_id]) -> cl_context {
    let mut code = 1;
    let count = devices.len() as u32;
    let context =
        unsafe { clCreateContext(null(), count, devices.as_ptr(), None, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    context
}

pub fn queue(context: cl_context, device: cl_device_id) -> cl_command_queue {
    let mut code = 1;
    let queue = unsafe { clCreateCommandQueueWithProperties(context, device, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    queue
}

pub fn buffer(context: cl_context, size: usize) -> cl_mem {
    let mut code = 1;
    let buffer = unsafe { clCreateBuffer(context, 0, size, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    buffer
}

pub fn program(context: cl_context, source: &str) -> cl_program {
    let mut code = 1;
    let mut text = source.as_ptr().cast();
    let length = source.len();
    let program = unsafe { clCreateProgramWithSource(context, 1, &mut text, &length, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    program
}

pub fn build(program: cl_program, devices: &[cl_device_id], options: &CStr) -> cl_int {
    let list = if devices.is_empty() {
        null()
    } else {
        devices.as_ptr()
    };
    let count = devices.len() as u32;
    unsafe { clBuildProgram(program, count, list, options.as_ptr(), None, null_mut()) }
}

pub fn kernel(program: cl_program, name: &CStr) -> Result<cl_kernel, cl_int> {
    let mut code = 1;
    let kernel = unsafe { clCreateKernel(program, name.as_ptr(), &mut code) };
    if code == CL_SUCCESS {
        Ok(kernel)
    } else {
        Err(code)
    }
}

pub fn set<T>(kernel: cl_kernel, index: u32, value: T) {
    let code = unsafe { clSetKernelArg(kernel, index, size_of::<T>(), (&raw const value).cast()) };
    assert_eq!(code, CL_SUCCESS);
}

/// Runs a kernel with so many work-items and waits.
pub fn run(queue: cl_command_queue, kernel: cl_kernel, items: usize) -> cl_int {
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &items,
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(unsafe { clFinish(queue) }, CL_SUCCESS);
    code
}

pub fn read(queue: cl_command_queue, buffer: cl_mem, count: usize) -> Vec<u32> {
    let mut values = vec![0xeeu32; count];
    let code = unsafe {
        clEnqueueReadBuffer(
            queue,
            buffer,
            CL_TRUE,
            0,
            count * 4,
            values.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    values
}

pub fn release_all(
    kernels: &[cl_kernel],
    programs: &[cl_program],
    buffers: &[cl_mem],
    queues: &[cl_command_queue],
    contexts: &[cl_context],
) {
    unsafe {
        kernels
            .iter()
            .for_each(|&k| assert_eq!(clReleaseKernel(k), CL_SUCCESS));
        programs
            .iter()
            .for_each(|&p| assert_eq!(clReleaseProgram(p), CL_SUCCESS));
        buffers
            .iter()
            .for_each(|&b| assert_eq!(clReleaseMemObject(b), CL_SUCCESS));
        queues
            .iter()
            .for_each(|&q| assert_eq!(clReleaseCommandQueue(q), CL_SUCCESS));
        contexts
            .iter()
            .for_each(|&c| assert_eq!(clReleaseContext(c), CL_SUCCESS));
    }
}
