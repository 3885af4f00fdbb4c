//! A tree as OpenCL C, and as a case.

use super::order::{Before, Part, Reason, before};
use super::tree::{Flag, Opener, Space, Tree};
use crate::kernels::case::{Arg, Contents, DeviceQueue, KernelCase, Kind, Range, Want};
use crate::kernels::generate::builder::{CaseBuilder, args, at};
use crate::kernels::transfer::{Bytes, Transfer};
use crate::rule;
use classay_vocabulary::Need;
use std::fmt::Write as _;

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
        let cells = tree
            .nodes
            .iter()
            .map(|node| {
                let first = items;
                items += node.space.items();
                first
            })
            .collect();
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
    let reason = before.reason as usize;
    let mut condition = format!(
        "cells[{}u + i] != {}u + i",
        layout.cells[before.node],
        token(before.node)
    );
    if let (Part::Group, ([gx, gy, _], Some([lx, ly, lz]))) = (before.part, node.space.three()) {
        let e = node.enqueuer;
        let (x, y, z) = (e % gx / lx, e / gx % gy / ly, e / gx / gy / lz);
        condition = format!(
            "i % {gx}u / {lx}u == {x}u && i / {gx}u % {gy}u / {ly}u == {y}u && \
             i / {}u / {lz}u == {z}u && {condition}",
            gx * gy
        );
    }
    let _ = writeln!(
        text,
        "    for (uint i = 0; i < {}u; i++) bad{reason} += {condition};",
        node.space.items()
    );
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
    let lists = [
        ("offset", &space.offset),
        ("global", &Some(space.global.clone())),
        ("local", &space.local),
    ];
    for (name, list) in lists {
        if let Some(list) = list {
            let sizes: Vec<String> = list.iter().map(ToString::to_string).collect();
            let _ = writeln!(
                lines,
                "        const size_t {name}{n}[{}] = {{ {} }};",
                list.len(),
                sizes.join(", ")
            );
            arguments.push(format!("{name}{n}"));
        }
    }
    format!("ndrange_{}D({})", space.global.len(), arguments.join(", "))
}

/// The enqueues of a kernel's children, by one of its work-items.
fn enqueues(tree: &Tree, layout: &Layout, n: usize, text: &mut String) {
    let accepted = Reason::Accepted as usize;
    let children: Vec<usize> = tree.children(n).collect();
    let Some(_) = children.first() else {
        return;
    };
    let _ = writeln!(text, "    if (me == {}u) {{", tree.nodes[n].enqueuer);
    if tree.fine {
        let cell = layout.early(tree, n);
        let _ = writeln!(text, "        cells[{cell}] = {}u;", token(n) + 1);
    }
    for &c in &children {
        if tree.nodes[c].gate.is_some() {
            let _ = writeln!(text, "        gate{c} = create_user_event();");
        }
    }
    for &c in &children {
        let child = &tree.nodes[c];
        let range = range(&child.space, c, text);
        let mut list: Vec<String> = child.waits.iter().map(|s| format!("event{s}")).collect();
        if child.marker {
            let _ = writeln!(
                text,
                "        clk_event_t list{c}[] = {{ {} }};\n        clk_event_t marker{c};\n        \
                 bad{accepted} += enqueue_marker(q, {}, list{c}, &marker{c}) != CLK_SUCCESS;",
                list.join(", "),
                list.len()
            );
            list = vec![format!("marker{c}")];
        }
        if child.gate.is_some() {
            list.push(format!("gate{c}"));
        }
        let events = if list.is_empty() {
            "0, NULL".to_string()
        } else {
            let _ = writeln!(
                text,
                "        clk_event_t waits{c}[] = {{ {} }};",
                list.join(", ")
            );
            format!("{}, waits{c}", list.len())
        };
        let event = if tree.has_event(c) {
            format!("&event{c}")
        } else {
            "NULL".into()
        };
        let flag = match child.flag {
            Flag::NoWait => "NO_WAIT",
            Flag::WaitKernel => "WAIT_KERNEL",
            Flag::WaitWorkGroup => "WAIT_WORK_GROUP",
        };
        let mut arguments = "cells, wrong, times, q".to_string();
        if let Some(gated) = opened(tree, c) {
            let _ = write!(arguments, ", gate{gated}");
        }
        let block = if child.local {
            let (_, local) = child.space.three();
            let bytes = 4 * local.map_or(1, |l| l.iter().product());
            format!("^(local void *own) {{ node{c}({arguments}, own); }}, {bytes}u")
        } else {
            format!("^{{ node{c}({arguments}); }}")
        };
        let events = if list.is_empty() && event == "NULL" {
            String::new()
        } else {
            format!("{events}, {event}, ")
        };
        let _ = writeln!(
            text,
            "        bad{accepted} += enqueue_kernel(q, CLK_ENQUEUE_FLAGS_{flag}, {range}, {events}{block}) != CLK_SUCCESS;"
        );
        if tree.has_event(c) {
            let _ = writeln!(text, "        bad{accepted} += !is_valid_event(event{c});");
        }
        if child.timed {
            let _ = writeln!(
                text,
                "        capture_event_profiling_info(event{c}, CLK_PROFILING_COMMAND_EXEC_TIME, times + {});",
                2 * c
            );
        }
    }
    for &c in &children {
        if tree.nodes[c].marker {
            let _ = writeln!(text, "        release_event(marker{c});");
        }
        if tree.has_event(c) {
            let _ = writeln!(text, "        release_event(event{c});");
        }
    }
    text.push_str("    }\n");
}

/// The kernel whose gate this one opens.
fn opened(tree: &Tree, opener: usize) -> Option<usize> {
    (0..tree.nodes.len()).find(|n| tree.nodes[*n].gate == Some(Opener::Sibling(opener)))
}

/// Lets the gate of a kernel open.
fn open(layout: &Layout, gated: usize, name: &str, text: &mut String) {
    let _ = writeln!(
        text,
        "        cells[{}] = {}u;\n        set_user_event_status({name}, CL_COMPLETE);\n        \
         release_event({name});",
        layout.gate(gated),
        token(gated) + 1
    );
}

/// The function that a kernel is.
fn function(tree: &Tree, layout: &Layout, n: usize) -> String {
    let node = &tree.nodes[n];
    let mut text = format!("void node{n}({PARAMETERS}");
    if opened(tree, n).is_some() {
        text.push_str(", clk_event_t gate");
    }
    if node.local {
        text.push_str(", local uint *own");
    }
    text.push_str(") {\n    uint me = (uint)get_global_linear_id();\n");
    for reason in reasons(tree, n) {
        let _ = writeln!(text, "    uint bad{} = 0;", reason as usize);
    }
    let children: Vec<usize> = tree.children(n).collect();
    for &c in &children {
        if tree.has_event(c) {
            let _ = writeln!(text, "    clk_event_t event{c};");
        }
        if tree.nodes[c].gate.is_some() {
            let _ = writeln!(text, "    clk_event_t gate{c};");
        }
    }
    for earlier in before(tree, n) {
        look(tree, layout, earlier, &mut text);
    }
    if node.gate.is_some() {
        let _ = writeln!(
            text,
            "    bad{} += cells[{}] != {}u;",
            Reason::Gate as usize,
            layout.gate(n),
            token(n) + 1
        );
    }
    if tells_early(tree, n) {
        let _ = writeln!(
            text,
            "    bad{} += cells[{}] != {}u;",
            Reason::Enqueue as usize,
            layout.early(tree, node.parent),
            token(node.parent) + 1
        );
    }
    enqueues(tree, layout, n, &mut text);
    if node.local {
        let _ = writeln!(
            text,
            "    uint inside = (uint)get_local_linear_id();
    uint size = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
    for (uint pass = 0; pass < 3; pass++) {{
        own[inside] = me * 4u + pass;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint other = own[(inside + 1u) % size];
        bad{0} += other % 4u != pass || (inside + 1u < size && other / 4u <= me);
        barrier(CLK_LOCAL_MEM_FENCE);
    }}",
            Reason::Local as usize
        );
    }
    let _ = writeln!(
        text,
        "    volatile uint spent = 0;\n    for (uint i = 0; i < {}u; i++) spent += i;",
        node.delay
    );
    if let Some(gated) = opened(tree, n) {
        text.push_str("    if (me == 0u) {\n");
        open(layout, gated, "gate", &mut text);
        text.push_str("    }\n");
    }
    let by_parent = |c: &&usize| tree.nodes[**c].gate == Some(Opener::Parent);
    if children.iter().any(|c| by_parent(&c)) {
        let _ = writeln!(text, "    if (me == {}u) {{", node.enqueuer);
        for &c in children.iter().filter(by_parent) {
            open(layout, c, &format!("gate{c}"), &mut text);
        }
        text.push_str("    }\n");
    }
    for reason in reasons(tree, n) {
        let _ = writeln!(
            text,
            "    wrong[{}u + me] = bad{};",
            slice(reason, layout) + layout.cells[n],
            reason as usize
        );
    }
    let _ = writeln!(
        text,
        "    cells[{}u + me] = {}u + me;\n}}",
        layout.cells[n],
        token(n)
    );
    text
}

/// The case of a tree.
pub fn case(tree: &Tree) -> KernelCase {
    let mut case = CaseBuilder::new(format!(
        "a tree of {} kernels that enqueue each other",
        tree.nodes.len()
    ));
    case.need(&[Need::DeviceEnqueue]);
    let layout = Layout::of(tree);
    let mut source = String::new();
    // Children stand before their parents, which call them.
    for n in (0..tree.nodes.len()).rev() {
        source.push_str(&function(tree, &layout, n));
    }
    let (parameter, queue) = if tree.default {
        ("", "get_default_queue()")
    } else {
        (", queue_t given", "given")
    };
    let _ = writeln!(
        source,
        "kernel void root(global uint *cells, global uint *wrong, global ulong *times{parameter}) {{
    node0(cells, wrong, times, {queue});
}}
kernel void hold(global const ulong *times, global uint *out) {{
    size_t n = get_global_id(0);
    out[n] = times[2 * n] == (ulong)-1 || times[2 * n] > times[2 * n + 1];
}}"
    );
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
    let times = case.object(
        Kind::Buffer,
        16 * tree.nodes.len(),
        Contents::Every(u32::MAX),
    );
    let mut args = args![cells, wrong, times];
    if !tree.default {
        args.push(Arg::Queue(0));
    }
    let root = &tree.nodes[0].space;
    let sizes = |list: &[usize]| list.iter().map(|n| *n as u64).collect::<Vec<u64>>();
    case.launch(
        "root",
        args,
        Range {
            offset: root.offset.as_deref().map(sizes),
            global: sizes(&root.global),
            local: root.local.as_deref().map(sizes),
        },
    );
    // What comes behind the root in the host's queue comes behind the whole tree.
    let copy = |case: &mut CaseBuilder, from, byte, bytes| {
        let to = case.buffer(bytes);
        let (from, whole) = (at(from, byte), at(to, 0));
        let copy = Bytes {
            from,
            to: whole,
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
        case.launch(
            "hold",
            args![times, held],
            Range::line(tree.nodes.len() as u64, 1),
        );
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
    case.look(
        ended,
        &rules,
        "tokens of ended work-items",
        Want::words(wanted),
    );
    if !timed.is_empty() {
        let wanted = (0..tree.nodes.len())
            .map(|n| u32::from(!timed.contains(&n)))
            .collect();
        case.look(
            held,
            &[rule::DEV_EVENTS, rule::STATE_PROFILING],
            "kernels without right times",
            Want::words(wanted),
        );
    }
    case.case
}
