//! Source mutations of a program: what explanations try as remedies, and what the generator makes
//! mutants from.
//!
//! [`changes`] are the mutations of one order, scope, fence or barrier: [`site`] finds the places,
//! [`ladder`] says how far each can go, [`step`] takes a step, [`word`] names it. Barriers that
//! belong together are one place, since work-items must meet at the same ones. [`reshapings`]
//! (module [`reshape`]) change what a program does rather than how: two accesses change places, or
//! a read-modify-write becomes a load and a store.

mod change;
mod ladder;
mod reshape;
mod site;
mod step;
mod word;

pub use change::{Change, apply};
pub use step::Property;
pub(crate) use word::{order_word, scope_word, short_order};

use crate::program::{
    Address, Atomic, Barrier, BarrierScope, MemOrder, Placement, Program, WorkItem,
};
use change::Target;
use ladder::{atomic_steps, barrier_steps, failures, fence_steps, ordinary_steps};
use reshape::{How, Reshaping, access, each_pair, each_update};
use site::{AccessKind, Site, each_site};
use step::Step;

/// Whether every atomic operation and fence of a program is seq_cst; barriers are no such operations.
pub(crate) fn only_seq_cst(program: &Program) -> bool {
    let mut only = true;
    each_site(&mut program.clone(), &mut |_, site| match site {
        Site::Access(_, _, atomic) => only &= atomic.order == MemOrder::SeqCst,
        Site::Cas(cas) => only &= [cas.atomic.order, cas.failure] == [MemOrder::SeqCst; 2],
        Site::Fence(fence, _) => only &= fence.order == MemOrder::SeqCst,
        Site::Ordinary(..) | Site::Barrier(..) => {}
    });
    only
}

/// A program whose operations without a stated order are relaxed; none if it has no such operation.
pub(crate) fn relax_defaults(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    let mut found = false;
    each_site(&mut program, &mut |_, site| {
        let atomic = match site {
            Site::Access(_, _, atomic) => atomic,
            Site::Cas(cas) => {
                if cas.atomic.implicit {
                    cas.failure = MemOrder::Relaxed;
                }
                &mut cas.atomic
            }
            Site::Ordinary(..) | Site::Fence(..) | Site::Barrier(..) => return,
        };
        if atomic.implicit {
            *atomic = Atomic::explicit(MemOrder::Relaxed, atomic.scope);
            found = true;
        }
    });
    found.then_some(program)
}

/// Every mutation of a program's orders, scopes, fences and barriers in one place, the smallest
/// first, in the order of the text else.
pub fn changes(program: &Program) -> Vec<Change> {
    let mut found = Vec::new();
    let mut counts = Vec::new();
    let mut places = vec![0; program.threads.len()];
    let mut copy = program.clone();
    each_site(&mut copy, &mut |thread, site| {
        let at = format!("P{thread}.{}", places[thread]);
        places[thread] += 1;
        found.push(Found::new(program, thread, at, &site, &mut counts));
    });
    let mut out = Vec::new();
    for (index, site) in found.iter().enumerate() {
        let together: Vec<usize> = match &site.barrier {
            Some(key) => (0..found.len())
                .filter(|i| found[*i].barrier.as_ref() == Some(key))
                .collect(),
            None => vec![index],
        };
        // A barrier's first part stands for it.
        if together.first() != Some(&index) {
            continue;
        }
        for step in &site.steps {
            out.push(Change {
                word: format!("{}-{}", site.at, word::of(&step.to)),
                what: format!("{}: {}", site.name, step.what),
                steps: step.steps,
                place: (index, step.to.property()),
                target: Target::Sites(together.clone(), step.to),
            });
        }
    }
    out.sort_by_key(|c| (c.steps, c.place));
    out
}

/// Every pair of neighbouring accesses to one location that can change places, and every
/// read-modify-write that can be split.
pub fn reshapings(program: &Program) -> Vec<Change> {
    let mut out = swaps(program, true);
    let first = out.len();
    for thread in 0..program.threads.len() {
        let mut copy = program.threads[thread].body.clone();
        let mut place = 0;
        each_update(program, thread, &mut copy, &mut |_, _, _| {
            let how = How::Split;
            let reshaping = Reshaping { thread, place, how };
            out.push(reshaped(reshaping, place, first + place));
            place += 1;
        });
    }
    out
}

/// Every pair of neighbouring accesses, to one location or to any, that can change places: neither
/// uses what the other reads, and only fences stand between them.
pub fn swaps(program: &Program, same_location: bool) -> Vec<Change> {
    let mut out: Vec<Change> = Vec::new();
    for thread in 0..program.threads.len() {
        let mut copy = program.threads[thread].body.clone();
        let mut number = 0;
        let mut place = 0;
        each_pair(&mut copy, &mut |block, first, second| {
            let locations = (access(&block[first]), access(&block[second]));
            let same = matches!(locations, (Some(a), Some(b)) if a == b);
            if same || !same_location {
                let how = How::Swap;
                let reshaping = Reshaping { thread, place, how };
                out.push(reshaped(reshaping, number, out.len()));
                number += 1;
            }
            place += 1;
        });
    }
    out
}

/// A reshaping as a change, the `number`-th of its kind in its thread and at a place of its own.
fn reshaped(reshaping: Reshaping, number: usize, place: usize) -> Change {
    let (word, what, property) = match reshaping.how {
        How::Swap => {
            let what = "two neighbouring accesses in the other order";
            ("swap", what, Property::Position)
        }
        How::Split => {
            let what = "a read-modify-write as a load and a store";
            ("split", what, Property::Atomicity)
        }
    };
    let thread = reshaping.thread;
    let nth = match number {
        0 => String::new(),
        n => (n + 1).to_string(),
    };
    Change {
        word: format!("P{thread}-{word}{nth}"),
        what: format!("P{thread}: {what}"),
        steps: 1,
        place: (place, property),
        target: Target::Reshape(reshaping),
    }
}

/// A place before any change.
struct Found {
    at: String,
    name: String,
    barrier: Option<BarrierKey>,
    steps: Vec<Step>,
}

/// Barriers with equal keys are met together.
#[derive(PartialEq, Eq, Clone)]
struct BarrierKey {
    group: BarrierScope,
    work_group: Option<(u32, u32, u32)>,
    sub_group: Option<u32>,
    label: Option<String>,
    ordinal: usize,
}

impl Found {
    fn new(
        program: &Program,
        thread: usize,
        at: String,
        site: &Site<'_>,
        counts: &mut Vec<(usize, String, usize)>,
    ) -> Found {
        let (place, api) = (program.threads[thread].placement, program.api);
        let location = |address: &Address| &program.locations[address.location.index()].name;
        let mut key = None;
        let (name, steps) = match site {
            Site::Access(kind, address, atomic) => (
                name(counts, thread, access_name(*kind, location(address))),
                atomic_steps(atomic, *kind, place, api),
            ),
            Site::Ordinary(kind, address, atomicity) => (
                name(counts, thread, access_name(*kind, location(address))),
                ordinary_steps(**atomicity, *kind, place, api),
            ),
            Site::Cas(cas) => {
                let mut steps = atomic_steps(&cas.atomic, AccessKind::Both, place, api);
                for step in &mut steps {
                    if step.to.property() == Property::Order {
                        step.what = format!("on success {}", step.what);
                    }
                }
                steps.extend(failures(cas.failure));
                let what = format!("the compare-exchange of {}", location(&cas.address));
                (name(counts, thread, what), steps)
            }
            Site::Fence(fence, _) => {
                let name = name(counts, thread, "the fence".into());
                (name, fence_steps(fence, place, api))
            }
            Site::Barrier(barrier, _) => {
                let what = barrier_name(barrier);
                let ordinal = count(counts, thread, &what);
                key = Some(BarrierKey::new(barrier, place, ordinal));
                let name = match place {
                    Placement::Host => format!("{what} of the host"),
                    Placement::Device(item) => format!("{what} of work-group {}", item.work_group),
                };
                (
                    ordinal_name(name, ordinal),
                    barrier_steps(barrier, place, api),
                )
            }
        };
        Found {
            at,
            name,
            barrier: key,
            steps,
        }
    }
}

impl BarrierKey {
    fn new(barrier: &Barrier, place: Placement, ordinal: usize) -> BarrierKey {
        let item = place.work_item();
        let named = item.filter(|_| barrier.group == BarrierScope::SubGroup);
        BarrierKey {
            group: barrier.group,
            work_group: item.map(WorkItem::group),
            sub_group: named.and_then(|item| item.sub_group),
            label: barrier.label.clone(),
            ordinal,
        }
    }
}

fn access_name(kind: AccessKind, location: &str) -> String {
    let what = match kind {
        AccessKind::Read => "load of",
        AccessKind::Write => "store to",
        AccessKind::Both => "read-modify-write of",
    };
    format!("the {what} {location}")
}

fn barrier_name(barrier: &Barrier) -> String {
    let what = match barrier.group {
        BarrierScope::WorkGroup => "the barrier",
        BarrierScope::SubGroup => "the sub-group barrier",
        BarrierScope::QueueFamily => "the queue family's barrier",
        BarrierScope::Device => "the device's barrier",
    };
    match &barrier.label {
        Some(label) => format!("{what} {label}"),
        None => what.to_owned(),
    }
}

/// How often a thread has had such a place before.
fn count(counts: &mut Vec<(usize, String, usize)>, thread: usize, what: &str) -> usize {
    let before = counts
        .iter()
        .filter(|(t, w, _)| *t == thread && w == what)
        .count();
    counts.push((thread, what.to_owned(), before));
    before
}

fn name(counts: &mut Vec<(usize, String, usize)>, thread: usize, what: String) -> String {
    let before = count(counts, thread, &what);
    ordinal_name(format!("P{thread}, {what}"), before)
}

fn ordinal_name(name: String, before: usize) -> String {
    match before {
        0 => name,
        n => format!("{name} (number {})", n + 1),
    }
}
