//! Lists the platforms of an OpenCL library, builds a kernel on each of their devices, adds two
//! vectors with it and checks the sum.
//!
//! `vector_add LIBRARY [ROUNDS]` loads LIBRARY, for example the layer, and repeats the addition
//! ROUNDS times (once, if not said). It prints the kernel as the library reports its source. Exit code 0: every sum was right; 1: a call failed, or a sum
//! was wrong; 3: the library could not be opened.

use libc::{c_char, c_void, size_t};
use libloading::os::unix::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::process::ExitCode;
use std::ptr;

const SOURCE: &std::ffi::CStr = c"kernel void add(global const uint *a, global const uint *b, \
    global uint *sum) { size_t i = get_global_id(0); barrier(CLK_GLOBAL_MEM_FENCE); \
    sum[i] = a[i] + b[i]; }";
const LENGTH: usize = 1024;

/// Why a round failed: the function and its status, or what was wrong.
type Outcome<T> = Result<T, String>;

/// The functions of the library, looked up by name when they are called.
macro_rules! call {
    ($library:expr, $name:ident: $type:ty, ($($argument:expr),* $(,)?)) => {{
        // SAFETY: the library exports the function under its own name, with OpenCL's type.
        let function = unsafe { $library.get::<$type>(stringify!($name).as_bytes()) }
            .map_err(|_| format!("{} is not exported", stringify!($name)))?;
        let function = (*function).ok_or("NULL function")?;
        // SAFETY: live objects and local memory of the sizes that are passed along.
        unsafe { function($($argument),*) }
    }};
}

fn done(name: &str, status: cl_int) -> Outcome<()> {
    if status == CL_SUCCESS {
        Ok(())
    } else {
        Err(format!("{name}: {status}"))
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let name = arguments
        .next()
        .unwrap_or_else(|| "libOpenCL.so.1".to_owned());
    let rounds = arguments
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(1);
    // SAFETY: the user asked for this library.
    let library = match unsafe { Library::new(&name) } {
        Ok(library) => library,
        Err(error) => {
            eprintln!("{name}: {error}");
            return ExitCode::from(3);
        }
    };
    let outcome = platforms(&library).and_then(|platforms| {
        for platform in platforms {
            on_platform(&library, platform, rounds)?;
        }
        Ok(())
    });
    // Drivers keep threads and exit handlers: their code must stay where it is.
    std::mem::forget(library);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("failed: {message}");
            ExitCode::FAILURE
        }
    }
}

fn platforms(library: &Library) -> Outcome<Vec<cl_platform_id>> {
    let mut count = 0;
    let status =
        call!(library, clGetPlatformIDs: clGetPlatformIDs_t, (0, ptr::null_mut(), &mut count));
    done("clGetPlatformIDs", status)?;
    let mut platforms = vec![ptr::null_mut(); count as usize];
    let status = call!(library, clGetPlatformIDs: clGetPlatformIDs_t,
        (count, platforms.as_mut_ptr(), ptr::null_mut()));
    done("clGetPlatformIDs", status)?;
    Ok(platforms)
}

fn on_platform(library: &Library, platform: cl_platform_id, rounds: u32) -> Outcome<()> {
    let mut text = vec![0u8; 1024];
    let mut size: size_t = 0;
    let status = call!(library, clGetPlatformInfo: clGetPlatformInfo_t,
        (platform, CL_PLATFORM_NAME, text.len(), text.as_mut_ptr().cast(), &mut size));
    done("clGetPlatformInfo", status)?;
    println!("platform: {}", show(&text, size));
    let mut devices = [ptr::null_mut(); 16];
    let mut count = 0;
    let status = call!(library, clGetDeviceIDs: clGetDeviceIDs_t,
        (platform, CL_DEVICE_TYPE_ALL, 16, devices.as_mut_ptr(), &mut count));
    if status == CL_DEVICE_NOT_FOUND {
        println!("  no devices");
        return Ok(());
    }
    done("clGetDeviceIDs", status)?;
    for device in devices.into_iter().take(count as usize) {
        for info in [CL_DEVICE_NAME, CL_DEVICE_VERSION] {
            let status = call!(library, clGetDeviceInfo: clGetDeviceInfo_t,
                (device, info, text.len(), text.as_mut_ptr().cast(), &mut size));
            done("clGetDeviceInfo", status)?;
            println!("  device: {}", show(&text, size));
        }
        for _ in 0..rounds {
            add(library, device)?;
        }
        println!("  sums: {rounds} right");
    }
    Ok(())
}

fn show(text: &[u8], size: size_t) -> String {
    let text = String::from_utf8_lossy(text.get(..size).unwrap_or(text));
    text.trim_end_matches('\0').to_owned()
}

fn add(library: &Library, device: cl_device_id) -> Outcome<()> {
    let mut status = CL_SUCCESS;
    let context = call!(library, clCreateContext: clCreateContext_t,
        (ptr::null(), 1, &device, None, ptr::null_mut(), &mut status));
    done("clCreateContext", status)?;
    let queue = call!(library, clCreateCommandQueue: clCreateCommandQueue_t,
        (context, device, 0, &mut status));
    done("clCreateCommandQueue", status)?;
    let mut source = SOURCE.as_ptr();
    let program = call!(library, clCreateProgramWithSource: clCreateProgramWithSource_t,
        (context, 1, &mut source, ptr::null(), &mut status));
    done("clCreateProgramWithSource", status)?;
    let status_of_build = call!(library, clBuildProgram: clBuildProgram_t,
        (program, 0, ptr::null(), c"".as_ptr(), None, ptr::null_mut()));
    done("clBuildProgram", status_of_build)?;
    let kernel = call!(library, clCreateKernel: clCreateKernel_t,
        (program, c"add".as_ptr() as *const c_char, &mut status));
    done("clCreateKernel", status)?;
    let mut text = vec![0u8; 4096];
    let mut size: size_t = 0;
    let queried = call!(library, clGetProgramInfo: clGetProgramInfo_t,
        (program, CL_PROGRAM_SOURCE, text.len(), text.as_mut_ptr().cast(), &mut size));
    done("clGetProgramInfo", queried)?;
    println!("  source: {}", show(&text, size));
    let bytes = LENGTH * size_of::<u32>();
    let left: Vec<u32> = (0..LENGTH as u32).collect();
    let right: Vec<u32> = left.iter().map(|value| value * 7).collect();
    let mut sum = vec![0u32; LENGTH];
    let mut buffers = [ptr::null_mut(); 3];
    for (index, buffer) in buffers.iter_mut().enumerate() {
        *buffer = call!(library, clCreateBuffer: clCreateBuffer_t,
            (context, CL_MEM_READ_WRITE, bytes, ptr::null_mut(), &mut status));
        done("clCreateBuffer", status)?;
        let status = call!(library, clSetKernelArg: clSetKernelArg_t,
            (kernel, index as cl_uint, size_of::<cl_mem>(), (&raw const *buffer).cast()));
        done("clSetKernelArg", status)?;
    }
    for (buffer, data) in buffers.iter().zip([&left, &right]) {
        let data: *const c_void = data.as_ptr().cast();
        let status = call!(library, clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
            (queue, *buffer, CL_TRUE, 0, bytes, data, 0, ptr::null(), ptr::null_mut()));
        done("clEnqueueWriteBuffer", status)?;
    }
    let status = call!(library, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
        (queue, kernel, 1, ptr::null(), &LENGTH, ptr::null(), 0, ptr::null(), ptr::null_mut()));
    done("clEnqueueNDRangeKernel", status)?;
    // Not blocking: the data is there when the queue has finished.
    let status = call!(library, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
        (queue, buffers[2], CL_FALSE, 0, bytes, sum.as_mut_ptr().cast(), 0, ptr::null(),
         ptr::null_mut()));
    done("clEnqueueReadBuffer", status)?;
    let status = call!(library, clFinish: clFinish_t, (queue));
    done("clFinish", status)?;
    for buffer in buffers {
        done(
            "clReleaseMemObject",
            call!(library, clReleaseMemObject: clReleaseMemObject_t, (buffer)),
        )?;
    }
    done(
        "clReleaseKernel",
        call!(library, clReleaseKernel: clReleaseKernel_t, (kernel)),
    )?;
    done(
        "clReleaseProgram",
        call!(library, clReleaseProgram: clReleaseProgram_t, (program)),
    )?;
    done(
        "clReleaseCommandQueue",
        call!(library, clReleaseCommandQueue: clReleaseCommandQueue_t, (queue)),
    )?;
    done(
        "clReleaseContext",
        call!(library, clReleaseContext: clReleaseContext_t, (context)),
    )?;
    match (0..LENGTH).find(|i| sum[*i] != left[*i] + right[*i]) {
        None => Ok(()),
        Some(i) => Err(format!(
            "sum[{i}] is {}, not {}",
            sum[i],
            left[i] + right[i]
        )),
    }
}
