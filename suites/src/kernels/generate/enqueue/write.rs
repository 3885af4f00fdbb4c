//! A tree as OpenCL C, and as a case.

use super::order::{Before, Part, Reason, before};
use super::space;
use super::tree::{Opener, Space, Tree};
use crate::kernels::case::{Arg, Contents, DeviceQueue, KernelCase, Kind, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, at, cl};
use crate::kernels::transfer::{Bytes, Transfer};
use crate::rule;
use classay_vocabulary::Need;

/// What a work-item writes when it ends: the kernel's token and its linear id.
fn token(node: usize) -> u32 {
    (node as u32 + 1) * 4096
}

/// A kernel's parameters, wherever its function is called.
const PARAMETERS: &str = "global uint *cells, global uint *wrong, global ulong *times, queue_t q";

/// Where things lie in the memory of a tree.
struct Layout {
    /// The first cell of each kernel.
    cells: Vec<usize>,
    /// Work-items of all kernels.
    items: usize,
}

impl Layout {
    fn of(tree: &Tree) -> Layout {
        let mut items = 0;
        let mut cells = Vec::new();
        for node in &tree.nodes {
            cells.push(items);
            items += node.space.items();
        }
        Layout { cells, items }
    }

    /// The cell in which an opener says that it opens a kernel's gate.
    fn gate(&self, node: usize) -> usize {
        self.items + node
    }

    /// The cell that a kernel's enqueuer writes before it enqueues.
    fn early(&self, tree: &Tree, node: usize) -> usize {
        self.items + tree.nodes.len() + node
    }

    /// All cells.
    fn all(&self, tree: &Tree) -> usize {
        self.items + 2 * tree.nodes.len()
    }
}

/// The reasons that a kernel tells of.
fn reasons(tree: &Tree, n: usize) -> Vec<Reason> {
    let node = &tree.nodes[n];
    let mut list: Vec<Reason> = before(tree, n).iter().map(|b| b.reason).collect();
    if node.gate.is_some() {
        list.push(Reason::Gate);
    }
    if tells_early(tree, n) {
        list.push(Reason::Enqueue);
    }
    if node.local {
        list.push(Reason::Local);
    }
    if tree.children(n).next().is_some() {
        list.push(Reason::Accepted);
    }
    if holds(n) {
        list.push(Reason::Held);
    }
    list.push(Reason::Space);
    list.sort();
    list.dedup();
    list
}

/// Whether a kernel looks for what its enqueuer wrote before.
fn tells_early(tree: &Tree, n: usize) -> bool {
    n > 0 && tree.fine
}

/// The slice in which a reason is told.
fn slice(reason: Reason, layout: &Layout) -> usize {
    let place = Reason::ALL.iter().position(|r| *r == reason).unwrap_or(0);
    place * layout.items
}

/// Looks for the tokens of work-items that have ended.
fn look(tree: &Tree, layout: &Layout, before: Before, text: &mut String) {
    let node = &tree.nodes[before.node];
    let (first, token) = (layout.cells[before.node], token(before.node));
    let mut condition = format!("cells[{first}u + i] != {token}u + i");
    if let (Part::Group, ([gx, gy, _], Some([lx, ly, lz]))) = (before.part, node.space.three()) {
        let (e, plane) = (node.enqueuer, gx * gy);
        let (x, y, z) = (e % gx / lx, e / gx % gy / ly, e / gx / gy / lz);
        condition = format!(
            "i % {gx}u / {lx}u == {x}u && i / {gx}u % {gy}u / {ly}u == {y}u && \
             i / {plane}u / {lz}u == {z}u && {condition}"
        );
    }
    let (items, bad) = (node.space.items(), before.reason as usize);
    *text += &format!("    for (uint i = 0; i < {items}u; i++) bad{bad} += {condition};\n");
}

/// A range as an expression; `lines` declares what it needs.
fn range(space: &Space, n: usize, lines: &mut String) -> String {
    if let [global] = space.global[..] {
        return match (&space.offset, &space.local) {
            (Some(offset), Some(local)) => {
                format!("ndrange_1D({}, {global}, {})", offset[0], local[0])
            }
            (_, Some(local)) => format!("ndrange_1D({global}, {})", local[0]),
            (_, None) => format!("ndrange_1D({global})"),
        };
    }
    let mut arguments = Vec::new();
    let mut declare = |name: &str, list: &[usize]| {
        let sizes: Vec<String> = list.iter().map(ToString::to_string).collect();
        let (length, sizes) = (list.len(), sizes.join(", "));
        *lines += &format!("        const size_t {name}{n}[{length}] = {{ {sizes} }};\n");
        arguments.push(format!("{name}{n}"));
    };
    let offset = space.offset.as_deref().map(|list| ("offset", list));
    let local = space.local.as_deref().map(|list| ("local", list));
    let global = ("global", &space.global[..]);
    for (name, list) in offset.into_iter().chain([global]).chain(local) {
        declare(name, list);
    }
    format!("ndrange_{}D({})", space.global.len(), arguments.join(", "))
}

/// The enqueues of a kernel's children, by one of its work-items.
fn enqueues(tree: &Tree, layout: &Layout, n: usize, text: &mut String) {
    let children: Vec<usize> = tree.children(n).collect();
    if children.is_empty() {
        return;
    }
    *text += &format!("    if (me == {}u) {{\n", tree.nodes[n].enqueuer);
    if tree.fine {
        let (cell, token) = (layout.early(tree, n), token(n) + 1);
        *text += &format!("        cells[{cell}] = {token}u;\n");
    }
    for &c in &children {
        if tree.nodes[c].gate.is_some() {
            *text += &format!("        gate{c} = create_user_event();\n");
            if twice(c) {
                *text +=
                    &format!("        retain_event(gate{c});\n        release_event(gate{c});\n");
            }
        }
    }
    for &c in &children {
        enqueue(tree, c, text);
    }
    for &c in &children {
        if tree.nodes[c].marker {
            *text += &format!("        release_event(marker{c});\n");
        }
        if tree.has_event(c) {
            *text += &format!("        release_event(event{c});\n");
        }
    }
    *text += "    }\n";
}

/// The enqueue of one.
fn enqueue(tree: &Tree, c: usize, text: &mut String) {
    let accepted = Reason::Accepted as usize;
    let child = &tree.nodes[c];
    let range = range(&child.space, c, text);
    let mut list: Vec<String> = child.waits.iter().map(|s| format!("event{s}")).collect();
    if child.marker {
        let (events, length) = (list.join(", "), list.len());
        *text += &format!(
            "        clk_event_t list{c}[] = {{ {events} }};\n        clk_event_t marker{c};\n        \
             bad{accepted} += enqueue_marker(q, {length}, list{c}, &marker{c}) != CLK_SUCCESS;\n"
        );
        list = vec![format!("marker{c}")];
    }
    list.extend(child.gate.map(|_| format!("gate{c}")));
    let event = match tree.has_event(c) {
        true => format!("&event{c}"),
        false => "NULL".into(),
    };
    let events = if !list.is_empty() {
        let (events, length) = (list.join(", "), list.len());
        *text += &format!("        clk_event_t waits{c}[] = {{ {events} }};\n");
        format!("{length}, waits{c}, {event}, ")
    } else if tree.has_event(c) {
        format!("0, NULL, {event}, ")
    } else {
        String::new()
    };
    let flag = child.flag.name();
    let mut arguments = "cells, wrong, times, q".to_string();
    if let Some(gated) = opened(tree, c) {
        arguments += &format!(", gate{gated}");
    }
    if holds(c) {
        let (first, real) = (held(c), tree.real());
        // What the compiler does not know.
        *text += &format!(
            "        uint n{c} = me + {}u;\n        char char{c} = (char)n{c};\n        short short{c} = (short)(n{c} * 77u);\n        \
             long long{c} = (long)n{c} * 0x100000001l;\n        {real} real{c} = ({real})n{c};\n        \
             uint4 four{c} = (uint4)(n{c}, n{c} + 1u, n{c} * 3u, ~n{c});\n        held_t all{c} = {{ (uchar)n{c}, n{c} * 5u, {{ (short)n{c}, 7, (short)~n{c} }} }};\n",
            first - tree.nodes[tree.nodes[c].parent].enqueuer as u32
        );
        arguments +=
            &format!(", has_lost(char{c}, short{c}, long{c}, real{c}, four{c}, all{c}, {first}u)");
    }
    let block = if child.local {
        let (_, local) = child.space.three();
        let bytes = 4 * local.map_or(1, |l| l.iter().product());
        let block = format!("{{ node{c}({arguments}, own, shared); }}");
        match own_first(c) {
            true => format!("^(local void *own, local void *shared) {block}, {bytes}u, 4u"),
            false => format!("^(local void *shared, local void *own) {block}, 4u, {bytes}u"),
        }
    } else {
        format!("^{{ node{c}({arguments}); }}")
    };
    let call = format!("enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, {range}, {events}{block})");
    *text += &format!("        bad{accepted} += {call} != CLK_SUCCESS;\n");
    if holds(c) {
        *text += &format!(
            "        char{c} = 0; short{c} = 0; long{c} = 0; real{c} = 0; four{c} = (uint4)(0u); all{c}.b = 0u; all{c}.c[2] = 0;\n"
        );
    }
    if tree.has_event(c) {
        if twice(c) {
            *text +=
                &format!("        retain_event(event{c});\n        release_event(event{c});\n");
        }
        *text += &format!("        bad{accepted} += !is_valid_event(event{c});\n");
    }
    if child.timed {
        let asked = format!(
            "event{c}, CLK_PROFILING_COMMAND_EXEC_TIME, times + {}",
            2 * c
        );
        *text += &format!("        capture_event_profiling_info({asked});\n");
    }
}

/// By node: its parent, where the times of both are asked for, or -1.
fn timed_parents(tree: &Tree) -> String {
    let parent = |n: usize| {
        let node = &tree.nodes[n];
        match n > 0 && node.timed && tree.nodes[node.parent].timed {
            true => node.parent.to_string(),
            false => "-1".into(),
        }
    };
    let all: Vec<String> = (0..tree.nodes.len()).map(parent).collect();
    all.join(", ")
}

/// Whether a second reference to a kernel's events is taken and given back.
fn twice(child: usize) -> bool {
    child % 3 != 1
}

/// Whether a kernel's block holds numbers of many types ("at the time of the Block literal").
fn holds(child: usize) -> bool {
    child % 2 == 1
}

/// The number of which they are made.
fn held(child: usize) -> u32 {
    5000 + 37 * child as u32
}

/// Whether a block has the larger one of its local arguments first.
fn own_first(child: usize) -> bool {
    child.is_multiple_of(2)
}

/// The kernel whose gate this one opens.
fn opened(tree: &Tree, opener: usize) -> Option<usize> {
    (0..tree.nodes.len()).find(|n| tree.nodes[*n].gate == Some(Opener::Sibling(opener)))
}

/// Lets the gate of a kernel open.
fn open(layout: &Layout, gated: usize, name: &str, text: &mut String) {
    let (cell, token) = (layout.gate(gated), token(gated) + 1);
    *text += &format!(
        "        cells[{cell}] = {token}u;\n        set_user_event_status({name}, CL_COMPLETE);\n        \
         release_event({name});\n"
    );
}

/// The function that a kernel is.
fn function(tree: &Tree, layout: &Layout, n: usize) -> String {
    let node = &tree.nodes[n];
    let mut text = format!("void node{n}({PARAMETERS}");
    if opened(tree, n).is_some() {
        text += ", clk_event_t gate";
    }
    if holds(n) {
        text += ", uint lost";
    }
    if node.local {
        text += ", local uint *own, local uint *shared";
    }
    text += ") {\n    uint me = (uint)get_global_linear_id();\n";
    for reason in reasons(tree, n) {
        text += &format!("    uint bad{} = 0;\n", reason as usize);
    }
    let children: Vec<usize> = tree.children(n).collect();
    for &c in &children {
        if tree.has_event(c) {
            text += &format!("    clk_event_t event{c};\n");
        }
        if tree.nodes[c].gate.is_some() {
            text += &format!("    clk_event_t gate{c};\n");
        }
    }
    if holds(n) {
        text += &format!("    bad{} += lost;\n", Reason::Held as usize);
    }
    let bad = format!("bad{}", Reason::Space as usize);
    space::look(&node.space, &bad, &mut text);
    for earlier in before(tree, n) {
        look(tree, layout, earlier, &mut text);
    }
    let told = [
        (node.gate.is_some(), Reason::Gate, layout.gate(n), n),
        (
            tells_early(tree, n),
            Reason::Enqueue,
            layout.early(tree, node.parent),
            node.parent,
        ),
    ];
    for (_, reason, cell, teller) in told.into_iter().filter(|(tells, ..)| *tells) {
        let (bad, token) = (reason as usize, token(teller) + 1);
        text += &format!("    bad{bad} += cells[{cell}] != {token}u;\n");
    }
    enqueues(tree, layout, n, &mut text);
    if node.local {
        text += &cl!("tree_local.cl", bad = Reason::Local as usize);
    }
    let delay = node.delay;
    text += "    volatile uint spent = 0;\n";
    text += &format!("    for (uint i = 0; i < {delay}u; i++) spent += i;\n");
    if let Some(gated) = opened(tree, n) {
        text += "    if (me == 0u) {\n";
        open(layout, gated, "gate", &mut text);
        text += "    }\n";
    }
    let by_parent = |c: &&usize| tree.nodes[**c].gate == Some(Opener::Parent);
    if children.iter().any(|c| by_parent(&c)) {
        text += &format!("    if (me == {}u) {{\n", node.enqueuer);
        for &c in children.iter().filter(by_parent) {
            open(layout, c, &format!("gate{c}"), &mut text);
        }
        text += "    }\n";
    }
    for reason in reasons(tree, n) {
        let (bad, first) = (reason as usize, slice(reason, layout) + layout.cells[n]);
        text += &format!("    wrong[{first}u + me] = bad{bad};\n");
    }
    let (first, token) = (layout.cells[n], token(n));
    text + &format!("    cells[{first}u + me] = {token}u + me;\n}}\n")
}

/// The case of a tree.
pub fn case(tree: &Tree) -> KernelCase {
    let mut case = CaseBuilder::new(format!(
        "a tree of {} kernels that enqueue each other",
        tree.nodes.len()
    ));
    case.need(&[Need::DeviceEnqueue]);
    let layout = Layout::of(tree);
    let ragged = |space: &Space| match space.three() {
        (global, Some(local)) => (0..3).any(|d| !global[d].is_multiple_of(local[d])),
        (_, None) => false,
    };
    let is_ragged = tree.nodes.iter().any(|node| ragged(&node.space));
    case.need_if(is_ragged, &[Need::NonUniformGroups]);
    let real = tree.real();
    let mut source = cl!("tree_held.cl", pragma = case.need_type(real), real);
    // Children stand before their parents, which call them.
    for n in (0..tree.nodes.len()).rev() {
        source.push_str(&function(tree, &layout, n));
    }
    let (parameter, queue) = if tree.default {
        ("", "get_default_queue()")
    } else {
        (", queue_t given", "given")
    };
    source += &cl!("tree.cl", parameter, queue, parents = timed_parents(tree));
    case.case.source = source;
    case.case.device_queues.push(DeviceQueue {
        default: tree.default,
        profiling: tree.profiling,
        bytes: None,
    });
    let bytes = 4 * layout.all(tree);
    let cells = if tree.fine {
        case.need(&[Need::SvmFine]);
        case.object(Kind::SvmFine, bytes, Contents::Zero)
    } else {
        case.buffer(bytes)
    };
    let wrong = case.buffer(4 * layout.items * Reason::ALL.len());
    let times = case.unwritten(4 * tree.nodes.len());
    let mut args = args![cells, wrong, times];
    if !tree.default {
        args.push(Arg::Queue(0));
    }
    let root = &tree.nodes[0].space;
    let sizes = |list: &[usize]| list.iter().map(|n| *n as u64).collect::<Vec<u64>>();
    let range = Range {
        offset: root.offset.as_deref().map(sizes),
        global: sizes(&root.global),
        local: root.local.as_deref().map(sizes),
    };
    case.launch("root", args, range);
    // What comes behind the root in the host's queue comes behind the whole tree.
    let copy = |case: &mut CaseBuilder, from, byte, bytes| {
        let to = case.buffer(bytes);
        let copy = Bytes {
            from: at(from, byte),
            to: at(to, 0),
            bytes,
        };
        case.transfer(Transfer::Copy(copy), false);
        to
    };
    let mut told: Vec<Reason> = (0..tree.nodes.len())
        .flat_map(|n| reasons(tree, n))
        .collect();
    told.sort();
    told.dedup();
    let slices: Vec<_> = told
        .into_iter()
        .map(|reason| {
            let byte = 4 * slice(reason, &layout);
            (reason, copy(&mut case, wrong, byte, 4 * layout.items))
        })
        .collect();
    let ended = if tree.fine {
        cells
    } else {
        copy(&mut case, cells, 0, bytes)
    };
    let timed: Vec<usize> = (0..tree.nodes.len())
        .filter(|n| tree.nodes[*n].timed)
        .collect();
    let held = case.buffer(4 * tree.nodes.len());
    if !timed.is_empty() {
        let range = Range::line(tree.nodes.len() as u64, 1);
        case.launch("hold", args![times, held], range);
    }
    for (reason, slice) in slices {
        case.look(slice, reason.rules(), reason.name(), Want::zeros());
    }
    let mut wanted: Vec<u32> = (0..tree.nodes.len())
        .flat_map(|n| (0..tree.nodes[n].space.items()).map(move |i| token(n) + i as u32))
        .collect();
    let own = |has: bool, n: usize| if has { token(n) + 1 } else { 0 };
    wanted.extend((0..tree.nodes.len()).map(|n| own(tree.nodes[n].gate.is_some(), n)));
    wanted.extend((0..tree.nodes.len()).map(|n| {
        let enqueues = tree.children(n).next().is_some();
        own(tree.fine && enqueues, n)
    }));
    let mut rules = vec![
        rule::DEV_PARENT_COMPLETE,
        rule::COMPLETE_CHILDREN,
        rule::DEV_NO_WAIT,
    ];
    if tree.nodes.iter().any(|node| node.local) {
        rules.push(rule::DEV_LOCAL_ARGS);
    }
    let want = Want::words(wanted);
    case.look(ended, &rules, "tokens of ended work-items", want);
    if !timed.is_empty() {
        let untimed = |n| u32::from(!timed.contains(&n));
        let want = Want::words((0..tree.nodes.len()).map(untimed).collect());
        let rules = [
            rule::DEV_EVENTS,
            rule::STATE_PROFILING,
            rule::COMPLETE_CHILDREN,
        ];
        case.look(held, &rules, "kernels without right times", want);
    }
    case.case
}
