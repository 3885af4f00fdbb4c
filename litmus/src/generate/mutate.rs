//! Mutants: a test weakened by one step.
//!
//! A device that never shows a conformance test's outcome may be right, or its environment may be
//! too gentle to show anything. A mutant whose outcome is allowed tells the two apart: an
//! environment that shows the mutant's outcome would have seen the bug.

use super::design::{Dependency, Design, Mode, Step};
use super::shape::Slot;
use crate::program::{Barrier, FenceFlags, MemOrder, MemScope, Placement};

/// Every design that is one step weaker, with a word for the step. Steps are named by thread and
/// by place in it, both from 0.
pub fn weakened(design: &Design) -> Vec<(String, Design)> {
    let mut out = Vec::new();
    for (t, steps) in design.threads.iter().enumerate() {
        for (i, step) in steps.iter().enumerate() {
            let at = format!("P{t}.{i}");
            match step {
                Step::Access { slot, mode, .. } => {
                    for (word, weaker) in weaker_modes(slot, *mode) {
                        let mut mutant = design.clone();
                        if let Step::Access { mode, .. } = &mut mutant.threads[t][i] {
                            *mode = weaker;
                        }
                        if word == short_scope(MemScope::SubGroup) {
                            name_sub_groups(&mut mutant);
                        }
                        out.push((format!("{at}-{word}"), mutant));
                    }
                }
                Step::Fence(flags, order, scope) => {
                    let mut mutant = design.clone();
                    mutant.threads[t].remove(i);
                    out.push((format!("{at}-nofence"), mutant));
                    let orders = weaker_fences(*order)
                        .iter()
                        .map(|o| (short_order(*o), *flags, *o, *scope));
                    let scopes = narrower(*scope)
                        .into_iter()
                        .map(|s| (short_scope(s), *flags, *order, s));
                    let regions = other_flags(*flags)
                        .into_iter()
                        .map(|(word, f)| (word, f, *order, *scope));
                    for (word, flags, order, scope) in orders.chain(scopes).chain(regions) {
                        let mut mutant = design.clone();
                        mutant.threads[t][i] = Step::Fence(flags, order, scope);
                        if scope == MemScope::SubGroup {
                            name_sub_groups(&mut mutant);
                        }
                        out.push((format!("{at}-{word}"), mutant));
                    }
                }
                Step::Barrier(_) => {}
            }
        }
        if on_one_location(steps) {
            out.extend(swapped(design, t).map(|mutant| (format!("P{t}-swap"), mutant)));
        }
    }
    out.extend(weaker_barriers(design));
    out
}

/// The design with the accesses of a thread in the other order, where it makes two that do not
/// depend on each other.
pub fn swapped(design: &Design, t: usize) -> Option<Design> {
    let mut places = Vec::new();
    for (i, step) in design.threads[t].iter().enumerate() {
        match step {
            Step::Access {
                dependency: Dependency::None,
                ..
            } => places.push(i),
            Step::Access { .. } => return None,
            Step::Fence(..) | Step::Barrier(_) => {}
        }
    }
    let [first, second] = places[..] else {
        return None;
    };
    let mut mutant = design.clone();
    mutant.threads[t].swap(first, second);
    Some(mutant)
}

/// Whether all the accesses of a thread are to one location.
fn on_one_location(steps: &[Step]) -> bool {
    let mut locations = steps.iter().filter_map(|step| match step {
        Step::Access { slot, .. } => Some(slot.location),
        Step::Fence(..) | Step::Barrier(_) => None,
    });
    let first = locations.next();
    locations.all(|l| Some(l) == first)
}

fn weaker_modes(slot: &Slot, mode: Mode) -> Vec<(&'static str, Mode)> {
    let (order, scope, make): (_, _, fn(MemOrder, MemScope) -> Mode) = match mode {
        Mode::Plain => return Vec::new(),
        Mode::Atomic(order, scope) => (order, scope, Mode::Atomic),
        Mode::Update(order, scope) => (order, scope, Mode::Update),
    };
    let update = matches!(mode, Mode::Update(..));
    let reads = update || slot.read.is_some();
    let writes = update || slot.write.is_some();
    let below: &[MemOrder] = match order {
        MemOrder::Relaxed => &[],
        MemOrder::Acquire | MemOrder::Release => &[MemOrder::Relaxed],
        MemOrder::AcqRel => &[MemOrder::Acquire, MemOrder::Release, MemOrder::Relaxed],
        MemOrder::SeqCst if reads && writes => &[MemOrder::AcqRel, MemOrder::Relaxed],
        MemOrder::SeqCst if reads => &[MemOrder::Acquire, MemOrder::Relaxed],
        MemOrder::SeqCst => &[MemOrder::Release, MemOrder::Relaxed],
    };
    let orders = below.iter().map(|o| (short_order(*o), make(*o, scope)));
    let scopes = narrower(scope)
        .into_iter()
        .map(|s| (short_scope(s), make(order, s)));
    orders.chain(scopes).collect()
}

fn weaker_fences(order: MemOrder) -> &'static [MemOrder] {
    match order {
        MemOrder::Relaxed | MemOrder::Acquire | MemOrder::Release => &[],
        MemOrder::AcqRel => &[MemOrder::Acquire, MemOrder::Release],
        MemOrder::SeqCst => &[MemOrder::AcqRel],
    }
}

/// The next narrower scope that an access can state.
fn narrower(scope: MemScope) -> Option<MemScope> {
    match scope {
        MemScope::AllSvmDevices => Some(MemScope::Device),
        MemScope::Device => Some(MemScope::WorkGroup),
        MemScope::WorkGroup => Some(MemScope::SubGroup),
        MemScope::SubGroup | MemScope::WorkItem => None,
    }
}

/// Flags that leave a region out, or that name the wrong one.
fn other_flags(flags: FenceFlags) -> Vec<(&'static str, FenceFlags)> {
    let global = FenceFlags {
        global: true,
        local: false,
        image: false,
    };
    let local = FenceFlags {
        global: false,
        local: true,
        image: false,
    };
    [("gflag", global), ("lflag", local)]
        .into_iter()
        .filter(|(_, other)| *other != flags)
        .collect()
}

/// A barrier is one for all threads, so all change together.
fn weaker_barriers(design: &Design) -> Vec<(String, Design)> {
    let Some(barrier) = design.threads.iter().flatten().find_map(|step| match step {
        Step::Barrier(barrier) => Some(barrier),
        Step::Access { .. } | Step::Fence(..) => None,
    }) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut without = design.clone();
    for steps in &mut without.threads {
        steps.retain(|step| !matches!(step, Step::Barrier(_)));
    }
    out.push(("nobar".to_string(), without));
    for (word, flags) in other_flags(barrier.flags) {
        let mut mutant = design.clone();
        for step in mutant.threads.iter_mut().flatten() {
            if let Step::Barrier(Barrier { flags: f, .. }) = step {
                *f = flags;
            }
        }
        out.push((format!("bar-{word}"), mutant));
    }
    out
}

/// Puts each thread in a sub-group of its own, where sub-groups have not mattered so far.
fn name_sub_groups(design: &mut Design) {
    for (t, placement) in design.placements.iter_mut().enumerate() {
        if let Placement::Device {
            sub_group: sub_group @ None,
            ..
        } = placement
        {
            *sub_group = Some(t as u32);
        }
    }
}

fn short_order(order: MemOrder) -> &'static str {
    match order {
        MemOrder::Relaxed => "rlx",
        MemOrder::Acquire => "acq",
        MemOrder::Release => "rel",
        MemOrder::AcqRel => "ar",
        MemOrder::SeqCst => "sc",
    }
}

fn short_scope(scope: MemScope) -> &'static str {
    match scope {
        MemScope::WorkItem => "wi",
        MemScope::SubGroup => "sg",
        MemScope::WorkGroup => "wg",
        MemScope::Device => "dv",
        MemScope::AllSvmDevices => "all",
    }
}
