//! Sub-groups: the map from work-items against the host's view, functions, barriers, progress.
//!
//! How work-items are divided is the device's choice. Kernels tell what they saw, and compute each result
//! of a function a second time, from what the work-items of a sub-group wrote down at their places.

use super::builder::{CaseBuilder, args, divides, template};
use super::functions::COLLECTIVE;
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Kind, Range, SUB_GROUP_FIELDS, Step, Unit, Want};
use crate::rule;
use classay_vocabulary::Need;

/// A range of work-groups of one shape, uniform or not.
fn range(choices: &mut Choices, case: &mut CaseBuilder) -> (Range, Vec<u32>) {
    let dimensions = choices.between(1, 3);
    let mut shape: Vec<u64> = (0..dimensions)
        .map(|_| choices.one_of(&[1, 2, 3, 5, 8, 20]))
        .collect();
    if dimensions == 1 {
        shape[0] = choices.one_of(&[1, 5, 8, 16, 31, 64, 100]);
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
    case.need_if(!divides(&global, &shape), &[Need::NonUniformGroups]);
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
    case.case.source = template(
        include_str!("cl/sub_groups.cl"),
        &[("places", &PLACES), ("sub_group_fields", &SUB_GROUP_FIELDS)],
    );
    let starts = starts(&mut case, &groups);
    let words = range.items() as usize * SUB_GROUP_FIELDS;
    let [first, second] = [0, 1].map(|_| case.unwritten(words));
    let both = case.buffer(8 * words);
    let asked = case.case.steps.len();
    case.step(Step::AskSubGroups {
        kernel: "tell".into(),
        local: range.local.clone().unwrap_or_default(),
    });
    for out in [first, second] {
        case.launch("tell", args![out, starts], range.clone());
    }
    case.launch(
        "join",
        args![first, second, both],
        Range::line(words as u64, 1),
    );
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
    let (ty, most) = choices.one_of(&[
        ("int", "INT_MAX"),
        ("uint", "UINT_MAX"),
        ("long", "LONG_MAX"),
        ("ulong", "ULONG_MAX"),
        ("float", "INFINITY"),
        ("double", "(double)INFINITY"),
        ("half", "(half)INFINITY"),
    ]);
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
    let name = choices.one_of(&COLLECTIVE);
    let (range, groups) = range(choices, &mut case);
    let largest = groups.iter().copied().max().unwrap_or(1);
    let seed = choices.below(1 << 16);
    let from = choices.below(64);
    let threshold = choices.one_of(&[3, 10, 17]);
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
    case.case.source = template(
        include_str!("cl/collective.cl"),
        &[
            ("pragma", &pragma),
            ("ty", &ty),
            ("threshold", &threshold),
            ("largest", &largest),
            ("places", &PLACES),
            ("seed", &seed),
            ("call", &call),
            ("first", &first),
            ("end", &end),
            ("fold", &fold),
        ],
    );
    let items = range.items() as usize;
    let starts = starts(&mut case, &groups);
    let out = case.buffer(16 * items);
    let exchange = case.unwritten(items);
    case.launch("collect", args![out, starts, exchange], range);
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
        Want::zeros(),
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
    let group = choices.one_of(&[32u64, 64, 128, 256]);
    let rounds = choices.between(2, 10) as u32;
    let backwards = choices.percent(50);
    // A turn goes round: each sub-group waits for the turn of its own, and hands it on.
    let (mine, begin) = if backwards {
        ("count - 1u - get_sub_group_id()", "the last")
    } else {
        ("get_sub_group_id()", "the first")
    };
    case.case.about = format!("sub-groups wait for their turn, {begin} of them first");
    case.case.source = template(
        include_str!("cl/turns.cl"),
        &[("mine", &mine), ("rounds", &rounds)],
    );
    let wrong = case.unwritten(group as usize);
    case.launch("turns", args![wrong], Range::line(group, group));
    let want = Want::zeros().racy();
    case.look(
        wrong,
        &[rule::PROGRESS_SUBGROUP],
        "sub-groups whose turn never came",
        want,
    );
    case.case
}
