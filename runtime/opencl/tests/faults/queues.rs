//! Wait lists and the orders of queues.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;
use touchstone::api::sync::*;

use crate::Scenario;
use crate::rig::{self, Rig, device, list, platform, queue, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("list_of_fill", || held(fill_command)),
    ("list_of_kernel", || held(kernel_command)),
    ("list_of_marker", || held(|rig, list| rig.marker(list))),
    ("list_of_barrier", || held(barrier_command)),
    ("list_of_map", || held(map_command)),
    ("list_of_unmap", || held(unmap_command)),
    ("list_of_svm", || held(svm_command)),
    ("list_of_native", || held(native_command)),
    ("list_of_built_in", || held(built_in_command)),
    ("list_of_migration", || held(migration_command)),
    ("list_last", list_last),
    ("list_first", list_first),
    ("other_queue", other_queue),
    ("other_device", other_device),
    ("foreign_event", foreign_event),
    ("in_order", in_order),
    ("in_order_kinds", in_order_kinds),
    ("marker_all", marker_all),
    ("barrier_all", barrier_all),
    ("barrier_holds", barrier_holds),
    ("barrier_list_holds", barrier_list_holds),
    ("independent", independent),
    ("threads", threads),
    ("creation", creation),
    ("locks", locks),
];

fn is_held(event: cl_event) {
    assert!(status(event) > CL_RUNNING, "it does not wait");
}

/// A command that waits for a user event, and for one that has ended already, is held.
fn held(enqueue: impl Fn(&Rig, &[cl_event]) -> cl_event) {
    let rig = out_of_order();
    let (gate, done) = (rig.user_event(), rig.user_event());
    set_user(done, CL_COMPLETE);
    let event = enqueue(&rig, &[gate, done]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn fill_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    fill(rig, rig.buffer(0, 64), 1, 16, wait)
}

fn kernel_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    enqueue(rig, kernel(rig, "kernel void k() {}"), 1, wait)
}

fn barrier_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let count = wait.len() as u32;
    let code = unsafe { clEnqueueBarrierWithWaitList(rig.queue, count, list(wait), &mut event) };
    assert_eq!(code, CL_SUCCESS);
    event
}

fn map_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let (mut event, mut code) = (null_mut(), 1);
    unsafe {
        clEnqueueMapBuffer(
            rig.queue,
            rig.buffer(0, 64),
            CL_FALSE,
            CL_MAP_READ,
            0,
            64,
            wait.len() as u32,
            list(wait),
            &mut event,
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    event
}

fn unmap_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let buffer = rig.buffer(0, 64);
    let address = map(rig, buffer, CL_MAP_READ, 0, 64).cast();
    let mut event = null_mut();
    let count = wait.len() as u32;
    let code = unsafe {
        clEnqueueUnmapMemObject(rig.queue, buffer, address, count, list(wait), &mut event)
    };
    assert_eq!(code, CL_SUCCESS);
    event
}

fn svm_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let word = 1u32;
    let code = unsafe {
        let memory = clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 64, 0);
        let pattern = (&raw const word).cast();
        let count = wait.len() as u32;
        clEnqueueSVMMemFill(
            rig.queue,
            memory,
            pattern,
            4,
            64,
            count,
            list(wait),
            &mut event,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    event
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

fn native_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let count = wait.len() as u32;
    let code = unsafe {
        clEnqueueNativeKernel(
            rig.queue,
            Some(nothing),
            null_mut(),
            0,
            0,
            null(),
            null_mut(),
            count,
            list(wait),
            &mut event,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    event
}

fn built_in_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut code = 1;
    let program = unsafe {
        let name = c"touchstone_nop".as_ptr();
        clCreateProgramWithBuiltInKernels(rig.context, 1, &device(), name, &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    enqueue(rig, kernel_of(program, "touchstone_nop"), 1, wait)
}

fn migration_command(rig: &Rig, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let buffer = rig.buffer(0, 64);
    let count = wait.len() as u32;
    let code = unsafe {
        clEnqueueMigrateMemObjects(rig.queue, 1, &buffer, 0, count, list(wait), &mut event)
    };
    assert_eq!(code, CL_SUCCESS);
    event
}

fn list_last() {
    let rig = out_of_order();
    let (first, last) = (rig.user_event(), rig.user_event());
    let event = fill_command(&rig, &[first, last]);
    set_user(first, CL_COMPLETE);
    moment();
    is_held(event);
    set_user(last, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn list_first() {
    let rig = out_of_order();
    let gate = rig.user_event();
    let before = fill_command(&rig, &[gate]);
    let event = rig.marker(&[before]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn other_queue() {
    let rig = Rig::new();
    let other = Rig {
        context: rig.context,
        queue: queue(rig.context, 0),
    };
    let gate = rig.user_event();
    let before = fill_command(&rig, &[gate]);
    let event = fill_command(&other, &[before]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    std::mem::forget(other);
}

/// Two devices, a queue each.
fn other_device() {
    let mut devices = [null_mut(); 2];
    let mut code = unsafe {
        let list = devices.as_mut_ptr();
        clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 2, list, null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    let rigs: Vec<Rig> = unsafe {
        let list = devices.as_ptr();
        let context = clCreateContext(null(), 2, list, None, null_mut(), &mut code);
        let queue = |device| Rig {
            context,
            queue: clCreateCommandQueueWithProperties(context, device, null(), &mut 0),
        };
        devices.into_iter().map(queue).collect()
    };
    let gate = rigs[0].user_event();
    let before = fill_command(&rigs[0], &[gate]);
    let event = fill_command(&rigs[1], &[before]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    // Each device finds what the other one wrote.
    let kernel = kernel_everywhere(&rigs[0], "kernel void k(global int *x) { ++*x; }");
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

fn kernel_everywhere(rig: &Rig, source: &str) -> cl_kernel {
    kernel(rig, source)
}

fn foreign_event() {
    let (rig, other) = (Rig::new(), Rig::new());
    let foreign = other.user_event();
    set_user(foreign, CL_COMPLETE);
    let mut event = null_mut();
    let code = unsafe { clEnqueueMarkerWithWaitList(rig.queue, 1, &foreign, &mut event) };
    assert_eq!(code, CL_INVALID_CONTEXT);
}

fn in_order() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0]);
    let gate = rig.user_event();
    fill(&rig, target, 1, 1, &[gate]);
    let event = fill(&rig, target, 2, 1, &[]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(words(&rig, target, 1), [2]);
}

fn in_order_kinds() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0]);
    let kernel = kernel(&rig, "kernel void k(global int *x) { *x = 1; }");
    set(kernel, 0, target);
    let gate = rig.user_event();
    enqueue(&rig, kernel, 1, &[gate]);
    let event = fill(&rig, target, 2, 1, &[]);
    moment();
    is_held(event);
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(words(&rig, target, 1), [2]);
}

fn marker_all() {
    let rig = out_of_order();
    let gate = rig.user_event();
    fill_command(&rig, &[gate]);
    let marker = rig.marker(&[]);
    moment();
    is_held(marker);
    set_user(gate, CL_COMPLETE);
    rig.finish();
}

fn barrier_all() {
    let rig = out_of_order();
    let gate = rig.user_event();
    fill_command(&rig, &[gate]);
    let barrier = barrier_command(&rig, &[]);
    moment();
    is_held(barrier);
    set_user(gate, CL_COMPLETE);
    rig.finish();
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

fn barrier_list_holds() {
    let rig = out_of_order();
    let gate = rig.user_event();
    barrier_command(&rig, &[gate]);
    let after = fill_command(&rig, &[]);
    moment();
    is_held(after);
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

/// What two threads enqueue to one queue is all done.
fn threads() {
    let rig = Rig::new();
    let counter = buffer(&rig, &[0]);
    let queue = rig.queue as usize;
    let context = rig.context as usize;
    let counter_handle = counter as usize;
    let program = program(&rig, "kernel void k(global int *x) { atomic_inc(x); }") as usize;
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                let rig = Rig {
                    context: context as cl_context,
                    queue: queue as cl_command_queue,
                };
                let kernel = kernel_of(program as cl_program, "k");
                set(kernel, 0, counter_handle as cl_mem);
                for _ in 0..20 {
                    enqueue(&rig, kernel, 1, &[]);
                }
                std::mem::forget(rig);
            });
        }
    });
    rig.finish();
    assert_eq!(words(&rig, counter, 1), [40]);
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
