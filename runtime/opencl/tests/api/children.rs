//! Device-side enqueue: device queues, and kernels that kernels enqueue.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::sync::*;

use crate::kernels::{enqueue, ints, kernel, release, run, set};
use crate::programs::{built, kernel_names};
use crate::rig::{Rig, context, device, query, release_buffers, release_events, status, wait};

const OF_3_0: &str = "-cl-std=CL3.0";
const ON_DEVICE: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

fn make(context: cl_context, list: &[u64]) -> (cl_command_queue, cl_int) {
    let mut code = 1;
    let queue =
        unsafe { clCreateCommandQueueWithProperties(context, device(), list.as_ptr(), &mut code) };
    (queue, code)
}

fn device_queue(rig: &Rig, more: u64) -> cl_command_queue {
    let list = [u64::from(CL_QUEUE_PROPERTIES), ON_DEVICE | more, 0];
    let (queue, code) = make(rig.context, &list);
    assert_eq!(code, CL_SUCCESS);
    queue
}

fn info<T: Default>(queue: cl_command_queue, name: cl_command_queue_info) -> T {
    query(|size, value, ret| unsafe { clGetCommandQueueInfo(queue, name, size, value, ret) })
}

fn of_device(name: cl_device_info) -> u32 {
    query(|size, value, ret| unsafe {
        touchstone::api::device::clGetDeviceInfo(device(), name, size, value, ret)
    })
}

fn let_go(queue: cl_command_queue) {
    assert_eq!(unsafe { clReleaseCommandQueue(queue) }, CL_SUCCESS);
}

/// Runs a kernel with a device queue and a buffer of words; how it ended, and the words.
fn ended(
    source: &str,
    options: &str,
    words: usize,
    global: usize,
    local: usize,
) -> (cl_int, Vec<i32>) {
    let rig = Rig::new();
    let queue = device_queue(&rig, CL_QUEUE_PROFILING_ENABLE);
    let program = built(&rig, source, options);
    let parent = kernel(program, c"parent");
    let mut zeros = vec![0u8; 4 * words];
    let buffer = rig.buffer_of(&mut zeros, CL_MEM_COPY_HOST_PTR);
    set(parent, 0, buffer);
    set(parent, 1, queue);
    let (event, code) = enqueue(&rig, parent, &[global], Some(&[local]));
    assert_eq!(code, CL_SUCCESS);
    wait(&[event]);
    let status = status(event);
    let written = ints(&rig.read(buffer, 4 * words));
    release_events(&[event]);
    release_buffers(&[buffer]);
    release(parent, program);
    let_go(queue);
    (status, written)
}

/// As [`ended`], of a kernel that completes.
fn values(source: &str, words: usize, global: usize, local: usize) -> Vec<i32> {
    let (status, written) = ended(source, OF_3_0, words, global, local);
    assert_eq!(status, CL_COMPLETE, "{written:?}");
    written
}

#[test]
fn a_device_queue_answers_what_it_was_made_with() {
    let rig = Rig::new();
    let (preferred, most) = (
        of_device(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE),
        of_device(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE),
    );
    assert!(preferred >= 16 << 10 && most >= 256 << 10 && preferred <= most);
    assert!(of_device(CL_DEVICE_MAX_ON_DEVICE_QUEUES) >= 1);
    assert!(of_device(CL_DEVICE_MAX_ON_DEVICE_EVENTS) >= 1024);
    let queue = device_queue(&rig, 0);
    assert_eq!(info::<u32>(queue, CL_QUEUE_SIZE), preferred);
    assert_eq!(info::<u64>(queue, CL_QUEUE_PROPERTIES), ON_DEVICE);
    assert_eq!(info::<usize>(queue, CL_QUEUE_DEVICE_DEFAULT), 0);
    let size = u64::from(CL_QUEUE_SIZE);
    let of_size = |bytes: u64| {
        make(
            rig.context,
            &[u64::from(CL_QUEUE_PROPERTIES), ON_DEVICE, size, bytes, 0],
        )
    };
    let (sized, code) = of_size(4096);
    assert_eq!(
        (code, info::<u32>(sized, CL_QUEUE_SIZE)),
        (CL_SUCCESS, 4096)
    );
    assert_eq!(of_size(0).1, CL_INVALID_VALUE);
    assert_eq!(of_size(u64::from(most) + 1).1, CL_INVALID_QUEUE_PROPERTIES);
    let_go(sized);
    let_go(queue);
}

#[test]
fn a_context_has_one_default_queue_for_each_device() {
    let rig = Rig::new();
    let first = device_queue(&rig, CL_QUEUE_ON_DEVICE_DEFAULT);
    let again = device_queue(&rig, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE);
    assert_eq!(first, again);
    assert_eq!(info::<u32>(first, CL_QUEUE_REFERENCE_COUNT), 2);
    let other = device_queue(&rig, 0);
    let set = |context, queue| unsafe { clSetDefaultDeviceCommandQueue(context, device(), queue) };
    assert_eq!(
        info::<usize>(rig.queue, CL_QUEUE_DEVICE_DEFAULT),
        first as usize
    );
    assert_eq!(set(rig.context, other), CL_SUCCESS);
    assert_eq!(
        info::<usize>(other, CL_QUEUE_DEVICE_DEFAULT),
        other as usize
    );
    assert_eq!(set(rig.context, rig.queue), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(set(rig.context, null_mut()), CL_INVALID_COMMAND_QUEUE);
    let foreign = context();
    assert_eq!(set(foreign, other), CL_INVALID_COMMAND_QUEUE);
    assert_eq!(
        unsafe { touchstone::api::context::clReleaseContext(foreign) },
        CL_SUCCESS
    );
    for queue in [first, again, other] {
        let_go(queue);
    }
    assert_eq!(info::<usize>(rig.queue, CL_QUEUE_DEVICE_DEFAULT), 0);
}

#[test]
fn the_host_enqueues_nothing_to_a_device_queue() {
    let rig = Rig::new();
    let queue = device_queue(&rig, 0);
    let program = built(&rig, "kernel void k(int n) { }", OF_3_0);
    let made = kernel(program, c"k");
    set(made, 0, 1i32);
    let mut event = null_mut();
    let one = 1usize;
    unsafe {
        for code in [
            clFlush(queue),
            clFinish(queue),
            clEnqueueMarkerWithWaitList(queue, 0, null(), &mut event),
            clEnqueueBarrierWithWaitList(queue, 0, null(), &mut event),
            clEnqueueMarker(queue, &mut event),
            clEnqueueBarrier(queue),
            clEnqueueTask(queue, made, 0, null(), &mut event),
            clEnqueueNDRangeKernel(queue, made, 1, null(), &one, null(), 0, null(), &mut event),
        ] {
            assert_eq!(code, CL_INVALID_COMMAND_QUEUE);
        }
        assert_eq!(clRetainCommandQueue(queue), CL_SUCCESS);
    }
    let_go(queue);
    release(made, program);
    let_go(queue);
}

#[test]
fn a_queue_argument_is_a_device_queue() {
    let rig = Rig::new();
    let queue = device_queue(&rig, 0);
    let program = built(&rig, "kernel void k(queue_t q) { }", OF_3_0);
    let made = kernel(program, c"k");
    let pass = |handle: cl_command_queue, size| unsafe {
        clSetKernelArg(made, 0, size, (&raw const handle).cast())
    };
    assert_eq!(pass(rig.queue, 8), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(pass(null_mut(), 8), CL_INVALID_DEVICE_QUEUE);
    assert_eq!(
        unsafe { clSetKernelArg(made, 0, 8, null()) },
        CL_INVALID_DEVICE_QUEUE
    );
    assert_eq!(pass(queue, 4), CL_INVALID_ARG_SIZE);
    assert_eq!(pass(queue, 8), CL_SUCCESS);
    run(&rig, made, &[1], None);
    let_go(queue);
    let (_, code) = enqueue(&rig, made, &[1], None);
    assert_eq!(code, CL_INVALID_KERNEL_ARGS);
    release(made, program);
}

#[test]
fn children_run_with_copies_of_what_is_around_them() {
    let source = "kernel void parent(global int *out, queue_t q) {
        int4 v = (int4)(10, 20, 30, 40);
        for (int i = 0; i < 4; i++) {
            int n = i * 100;
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 1), ^{
                size_t me = get_global_id(0);
                out[2 * i + me] = n + v[0] * 0 + (int)me + v.y;
            });
            n = -1;
        }
        v = (int4)(0);
    }"
    .replace("v[0] * 0", "v.x - 10");
    let wanted: Vec<i32> = (0..8).map(|i| i / 2 * 100 + i % 2 + 20).collect();
    assert_eq!(values(&source, 8, 1, 1), wanted);
}

#[test]
fn ranges_have_every_form() {
    let source = "void tell(global int *out, int at) {
        out += at * 8;
        if (get_global_linear_id() != 0) return;
        out[0] = (int)get_work_dim();
        out[1] = (int)get_global_size(0); out[2] = (int)get_global_size(1);
        out[3] = (int)get_local_size(0); out[4] = (int)get_local_size(1);
        out[5] = (int)get_global_offset(0); out[6] = (int)get_global_offset(1);
        out[7] = (int)get_global_size(2);
    }
    kernel void parent(global int *out, queue_t q) {
        const size_t g[3] = { 4, 6, 2 }, l[3] = { 2, 3, 1 }, o[3] = { 7, 8, 9 };
        int bad = 0;
        bad |= enqueue_kernel(q, 0, ndrange_1D(5, 5), ^{ tell(out, 0); });
        bad |= enqueue_kernel(q, 0, ndrange_1D(3, 5, 1), ^{ tell(out, 1); });
        bad |= enqueue_kernel(q, 0, ndrange_2D(g, l), ^{ tell(out, 2); });
        bad |= enqueue_kernel(q, 0, ndrange_2D(o, g, l), ^{ tell(out, 3); });
        bad |= enqueue_kernel(q, 0, ndrange_3D(o, g, l), ^{ tell(out, 4); });
        bad |= enqueue_kernel(q, 0, ndrange_3D(g, l), ^{ tell(out, 5); });
        ndrange_t copied = ndrange_3D(g), plain = ndrange_1D(9);
        plain = copied;
        bad |= enqueue_kernel(q, 0, plain, ^{ if (get_global_linear_id() == 47) out[48] = 48; });
        out[49] = bad;
    }";
    let seen = values(source, 50, 1, 1);
    let rows: Vec<&[i32]> = seen.chunks(8).take(6).collect();
    assert_eq!(rows[0], [1, 5, 1, 5, 1, 0, 0, 1]);
    assert_eq!(rows[1], [1, 5, 1, 1, 1, 3, 0, 1]);
    assert_eq!(rows[2], [2, 4, 6, 2, 3, 0, 0, 1]);
    assert_eq!(rows[3], [2, 4, 6, 2, 3, 7, 8, 1]);
    assert_eq!(rows[4], [3, 4, 6, 2, 3, 7, 8, 2]);
    assert_eq!(rows[5], [3, 4, 6, 2, 3, 0, 0, 2]);
    assert_eq!(seen[48..], [48, 0]);
}

#[test]
fn flags_say_when_a_child_begins() {
    // Each work-item of the parent writes at its end; work-item 0, of the first group, enqueues at its begin.
    let source = |flag: &str, waited: usize| {
        format!(
            "kernel void parent(global int *out, queue_t q) {{
                int me = (int)get_global_id(0);
                if (me == 0) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, ndrange_1D(1), ^{{
                    int missing = 0;
                    for (int i = 0; i < {waited}; i++) missing += out[1 + i] == 0;
                    out[0] = 100 + missing;
                }});
                volatile int spent = 0;
                for (int i = 0; i < 3000; i++) spent += i;
                out[1 + me] = 1;
            }}"
        )
    };
    assert_eq!(values(&source("WAIT_KERNEL", 64), 65, 64, 4)[0], 100);
    assert_eq!(values(&source("WAIT_WORK_GROUP", 4), 65, 64, 4)[0], 100);
    assert!(values(&source("NO_WAIT", 64), 65, 64, 4)[0] >= 100);
}

#[test]
fn local_memory_of_a_child_has_the_sizes_that_it_was_given() {
    let source = "kernel void parent(global int *out, queue_t q) {
        void (^child)(local void *, local void *) = ^(local void *a, local void *b) {
            local int *own = (local int *)a;
            local int *shared = (local int *)b;
            int me = (int)get_local_id(0);
            own[me] = me * 3;
            if (me == 0) *shared = 1000;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[get_global_id(0)] = own[3 - me] + *shared;
        };
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4), 0, NULL, NULL, child, 16, 4u);
        out[8] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4), child, 16, 0);
    }";
    let seen = values(source, 9, 1, 1);
    assert_eq!(seen, [1009, 1006, 1003, 1000, 1009, 1006, 1003, 1000, -101]);
}

#[test]
fn events_order_children_and_markers() {
    let source = "kernel void parent(global int *out, queue_t q) {
        clk_event_t first, second, both, gate = create_user_event();
        out[10] = is_valid_event(gate) && !is_valid_event(CLK_NULL_EVENT) && gate != CLK_NULL_EVENT;
        enqueue_kernel(q, 0, ndrange_1D(4), 1, &gate, &first, ^{ out[get_global_id(0)] = 1; });
        enqueue_kernel(q, 0, ndrange_1D(4), 0, NULL, &second, ^{
            volatile int spent = 0;
            for (int i = 0; i < 3000; i++) spent += i;
            out[4 + get_global_id(0)] = 1;
        });
        clk_event_t list[2] = { first, second };
        out[11] = enqueue_marker(q, 2, list, &both);
        enqueue_kernel(q, 0, ndrange_1D(1), 1, &both, NULL, ^{
            int sum = 0;
            for (int i = 0; i < 8; i++) sum += out[i];
            out[8] = sum;
        });
        retain_event(first);
        release_event(first);
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ set_user_event_status(gate, CL_COMPLETE); release_event(gate); });
        release_event(first); release_event(second); release_event(both);
        out[9] = is_valid_event(both);
    }";
    let seen = values(source, 12, 1, 1);
    assert_eq!(seen[8..], [8, 0, 1, 0]);
}

#[test]
fn a_parent_is_complete_after_all_that_descends_from_it() {
    let source = "void level(global int *out, queue_t q, int depth) {
        volatile int spent = 0;
        for (int i = 0; i < 500; i++) spent += i;
        if (depth < 60) {
            enqueue_kernel(q, depth % 3, ndrange_1D(1), ^{ level(out, q, depth + 1); });
            if (depth % 10 == 0) enqueue_kernel(q, 0, ndrange_1D(1), ^{ level(out, q, depth + 1); });
        }
        atomic_add((volatile global int *)out + depth, 1);
    }
    kernel void parent(global int *out, queue_t q) { level(out, q, 0); }";
    let seen = values(source, 61, 1, 1);
    let mut wanted = 1;
    for (depth, &count) in seen.iter().enumerate() {
        assert_eq!(count, wanted, "{depth}: {seen:?}");
        wanted *= if depth.is_multiple_of(10) { 2 } else { 1 };
    }
}

#[test]
fn failures_go_up_to_the_parent() {
    let waiting = "kernel void parent(global int *out, queue_t q) {
        clk_event_t gate = create_user_event(), first;
        enqueue_kernel(q, 0, ndrange_1D(1), 1, &gate, &first, ^{ out[0] = 1; });
        enqueue_kernel(q, 0, ndrange_1D(1), 1, &first, NULL, ^{ out[1] = 1; });
        set_user_event_status(gate, -77);
        release_event(gate); release_event(first);
    }";
    let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(ended(waiting, OF_3_0, 2, 1, 1), (failed, vec![0, 0]));
    let astray = "kernel void parent(global int *out, queue_t q) {
        global int *nothing = 0;
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ nothing[0] = 1; });
        out[0] = 1;
    }";
    assert_eq!(
        ended(astray, OF_3_0, 1, 1, 1),
        (CL_INVALID_OPERATION, vec![1])
    );
    let itself = "kernel void parent(global int *out, queue_t q) {
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ out[0] = 1; });
        out[1000000] = 1;
    }";
    assert_eq!(
        ended(itself, OF_3_0, 1, 1, 1),
        (CL_INVALID_OPERATION, vec![0])
    );
}

/// What no kernel can set any more fails instead of keeping the process for ever.
#[test]
fn an_event_that_nobody_can_set_fails_its_waiters() {
    let source = "kernel void parent(global int *out, queue_t q) {
        clk_event_t gate = create_user_event(), first;
        enqueue_kernel(q, 0, ndrange_1D(1), 1, &gate, &first, ^{ out[0] = 1; });
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[1] = 1; });
        release_event(gate); release_event(first);
    }";
    let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(ended(source, OF_3_0, 2, 1, 1), (failed, vec![0, 1]));
}

#[test]
fn a_refused_enqueue_says_why_with_debug_information() {
    let source = "kernel void parent(global int *out, queue_t q) {
        clk_event_t gone = create_user_event(), none = CLK_NULL_EVENT, event;
        set_user_event_status(gone, CL_COMPLETE);
        clk_event_t kept = gone;
        release_event(gone);
        ndrange_t wrong = ndrange_1D(4, 1 << 20), right = ndrange_1D(1);
        out[0] = enqueue_kernel(CLK_NULL_QUEUE, 0, right, ^{ });
        out[1] = enqueue_kernel(q, 0, wrong, ^{ });
        out[2] = enqueue_kernel(q, 0, right, 1, NULL, NULL, ^{ });
        out[3] = enqueue_kernel(q, 0, right, 0, &kept, NULL, ^{ });
        out[4] = enqueue_kernel(q, 0, right, 1, &kept, NULL, ^{ });
        out[5] = enqueue_kernel(q, 0, right, 1, &none, &event, ^{ });
        out[6] = enqueue_kernel(q, 0, right, ^(local void *p) { }, 0);
        out[7] = enqueue_kernel(q, 0, right, ^(local void *p) { }, 1u << 30);
        out[8] = enqueue_marker(q, 0, NULL, &event);
        out[9] = enqueue_marker(CLK_NULL_QUEUE, 1, &kept, &event);
        out[10] = enqueue_marker(q, 1, &kept, NULL);
        out[11] = enqueue_kernel(get_default_queue(), 0, right, ^{ });
        out[12] = get_default_queue() == CLK_NULL_QUEUE;
    }";
    let why = vec![
        -102, -160, -57, -57, -57, -57, -51, -5, -57, -102, 0, -102, 1,
    ];
    assert_eq!(
        ended(source, "-cl-std=CL3.0 -g", 13, 1, 1),
        (CL_COMPLETE, why.clone())
    );
    let only = why.iter().map(|&code| if code < 0 { -101 } else { code });
    assert_eq!(
        ended(source, OF_3_0, 13, 1, 1),
        (CL_COMPLETE, only.collect())
    );
}

#[test]
fn kernels_that_enqueue_each_other_without_end_meet_a_full_queue() {
    let source = "void again(global int *out, queue_t q) {
        atomic_add((volatile global int *)out, 1);
        int code = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ again(out, q); });
        if (code != 0) out[1] = code;
    }
    kernel void parent(global int *out, queue_t q) { again(out, q); }";
    let (status, seen) = ended(source, "-cl-std=CL3.0 -g", 2, 1, 1);
    assert_eq!((status, seen[1]), (CL_COMPLETE, -161));
    assert!(seen[0] > 1000, "{seen:?}");
    // There is room for the next.
    assert_eq!(
        values(&source.replace("out[1] = code", "out[1] = 7"), 2, 1, 1)[1],
        7
    );
}

#[test]
fn the_default_queue_is_that_of_the_enqueue() {
    let rig = Rig::new();
    let queue = device_queue(&rig, CL_QUEUE_ON_DEVICE_DEFAULT);
    let source = "kernel void k(global int *out) {
        out[0] = enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[1] = 5; });
    }";
    let program = built(&rig, source, OF_3_0);
    let made = kernel(program, c"k");
    let buffer = rig.buffer(0, 8);
    set(made, 0, buffer);
    let gate = rig.user_event();
    let held = rig.marker(&[gate]);
    let (event, code) = enqueue(&rig, made, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    // The command has it.
    let_go(queue);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(ints(&rig.read(buffer, 8)), [0, 5]);
    release_events(&[event, gate, held]);
    run(&rig, made, &[1], None);
    assert_eq!(ints(&rig.read(buffer, 4)), [-101]);
    release_buffers(&[buffer]);
    release(made, program);
}

#[test]
fn what_is_asked_of_blocks_is_what_they_may_have() {
    let source = "kernel void parent(global int *out, queue_t q) {
        void (^plain)(void) = ^{ out[0] = 1; };
        void (^local_one)(local void *) = ^(local void *p) { out[1] = 1; };
        out[0] = (int)get_kernel_work_group_size(plain);
        out[1] = (int)get_kernel_work_group_size(local_one);
        out[2] = (int)get_kernel_preferred_work_group_size_multiple(plain);
        out[3] = (int)get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(60, 20), plain);
        out[4] = (int)get_kernel_sub_group_count_for_ndrange(ndrange_1D(60, 20), plain);
        out[5] = (int)get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(60, 3), plain);
    }";
    assert_eq!(values(source, 6, 1, 1), [1024, 1024, 64, 8, 3, 3]);
}

#[test]
fn times_of_children_are_captured() {
    let source = "kernel void parent(global int *out, queue_t q) {
        clk_event_t event;
        global ulong *times = (global ulong *)out;
        times[0] = times[1] = (ulong)-1;
        enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, &event, ^{
            volatile int spent = 0;
            for (int i = 0; i < 3000; i++) spent += i;
            enqueue_kernel(q, 0, ndrange_1D(1), ^{
                volatile int spent = 0;
                for (int i = 0; i < 3000; i++) spent += i;
            });
        });
        capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, times);
        release_event(event);
    }";
    let words = values(source, 4, 1, 1);
    let long = |at: usize| words[at] as u32 as u64 | (words[at + 1] as u32 as u64) << 32;
    let (ran, complete) = (long(0), long(2));
    assert!(
        0 < ran && ran < complete && complete < 1 << 40,
        "{ran} {complete}"
    );
}

#[test]
fn blocks_are_no_kernels_of_the_host() {
    let rig = Rig::new();
    let source = "kernel void k(global int *out, queue_t q) {
        enqueue_kernel(q, 0, ndrange_1D(1), ^{ out[0] = 1; });
    }";
    let program = built(&rig, source, OF_3_0);
    assert_eq!(kernel_names(program), "k");
    let mut code = 1;
    let name: &CStr = c"block in k";
    let made = unsafe { clCreateKernel(program, name.as_ptr(), &mut code) };
    assert_eq!((made, code), (null_mut(), CL_INVALID_KERNEL_NAME));
    let made = kernel(program, c"k");
    release(made, program);
}

/// A parent ends before its child; both times are those of its event.
#[test]
fn a_parent_ends_before_it_is_complete() {
    let rig = Rig::new();
    let queue = device_queue(&rig, 0);
    let source = "kernel void k(global int *out, queue_t q) {
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
            volatile int spent = 0;
            for (int i = 0; i < 3000; i++) spent += i;
            out[0] = 1;
        });
    }";
    let program = built(&rig, source, OF_3_0);
    let made = kernel(program, c"k");
    let buffer = rig.buffer(0, 4);
    set(made, 0, buffer);
    set(made, 1, queue);
    let (event, code) = enqueue(&rig, made, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    let time = |name| -> u64 {
        query(|size, value, ret| unsafe { clGetEventProfilingInfo(event, name, size, value, ret) })
    };
    let (end, complete) = (
        time(CL_PROFILING_COMMAND_END),
        time(CL_PROFILING_COMMAND_COMPLETE),
    );
    assert!(end < complete);
    release_events(&[event]);
    release_buffers(&[buffer]);
    release(made, program);
    let_go(queue);
}
