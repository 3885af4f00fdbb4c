//! Sub-groups: the map from work-items against the host's view, functions, barriers, progress.
//!
//! How work-items are divided is the device's choice. Kernels tell what they saw, and compute each result
//! of a function a second time, from what the work-items of a sub-group wrote down at their places.

mod exchange;

use super::builder::{CaseBuilder, args, cl, divides, groups};
use super::functions::{COLLECTIVE, spread_out};
use crate::choices::Choices;
use crate::kernels::case::{
    Contents, KernelCase, Kind, ObjectId, Range, SUB_GROUP_FIELDS, Step, Unit, Want,
};
use crate::rule;
use classay_vocabulary::{Extension, Need};
pub use exchange::exchange;
use std::fmt::Write;

/// A range of work-groups of one shape, uniform or not.
fn range(choices: &mut Choices, case: &mut CaseBuilder) -> (Range, Vec<u32>) {
    let dimensions = choices.between(1, 3);
    let mut shape: Vec<u64> = (0..dimensions)
        .map(|_| choices.one_of(&[1, 2, 3, 5, 8, 20]))
        .collect();
    if dimensions == 1 {
        shape[0] = choices.one_of(&[1, 5, 8, 16, 31, 64, 100, 160]);
    }
    let non_uniform = choices.percent(50);
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
    let range = Range::new(global, shape);
    let sizes = sizes_of(&range);
    (range, sizes)
}

/// How many work-items each work-group of a range has.
fn sizes_of(range: &Range) -> Vec<u32> {
    let size = |(_, size): &(_, [u64; 3])| size.iter().product::<u64>() as u32;
    groups(range).iter().map(size).collect()
}

/// What every kernel here begins with: its number in its group, and the group's first work-item.
const PLACES: &str = "\
    uint me = (uint)get_local_linear_id();
    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    uint own = starts[group] + me;
";

/// Where the work-items of each group begin.
fn starts(case: &mut CaseBuilder, groups: &[u32]) -> ObjectId {
    let begin = |n: usize| groups[..n].iter().sum();
    let list: Vec<u32> = (0..groups.len()).map(begin).collect();
    case.object(Kind::Buffer, 4 * list.len(), Contents::Words(list))
}

/// For each work-item the place of its twin, the work-item at the same place of the first group: of whole groups, since
/// those at the edge of a range may be divided otherwise.
fn twins(case: &mut CaseBuilder, groups: &[u32]) -> ObjectId {
    let whole = groups.first().copied().unwrap_or(0);
    let mut list: Vec<u32> = Vec::new();
    for &size in groups {
        let begin = list.len() as u32;
        let same = size == whole;
        list.extend((0..size).map(|me| if same { me } else { begin + me }));
    }
    case.object(Kind::Buffer, 4 * list.len(), Contents::Words(list))
}

/// The map of sub-groups, twice and with more work-groups, and the answers to the host about it.
pub fn map(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups are as the host is told, and the same each time");
    case.need(&[Need::SubGroups, Need::Api21]);
    let (range, sizes) = range(choices, &mut case);
    case.case.source = cl!(
        "sub_groups.cl",
        places = PLACES,
        sub_group_fields = SUB_GROUP_FIELDS
    );
    let words = range.items() as usize * SUB_GROUP_FIELDS;
    let [first, second] = [0, 1].map(|_| case.unwritten(words));
    let both = case.buffer(8 * words);
    let local = range.local.clone().unwrap_or_default();
    let asked = case.case.steps.len();
    case.step(Step::AskSubGroups {
        kernel: "tell".into(),
        local: local.clone(),
    });
    let starts = starts(&mut case, &sizes);
    for out in [first, second] {
        case.launch("tell", args![out, starts], range.clone());
    }
    case.launch(
        "join",
        args![first, second, both],
        Range::line(words as u64, 1),
    );
    // Whole groups alone, and at least two.
    let mut more: Vec<u64> = local
        .iter()
        .map(|size| size * choices.between(1, 3) as u64)
        .collect();
    more[0] += local[0];
    let wider = Range::new(more, local);
    let its: Vec<u32> = sizes_of(&wider);
    let its_starts = self::starts(&mut case, &its);
    let items = wider.items() as usize;
    let third = case.unwritten(items * SUB_GROUP_FIELDS);
    case.launch("tell", args![third, its_starts], wider);
    let groups = sizes.clone();
    let rules = [rule::ND_SUBGROUP_MAP, rule::ND_SUBGROUP_DEGENERATE];
    let name = "the map of sub-groups";
    case.look(first, &rules, name, Want::SubGroups { asked, groups });
    let name = "the maps of two launches";
    let want = Want::Halves { unit: Unit::Word };
    case.look(both, &[rule::ND_SUBGROUP_MAP], name, want);
    let all = [
        (first, &sizes, "the maps of two work-groups"),
        (third, &its, "the maps of launches of different sizes"),
    ];
    for (map, sizes, name) in all {
        let twins = twins(&mut case, sizes);
        let items: u32 = sizes.iter().sum();
        let pairs = case.buffer(2 * 8 * items as usize);
        case.launch(
            "compare",
            args![first, map, twins, pairs],
            Range::line(u64::from(items), 1),
        );
        let want = Want::Halves { unit: Unit::Long };
        case.look(pairs, &[rule::ND_SUBGROUP_MAP_GROUPS], name, want);
    }
    case.case
}

/// The functions of sub-groups beside those of work-groups, where a work-group has one sub-group.
pub fn one(choices: &mut Choices) -> KernelCase {
    let mut case =
        CaseBuilder::new("the functions of a lone sub-group are those of its work-group");
    case.need(&[Need::SubGroups, Need::WorkGroupFunctions]);
    let ty = choices.one_of(&["int", "uint", "long", "ulong", "float", "double", "half"]);
    let pragma = case.need_type(ty);
    let (made, ..) = spread_out(ty);
    let group = choices.one_of(&[1u64, 2, 3, 4, 5, 8, 13, 16]);
    let items = group * choices.between(1, 5) as u64;
    let seed = choices.below(1 << 16);
    let mut body = String::new();
    let names: Vec<&str> = (0..choices.between(2, 5))
        .map(|_| choices.one_of(&COLLECTIVE))
        .collect();
    for (n, name) in names.iter().enumerate() {
        let arguments = match *name {
            "broadcast" => format!("v, {}u", choices.below(group as usize)),
            // What holds is any number but 0, no bit need be common to all, and one work-item alone is unlike the others.
            "all" => "(int)(inside != odd) << inside % 31u".into(),
            "any" => "(int)(inside == odd) << inside % 31u".into(),
            _ => "v".to_string(),
        };
        let truth = if matches!(*name, "all" | "any") {
            " != 0"
        } else {
            ""
        };
        let _ = writeln!(
            body,
            "    T sub{n} = (T)(sub_group_{name}({arguments}){truth}), whole{n} = (T)(work_group_{name}({arguments}){truth});\n    wrong |= (sub{n} != whole{n}) << {n};"
        );
    }
    case.case.source = cl!("sub_group_one.cl", pragma, ty, seed, made, body);
    let out = case.unwritten(items as usize);
    case.launch("compare", args![out], Range::line(items, group));
    let name = format!("a bit for each of {} that differs", names.join(", "));
    // Where they differ, either may be wrong.
    let rules = [
        rule::ND_SUBGROUP_ONE,
        rule::WG_FUNCTIONS,
        rule::SG_FUNCTIONS,
    ];
    case.look(out, &rules, &name, Want::zeros());
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
    let mut pragma = case.need_type(ty).to_owned();
    let name = choices.one_of(&COLLECTIVE);
    let (range, groups) = range(choices, &mut case);
    let largest = groups.iter().copied().max().unwrap_or(1);
    let seed = choices.below(1 << 16);
    let from = choices.below(64);
    let end = match name {
        n if n.starts_with("scan_exclusive") => "inside",
        n if n.starts_with("scan_inclusive") => "inside + 1",
        _ => "count",
    };
    let (call, mut first, fold) = match name {
        "broadcast" => (
            format!("sub_group_broadcast(v, {from}u % count)"),
            format!("sub[{from}u % count]"),
            "r = r",
        ),
        "all" => (
            "(T)(sub_group_all((int)(inside != odd) << inside % 31u) != 0)".into(),
            "(T)(odd >= count)".into(),
            "r = r",
        ),
        "any" => (
            "(T)(sub_group_any((int)(inside == odd) << inside % 31u) != 0)".into(),
            "(T)(odd < count)".into(),
            "r = r",
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
    // So few quarters that sums are exact in every type.
    let (mut made, ..) = spread_out(ty);
    let mut ty = ty;
    let plain = !matches!(ty, "half" | "double");
    if let Some((own, of)) = short(choices, name).filter(|_| plain) {
        (ty, made) = (own, of.into());
        if name.ends_with("min") || name.ends_with("max") {
            first = "sub[0]".into();
        }
        case.need(&[Need::Extension(Extension::SubGroupExtendedTypes)]);
        pragma = format!(
            "#pragma OPENCL EXTENSION {} : enable\n",
            Extension::SubGroupExtendedTypes.name()
        );
    }
    case.case.source = cl!(
        "collective.cl",
        pragma,
        ty,
        made,
        largest,
        places = PLACES,
        seed,
        call,
        first,
        end,
        fold
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
    let rules = [rule::SG_BARRIER, rule::MM_BARRIER_SG];
    let want = Want::zeros();
    case.look(exchange, &rules, "values exchanged in a sub-group", want);
    case.case
}

/// Seldom, a type of fewer bits than an `int` on which a function is asked, and what small numbers become in it: where they
/// are added up, the sum has room or goes round. What an exclusive scan of the least or the greatest begins with is said of
/// other types alone.
fn short(choices: &mut Choices, name: &str) -> Option<(&'static str, &'static str)> {
    if !choices.percent(20) {
        return None;
    }
    let all = [
        ("uchar", "(uchar)(small * 5 + 128)"),
        ("ushort", "(ushort)(small * 1500 + 0x8000)"),
        ("short", "(short)small"),
        ("char", "(char)(small * 6)"),
    ];
    match name {
        "scan_exclusive_min" | "scan_exclusive_max" => None,
        // A `char` has no room for the sums of a sub-group.
        name if name.ends_with("add") => choices.pick(&all[..3]),
        _ => Some(choices.one_of(&all)),
    }
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
    case.case.source = cl!("turns.cl", mine, rounds);
    let wrong = case.unwritten(group as usize);
    case.launch("turns", args![wrong], Range::line(group, group));
    let want = Want::zeros().racy();
    let name = "sub-groups whose turn never came";
    case.look(wrong, &[rule::PROGRESS_SUBGROUP], name, want);
    case.case
}
