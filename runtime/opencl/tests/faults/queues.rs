//! Wait lists and the orders of queues.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;

use crate::Scenario;
use crate::rig::{self, Rig, list, queue, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("other_device", other_device),
    ("barrier_holds", barrier_holds),
    ("independent", independent),
    ("creation", creation),
    ("locks", locks),
];

fn is_held(event: cl_event) {
    assert!(status(event) > CL_RUNNING, "it does not wait");
}

fn fill_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    fill(rig, rig.buffer(0, 64), 1, 16, wait)
}

fn barrier_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let count = wait.len() as u32;
    let code = unsafe { clEnqueueBarrierWithWaitList(rig.queue, count, list(wait), &mut event) };
    assert_eq!(code, CL_SUCCESS);
    event
}

/// Two devices, a queue each.
fn other_device() {
    let rigs = two_devices();
    let gate = rigs[0].user_event();
    let before = fill_command(&rigs[0], &[gate]);
    let event = fill_command(&rigs[1], &[before]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    // Each device finds what the other one wrote.
    let kernel = kernel(&rigs[0], "kernel void k(global int *x) { ++*x; }");
    let memory = unsafe { clSVMAlloc(rigs[0].context, CL_MEM_READ_WRITE, 64, 0) };
    assert_eq!(
        unsafe {
            clEnqueueSVMMap(
                rigs[0].queue,
                CL_TRUE,
                CL_MAP_WRITE,
                memory,
                64,
                0,
                null(),
                null_mut(),
            )
        },
        CL_SUCCESS
    );
    unsafe { memory.cast::<i32>().write(0) };
    assert_eq!(
        unsafe { clEnqueueSVMUnmap(rigs[0].queue, memory, 0, null(), null_mut()) },
        CL_SUCCESS
    );
    rigs[0].finish();
    for rig in rigs.iter().chain(&rigs) {
        let code = unsafe { touchstone::api::kernel::clSetKernelArgSVMPointer(kernel, 0, memory) };
        assert_eq!(code, CL_SUCCESS);
        run(rig, kernel, space(&[1], &[1]));
    }
    let code = unsafe {
        clEnqueueSVMMap(
            rigs[0].queue,
            CL_TRUE,
            CL_MAP_READ,
            memory,
            64,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(unsafe { memory.cast::<i32>().read() }, 4);
    rigs.into_iter().for_each(std::mem::forget);
}

fn barrier_holds() {
    let rig = out_of_order();
    let gate = rig.user_event();
    fill_command(&rig, &[gate]);
    barrier_command(&rig, &[]);
    let after = [fill_command(&rig, &[]), fill_command(&rig, &[])];
    moment();
    after.into_iter().for_each(is_held);
    set_user(gate, CL_COMPLETE);
    rig.finish();
}

/// A queue that waits for nothing is not stopped by one that does, nor by one that waits for a
/// command that is enqueued later than its own.
fn independent() {
    let rig = Rig::new();
    let other = Rig {
        context: rig.context,
        queue: queue(rig.context, 0),
    };
    let gate = rig.user_event();
    let before = fill_command(&rig, &[gate]);
    let free = fill_command(&other, &[]);
    assert_eq!(wait(&[free]), CL_SUCCESS);
    let waiting = fill_command(&other, &[before]);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[waiting]), CL_SUCCESS);
    std::mem::forget(other);
}

fn creation() {
    let rig = Rig::new();
    let context = rig.context as usize;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                for _ in 0..20 {
                    let queue = rig::queue(context as cl_context, 0);
                    assert_eq!(unsafe { clReleaseCommandQueue(queue) }, CL_SUCCESS);
                }
            });
        }
    });
}

fn locks() {
    let rig = Rig::new();
    let context = rig.context as usize;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..50 {
                let mut code = 1;
                unsafe {
                    let context = context as cl_context;
                    let buffer = clCreateBuffer(context, 0, 64, null_mut(), &mut code);
                    clReleaseMemObject(buffer);
                }
            }
        });
        scope.spawn(move || {
            for _ in 0..50 {
                let mut code = 1;
                unsafe {
                    let event = clCreateUserEvent(context as cl_context, &mut code);
                    clReleaseEvent(event);
                }
            }
        });
    });
}
