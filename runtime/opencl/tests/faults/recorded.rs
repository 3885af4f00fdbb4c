//! Command-buffers: what is recorded, in which order it is done, and who waits for it.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::command_buffer::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::transfer::*;

use crate::Scenario;
use crate::rig::{self, Rig, list, queue, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("recorded_states", recorded_states),
    ("recorded_sync_points", recorded_sync_points),
    ("recorded_barrier", recorded_barrier),
    ("recorded_in_order", recorded_in_order),
    ("recorded_arguments", recorded_arguments),
    ("recorded_commands", recorded_commands),
    ("recorded_event", recorded_event),
    ("recorded_elsewhere", recorded_elsewhere),
];

const OUT_OF_ORDER: u64 = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

/// Writes its second argument after a while.
const SLOW: &str = "kernel void k(global int *x, int value) {
    volatile int turns = 0;
    for (int n = 0; n < 400000; ++n) turns = turns + 1;
    x[0] = value;
}";

type Buffer = cl_command_buffer_khr;

fn buffer_of(queue: cl_command_queue) -> Buffer {
    let mut code = 1;
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    buffer
}

fn copied(buffer: Buffer, from: cl_mem, to: cl_mem, after: &[u32]) -> cl_int {
    let (count, list) = points(after);
    let (queue, point, handle) = (null_mut(), null_mut(), null_mut());
    unsafe {
        clCommandCopyBufferKHR(
            buffer,
            queue,
            null(),
            from,
            to,
            0,
            0,
            4,
            count,
            list,
            point,
            handle,
        )
    }
}

fn points(after: &[u32]) -> (u32, *const u32) {
    match after {
        [] => (0, null()),
        after => (after.len() as u32, after.as_ptr()),
    }
}

/// Records a kernel that writes a value to a buffer.
fn writes(buffer: Buffer, kernel: cl_kernel, memory: cl_mem, value: i32) -> u32 {
    let (mut point, one) = (0, 1);
    unsafe {
        let memory = (&raw const memory).cast();
        assert_eq!(clSetKernelArg(kernel, 0, 8, memory), CL_SUCCESS);
        let value = (&raw const value).cast();
        assert_eq!(clSetKernelArg(kernel, 1, 4, value), CL_SUCCESS);
        let code = clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &one,
            null(),
            0,
            null(),
            &mut point,
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
    }
    point
}

fn barrier(buffer: Buffer) {
    let code = unsafe {
        clCommandBarrierWithWaitListKHR(
            buffer,
            null_mut(),
            null(),
            0,
            null(),
            null_mut(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

fn finalize(buffer: Buffer) {
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, CL_SUCCESS);
}

fn enqueue(
    buffer: Buffer,
    queue: Option<cl_command_queue>,
    waits: &[cl_event],
) -> (cl_event, cl_int) {
    let (mut queue, mut event) = (queue, null_mut());
    let (count, queues) = match &mut queue {
        Some(queue) => (1, std::ptr::from_mut(queue)),
        None => (0, null_mut()),
    };
    let events = waits.len() as u32;
    let code = unsafe {
        clEnqueueCommandBufferKHR(count, queues, buffer, events, list(waits), &mut event)
    };
    (event, code)
}

/// Enqueues a command-buffer and waits for its event.
fn done(buffer: Buffer) {
    let (event, code) = enqueue(buffer, None, &[]);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn number(rig: &Rig, memory: cl_mem) -> i32 {
    let bytes = rig.read(memory, 4);
    i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn memory<const N: usize>(rig: &Rig) -> [cl_mem; N] {
    let all = [(); N].map(|()| rig.buffer(0, 4));
    for buffer in all {
        let event = rig.write(buffer, &[0; 4], &[]);
        assert_eq!(wait(&[event]), CL_SUCCESS);
    }
    all
}

fn recorded_states() {
    let rig = Rig::new();
    let [a, b] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    assert_eq!(enqueue(buffer, None, &[]).1, CL_INVALID_OPERATION);
    let bad = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    assert_eq!(copied(buffer, a, b, &[77]), bad);
    finalize(buffer);
    let state: u32 = rig::query(|size, value, ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
    });
    assert_eq!(state, CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_eq!(copied(buffer, a, b, &[]), CL_INVALID_OPERATION);
    let foreign = queue(rig::context(), 0);
    let (_, code) = enqueue(buffer, Some(foreign), &[]);
    assert_eq!(code, CL_INVALID_CONTEXT);
}

fn recorded_sync_points() {
    let rig = Rig::with(OUT_OF_ORDER);
    let slow = kernel(&rig, SLOW);
    let [a, b, c] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    assert_eq!(copied(buffer, c, b, &[]), CL_SUCCESS);
    // The sync point of the first copy, the number before, is reached long before the other of the list.
    let written = writes(buffer, slow, a, 1);
    assert_eq!(copied(buffer, a, c, &[written - 1, written]), CL_SUCCESS);
    finalize(buffer);
    done(buffer);
    assert_eq!(number(&rig, c), 1);
}

fn recorded_barrier() {
    let rig = Rig::with(OUT_OF_ORDER);
    let slow = kernel(&rig, SLOW);
    let [a, b] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    writes(buffer, slow, a, 3);
    barrier(buffer);
    assert_eq!(copied(buffer, a, b, &[]), CL_SUCCESS);
    finalize(buffer);
    done(buffer);
    assert_eq!(number(&rig, b), 3);
}

fn recorded_in_order() {
    let rig = Rig::new();
    let slow = kernel(&rig, SLOW);
    let [a, b] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    writes(buffer, slow, a, 4);
    assert_eq!(copied(buffer, a, b, &[]), CL_SUCCESS);
    finalize(buffer);
    done(buffer);
    assert_eq!(number(&rig, b), 4);
}

fn recorded_arguments() {
    let rig = Rig::new();
    let slow = kernel(&rig, SLOW);
    let [a, b] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    writes(buffer, slow, a, 5);
    writes(buffer, slow, b, 6);
    finalize(buffer);
    done(buffer);
    assert_eq!([a, b].map(|memory| number(&rig, memory)), [5, 6]);
}

fn recorded_commands() {
    let rig = Rig::new();
    let [a, b] = memory(&rig);
    let write = rig.write(a, &7i32.to_ne_bytes(), &[]);
    assert_eq!(wait(&[write]), CL_SUCCESS);
    let buffer = buffer_of(rig.queue);
    assert_eq!(copied(buffer, a, b, &[]), CL_SUCCESS);
    rig.finish();
    assert_eq!(number(&rig, b), 0, "it is recorded and not enqueued");
    finalize(buffer);
    for value in [8i32, 9] {
        let write = rig.write(a, &value.to_ne_bytes(), &[]);
        assert_eq!(wait(&[write]), CL_SUCCESS);
        done(buffer);
        assert_eq!(number(&rig, b), value);
    }
}

fn recorded_event() {
    let rig = Rig::with(OUT_OF_ORDER);
    let slow = kernel(&rig, SLOW);
    let [a] = memory(&rig);
    let buffer = buffer_of(rig.queue);
    writes(buffer, slow, a, 1);
    finalize(buffer);
    let gate = rig.user_event();
    let (event, code) = enqueue(buffer, None, &[gate]);
    assert_eq!(code, CL_SUCCESS);
    moment();
    assert!(status(event) > CL_RUNNING, "it does not wait");
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(number(&rig, a), 1, "its event is complete");
}

fn recorded_elsewhere() {
    let rig = Rig::new();
    let buffer = buffer_of(rig.queue);
    finalize(buffer);
    let other = queue(rig.context, 0);
    let (event, code) = enqueue(buffer, Some(other), &[]);
    assert_eq!(code, CL_SUCCESS);
    let of: usize = rig::query(|size, value, ret| unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, size, value, ret)
    });
    assert_eq!(of, other as usize);
    assert_eq!(unsafe { clFinish(other) }, CL_SUCCESS);
}
