//! Command-buffers: what is recorded, in which order it is done, and who waits for it.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::command_buffer::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;
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
    ("updated_kernel", updated_kernel),
    ("updated_pointer", updated_pointer),
    ("updates_refused", updates_refused),
    ("late_arguments", late_arguments),
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

type Config = cl_mutable_dispatch_config_khr;

/// Writes a value at the global id, with the size of groups.
const SIZED: &str = "kernel void k(global int *x, int value) {
    x[get_global_id(0)] = value + 100 * (int)get_local_size(0);
}";

fn config(command: cl_mutable_command_khr) -> Config {
    Config {
        command,
        num_args: 0,
        num_svm_args: 0,
        num_exec_infos: 0,
        work_dim: 0,
        arg_list: null(),
        arg_svm_list: null(),
        exec_info_list: null(),
        global_work_offset: null(),
        global_work_size: null(),
        local_work_size: null(),
    }
}

fn update(buffer: Buffer, configs: &[Config]) -> cl_int {
    let types = vec![CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR; configs.len()];
    let each = configs.iter();
    let mut pointers: Vec<*const std::ffi::c_void> =
        each.map(|one| std::ptr::from_ref(one).cast()).collect();
    let count = configs.len() as u32;
    unsafe { clUpdateMutableCommandsKHR(buffer, count, types.as_ptr(), pointers.as_mut_ptr()) }
}

fn mutable(rig: &Rig, flags: u64) -> Buffer {
    let mut code = 1;
    let list = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
    let buffer = unsafe { clCreateCommandBufferKHR(1, &rig.queue, list.as_ptr(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    buffer
}

fn argument<T>(index: u32, value: &T) -> cl_mutable_dispatch_arg_khr {
    cl_mutable_dispatch_arg_khr {
        arg_index: index,
        arg_size: size_of::<T>(),
        arg_value: std::ptr::from_ref(value).cast(),
    }
}

/// Records a kernel of four work-items in groups of two, the first id of which is 1.
fn handle(buffer: Buffer, kernel: cl_kernel, fields: Option<u64>) -> cl_mutable_command_khr {
    let (mut handle, items, group, offset) = (null_mut(), 4, 2, 1);
    let list = [
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
        fields.unwrap_or(0),
        0,
    ];
    let code = unsafe {
        clCommandNDRangeKernelKHR(
            buffer,
            null_mut(),
            if fields.is_some() {
                list.as_ptr()
            } else {
                null()
            },
            kernel,
            1,
            &offset,
            &items,
            &group,
            0,
            null(),
            null_mut(),
            &mut handle,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    handle
}

fn ints(rig: &Rig, memory: cl_mem) -> Vec<i32> {
    let bytes = rig.read(memory, 32);
    let words = bytes.chunks_exact(4);
    words
        .map(|word| i32::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

fn eight(rig: &Rig) -> cl_mem {
    let memory = rig.buffer(0, 32);
    assert_eq!(wait(&[rig.write(memory, &[0; 32], &[])]), CL_SUCCESS);
    memory
}

fn set<T>(kernel: cl_kernel, index: u32, value: &T) {
    let address = std::ptr::from_ref(value).cast();
    let code = unsafe { clSetKernelArg(kernel, index, size_of::<T>(), address) };
    assert_eq!(code, CL_SUCCESS);
}

fn updated_kernel() {
    let rig = Rig::new();
    let (kernel, memory) = (kernel(&rig, SIZED), eight(&rig));
    set(kernel, 0, &memory);
    set(kernel, 1, &1i32);
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let buffer = mutable(&rig, flags);
    let command = handle(buffer, kernel, None);
    finalize(buffer);
    let gate = rig.user_event();
    let (event, code) = enqueue(buffer, None, &[gate]);
    assert_eq!(code, CL_SUCCESS);
    let value = argument(1, &2i32);
    let mut first = config(command);
    (first.num_args, first.arg_list) = (1, &value);
    assert_eq!(update(buffer, &[first]), CL_SUCCESS);
    moment();
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(
        ints(&rig, memory),
        [0, 201, 201, 201, 201, 0, 0, 0],
        "pending"
    );
    done(buffer);
    assert_eq!(
        ints(&rig, memory),
        [0, 202, 202, 202, 202, 0, 0, 0],
        "the value"
    );
    let (items, group, offset) = (3, 1, 5);
    let mut second = config(command);
    (second.global_work_size, second.local_work_size) = (&items, &group);
    assert_eq!(update(buffer, &[second]), CL_SUCCESS);
    done(buffer);
    assert_eq!(
        ints(&rig, memory),
        [0, 102, 102, 102, 202, 0, 0, 0],
        "the sizes"
    );
    let mut third = config(command);
    third.global_work_offset = &offset;
    assert_eq!(update(buffer, &[third]), CL_SUCCESS);
    let size: usize = rig::query(|size, value, ret| unsafe {
        let name = CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR;
        clGetMutableCommandInfoKHR(command, name, size, value, ret)
    });
    assert_eq!(size, 3);
    done(buffer);
    assert_eq!(
        ints(&rig, memory),
        [0, 102, 102, 102, 202, 102, 102, 102],
        "the offset"
    );
    let one = 1;
    let code = unsafe {
        clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            null(),
            &one,
            &one,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
    assert_eq!(ints(&rig, memory)[0], 101, "the kernel");
}

fn updated_pointer() {
    let rig = Rig::new();
    let kernel = kernel(&rig, SIZED);
    let memory = eight(&rig);
    set(kernel, 0, &memory);
    set(kernel, 1, &1i32);
    let buffer = mutable(&rig, CL_COMMAND_BUFFER_MUTABLE_KHR);
    let command = handle(buffer, kernel, None);
    finalize(buffer);
    let shared = unsafe { clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 32, 0) };
    let pointer = cl_mutable_dispatch_arg_khr {
        arg_index: 0,
        arg_size: 0,
        arg_value: shared,
    };
    let mut one = config(command);
    (one.num_svm_args, one.arg_svm_list) = (1, &pointer);
    assert_eq!(update(buffer, &[one]), CL_SUCCESS);
    done(buffer);
    assert_eq!(ints(&rig, memory), [0; 8]);
}

fn updates_refused() {
    let rig = Rig::new();
    let (kernel, memory) = (kernel(&rig, SIZED), eight(&rig));
    set(kernel, 0, &memory);
    set(kernel, 1, &1i32);
    let buffer = mutable(&rig, CL_COMMAND_BUFFER_MUTABLE_KHR);
    // The last of the two is the one whose value is seen.
    let still = handle(buffer, kernel, Some(0));
    let command = handle(buffer, kernel, None);
    finalize(buffer);
    let value = argument(1, &2i32);
    let mut good = config(command);
    (good.num_args, good.arg_list) = (1, &value);
    let mut bad = good;
    bad.command = still;
    assert_eq!(update(buffer, &[good, bad]), CL_INVALID_OPERATION);
    done(buffer);
    assert_eq!(ints(&rig, memory)[1], 201, "nothing is kept");
    let items = 3;
    let mut uneven = config(command);
    uneven.global_work_size = &items;
    assert_eq!(update(buffer, &[uneven]), CL_INVALID_OPERATION);
    let plain = mutable(&rig, 0);
    good.command = handle(plain, kernel, None);
    finalize(plain);
    assert_eq!(update(plain, &[good]), CL_INVALID_OPERATION);
}

fn late_arguments() {
    let rig = Rig::new();
    let kernel = kernel(&rig, SIZED);
    let buffer = mutable(&rig, CL_COMMAND_BUFFER_MUTABLE_KHR);
    handle(buffer, kernel, Some(CL_MUTABLE_DISPATCH_ARGUMENTS_KHR));
    finalize(buffer);
    let state: u32 = rig::query(|size, value, ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
    });
    assert_eq!(state, CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(enqueue(buffer, None, &[]).1, CL_INVALID_OPERATION);
}
