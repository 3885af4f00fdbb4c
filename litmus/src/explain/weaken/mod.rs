//! Programs weakened in one place: an order, a scope, a fence or a barrier.
//!
//! [`site`] finds the places, [`ladder`] says how far each can go, [`step`] takes a step. Barriers
//! that belong together are one place, since work-items must meet at the same ones.

mod ladder;
mod site;
mod step;

use crate::program::{
    Address, Atomicity, Barrier, BarrierScope, Instr, MemScope, Placement, Program,
};
use ladder::{Kind, barrier_steps, failures, fence_steps, orders, scopes};
use site::{Site, each_site};
use step::Step;

/// A way to weaken a program in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is changed, and from what to what.
    pub what: String,
    /// How many steps down that is, at least one.
    pub steps: u32,
    /// Which place and which property of it: changes with the same one differ in how far they go.
    pub place: (usize, Property),
    /// The program after it.
    pub program: Program,
}

/// What of a place is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Its order; a fence is gone below its weakest order.
    Order,
    /// The order of a compare-exchange that fails.
    FailureOrder,
    /// Its scope.
    Scope,
    /// Its flags; a barrier is gone below no flag.
    Flags,
}

/// Every weakening of a program in one place, the smallest first, in the order of the text else.
pub fn changes(program: &Program) -> Vec<Change> {
    let mut found = Vec::new();
    let mut counts = Vec::new();
    let mut copy = program.clone();
    each_site(&mut copy, &mut |thread, site| {
        found.push(Found::new(program, thread, &site, &mut counts));
    });
    let mut out = Vec::new();
    for (index, site) in found.iter().enumerate() {
        // A barrier's first part stands for it.
        if let Some(key) = &site.barrier
            && found[..index]
                .iter()
                .any(|f| f.barrier.as_ref() == Some(key))
        {
            continue;
        }
        for step in &site.steps {
            let mut weaker = program.clone();
            let mut at = 0;
            each_site(&mut weaker, &mut |_, site_now| {
                let same = match &site.barrier {
                    Some(key) => found[at].barrier.as_ref() == Some(key),
                    None => at == index,
                };
                if same {
                    step.to.apply(site_now);
                }
                at += 1;
            });
            out.push(Change {
                what: format!("{}: {}", site.name, step.what),
                steps: step.steps,
                place: (index, step.to.property()),
                program: weaker,
            });
        }
    }
    out.sort_by_key(|c| (c.steps, c.place));
    out
}

/// A place before any change.
struct Found {
    name: String,
    barrier: Option<BarrierKey>,
    steps: Vec<Step>,
}

/// Barriers with equal keys are met together.
#[derive(PartialEq, Eq, Clone)]
struct BarrierKey {
    place: (Option<(u32, u32)>, Option<u32>),
    group: BarrierScope,
    label: Option<String>,
    ordinal: usize,
}

impl Found {
    fn new(
        program: &Program,
        thread: usize,
        site: &Site<'_>,
        counts: &mut Vec<(usize, String, usize)>,
    ) -> Found {
        let place = program.threads[thread].placement;
        let named = |counts: &mut _, what: String| name(counts, thread, what);
        let location = |address: &Address| program.locations[address.location.index()].name.clone();
        let access = |address: &Address, atomicity: &Atomicity, kind: Kind, what: &str, counts| {
            let name = named(counts, format!("the {what} {}", location(address)));
            let steps = match atomicity {
                Atomicity::Plain | Atomicity::Volatile => Vec::new(),
                Atomicity::Atomic { order, scope, .. } => {
                    let mut steps = orders(*order, kind);
                    steps.extend(scopes(scope.unwrap_or(MemScope::Device), place));
                    steps
                }
            };
            Found {
                name,
                barrier: None,
                steps,
            }
        };
        match site {
            Site::Load(address, atomicity) => {
                access(address, atomicity, Kind::Read, "load of", counts)
            }
            Site::Store(address, atomicity) => {
                access(address, atomicity, Kind::Write, "store to", counts)
            }
            Site::Rmw(address, atomicity) => access(
                address,
                atomicity,
                Kind::Both,
                "read-modify-write of",
                counts,
            ),
            Site::Cas(cas) => {
                let mut steps = orders(*cas.success, Kind::Both);
                for step in &mut steps {
                    step.what = format!("on success {}", step.what);
                }
                steps.extend(failures(*cas.failure));
                steps.extend(scopes(cas.scope.unwrap_or(MemScope::Device), place));
                Found {
                    name: named(
                        counts,
                        format!("the compare-exchange of {}", location(cas.address)),
                    ),
                    barrier: None,
                    steps,
                }
            }
            Site::Fence(instr) => Found {
                name: named(counts, "the fence".into()),
                barrier: None,
                steps: fence_steps(instr, place),
            },
            Site::Barrier(instr) => {
                let Instr::Barrier(barrier) = &**instr else {
                    return Found {
                        name: String::new(),
                        barrier: None,
                        steps: Vec::new(),
                    };
                };
                let what = barrier_name(barrier);
                let ordinal = count(counts, thread, &what);
                let name = match place {
                    Placement::Host => format!("{what} of the host"),
                    Placement::Device { work_group, .. } => {
                        format!("{what} of work-group {work_group}")
                    }
                };
                Found {
                    name: ordinal_name(name, ordinal),
                    barrier: Some(key(barrier, place, ordinal)),
                    steps: barrier_steps(barrier, place),
                }
            }
        }
    }
}

fn key(barrier: &Barrier, place: Placement, ordinal: usize) -> BarrierKey {
    let place = match place {
        Placement::Host => (None, None),
        Placement::Device {
            device,
            work_group,
            sub_group,
        } => match barrier.group {
            BarrierScope::WorkGroup => (Some((device, work_group)), None),
            BarrierScope::SubGroup => (Some((device, work_group)), sub_group),
        },
    };
    BarrierKey {
        place,
        group: barrier.group,
        label: barrier.label.clone(),
        ordinal,
    }
}

fn barrier_name(barrier: &Barrier) -> String {
    let what = match barrier.group {
        BarrierScope::WorkGroup => "the barrier",
        BarrierScope::SubGroup => "the sub-group barrier",
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
