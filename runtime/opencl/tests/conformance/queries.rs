//! What every query does with its buffer, whatever it is asked; and the sizes of the answers.

use std::ffi::c_void;
use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::image::*;
use touchstone::api::kernel::*;
use touchstone::api::memory::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::sampler::*;

use crate::zoo::{UNITS, Zoo, built, kernel_of, turn};

/// What is in a buffer before a query writes to it.
const UNTOUCHED: u8 = 0xa5;

/// Asks with no buffer, with one of the exact size, a larger and a smaller one; gives the size.
fn ask(what: &str, call: &dyn Fn(usize, *mut c_void, *mut usize) -> cl_int) -> usize {
    let mut size = usize::MAX;
    assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS, "{what}");
    assert_eq!(call(size, null_mut(), null_mut()), CL_SUCCESS, "{what}");
    for room in [size, size + 8] {
        let mut buffer = vec![UNTOUCHED; size + 16];
        let mut told = usize::MAX;
        let at = buffer.as_mut_ptr().cast();
        assert_eq!(call(room, at, &mut told), CL_SUCCESS, "{what}");
        assert_eq!(told, size, "{what}");
        assert!(
            buffer[size..].iter().all(|&byte| byte == UNTOUCHED),
            "{what} writes too much"
        );
    }
    if size > 0 {
        let mut buffer = vec![UNTOUCHED; size];
        let at = buffer.as_mut_ptr().cast();
        assert_eq!(call(size - 1, at, null_mut()), CL_INVALID_VALUE, "{what}");
        assert!(
            buffer.iter().all(|&byte| byte == UNTOUCHED),
            "{what} writes and refuses"
        );
    }
    size
}

/// Asks an object for several names, each with the size of its answer; 0 for any size.
macro_rules! sizes {
    ($($function:ident $given:tt { $($name:ident: $size:expr),* $(,)? })*) => {
        $($({
            let what = stringify!($name);
            let size = ask(what, &|size, value, ret| {
                called!($function $given $name, size, value, ret)
            });
            let expected: usize = $size;
            assert!(expected == 0 || size == expected, "{what} has {size} bytes");
        })*)*
    };
}

macro_rules! called {
    ($function:ident ($($given:expr),*) $($more:expr),*) => {
        unsafe { $function($($given,)* $($more),*) }
    };
}

const HANDLE: usize = size_of::<usize>();

#[test]
fn every_query_keeps_to_the_buffer_that_it_is_given() {
    let _turn = turn();
    let zoo = Zoo::new();
    sizes! {
        clGetPlatformInfo(zoo.platform) {
            CL_PLATFORM_PROFILE: 13, CL_PLATFORM_VERSION: 0, CL_PLATFORM_NAME: 0,
            CL_PLATFORM_VENDOR: 0, CL_PLATFORM_EXTENSIONS: 0, CL_PLATFORM_NUMERIC_VERSION: 4,
            CL_PLATFORM_EXTENSIONS_WITH_VERSION: 0, CL_PLATFORM_HOST_TIMER_RESOLUTION: 8,
        }
        clGetContextInfo(zoo.context) {
            CL_CONTEXT_REFERENCE_COUNT: 4, CL_CONTEXT_NUM_DEVICES: 4, CL_CONTEXT_DEVICES: HANDLE,
            CL_CONTEXT_PROPERTIES: 0,
        }
        clGetCommandQueueInfo(zoo.queue) {
            CL_QUEUE_CONTEXT: HANDLE, CL_QUEUE_DEVICE: HANDLE, CL_QUEUE_REFERENCE_COUNT: 4,
            CL_QUEUE_PROPERTIES: 8, CL_QUEUE_PROPERTIES_ARRAY: 24, CL_QUEUE_DEVICE_DEFAULT: HANDLE,
        }
        clGetMemObjectInfo(zoo.sub_buffer) {
            CL_MEM_TYPE: 4, CL_MEM_FLAGS: 8, CL_MEM_SIZE: HANDLE, CL_MEM_HOST_PTR: HANDLE,
            CL_MEM_MAP_COUNT: 4, CL_MEM_REFERENCE_COUNT: 4, CL_MEM_CONTEXT: HANDLE,
            CL_MEM_ASSOCIATED_MEMOBJECT: HANDLE, CL_MEM_OFFSET: HANDLE,
            CL_MEM_USES_SVM_POINTER: 4, CL_MEM_PROPERTIES: 0,
        }
        clGetImageInfo(zoo.plane) {
            CL_IMAGE_FORMAT: 8, CL_IMAGE_ELEMENT_SIZE: HANDLE, CL_IMAGE_ROW_PITCH: HANDLE,
            CL_IMAGE_SLICE_PITCH: HANDLE, CL_IMAGE_WIDTH: HANDLE, CL_IMAGE_HEIGHT: HANDLE,
            CL_IMAGE_DEPTH: HANDLE, CL_IMAGE_ARRAY_SIZE: HANDLE, CL_IMAGE_BUFFER: HANDLE,
            CL_IMAGE_NUM_MIP_LEVELS: 4, CL_IMAGE_NUM_SAMPLES: 4,
        }
        clGetSamplerInfo(zoo.sampler) {
            CL_SAMPLER_REFERENCE_COUNT: 4, CL_SAMPLER_CONTEXT: HANDLE,
            CL_SAMPLER_NORMALIZED_COORDS: 4, CL_SAMPLER_ADDRESSING_MODE: 4,
            CL_SAMPLER_FILTER_MODE: 4, CL_SAMPLER_PROPERTIES: 0,
        }
        clGetProgramInfo(zoo.program) {
            CL_PROGRAM_REFERENCE_COUNT: 4, CL_PROGRAM_CONTEXT: HANDLE, CL_PROGRAM_NUM_DEVICES: 4,
            CL_PROGRAM_DEVICES: HANDLE, CL_PROGRAM_SOURCE: 0, CL_PROGRAM_IL: 0,
            CL_PROGRAM_BINARY_SIZES: HANDLE, CL_PROGRAM_NUM_KERNELS: HANDLE,
            CL_PROGRAM_KERNEL_NAMES: 8, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: 4,
            CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: 4,
        }
        clGetProgramBuildInfo(zoo.program, zoo.device) {
            CL_PROGRAM_BUILD_STATUS: 4, CL_PROGRAM_BUILD_OPTIONS: 1, CL_PROGRAM_BUILD_LOG: 0,
            CL_PROGRAM_BINARY_TYPE: 4, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: HANDLE,
        }
        clGetKernelInfo(zoo.eight) {
            CL_KERNEL_FUNCTION_NAME: 6, CL_KERNEL_NUM_ARGS: 4, CL_KERNEL_REFERENCE_COUNT: 4,
            CL_KERNEL_CONTEXT: HANDLE, CL_KERNEL_PROGRAM: HANDLE, CL_KERNEL_ATTRIBUTES: 0,
        }
        clGetKernelWorkGroupInfo(zoo.kernel, zoo.device) {
            CL_KERNEL_WORK_GROUP_SIZE: HANDLE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE: 3 * HANDLE,
            CL_KERNEL_LOCAL_MEM_SIZE: 8, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: HANDLE,
            CL_KERNEL_PRIVATE_MEM_SIZE: 8,
        }
        clGetEventInfo(zoo.done) {
            CL_EVENT_COMMAND_QUEUE: HANDLE, CL_EVENT_CONTEXT: HANDLE, CL_EVENT_COMMAND_TYPE: 4,
            CL_EVENT_COMMAND_EXECUTION_STATUS: 4, CL_EVENT_REFERENCE_COUNT: 4,
        }
        clGetEventProfilingInfo(zoo.done) {
            CL_PROFILING_COMMAND_QUEUED: 8, CL_PROFILING_COMMAND_SUBMIT: 8,
            CL_PROFILING_COMMAND_START: 8, CL_PROFILING_COMMAND_END: 8,
            CL_PROFILING_COMMAND_COMPLETE: 8,
        }
    }
    let named = kernel_of(
        built(
            zoo.context,
            c"kernel void k(int first) {}",
            c"-cl-kernel-arg-info",
        ),
        c"k",
    );
    sizes! {
        clGetKernelArgInfo(named, 0) {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER: 4, CL_KERNEL_ARG_ACCESS_QUALIFIER: 4,
            CL_KERNEL_ARG_TYPE_NAME: 4, CL_KERNEL_ARG_TYPE_QUALIFIER: 8, CL_KERNEL_ARG_NAME: 6,
        }
    }
}

#[test]
fn every_query_of_a_device_keeps_to_the_buffer_that_it_is_given() {
    let _turn = turn();
    let zoo = Zoo::new();
    let call =
        |name, size, value, ret| unsafe { clGetDeviceInfo(zoo.device, name, size, value, ret) };
    let answered = (0x1000..0x1100)
        .filter(|&name| call(name, 0, null_mut(), null_mut()) == CL_SUCCESS)
        .map(|name| {
            ask(&format!("{name:#x}"), &|size, value, ret| {
                call(name, size, value, ret)
            })
        })
        .count();
    assert!(answered > 110, "{answered}");
    sizes! {
        clGetDeviceInfo(zoo.device) {
            CL_DEVICE_UUID: CL_UUID_SIZE as usize, CL_DRIVER_UUID: CL_UUID_SIZE as usize,
            CL_DEVICE_LUID_VALID: 4, CL_DEVICE_LUID: CL_LUID_SIZE as usize,
            CL_DEVICE_NODE_MASK: 4, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR: 4,
        }
    }
}

fn device_info<T: Default>(device: cl_device_id, name: cl_device_info) -> T {
    let mut value = T::default();
    let at = (&raw mut value).cast();
    let code = unsafe { clGetDeviceInfo(device, name, size_of::<T>(), at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    value
}

/// "Device UUIDs must be immutable for a given device"; every device has its own, sub-devices
/// too, and all have the driver's.
#[test]
fn devices_are_told_apart_by_their_identifiers() {
    let _turn = turn();
    let zoo = Zoo::new();
    let split = || {
        let mut parts = [null_mut(); 2];
        let scheme = [CL_DEVICE_PARTITION_EQUALLY, UNITS as isize / 2, 0];
        let code = unsafe {
            clCreateSubDevices(
                zoo.device,
                scheme.as_ptr(),
                2,
                parts.as_mut_ptr(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        parts
    };
    let (first, again) = (split(), split());
    let id = |device| device_info::<[u8; 16]>(device, CL_DEVICE_UUID);
    let all = [zoo.device, zoo.other_device, first[0], first[1]].map(id);
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one), "{all:?}");
    }
    assert_eq!(first.map(id), again.map(id), "split the same way");
    let driver = |device| device_info::<[u8; 16]>(device, CL_DRIVER_UUID);
    assert_eq!(driver(zoo.device), driver(first[1]));
    for part in first.into_iter().chain(again) {
        assert_eq!(unsafe { clReleaseDevice(part) }, CL_SUCCESS);
    }
}
