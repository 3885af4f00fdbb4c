//! What a kernel of a tree must see: the rules of device-side enqueue as a relation.

use super::tree::{Flag, Node, Opener, Tree};
use crate::rule::{self, RuleId};
use classay_vocabulary::words;

words! {
    /// Why something must have been there; each reason has a slice of the memory in which kernels tell
    /// what they miss, which its word names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Reason {
        /// The parent has ended.
        WaitKernel = "work-items of a parent that had not ended",
        /// The work-group has ended.
        WaitWorkGroup = "work-items of a parent's work-group that had not ended",
        /// A kernel of the wait list is complete.
        WaitList = "work-items of a wait list that had not ended",
        /// What a kernel of the wait list enqueued is complete.
        Descendants = "work-items below a wait list that had not ended",
        /// A marker's list is complete.
        Marker = "work-items of a marker's list that had not ended",
        /// A user event was completed.
        Gate = "gates that had not been opened",
        /// The enqueue comes before its kernel, in fine-grain memory.
        Enqueue = "fine-grain writes before an enqueue that were not there",
        /// What had ended before another kernel that had.
        Transitive = "work-items before others that had not ended",
        /// Local memory that is an argument.
        Local = "values that were lost in local memory",
        /// The index space is the one that was enqueued.
        Space = "work-items that saw another index space",
        /// An enqueue succeeds, and gives an event that is one.
        Accepted = "enqueues that failed",
        /// A block has the values that variables had where it was written.
        Held = "blocks that had lost what they hold",
    }
}

impl Reason {
    /// The rules that are broken if it was not there, the likeliest first.
    pub fn rules(self) -> &'static [RuleId] {
        match self {
            Reason::WaitKernel => &[
                rule::DEV_WAIT_KERNEL,
                rule::SP_DEVICE_WAIT_KERNEL,
                rule::ENDED_VISIBLE,
            ],
            Reason::WaitWorkGroup => &[rule::DEV_WAIT_WORK_GROUP, rule::SP_DEVICE_WAIT_WORK_GROUP],
            Reason::WaitList => &[
                rule::DEV_EVENTS,
                rule::DEV_OUT_OF_ORDER,
                rule::SP_EVENT_WAIT,
            ],
            Reason::Descendants => &[rule::COMPLETE_CHILDREN, rule::DEV_EVENTS],
            Reason::Marker => &[rule::DEV_EVENTS, rule::SP_MARKER_LIST],
            Reason::Gate => &[
                rule::DEV_EVENTS,
                rule::DEV_OUT_OF_ORDER,
                rule::SP_USER_EVENT,
            ],
            Reason::Enqueue => &[rule::SP_ENQUEUE, rule::DEV_NO_WAIT],
            Reason::Transitive => &[rule::SP_TRANSITIVE, rule::DEV_OUT_OF_ORDER],
            Reason::Local => &[rule::DEV_LOCAL_ARGS],
            Reason::Space => &[rule::ND_OFFSET, rule::ND_GLOBAL_ID, rule::ND_GROUP_COUNT],
            Reason::Accepted => &[rule::DEV_NO_WAIT, rule::DEV_EVENTS],
            Reason::Held => &[rule::C_STATEMENTS],
        }
    }
}

/// Work-items of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All.
    All,
    /// The work-group of the work-item that enqueues.
    Group,
}

/// Work-items that have ended before a kernel begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Their kernel.
    pub node: usize,
    /// Which.
    pub part: Part,
    /// Why.
    pub reason: Reason,
}

fn add(list: &mut Vec<Before>, node: usize, part: Part, reason: Reason) {
    let known = |b: &Before| b.node == node && (b.part == Part::All || b.part == part);
    if !list.iter().any(known) {
        list.push(Before { node, part, reason });
    }
}

/// All work-items that have ended before a kernel begins, and whose writes it sees.
pub fn before(tree: &Tree, n: usize) -> Vec<Before> {
    let mut list = Vec::new();
    if n == 0 {
        return list;
    }
    let node: &Node = &tree.nodes[n];
    let after = match node.flag {
        Flag::WaitKernel => Some((Part::All, Reason::WaitKernel)),
        Flag::WaitWorkGroup => Some((Part::Group, Reason::WaitWorkGroup)),
        Flag::NoWait => None,
    };
    if let Some((part, reason)) = after {
        add(&mut list, node.parent, part, reason);
    }
    let wait = match node.marker {
        true => Reason::Marker,
        false => Reason::WaitList,
    };
    for &sibling in &node.waits {
        add(&mut list, sibling, Part::All, wait);
        for child in tree.descendants(sibling) {
            add(&mut list, child, Part::All, Reason::Descendants);
        }
    }
    // What was before those, too. An enqueue orders what its work-item has seen only where the
    // memory is fine-grain; the completion of a user event does.
    let parent = (node.flag != Flag::NoWait || tree.fine).then_some(node.parent);
    let opener = node.gate.map(|opener| match opener {
        Opener::Parent => node.parent,
        Opener::Sibling(s) => s,
    });
    let ended: Vec<usize> = list
        .iter()
        .filter(|b| b.part == Part::All)
        .map(|b| b.node)
        .collect();
    for through in parent.into_iter().chain(opener).chain(ended) {
        for earlier in before(tree, through) {
            // The group of another kernel's enqueuer is known there alone.
            if earlier.part == Part::All {
                add(&mut list, earlier.node, Part::All, Reason::Transitive);
            }
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::super::tree::Space;
    use super::*;

    fn node(parent: usize, flag: Flag, waits: &[usize]) -> Node {
        Node {
            parent,
            flag,
            space: Space {
                offset: None,
                global: vec![4],
                local: Some(vec![2]),
            },
            waits: waits.to_vec(),
            marker: false,
            gate: None,
            local: false,
            timed: false,
            enqueuer: 0,
            delay: 1,
        }
    }

    fn tree(nodes: Vec<Node>) -> Tree {
        Tree {
            nodes,
            fine: false,
            default: true,
            profiling: false,
            double: false,
        }
    }

    #[test]
    fn a_child_that_waits_for_nothing_sees_nothing() {
        let tree = tree(vec![
            node(0, Flag::NoWait, &[]),
            node(0, Flag::WaitKernel, &[]),
            node(1, Flag::NoWait, &[]),
        ]);
        assert_eq!(before(&tree, 2), []);
        let seen = before(&tree, 1);
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].node, seen[0].reason), (0, Reason::WaitKernel));
    }

    #[test]
    fn a_wait_list_brings_descendants_and_what_they_saw() {
        // 0 → 1 → 2, and 0 → 3, which waits for 1.
        let tree = tree(vec![
            node(0, Flag::NoWait, &[]),
            node(0, Flag::WaitKernel, &[]),
            node(1, Flag::NoWait, &[]),
            node(0, Flag::NoWait, &[1]),
        ]);
        let seen: Vec<_> = before(&tree, 3)
            .iter()
            .map(|b| (b.node, b.reason))
            .collect();
        assert_eq!(
            seen,
            [
                (1, Reason::WaitList),
                (2, Reason::Descendants),
                (0, Reason::Transitive)
            ]
        );
    }
}
