//! Several devices in one context: what a sub-device takes over, and work that goes from one
//! device to another.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::range::*;
use touchstone::api::transfer::*;

use crate::zoo::{
    UNITS, buffer_of, built, context_of, devices, kernel_of, program_of, queue_of, set, turn,
};

const ADD: &std::ffi::CStr = c"kernel void k(global int *p, int v) { p[get_global_id(0)] += v; }";

fn halves(device: cl_device_id) -> [cl_device_id; 2] {
    let mut parts = [null_mut(); 2];
    let scheme = [CL_DEVICE_PARTITION_EQUALLY, UNITS as isize / 2, 0];
    let code =
        unsafe { clCreateSubDevices(device, scheme.as_ptr(), 2, parts.as_mut_ptr(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    parts
}

/// "If a program binary has not been built for a sub-device, the program binary associated with
/// the parent device will be used."
#[test]
fn a_sub_device_uses_what_was_built_for_its_parent() {
    let _turn = turn();
    let parent = devices()[0];
    let [part, _] = halves(parent);
    let mut grandchild = null_mut();
    let scheme = [CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0];
    let code = unsafe { clCreateSubDevices(part, scheme.as_ptr(), 1, &mut grandchild, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    let family = [parent, part, grandchild];
    let context = context_of(&family);
    let buffer = buffer_of(context, 0);
    let program = program_of(context, ADD);
    let none = |list: *const cl_device_id| unsafe {
        clBuildProgram(program, 1, list, null(), None, null_mut())
    };
    assert_eq!(none(&parent), CL_SUCCESS);
    let kernel = kernel_of(program, c"k");
    set(kernel, 0, &buffer);
    let zero = 0i32;
    for (at, device) in family.into_iter().enumerate() {
        let queue = queue_of(context, device, 0);
        let mut got = [0i32; 16];
        set(kernel, 1, &(1i32 << at));
        let mut group = 0usize;
        unsafe {
            if at == 0 {
                let pattern = (&raw const zero).cast();
                let code =
                    clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, 64, 0, null(), null_mut());
                assert_eq!(code, CL_SUCCESS);
            }
            let name = CL_KERNEL_WORK_GROUP_SIZE;
            let place = (&raw mut group).cast();
            let code = clGetKernelWorkGroupInfo(kernel, device, name, 8, place, null_mut());
            assert_eq!(code, CL_SUCCESS);
            let code = clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                null(),
                &16,
                null(),
                0,
                null(),
                null_mut(),
            );
            assert_eq!(code, CL_SUCCESS);
            let to = got.as_mut_ptr().cast();
            let code =
                clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, to, 0, null(), null_mut());
            assert_eq!(code, CL_SUCCESS);
        }
        assert!(group > 0);
        assert_eq!(got, [(2 << at) - 1; 16], "device {at} of the family");
    }
}

/// What was built for a sub-device only is not its parent's, nor its sibling's.
#[test]
fn a_parent_does_not_use_what_was_built_for_a_part() {
    let _turn = turn();
    let parent = devices()[0];
    let [part, sibling] = halves(parent);
    let context = context_of(&[parent, part, sibling]);
    let program = program_of(context, ADD);
    let code = unsafe { clBuildProgram(program, 1, &part, null(), None, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    let kernel = kernel_of(program, c"k");
    set(kernel, 0, &buffer_of(context, 0));
    set(kernel, 1, &1i32);
    let run = |device| unsafe {
        let queue = queue_of(context, device, 0);
        clEnqueueNDRangeKernel(queue, kernel, 1, null(), &16, null(), 0, null(), null_mut())
    };
    assert_eq!(run(part), CL_SUCCESS);
    assert_eq!(run(parent), CL_INVALID_PROGRAM_EXECUTABLE);
    assert_eq!(run(sibling), CL_INVALID_PROGRAM_EXECUTABLE);
}

/// A chain that goes from device to device by events alone, enqueued while its first command
/// waits for the host; what a failed link leaves undone is undone on every device.
#[test]
fn events_order_work_across_devices() {
    let _turn = turn();
    let roots = devices();
    let parts = halves(roots[0]);
    let all = [roots[0], parts[0], roots[1], parts[1]];
    let context = context_of(&all);
    let kernel = kernel_of(built(context, ADD, c""), c"k");
    let buffer = buffer_of(context, 0);
    set(kernel, 0, &buffer);
    let queues = all.map(|device| queue_of(context, device, 0));
    let zero = 0i32;
    for outcome in [CL_COMPLETE, -9] {
        let mut code = 1;
        let gate = unsafe { clCreateUserEvent(context, &mut code) };
        let mut last = null_mut();
        let pattern = (&raw const zero).cast();
        unsafe {
            let code =
                clEnqueueFillBuffer(queues[0], buffer, pattern, 4, 0, 64, 0, null(), &mut last);
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(clWaitForEvents(1, &last), CL_SUCCESS);
        }
        let mut events = vec![gate];
        for step in 0..12 {
            set(kernel, 1, &(1i32 << step));
            let list = [*events.last().expect("not empty"), gate];
            let queue = queues[step % queues.len()];
            let mut event = null_mut();
            let code = unsafe {
                clEnqueueNDRangeKernel(
                    queue,
                    kernel,
                    1,
                    null(),
                    &16,
                    null(),
                    2,
                    list.as_ptr(),
                    &mut event,
                )
            };
            assert_eq!(code, CL_SUCCESS);
            events.push(event);
        }
        let mut got = [0i32; 16];
        unsafe {
            assert_eq!(clSetUserEventStatus(gate, outcome), CL_SUCCESS);
            let done = clWaitForEvents(events.len() as u32, events.as_ptr());
            let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            assert_eq!(done, if outcome < 0 { failed } else { CL_SUCCESS });
            let to = got.as_mut_ptr().cast();
            let queue = queues[2];
            let code =
                clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, to, 0, null(), null_mut());
            assert_eq!(code, CL_SUCCESS);
        }
        assert_eq!(got, [if outcome < 0 { 0 } else { (1 << 12) - 1 }; 16]);
    }
}
