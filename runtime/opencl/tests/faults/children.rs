//! Device-side enqueue.

use opencl_sys::*;
use touchstone::api::queue::*;

use crate::Scenario;
use crate::rig::{self, Rig};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("child_waits_for_parent", child_waits_for_parent),
    ("child_waits_for_group", child_waits_for_group),
    ("child_waits_for_events", child_waits_for_events),
    ("device_marker", device_marker),
    ("captures", captures),
    ("child_locals", child_locals),
    ("child_offsets", child_offsets),
    ("child_times", child_times),
    ("parent_after_children", parent_after_children),
    ("failure_of_user_event", failure_of_user_event),
    ("failure_of_child", failure_of_child),
];

/// Words of the buffer that all kernels here have.
const WORDS: usize = 16;

/// What kernels begin with; the last word is a flag. [`patience`](PARENT) gives children that should not run yet time
/// to raise it.
const PARENT: &str = "
    #define FLAG ((global atomic_uint *)(out + 15))
    void patience(global uint *out) {
        for (int i = 0; i < 200000 && !atomic_load(FLAG); i++);
    }
    kernel void k(global uint *out, queue_t q) {
        uint me = get_global_id(0);";

/// Runs a kernel of a device queue and a buffer of zeros: how it ended, and what it left in the buffer.
fn ended(body: &str, space: Space) -> (cl_int, Vec<u32>) {
    let rig = Rig::new();
    let on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let list = [
        u64::from(CL_QUEUE_PROPERTIES),
        on_device | CL_QUEUE_PROFILING_ENABLE,
        0,
    ];
    let mut code = 1;
    let (context, device, list) = (rig.context, rig::device(), list.as_ptr());
    let queue = unsafe { clCreateCommandQueueWithProperties(context, device, list, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let kernel = kernel(&rig, &format!("{PARENT}\n{body}\n}}"));
    let out = buffer(&rig, &[0; WORDS]);
    set(kernel, 0, out);
    set(kernel, 1, queue);
    let event = enqueue_on(rig.queue, kernel, space, &[]).expect("enqueued");
    rig::wait(&[event]);
    let written = words(&rig, out, WORDS);
    (rig::status(event), written)
}

fn output(body: &str, space: Space) -> Vec<u32> {
    let (status, written) = ended(body, space);
    assert_eq!(status, CL_COMPLETE, "the kernel fails");
    written
}

/// A child that adds up what the work-items of its parent wrote at their ends.
fn adding_up(flag: &str) -> String {
    format!(
        "if (me == 0) enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, ndrange_1D(1), ^{{
            uint sum = 0;
            for (int i = 0; i < 8; i++) sum += out[1 + i];
            out[0] = sum;
            atomic_store(FLAG, 1);
        }});
        else patience(out);
        out[1 + me] = 1;"
    )
}

fn child_waits_for_parent() {
    assert_eq!(output(&adding_up("WAIT_KERNEL"), space(&[8], &[1]))[0], 8);
}

fn child_waits_for_group() {
    let adding_up = adding_up("WAIT_WORK_GROUP");
    assert_eq!(output(&adding_up, space(&[8], &[8]))[0], 8);
}

/// A child waits for the event in `list`, which comes to pass when the kernel sets `gate`.
fn gated(before: &str, list: &str) -> u32 {
    let body = format!(
        "clk_event_t gate = create_user_event(), marked;
        {before}
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &{list}, NULL, ^{{
            out[0] = 100 + out[1];
            atomic_store(FLAG, 1);
        }});
        patience(out);
        out[1] = 1;
        set_user_event_status(gate, CL_COMPLETE);
        release_event(gate);"
    );
    output(&body, space(&[1], &[1]))[0]
}

fn child_waits_for_events() {
    assert_eq!(gated("", "gate"), 101);
}

fn device_marker() {
    let marker = "enqueue_marker(q, 1, &gate, &marked);";
    assert_eq!(gated(marker, "marked"), 101);
}

fn captures() {
    let body = "
        for (uint i = 0; i < 4; i++) {
            uint square = i * i;
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[i] = square + 1; });
            square = 77;
        }";
    assert_eq!(output(body, space(&[1], &[1]))[..4], [1, 2, 5, 10]);
}

fn child_offsets() {
    let body = "
        const size_t offset[2] = {3, 5}, size[2] = {1, 2};
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(offset, size, size), ^{
            out[get_local_id(1)] = 10 * get_global_id(0) + get_global_id(1);
        });";
    assert_eq!(output(body, space(&[1], &[1]))[..2], [35, 36]);
}

fn child_locals() {
    let body = "
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 8), ^(local void *all, local void *one) {
            uint me = get_local_id(0);
            ((local uint *)all)[7 - me] = me;
            if (me == 0) *(local uint *)one = 50;
            barrier(CLK_LOCAL_MEM_FENCE);
            out[me] = ((local uint *)all)[me] + *(local uint *)one;
        }, 32, 4);";
    let expected = [57, 56, 55, 54, 53, 52, 51, 50];
    assert_eq!(output(body, space(&[1], &[1]))[..8], expected);
}

fn child_times() {
    let body = "
        clk_event_t child;
        global ulong *times = (global ulong *)out;
        times[0] = times[1] = ULONG_MAX;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &child, ^{ out[8] = 1; });
        capture_event_profiling_info(child, CLK_PROFILING_COMMAND_EXEC_TIME, times);
        release_event(child);";
    let written = output(body, space(&[1], &[1]));
    assert!(written[1] != u32::MAX && written[3] != u32::MAX);
}

fn parent_after_children() {
    let body = "
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
            patience(out);
            out[0] = 1;
        });";
    assert_eq!(output(body, space(&[1], &[1]))[0], 1);
}

fn failure_of_user_event() {
    let body = "
        clk_event_t gate = create_user_event();
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, NULL, ^{ out[0] = 1; });
        set_user_event_status(gate, -5);
        release_event(gate);";
    let (status, written) = ended(body, space(&[1], &[1]));
    assert!(status < 0, "what waits for a failed event completes");
    assert_eq!(written[0], 0);
}

fn failure_of_child() {
    let body = "
        global uint *nothing = NULL;
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *nothing = 1; });";
    let (status, _) = ended(body, space(&[1], &[1]));
    assert!(status < 0, "the failure of a child is hidden");
}
