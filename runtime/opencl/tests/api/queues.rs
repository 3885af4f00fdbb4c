//! Queues: properties, order, independence, release with work pending.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use crate::rig::{
    Rig, context, device, eventually, list, query, queue, release_buffers, release_events, status,
    wait,
};

#[test]
fn properties_are_kept_and_checked() {
    let rig = Rig::with(CL_QUEUE_PROFILING_ENABLE);
    let bits: u64 = query(|size, value, ret| unsafe {
        clGetCommandQueueInfo(rig.queue, CL_QUEUE_PROPERTIES, size, value, ret)
    });
    assert_eq!(bits, CL_QUEUE_PROFILING_ENABLE);
    let array: [u64; 3] = query(|size, value, ret| unsafe {
        clGetCommandQueueInfo(rig.queue, CL_QUEUE_PROPERTIES_ARRAY, size, value, ret)
    });
    assert_eq!(
        array,
        [u64::from(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE, 0]
    );

    let make = |properties: &[u64]| {
        let mut code = 1;
        let device = device();
        unsafe {
            clCreateCommandQueueWithProperties(rig.context, device, properties.as_ptr(), &mut code);
        }
        code
    };
    let properties = u64::from(CL_QUEUE_PROPERTIES);
    assert_eq!(make(&[0x7777, 1, 0]), CL_INVALID_VALUE);
    assert_eq!(make(&[properties, 1 << 20, 0]), CL_INVALID_VALUE);
    // The number of a property in the low half only.
    assert_eq!(make(&[(1 << 32) | properties, 0, 0]), CL_INVALID_VALUE);
    assert_eq!(make(&[properties, 0, properties, 0, 0]), CL_INVALID_VALUE);
    let size = u64::from(CL_QUEUE_SIZE);
    assert_eq!(make(&[size, 4096, 0]), CL_INVALID_VALUE);
    assert_eq!(make(&[properties, CL_QUEUE_ON_DEVICE, 0]), CL_INVALID_VALUE);
    let default = CL_QUEUE_ON_DEVICE_DEFAULT;
    assert_eq!(make(&[properties, default, 0]), CL_INVALID_VALUE);
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    assert_eq!(
        make(&[properties, on_device, size, u64::MAX, 0]),
        CL_INVALID_QUEUE_PROPERTIES
    );
    // The older function knows two properties.
    let mut code = 1;
    unsafe { clCreateCommandQueue(rig.context, device(), on_device, &mut code) };
    assert_eq!(code, CL_INVALID_VALUE);
    unsafe {
        assert_eq!(
            clSetCommandQueueProperty(rig.queue, 0, CL_TRUE, null_mut()),
            CL_INVALID_OPERATION
        );
        assert_eq!(
            clSetCommandQueueProperty(rig.context, 0, CL_TRUE, null_mut()),
            CL_INVALID_COMMAND_QUEUE
        );
        assert_eq!(
            clSetDefaultDeviceCommandQueue(rig.context, device(), rig.queue),
            CL_INVALID_COMMAND_QUEUE
        );
    }
    let code =
        unsafe { clGetCommandQueueInfo(rig.queue, CL_QUEUE_SIZE, 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_COMMAND_QUEUE);
}

/// Each write goes over the one before it; only order makes the last one win.
#[test]
fn an_in_order_queue_keeps_the_order() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 8);
    let values: Vec<[u8; 8]> = (0u64..500).map(u64::to_ne_bytes).collect();
    for value in &values {
        release_events(&[rig.write(buffer, value, &[])]);
    }
    assert_eq!(rig.read(buffer, 8), values[499]);
    release_buffers(&[buffer]);
}

#[test]
fn an_in_order_queue_holds_what_comes_after_a_held_command() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 1);
    let gate = rig.user_event();
    let first = rig.write(buffer, &[1], &[gate]);
    let second = rig.write(buffer, &[2], &[]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(status(first) > CL_RUNNING && status(second) > CL_RUNNING);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    rig.finish();
    assert_eq!((status(first), status(second)), (CL_COMPLETE, CL_COMPLETE));
    assert_eq!(rig.read(buffer, 1), [2]);
    release_events(&[gate, first, second]);
    release_buffers(&[buffer]);
}

#[test]
fn an_out_of_order_queue_passes_a_held_command() {
    let rig = Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let buffer = rig.buffer(0, 1);
    let gate = rig.user_event();
    let held = rig.write(buffer, &[1], &[gate]);
    let free = rig.write(buffer, &[2], &[]);
    assert_eq!(wait(&[free]), CL_SUCCESS);
    assert!(status(held) > CL_RUNNING);

    // A barrier holds what comes after it until what came before it has ended.
    let mut barrier = null_mut();
    let code = unsafe { clEnqueueBarrierWithWaitList(rig.queue, 0, null(), &mut barrier) };
    assert_eq!(code, CL_SUCCESS);
    let after = rig.write(buffer, &[3], &[]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(status(barrier) > CL_RUNNING && status(after) > CL_RUNNING);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[after]), CL_SUCCESS);
    assert_eq!((status(held), status(barrier)), (CL_COMPLETE, CL_COMPLETE));
    assert_eq!(rig.read(buffer, 1), [3]);
    release_events(&[gate, held, free, barrier, after]);
    release_buffers(&[buffer]);
}

#[test]
fn a_marker_without_a_list_waits_for_everything_before_it() {
    let rig = Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let gate = rig.user_event();
    let held = rig.marker(&[gate]);
    let marker = rig.marker(&[]);
    let mut after = null_mut();
    assert_eq!(
        unsafe { clEnqueueMarker(rig.queue, &mut after) },
        CL_SUCCESS
    );
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(status(marker) > CL_RUNNING && status(after) > CL_RUNNING);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[held, marker, after]), CL_SUCCESS);
    release_events(&[gate, held, marker, after]);
}

/// A chain that jumps between queues, enqueued so that every queue first gets the command
/// that must come last.
#[test]
fn chains_across_queues_end_in_any_enqueue_order() {
    let rig = Rig::new();
    let other = queue(rig.context, 0);
    let gates: Vec<_> = (0..20).map(|_| rig.user_event()).collect();
    let mut events = Vec::new();
    for (at, gate) in gates.iter().enumerate() {
        let target = if at % 2 == 0 { rig.queue } else { other };
        let mut waits = vec![*gate];
        waits.extend(events.last());
        let mut event = null_mut();
        let code = unsafe {
            clEnqueueMarkerWithWaitList(target, waits.len() as u32, list(&waits), &mut event)
        };
        assert_eq!(code, CL_SUCCESS);
        events.push(event);
    }
    for gate in gates.iter().rev() {
        assert_eq!(
            unsafe { clSetUserEventStatus(*gate, CL_COMPLETE) },
            CL_SUCCESS
        );
    }
    assert_eq!(wait(&events), CL_SUCCESS);
    release_events(&events);
    release_events(&gates);
    assert_eq!(unsafe { clReleaseCommandQueue(other) }, CL_SUCCESS);
}

#[test]
fn released_queues_events_and_buffers_finish_their_work() {
    let context = context();
    let queue = queue(context, 0);
    let rig = Rig { context, queue };
    let mut memory = [0u8; 4];
    let buffer = rig.buffer_of(&mut memory, CL_MEM_USE_HOST_PTR);
    let gate = rig.user_event();
    let pending = rig.write(buffer, &[1, 2, 3, 4], &[gate]);
    let last = rig.marker(&[]);
    release_events(&[pending]);
    release_buffers(&[buffer]);
    drop(rig);
    unsafe {
        assert_eq!(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_eq!(wait(&[last]), CL_SUCCESS);
        assert_eq!(clReleaseEvent(last), CL_SUCCESS);
        assert_eq!(clReleaseEvent(gate), CL_SUCCESS);
    }
    eventually(|| unsafe { clFlush(queue) } == CL_INVALID_COMMAND_QUEUE);
    assert_eq!(memory, [1, 2, 3, 4]);
}

#[test]
fn threads_may_enqueue_to_one_queue() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let rig = Rig::with(properties);
        let queue = rig.queue as usize;
        let buffer = rig.buffer(0, 4 * 256) as usize;
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                scope.spawn(move || {
                    for at in 0..=255u8 {
                        let code = unsafe {
                            clEnqueueFillBuffer(
                                queue as cl_command_queue,
                                buffer as cl_mem,
                                (&raw const at).cast(),
                                1,
                                usize::from(thread) * 256 + usize::from(at),
                                1,
                                0,
                                null(),
                                null_mut(),
                            )
                        };
                        assert_eq!(code, CL_SUCCESS);
                    }
                });
            }
        });
        rig.finish();
        let expected: Vec<u8> = (0..4).flat_map(|_| 0..=255u8).collect();
        assert_eq!(rig.read(buffer as cl_mem, 1024), expected);
        release_buffers(&[buffer as cl_mem]);
    }
}

#[test]
fn migration_is_a_command_like_others() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 16);
    let mut event = null_mut();
    let migrate = |count, flags, event: *mut cl_event| unsafe {
        clEnqueueMigrateMemObjects(rig.queue, count, &buffer, flags, 0, null(), event)
    };
    assert_eq!(
        migrate(1, CL_MIGRATE_MEM_OBJECT_HOST, &mut event),
        CL_SUCCESS
    );
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(migrate(0, 0, null_mut()), CL_INVALID_VALUE);
    assert_eq!(migrate(1, 1 << 9, null_mut()), CL_INVALID_VALUE);
    release_events(&[event]);
    release_buffers(&[buffer]);
}

/// A barrier with a list waits for the list only, and still holds what comes after it.
#[test]
fn a_barrier_with_a_list_holds_what_comes_after_it() {
    let rig = Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let gates = [rig.user_event(), rig.user_event()];
    let before = rig.marker(&gates[..1]);
    let mut barrier = null_mut();
    let code = unsafe { clEnqueueBarrierWithWaitList(rig.queue, 1, &gates[1], &mut barrier) };
    assert_eq!(code, CL_SUCCESS);
    let buffer = rig.buffer(0, 1);
    let after = rig.write(buffer, &[1], &[]);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert!(status(barrier) > CL_RUNNING && status(after) > CL_RUNNING);
    assert_eq!(
        unsafe { clSetUserEventStatus(gates[1], CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[barrier, after]), CL_SUCCESS);
    assert!(
        status(before) > CL_RUNNING,
        "it did not wait for all before it"
    );
    assert_eq!(
        unsafe { clSetUserEventStatus(gates[0], CL_COMPLETE) },
        CL_SUCCESS
    );
    rig.finish();
    release_events(&[before, barrier, after, gates[0], gates[1]]);
    release_buffers(&[buffer]);
}

/// A native kernel that ends when as many as expected have started.
unsafe extern "C" fn meet(meeting: *mut c_void) {
    let meeting = unsafe { &**meeting.cast::<*const Meeting>() };
    meeting.came.fetch_add(1, Ordering::Relaxed);
    let start = std::time::Instant::now();
    while meeting.came.load(Ordering::Relaxed) < meeting.expected {
        if start.elapsed() > std::time::Duration::from_secs(20) {
            meeting.missed.store(true, Ordering::Relaxed);
            return;
        }
        std::thread::yield_now();
    }
}

struct Meeting {
    expected: usize,
    came: AtomicUsize,
    missed: AtomicBool,
}

impl Meeting {
    fn of(expected: usize) -> Self {
        Self {
            expected,
            came: AtomicUsize::new(0),
            missed: AtomicBool::new(false),
        }
    }

    fn enqueue(&self, queue: cl_command_queue) {
        let mut meeting = std::ptr::from_ref(self);
        let code = unsafe {
            clEnqueueNativeKernel(
                queue,
                Some(meet),
                (&raw mut meeting).cast(),
                size_of_val(&meeting),
                0,
                null(),
                null_mut(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
    }
}

/// More commands run at once than the machine has processors, if they are of as many queues.
#[test]
fn queues_go_on_whatever_the_others_do() {
    let rig = Rig::new();
    let queues: Vec<_> = (0..9).map(|_| queue(rig.context, 0)).collect();
    let meeting = Meeting::of(queues.len());
    for queue in &queues {
        meeting.enqueue(*queue);
    }
    for queue in &queues {
        assert_eq!(unsafe { clFinish(*queue) }, CL_SUCCESS);
        assert_eq!(unsafe { clReleaseCommandQueue(*queue) }, CL_SUCCESS);
    }
    assert!(!meeting.missed.load(Ordering::Relaxed));
}

#[test]
fn commands_of_an_out_of_order_queue_run_at_once() {
    let rig = Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let meeting = Meeting::of(2);
    meeting.enqueue(rig.queue);
    meeting.enqueue(rig.queue);
    rig.finish();
    assert!(!meeting.missed.load(Ordering::Relaxed));
}

/// The thread that waits may run commands itself, but none that it does not wait for: here,
/// one that ends only after the wait.
#[test]
fn who_waits_runs_nothing_else() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        for _ in 0..200 {
            let rig = Rig::with(properties);
            let other = queue(rig.context, properties);
            let awaited = rig.marker(&[]);
            let meeting = Meeting::of(2);
            meeting.enqueue(rig.queue);
            let buffer = rig.buffer(0, 4);
            let mut word = [0u8; 4];
            let code = unsafe {
                clEnqueueReadBuffer(
                    other,
                    buffer,
                    CL_TRUE,
                    0,
                    4,
                    word.as_mut_ptr().cast(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(wait(&[awaited]), CL_SUCCESS);
            meeting.came.fetch_add(1, Ordering::Relaxed);
            rig.finish();
            assert!(!meeting.missed.load(Ordering::Relaxed));
            release_events(&[awaited]);
            release_buffers(&[buffer]);
            assert_eq!(unsafe { clReleaseCommandQueue(other) }, CL_SUCCESS);
        }
    }
}
