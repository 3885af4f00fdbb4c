//! Contexts, reference counts, stale and foreign handles.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::memory::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;

use crate::rig::{Rig, context, device, platform, query, queue};

fn references(context: cl_context) -> cl_uint {
    query(|size, value, ret| unsafe {
        clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, size, value, ret)
    })
}

#[test]
fn references_are_counted() {
    let context = context();
    assert_eq!(references(context), 1);
    unsafe {
        assert_eq!(clRetainContext(context), CL_SUCCESS);
        assert_eq!(references(context), 2);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_INVALID_CONTEXT);
        assert_eq!(clRetainContext(context), CL_INVALID_CONTEXT);
    }
}

#[test]
fn a_context_lives_as_long_as_its_objects() {
    let context = context();
    let queue = queue(context, 0);
    unsafe {
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
        let of_queue: usize = query(|size, value, ret| {
            clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, size, value, ret)
        });
        assert_eq!(of_queue, context as usize);
        let mut code = 1;
        let buffer = clCreateBuffer(context, 0, 16, null_mut(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        clCreateBuffer(context, 0, 16, null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_CONTEXT);
    }
}

#[test]
fn properties_are_kept_and_checked() {
    let make = |properties: &[isize]| {
        let mut code = 1;
        let context = unsafe {
            clCreateContext(
                properties.as_ptr(),
                1,
                &device(),
                None,
                null_mut(),
                &mut code,
            )
        };
        (context, code)
    };
    let platform_id = platform() as isize;
    let (context, code) = make(&[CL_CONTEXT_PLATFORM, platform_id, 0]);
    assert_eq!(code, CL_SUCCESS);
    let kept: [isize; 3] = query(|size, value, ret| unsafe {
        clGetContextInfo(context, CL_CONTEXT_PROPERTIES, size, value, ret)
    });
    assert_eq!(kept, [CL_CONTEXT_PLATFORM, platform_id, 0]);
    assert_eq!(unsafe { clReleaseContext(context) }, CL_SUCCESS);

    assert_eq!(make(&[CL_CONTEXT_PLATFORM, 1, 0]).1, CL_INVALID_PLATFORM);
    assert_eq!(make(&[0x7777, 1, 0]).1, CL_INVALID_PROPERTY);
    let twice = [
        CL_CONTEXT_PLATFORM,
        platform_id,
        CL_CONTEXT_PLATFORM,
        platform_id,
        0,
    ];
    assert_eq!(make(&twice).1, CL_INVALID_PROPERTY);
}

#[test]
fn wrong_arguments_have_their_codes() {
    let mut code = 1;
    unsafe {
        clCreateContext(null(), 0, &device(), None, null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
        clCreateContext(null(), 1, &null_mut(), None, null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_DEVICE);
        clCreateContext(null(), 1, &device(), None, 8 as *mut _, &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
        clCreateContextFromType(null(), CL_DEVICE_TYPE_GPU, None, null_mut(), &mut code);
        assert_eq!(code, CL_DEVICE_NOT_FOUND);
        // Null for the error code is allowed.
        let none = clCreateContext(null(), 0, null(), None, null_mut(), null_mut());
        assert!(none.is_null());
    }
}

#[test]
fn no_handle_is_taken_for_another_type() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 64);
    let mut ordinary = [0usize; 16];
    unsafe {
        for handle in [
            rig.context,
            rig.queue,
            ordinary.as_mut_ptr().cast(),
            null_mut(),
        ] {
            assert_eq!(clRetainMemObject(handle), CL_INVALID_MEM_OBJECT);
            assert_eq!(clRetainEvent(handle), CL_INVALID_EVENT);
            assert_eq!(clRetainKernel(handle), CL_INVALID_KERNEL);
            assert_eq!(clRetainProgram(handle), CL_INVALID_PROGRAM);
        }
        assert_eq!(clFinish(buffer), CL_INVALID_COMMAND_QUEUE);
        assert_eq!(clReleaseContext(buffer), CL_INVALID_CONTEXT);
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn handles_can_be_shared_by_threads() {
    let context = context() as usize;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                for _ in 0..1000 {
                    let handle = context as cl_context;
                    unsafe {
                        assert_eq!(clRetainContext(handle), CL_SUCCESS);
                        assert_eq!(clReleaseContext(handle), CL_SUCCESS);
                    }
                }
            });
        }
    });
    assert_eq!(references(context as cl_context), 1);
    assert_eq!(
        unsafe { clReleaseContext(context as cl_context) },
        CL_SUCCESS
    );
}
