//! Trees of kernels: drawn trees can end, and what a kernel must see has ended in every schedule.

use super::order::{Part, Reason, before};
use super::tree::{Flag, Opener, Tree, draw};
use super::write;
use crate::choices::Choices;
use crate::kernels::valid::valid;
use std::collections::BTreeSet;

fn trees() -> impl Iterator<Item = (u64, Tree)> {
    (0..300).map(|seed| (seed, draw(&mut Choices::new(seed))))
}

/// Kernels in an order in which they may end, one after the other: what began last comes first where
/// `deep`. A kernel begins when its enqueuer has run, its flag allows it, all of its wait list is complete
/// and its gate is open; the gate that a parent opens is open when the parent has run.
fn schedule(tree: &Tree, deep: bool) -> Vec<usize> {
    let mut ran: Vec<usize> = Vec::new();
    let count = tree.nodes.len();
    while ran.len() < count {
        let complete =
            |n: usize| ran.contains(&n) && tree.descendants(n).iter().all(|d| ran.contains(d));
        let may = |n: &usize| {
            let node = &tree.nodes[*n];
            let enqueued = *n == 0 || ran.contains(&node.parent);
            let open = match node.gate {
                Some(Opener::Sibling(s)) => ran.contains(&s),
                Some(Opener::Parent) | None => true,
            };
            !ran.contains(n) && enqueued && open && node.waits.iter().all(|w| complete(*w))
        };
        let next = if deep {
            (0..count).rev().find(may)
        } else {
            (0..count).find(may)
        };
        ran.push(next.unwrap_or_else(|| panic!("{tree:?} does not end after {ran:?}")));
    }
    ran
}

#[test]
fn trees_end_in_every_schedule() {
    for (seed, tree) in trees() {
        for deep in [false, true] {
            let ran: BTreeSet<usize> = schedule(&tree, deep).into_iter().collect();
            assert_eq!(ran.len(), tree.nodes.len(), "seed {seed}");
        }
    }
}

#[test]
fn what_a_kernel_must_see_has_ended_in_every_schedule() {
    let mut seen = BTreeSet::new();
    for (seed, tree) in trees() {
        for deep in [false, true] {
            let ran = schedule(&tree, deep);
            let place = |n: usize| ran.iter().position(|r| *r == n);
            for n in 0..tree.nodes.len() {
                for earlier in before(&tree, n) {
                    let right = place(earlier.node) < place(n);
                    assert!(right, "seed {seed}: {n} sees {earlier:?} in {ran:?}");
                    seen.insert(earlier.reason);
                }
            }
        }
    }
    assert!(seen.len() >= 6, "{seen:?}");
}

#[test]
fn nothing_is_promised_to_who_waits_for_nothing() {
    for (seed, tree) in trees() {
        for (n, node) in tree.nodes.iter().enumerate() {
            let waits = node.flag != Flag::NoWait || !node.waits.is_empty();
            if n > 0 && !waits && node.gate.is_none() && !tree.fine {
                assert_eq!(before(&tree, n), [], "seed {seed}, kernel {n}");
            }
            if node.flag == Flag::WaitKernel && n > 0 {
                let parent = before(&tree, n).into_iter().find(|b| b.node == node.parent);
                let parent = parent.expect("the parent");
                assert_eq!(parent.reason, Reason::WaitKernel, "seed {seed}");
                assert_eq!(parent.part, Part::All, "seed {seed}");
            }
        }
    }
}

#[test]
fn drawn_trees_keep_to_what_can_be_written() {
    let [mut gates, mut markers, mut locals, mut timed, mut ragged] = [0; 5];
    for (seed, tree) in trees() {
        assert!((2..=7).contains(&tree.nodes.len()), "seed {seed}");
        for (n, node) in tree.nodes.iter().enumerate() {
            assert!(n == 0 || node.parent < n, "seed {seed}: parents come first");
            assert!(node.enqueuer < node.space.items(), "seed {seed}");
            let siblings = |s: &usize| *s < n && tree.nodes[*s].parent == node.parent && *s > 0;
            assert!(node.waits.iter().all(siblings), "seed {seed}: {node:?}");
            assert!(!node.marker || !node.waits.is_empty(), "seed {seed}");
            assert!(!node.local || node.space.local.is_some(), "seed {seed}");
            assert!(!node.timed || tree.profiling, "seed {seed}");
            let groups = tree.nodes[node.parent].space.local.is_some();
            assert!(
                node.flag != Flag::WaitWorkGroup || n == 0 || groups,
                "seed {seed}"
            );
            if let Some(Opener::Sibling(s)) = node.gate {
                let opener = &tree.nodes[s];
                assert!(s > n && opener.parent == node.parent, "seed {seed}");
                assert!(
                    opener.waits.is_empty() && opener.gate.is_none(),
                    "seed {seed}"
                );
                let opened = tree
                    .nodes
                    .iter()
                    .filter(|o| o.gate == Some(Opener::Sibling(s)));
                assert_eq!(opened.count(), 1, "seed {seed}: it takes one event");
            }
            if let (global, Some(local)) = node.space.three() {
                ragged += u32::from((0..3).any(|d| global[d] % local[d] > 0));
            }
            gates += u32::from(node.gate.is_some());
            markers += u32::from(node.marker);
            locals += u32::from(node.local);
            timed += u32::from(node.timed);
        }
    }
    let all = [gates, markers, locals, timed];
    assert!(all.iter().all(|n| *n > 20), "{all:?}");
    assert!((5..100).contains(&ragged), "{ragged}");
}

#[test]
fn cells_of_a_tree_are_wanted_as_its_kernels_leave_them() {
    for (seed, tree) in trees().take(60) {
        let case = write::case(&tree);
        assert_eq!(valid(&case), Ok(()), "seed {seed}");
        let functions = (0..tree.nodes.len())
            .rev()
            .map(|n| format!("void node{n}("));
        let mut last = 0;
        for function in functions {
            // Children stand before their parents.
            let at = case
                .source
                .find(&function)
                .unwrap_or_else(|| panic!("seed {seed}: {function}"));
            assert!(at >= last, "seed {seed}: {function}");
            last = at;
        }
        let enqueued = case.source.matches("enqueue_kernel(").count();
        assert_eq!(enqueued, tree.nodes.len() - 1, "seed {seed}");
        let markers = tree.nodes.iter().filter(|node| node.marker).count();
        assert_eq!(
            case.source.matches("enqueue_marker(").count(),
            markers,
            "seed {seed}"
        );
        let gates = tree.nodes.iter().filter(|node| node.gate.is_some()).count();
        assert_eq!(
            case.source.matches("create_user_event(").count(),
            gates,
            "seed {seed}"
        );
        let opened = case.source.matches("set_user_event_status(").count();
        assert_eq!(opened, gates, "seed {seed}: every gate is opened once");
        // An event is released as often as it is made and retained.
        let retained = case.source.matches("retain_event(").count();
        let events = (0..tree.nodes.len()).filter(|n| tree.has_event(*n)).count();
        let released = case.source.matches("release_event(").count();
        assert_eq!(released, events + markers + gates + retained, "seed {seed}");
    }
}
