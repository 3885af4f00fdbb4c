//! Shared virtual memory: structures full of pointers.

use super::builder::{CaseBuilder, args, at};
use crate::choices::Choices;
use crate::kernels::case::{
    Arg, Contents, KernelCase, Kind, Launch, ObjectId, Place, Range, Step, Want,
};
use crate::rule::{self, RuleId};
use classay_vocabulary::Need;

/// Bytes of a node: two pointers, a value, and a place to fill.
const NODE: usize = 24;

const WALK: &str = include_str!("cl/walk.cl");

fn kinds(choices: &mut Choices, case: &mut CaseBuilder) -> (Kind, Vec<RuleId>) {
    let (kind, rule) = choices.one_of(&[
        (Kind::SvmCoarse, rule::SV_COARSE_MAP),
        (Kind::SvmFine, rule::SV_FINE_SYNC_POINT),
        (Kind::SvmAtomics, rule::SV_FINE_SYNC_POINT),
        (Kind::Host, rule::SV_SYSTEM_ANY),
    ]);
    case.need_memory(kind);
    (kind, vec![rule::SV_ADDRESS, rule, rule::SV_EXEC_INFO])
}

/// Types of elements, with their bytes.
const ELEMENTS: [(&str, usize); 6] = [
    ("uchar", 1),
    ("ushort", 2),
    ("uint", 4),
    ("ulong", 8),
    ("uchar2", 2),
    ("ushort4", 8),
];

/// Kernels are given pointers to anywhere in allocations, as it suits the elements: "the pointer returned by clSVMAlloc or
/// a pointer offset into the SVM region".
pub fn places(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("kernels copy between places anywhere in shared memory");
    let (kind, rules) = kinds(choices, &mut case);
    let bytes = 16 * choices.between(8, 20);
    let contents = Contents::Noise(choices.below(1 << 30) as u32);
    let mut held = contents.bytes(bytes);
    let memory = case.object(kind, bytes, contents);
    let mut sources: Vec<&str> = Vec::new();
    for _ in 0..choices.between(1, 6) {
        let (ty, size) = choices.one_of(&ELEMENTS);
        if !sources.contains(&ty) {
            sources.push(ty);
            case.case.source += &format!(
                "kernel void copy_{ty}(global {ty} *to, global const {ty} *from) {{\n    size_t i = get_global_id(0);\n    to[i] = from[i];\n}}\n"
            );
        }
        // Two stretches that share nothing, each from any element on.
        let count = choices.between(1, bytes / size / 4);
        let room = bytes / size - 2 * count;
        let first = choices.below(room + 1);
        let second = first + count + choices.below(room - first + 1);
        let [from, to] = match choices.percent(50) {
            true => [first, second],
            false => [second, first],
        }
        .map(|element| element * size);
        let args = args![at(memory, to), at(memory, from)];
        let range = Range::line(count as u64, 1);
        case.launch(format!("copy_{ty}"), args, range);
        held.copy_within(from..from + count * size, to);
    }
    let name = "what the kernels copied";
    case.look(memory, &rules, name, Want::bytes(held));
    case.case
}

/// A node: its place, the nodes that it leads to, and its value.
#[derive(Clone)]
struct Node {
    at: Place,
    left: Option<usize>,
    right: Option<usize>,
    value: u32,
}

/// What a walk by the bits of each number finds.
fn walks(nodes: &[Node], from: usize, count: u32, steps: u32) -> Vec<u32> {
    (0..count)
        .map(|mut bits| {
            let mut at = Some(from);
            let mut sum = 0u32;
            for _ in 0..steps {
                let Some(node) = at.map(|n| &nodes[n]) else {
                    break;
                };
                sum = sum.wrapping_mul(31).wrapping_add(node.value);
                at = if bits & 1 == 1 { node.right } else { node.left };
                bits >>= 1;
            }
            sum
        })
        .collect()
}

/// Nodes at places that jump between allocations: a list (0), a tree (1), or pointers to anywhere.
fn nodes(choices: &mut Choices, shape: usize, allocations: &[ObjectId], each: usize) -> Vec<Node> {
    let total = each * allocations.len();
    // The nodes in an order that jumps between allocations.
    let mut places: Vec<Place> = allocations
        .iter()
        .flat_map(|a| (0..each).map(|n| at(*a, n * NODE)))
        .collect();
    for n in (1..places.len()).rev() {
        places.swap(n, choices.below(n + 1));
    }
    (0..total)
        .map(|n| {
            let inside = |n: usize| (n < total).then_some(n);
            let (left, right) = match shape {
                // A list that can be followed both ways.
                0 => (inside(n + 1), n.checked_sub(1)),
                1 => (inside(2 * n + 1), inside(2 * n + 2)),
                _ => {
                    let mut any = || choices.percent(90).then(|| choices.below(total));
                    (any(), any())
                }
            };
            Node {
                at: places[n],
                left,
                right,
                value: choices.below(1000) as u32,
            }
        })
        .collect()
}

/// Lists, trees and graphs over several allocations: the host builds, a kernel walks and turns them
/// around, the host looks at the pointers, builds some anew, and a kernel walks again.
pub fn structures(choices: &mut Choices) -> KernelCase {
    let mut case = CaseBuilder::new("structures of pointers over several allocations");
    case.need(&[Need::Bits64]);
    let (kind, mut rules) = kinds(choices, &mut case);
    case.case.source = WALK.into();
    let each = choices.between(2, 7);
    // Lists of allocations are short and long.
    let all = choices.one_of(&[1, 2, 3, 3, 6, 9, 12]);
    let allocations: Vec<ObjectId> = (0..all)
        .map(|_| case.object(kind, NODE * each, Contents::Zero))
        .collect();
    let total = each * allocations.len();
    // What one device leaves, another finds; everything is finished between them.
    let devices = choices.percent(30);
    if devices {
        case.case.queues = vec![1];
        rules.push(rule::SV_COARSE_DEVICES);
    }
    let mut turn = 0;
    let mut on = |case: &mut CaseBuilder| {
        if !devices {
            return 0;
        }
        case.step(Step::Finish);
        turn += 1;
        turn % 2
    };
    let shape = choices.below(3);
    let mut nodes = nodes(choices, shape, &allocations, each);
    let point = |case: &mut CaseBuilder, nodes: &[Node], n: usize| {
        let node = &nodes[n];
        for (byte, to) in [(0, node.left), (8, node.right)] {
            case.step(Step::Point {
                at: at(node.at.object, node.at.byte + byte),
                to: to.map(|to| nodes[to].at),
            });
        }
        case.step(Step::Host {
            at: at(node.at.object, node.at.byte + 16),
            bytes: 4,
            contents: Contents::Words(vec![node.value]),
        });
    };
    for n in 0..total {
        point(&mut case, &nodes, n);
    }
    let count = choices.one_of(&[1u32, 4, 16]);
    let steps = 12;
    // A copy of a kernel has what was told about it, too.
    let cloned = choices.percent(30);
    case.need_if(cloned, &[Need::Api21]);
    // One pointer to anywhere in an allocation tells of all of it.
    let reaches_at = choices.one_of(&[0, 0, 8, 16, 24]);
    let walk = |case: &mut CaseBuilder, nodes: &[Node], from: usize, queue: u8| {
        let out = case.buffer(4 * count as usize);
        case.step(Step::Launch(Launch {
            kernel: "walk".into(),
            // Into the middle of an allocation, most often.
            args: args![Arg::Pointer(nodes[from].at), out, steps],
            range: Range::line(u64::from(count), 1),
            times: 1,
            queue,
            cloned,
            reaches: allocations.clone(),
            reaches_at,
            ..Launch::default()
        }));
        let want = Want::words(walks(nodes, from, count, steps));
        case.look(out, &rules, "what a walk found", want);
    };
    let queue = on(&mut case);
    walk(&mut case, &nodes, 0, queue);
    for allocation in &allocations {
        let queue = on(&mut case);
        case.run(Launch {
            queue,
            reaches: allocations.clone(),
            reaches_at,
            ..Launch::new("turn", args![*allocation], Range::line(each as u64, 1))
        });
    }
    for node in &mut nodes {
        std::mem::swap(&mut node.left, &mut node.right);
        node.value += 1000;
    }
    for allocation in &allocations {
        let mut list = Vec::new();
        for node in nodes.iter().filter(|n| n.at.object == *allocation) {
            list.push((node.at.byte, node.left.map(|n| nodes[n].at)));
            list.push((node.at.byte + 8, node.right.map(|n| nodes[n].at)));
        }
        let name = "the pointers that a kernel turned around";
        case.look(*allocation, &rules, name, Want::Pointers(list));
    }
    let changed = choices.below(total);
    nodes[changed].left = Some(choices.below(total));
    nodes[changed].value = 5;
    point(&mut case, &nodes, changed);
    let queue = on(&mut case);
    walk(&mut case, &nodes, choices.below(total), queue);
    case.case
}
