//! What a kernel of a tree must see: the rules of device-side enqueue as a relation.

use super::tree::{Flag, Node, Opener, Tree};
use crate::rule::{self, RuleId};

/// Why something must have been there; each reason has a slice of the memory in which kernels tell
/// what they miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The parent has ended.
    WaitKernel,
    /// The work-group has ended.
    WaitWorkGroup,
    /// A kernel of the wait list is complete.
    WaitList,
    /// What a kernel of the wait list enqueued is complete.
    Descendants,
    /// A marker's list is complete.
    Marker,
    /// A user event was completed.
    Gate,
    /// The enqueue comes before its kernel, in fine-grain memory.
    Enqueue,
    /// What had ended before another kernel that had.
    Transitive,
    /// Local memory that is an argument.
    Local,
    /// An enqueue succeeds, and gives an event that is one.
    Accepted,
}

impl Reason {
    /// All.
    pub const ALL: [Reason; 10] = [
        Reason::WaitKernel,
        Reason::WaitWorkGroup,
        Reason::WaitList,
        Reason::Descendants,
        Reason::Marker,
        Reason::Gate,
        Reason::Enqueue,
        Reason::Transitive,
        Reason::Local,
        Reason::Accepted,
    ];

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
            Reason::Accepted => &[rule::DEV_NO_WAIT, rule::DEV_EVENTS],
        }
    }

    /// What it is called in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Reason::WaitKernel => "work-items of a parent that had not ended",
            Reason::WaitWorkGroup => "work-items of a parent's work-group that had not ended",
            Reason::WaitList => "work-items of a wait list that had not ended",
            Reason::Descendants => "work-items below a wait list that had not ended",
            Reason::Marker => "work-items of a marker's list that had not ended",
            Reason::Gate => "gates that had not been opened",
            Reason::Enqueue => "fine-grain writes before an enqueue that were not there",
            Reason::Transitive => "work-items before others that had not ended",
            Reason::Local => "values that were lost in local memory",
            Reason::Accepted => "enqueues that failed",
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

fn add(list: &mut Vec<Before>, before: Before) {
    let known = list
        .iter()
        .any(|b| b.node == before.node && (b.part == Part::All || b.part == before.part));
    if !known {
        list.push(before);
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
        add(
            &mut list,
            Before {
                node: node.parent,
                part,
                reason,
            },
        );
    }
    let wait = if node.marker {
        Reason::Marker
    } else {
        Reason::WaitList
    };
    for &sibling in &node.waits {
        let whole = |node: usize, reason| Before {
            node,
            part: Part::All,
            reason,
        };
        add(&mut list, whole(sibling, wait));
        for child in tree.descendants(sibling) {
            add(&mut list, whole(child, Reason::Descendants));
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
                add(
                    &mut list,
                    Before {
                        reason: Reason::Transitive,
                        ..earlier
                    },
                );
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
