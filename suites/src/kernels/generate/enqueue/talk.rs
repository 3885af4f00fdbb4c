//! A parent and children that run at the same time, and talk through atomics.

use crate::choices::Choices;
use crate::kernels::case::{
    Arg, Contents, DeviceQueue, KernelCase, Kind, Launch, Range, Step, Unit, Want,
};
use crate::kernels::generate::builder::{CaseBuilder, object, same};
use crate::rule;
use classay_vocabulary::Need;

/// Counting together, and messages in both directions. Nobody waits for ever: what does not come is
/// not looked at.
pub fn talk(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("a parent and its children count together and send messages");
    case.need(&[
        Need::DeviceEnqueue,
        Need::C11Atomics,
        Need::OrderAcqRel,
        Need::ScopeDevice,
    ]);
    let kind = choices
        .pick(&[Kind::Buffer, Kind::Buffer, Kind::SvmCoarse])
        .unwrap_or(Kind::Buffer);
    if kind == Kind::SvmCoarse {
        case.need(&[Need::SvmCoarse]);
    }
    let children = choices.between(1, 4) as u32;
    let items = choices.pick(&[1u32, 4, 16, 32]).unwrap_or(4);
    let parents = choices.pick(&[1u32, 8, 16]).unwrap_or(8);
    let passes = choices.pick(&[200u32, 1000, 3000]).unwrap_or(200);
    let patience = 20_000;
    let flag = choices
        .pick(&["NO_WAIT", "NO_WAIT", "WAIT_WORK_GROUP", "WAIT_KERNEL"])
        .unwrap_or("NO_WAIT");
    case.case.source = format!(
        "\
uint count(global atomic_uint *counter, global uint *olds, uint who, uint passes) {{
    uint last = 0, bad = 0;
    for (uint i = 0; i < passes; i++) {{
        uint old = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed, memory_scope_device);
        olds[who * passes + i] = old;
        bad += i > 0 && old <= last;
        last = old;
    }}
    return bad;
}}
uint hear(global atomic_uint *flag, global uint *data, uint value) {{
    for (uint i = 0; i < {patience}u; i++)
        if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == value)
            return *data != value * 3u;
    return 0;
}}
void say(global atomic_uint *flag, global uint *data, uint value) {{
    *data = value * 3u;
    atomic_store_explicit(flag, value, memory_order_release, memory_scope_device);
}}
void child(global atomic_uint *counter, global uint *olds, global atomic_uint *flags, global uint *data, global uint *wrong, uint number) {{
    uint me = (uint)get_global_id(0), who = {parents}u + number * {items}u + me;
    uint bad = count(counter, olds, who, {passes}u);
    if (me == 0u) say(flags + 1 + number, data + 1 + number, number + 5u);
    bad += hear(flags, data, 1u);
    wrong[who] = bad;
}}
kernel void parent(global atomic_uint *counter, global uint *olds, global atomic_uint *flags, global uint *data, global uint *wrong, queue_t q) {{
    uint me = (uint)get_global_id(0), bad = 0;
    if (me == 0u)
        for (uint number = 0; number < {children}u; number++)
            bad += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, ndrange_1D({items}), ^{{ child(counter, olds, flags, data, wrong, number); }}) != CLK_SUCCESS;
    bad += count(counter, olds, me, {passes}u);
    if (me == 0u) {{
        say(flags, data, 1u);
        for (uint number = 0; number < {children}u; number++)
            bad += hear(flags + 1 + number, data + 1 + number, number + 5u);
    }}
    wrong[me] = bad;
}}
"
    );
    case.case.device_queues.push(DeviceQueue::default());
    let who = parents + children * items;
    let counter = case.object(kind, 4, Contents::Zero);
    let olds = case.object(kind, (4 * who * passes) as usize, Contents::Zero);
    let flags = case.object(kind, 4 * (children as usize + 1), Contents::Zero);
    let data = case.object(kind, 4 * (children as usize + 1), Contents::Zero);
    let wrong = case.object(kind, 4 * who as usize, Contents::Every(u32::MAX));
    case.step(Step::Launch(Launch {
        kernel: "parent".into(),
        args: vec![
            object(counter),
            object(olds),
            object(flags),
            object(data),
            object(wrong),
            Arg::Queue(0),
        ],
        range: Range::line(u64::from(parents), u64::from(parents.min(8))),
        times: 1,
        ..Launch::default()
    }));
    case.look(
        olds,
        &[
            rule::SP_PARENT_CHILD_ATOMICS,
            rule::MM_ATOMICITY,
            rule::MM_RMW_LAST,
        ],
        "values before additions of a parent and its children",
        Want::Permutation {
            unit: Unit::Word,
            count: u64::from(who * passes),
            first: 0,
            step: 1,
        },
    );
    let mut want = same(Unit::Word, Contents::Zero);
    if let Want::Same { racy, .. } = &mut want {
        *racy = true;
    }
    case.look(
        wrong,
        &[rule::SP_PARENT_CHILD_ATOMICS, rule::DEV_NO_WAIT],
        "messages without their data, and counts that run back",
        want,
    );
    case.case
}
