//! Sub-groups: the map from work-items against the host's view, functions, barriers, progress.
//!
//! How work-items are divided is the device's choice. Kernels tell what they saw, and compute each result
//! of a function a second time, from what the work-items of a sub-group wrote down at their places.

use super::builder::{CaseBuilder, args, cl, divides, groups};
use super::functions::{COLLECTIVE, spread_out};
use super::joined;
use crate::choices::Choices;
use crate::kernels::case::{
    Contents, KernelCase, Kind, ObjectId, Range, SUB_GROUP_FIELDS, Step, Unit, Want,
};
use crate::rule;
use classay_vocabulary::{Extension, Need};
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
    case.look(out, &[rule::ND_SUBGROUP_ONE], &name, Want::zeros());
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
    let pragma = case.need_type(ty);
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
    let (call, first, fold) = match name {
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
    let (made, ..) = spread_out(ty);
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

/// A call of a function of an extension, and what makes `r` of the values of the sub-group, `sub`, what it must give.
/// Where that is undefined for a work-item, `r` is what it gave.
/// `None` of an extension that is not about sub-groups.
fn exchanged(choices: &mut Choices, extension: Extension, real: bool) -> Option<(String, String)> {
    let by = choices.between(0, 9);
    let any = choices.between(1, 40);
    let fold =
        |over: &str, op: &str| format!("for (uint i = 0; i < count; i++) if ({over}) r = {op};");
    Some(match extension {
        Extension::SubGroupShuffle => match choices.percent(60) {
            true => (
                "sub_group_shuffle".into(),
                format!(
                    "uint from = (inside * {by}u + {any}u) % count; result = sub_group_shuffle(v, from); r = sub[from];"
                ),
            ),
            false => (
                "sub_group_shuffle_xor".into(),
                format!(
                    "uint other = inside ^ {by}u; result = sub_group_shuffle_xor(v, {by}u); r = other < count ? sub[other] : result;"
                ),
            ),
        },
        Extension::SubGroupShuffleRelative => match choices.percent(50) {
            true => (
                "sub_group_shuffle_up".into(),
                format!(
                    "result = sub_group_shuffle_up(v, {by}u); r = inside >= {by}u ? sub[inside - {by}u] : result;"
                ),
            ),
            false => (
                "sub_group_shuffle_down".into(),
                format!(
                    "result = sub_group_shuffle_down(v, {by}u); r = inside + {by}u < count ? sub[inside + {by}u] : result;"
                ),
            ),
        },
        Extension::SubGroupRotate => match choices.percent(50) {
            true => (
                "sub_group_rotate".into(),
                format!(
                    "uint from = (inside + {any}u) % get_max_sub_group_size(); result = sub_group_rotate(v, {any}); r = from < count ? sub[from] : result;"
                ),
            ),
            false => {
                let size = choices.one_of(&[1, 2, 4, 8]);
                (
                    "sub_group_clustered_rotate".into(),
                    format!(
                        "if ({size}u <= get_max_sub_group_size()) {{ uint from = inside / {size}u * {size}u + (inside + {any}u) % {size}u; result = sub_group_clustered_rotate(v, {any}, {size}u); r = from < count ? sub[from] : result; }}"
                    ),
                )
            }
        },
        Extension::SubGroupBallot => {
            let (call, wanted) = choices.one_of(&[
                (
                    "sub_group_ballot_bit_count(mask)",
                    "for (uint i = 0; i < count; i++) r += (T)holds(sub[i]);",
                ),
                (
                    "sub_group_ballot_inclusive_scan(mask)",
                    "for (uint i = 0; i <= inside; i++) r += (T)holds(sub[i]);",
                ),
                (
                    "sub_group_ballot_exclusive_scan(mask)",
                    "for (uint i = 0; i < inside; i++) r += (T)holds(sub[i]);",
                ),
                ("(sub_group_inverse_ballot(mask) != 0)", "r = (T)holds(v);"),
                (
                    "(sub_group_ballot_bit_extract(mask, (inside + 1u) % count) != 0)",
                    "r = (T)holds(sub[(inside + 1u) % count]);",
                ),
                (
                    "sub_group_ballot_find_lsb(mask)",
                    "r = result; for (uint i = count; i-- > 0;) if (holds(sub[i])) r = (T)i;",
                ),
                (
                    "sub_group_ballot_find_msb(mask)",
                    "r = result; for (uint i = 0; i < count; i++) if (holds(sub[i])) r = (T)i;",
                ),
                ("sub_group_broadcast_first(v)", "r = sub[0];"),
                ("sub_group_non_uniform_broadcast(v, 0u)", "r = sub[0];"),
            ]);
            let name = call
                .trim_start_matches('(')
                .split('(')
                .next()
                .unwrap_or_default();
            (
                name.into(),
                format!("uint4 mask = sub_group_ballot(holds(v)); result = (T){call}; {wanted}"),
            )
        }
        Extension::SubGroupVote => {
            // Those for whom the condition holds are there alone.
            let (call, first, over, op) = choices.one_of(&[
                (
                    "sub_group_elect()",
                    "r = (T)1;",
                    "holds(sub[i]) && i < inside",
                    "(T)0",
                ),
                (
                    "sub_group_non_uniform_all((v > (T)4) << inside % 31)",
                    "r = (T)1;",
                    "holds(sub[i]) && !(sub[i] > (T)4)",
                    "(T)0",
                ),
                (
                    "sub_group_non_uniform_any((v > (T)16) << inside % 31)",
                    "r = (T)0;",
                    "holds(sub[i]) && sub[i] > (T)16",
                    "(T)1",
                ),
                (
                    "sub_group_non_uniform_all_equal(v)",
                    "r = (T)1;",
                    "holds(sub[i]) && sub[i] != v",
                    "(T)0",
                ),
            ]);
            let name = call.split('(').next().unwrap_or_default();
            let fold = fold(over, op);
            (
                name.into(),
                format!("if (holds(v)) {{ result = (T)({call} != 0); {first} {fold} }}"),
            )
        }
        Extension::SubGroupArithmetic | Extension::SubGroupClustered => {
            let mut ops = vec![
                ("add", "r + sub[i]"),
                ("min", "min(r, sub[i])"),
                ("max", "max(r, sub[i])"),
            ];
            if !real {
                ops.extend([
                    ("and", "r & sub[i]"),
                    ("or", "r | sub[i]"),
                    ("xor", "r ^ sub[i]"),
                ]);
            }
            let (op, next) = choices.pick(&ops).unwrap_or(("add", "r + sub[i]"));
            if extension == Extension::SubGroupClustered {
                let size = choices.one_of(&[1, 2, 4, 8]);
                let name = format!("sub_group_clustered_reduce_{op}");
                let over = format!("i / {size}u == inside / {size}u && i != inside");
                let fold = fold(&over, next);
                let text = format!(
                    "if ({size}u <= get_max_sub_group_size()) {{ result = {name}(v, {size}u); r = v; {fold} }}"
                );
                return Some((name, text));
            }
            // Of an exclusive scan the first value is the identity, which is 0 of these.
            let exclusive = matches!(op, "add" | "or" | "xor") && choices.percent(30);
            let (form, first, over) = match (exclusive, choices.percent(50)) {
                (true, _) => ("scan_exclusive", "(T)0", "i < inside"),
                (false, true) => ("scan_inclusive", "v", "i < inside"),
                (false, false) => ("reduce", "v", "i != inside"),
            };
            let name = format!("sub_group_non_uniform_{form}_{op}");
            let fold = fold(&format!("holds(sub[i]) && {over}"), next);
            let text = format!("if (holds(v)) {{ result = {name}(v); r = {first}; {fold} }}");
            (name, text)
        }
        Extension::ExtendedBitOps | Extension::IntegerDotProduct => return None,
    })
}

/// The extensions of functions of sub-groups.
const EXCHANGES: [Extension; 7] = [
    Extension::SubGroupShuffle,
    Extension::SubGroupShuffleRelative,
    Extension::SubGroupRotate,
    Extension::SubGroupBallot,
    Extension::SubGroupVote,
    Extension::SubGroupArithmetic,
    Extension::SubGroupClustered,
];

/// Functions of an extension, on values of a type each, in sub-groups of every size.
pub fn exchange(choices: &mut Choices) -> KernelCase {
    let extension = choices.one_of(&EXCHANGES);
    joined::several(choices, |choices| exchange_by(choices, extension))
}

fn exchange_by(choices: &mut Choices, extension: Extension) -> KernelCase {
    let mut case = CaseBuilder::new("sub-groups exchange values, vote and add up");
    case.need(&[Need::SubGroups, Need::Extension(extension)]);
    let ty = choices.one_of(&["int", "uint", "long", "ulong", "float", "short", "uchar"]);
    let (name, text) = exchanged(choices, extension, ty == "float").unwrap_or_default();
    let (range, groups) = range(choices, &mut case);
    let largest = groups.iter().copied().max().unwrap_or(1);
    let seed = choices.below(1 << 16);
    case.case.source = cl!(
        "sub_group_exchange.cl",
        pragma = format!("#pragma OPENCL EXTENSION {} : enable\n", extension.name()),
        ty,
        largest,
        places = PLACES,
        seed,
        body = format!("    {text}\n")
    );
    let items = range.items() as usize;
    let starts = starts(&mut case, &groups);
    let out = case.buffer(16 * items);
    case.launch("exchange", args![out, starts], range);
    let says = format!("{name} of {ty}, negative where it is wrong");
    let want = Want::Halves { unit: Unit::Long };
    case.look(out, &[rule::SG_FUNCTIONS], &says, want);
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
    case.case.source = cl!("turns.cl", mine, rounds);
    let wrong = case.unwritten(group as usize);
    case.launch("turns", args![wrong], Range::line(group, group));
    let want = Want::zeros().racy();
    let name = "sub-groups whose turn never came";
    case.look(wrong, &[rule::PROGRESS_SUBGROUP], name, want);
    case.case
}
