//! An OpenCL library, loaded by path, and what the probes use of it.

use libc::{c_char, c_void, size_t};
use libloading::os::unix::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;
use std::time::{Duration, Instant};

/// Why a probe is not content: what the implementation did, in words.
pub type Outcome<T = ()> = Result<T, String>;

pub const NULL: *mut c_void = ptr::null_mut();

/// The kernels of the probes.
const SOURCE: &std::ffi::CStr = c"
kernel void set(global uint *x, uint value) { x[get_global_id(0)] = value; }
kernel void add(global uint *x, uint value) { x[0] += value; }
kernel void high(global uint *x, uint value) { x[0] = (uint)(get_global_id(0) >> 32) + value; }
kernel void shape(global uint *x, uint value) {
    size_t i = get_global_id(0) - value + (get_global_id(1) - value) * 16;
    atomic_inc(&x[i & 255]);
    x[256 + (i & 255)] = (uint)get_local_size(0);
}
kernel void busy(global volatile uint *x, uint value) {
    for (uint i = 0; i < value; i++) x[0] = x[0] * 3 + i;
}
";

/// Calls a function of the library.
macro_rules! cl {
    ($cl:expr, $name:ident: $type:ty, $($argument:expr),* $(,)?) => {{
        // SAFETY: the library exports the function under its own name, with OpenCL's type.
        let function = unsafe { $cl.library.get::<$type>(stringify!($name).as_bytes()) };
        match function.map(|function| *function) {
            // SAFETY: live objects and local memory of the sizes that are passed along.
            Ok(Some(function)) => unsafe { function($($argument),*) },
            Ok(None) | Err(_) => panic!("{} is not exported", stringify!($name)),
        }
    }};
}

pub(crate) use cl;

/// A status as an outcome.
pub fn done(name: &str, status: cl_int) -> Outcome {
    if status == CL_SUCCESS {
        Ok(())
    } else {
        Err(format!("{name}: {status}"))
    }
}

/// A promise that was not kept.
pub fn must(kept: bool, promise: &str) -> Outcome {
    if kept {
        Ok(())
    } else {
        Err(promise.to_owned())
    }
}

/// A library with a context, a program and three queues on its first device.
pub struct Cl {
    pub library: Library,
    pub device: cl_device_id,
    pub context: cl_context,
    pub program: cl_program,
    /// In order, with profiling.
    pub queue: cl_command_queue,
    /// Out of order.
    pub free: cl_command_queue,
    /// How long something that must not happen is waited for.
    pub patience: Duration,
    /// How long something that must happen is waited for.
    pub limit: Duration,
}

// SAFETY: OpenCL's objects may be used from any thread.
unsafe impl Sync for Cl {}

impl Cl {
    pub fn open(name: &str, patience: Duration, limit: Duration) -> Outcome<Cl> {
        // SAFETY: the user asked for this library.
        let library = unsafe { Library::new(name) }.map_err(|error| format!("{name}: {error}"))?;
        let mut cl = Cl {
            library,
            device: NULL,
            context: NULL,
            program: NULL,
            queue: NULL,
            free: NULL,
            patience,
            limit,
        };
        cl.device = cl.devices()?[0];
        cl.context = cl.another_context()?;
        let mut status = CL_SUCCESS;
        let mut source = SOURCE.as_ptr();
        cl.program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
            cl.context, 1, &mut source, ptr::null(), &mut status);
        done("clCreateProgramWithSource", status)?;
        // Remainder groups need OpenCL C 2.0, where there is one.
        if cl.build(cl.program, c"-cl-std=CL2.0").is_err() {
            cl.build(cl.program, c"")?;
        }
        cl.queue = cl.another_queue(CL_QUEUE_PROFILING_ENABLE)?;
        cl.free = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)?;
        Ok(cl)
    }

    pub fn build(&self, program: cl_program, options: &std::ffi::CStr) -> Outcome {
        let status = cl!(self, clBuildProgram: clBuildProgram_t,
            program, 0, ptr::null(), options.as_ptr(), None, NULL);
        done("clBuildProgram", status)
    }

    /// The devices of the first platform that has any, at least one.
    fn devices(&self) -> Outcome<Vec<cl_device_id>> {
        let (mut platforms, mut count) = ([NULL; 8], 0);
        let status = cl!(self, clGetPlatformIDs: clGetPlatformIDs_t,
            8, platforms.as_mut_ptr(), &mut count);
        done("clGetPlatformIDs", status)?;
        for platform in &platforms[..platforms.len().min(count as usize)] {
            let (mut devices, mut count) = ([NULL; 8], 0);
            let status = cl!(self, clGetDeviceIDs: clGetDeviceIDs_t,
                *platform, CL_DEVICE_TYPE_ALL, 8, devices.as_mut_ptr(), &mut count);
            if status == CL_SUCCESS && count > 0 {
                return Ok(devices[..devices.len().min(count as usize)].to_vec());
            }
        }
        Err(format!("clGetDeviceIDs: {CL_DEVICE_NOT_FOUND}"))
    }

    /// A context of two devices.
    pub fn two_devices(&self) -> Outcome<(cl_context, [cl_device_id; 2])> {
        let devices = self.devices()?;
        let [first, second, ..] = devices[..] else {
            return Err(crate::LACKS.to_owned());
        };
        let both = [first, second];
        let mut status = CL_SUCCESS;
        let context = cl!(self, clCreateContext: clCreateContext_t,
            ptr::null(), 2, both.as_ptr(), None, NULL, &mut status);
        done("clCreateContext", status)?;
        Ok((context, both))
    }

    pub fn another_context(&self) -> Outcome<cl_context> {
        let mut status = CL_SUCCESS;
        let context = cl!(self, clCreateContext: clCreateContext_t,
            ptr::null(), 1, &self.device, None, NULL, &mut status);
        done("clCreateContext", status)?;
        Ok(context)
    }

    pub fn another_queue(
        &self,
        properties: cl_command_queue_properties,
    ) -> Outcome<cl_command_queue> {
        let mut status = CL_SUCCESS;
        let queue = cl!(self, clCreateCommandQueue: clCreateCommandQueue_t,
            self.context, self.device, properties, &mut status);
        done("clCreateCommandQueue", status)?;
        Ok(queue)
    }

    /// A buffer with this content.
    pub fn buffer(&self, content: &[u8]) -> Outcome<cl_mem> {
        let mut status = CL_SUCCESS;
        let buffer = cl!(self, clCreateBuffer: clCreateBuffer_t,
            self.context, CL_MEM_READ_WRITE, content.len(), NULL, &mut status);
        done("clCreateBuffer", status)?;
        let status = cl!(self, clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
            self.queue, buffer, CL_TRUE, 0, content.len(), content.as_ptr().cast(), 0, ptr::null(),
            ptr::null_mut());
        done("clEnqueueWriteBuffer", status)?;
        self.finish(self.queue)?;
        Ok(buffer)
    }

    /// The content of a buffer.
    pub fn content(&self, buffer: cl_mem, size: size_t) -> Outcome<Vec<u8>> {
        let mut content = vec![0u8; size];
        let status = cl!(self, clEnqueueReadBuffer: clEnqueueReadBuffer_t,
            self.queue, buffer, CL_TRUE, 0, size, content.as_mut_ptr().cast(), 0, ptr::null(),
            ptr::null_mut());
        done("clEnqueueReadBuffer", status)?;
        self.finish(self.queue)?;
        Ok(content)
    }

    /// The first word of a buffer.
    pub fn word(&self, buffer: cl_mem) -> Outcome<u32> {
        let bytes = self.content(buffer, 4)?;
        Ok(bytes.try_into().map_or(0, u32::from_ne_bytes))
    }

    pub fn kernel(&self, name: &std::ffi::CStr, buffer: cl_mem, value: u32) -> Outcome<cl_kernel> {
        let mut status = CL_SUCCESS;
        let kernel = cl!(self, clCreateKernel: clCreateKernel_t,
            self.program, name.as_ptr() as *const c_char, &mut status);
        done("clCreateKernel", status)?;
        let size = size_of::<cl_mem>();
        let status = cl!(self, clSetKernelArg: clSetKernelArg_t, kernel, 0, size, (&raw const buffer).cast());
        done("clSetKernelArg", status)?;
        self.value(kernel, value)?;
        Ok(kernel)
    }

    pub fn value(&self, kernel: cl_kernel, value: u32) -> Outcome {
        let status =
            cl!(self, clSetKernelArg: clSetKernelArg_t, kernel, 1, 4, (&raw const value).cast());
        done("clSetKernelArg", status)
    }

    /// One work-item of a kernel.
    pub fn launch(
        &self,
        queue: cl_command_queue,
        kernel: cl_kernel,
        list: &[cl_event],
    ) -> Outcome<cl_event> {
        let mut event = NULL;
        let status = cl!(self, clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
            queue, kernel, 1, ptr::null(), &1, ptr::null(), list.len() as cl_uint, at(list), &mut event);
        done("clEnqueueNDRangeKernel", status)?;
        Ok(event)
    }

    /// Fills a whole buffer of `size` bytes with a word.
    pub fn fill(
        &self,
        queue: cl_command_queue,
        buffer: cl_mem,
        word: u32,
        size: size_t,
        list: &[cl_event],
    ) -> Outcome<cl_event> {
        let mut event = NULL;
        let status = cl!(self, clEnqueueFillBuffer: clEnqueueFillBuffer_t,
            queue, buffer, (&raw const word).cast(), 4, 0, size, list.len() as cl_uint, at(list), &mut event);
        done("clEnqueueFillBuffer", status)?;
        Ok(event)
    }

    pub fn user_event(&self) -> Outcome<cl_event> {
        let mut status = CL_SUCCESS;
        let event = cl!(self, clCreateUserEvent: clCreateUserEvent_t, self.context, &mut status);
        done("clCreateUserEvent", status)?;
        Ok(event)
    }

    pub fn set(&self, event: cl_event, status: cl_int) -> Outcome {
        let status = cl!(self, clSetUserEventStatus: clSetUserEventStatus_t, event, status);
        done("clSetUserEventStatus", status)
    }

    pub fn flush(&self, queue: cl_command_queue) -> Outcome {
        done("clFlush", cl!(self, clFlush: clFlush_t, queue))
    }

    pub fn finish(&self, queue: cl_command_queue) -> Outcome {
        done("clFinish", cl!(self, clFinish: clFinish_t, queue))
    }

    pub fn wait(&self, events: &[cl_event]) -> cl_int {
        cl!(self, clWaitForEvents: clWaitForEvents_t, events.len() as cl_uint, events.as_ptr())
    }

    pub fn status(&self, event: cl_event) -> Outcome<cl_int> {
        let mut status: cl_int = 0;
        let answer = cl!(self, clGetEventInfo: clGetEventInfo_t,
            event, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (&raw mut status).cast(), ptr::null_mut());
        done("clGetEventInfo", answer)?;
        Ok(status)
    }

    /// Waits a while whether this comes true though it must not.
    pub fn never(&self, mut comes: impl FnMut() -> Outcome<bool>, promise: &str) -> Outcome {
        let begin = Instant::now();
        while begin.elapsed() < self.patience {
            must(!comes()?, promise)?;
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Waits until this comes true, as it must.
    pub fn soon(&self, mut comes: impl FnMut() -> Outcome<bool>, promise: &str) -> Outcome {
        let begin = Instant::now();
        while !comes()? {
            must(begin.elapsed() < self.limit, promise)?;
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// An event must not complete while `gate` is not set; then it must.
    pub fn gated(&self, queue: cl_command_queue, event: cl_event, gate: cl_event) -> Outcome {
        self.flush(queue)?;
        self.never(
            || Ok(self.status(event)? == CL_COMPLETE),
            "a command waits for what it must",
        )?;
        self.set(gate, CL_COMPLETE)?;
        done("clWaitForEvents", self.wait(&[event]))
    }

    /// A call that must not return while `gate` is not set; another thread sets it after a while.
    pub fn blocks(&self, gate: cl_event, call: impl FnOnce() -> Outcome) -> Outcome {
        let opened = std::sync::atomic::AtomicBool::new(false);
        let gate = gate as usize;
        std::thread::scope(|scope| {
            let opened = &opened;
            scope.spawn(move || {
                std::thread::sleep(self.patience);
                opened.store(true, std::sync::atomic::Ordering::SeqCst);
                let _ = self.set(gate as cl_event, CL_COMPLETE);
            });
            call()?;
            if !opened.load(std::sync::atomic::Ordering::SeqCst) {
                // The other thread need not be waited for.
                println!("wrong: a call returns when its command is complete");
                crate::end(1);
            }
            Ok(())
        })
    }
}

/// A wait list.
pub fn at(list: &[cl_event]) -> *const cl_event {
    if list.is_empty() {
        ptr::null()
    } else {
        list.as_ptr()
    }
}
