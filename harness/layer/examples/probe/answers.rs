//! What objects answer about themselves.

use crate::LACKS;
use crate::cl::{Cl, NULL, Outcome, cl, done, must};
use libc::{c_void, size_t};
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    Some(match name.strip_prefix("answer:")? {
        "context" => context(cl),
        "queue" => queue(cl),
        "memory" => memory(cl),
        "image" => image(cl),
        "pipe" => pipe(cl),
        "sampler" => sampler(cl),
        "event" => event(cl),
        "program" => program(cl),
        "build" => build(cl),
        "kernel" => kernel(cl),
        "argument" => argument(cl),
        "work-group" => work_group(cl),
        "kernels-in-program" => kernels_in_program(cl),
        "sub-devices" => sub_devices(cl),
        "formats" => formats(cl),
        _ => return None,
    })
}

/// An answer as bytes.
fn bytes<T: Copy>(value: T) -> Vec<u8> {
    let first = ptr::from_ref(&value).cast::<u8>();
    // SAFETY: numbers and addresses have no padding.
    unsafe { std::slice::from_raw_parts(first, size_of::<T>()) }.to_vec()
}

/// A query, which gets the bytes of room, the room and where its size is to be, answers this and no more, and says so.
fn answers(query: impl Fn(size_t, *mut c_void, *mut size_t) -> cl_int, wanted: &[u8]) -> Outcome {
    let mut size = 0;
    done("a query of a size", query(0, NULL, &mut size))?;
    must(size == wanted.len(), "a query says the size of its answer")?;
    let mut room = vec![0; size];
    let code = query(size, room.as_mut_ptr().cast(), ptr::null_mut());
    done("a query", code)?;
    must(room == wanted, "an object answers what it was made with")?;
    let code = query(size - 1, room.as_mut_ptr().cast(), ptr::null_mut());
    must(
        code == CL_INVALID_VALUE,
        "a query with too little room is refused",
    )?;
    let mut more = vec![0; size + 8];
    let code = query(more.len(), more.as_mut_ptr().cast(), &mut size);
    done("a query with more room than it needs", code)?;
    must(
        size == wanted.len() && more.starts_with(wanted),
        "a query with more room than it needs is answered",
    )
}

fn context(cl: &Cl) -> Outcome {
    let query = |room, value, size| cl!(cl, clGetContextInfo: clGetContextInfo_t, cl.context, CL_CONTEXT_DEVICES, room, value, size);
    answers(query, &bytes(cl.device))
}

fn queue(cl: &Cl) -> Outcome {
    let query = |room, value, size| cl!(cl, clGetCommandQueueInfo: clGetCommandQueueInfo_t, cl.queue, CL_QUEUE_DEVICE, room, value, size);
    answers(query, &bytes(cl.device))
}

fn memory(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; 64])?;
    let query = |room, value, size| cl!(cl, clGetMemObjectInfo: clGetMemObjectInfo_t, buffer, CL_MEM_SIZE, room, value, size);
    answers(query, &bytes(64_usize))
}

fn image(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    let image = cl!(cl, clCreateImage2D: clCreateImage2D_t,
        cl.context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL, &mut status);
    if image.is_null() {
        return Err(LACKS.to_owned());
    }
    let query = |room, value, size| cl!(cl, clGetImageInfo: clGetImageInfo_t, image, CL_IMAGE_WIDTH, room, value, size);
    answers(query, &bytes(4_usize))
}

fn pipe(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let pipe = cl!(cl, clCreatePipe: clCreatePipe_t,
        cl.context, CL_MEM_READ_WRITE, 4, 16, ptr::null(), &mut status);
    if pipe.is_null() {
        return Err(LACKS.to_owned());
    }
    let query = |room, value, size| cl!(cl, clGetPipeInfo: clGetPipeInfo_t, pipe, CL_PIPE_PACKET_SIZE, room, value, size);
    answers(query, &bytes(4_u32))
}

fn sampler(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let sampler = cl!(cl, clCreateSampler: clCreateSampler_t,
        cl.context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &mut status);
    if sampler.is_null() {
        return Err(LACKS.to_owned());
    }
    let query = |room, value, size| cl!(cl, clGetSamplerInfo: clGetSamplerInfo_t, sampler, CL_SAMPLER_FILTER_MODE, room, value, size);
    answers(query, &bytes(CL_FILTER_LINEAR))
}

fn event(cl: &Cl) -> Outcome {
    let event = cl.user_event()?;
    let query = |room, value, size| cl!(cl, clGetEventInfo: clGetEventInfo_t, event, CL_EVENT_COMMAND_TYPE, room, value, size);
    answers(query, &bytes(CL_COMMAND_USER))
}

fn program(cl: &Cl) -> Outcome {
    let query = |room, value, size| cl!(cl, clGetProgramInfo: clGetProgramInfo_t, cl.program, CL_PROGRAM_DEVICES, room, value, size);
    answers(query, &bytes(cl.device))
}

fn build(cl: &Cl) -> Outcome {
    let query = |room, value, size| {
        cl!(cl, clGetProgramBuildInfo: clGetProgramBuildInfo_t,
            cl.program, cl.device, CL_PROGRAM_BUILD_STATUS, room, value, size)
    };
    answers(query, &bytes(CL_BUILD_SUCCESS))
}

/// A kernel of two arguments.
fn any_kernel(cl: &Cl, program: cl_program) -> Outcome<cl_kernel> {
    let mut status = CL_SUCCESS;
    let kernel = cl!(cl, clCreateKernel: clCreateKernel_t, program, c"set".as_ptr(), &mut status);
    done("clCreateKernel", status)?;
    Ok(kernel)
}

fn kernel(cl: &Cl) -> Outcome {
    let kernel = any_kernel(cl, cl.program)?;
    let query = |room, value, size| cl!(cl, clGetKernelInfo: clGetKernelInfo_t, kernel, CL_KERNEL_NUM_ARGS, room, value, size);
    answers(query, &bytes(2_u32))
}

/// A program of this source, built with these options.
fn built(cl: &Cl, source: &std::ffi::CStr, options: &std::ffi::CStr) -> Outcome<cl_program> {
    let mut status = CL_SUCCESS;
    let mut text = source.as_ptr();
    let program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
        cl.context, 1, &mut text, ptr::null(), &mut status);
    done("clCreateProgramWithSource", status)?;
    cl.build(program, options)?;
    Ok(program)
}

fn argument(cl: &Cl) -> Outcome {
    let source = c"kernel void set(global uint *x) { x[0] = 0; }";
    let kernel = any_kernel(cl, built(cl, source, c"-cl-kernel-arg-info")?)?;
    let query = |room, value, size| {
        cl!(cl, clGetKernelArgInfo: clGetKernelArgInfo_t,
            kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, room, value, size)
    };
    answers(query, &bytes(CL_KERNEL_ARG_ADDRESS_GLOBAL))
}

fn work_group(cl: &Cl) -> Outcome {
    let source = c"kernel __attribute__((reqd_work_group_size(4, 1, 1)))
        void set(global uint *x) { x[0] = 0; }";
    let kernel = any_kernel(cl, built(cl, source, c"")?)?;
    let query = |room, value, size| {
        cl!(cl, clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_t,
            kernel, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, room, value, size)
    };
    answers(query, &bytes([4_usize, 1, 1]))
}

/// As many kernels are made as there are.
fn kernels_in_program(cl: &Cl) -> Outcome {
    let (mut kernels, mut number) = ([NULL; 64], 0);
    let status = cl!(cl, clCreateKernelsInProgram: clCreateKernelsInProgram_t,
        cl.program, 64, kernels.as_mut_ptr(), &mut number);
    done("clCreateKernelsInProgram", status)?;
    let made = kernels.iter().filter(|kernel| !kernel.is_null()).count();
    must(
        made == number as usize,
        "clCreateKernelsInProgram says how many kernels there are",
    )
}

/// A device of one compute unit is made where the device can be divided.
fn sub_devices(cl: &Cl) -> Outcome {
    let properties = [CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0];
    let (mut part, mut number) = (NULL, 0);
    let status = cl!(cl, clCreateSubDevices: clCreateSubDevices_t,
        cl.device, properties.as_ptr(), 1, &mut part, &mut number);
    if status != CL_SUCCESS {
        return Err(LACKS.into());
    }
    must(number == 1, "clCreateSubDevices says how many it makes")
}

/// Formats that every device with images has.
fn formats(cl: &Cl) -> Outcome {
    let none = cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    let (mut all, mut number) = ([none; 512], 0);
    let status = cl!(cl, clGetSupportedImageFormats: clGetSupportedImageFormats_t,
        cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 512, all.as_mut_ptr(), &mut number);
    done("clGetSupportedImageFormats", status)?;
    if number == 0 {
        return Err(LACKS.into());
    }
    let is_there = all.iter().any(|format| {
        (format.image_channel_order, format.image_channel_data_type) == (CL_RGBA, CL_FLOAT)
    });
    must(is_there, "images of four floats an element are listed")
}
