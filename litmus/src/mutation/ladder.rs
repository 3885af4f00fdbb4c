//! How far a place can go: the weaker orders, the narrower scopes, the flags there are to lose.

use super::site::AccessKind;
use super::step::{Step, To};
use super::word::{order_word, scope_word};
use crate::program::{
    Api, Atomic, Atomicity, Barrier, Fence, FenceFlags, Make, MemOrder, MemScope, Placement, Region,
};

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
pub(super) fn scopes(from: MemScope, place: Placement, api: Api) -> Vec<Step> {
    let sub_groups = place != Placement::Host;
    let alone = api == Api::Vulkan;
    MemScope::of(api)
        .rev()
        .filter(|to| *to < from && (alone || *to > MemScope::WorkItem))
        .filter(|to| *to > MemScope::SubGroup || sub_groups)
        .zip(1..)
        .map(|(to, steps)| Step {
            what: arrow(scope_word(from), scope_word(to)),
            steps,
            to: To::Scope(to),
        })
        .collect()
}

/// What an atomic access can lose: order, scope, and what else its semantics say.
pub(super) fn atomic_steps(
    atomic: &Atomic,
    kind: AccessKind,
    place: Placement,
    api: Api,
) -> Vec<Step> {
    let mut steps = orders(atomic.order, kind);
    steps.extend(scopes(atomic.reach(), place, api));
    steps.extend(fewer_classes(atomic.flags, api));
    steps.extend(less_made(atomic.make));
    steps
}

/// What an access that is not atomic can lose: the scope of what it makes available or visible, that
/// itself, and that it is not private.
pub(super) fn ordinary_steps(
    atomicity: Atomicity,
    kind: AccessKind,
    place: Placement,
    api: Api,
) -> Vec<Step> {
    let Atomicity::NonPrivate(made) = atomicity else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    if let Some(scope) = made {
        steps.extend(scopes(scope, place, api));
        steps.extend(less_made(Make {
            available: kind == AccessKind::Write,
            visible: kind == AccessKind::Read,
        }));
    }
    steps.push(Step {
        what: "private".into(),
        steps: 1,
        to: To::Private,
    });
    steps
}

/// What a fence can lose: order down to none, scope, flags but the last, and what it makes.
pub(super) fn fence_steps(fence: &Fence, place: Placement, api: Api) -> Vec<Step> {
    let mut steps = orders(fence.order, AccessKind::Both);
    // A relaxed fence is none.
    for step in &mut steps {
        if let To::Order(MemOrder::Relaxed) = step.to {
            step.what = "removed".into();
            step.to = To::NoFence;
        }
    }
    steps.extend(scopes(fence.scope, place, api));
    steps.extend(match api {
        Api::OpenCl => fewer_but_one(fence.flags, api),
        Api::Vulkan => fewer_classes(fence.flags, api),
    });
    steps.extend(less_made(fence.make));
    steps
}

/// What a barrier can lose: flags, then itself, and scope down to its group's; in Vulkan also its order, what
/// it makes, and its memory semantics as a whole.
pub(super) fn barrier_steps(barrier: &Barrier, place: Placement, api: Api) -> Vec<Step> {
    let mut steps = match api {
        Api::OpenCl => fewer(barrier.flags, api),
        Api::Vulkan => fewer_classes(barrier.flags, api),
    };
    let last = steps.iter().map(|s| s.steps).max().unwrap_or(0);
    steps.push(Step {
        what: "removed".into(),
        steps: last + 1,
        to: To::NoBarrier,
    });
    let mut narrower = scopes(barrier.reach(), place, api);
    // In Vulkan who waits and whose memory is ordered are two scopes, of which the second is not that of one
    // invocation (VUID-StandaloneSpirv-None-04641).
    let least = match api {
        Api::OpenCl => barrier.group.own(),
        Api::Vulkan => MemScope::SubGroup,
    };
    narrower.retain(|s| matches!(s.to, To::Scope(to) if to >= least));
    steps.extend(narrower);
    if api == Api::Vulkan {
        let mut weaker = orders(barrier.order, AccessKind::Both);
        for step in &mut weaker {
            if let To::Order(MemOrder::Relaxed) = step.to {
                step.what = "without memory semantics".into();
                step.to = To::NoSemantics;
            }
        }
        steps.extend(weaker);
        steps.extend(less_made(barrier.make));
    }
    steps
}

/// What semantics make available and visible without one of the two, and without both.
fn less_made(made: Make) -> Vec<Step> {
    let available = Make {
        available: true,
        visible: false,
    };
    let visible = Make {
        available: false,
        visible: true,
    };
    let step = |what: &str, steps, made| Step {
        what: what.into(),
        steps,
        to: To::Without(made),
    };
    let mut out = Vec::new();
    if made.available {
        out.push(step("makes nothing available", 1, available));
    }
    if made.visible {
        out.push(step("makes nothing visible", 1, visible));
    }
    if made
        == (Make {
            available: true,
            visible: true,
        })
    {
        out.push(step("makes nothing available or visible", 2, made));
    }
    out
}

/// The storage classes of semantics without one of them; of a single one, another in its place, since
/// semantics that order something name a class.
fn fewer_classes(classes: FenceFlags, api: Api) -> Vec<Step> {
    let words = classes.words();
    let only = match words.as_slice() {
        [only] => *only,
        _ => return fewer_but_one(classes, api),
    };
    let region = if classes.global {
        Region::Local
    } else {
        Region::Global
    };
    let mut other = FenceFlags::NONE;
    for (word, flag) in other.named() {
        *flag = word == region.name();
    }
    vec![Step {
        what: arrow(flag_text(only, api), flag_text(region.name(), api)),
        steps: 1,
        to: To::Flags(other),
    }]
}

/// The flags without one of them, where some are left.
fn fewer_but_one(flags: FenceFlags, api: Api) -> Vec<Step> {
    let mut steps = fewer(flags, api);
    steps.retain(|step| step.to != To::Flags(FenceFlags::NONE));
    steps
}

/// The flags without one of them, and without all.
fn fewer(flags: FenceFlags, api: Api) -> Vec<Step> {
    let set = flags.words();
    let mut out: Vec<Step> = set
        .iter()
        .map(|word| {
            let mut to = flags;
            for (_, flag) in to.named().into_iter().filter(|(w, _)| w == word) {
                *flag = false;
            }
            Step {
                what: match api {
                    Api::OpenCl => format!("without the {word} flag"),
                    Api::Vulkan => format!("without {}", flag_text(word, api)),
                },
                steps: 1,
                to: To::Flags(to),
            }
        })
        .collect();
    if set.len() > 1 {
        out.push(Step {
            what: "without flags".into(),
            steps: set.len() as u32,
            to: To::Flags(FenceFlags::NONE),
        });
    }
    out
}

/// What people call the flag with a word.
fn flag_text(word: &str, api: Api) -> &str {
    match (api, word) {
        (Api::Vulkan, "global") => "UniformMemory",
        (Api::Vulkan, "local") => "WorkgroupMemory",
        (Api::Vulkan, "image") => "ImageMemory",
        (Api::Vulkan, "output") => "OutputMemory",
        (Api::OpenCl | Api::Vulkan, word) => word,
    }
}
