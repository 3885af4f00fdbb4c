//! How far a place can go: the weaker orders, the narrower scopes, the flags there are to lose.

use super::site::AccessKind;
use super::step::{Step, To};
use super::word::{order_word, scope_word};
use crate::program::{Api, Barrier, Fence, FenceFlags, MemOrder, MemScope, Placement};

/// The weaker orders of a place, with how many steps down they are.
fn ladder(from: MemOrder, kind: AccessKind) -> Vec<(u32, MemOrder)> {
    use MemOrder::{AcqRel, Acquire, Relaxed, Release};
    let rungs: &[(u32, MemOrder)] = match (from, kind) {
        (MemOrder::SeqCst, AccessKind::Read) => &[(1, Acquire), (2, Relaxed)],
        (MemOrder::SeqCst, AccessKind::Write) => &[(1, Release), (2, Relaxed)],
        (MemOrder::SeqCst, AccessKind::Both) => {
            &[(1, AcqRel), (2, Acquire), (2, Release), (3, Relaxed)]
        }
        (AcqRel, _) => &[(1, Acquire), (1, Release), (2, Relaxed)],
        (Acquire | Release, _) => &[(1, Relaxed)],
        (Relaxed, _) => &[],
    };
    rungs.to_vec()
}

fn arrow(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}

/// The weaker orders of an access or a fence.
pub(super) fn orders(from: MemOrder, kind: AccessKind) -> Vec<Step> {
    ladder(from, kind)
        .into_iter()
        .map(|(steps, to)| Step {
            what: arrow(order_word(from), order_word(to)),
            steps,
            to: To::Order(to),
        })
        .collect()
}

/// The weaker orders of a compare-exchange that fails.
pub(super) fn failures(from: MemOrder) -> Vec<Step> {
    ladder(from, AccessKind::Read)
        .into_iter()
        .map(|(steps, to)| Step {
            what: format!("on failure {}", arrow(order_word(from), order_word(to))),
            steps,
            to: To::FailureOrder(to),
        })
        .collect()
}

/// The narrower scopes that a thread can use. Sub-group scope means that each thread is in a
/// sub-group of its own where the test does not say which one it is in.
pub(super) fn scopes(from: MemScope, place: Placement) -> Vec<Step> {
    let sub_groups = place != Placement::Host;
    MemScope::of(Api::OpenCl)
        .rev()
        .filter(|to| *to < from && *to > MemScope::WorkItem)
        .filter(|to| *to > MemScope::SubGroup || sub_groups)
        .zip(1..)
        .map(|(to, steps)| Step {
            what: arrow(scope_word(from), scope_word(to)),
            steps,
            to: To::Scope(to),
        })
        .collect()
}

/// What a fence can lose: order down to none, scope, and flags but the last.
pub(super) fn fence_steps(fence: &Fence, place: Placement) -> Vec<Step> {
    let mut steps = orders(fence.order, AccessKind::Both);
    // A relaxed fence is none.
    for step in &mut steps {
        if let To::Order(MemOrder::Relaxed) = step.to {
            step.what = "removed".into();
            step.to = To::NoFence;
        }
    }
    steps.extend(scopes(fence.scope, place));
    steps.extend(fewer(fence.flags).into_iter().filter(|s| match s.to {
        To::Flags(to) => to != FenceFlags::default(),
        To::Order(_) | To::FailureOrder(_) | To::Scope(_) | To::NoFence | To::NoBarrier => true,
    }));
    steps
}

/// What a barrier can lose: flags, then itself, and scope down to its group's.
pub(super) fn barrier_steps(barrier: &Barrier, place: Placement) -> Vec<Step> {
    let mut steps = fewer(barrier.flags);
    let last = steps.iter().map(|s| s.steps).max().unwrap_or(0);
    steps.push(Step {
        what: "removed".into(),
        steps: last + 1,
        to: To::NoBarrier,
    });
    let mut narrower = scopes(barrier.reach(), place);
    narrower.retain(|s| matches!(s.to, To::Scope(to) if to >= barrier.group.own()));
    steps.extend(narrower);
    steps
}

/// The flags without one of them, and without all.
fn fewer(flags: FenceFlags) -> Vec<Step> {
    let set = flags.words();
    let mut out: Vec<Step> = set
        .iter()
        .map(|word| {
            let mut to = flags;
            for (_, flag) in to.named().into_iter().filter(|(w, _)| w == word) {
                *flag = false;
            }
            Step {
                what: format!("without the {word} flag"),
                steps: 1,
                to: To::Flags(to),
            }
        })
        .collect();
    if set.len() > 1 {
        out.push(Step {
            what: "without flags".into(),
            steps: set.len() as u32,
            to: To::Flags(FenceFlags::default()),
        });
    }
    out
}
