//! Entry points without an object, with a NULL one, and those that the driver left empty, called
//! on the fake driver from inside the test program.

mod common;

use libc::c_void;
use libloading::os::unix::Library;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;
use std::sync::OnceLock;

/// The layer over the fake driver.
fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // SAFETY: every test of this program begins here, before it touches the environment.
        unsafe { std::env::set_var("CLASSAY_LAYER_LIBRARY", common::fake_driver()) };
        // SAFETY: the layer's library, which has no initialisers of its own.
        unsafe { Library::new(common::layer()) }.expect("the layer opens")
    })
}

macro_rules! call {
    ($name:ident: $type:ty, ($($argument:expr),* $(,)?)) => {{
        // SAFETY: the layer exports the function under its own name, with OpenCL's type.
        let function = unsafe { library().get::<$type>(stringify!($name).as_bytes()) };
        let function = (*function.expect("exported")).expect("a function");
        // SAFETY: NULL where a test asks for it; else live objects and local memory.
        unsafe { function($($argument),*) }
    }};
}

const NULL: *mut c_void = ptr::null_mut();

fn platform() -> cl_platform_id {
    let mut platform = NULL;
    let status = call!(clGetPlatformIDs: clGetPlatformIDs_t, (1, &mut platform, ptr::null_mut()));
    assert_eq!(status, CL_SUCCESS);
    platform
}

fn context() -> cl_context {
    let device = platform();
    let mut status = 1;
    let context = call!(clCreateContext: clCreateContext_t,
        (ptr::null(), 1, &device, None, NULL, &mut status));
    assert_eq!(status, CL_SUCCESS);
    context
}

#[test]
fn a_null_object_is_answered_with_the_error_of_its_kind() {
    let mut status = 0;
    let mut word = 0usize;
    let value: *mut c_void = (&raw mut word).cast();
    let size = ptr::null_mut();
    assert_eq!(
        call!(clFinish: clFinish_t, (NULL)),
        CL_INVALID_COMMAND_QUEUE
    );
    assert_eq!(
        call!(clRetainContext: clRetainContext_t, (NULL)),
        CL_INVALID_CONTEXT
    );
    assert_eq!(
        call!(clReleaseMemObject: clReleaseMemObject_t, (NULL)),
        CL_INVALID_MEM_OBJECT
    );
    assert_eq!(
        call!(clReleaseSampler: clReleaseSampler_t, (NULL)),
        CL_INVALID_SAMPLER
    );
    assert_eq!(
        call!(clRetainProgram: clRetainProgram_t, (NULL)),
        CL_INVALID_PROGRAM
    );
    assert_eq!(
        call!(clReleaseKernel: clReleaseKernel_t, (NULL)),
        CL_INVALID_KERNEL
    );
    assert_eq!(
        call!(clReleaseEvent: clReleaseEvent_t, (NULL)),
        CL_INVALID_EVENT
    );
    assert_eq!(
        call!(clRetainDevice: clRetainDevice_t, (NULL)),
        CL_INVALID_DEVICE
    );
    let info = call!(clGetDeviceInfo: clGetDeviceInfo_t, (NULL, CL_DEVICE_TYPE, 8, value, size));
    assert_eq!(info, CL_INVALID_DEVICE);
    let buffer = call!(clCreateBuffer: clCreateBuffer_t, (NULL, 0, 4, NULL, &mut status));
    assert_eq!((buffer, status), (NULL, CL_INVALID_CONTEXT));
    let buffer = call!(clCreateBuffer: clCreateBuffer_t, (NULL, 0, 4, NULL, ptr::null_mut()));
    assert_eq!(buffer, NULL);
    assert_eq!(call!(clSVMAlloc: clSVMAlloc_t, (NULL, 0, 4, 0)), NULL);
    call!(clSVMFree: clSVMFree_t, (NULL, NULL));
}

#[test]
fn a_list_without_objects_is_answered_too() {
    let mut status = 0;
    let none = ptr::null();
    assert_eq!(
        call!(clWaitForEvents: clWaitForEvents_t, (0, none)),
        CL_INVALID_VALUE
    );
    assert_eq!(
        call!(clWaitForEvents: clWaitForEvents_t, (1, none)),
        CL_INVALID_VALUE
    );
    assert_eq!(
        call!(clWaitForEvents: clWaitForEvents_t, (1, &NULL)),
        CL_INVALID_EVENT
    );
    let context = call!(clCreateContext: clCreateContext_t,
        (none.cast(), 0, none, None, NULL, &mut status));
    assert_eq!((context, status), (NULL, CL_INVALID_VALUE));
    let context = call!(clCreateContext: clCreateContext_t,
        (none.cast(), 1, &NULL, None, NULL, &mut status));
    assert_eq!((context, status), (NULL, CL_INVALID_DEVICE));
}

#[test]
fn an_entry_that_the_driver_left_empty_is_an_invalid_operation() {
    let context = context();
    let mut status = 0;
    assert_eq!(
        call!(clRetainContext: clRetainContext_t, (context)),
        CL_INVALID_OPERATION
    );
    let event = call!(clCreateUserEvent: clCreateUserEvent_t, (context, &mut status));
    assert_eq!((event, status), (NULL, CL_INVALID_OPERATION));
    assert_eq!(
        call!(clUnloadCompiler: clUnloadCompiler_t, ()),
        CL_INVALID_OPERATION
    );
    let context_of_type = call!(clCreateContextFromType: clCreateContextFromType_t,
        (ptr::null(), CL_DEVICE_TYPE_ALL, None, NULL, &mut status));
    assert_eq!((context_of_type, status), (NULL, CL_INVALID_OPERATION));
    assert_eq!(
        call!(clReleaseContext: clReleaseContext_t, (context)),
        CL_SUCCESS
    );
}

#[test]
fn no_platform_means_the_first() {
    let mut name = [0u8; 16];
    let mut size = 0;
    let status = call!(clGetPlatformInfo: clGetPlatformInfo_t,
        (NULL, CL_PLATFORM_NAME, name.len(), name.as_mut_ptr().cast(), &mut size));
    assert_eq!((status, &name[..size]), (CL_SUCCESS, &b"Fake\0"[..]));
}

#[test]
fn addresses_by_name_are_the_layers_own_where_it_has_them() {
    let by_name = |name: &std::ffi::CStr| call!(clGetExtensionFunctionAddress: clGetExtensionFunctionAddress_t, (name.as_ptr()));
    let for_platform = |platform, name: &std::ffi::CStr| {
        call!(clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_t,
            (platform, name.as_ptr()))
    };
    // SAFETY: an exported function, taken as an address.
    let own = unsafe { library().get::<*mut c_void>(b"clFinish") }.expect("exported");
    assert_eq!(by_name(c"clFinish"), own.as_raw_ptr());
    assert!(!by_name(c"clFakeExtension").is_null());
    assert!(by_name(c"clNoSuchThing").is_null());
    assert!(for_platform(NULL, c"clFinish").is_null());
    // The driver left the entry empty.
    assert!(for_platform(platform(), c"clFinish").is_null());
    let icd = call!(clIcdGetPlatformIDsKHR: clGetPlatformIDs_t, (0, ptr::null_mut(), &mut 0));
    assert_eq!(icd, CL_SUCCESS);
}

#[test]
fn many_threads_may_call_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let context = context();
                    let status = call!(clReleaseContext: clReleaseContext_t, (context));
                    assert_eq!(status, CL_SUCCESS);
                }
            });
        }
    });
}
