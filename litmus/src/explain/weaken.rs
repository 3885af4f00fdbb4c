//! Programs weakened in one place: an order, a scope, a fence or a barrier.
//!
//! [`sites`] finds what can be weakened, [`ladder`] how far each can go. Barriers that belong
//! together are one place, since work-items must meet at the same ones.

use super::graph::{order_word, scope_word};
use crate::program::{
    Address, Atomicity, Barrier, BarrierScope, Expected, Expr, FenceFlags, Instr, MemOrder,
    MemScope, Placement, Program, Thread,
};

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

/// Something that can be weakened.
enum Site<'p> {
    Load(&'p Address, &'p mut Atomicity),
    Store(&'p Address, &'p mut Atomicity),
    Rmw(&'p Address, &'p mut Atomicity),
    Cas(Cas<'p>),
    Fence(&'p mut Instr),
    Barrier(&'p mut Instr),
}

struct Cas<'p> {
    address: &'p Address,
    success: &'p mut MemOrder,
    failure: &'p mut MemOrder,
    scope: &'p mut Option<MemScope>,
    implicit: &'p mut bool,
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

struct Step {
    what: String,
    steps: u32,
    to: To,
}

/// What a place becomes.
enum To {
    Order(MemOrder),
    FailureOrder(MemOrder),
    Scope(MemScope),
    Flags(FenceFlags),
    /// A fence is removed.
    NoFence,
    /// A barrier is removed.
    NoBarrier,
}

impl To {
    fn property(&self) -> Property {
        match self {
            To::Order(_) | To::NoFence => Property::Order,
            To::FailureOrder(_) => Property::FailureOrder,
            To::Scope(_) => Property::Scope,
            To::Flags(_) | To::NoBarrier => Property::Flags,
        }
    }

    fn apply(&self, site: Site<'_>) {
        match site {
            Site::Load(_, atomicity) | Site::Store(_, atomicity) | Site::Rmw(_, atomicity) => {
                if let Atomicity::Atomic {
                    order,
                    scope,
                    implicit,
                } = atomicity
                {
                    *implicit = false;
                    match self {
                        To::Order(to) => *order = *to,
                        To::Scope(to) => *scope = Some(*to),
                        To::FailureOrder(_) | To::Flags(_) | To::NoFence | To::NoBarrier => {}
                    }
                }
            }
            Site::Cas(cas) => {
                *cas.implicit = false;
                match self {
                    To::Order(to) => {
                        *cas.success = *to;
                        // Failing is never ordered more than succeeding.
                        *cas.failure = (*cas.failure).min(reading(*to));
                    }
                    To::FailureOrder(to) => *cas.failure = *to,
                    To::Scope(to) => *cas.scope = Some(*to),
                    To::Flags(_) | To::NoFence | To::NoBarrier => {}
                }
            }
            Site::Fence(instr) | Site::Barrier(instr) => match (self, &mut *instr) {
                (To::NoFence | To::NoBarrier, _) => *instr = Instr::Effect(Expr::Const(0)),
                (To::Order(to), Instr::Fence { order, .. }) => *order = *to,
                (To::Scope(to), Instr::Fence { scope, .. }) => *scope = *to,
                (To::Flags(to), Instr::Fence { flags, .. }) => *flags = *to,
                (To::Scope(to), Instr::Barrier(barrier)) => barrier.scope = Some(*to),
                (To::Flags(to), Instr::Barrier(barrier)) => barrier.flags = *to,
                (To::Order(_) | To::FailureOrder(_) | To::Scope(_) | To::Flags(_), _) => {}
            },
        }
    }
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
                steps.extend(
                    ladder(*cas.failure, Kind::Read)
                        .into_iter()
                        .map(|(n, to)| Step {
                            what: format!(
                                "on failure {}",
                                arrow(order_word(*cas.failure), order_word(to))
                            ),
                            steps: n,
                            to: To::FailureOrder(to),
                        }),
                );
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
                steps: match instr {
                    Instr::Fence {
                        flags,
                        order,
                        scope,
                    } => fence_steps(*flags, *order, *scope, place),
                    _ => Vec::new(),
                },
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

/// Which orders a place can have.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    Write,
    Both,
}

/// The weaker orders of a place, with how many steps down they are.
fn ladder(from: MemOrder, kind: Kind) -> Vec<(u32, MemOrder)> {
    use MemOrder::{AcqRel, Acquire, Relaxed, Release};
    let rungs: &[(u32, MemOrder)] = match (from, kind) {
        (MemOrder::SeqCst, Kind::Read) => &[(1, Acquire), (2, Relaxed)],
        (MemOrder::SeqCst, Kind::Write) => &[(1, Release), (2, Relaxed)],
        (MemOrder::SeqCst, Kind::Both) => &[(1, AcqRel), (2, Acquire), (2, Release), (3, Relaxed)],
        (AcqRel, _) => &[(1, Acquire), (1, Release), (2, Relaxed)],
        (Acquire | Release, _) => &[(1, Relaxed)],
        (Relaxed, _) => &[],
    };
    rungs.to_vec()
}

/// The order that a failing compare-exchange can have at most.
fn reading(order: MemOrder) -> MemOrder {
    match order {
        MemOrder::Relaxed | MemOrder::Release => MemOrder::Relaxed,
        MemOrder::Acquire | MemOrder::AcqRel => MemOrder::Acquire,
        MemOrder::SeqCst => MemOrder::SeqCst,
    }
}

fn arrow(from: &str, to: &str) -> String {
    format!("{from} → {to}")
}

fn orders(from: MemOrder, kind: Kind) -> Vec<Step> {
    ladder(from, kind)
        .into_iter()
        .map(|(steps, to)| Step {
            what: arrow(order_word(from), order_word(to)),
            steps,
            to: To::Order(to),
        })
        .collect()
}

/// The narrower scopes that a thread can use; sub-group only where the test says which one it is in.
fn scopes(from: MemScope, place: Placement) -> Vec<Step> {
    let sub_groups = matches!(
        place,
        Placement::Device {
            sub_group: Some(_),
            ..
        }
    );
    MemScope::ALL
        .iter()
        .rev()
        .filter(|to| **to < from && **to > MemScope::WorkItem)
        .filter(|to| **to > MemScope::SubGroup || sub_groups)
        .zip(1..)
        .map(|(to, steps)| Step {
            what: arrow(scope_word(from), scope_word(*to)),
            steps,
            to: To::Scope(*to),
        })
        .collect()
}

fn fence_steps(flags: FenceFlags, order: MemOrder, scope: MemScope, place: Placement) -> Vec<Step> {
    let mut steps = orders(order, Kind::Both);
    // A relaxed fence is none.
    for step in &mut steps {
        if let To::Order(MemOrder::Relaxed) = step.to {
            step.what = "removed".into();
            step.to = To::NoFence;
        }
    }
    steps.extend(scopes(scope, place));
    steps.extend(fewer(flags).into_iter().filter(|s| match s.to {
        To::Flags(to) => to != FenceFlags::default(),
        To::Order(_) | To::FailureOrder(_) | To::Scope(_) | To::NoFence | To::NoBarrier => true,
    }));
    steps
}

fn barrier_steps(barrier: &Barrier, place: Placement) -> Vec<Step> {
    let default = match barrier.group {
        BarrierScope::WorkGroup => MemScope::WorkGroup,
        BarrierScope::SubGroup => MemScope::SubGroup,
    };
    let mut steps = fewer(barrier.flags);
    let last = steps.iter().map(|s| s.steps).max().unwrap_or(0);
    steps.push(Step {
        what: "removed".into(),
        steps: last + 1,
        to: To::NoBarrier,
    });
    let mut narrower = scopes(barrier.scope.unwrap_or(default), place);
    narrower.retain(|s| matches!(s.to, To::Scope(to) if to >= default));
    steps.extend(narrower);
    steps
}

/// The flags without one of them, and without all.
fn fewer(flags: FenceFlags) -> Vec<Step> {
    let mut out = Vec::new();
    let without = [
        (
            "global",
            flags.global,
            FenceFlags {
                global: false,
                ..flags
            },
        ),
        (
            "local",
            flags.local,
            FenceFlags {
                local: false,
                ..flags
            },
        ),
        (
            "image",
            flags.image,
            FenceFlags {
                image: false,
                ..flags
            },
        ),
    ];
    let set = without.iter().filter(|(_, set, _)| *set).count() as u32;
    for (name, _, to) in without.into_iter().filter(|(_, set, _)| *set) {
        out.push(Step {
            what: format!("without the {name} flag"),
            steps: 1,
            to: To::Flags(to),
        });
    }
    if set > 1 {
        out.push(Step {
            what: "without flags".into(),
            steps: set,
            to: To::Flags(FenceFlags::default()),
        });
    }
    out
}

/// Calls `each` for every place of a program, in the order of execution, with its thread.
fn each_site(program: &mut Program, each: &mut dyn FnMut(usize, Site<'_>)) {
    for (t, thread) in program.threads.iter_mut().enumerate() {
        let Thread { body, .. } = thread;
        in_body(body, &mut |site| each(t, site));
    }
}

fn in_body(body: &mut [Instr], each: &mut dyn FnMut(Site<'_>)) {
    for instr in body {
        match instr {
            Instr::Assign { value, .. } | Instr::Effect(value) => in_expr(value, each),
            Instr::Store { access, value } => {
                in_address(&mut access.address, each);
                in_expr(value, each);
                each(Site::Store(&access.address, &mut access.atomicity));
            }
            Instr::Fence { .. } => each(Site::Fence(instr)),
            Instr::Barrier(_) => each(Site::Barrier(instr)),
            Instr::If {
                condition,
                then,
                otherwise,
            } => {
                in_expr(condition, each);
                in_body(then, each);
                in_body(otherwise, each);
            }
            Instr::While { condition, body } => {
                in_expr(condition, each);
                in_body(body, each);
            }
            Instr::Return => {}
        }
    }
}

fn in_address(address: &mut Address, each: &mut dyn FnMut(Site<'_>)) {
    if let Some(index) = &mut address.index {
        in_expr(index, each);
    }
}

fn in_expr(expr: &mut Expr, each: &mut dyn FnMut(Site<'_>)) {
    match expr {
        Expr::Const(_) | Expr::Reg(_) => {}
        Expr::Unary(_, a) => in_expr(a, each),
        Expr::Binary(_, a, b) => {
            in_expr(a, each);
            in_expr(b, each);
        }
        Expr::Select(a, b, c) => {
            in_expr(a, each);
            in_expr(b, each);
            in_expr(c, each);
        }
        Expr::Load(access) => {
            in_address(&mut access.address, each);
            each(Site::Load(&access.address, &mut access.atomicity));
        }
        Expr::Rmw {
            address,
            operand,
            atomicity,
            op: _,
        } => {
            in_address(address, each);
            in_expr(operand, each);
            each(Site::Rmw(address, atomicity));
        }
        Expr::Cas {
            address,
            expected,
            desired,
            success,
            failure,
            scope,
            implicit,
            strength: _,
        } => {
            in_address(address, each);
            if let Expected::Location(at) = expected {
                in_address(at, each);
            }
            in_expr(desired, each);
            each(Site::Cas(Cas {
                address,
                success,
                failure,
                scope,
                implicit,
            }));
        }
    }
}
