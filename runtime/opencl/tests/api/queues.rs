//! Queues: properties, order, independence, release with work pending.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
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
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    assert_eq!(
        make(&[properties, on_device, 0]),
        CL_INVALID_QUEUE_PROPERTIES
    );
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
