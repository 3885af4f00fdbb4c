//! Children that fail.

use crate::choices::Choices;
use crate::kernels::case::{Arg, DeviceQueue, KernelCase, Launch, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args};
use crate::rule;
use classay_vocabulary::Need;

/// A child waits for a user event that is set to an error: it does not run, nor does what waits for
/// it, and the parent ends with an error.
pub fn failure(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a child that waits for a failed user event fails its parents");
    case.need(&[Need::DeviceEnqueue]);
    let status = -1 - choices.below(5000) as i64;
    let depth = choices.between(0, 2);
    let chain = choices.between(1, 3);
    let from_sibling = choices.percent(50);
    let flag = choices.one_of(&["NO_WAIT", "WAIT_KERNEL", "WAIT_WORK_GROUP"]);
    let mut enqueues = String::new();
    for n in 0..chain {
        let before = if n == 0 {
            "gate".into()
        } else {
            format!("event{}", n - 1)
        };
        enqueues += &format!(
            "    clk_event_t event{n};
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &{before}, &event{n}, ^{{ ran[{n} * 4 + get_global_id(0)] = 1; }});\n"
        );
    }
    enqueues += &if from_sibling {
        format!(
            "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, ndrange_1D(1), ^{{ set_user_event_status(gate, {status}); release_event(gate); }});\n"
        )
    } else {
        format!("    set_user_event_status(gate, {status});\n    release_event(gate);\n")
    };
    for n in 0..chain {
        enqueues += &format!("    release_event(event{n});\n");
    }
    // Another child that fails, with a status of its own, before this one or after it.
    let other = -6000 - choices.below(1000) as i64;
    let second = choices.percent(40).then(|| choices.percent(50));
    if let Some(is_later) = second {
        let child = format!(
            "    clk_event_t other = create_user_event();
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &other, 0, ^{{ ran[get_global_id(0)] = 1; }});
    set_user_event_status(other, {other});\n    release_event(other);\n"
        );
        enqueues = if is_later {
            enqueues + &child
        } else {
            child + &enqueues
        };
    }
    let mut source = format!(
        "void level0(global uint *ran, queue_t q) {{\n    clk_event_t gate = create_user_event();\n{enqueues}}}\n"
    );
    for level in 1..=depth {
        source += &format!(
            "void level{level}(global uint *ran, queue_t q) {{\n    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, ndrange_1D(1), ^{{ level{}(ran, q); }});\n}}\n",
            level - 1
        );
    }
    source += &format!(
        "kernel void root(global uint *ran, queue_t q) {{\n    if (get_global_id(0) == 0) level{depth}(ran, q);\n}}\n"
    );
    // A child that fails by another's doing fails when that comes to it.
    let failing = second.filter(|_| !from_sibling).map(|is_later| {
        let [status, other] = [status, other].map(|status| status as i32);
        if is_later {
            [status, other]
        } else {
            [other, status]
        }
    });
    case.case.source = source;
    case.case.device_queues.push(DeviceQueue::default());
    let ran = case.buffer(16 * chain);
    case.run(Launch {
        fails: true,
        failing,
        rules: vec![rule::DEV_CHILD_FAILURE],
        ..Launch::new(
            "root",
            args![ran, Arg::Queue(0)],
            Range::line(choices.one_of(&[1, 4]), 1),
        )
    });
    let name = "children of a failed event that ran";
    let want = Want::zeros();
    case.look(ran, &[rule::FAIL_PROPAGATE, rule::DEV_EVENTS], name, want);
    case.case
}
