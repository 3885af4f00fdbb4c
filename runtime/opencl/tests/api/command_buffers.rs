//! Command-buffers: recording, states, sync points, enqueues, and what is refused.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::command_buffer::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;
use touchstone::api::transfer::*;

use crate::kernels::{ints, kernel, set};
use crate::programs::built;
use crate::rig::{
    Rig, context, device, list, query, query_bytes, query_text, queue, release_buffers,
    release_events, status, wait,
};

fn create(queue: cl_command_queue, properties: Option<&[u64]>) -> (cl_command_buffer_khr, cl_int) {
    let mut code = 1;
    let properties = properties.map_or(null(), <[u64]>::as_ptr);
    let buffer = unsafe { clCreateCommandBufferKHR(1, &queue, properties, &mut code) };
    (buffer, code)
}

fn recording(rig: &Rig) -> cl_command_buffer_khr {
    let (buffer, code) = create(rig.queue, None);
    assert_eq!(code, CL_SUCCESS);
    buffer
}

fn state(buffer: cl_command_buffer_khr) -> u32 {
    query(|size, value, ret| unsafe {
        clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
    })
}

fn points(list: &[u32]) -> *const u32 {
    if list.is_empty() {
        null()
    } else {
        list.as_ptr()
    }
}

fn fill(to: cl_command_buffer_khr, memory: cl_mem, byte: u8, after: &[u32]) -> (u32, cl_int) {
    let (mut point, count) = (u32::MAX, after.len() as u32);
    let pattern = (&raw const byte).cast();
    let code = unsafe {
        clCommandFillBufferKHR(
            to,
            null_mut(),
            null(),
            memory,
            pattern,
            1,
            0,
            64,
            count,
            points(after),
            &mut point,
            null_mut(),
        )
    };
    (point, code)
}

fn copy(to: cl_command_buffer_khr, ends: [cl_mem; 2], after: &[u32]) -> u32 {
    let mut point = u32::MAX;
    let count = after.len() as u32;
    let code = unsafe {
        clCommandCopyBufferKHR(
            to,
            null_mut(),
            null(),
            ends[0],
            ends[1],
            0,
            0,
            64,
            count,
            points(after),
            &mut point,
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    point
}

fn barrier(to: cl_command_buffer_khr, after: &[u32]) -> cl_int {
    let count = after.len() as u32;
    unsafe {
        clCommandBarrierWithWaitListKHR(
            to,
            null_mut(),
            null(),
            count,
            points(after),
            null_mut(),
            null_mut(),
        )
    }
}

fn launch(to: cl_command_buffer_khr, kernel: cl_kernel, global: usize, after: &[u32]) -> u32 {
    let mut point = u32::MAX;
    let count = after.len() as u32;
    let code = unsafe {
        clCommandNDRangeKernelKHR(
            to,
            null_mut(),
            null(),
            kernel,
            1,
            null(),
            &global,
            null(),
            count,
            points(after),
            &mut point,
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    point
}

fn finalize(buffer: cl_command_buffer_khr) {
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, CL_SUCCESS);
}

fn enqueue(
    buffer: cl_command_buffer_khr,
    queue: Option<cl_command_queue>,
    waits: &[cl_event],
) -> (cl_event, cl_int) {
    let mut event = null_mut();
    let mut queue = queue;
    let (count, queues) = match &mut queue {
        Some(queue) => (1, std::ptr::from_mut(queue)),
        None => (0, null_mut()),
    };
    let code = unsafe {
        let events = waits.len() as u32;
        clEnqueueCommandBufferKHR(count, queues, buffer, events, list(waits), &mut event)
    };
    (event, code)
}

fn enqueued(buffer: cl_command_buffer_khr) -> cl_event {
    let (event, code) = enqueue(buffer, None, &[]);
    assert_eq!(code, CL_SUCCESS);
    event
}

fn release(buffer: cl_command_buffer_khr) {
    assert_eq!(unsafe { clReleaseCommandBufferKHR(buffer) }, CL_SUCCESS);
}

const ORDERS: [u64; 2] = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE];

#[test]
fn the_extension_is_reported_with_its_version_and_its_queries() {
    let extensions = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, size, value, ret)
    });
    assert!(
        extensions
            .split(' ')
            .any(|name| name == "cl_khr_command_buffer")
    );
    let info = |name| -> u64 {
        query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
    };
    let supported = info(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR);
    assert_ne!(supported & CL_QUEUE_PROFILING_ENABLE, 0);
    assert_eq!(
        info(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR),
        0
    );
    let can = info(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
    assert_ne!(can & CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR, 0);
}

#[test]
fn it_answers_what_it_was_made_of_and_is_recorded_once() {
    let rig = Rig::new();
    let properties = [
        CL_COMMAND_BUFFER_FLAGS_KHR,
        CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
        0,
    ];
    let (buffer, code) = create(rig.queue, Some(&properties));
    assert_eq!(code, CL_SUCCESS);
    let bytes = |name| {
        query_bytes(|size, value, ret| unsafe {
            clGetCommandBufferInfoKHR(buffer, name, size, value, ret)
        })
    };
    let words = |words: &[u64]| {
        words
            .iter()
            .flat_map(|w| w.to_ne_bytes())
            .collect::<Vec<u8>>()
    };
    assert_eq!(bytes(CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1u32.to_ne_bytes());
    assert_eq!(
        bytes(CL_COMMAND_BUFFER_QUEUES_KHR),
        words(&[rig.queue as u64])
    );
    assert_eq!(
        bytes(CL_COMMAND_BUFFER_CONTEXT_KHR),
        words(&[rig.context as u64])
    );
    assert_eq!(
        bytes(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR),
        words(&properties)
    );
    assert_eq!(
        bytes(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR),
        1u32.to_ne_bytes()
    );
    assert_eq!(unsafe { clRetainCommandBufferKHR(buffer) }, CL_SUCCESS);
    assert_eq!(
        bytes(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR),
        2u32.to_ne_bytes()
    );
    release(buffer);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(enqueue(buffer, None, &[]).1, CL_INVALID_OPERATION);
    finalize(buffer);
    assert_eq!(state(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    unsafe {
        assert_eq!(clFinalizeCommandBufferKHR(buffer), CL_INVALID_OPERATION);
        let code = clGetCommandBufferInfoKHR(buffer, 0x9999, 0, null_mut(), null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
        let (mut word, name) = (0u8, CL_COMMAND_BUFFER_STATE_KHR);
        let value = (&raw mut word).cast();
        let code = clGetCommandBufferInfoKHR(buffer, name, 1, value, null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
    }
    assert_eq!(barrier(buffer, &[]), CL_INVALID_OPERATION);
    // Empty as it is, it can be enqueued.
    let event = enqueued(buffer);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    release_events(&[event]);
    release(buffer);
    assert_eq!(
        unsafe { clRetainCommandBufferKHR(buffer) },
        CL_INVALID_COMMAND_BUFFER_KHR
    );
}

#[test]
fn what_is_recorded_in_a_chain_is_done_in_its_order_each_time() {
    for order in ORDERS {
        let rig = Rig::with(order);
        let [a, b, c] = [(); 3].map(|()| rig.buffer(CL_MEM_READ_WRITE, 64));
        let buffer = recording(&rig);
        let (first, code) = fill(buffer, a, 1, &[]);
        assert_eq!(code, CL_SUCCESS);
        let second = copy(buffer, [a, b], &[first]);
        let third = copy(buffer, [c, a], &[second]);
        assert!(first != second && second != third && first != third);
        assert_eq!(barrier(buffer, &[]), CL_SUCCESS);
        assert_eq!(fill(buffer, c, 7, &[]).1, CL_SUCCESS);
        finalize(buffer);
        for round in 0..20 {
            let write = rig.write(c, &[round; 64], &[]);
            let (event, code) = enqueue(buffer, None, &[write]);
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(wait(&[event]), CL_SUCCESS);
            release_events(&[write, event]);
            let seen = [a, b, c].map(|memory| rig.read(memory, 64));
            assert_eq!(seen, [[round; 64], [1; 64], [7; 64]]);
        }
        release(buffer);
        release_buffers(&[a, b, c]);
    }
}

#[test]
fn a_kernel_is_recorded_with_its_arguments_and_waits_for_sync_points() {
    const SOURCE: &str = "kernel void add(global int *to, int value) { int n = get_global_id(0); \
        for (int k = 0; k < 2000; ++k) { volatile int x = to[n]; to[n] = x; } to[n] += value; } \
        kernel void twice(global int *to) { to[get_global_id(0)] *= 2; }";
    for order in ORDERS {
        let rig = Rig::with(order);
        let program = built(&rig, SOURCE, "");
        let (add, twice) = (kernel(program, c"add"), kernel(program, c"twice"));
        let memory = rig.buffer(CL_MEM_READ_WRITE, 64);
        let buffer = recording(&rig);
        set(add, 0, memory);
        set(add, 1, 3i32);
        set(twice, 0, memory);
        let first = launch(buffer, add, 16, &[]);
        set(add, 1, 1000i32);
        let second = launch(buffer, twice, 16, &[first]);
        launch(buffer, add, 16, &[second]);
        set(add, 1, -1i32);
        finalize(buffer);
        unsafe {
            assert_eq!(clReleaseKernel(add), CL_SUCCESS);
            assert_eq!(clReleaseKernel(twice), CL_SUCCESS);
            assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        }
        let write = rig.write(memory, &[0; 64], &[]);
        let mut before = write;
        let mut wanted = 0;
        for _ in 0..3 {
            let (event, code) = enqueue(buffer, None, &[before]);
            assert_eq!(code, CL_SUCCESS);
            release_events(&[before]);
            before = event;
            wanted = (wanted + 3) * 2 + 1000;
        }
        // All that it needs is its own.
        release(buffer);
        assert_eq!(wait(&[before]), CL_SUCCESS);
        release_events(&[before]);
        assert_eq!(ints(&rig.read(memory, 64)), [wanted; 16]);
        release_buffers(&[memory]);
    }
}

#[test]
fn the_event_of_an_enqueue_is_that_of_its_commands() {
    let rig = Rig::new();
    let program = built(
        &rig,
        "kernel void one(global int *p) { p[get_global_id(0)] = 1; }",
        "",
    );
    let one = kernel(program, c"one");
    let memory = rig.buffer(CL_MEM_READ_WRITE, 64);
    set(one, 0, memory);
    let buffer = recording(&rig);
    launch(buffer, one, 16, &[]);
    finalize(buffer);
    let other = queue(rig.context, CL_QUEUE_PROFILING_ENABLE);
    for (named, runs_on) in [(None, rig.queue), (Some(other), other)] {
        let gate = rig.user_event();
        let (event, code) = enqueue(buffer, named, &[gate]);
        assert_eq!(code, CL_SUCCESS);
        assert!(status(event) > CL_RUNNING, "it waits");
        let kind: u32 = query(|size, value, ret| unsafe {
            clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret)
        });
        assert_eq!(kind, CL_COMMAND_COMMAND_BUFFER_KHR);
        let of: usize = query(|size, value, ret| unsafe {
            clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, size, value, ret)
        });
        assert_eq!(of, runs_on as usize);
        assert_eq!(
            unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
            CL_SUCCESS
        );
        assert_eq!(wait(&[event]), CL_SUCCESS);
        let names = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
            CL_PROFILING_COMMAND_COMPLETE,
        ];
        let times = names.map(|name| -> u64 {
            query(|size, value, ret| unsafe {
                clGetEventProfilingInfo(event, name, size, value, ret)
            })
        });
        assert!(times.is_sorted() && times[0] != 0, "{times:?}");
        release_events(&[gate, event]);
    }
    unsafe { assert_eq!(clReleaseCommandQueue(other), CL_SUCCESS) };
    release(buffer);
    crate::kernels::release(one, program);
    release_buffers(&[memory]);
}

#[test]
fn one_that_fails_fails_its_enqueue_and_those_that_wait() {
    let rig = Rig::new();
    let program = built(
        &rig,
        "kernel void far(global int *p) { p[1 << 20] = 1; }",
        "",
    );
    let far = kernel(program, c"far");
    let memory = rig.buffer(CL_MEM_READ_WRITE, 64);
    set(far, 0, memory);
    let buffer = recording(&rig);
    let point = launch(buffer, far, 1, &[]);
    assert_eq!(fill(buffer, memory, 9, &[point]).1, CL_SUCCESS);
    finalize(buffer);
    let event = enqueued(buffer);
    assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert!(status(event) < 0);
    assert_ne!(
        rig.read(memory, 64),
        [9; 64],
        "its sync point was not reached"
    );
    release_events(&[event]);
    release(buffer);
    crate::kernels::release(far, program);
    release_buffers(&[memory]);
}

#[test]
fn shared_memory_is_copied_and_filled_and_may_be_in_flight_twice() {
    let rig = Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let memory = unsafe { clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 128, 0) };
    let (from, to): (*mut u8, *mut u8) = (memory.cast(), unsafe { memory.cast::<u8>().add(64) });
    let properties = [
        CL_COMMAND_BUFFER_FLAGS_KHR,
        CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR,
        0,
    ];
    let (buffer, code) = create(rig.queue, Some(&properties));
    assert_eq!(code, CL_SUCCESS);
    let (pattern, mut point) = (5u8, 0);
    unsafe {
        let pattern: *const c_void = (&raw const pattern).cast();
        let fill = clCommandSVMMemFillKHR(
            buffer,
            null_mut(),
            null(),
            from.cast(),
            pattern,
            1,
            64,
            0,
            null(),
            &mut point,
            null_mut(),
        );
        assert_eq!(fill, CL_SUCCESS);
        let copy = |to: *mut u8| {
            clCommandSVMMemcpyKHR(
                buffer,
                null_mut(),
                null(),
                to.cast(),
                from.cast(),
                64,
                1,
                &point,
                null_mut(),
                null_mut(),
            )
        };
        assert_eq!(copy(from.add(1)), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(null_mut()), CL_INVALID_VALUE);
        assert_eq!(copy(to), CL_SUCCESS);
    }
    finalize(buffer);
    let events: Vec<cl_event> = (0..20).map(|_| enqueued(buffer)).collect();
    assert_eq!(wait(&events), CL_SUCCESS);
    release_events(&events);
    assert_eq!(unsafe { std::slice::from_raw_parts(to, 64) }, [5; 64]);
    release(buffer);
    unsafe { clSVMFree(rig.context, memory) };
}

#[test]
fn what_cannot_be_created_recorded_or_enqueued_is_refused() {
    let rig = Rig::new();
    let made = |count, queues, list: &[u64]| {
        let mut code = 1;
        let list = if list.is_empty() {
            null()
        } else {
            list.as_ptr()
        };
        let buffer = unsafe { clCreateCommandBufferKHR(count, queues, list, &mut code) };
        assert!(buffer.is_null());
        code
    };
    let queues = [rig.queue; 2];
    let one = queues.as_ptr();
    let flags = CL_COMMAND_BUFFER_FLAGS_KHR;
    assert_eq!(made(0, one, &[]), CL_INVALID_VALUE);
    assert_eq!(made(2, one, &[]), CL_INVALID_VALUE);
    assert_eq!(made(1, null(), &[]), CL_INVALID_VALUE);
    assert_eq!(made(1, &null_mut(), &[]), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(made(1, one, &[0x4321, 0, 0]), CL_INVALID_VALUE);
    assert_eq!(made(1, one, &[flags, 0, flags, 0, 0]), CL_INVALID_VALUE);
    assert_eq!(made(1, one, &[flags, 1 << 40, 0]), CL_INVALID_VALUE);
    let native = CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    assert_eq!(made(1, one, &[flags, native, 0]), CL_INVALID_PROPERTY);

    let buffer = recording(&rig);
    let memory = rig.buffer(CL_MEM_READ_WRITE, 64);
    let record = |queue, properties: &[u64], (count, list), handle| {
        let (properties, byte) = (properties.as_ptr(), 1u8);
        let pattern: *const c_void = (&raw const byte).cast();
        unsafe {
            clCommandFillBufferKHR(
                buffer,
                queue,
                properties,
                memory,
                pattern,
                1,
                0,
                64,
                count,
                list,
                null_mut(),
                handle,
            )
        }
    };
    let none = (0, null());
    let mut handle = null_mut();
    assert_eq!(
        record(rig.queue, &[0], none, null_mut()),
        CL_INVALID_COMMAND_QUEUE
    );
    assert_eq!(
        record(null_mut(), &[77, 0, 0], none, null_mut()),
        CL_INVALID_VALUE
    );
    assert_eq!(
        record(null_mut(), &[0], none, &mut handle),
        CL_INVALID_VALUE
    );
    let bad = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    let point = 5;
    assert_eq!(record(null_mut(), &[0], (1, null()), null_mut()), bad);
    assert_eq!(record(null_mut(), &[0], (0, &point), null_mut()), bad);
    assert_eq!(record(null_mut(), &[0], (1, &point), null_mut()), bad);
    assert_eq!(record(null_mut(), &[0], none, null_mut()), CL_SUCCESS);
    assert_eq!(
        fill(null_mut(), memory, 1, &[]).1,
        CL_INVALID_COMMAND_BUFFER_KHR
    );
    finalize(buffer);
    assert_eq!(fill(buffer, memory, 1, &[]).1, CL_INVALID_OPERATION);

    let other = context();
    let foreign = queue(other, 0);
    assert_eq!(enqueue(buffer, Some(foreign), &[]).1, CL_INVALID_CONTEXT);
    assert_eq!(
        enqueue(buffer, Some(null_mut()), &[]).1,
        CL_INVALID_COMMAND_QUEUE
    );
    assert_eq!(
        enqueue(null_mut(), None, &[]).1,
        CL_INVALID_COMMAND_BUFFER_KHR
    );
    let properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let on_device = queue(rig.context, properties);
    assert_eq!(
        enqueue(buffer, Some(on_device), &[]).1,
        CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
    );
    let mut named = rig.queue;
    let call = |count, queues, events| unsafe {
        clEnqueueCommandBufferKHR(count, queues, buffer, events, null(), null_mut())
    };
    assert_eq!(call(1, null_mut(), 0), CL_INVALID_VALUE);
    assert_eq!(call(0, &mut named, 0), CL_INVALID_VALUE);
    assert_eq!(call(2, &mut named, 0), CL_INVALID_VALUE);
    assert_eq!(call(0, null_mut(), 1), CL_INVALID_EVENT_WAIT_LIST);
    unsafe {
        assert_eq!(clReleaseCommandQueue(on_device), CL_SUCCESS);
        assert_eq!(clReleaseCommandQueue(foreign), CL_SUCCESS);
        assert_eq!(
            touchstone::api::context::clReleaseContext(other),
            CL_SUCCESS
        );
    }
    release(buffer);
    release_buffers(&[memory]);
}
