//! Handles: every entry point tells a wrong one, and counting references is safe from
//! several threads.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::image::*;
use touchstone::api::kernel::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::pipe::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::rect::*;
use touchstone::api::sampler::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use crate::kernels::kernel;
use crate::programs::built;
use crate::rig::{Rig, device, platform, query, release_buffers};

/// A call with a handle, and the code when the handle is none of its kind.
type Call = (&'static str, cl_int, fn(*mut c_void) -> cl_int);

/// Calls that report their status.
macro_rules! calls {
    ($($code:ident: $($function:ident($($arg:expr),*)),* ;)*) => {
        vec![$($((
            stringify!($function),
            $code,
            (|handle| unsafe { $function(handle, $($arg),*) }) as fn(*mut c_void) -> cl_int,
        )),*),*]
    };
}

/// Calls that make something and report through their last argument.
macro_rules! makers {
    ($($code:ident: $($function:ident($($arg:expr),*)),* ;)*) => {
        vec![$($((
            stringify!($function),
            $code,
            (|handle| {
                let mut code = 1;
                let made = unsafe { $function(handle, $($arg,)* &mut code) };
                assert!(made.is_null(), "{} made something", stringify!($function));
                code
            }) as fn(*mut c_void) -> cl_int,
        )),*),*]
    };
}

fn every_call() -> Vec<Call> {
    let mut all: Vec<Call> = calls! {
        CL_INVALID_DEVICE:
            clGetDeviceInfo(CL_DEVICE_TYPE, 0, null_mut(), null_mut()),
            clGetDeviceAndHostTimer(&mut 0, &mut 0),
            clGetHostTimer(&mut 0),
            clCreateSubDevices(null(), 0, null_mut(), null_mut()),
            clRetainDevice(),
            clReleaseDevice();
        CL_INVALID_CONTEXT:
            clRetainContext(),
            clReleaseContext(),
            clGetContextInfo(CL_CONTEXT_DEVICES, 0, null_mut(), null_mut()),
            clSetContextDestructorCallback(None, null_mut()),
            clGetSupportedImageFormats(0, CL_MEM_OBJECT_IMAGE2D, 0, null_mut(), null_mut()),
            clSetDefaultDeviceCommandQueue(device(), null_mut());
        CL_INVALID_COMMAND_QUEUE:
            clRetainCommandQueue(),
            clReleaseCommandQueue(),
            clGetCommandQueueInfo(CL_QUEUE_CONTEXT, 0, null_mut(), null_mut()),
            clSetCommandQueueProperty(0, CL_FALSE, null_mut()),
            clFlush(),
            clFinish(),
            clEnqueueReadBuffer(null_mut(), 1, 0, 0, null_mut(), 0, null(), null_mut()),
            clEnqueueWriteBuffer(null_mut(), 1, 0, 0, null(), 0, null(), null_mut()),
            clEnqueueCopyBuffer(null_mut(), null_mut(), 0, 0, 0, 0, null(), null_mut()),
            clEnqueueFillBuffer(null_mut(), null(), 0, 0, 0, 0, null(), null_mut()),
            clEnqueueReadBufferRect(
                null_mut(), 1, null(), null(), null(), 0, 0, 0, 0, null_mut(), 0, null(), null_mut()
            ),
            clEnqueueWriteBufferRect(
                null_mut(), 1, null(), null(), null(), 0, 0, 0, 0, null(), 0, null(), null_mut()
            ),
            clEnqueueCopyBufferRect(
                null_mut(), null_mut(), null(), null(), null(), 0, 0, 0, 0, 0, null(), null_mut()
            ),
            clEnqueueUnmapMemObject(null_mut(), null_mut(), 0, null(), null_mut()),
            clEnqueueMigrateMemObjects(0, null(), 0, 0, null(), null_mut()),
            clEnqueueNDRangeKernel(
                null_mut(), 1, null(), null(), null(), 0, null(), null_mut()
            ),
            clEnqueueTask(null_mut(), 0, null(), null_mut()),
            clEnqueueNativeKernel(
                None, null_mut(), 0, 0, null(), null_mut(), 0, null(), null_mut()
            ),
            clGetKernelSuggestedLocalWorkSize(null_mut(), 1, null(), null(), null_mut()),
            clEnqueueMarkerWithWaitList(0, null(), null_mut()),
            clEnqueueBarrierWithWaitList(0, null(), null_mut()),
            clEnqueueMarker(null_mut()),
            clEnqueueWaitForEvents(0, null()),
            clEnqueueBarrier(),
            clEnqueueSVMFree(0, null_mut(), None, null_mut(), 0, null(), null_mut()),
            clEnqueueSVMMemcpy(1, null_mut(), null(), 0, 0, null(), null_mut()),
            clEnqueueSVMMemFill(null_mut(), null(), 0, 0, 0, null(), null_mut()),
            clEnqueueSVMMap(1, 0, null_mut(), 0, 0, null(), null_mut()),
            clEnqueueSVMUnmap(null_mut(), 0, null(), null_mut()),
            clEnqueueSVMMigrateMem(0, null_mut(), null(), 0, 0, null(), null_mut());
        CL_INVALID_MEM_OBJECT:
            clRetainMemObject(),
            clReleaseMemObject(),
            clGetMemObjectInfo(CL_MEM_TYPE, 0, null_mut(), null_mut()),
            clSetMemObjectDestructorCallback(None, null_mut()),
            clGetImageInfo(CL_IMAGE_WIDTH, 0, null_mut(), null_mut()),
            clGetPipeInfo(CL_PIPE_PACKET_SIZE, 0, null_mut(), null_mut());
        CL_INVALID_SAMPLER:
            clRetainSampler(),
            clReleaseSampler(),
            clGetSamplerInfo(CL_SAMPLER_CONTEXT, 0, null_mut(), null_mut());
        CL_INVALID_PROGRAM:
            clRetainProgram(),
            clReleaseProgram(),
            clBuildProgram(0, null(), null(), None, null_mut()),
            clCompileProgram(0, null(), null(), 0, null(), null_mut(), None, null_mut()),
            clGetProgramInfo(CL_PROGRAM_CONTEXT, 0, null_mut(), null_mut()),
            clGetProgramBuildInfo(device(), CL_PROGRAM_BUILD_LOG, 0, null_mut(), null_mut()),
            clCreateKernelsInProgram(0, null_mut(), null_mut()),
            clSetProgramReleaseCallback(None, null_mut()),
            clSetProgramSpecializationConstant(0, 0, null());
        CL_INVALID_KERNEL:
            clRetainKernel(),
            clReleaseKernel(),
            clSetKernelArg(0, 0, null()),
            clSetKernelArgSVMPointer(0, null()),
            clSetKernelExecInfo(0, 0, null()),
            clGetKernelInfo(CL_KERNEL_CONTEXT, 0, null_mut(), null_mut()),
            clGetKernelArgInfo(0, CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut()),
            clGetKernelWorkGroupInfo(
                device(), CL_KERNEL_WORK_GROUP_SIZE, 0, null_mut(), null_mut()
            ),
            clGetKernelSubGroupInfo(device(), 0, 0, null(), 0, null_mut(), null_mut());
        CL_INVALID_EVENT:
            clRetainEvent(),
            clReleaseEvent(),
            clSetUserEventStatus(CL_COMPLETE),
            clGetEventInfo(CL_EVENT_CONTEXT, 0, null_mut(), null_mut()),
            clSetEventCallback(CL_COMPLETE, None, null_mut()),
            clGetEventProfilingInfo(CL_PROFILING_COMMAND_END, 0, null_mut(), null_mut());
    };
    let mut more: Vec<Call> = makers! {
        CL_INVALID_CONTEXT:
            clCreateCommandQueue(device(), 0),
            clCreateCommandQueueWithProperties(device(), null()),
            clCreateBuffer(0, 1, null_mut()),
            clCreateBufferWithProperties(null(), 0, 1, null_mut()),
            clCreateImage(0, null(), null(), null_mut()),
            clCreateImageWithProperties(null(), 0, null(), null(), null_mut()),
            clCreateImage2D(0, null(), 0, 0, 0, null_mut()),
            clCreateImage3D(0, null(), 0, 0, 0, 0, 0, null_mut()),
            clCreatePipe(0, 0, 0, null()),
            clCreateSampler(1, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST),
            clCreateSamplerWithProperties(null()),
            clCreateUserEvent(),
            clCreateProgramWithSource(0, null_mut(), null()),
            clCreateProgramWithBinary(0, null(), null(), null_mut(), null_mut()),
            clCreateProgramWithBuiltInKernels(0, null(), null()),
            clCreateProgramWithIL(null(), 0),
            clLinkProgram(0, null(), null(), 0, null(), None, null_mut());
        CL_INVALID_MEM_OBJECT:
            clCreateSubBuffer(0, 0, null());
        CL_INVALID_COMMAND_QUEUE:
            clEnqueueMapBuffer(null_mut(), 1, 0, 0, 0, 0, null(), null_mut());
        CL_INVALID_PROGRAM:
            clCreateKernel(null());
        CL_INVALID_KERNEL:
            clCloneKernel();
    };
    all.append(&mut more);
    all
}

/// Live objects of every kind, with the code of calls that want such an object.
struct Zoo {
    rig: Rig,
    others: [(*mut c_void, cl_int); 8],
}

impl Zoo {
    fn new() -> Self {
        let rig = Rig::new();
        let program = built(&rig, "kernel void k(global int *p) { *p = 1; }", "");
        let others = [
            (device(), CL_INVALID_DEVICE),
            (rig.context, CL_INVALID_CONTEXT),
            (rig.queue, CL_INVALID_COMMAND_QUEUE),
            (rig.buffer(0, 64), CL_INVALID_MEM_OBJECT),
            (program, CL_INVALID_PROGRAM),
            (kernel(program, c"k"), CL_INVALID_KERNEL),
            (rig.user_event(), CL_INVALID_EVENT),
            (platform(), CL_INVALID_PLATFORM),
        ];
        Self { rig, others }
    }
}

impl Drop for Zoo {
    fn drop(&mut self) {
        release_buffers(&[self.others[3].0]);
        unsafe {
            assert_eq!(clReleaseProgram(self.others[4].0), CL_SUCCESS);
            assert_eq!(clReleaseKernel(self.others[5].0), CL_SUCCESS);
            assert_eq!(clReleaseEvent(self.others[6].0), CL_SUCCESS);
        }
    }
}

#[test]
fn every_entry_point_tells_a_handle_that_is_none_of_its_kind() {
    let zoo = Zoo::new();
    let local = [0u64; 32];
    let nothing = [
        null_mut(),
        8 as *mut c_void,
        usize::MAX as *mut c_void,
        local.as_ptr().cast_mut().cast(),
        // Inside of a live object, but not its handle.
        zoo.rig.context.wrapping_byte_add(8),
    ];
    for (name, code, call) in every_call() {
        for handle in nothing {
            assert_eq!(call(handle), code, "{name} of {handle:?}");
        }
        for (handle, kind) in zoo.others {
            if kind != code {
                assert_eq!(call(handle), code, "{name} of the handle for {kind}");
            }
        }
    }
    let mut size = 0;
    for (handle, kind) in zoo.others {
        if kind != CL_INVALID_PLATFORM {
            let name = CL_PLATFORM_NAME;
            let code = unsafe { clGetPlatformInfo(handle, name, 0, null_mut(), &mut size) };
            assert_eq!(code, CL_INVALID_PLATFORM);
        }
    }
}

/// A kind of object: retain, release, and the query of its count.
type Counting = (
    unsafe extern "C" fn(*mut c_void) -> cl_int,
    unsafe extern "C" fn(*mut c_void) -> cl_int,
    fn(*mut c_void) -> cl_uint,
);

#[test]
fn references_are_counted_from_many_threads() {
    macro_rules! count {
        ($function:ident, $name:ident) => {
            |handle| query(|size, value, ret| unsafe { $function(handle, $name, size, value, ret) })
        };
    }
    let zoo = Zoo::new();
    let kinds: [Option<Counting>; 8] = [
        None,
        Some((
            clRetainContext,
            clReleaseContext,
            count!(clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT),
        )),
        Some((
            clRetainCommandQueue,
            clReleaseCommandQueue,
            count!(clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT),
        )),
        Some((
            clRetainMemObject,
            clReleaseMemObject,
            count!(clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT),
        )),
        Some((
            clRetainProgram,
            clReleaseProgram,
            count!(clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT),
        )),
        Some((
            clRetainKernel,
            clReleaseKernel,
            count!(clGetKernelInfo, CL_KERNEL_REFERENCE_COUNT),
        )),
        Some((
            clRetainEvent,
            clReleaseEvent,
            count!(clGetEventInfo, CL_EVENT_REFERENCE_COUNT),
        )),
        None,
    ];
    for ((handle, _), kind) in zoo.others.into_iter().zip(kinds) {
        let Some((retain, release, references)) = kind else {
            continue;
        };
        let address = handle as usize;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    let handle = address as *mut c_void;
                    for n in 0..500 {
                        let times = 1 + (n + thread) % 3;
                        for _ in 0..times {
                            assert_eq!(unsafe { retain(handle) }, CL_SUCCESS);
                        }
                        assert!(references(handle) > times as cl_uint);
                        for _ in 0..times {
                            assert_eq!(unsafe { release(handle) }, CL_SUCCESS);
                        }
                    }
                });
            }
        });
        assert_eq!(references(handle), 1);
    }
}

/// Threads that release the same object: it is deleted once, and all but as many releases as
/// there were references are told that there is nothing to release.
#[test]
fn the_last_reference_is_released_once() {
    let rig = Rig::new();
    for _ in 0..200 {
        let buffer = rig.buffer(0, 64) as usize;
        assert_eq!(
            unsafe { clRetainMemObject(buffer as *mut c_void) },
            CL_SUCCESS
        );
        let released: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(move || unsafe { clReleaseMemObject(buffer as *mut c_void) }))
                .collect();
            let codes = threads.into_iter().map(|thread| thread.join().unwrap());
            codes
                .inspect(|code| assert!([CL_SUCCESS, CL_INVALID_MEM_OBJECT].contains(code)))
                .filter(|&code| code == CL_SUCCESS)
                .count()
        });
        assert_eq!(released, 2);
    }
}
