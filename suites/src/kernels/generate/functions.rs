//! Collective functions of work-groups.

use super::builder::{CaseBuilder, args, divides};
use crate::choices::Choices;
use crate::kernels::case::{Contents, KernelCase, Range, Unit, Want};
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

/// A function of a work-group on values of a type, in groups of every shape.
pub fn work_group(choices: &mut Choices) -> KernelCase {
    let ty = choices.one_of(&["int", "uint", "long", "ulong", "float", "double", "half"]);
    let name = choices.one_of(&COLLECTIVE);
    let dimensions = choices.between(1, 3);
    let mut shape: Vec<u64> = (0..dimensions)
        .map(|_| choices.one_of(&[1, 2, 3, 4, 5]))
        .collect();
    if dimensions == 1 {
        shape[0] = choices.one_of(&[1, 2, 7, 16, 33, 64]);
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
    let mut case = CaseBuilder::new(format!("work_group_{name} of {ty}"));
    case.need(&[Need::WorkGroupFunctions]);
    case.need_if(!divides(&global, &shape), &[Need::NonUniformGroups]);
    case.need_if(ty == "double", &[Need::Fp64]);
    let seed = choices.below(1 << 16) as u32;
    let at = choices.below(64) as u64;
    case.need_if(ty == "half", &[Need::Fp16]);
    // Small whole numbers: sums are exact in every type.
    let spread: i64 = if ty == "half" { 21 } else { 2001 };
    let bias = if ty.starts_with('u') { 1000 } else { 0 };
    let call = match name {
        "broadcast" => match dimensions {
            1 => "work_group_broadcast(v, from % get_local_size(0))".to_string(),
            2 => {
                "work_group_broadcast(v, from % get_local_size(0), from % get_local_size(1))".into()
            }
            _ => "work_group_broadcast(v, from % get_local_size(0), from % get_local_size(1), \
                  from % get_local_size(2))"
                .into(),
        },
        "all" | "any" => format!("({ty})(work_group_{name}(v > ({ty}){bias}) != 0)"),
        _ => format!("work_group_{name}(v)"),
    };
    // An infinity, the identity of a scan of floating point, is no `long`.
    let told = if matches!(ty, "float" | "double" | "half") {
        format!("isinf(result) ? {SKIPPED}L : (long)result")
    } else {
        "(long)result".into()
    };
    case.case.source = format!(
        "\
{}kernel void collect(global long *out) {{
    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
    uint me = (uint)get_local_linear_id();
    uint mixed = (group * 977u + me * 7919u + {seed}u) * 2654435761u;
    {ty} v = ({ty})((long)(mixed >> 16) % {spread} - {spread} / 2 + {bias});
    uint from = {at}u;
    {ty} result = {call};
    out[get_global_linear_id()] = {told};
}}
",
        match ty {
            "double" => "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
            "half" => "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n",
            _ => "",
        },
    );
    let range = Range {
        offset: None,
        global: global.clone(),
        local: Some(shape.clone()),
    };
    let items = range.items() as usize;
    let out = case.buffer(8 * items);
    let [gx, gy, gz] = Range::three(&global, 1);
    let [sx, sy, sz] = Range::three(&shape, 1);
    let mut wanted = vec![0u64; items];
    let mut number = 0u32;
    for z in (0..gz).step_by(sz as usize) {
        for y in (0..gy).step_by(sy as usize) {
            for x in (0..gx).step_by(sx as usize) {
                let whole = [sx.min(gx - x), sy.min(gy - y), sz.min(gz - z)];
                let count = whole.iter().product::<u64>() as u32;
                let values: Vec<i64> = (0..count)
                    .map(|me| value(number, me, seed, spread) + bias)
                    .collect();
                let from = (at % whole[2] * whole[1] + at % whole[1]) * whole[0] + at % whole[0];
                for (me, result) in results(name, ty, &values, from as usize, bias)
                    .into_iter()
                    .enumerate()
                {
                    let me = me as u64;
                    let (lx, ly, lz) = (
                        me % whole[0],
                        me / whole[0] % whole[1],
                        me / whole[0] / whole[1],
                    );
                    let place = ((z + lz) * gy + y + ly) * gx + x + lx;
                    wanted[place as usize] = result;
                }
                number += 1;
            }
        }
    }
    case.launch("collect", args![out], range);
    case.look(
        out,
        &[rule::WG_FUNCTIONS],
        &format!("work_group_{name}"),
        Want::same(Unit::Long, Contents::Longs(wanted)),
    );
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
