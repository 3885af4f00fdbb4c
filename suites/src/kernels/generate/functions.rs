//! Collective functions of work-groups.

use super::builder::{CaseBuilder, cl, divides, groups};
use crate::choices::Choices;
use crate::kernels::case::{Arg, Contents, KernelCase, Range, Unit, Want};
use crate::rule;
use classay_vocabulary::Need;

/// The value of a work-item, by its place in its group, and the group's number: one of so many around
/// zero.
fn value(group: u32, me: u32, seed: u32, spread: i64) -> i64 {
    let mixed = (group * 977 + me * 7919 + seed).wrapping_mul(2_654_435_761);
    i64::from(mixed >> 16) % spread - spread / 2
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
    // Small whole numbers: sums are exact in every type.
    let spread: i64 = if ty == "half" { 21 } else { 2001 };
    let bias = if ty.starts_with('u') { 1000 } else { 0 };
    let places: Vec<String> = (0..dimensions)
        .map(|d| format!("from % get_local_size({d})"))
        .collect();
    let call = |name: &str| match name {
        "broadcast" => format!("work_group_broadcast(v, {})", places.join(", ")),
        // What holds is any number but 0, and no bit need be common to all.
        "all" | "any" => format!(
            "({ty})(work_group_{name}((int)(v > ({ty}){bias}) << get_local_linear_id() % 31) != 0)"
        ),
        _ => format!("work_group_{name}(v)"),
    };
    // An infinity, the identity of a scan of floating point, is no `long`.
    let told = if matches!(ty, "float" | "double" | "half") {
        format!("isinf(result) ? {SKIPPED}L : (long)result")
    } else {
        "(long)result".into()
    };
    let parameters = COLLECTIVE.map(|name| format!("global long *{name}"));
    let calls = COLLECTIVE.map(|name| {
        let call = call(name);
        format!("    result = {call};\n    {name}[item] = {told};\n")
    });
    case.case.source = cl!(
        "work_groups.cl",
        pragma,
        parameters = parameters.join(", "),
        seed,
        ty,
        spread,
        bias,
        at,
        calls = calls.concat()
    );
    let range = Range::new(global, shape);
    let items = range.items() as usize;
    let outs = COLLECTIVE.map(|name| (name, case.buffer(8 * items)));
    let [gx, gy, _] = Range::three(&range.global, 1);
    let mut wanted = COLLECTIVE.map(|_| vec![0u64; items]);
    for (number, ([x, y, z], [w, h, d])) in groups(&range).into_iter().enumerate() {
        let value = |me| value(number as u32, me, seed, spread) + bias;
        let values: Vec<i64> = (0..(w * h * d) as u32).map(value).collect();
        let from = (at % d * h + at % h) * w + at % w;
        for (name, wanted) in COLLECTIVE.iter().zip(&mut wanted) {
            let results = results(name, ty, &values, from as usize, bias);
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

/// What each work-item gets, as a `long`.
fn results(name: &str, ty: &str, values: &[i64], from: usize, bias: i64) -> Vec<u64> {
    let (op, identity): (fn(i64, i64) -> i64, i64) = match name.rsplit('_').next() {
        Some("min") => (i64::min, i64::MAX),
        Some("max") => (i64::max, i64::MIN),
        _ => (|a, b| a + b, 0),
    };
    // The first of an exclusive scan is the identity; of min and max that is the type's extreme,
    // which as a `long` is told for the integer types only.
    let first = match (name.rsplit('_').next(), ty) {
        (Some("min"), "int") => i64::from(i32::MAX) as u64,
        (Some("min"), "uint") => u64::from(u32::MAX),
        (Some("min"), "long") => i64::MAX as u64,
        (Some("min"), "ulong") => u64::MAX,
        (Some("max"), "int") => i64::from(i32::MIN) as u64,
        (Some("max"), "long") => i64::MIN as u64,
        (Some("min" | "max"), "float" | "double" | "half") => SKIPPED,
        _ => 0,
    };
    let scanned = |inclusive: bool| -> Vec<u64> {
        let mut sum = identity;
        values
            .iter()
            .enumerate()
            .map(|(n, v)| {
                let before = if n == 0 { first } else { sum as u64 };
                sum = if n == 0 { *v } else { op(sum, *v) };
                if inclusive { sum as u64 } else { before }
            })
            .collect()
    };
    let each = |v: u64| vec![v; values.len()];
    match name {
        "broadcast" => each(values[from] as u64),
        "all" => each(u64::from(values.iter().all(|v| *v > bias))),
        "any" => each(u64::from(values.iter().any(|v| *v > bias))),
        name if name.starts_with("scan_exclusive") => scanned(false),
        name if name.starts_with("scan_inclusive") => scanned(true),
        _ => each(values.iter().copied().fold(identity, op) as u64),
    }
}

/// What a conversion of an infinity to `long` is replaced with: the kernel tells this instead.
const SKIPPED: u64 = 0x5ca1_ab1e;
