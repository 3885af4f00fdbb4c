//! One implementation, ready to be measured.

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

type Extension = unsafe extern "C" fn(*const std::ffi::c_char) -> *mut c_void;
type Platforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;

/// An implementation with a context, queues of both kinds and an empty kernel.
pub struct Client {
    pub name: String,
    pub api: &'static cl_icd_dispatch,
    pub context: cl_context,
    pub device: cl_device_id,
    pub in_order: cl_command_queue,
    /// A second one.
    pub other: cl_command_queue,
    pub out_of_order: cl_command_queue,
    pub nothing: cl_kernel,
}

/// Calls a function of the dispatch table.
macro_rules! call {
    ($client:expr, $name:ident($($argument:expr),* $(,)?)) => {
        unsafe { ($client.api.$name.expect(concat!(stringify!($name), " is missing")))($($argument),*) }
    };
}
pub(crate) use call;

/// Calls a function whose status must be success.
macro_rules! must {
    ($client:expr, $name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!($crate::client::call!($client, $name($($argument),*)), 0, stringify!($name))
    };
}
pub(crate) use must;

impl Client {
    /// Loads an implementation and takes its first platform and device.
    pub fn open(library: &Path) -> Result<Self, String> {
        let library = unsafe { libloading::Library::new(library) }.map_err(|e| e.to_string())?;
        // It stays: unloading runtimes is another subject.
        let library = Box::leak(Box::new(library));
        let platforms = unsafe {
            match library.get::<Platforms>(b"clIcdGetPlatformIDsKHR") {
                Ok(function) => *function,
                Err(_) => {
                    let get = library
                        .get::<Extension>(b"clGetExtensionFunctionAddress")
                        .map_err(|error| error.to_string())?;
                    let address = get(c"clIcdGetPlatformIDsKHR".as_ptr());
                    if address.is_null() {
                        return Err("it has no clIcdGetPlatformIDsKHR".into());
                    }
                    std::mem::transmute::<*mut c_void, Platforms>(address)
                }
            }
        };
        let mut platform = null_mut();
        if unsafe { platforms(1, &mut platform, null_mut()) } != CL_SUCCESS {
            return Err("it has no platform".into());
        }
        // The first word of every object of the ICD is its dispatch table.
        let api = unsafe { &**platform.cast::<*const cl_icd_dispatch>() };
        let mut client = Self {
            name: String::new(),
            api,
            context: null_mut(),
            device: null_mut(),
            in_order: null_mut(),
            other: null_mut(),
            out_of_order: null_mut(),
            nothing: null_mut(),
        };
        let all = CL_DEVICE_TYPE_ALL;
        must!(
            client,
            clGetDeviceIDs(platform, all, 1, &mut client.device, null_mut())
        );
        client.name = client.platform_name(platform);
        let mut code = 0;
        client.context = call!(
            client,
            clCreateContext(null(), 1, &client.device, None, null_mut(), &mut code)
        );
        assert_eq!(code, 0, "clCreateContext");
        client.in_order = client.queue(0);
        client.other = client.queue(0);
        client.out_of_order = client.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        client.nothing = client.kernel(c"kernel void nothing() {}", c"nothing");
        Ok(client)
    }

    fn platform_name(&self, platform: cl_platform_id) -> String {
        let mut name = vec![0u8; 256];
        let start = name.as_mut_ptr().cast();
        must!(
            self,
            clGetPlatformInfo(platform, CL_PLATFORM_NAME, 256, start, null_mut())
        );
        let text = name.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    fn queue(&self, properties: cl_command_queue_properties) -> cl_command_queue {
        let mut code = 0;
        let queue = call!(
            self,
            clCreateCommandQueue(self.context, self.device, properties, &mut code)
        );
        assert_eq!(code, 0, "clCreateCommandQueue");
        queue
    }

    fn kernel(&self, source: &CStr, name: &CStr) -> cl_kernel {
        let program = self.program(source, c"").expect("a simple kernel builds");
        let mut code = 0;
        let kernel = call!(self, clCreateKernel(program, name.as_ptr(), &mut code));
        assert_eq!(code, 0, "clCreateKernel");
        kernel
    }

    /// Builds a program, or gives the status of what failed.
    pub fn program(&self, source: &CStr, options: &CStr) -> Result<cl_program, cl_int> {
        let mut code = 0;
        let mut text = source.as_ptr();
        let program = call!(
            self,
            clCreateProgramWithSource(self.context, 1, &raw mut text, null(), &mut code)
        );
        assert_eq!(code, 0, "clCreateProgramWithSource");
        let (device, options) = (&self.device, options.as_ptr());
        match call!(
            self,
            clBuildProgram(program, 1, device, options, None, null_mut())
        ) {
            0 => Ok(program),
            failed => Err(failed),
        }
    }

    /// Enqueues the empty kernel with one work-item.
    pub fn enqueue(&self, queue: cl_command_queue, list: &[cl_event], event: *mut cl_event) {
        let one = 1usize;
        let pointer = if list.is_empty() {
            null()
        } else {
            list.as_ptr()
        };
        must!(
            self,
            clEnqueueNDRangeKernel(
                queue,
                self.nothing,
                1,
                null(),
                &one,
                &one,
                list.len() as cl_uint,
                pointer,
                event
            )
        );
    }

    pub fn finish(&self, queue: cl_command_queue) {
        must!(self, clFinish(queue));
    }

    pub fn wait(&self, event: cl_event) {
        must!(self, clWaitForEvents(1, &event));
    }

    pub fn release(&self, event: cl_event) {
        must!(self, clReleaseEvent(event));
    }
}
