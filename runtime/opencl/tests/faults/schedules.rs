//! Scenarios as those of `latitudes`, about queues, events, work-groups and limits.

use std::ffi::c_void;
use std::ptr::null;

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone_faults::Latitude;

use crate::Scenario;
use crate::rig::{self, Notes, Rig, status};
use crate::tools::*;

pub const SHOWN: &[(Latitude, Scenario)] = &[
    (Latitude::QueueOneAtATime, ("one_command", one_command)),
    (Latitude::QueueLastFirst, ("last_first", last_first)),
    (Latitude::QueueRandom, ("any_first", any_first)),
    (Latitude::DeferredSubmission, ("unflushed", unflushed)),
    (Latitude::StatusesJump, ("jumping", jumping)),
    (Latitude::CallbacksScattered, ("scattered", scattered)),
    (Latitude::CoarseTimes, ("coarse_times", coarse_times)),
    (
        Latitude::GroupsReversed,
        ("groups_reversed", groups_reversed),
    ),
    (Latitude::GroupsRandom, ("groups_random", groups_random)),
    (Latitude::GroupsOneAtATime, ("one_group", one_group)),
    (Latitude::ItemsInLockStep, ("lock_step", lock_step)),
    (Latitude::ItemsOneByOne, ("one_by_one", one_by_one)),
    (Latitude::SmallestLimits, ("smallest", smallest)),
    (Latitude::OddSizes, ("odd", odd)),
    (Latitude::QueuesLost, ("lost", lost)),
    (Latitude::CallbacksAtOnce, ("at_once", at_once)),
];

/// Notes in `x[1]` how many of them there are at a time, at most; each gives others time to come.
const COUNTS_ITSELF: &str = "kernel void k(volatile global int *x) {
    atomic_max(&x[1], atomic_inc(&x[0]) + 1);
    for (volatile int n = 0; n < 200000 && x[1] < 2; ++n) { }
    atomic_dec(&x[0]);
}";

/// A kernel over one work-item, enqueued and not flushed.
fn unflushed_task(rig: &Rig, kernel: cl_kernel) {
    let (one, none) = ([1], std::ptr::null_mut());
    let code = unsafe {
        let (queue, one) = (rig.queue, one.as_ptr());
        clEnqueueNDRangeKernel(queue, kernel, 1, null(), one, one, 0, null(), none)
    };
    assert_eq!(code, CL_SUCCESS);
}

fn one_command() {
    let rig = out_of_order();
    let kernel = kernel(&rig, COUNTS_ITSELF);
    let out = buffer(&rig, &[0; 2]);
    set(kernel, 0, out);
    (0..4).for_each(|_| unflushed_task(&rig, kernel));
    rig.finish();
    assert_eq!(words(&rig, out, 2), [0, 1]);
}

/// The order in which some commands of an out-of-order queue run.
fn order_of_commands(count: u32) -> Vec<u32> {
    let rig = out_of_order();
    let source = "kernel void k(volatile global int *x, int id) { x[1 + atomic_inc(x)] = id; }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &vec![0; 1 + count as usize]);
    set(kernel, 0, out);
    for id in 0..count {
        set(kernel, 1, id);
        unflushed_task(&rig, kernel);
    }
    rig.finish();
    words(&rig, out, 1 + count as usize).split_off(1)
}

fn last_first() {
    assert_eq!(order_of_commands(6), [5, 4, 3, 2, 1, 0]);
}

fn any_first() {
    // Work that is begun in order may still be done by each thread that begins some before the others.
    let orders: Vec<_> = (0..16).map(|_| order_of_commands(8)).collect();
    assert!(orders.iter().any(|order| order[0] > 3), "{orders:?}");
}

fn unflushed() {
    let rig = Rig::new();
    let marker = rig.marker(&[]);
    moment();
    assert_eq!(status(marker), CL_QUEUED);
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    rig::eventually(|| status(marker) == CL_COMPLETE);
}

unsafe extern "C" fn note_status(_: cl_event, status: cl_int, notes: *mut c_void) {
    unsafe { Notes::at(notes) }.add(status);
}

fn jumping() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    let notes = Notes::default();
    for state in [CL_SUBMITTED, CL_RUNNING] {
        let code = unsafe { clSetEventCallback(marker, state, Some(note_status), notes.pointer()) };
        assert_eq!(code, CL_SUCCESS);
    }
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    moment();
    assert_eq!((status(marker), notes.seen()), (CL_QUEUED, Vec::new()));
    set_user(gate, CL_COMPLETE);
    assert_eq!(notes.wait_for(2), [CL_SUBMITTED, CL_RUNNING]);
    assert_eq!(status(marker), CL_COMPLETE);
}

fn scattered() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let notes = Notes::default();
    for _ in 0..20 {
        for state in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
            let code =
                unsafe { clSetEventCallback(gate, state, Some(note_status), notes.pointer()) };
            assert_eq!(code, CL_SUCCESS);
        }
    }
    set_user(gate, CL_COMPLETE);
    let mut told = notes.wait_for(60);
    // Those for CL_SUBMITTED were due before the others.
    let late = told.iter().rposition(|&state| state == CL_SUBMITTED);
    assert!(late > Some(20), "{told:?}");
    told.sort_unstable();
    let all = [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED];
    assert!(
        told.into_iter()
            .eq(all.into_iter().flat_map(|state| [state; 20]))
    );
}

/// The answer to a query of eight bytes.
fn of_device(name: cl_device_info) -> usize {
    rig::query(|size, value, ret| unsafe { clGetDeviceInfo(rig::device(), name, size, value, ret) })
}

fn coarse_times() {
    let resolution = of_device(CL_DEVICE_PROFILING_TIMER_RESOLUTION) as u64;
    assert_eq!(resolution, 1_000_000);
    let rig = out_of_order();
    let kernel = kernel(&rig, "kernel void k() {}");
    let event = enqueue(&rig, kernel, 1, &[]);
    assert_eq!(rig::wait(&[event]), CL_SUCCESS);
    for name in [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ] {
        let time: u64 = rig::query(|size, value, ret| unsafe {
            clGetEventProfilingInfo(event, name, size, value, ret)
        });
        assert_eq!(time % resolution, 0);
    }
}

/// The order in which 64 groups begin.
fn order_of_groups() -> Vec<u32> {
    let source =
        "kernel void k(volatile global int *x) { x[1 + atomic_inc(x)] = get_group_id(0); }";
    output(&Rig::new(), source, 65, space(&[64], &[1])).split_off(1)
}

fn groups_reversed() {
    let order = order_of_groups();
    assert!(order[0] > 48 && order[63] < 16, "{order:?}");
}

fn groups_random() {
    let order = order_of_groups();
    let moved = order.iter().zip(0..).map(|(&at, was)| at.abs_diff(was));
    assert!(moved.sum::<u32>() > 256, "{order:?}");
    let falls = order.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!(falls < 60, "{order:?}");
}

fn one_group() {
    let out = output(&Rig::new(), COUNTS_ITSELF, 2, space(&[16], &[1]));
    assert_eq!(out, [0, 1]);
}

/// Which of four work-items come when to one of four places each.
fn order_of_items() -> Vec<u32> {
    let source = "kernel void k(volatile global int *x) {
        for (int n = 0; n < 4; ++n) {
            x[1 + atomic_inc(x)] = get_local_id(0);
            for (volatile int w = 0; w < 500; ++w) { }
        }
    }";
    output(&Rig::new(), source, 17, space(&[4], &[4])).split_off(1)
}

fn lock_step() {
    assert_eq!(order_of_items(), [0, 1, 2, 3].repeat(4));
}

fn one_by_one() {
    let order = [3, 2, 1, 0].map(|item| [item; 4]);
    assert_eq!(order_of_items(), order.as_flattened());
}

fn smallest() {
    assert_eq!(of_device(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1);
    assert_eq!(of_device(CL_DEVICE_LOCAL_MEM_SIZE), 32 << 10);
    assert_eq!(of_device(CL_DEVICE_MAX_MEM_ALLOC_SIZE), 32 << 20);
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k() {}");
    let two = enqueue_on(rig.queue, kernel, space(&[4], &[2]), &[]);
    assert_eq!(two, Err(CL_INVALID_WORK_ITEM_SIZE));
    run(&rig, kernel, space(&[4], &[1]));

    let many = |of: &str, count: usize| {
        (0..count)
            .map(|n| format!("{of} a{n}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let builds = |before: &str, parameters: String| {
        build(&rig, &format!("kernel {before} void k({parameters}) {{}}")).1
    };
    let required = "__attribute__((reqd_work_group_size(2, 1, 1)))";
    assert_eq!(builds(required, String::new()), CL_BUILD_PROGRAM_FAILURE);
    for (of, most) in [("ulong", 1024 / 8), ("constant int *", 8)] {
        assert_eq!(builds("", many(of, most)), CL_SUCCESS);
        assert_eq!(builds("", many(of, most + 1)), CL_BUILD_PROGRAM_FAILURE);
    }
}

fn odd() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k() {}");
    let of_kernel = |name| {
        rig::query::<usize>(|size, value, ret| unsafe {
            clGetKernelWorkGroupInfo(kernel, rig::device(), name, size, value, ret)
        })
    };
    assert_eq!(of_kernel(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 7);
    assert_eq!(of_kernel(CL_KERNEL_WORK_GROUP_SIZE), 257);
    run(&rig, kernel, space(&[514], &[257]));
    let large = enqueue_on(rig.queue, kernel, space(&[516], &[258]), &[]);
    assert_eq!(large, Err(CL_INVALID_WORK_GROUP_SIZE));
}

fn lost() {
    let rig = Rig::new();
    let (gate, failing) = (rig.user_event(), rig.user_event());
    let target = buffer(&rig, &[0]);
    let other = fill(&rig, target, 1, 1, &[gate]);
    let fails = fill(&rig, target, 2, 1, &[failing]);
    set_user(gate, CL_COMPLETE);
    assert_eq!(rig::wait(&[other]), CL_SUCCESS);
    let gate = rig.user_event();
    let other = fill(&rig, target, 3, 1, &[gate]);
    set_user(failing, -5);
    assert_ne!(rig::wait(&[fails]), CL_SUCCESS);
    set_user(gate, CL_COMPLETE);
    assert_ne!(rig::wait(&[other]), CL_SUCCESS);
    assert_eq!(status(other), CL_OUT_OF_RESOURCES);
    let kernel = kernel(&rig, "kernel void k() {}");
    let late = enqueue_on(rig.queue, kernel, space(&[1], &[1]), &[]);
    assert_eq!(late, Err(CL_OUT_OF_RESOURCES));
}

unsafe extern "C" fn note_thread(_: cl_event, _: cl_int, thread: *mut c_void) {
    let thread = thread.cast::<Option<std::thread::ThreadId>>();
    unsafe { *thread = Some(std::thread::current().id()) };
}

fn at_once() {
    let rig = Rig::new();
    let event = rig.user_event();
    set_user(event, CL_COMPLETE);
    let place: *mut Option<std::thread::ThreadId> = Box::leak(Box::default());
    let code = unsafe { clSetEventCallback(event, CL_COMPLETE, Some(note_thread), place.cast()) };
    assert_eq!(code, CL_SUCCESS);
    moment();
    assert_eq!(unsafe { *place }, Some(std::thread::current().id()));
}
