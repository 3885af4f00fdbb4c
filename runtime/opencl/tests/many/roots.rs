//! Root devices.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::queue::*;
use touchstone::api::transfer::*;

use crate::rig::*;

#[test]
fn one_of_them_is_the_default() {
    let devices = roots();
    let mut types = devices.iter().map(|&d| info(d, CL_DEVICE_TYPE));
    assert!(types.all(|kind: cl_device_type| kind == CL_DEVICE_TYPE_CPU));
    let mut default = null_mut();
    let mut count = 0;
    let code = unsafe {
        clGetDeviceIDs(
            null_mut(),
            CL_DEVICE_TYPE_DEFAULT,
            1,
            &mut default,
            &mut count,
        )
    };
    assert_eq!((code, count, default), (CL_SUCCESS, 1, devices[0]));
}

#[test]
fn releasing_a_root_changes_nothing() {
    let device = roots()[0];
    for _ in 0..3 {
        assert_eq!(unsafe { clReleaseDevice(device) }, CL_SUCCESS);
        assert_eq!(info::<u32>(device, CL_DEVICE_REFERENCE_COUNT), 1);
    }
    assert_eq!(unsafe { clRetainDevice(device) }, CL_SUCCESS);
    assert_eq!(info::<u32>(device, CL_DEVICE_REFERENCE_COUNT), 1);
}

#[test]
fn a_context_of_a_type_has_them_all() {
    roots();
    let mut code = 1;
    let context =
        unsafe { clCreateContextFromType(null(), CL_DEVICE_TYPE_CPU, None, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let devices: Vec<usize> = list(|size, value, ret| unsafe {
        clGetContextInfo(context, CL_CONTEXT_DEVICES, size, value, ret)
    });
    let expected: Vec<usize> = roots().iter().map(|&d| d as usize).collect();
    assert_eq!(devices, expected);
    release_all(&[], &[], &[], &[], &[context]);
}

#[test]
fn a_queue_needs_a_device_of_its_context() {
    let devices = roots();
    let context = context(&devices[..2]);
    let mut code = 1;
    let queue =
        unsafe { clCreateCommandQueueWithProperties(context, devices[2], null(), &mut code) };
    assert_eq!((queue, code), (null_mut(), CL_INVALID_DEVICE));
    release_all(&[], &[], &[], &[], &[context]);
}

#[test]
fn an_event_of_one_device_holds_back_another() {
    let devices = roots();
    let context = context(&devices);
    let queues: Vec<_> = devices.iter().map(|&d| queue(context, d)).collect();
    let buffer = buffer(context, 4);
    let mut last: cl_event = null_mut();
    // Each device writes its number after the one before it has.
    for round in 0..100u32 {
        let mut event = null_mut();
        let code = unsafe {
            clEnqueueFillBuffer(
                queues[round as usize % DEVICES],
                buffer,
                (&raw const round).cast(),
                4,
                0,
                4,
                u32::from(!last.is_null()),
                if last.is_null() { null() } else { &last },
                &mut event,
            )
        };
        assert_eq!(code, CL_SUCCESS);
        if !last.is_null() {
            unsafe { touchstone::api::event::clReleaseEvent(last) };
        }
        last = event;
    }
    assert_eq!(
        unsafe { touchstone::api::event::clWaitForEvents(1, &last) },
        CL_SUCCESS
    );
    assert_eq!(read(queues[0], buffer, 1), [99]);
    unsafe { touchstone::api::event::clReleaseEvent(last) };
    release_all(&[], &[], &[buffer], &queues, &[context]);
}
