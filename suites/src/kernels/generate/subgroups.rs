//! Sub-groups: the map from work-items against the host's view, functions, barriers, progress.
//!
//! How work-items are divided is the device's choice. Kernels tell what they saw, and compute each result
//! of a function a second time, from what the work-items of a sub-group wrote down at their places.

use super::builder::{CaseBuilder, object, same};
use super::functions::COLLECTIVE;
use crate::choices::Choices;
use crate::kernels::case::{
    Contents, KernelCase, Kind, Launch, Range, SUB_GROUP_FIELDS, Step, Unit, Want,
};
use crate::rule;
use classay_vocabulary::Need;

/// A range of work-groups of one shape, uniform or not.
fn range(choices: &mut Choices, case: &mut CaseBuilder) -> (Range, Vec<u32>) {
    let dimensions = choices.between(1, 3);
    let mut shape: Vec<u64> = (0..dimensions)
        .map(|_| choices.pick(&[1, 2, 3, 5, 8, 20]).unwrap_or(2))
        .collect();
    if dimensions == 1 {
        shape[0] = choices.pick(&[1, 5, 8, 16, 31, 64, 100]).unwrap_or(16);
    }
    let non_uniform = choices.percent(30);
    let global: Vec<u64> = shape
        .iter()
        .map(|s| {
            let more = if non_uniform {
                choices.below(*s as usize)
            } else {
                0
            };
            s * choices.between(1, 3) as u64 + more as u64
        })
        .collect();
    if global
        .iter()
        .zip(&shape)
        .any(|(g, s)| !g.is_multiple_of(*s))
    {
        case.need(&[Need::NonUniformGroups]);
    }
    let [g, s] = [&global, &shape].map(|list| Range::three(list, 1));
    let mut groups = Vec::new();
    for z in (0..g[2]).step_by(s[2] as usize) {
        for y in (0..g[1]).step_by(s[1] as usize) {
            for x in (0..g[0]).step_by(s[0] as usize) {
                let at = [x, y, z];
                let size: u64 = (0..3).map(|d| s[d].min(g[d] - at[d])).product();
                groups.push(size as u32);
            }
        }
    }
    let range = Range {
        offset: None,
        global,
        local: Some(shape),
    };
    (range, groups)
}

/// What every kernel here begins with: its number in its group, and the group's first work-item.
const PLACES: &str = "\
    uint me = (uint)get_local_linear_id();
    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    uint own = starts[group] + me;
";

/// Where the work-items of each group begin.
fn starts(case: &mut CaseBuilder, groups: &[u32]) -> super::super::case::ObjectId {
    let mut at = 0;
    let list: Vec<u32> = groups
        .iter()
        .map(|size| {
            let start = at;
            at += size;
            start
        })
        .collect();
    case.object(Kind::Buffer, 4 * list.len(), Contents::Words(list))
}

/// The map of sub-groups, twice, and what the host is told of it.
pub fn map(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups are as the host is told, and the same each time");
    case.need(&[Need::SubGroups, Need::Api21]);
    let (range, groups) = range(choices, &mut case);
    case.case.source = format!(
        "\
kernel void tell(global uint *out, global const uint *starts) {{
{PLACES}    global uint *record = out + own * {SUB_GROUP_FIELDS}u;
    record[0] = get_sub_group_id();
    record[1] = get_sub_group_local_id();
    record[2] = get_sub_group_size();
    record[3] = get_max_sub_group_size();
    record[4] = get_num_sub_groups();
    record[5] = get_enqueued_num_sub_groups();
}}
kernel void join(global const uint *first, global const uint *second, global uint *both) {{
    uint n = (uint)get_global_id(0), all = (uint)get_global_size(0);
    both[n] = first[n];
    both[all + n] = second[n];
}}
"
    );
    let starts = starts(&mut case, &groups);
    let words = range.items() as usize * SUB_GROUP_FIELDS;
    let [first, second] =
        [0, 1].map(|_| case.object(Kind::Buffer, 4 * words, Contents::Every(u32::MAX)));
    let both = case.buffer(8 * words);
    let asked = case.case.steps.len();
    case.step(Step::AskSubGroups {
        kernel: "tell".into(),
        local: range.local.clone().unwrap_or_default(),
    });
    for out in [first, second] {
        case.step(Step::Launch(Launch {
            kernel: "tell".into(),
            args: vec![object(out), object(starts)],
            range: range.clone(),
            times: 1,
            ..Launch::default()
        }));
    }
    case.step(Step::Launch(Launch {
        kernel: "join".into(),
        args: vec![object(first), object(second), object(both)],
        range: Range::line(words as u64, 1),
        times: 1,
        ..Launch::default()
    }));
    case.look(
        first,
        &[rule::ND_SUBGROUP_MAP, rule::ND_SUBGROUP_DEGENERATE],
        "the map of sub-groups",
        Want::SubGroups { asked, groups },
    );
    case.look(
        both,
        &[rule::ND_SUBGROUP_MAP],
        "the maps of two launches",
        Want::Halves { unit: Unit::Word },
    );
    case.case
}

/// A function on values of a type, in sub-groups of every size.
pub fn collective(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups: their functions and their barrier");
    case.need(&[Need::SubGroups]);
    let (ty, most) = choices
        .pick(&[
            ("int", "INT_MAX"),
            ("uint", "UINT_MAX"),
            ("long", "LONG_MAX"),
            ("ulong", "ULONG_MAX"),
            ("float", "INFINITY"),
            ("double", "(double)INFINITY"),
            ("half", "(half)INFINITY"),
        ])
        .unwrap_or(("int", "INT_MAX"));
    let least = match ty {
        "int" => "INT_MIN",
        "long" => "LONG_MIN",
        "uint" | "ulong" => "0",
        "double" => "-(double)INFINITY",
        "half" => "-(half)INFINITY",
        _ => "-INFINITY",
    };
    let pragma = match ty {
        "double" => {
            case.need(&[Need::Fp64]);
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        }
        "half" => {
            case.need(&[Need::Fp16]);
            "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        }
        _ => "",
    };
    let name = choices.pick(&COLLECTIVE).unwrap_or("all");
    let (range, groups) = range(choices, &mut case);
    let largest = groups.iter().copied().max().unwrap_or(1);
    let seed = choices.below(1 << 16);
    let from = choices.below(64);
    let threshold = choices.pick(&[3, 10, 17]).unwrap_or(10);
    let end = match name {
        n if n.starts_with("scan_exclusive") => "inside",
        n if n.starts_with("scan_inclusive") => "inside + 1",
        _ => "count",
    };
    let (call, first, fold) = match name {
        "broadcast" => (
            format!("sub_group_broadcast(v, {from}u % count)"),
            format!("sub[{from}u % count]"),
            "r = r",
        ),
        "all" => (
            format!("(T)(sub_group_all((int)(v < (T){threshold})) != 0)"),
            "(T)1".into(),
            "r = (T)(r != 0 && sub[i] < LIMIT)",
        ),
        "any" => (
            format!("(T)(sub_group_any((int)(v < (T){threshold})) != 0)"),
            "(T)0".into(),
            "r = (T)(r != 0 || sub[i] < LIMIT)",
        ),
        n => {
            let (first, fold) = match n.rsplit('_').next() {
                Some("min") => (most, "r = min(r, sub[i])"),
                Some("max") => (least, "r = max(r, sub[i])"),
                _ => ("0", "r = r + sub[i]"),
            };
            (format!("sub_group_{n}(v)"), format!("(T){first}"), fold)
        }
    };
    // Small whole numbers: sums are exact in every type.
    case.case.source = format!(
        "\
{pragma}typedef {ty} T;
#define LIMIT ((T){threshold})
kernel void collect(global long *out, global const uint *starts, global uint *exchange) {{
    local T values[{largest}];
    local uint cells[{largest}], bases[{largest}], used;
{PLACES}    uint all = (uint)(get_global_size(0) * get_global_size(1) * get_global_size(2));
    uint count = get_sub_group_size(), inside = get_sub_group_local_id();
    // Each sub-group takes as many places as it has work-items; none lies outside, whatever the
    // device says of its sub-groups.
    if (me == 0) used = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (inside == 0) bases[get_sub_group_id() % {largest}u] = atomic_add(&used, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint begin = min(bases[get_sub_group_id() % {largest}u], {largest}u - 1u);
    count = min(count, {largest}u - begin);
    inside = min(inside, count - 1u);
    local T *sub = values + begin;
    T v = (T)((own * 7919u + {seed}u) % 21u);
    sub[inside] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    T result = {call};
    T r = {first};
    for (uint i = 0; i < {end}; i++) {fold};
    out[own] = result == r ? (long)own : -1l - (long)own;
    out[own + all] = (long)own;
    uint wrong = 0;
    for (uint pass = 0; pass < 4; pass++) {{
        cells[begin + inside] = own * 4 + pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        uint other = (inside + 1) % count;
        wrong += cells[begin + other] % 4 != pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }}
    exchange[own] = wrong;
}}
",
    );
    let items = range.items() as usize;
    let starts = starts(&mut case, &groups);
    let out = case.buffer(16 * items);
    let exchange = case.object(Kind::Buffer, 4 * items, Contents::Every(u32::MAX));
    case.step(Step::Launch(Launch {
        kernel: "collect".into(),
        args: vec![object(out), object(starts), object(exchange)],
        range,
        times: 1,
        ..Launch::default()
    }));
    case.look(
        out,
        &[rule::SG_FUNCTIONS],
        &format!("sub_group_{name} of {ty}, negative where it is wrong"),
        Want::Halves { unit: Unit::Long },
    );
    case.look(
        exchange,
        &[rule::SG_BARRIER, rule::MM_BARRIER_SG],
        "values exchanged in a sub-group",
        same(Unit::Word, Contents::Zero),
    );
    case.case
}

/// Sub-groups of a work-group wait for each other in turn, without a barrier.
pub fn progress(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups wait for each other's flags");
    case.need(&[
        Need::SubGroups,
        Need::SubGroupProgress,
        Need::C11Atomics,
        Need::OrderAcqRel,
    ]);
    let group = choices.pick(&[32u64, 64, 128, 256]).unwrap_or(128);
    let rounds = choices.between(2, 10) as u32;
    let backwards = choices.percent(50);
    // A turn goes round: each sub-group waits for the turn of its own, and hands it on.
    let (mine, begin) = if backwards {
        ("count - 1u - get_sub_group_id()", "the last")
    } else {
        ("get_sub_group_id()", "the first")
    };
    case.case.about = format!("sub-groups wait for their turn, {begin} of them first");
    case.case.source = format!(
        "\
kernel void turns(global uint *wrong) {{
    local atomic_uint turn;
    if (get_local_id(0) == 0) atomic_init(&turn, 0u);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = get_num_sub_groups(), mine = {mine}, bad = 0;
    for (uint round = 0; round < {rounds}u && !bad; round++) {{
        if (get_sub_group_local_id() == 0) {{
            uint patience = 50000000u;
            while (atomic_load_explicit(&turn, memory_order_acquire, memory_scope_work_group) != round * count + mine)
                if (--patience == 0) {{ bad = 1; break; }}
            if (!bad) atomic_store_explicit(&turn, round * count + mine + 1u, memory_order_release, memory_scope_work_group);
        }}
        bad = (uint)sub_group_any((int)bad);
    }}
    wrong[get_global_id(0)] = bad != 0;
}}
"
    );
    let wrong = case.object(Kind::Buffer, 4 * group as usize, Contents::Every(u32::MAX));
    case.step(Step::Launch(Launch {
        kernel: "turns".into(),
        args: vec![object(wrong)],
        range: Range::line(group, group),
        times: 1,
        ..Launch::default()
    }));
    let mut want = same(Unit::Word, Contents::Zero);
    if let Want::Same { racy, .. } = &mut want {
        *racy = true;
    }
    case.look(
        wrong,
        &[rule::PROGRESS_SUBGROUP],
        "sub-groups whose turn never came",
        want,
    );
    case.case
}
