//! Draws trees of kernels.

use crate::choices::Choices;
use classay_vocabulary::words;

words! {
    /// When a child may begin, by the end of the name of its flag.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Flag {
        /// At once.
        NoWait = "NO_WAIT",
        /// When its parent has ended.
        WaitKernel = "WAIT_KERNEL",
        /// When the work-group that enqueued it has ended.
        WaitWorkGroup = "WAIT_WORK_GROUP",
    }
}

/// An index space of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// Global offsets, where they are given.
    pub offset: Option<Vec<usize>>,
    /// Global sizes, one for each dimension.
    pub global: Vec<usize>,
    /// Local sizes, where they are given.
    pub local: Option<Vec<usize>>,
}

impl Space {
    /// Work-items.
    pub fn items(&self) -> usize {
        self.global.iter().product()
    }

    /// Global and local size in each of three dimensions; a kernel whose local size is not given
    /// has no work-group that is known.
    pub fn three(&self) -> ([usize; 3], Option<[usize; 3]>) {
        let full = |list: &[usize]| [0, 1, 2].map(|d| list.get(d).copied().unwrap_or(1));
        (full(&self.global), self.local.as_deref().map(full))
    }
}

/// Who lets a gate open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// The parent's work-item that enqueued the child, at its end.
    Parent,
    /// A kernel that is enqueued after the child by the same work-item: its first work-item.
    Sibling(usize),
}

/// A kernel of a tree, by its place in the list; its parent stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Who enqueues it; the host enqueues the first.
    pub parent: usize,
    /// When it may begin.
    pub flag: Flag,
    /// Where it runs.
    pub space: Space,
    /// Kernels that the same work-item enqueued before it, which it waits for.
    pub waits: Vec<usize>,
    /// It waits for them through a marker.
    pub marker: bool,
    /// It waits for a user event, which this one completes.
    pub gate: Option<Opener>,
    /// Its work-items exchange values through local memory that is an argument.
    pub local: bool,
    /// Its times are captured.
    pub timed: bool,
    /// The work-item that enqueues its children, by its linear id.
    pub enqueuer: usize,
    /// How long each work-item delays, in passes of a loop.
    pub delay: u32,
}

/// A tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// The kernels.
    pub nodes: Vec<Node>,
    /// Their cells lie in fine-grain shared memory instead of a buffer.
    pub fine: bool,
    /// The queue is the device's default, and is asked for in the kernel.
    pub default: bool,
    /// The queue takes times.
    pub profiling: bool,
    /// Blocks hold a number of double precision.
    pub double: bool,
}

impl Tree {
    /// The children of a kernel, in the order in which they are enqueued.
    pub fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        (1..self.nodes.len()).filter(move |n| self.nodes[*n].parent == parent)
    }

    /// All that a kernel enqueued, and what that enqueued, and so on.
    pub fn descendants(&self, of: usize) -> Vec<usize> {
        let mut list: Vec<usize> = self.children(of).collect();
        let mut at = 0;
        while let Some(next) = list.get(at).copied() {
            list.extend(self.children(next));
            at += 1;
        }
        list
    }

    /// The type of numbers with a fraction that blocks hold.
    pub fn real(&self) -> &'static str {
        match self.double {
            true => "double",
            false => "float",
        }
    }

    /// Whether the event of a kernel is asked for.
    pub fn has_event(&self, node: usize) -> bool {
        self.nodes[node].timed || self.nodes.iter().any(|other| other.waits.contains(&node))
    }
}

/// Passes of the delays of all work-items of a kernel together: about a millisecond.
const DELAY: usize = 300_000;

/// Mostly a small one; one that a dimension has is seldom another's.
fn offset(choices: &mut Choices) -> usize {
    match choices.below(8) {
        0 => 0,
        1 => 65_536 + choices.below(1000),
        _ => choices.between(1, 100),
    }
}

fn space(choices: &mut Choices) -> Space {
    let dimensions = choices.between(1, 3);
    let local: Vec<usize> = (0..dimensions)
        .map(|_| choices.one_of(&[1, 2, 3, 4]))
        .collect();
    let most = if dimensions == 1 { 6 } else { 2 };
    let mut global: Vec<usize> = local.iter().map(|l| l * choices.between(1, most)).collect();
    let with_local = choices.percent(75);
    // Seldom, the last work-groups of a dimension are smaller, which not all devices have.
    if with_local && choices.percent(4) {
        let d = choices.below(dimensions);
        global[d] += choices.below(local[d]);
    }
    let offset = with_local && choices.percent(60);
    Space {
        offset: offset.then(|| (0..dimensions).map(|_| self::offset(choices)).collect()),
        global,
        local: with_local.then_some(local),
    }
}

/// A tree of two to seven kernels.
pub fn draw(choices: &mut Choices) -> Tree {
    let count = choices.between(2, 7);
    let profiling = choices.percent(30);
    let mut nodes: Vec<Node> = Vec::new();
    for n in 0..count {
        // Half of the time a child of the one before: deep trees and wide ones.
        let parent = if n > 0 && choices.percent(50) {
            n - 1
        } else {
            choices.below(n)
        };
        let mut space = space(choices);
        let mut flag = choices.one_of(&[Flag::NoWait, Flag::WaitKernel, Flag::WaitWorkGroup]);
        // The root has work-groups that are known, for its children to wait for.
        let local = n > 0 && choices.percent(30);
        if space.local.is_none() && (n == 0 || local) {
            space.local = Some(space.global.clone());
        }
        if flag == Flag::WaitWorkGroup && n > 0 && nodes[parent].space.local.is_none() {
            flag = Flag::WaitKernel;
        }
        let siblings: Vec<usize> = (1..n).filter(|s| nodes[*s].parent == parent).collect();
        let waits: Vec<usize> = siblings
            .iter()
            .copied()
            .filter(|_| choices.percent(50))
            .collect();
        let items = space.items();
        nodes.push(Node {
            parent,
            flag,
            enqueuer: choices.below(items),
            marker: !waits.is_empty() && choices.percent(30),
            waits,
            gate: None,
            local,
            timed: profiling && n > 0 && choices.percent(60),
            delay: (DELAY / items) as u32,
            space,
        });
    }
    for n in 1..count {
        if choices.percent(30) {
            let parent = nodes[n].parent;
            // Who opens a gate waits for nobody and passes no gate: it opens on every device.
            let opener = (n + 1..count).find(|s| {
                let node = &nodes[*s];
                node.parent == parent && node.waits.is_empty() && node.gate.is_none()
            });
            nodes[n].gate = Some(match opener {
                Some(s) if choices.percent(60) && !opens(&nodes, s) => Opener::Sibling(s),
                Some(_) | None => Opener::Parent,
            });
        }
    }
    // A kernel that opens a gate must have stayed without one.
    for n in 1..count {
        if let Some(Opener::Sibling(s)) = nodes[n].gate
            && nodes[s].gate.is_some()
        {
            nodes[n].gate = Some(Opener::Parent);
        }
    }
    // Long enough for who does not wait to be early: a work-group that is waited for, and a kernel
    // that is, also when its parent delays as well.
    for n in 0..count {
        let group = nodes
            .iter()
            .skip(1)
            .any(|child| child.parent == n && child.flag == Flag::WaitWorkGroup);
        if group && let (_, Some(local)) = nodes[n].space.three() {
            nodes[n].delay = (DELAY / local.iter().product::<usize>()) as u32;
        }
        if nodes.iter().any(|other| other.waits.contains(&n)) {
            nodes[n].delay *= 4;
        }
    }
    Tree {
        nodes,
        fine: choices.percent(30),
        default: choices.percent(50),
        profiling,
        double: choices.percent(40),
    }
}

/// Whether a kernel opens a gate already: it takes one event.
fn opens(nodes: &[Node], s: usize) -> bool {
    nodes
        .iter()
        .any(|node| node.gate == Some(Opener::Sibling(s)))
}
