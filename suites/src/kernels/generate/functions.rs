//! Collective functions of work-groups.

use super::builder::{CaseBuilder, cl, divides, groups};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Range, Unit, Want};
use crate::rule;
use classay_vocabulary::Need;

/// The small number of a work-item, by its place in its group, and the group's number: one of so many around zero, or in
/// the place that stands out the least or the greatest of all.
fn small(group: u32, me: u32, odd: u32, seed: u32, spread: i64) -> i64 {
    if me == odd {
        return if group % 2 == 1 { spread } else { -spread };
    }
    let mixed = (group * 977 + me * 7919 + seed).wrapping_mul(2_654_435_761);
    i64::from(mixed >> 16) % spread - spread / 2
}

/// The place of a group that stands out: its last one, any of it, or none.
fn odd(group: u32, size: u32, at: u32) -> u32 {
    match group % 3 {
        0 => size - 1,
        _ => (at + group) % (size + 1),
    }
}

/// What small numbers become, which are many of the type's bits and of either half of its numbers: the expression, a factor,
/// and what is added.
pub(super) fn spread_out(ty: &str) -> (String, i128, i128) {
    match ty {
        "int" => ("(int)small * 8000".into(), 8000, 0),
        "uint" => ("(uint)small * 8000u + 0x80000000u".into(), 8000, 1 << 31),
        "long" => ("small * 0x10000000001l".into(), (1 << 40) + 1, 0),
        "ulong" => (
            "(ulong)small * 0x10000000001ul + 0x8000000000000000ul".into(),
            (1 << 40) + 1,
            1 << 63,
        ),
        // Quarters, so that whole numbers alone do not do.
        _ => (format!("({ty})small * ({ty})0.25f"), 1, 0),
    }
}

/// The collective functions of work-groups and of sub-groups, after `work_group_` and `sub_group_`.
pub(super) const COLLECTIVE: [&str; 12] = [
    "reduce_add",
    "reduce_min",
    "reduce_max",
    "scan_exclusive_add",
    "scan_exclusive_min",
    "scan_exclusive_max",
    "scan_inclusive_add",
    "scan_inclusive_min",
    "scan_inclusive_max",
    "broadcast",
    "all",
    "any",
];

/// The functions of a work-group on values of a type, in groups of every shape, one after the other.
pub fn work_group(choices: &mut Choices) -> KernelCase {
    let ty = choices.one_of(&["int", "uint", "long", "ulong", "float", "double", "half"]);
    let dimensions = choices.between(1, 3);
    let mut shape: Vec<u64> = (0..dimensions)
        .map(|_| choices.one_of(&[1, 2, 3, 4, 5]))
        .collect();
    if dimensions == 1 {
        shape[0] = choices.one_of(&[1, 2, 7, 16, 33, 64, 130, 200, 256]);
    }
    // Sums of so many are exact in half precision.
    if ty == "half" {
        shape[0] = shape[0].min(130);
    }
    let non_uniform = choices.percent(25);
    let global: Vec<u64> = shape
        .iter()
        .map(|s| {
            let whole = s * choices.between(1, 3) as u64;
            if non_uniform {
                whole + choices.below(*s as usize) as u64
            } else {
                whole
            }
        })
        .collect();
    let mut case = CaseBuilder::new(format!("the functions of work-groups, of {ty}"));
    case.need(&[Need::WorkGroupFunctions]);
    let items = shape.iter().product::<u64>() as u32;
    case.need_if(items > 64, &[Need::WorkGroupSize(items)]);
    case.need_if(!divides(&global, &shape), &[Need::NonUniformGroups]);
    let pragma = case.need_type(ty);
    let seed = choices.below(1 << 16) as u32;
    let at = choices.below(64) as u64;
    // So few quarters that sums are exact in every type.
    let spread: i64 = if ty == "half" { 21 } else { 2001 };
    let (made, factor, base) = spread_out(ty);
    let real = matches!(ty, "float" | "double" | "half");
    let places: Vec<String> = (0..dimensions)
        .map(|d| format!("from % get_local_size({d})"))
        .collect();
    let call = |name: &str| match name {
        "broadcast" => format!("work_group_broadcast(v, {})", places.join(", ")),
        // What holds is any number but 0, and no bit need be common to all.
        // One work-item alone is unlike the others, or none is.
        "all" => "work_group_all((int)(me != odd) << me % 31u) != 0".into(),
        "any" => "work_group_any((int)(me == odd) << me % 31u) != 0".into(),
        _ => format!("work_group_{name}(v)"),
    };
    // An infinity, the identity of a scan of floating point, is no `long`.
    let told = match real {
        true => format!(
            "isinf(result) ? (result > 0 ? {SKIPPED}L : -{SKIPPED}L) : (long)(result * ({ty})4)"
        ),
        false => "(long)result".into(),
    };
    let parameters = COLLECTIVE.map(|name| format!("global long *{name}"));
    // Two of them are called in a branch and in a loop that a whole group takes alike.
    let [branch, turns] = [0; 2].map(|_| choices.below(COLLECTIVE.len()));
    let calls = COLLECTIVE.iter().enumerate().map(|(n, name)| {
        let call = call(name);
        let text = match *name {
            "all" | "any" => format!("{name}[item] = {call};\n"),
            _ => format!("result = {call};\n    {name}[item] = {told};\n"),
        };
        if n == branch {
            format!("    if (group % 2u == 1u) {{\n    {text}    }} else {{\n    {text}    }}\n")
        } else if n == turns {
            format!("    for (uint turn = 0; turn <= group % 3u; turn++) {{\n    {text}    }}\n")
        } else {
            format!("    {text}")
        }
    });
    case.case.source = cl!(
        "work_groups.cl",
        pragma,
        parameters = parameters.join(", "),
        seed,
        ty,
        spread,
        made,
        at,
        calls = calls.collect::<String>()
    );
    let range = Range::new(global, shape);
    let items = range.items() as usize;
    let outs = COLLECTIVE.map(|name| (name, case.buffer(8 * items)));
    let [gx, gy, _] = Range::three(&range.global, 1);
    let mut wanted = COLLECTIVE.map(|_| vec![0u64; items]);
    for (number, ([x, y, z], [w, h, d])) in groups(&range).into_iter().enumerate() {
        let (group, size) = (number as u32, (w * h * d) as u32);
        let odd = odd(group, size, at as u32);
        let value = |me| i128::from(small(group, me, odd, seed, spread)) * factor + base;
        let values: Vec<i128> = (0..size).map(value).collect();
        let from = (at % d * h + at % h) * w + at % w;
        for (name, wanted) in COLLECTIVE.iter().zip(&mut wanted) {
            let results = results(name, ty, &values, from as usize, odd < size);
            for (me, result) in (0u64..).zip(results) {
                let (lx, ly, lz) = (me % w, me / w % h, me / w / h);
                let place = ((z + lz) * gy + y + ly) * gx + x + lx;
                wanted[place as usize] = result;
            }
        }
    }
    let args = outs.map(|(_, out)| Arg::from(out)).into();
    case.launch("collect", args, range);
    for ((name, out), wanted) in outs.into_iter().zip(wanted) {
        let want = Want::same(Unit::Long, Contents::Longs(wanted));
        case.look(
            out,
            &[rule::WG_FUNCTIONS],
            &format!("work_group_{name}"),
            want,
        );
    }
    case.case
}

/// What each work-item gets, as a `long`; `stands_out` is whether one of the group does.
fn results(name: &str, ty: &str, values: &[i128], from: usize, stands_out: bool) -> Vec<u64> {
    // Sums of unsigned numbers go round the end of their type.
    let told = |sum: i128| match ty {
        "uint" => u64::from(sum as u32),
        _ => sum as u64,
    };
    let (op, identity): (fn(i128, i128) -> i128, i128) = match name.rsplit('_').next() {
        Some("min") => (i128::min, i128::MAX),
        Some("max") => (i128::max, i128::MIN),
        _ => (|a, b| a + b, 0),
    };
    // The first of an exclusive scan is the identity; of min and max that is the type's extreme,
    // which as a `long` is told for the integer types only, and in other words for others.
    let first = match (name.rsplit('_').next(), ty) {
        (Some("min"), "int") => i64::from(i32::MAX) as u64,
        (Some("min"), "uint") => u64::from(u32::MAX),
        (Some("min"), "long") => i64::MAX as u64,
        (Some("min"), "ulong") => u64::MAX,
        (Some("max"), "int") => i64::from(i32::MIN) as u64,
        (Some("max"), "long") => i64::MIN as u64,
        // "+INF for floating-point types … Similarly if op = max, … -INF".
        (Some("min"), "float" | "double" | "half") => SKIPPED,
        (Some("max"), "float" | "double" | "half") => SKIPPED.wrapping_neg(),
        _ => 0,
    };
    let scanned = |inclusive: bool| -> Vec<u64> {
        let mut sum = identity;
        values
            .iter()
            .enumerate()
            .map(|(n, v)| {
                let before = if n == 0 { first } else { told(sum) };
                sum = if n == 0 { *v } else { op(sum, *v) };
                if inclusive { told(sum) } else { before }
            })
            .collect()
    };
    let each = |v: u64| vec![v; values.len()];
    match name {
        "broadcast" => each(told(values[from])),
        "all" => each(u64::from(!stands_out)),
        "any" => each(u64::from(stands_out)),
        name if name.starts_with("scan_exclusive") => scanned(false),
        name if name.starts_with("scan_inclusive") => scanned(true),
        _ => each(told(values.iter().copied().fold(identity, op))),
    }
}

/// What a conversion of an infinity to `long` is replaced with: the kernel tells this instead, of the infinity's sign.
const SKIPPED: u64 = 0x5ca1_ab1e;
