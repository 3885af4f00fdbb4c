//! Children that wait for what is complete already.

use crate::choices::Choices;
use crate::kernels::case::{Arg, DeviceQueue, KernelCase, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write as _;

/// Children wait for user events that are complete before they are enqueued, alone and beside other
/// children: they run, after those.
pub fn ready(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("children wait for user events that are complete already");
    case.need(&[Need::DeviceEnqueue]);
    let children = choices.between(2, 5);
    let items = choices.one_of(&[1usize, 4, 8]);
    let mut body = String::new();
    let mut releases = String::new();
    for n in 0..children {
        // At least one user event for all but the first child.
        let gates = if n == 0 { 0 } else { choices.between(1, 2) };
        let waits: Vec<usize> = (0..n).filter(|_| choices.percent(40)).collect();
        let mut list: Vec<String> = waits.iter().map(|w| format!("event{w}")).collect();
        for g in 0..gates {
            let name = format!("gate{n}_{g}");
            let _ = writeln!(
                body,
                "    clk_event_t {name} = create_user_event();\n    set_user_event_status({name}, CL_COMPLETE);"
            );
            let _ = writeln!(releases, "    release_event({name});");
            list.insert(choices.below(list.len() + 1), name);
        }
        let events = if list.is_empty() {
            "0, NULL".to_string()
        } else {
            let _ = writeln!(
                body,
                "    clk_event_t list{n}[] = {{ {} }};",
                list.join(", ")
            );
            format!("{}, list{n}", list.len())
        };
        let checks: String = waits
            .iter()
            .map(|w| {
                format!(
                    "for (uint i = 0; i < {items}u; i++) bad += cells[{}u + i] == 0; ",
                    w * items
                )
            })
            .collect();
        let _ = writeln!(
            body,
            "    clk_event_t event{n};
    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D({items}), {events}, &event{n}, ^{{
        uint bad = 0;
        {checks}volatile uint spent = 0;
        for (uint i = 0; i < {}u; i++) spent += i;
        cells[{}u + (uint)get_global_id(0)] = 1u + bad;
    }});",
            100_000 / items,
            n * items
        );
        let _ = writeln!(releases, "    release_event(event{n});");
    }
    case.case.source =
        format!("kernel void root(global uint *cells, queue_t q) {{\n{body}{releases}}}\n");
    case.case.device_queues.push(DeviceQueue::default());
    let cells = case.buffer(4 * items * children);
    case.launch("root", args![cells, Arg::Queue(0)], Range::line(1, 1));
    case.look(
        cells,
        &[rule::DEV_EVENTS, rule::SP_USER_EVENT],
        "children behind complete events: 1 for those that ran in order",
        Want::words(vec![1; items * children]),
    );
    case.case
}
