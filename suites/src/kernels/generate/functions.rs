//! Collective functions of work-groups and sub-groups.
//!
//! For sub-groups the map from work-items is the device's choice: kernels compute each result a second
//! time from what the work-items tell of themselves, and the two have to agree.

use super::super::case::{Contents, KernelCase, Kind, Launch, Range, Step, Unit, Want};
use super::{Making, object, same};
use crate::commands::generate::Draw;
use crate::need::Need;
use crate::rule;

/// The value of a work-item, by its place in its group, and the group's number.
fn value(group: u32, me: u32, seed: u32) -> i64 {
    let mixed = (group * 977 + me * 7919 + seed).wrapping_mul(2_654_435_761);
    i64::from(mixed >> 16) % 2001 - 1000
}

/// A function of a work-group on values of a type, in groups of every shape.
pub fn work_group(draw: &mut Draw) -> KernelCase {
    let ty = draw
        .pick(&["int", "uint", "long", "ulong", "float", "double"])
        .unwrap_or("int");
    let name = draw
        .pick(&[
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
        ])
        .unwrap_or("all");
    let dimensions = draw.between(1, 3);
    let shape: Vec<u64> = (0..dimensions)
        .map(|_| draw.pick(&[1, 2, 3, 4, 5]).unwrap_or(1))
        .collect();
    let mut shape = shape;
    if dimensions == 1 {
        shape[0] = draw.pick(&[1, 2, 7, 16, 33, 64]).unwrap_or(7);
    }
    let non_uniform = draw.percent(25);
    let global: Vec<u64> = shape
        .iter()
        .map(|s| {
            let whole = s * draw.between(1, 3) as u64;
            if non_uniform {
                whole + draw.below(*s as usize) as u64
            } else {
                whole
            }
        })
        .collect();
    let mut case = Making::new(format!("work_group_{name} of {ty}"));
    case.need(&[Need::WorkGroupFunctions]);
    if global
        .iter()
        .zip(&shape)
        .any(|(g, s)| !g.is_multiple_of(*s))
    {
        case.need(&[Need::NonUniformGroups]);
    }
    if ty == "double" {
        case.need(&[Need::Fp64]);
    }
    let seed = draw.below(1 << 16) as u32;
    let at = draw.below(64) as u64;
    // Small whole numbers: sums are exact in every type.
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
    let told = if ty == "float" || ty == "double" {
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
    {ty} v = ({ty})((long)(mixed >> 16) % 2001 - 1000 + {bias});
    uint from = {at}u;
    {ty} result = {call};
    out[get_global_linear_id()] = {told};
}}
",
        if ty == "double" {
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        } else {
            ""
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
                    .map(|me| value(number, me, seed) + bias)
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
    case.step(Step::Launch(Launch {
        kernel: "collect".into(),
        args: vec![object(out)],
        range,
        times: 1,
        ..Launch::default()
    }));
    case.look(
        out,
        &[rule::WG_FUNCTIONS],
        &format!("work_group_{name}"),
        same(Unit::Long, Contents::Longs(wanted)),
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
        (Some("min" | "max"), "float" | "double") => SKIPPED,
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

/// Sub-groups: the map, against the formulae, and each function against what it should be from what the
/// work-items told of themselves.
pub fn sub_group(draw: &mut Draw) -> KernelCase {
    let mut case = Making::new("sub-groups: their map, their functions, their barrier");
    case.need(&[Need::SubGroups]);
    let ty = draw
        .pick(&["int", "uint", "long", "ulong"])
        .unwrap_or("int");
    let name = draw
        .pick(&[
            "reduce_add",
            "reduce_min",
            "reduce_max",
            "scan_exclusive_add",
            "scan_inclusive_add",
            "scan_inclusive_min",
            "scan_inclusive_max",
            "broadcast",
            "all",
            "any",
        ])
        .unwrap_or("all");
    let group = draw.pick(&[1u64, 5, 8, 16, 31, 64, 100]).unwrap_or(16);
    let groups = draw.between(1, 4) as u64;
    let items = (group * groups) as usize;
    let seed = draw.below(1 << 16);
    let (start, end) = match name {
        n if n.starts_with("scan_exclusive") => ("begin", "me"),
        n if n.starts_with("scan_inclusive") => ("begin", "me + 1"),
        _ => ("begin", "begin + count"),
    };
    let (call, first, fold) = match name {
        "broadcast" => (
            "sub_group_broadcast(v, count - 1)".to_string(),
            "vs[begin + count - 1]",
            "r = r",
        ),
        "all" => (
            "(T)(sub_group_all((int)(v > 50)) != 0)".into(),
            "1",
            "r = r && vs[i] > 50",
        ),
        "any" => (
            "(T)(sub_group_any((int)(v > 50)) != 0)".into(),
            "0",
            "r = r || vs[i] > 50",
        ),
        n => {
            let (first, fold) = match n.rsplit('_').next() {
                Some("min") => ("vs[begin]", "r = min(r, vs[i])"),
                Some("max") => ("vs[begin]", "r = max(r, vs[i])"),
                _ => ("0", "r = r + vs[i]"),
            };
            (format!("sub_group_{n}(v)"), first, fold)
        }
    };
    case.case.source = format!(
        "\
typedef {ty} T;
kernel void collect(global long *out, global uint *map, global uint *exchange) {{
    local T vs[{group}];
    local uint cells[{group}];
    uint me = get_local_id(0), size = get_local_size(0);
    T v = (T)((get_global_id(0) * 7919u + {seed}u) % 101u);
    vs[me] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = get_sub_group_size(), most = get_max_sub_group_size();
    uint number = get_sub_group_id(), inside = get_sub_group_local_id();
    uint begin = me - inside;
    T result = {call};
    T r = {first};
    for (uint i = {start}; i < {end}; i++) {fold};
    out[get_global_id(0)] = (long)result;
    out[get_global_id(0) + get_global_size(0)] = (long)r;
    uint whole = (size + most - 1) / most;
    uint bad = 0;
    bad |= (number * most + inside != me) << 0;
    bad |= (get_num_sub_groups() != whole) << 1;
    bad |= (count != (number + 1 < whole ? most : size - number * most)) << 2;
    bad |= (inside >= count) << 3;
    bad |= (get_enqueued_num_sub_groups() != whole) << 4;
    map[get_global_id(0)] = bad;
    uint wrong = 0;
    for (uint pass = 0; pass < 4; pass++) {{
        cells[me] = me * 4 + pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        uint other = begin + (inside + 1) % count;
        wrong += cells[other] != other * 4 + pass;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }}
    exchange[get_global_id(0)] = wrong;
}}
"
    );
    let out = case.buffer(16 * items);
    let map = case.object(Kind::Buffer, 4 * items, Contents::Every(u32::MAX));
    let exchange = case.object(Kind::Buffer, 4 * items, Contents::Every(u32::MAX));
    case.step(Step::Launch(Launch {
        kernel: "collect".into(),
        args: vec![object(out), object(map), object(exchange)],
        range: Range::line(items as u64, group),
        times: 1,
        ..Launch::default()
    }));
    case.look(
        map,
        &[rule::ND_SUBGROUP_MAP, rule::ND_SUBGROUP_DEGENERATE],
        "the formulae of the map of sub-groups, a bit each",
        same(Unit::Word, Contents::Zero),
    );
    case.look(
        out,
        &[rule::SG_FUNCTIONS],
        &format!("sub_group_{name}"),
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
