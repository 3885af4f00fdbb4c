//! Copies by work-groups between global and local memory.

use super::builder::{CaseBuilder, args, cl, noise, vector};
use crate::choices::Choices;
use crate::kernels::case::{KernelCase, Kind, Range, Want};
use crate::rule;
use classay_vocabulary::Need;

/// Types of components, and the bytes of one. Those that not every device has are last, and seldom.
const TYPES: [(&str, usize); 11] = [
    ("uchar", 1),
    ("ushort", 2),
    ("uint", 4),
    ("ulong", 8),
    ("char", 1),
    ("short", 2),
    ("int", 4),
    ("long", 8),
    ("float", 4),
    ("double", 8),
    ("half", 2),
];

/// Bytes of local memory that elements take at most.
const LOCAL: usize = 16 << 10;

/// The type without a sign of so many bytes.
fn unsigned(bytes: usize) -> &'static str {
    match bytes {
        1 => "uchar",
        2 => "ushort",
        4 => "uint",
        _ => "ulong",
    }
}

/// Adds one to each component of so many bytes.
fn add_one(element: &mut [u8], component: usize) {
    for part in element.chunks_mut(component) {
        for byte in part {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }
}

/// Bytes of a buffer in which elements lie far apart, at most.
const WIDE: usize = 1 << 18;

/// A work-group brings elements to local memory by asynchronous copies, changes them, and takes them
/// back; on either side they may lie apart.
pub fn asynchronous(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("work-groups copy to local memory and back, and wait for that");
    let (name, component) = choices.one_of(&TYPES);
    let width = choices.one_of(&[1, 2, 4, 3, 8, 16]);
    let ty = vector(name, width);
    // "The size is 4 * sizeof(component)", and what the fourth holds is nobody's business.
    let lanes = if width == 3 { 4 } else { width };
    let size = component * lanes;
    let pragma = case.need_type(name);
    let group = choices.one_of(&[1usize, 3, 8, 16, 33, 64, 12, 32]);
    let groups = choices.between(1, 4);
    // A last group of fewer work-items copies as much as the others.
    let missing = if group > 1 && choices.percent(25) {
        case.need(&[Need::NonUniformGroups, Need::C20]);
        choices.between(1, group - 1)
    } else {
        0
    };
    // As many elements as work-items, more or fewer; mostly no multiple.
    let count = match choices.below(4) {
        // Each of the fewer has several.
        _ if missing > 0 => 2 * group * choices.between(1, 2) + choices.below(6),
        0 => group,
        1 => choices.between(1, group),
        2 => 2 * group * choices.between(1, 3),
        _ => choices.between(1, 8 * group + 5),
    }
    .max(2)
    .min(LOCAL / size);
    let mut stride = || {
        let wide = choices.one_of(&[100, 255, 256, 257, 1000]);
        match choices.below(10) {
            0..4 => 1,
            4 | 5 if groups * count * size * wide <= WIDE => wide,
            _ => choices.between(2, 5),
        }
    };
    let (gather, scatter) = (stride(), stride());
    let place = choices.between(0, 3);
    let passes = choices.between(1, 2);
    // Strides of one are copied by either function.
    let strided = choices.percent(30);
    let call = |apart: usize, to: &str, from: &str, event: &str| {
        if apart == 1 && !strided {
            format!("async_work_group_copy({to}, {from}, (size_t)part, {event})")
        } else {
            format!(
                "async_work_group_strided_copy({to}, {from}, (size_t)part, (size_t){apart}, {event})"
            )
        }
    };
    // In two parts, of which the second may share the event of the first.
    let shared = choices.percent(50);
    let second = if shared { "e[0]" } else { "0" };
    let events = if shared { 1 } else { 2 };
    let block = |apart: usize| 1 + (count - 1) * apart;
    let (span_in, span_out) = (block(gather) + place, block(scatter) + place);
    let copies = |into: bool| {
        let (apart, far) = if into {
            (gather, "from")
        } else {
            (scatter, "to")
        };
        let sides = |skip: &str| {
            let near = format!("near + {skip}");
            let far = format!("{far} + first + {place} + ({skip}) * {apart}");
            if into { (near, far) } else { (far, near) }
        };
        let (to, from) = sides("0");
        let one = call(apart, &to, &from, "0");
        let (to, from) = sides("middle");
        let other = call(apart, &to, &from, second);
        let last = if shared { "e[0]" } else { "e[1]" };
        format!(
            "        part = middle;\n        e[0] = {one};\n        part = {count}u - middle;\n        {last} = {other};\n        wait_group_events({events}, e);\n"
        )
    };
    // The fourth component of a vector of three is left alone.
    let index = match width {
        3 => "i / 3u * 4u + i % 3u",
        _ => "i",
    };
    case.case.source = cl!(
        "bring.cl",
        pragma,
        ty,
        part = unsigned(component),
        parts = count * width,
        index,
        count,
        passes,
        into = copies(true),
        back = copies(false)
    );
    let (here, there) = (noise(choices), noise(choices));
    let bytes_in = groups * span_in * size;
    let bytes_out = groups * span_out * size;
    let before = here.bytes(bytes_in);
    let mut wanted = there.bytes(bytes_out);
    for g in 0..groups {
        for n in 0..count {
            let from = (g * span_in + place + n * gather) * size;
            let to = (g * span_out + place + n * scatter) * size;
            let mut element = before[from..from + size].to_vec();
            add_one(&mut element, component);
            wanted[to..to + size].copy_from_slice(&element);
        }
    }
    let from = case.object(Kind::Buffer, bytes_in, here);
    let to = case.object(Kind::Buffer, bytes_out, there);
    let args = args![from, to, span_in as u32, span_out as u32];
    let items = (group * groups - missing) as u64;
    // A work-group may have two dimensions: what it copies is the same.
    let rows = choices.one_of(&[1, 2, 2, 4]);
    let range = match (group % rows, missing) {
        (0, 0) if rows > 1 => {
            let (rows, row) = (rows as u64, (group / rows) as u64);
            Range::new(vec![row * groups as u64, rows], Some(vec![row, rows]))
        }
        _ => Range::line(items, group as u64),
    };
    case.launch("bring", args, range);
    let says = "what the groups took back";
    let rules = [rule::WG_ASYNC_COPY];
    if width != 3 {
        case.look(to, &rules, says, Want::bytes(wanted));
        return case.case;
    }
    case.case.source += &format!(
        "kernel void pack(global const {ty} *from, global {name} *to) {{\n    vstore3(from[get_global_id(0)], get_global_id(0), to);\n}}\n"
    );
    let elements = bytes_out / size;
    let packed = case.buffer(elements * 3 * component);
    case.launch("pack", args![to, packed], Range::line(elements as u64, 1));
    let three = wanted
        .chunks(size)
        .flat_map(|element| &element[..3 * component]);
    let three: Vec<u8> = three.copied().collect();
    case.look(packed, &rules, says, Want::bytes(three));
    case.case
}
