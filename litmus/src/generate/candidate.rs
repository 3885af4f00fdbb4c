//! Candidates: a shape with an annotation for each thread, in a context, as a test that is not judged
//! yet.

use super::alphabet::Level;
use super::annotation::Annotation::{
    self, Address, Control, Data, FenceAcqRel, Meet, Plain, PlainBarrier,
};
use super::annotation::{link, weakest};
use super::combination::{alike, combinations, kind};
use super::context::{CONTEXTS, Context, Flags};
use super::design::{Dependency, Design, Mode, Step, Update as Function};
use super::shape::{Shape, Slot};
use crate::mutation::{self, Change, swaps};
use crate::program::{MemOrder, Placement, Program, WorkItem};

classay_vocabulary::words! {
    /// What accesses that hand no messages over are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Idiom {
        /// Every access is atomic.
        Atomic = "atomic",
        /// Data is ordinary, and touched only after a flag was seen.
        Flag = "flag",
        /// Every access is ordinary.
        Plain = "plain",
        /// Two accesses are in the other order, so that no cycle is left.
        Opened = "swapped",
    }
}

/// An annotated shape, not judged yet.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What its orders come from, without the details.
    pub kind: String,
    /// Its context.
    pub context: Context,
    /// Its idiom.
    pub idiom: Idiom,
    /// The test itself.
    pub design: Design,
    /// What has changed in it.
    pub changes: Vec<Change>,
}

impl Candidate {
    /// The program, which asks whether the outcome exists.
    pub fn program(&self) -> Program {
        mutation::apply(&self.design.program(&self.name), &self.changes)
    }
}

/// Every candidate of a shape that a level of the alphabet has, in a fixed order.
pub fn candidates(shape: &Shape, level: Level) -> Vec<Candidate> {
    let mut out = Vec::new();
    let (threads, locations) = (shape.threads.len(), shape.finals.len());
    for (c, context) in CONTEXTS.iter().enumerate() {
        if !context.suits(threads, locations) || !level.has_context(context) {
            continue;
        }
        for annotations in combinations(shape, context, level.words(c == 0)) {
            let alike = alike(shape, &annotations);
            for idiom in [Idiom::Atomic, Idiom::Flag] {
                for function in FUNCTIONS {
                    if function != Function::Exchange && !(c == 0 && level.has_functions(alike)) {
                        continue;
                    }
                    let Some(candidate) = candidate(shape, context, &annotations, idiom, function)
                    else {
                        continue;
                    };
                    let open = (alike && function == Function::Exchange)
                        .then(|| opened(&candidate))
                        .flatten();
                    out.push(candidate);
                    out.extend(open);
                }
            }
        }
    }
    out
}

/// The functions that read-modify-writes are made with.
const FUNCTIONS: [Function; 4] = [
    Function::Exchange,
    Function::Add,
    Function::CasStrong,
    Function::CasWeak,
];

/// The candidate with its cycle opened, the two accesses of one thread in the other order, so that
/// an interleaving can give the outcome: what every device must be able to show.
fn opened(candidate: &Candidate) -> Option<Candidate> {
    let short = |t: usize| {
        let accesses = candidate.design.threads[t].iter();
        accesses
            .filter(|s| matches!(s, Step::Access { .. }))
            .count()
            == 2
    };
    let program = candidate.design.program("");
    let swap = swaps(&program, false).into_iter().find(|swap| {
        let thread = swap.thread();
        thread.is_some_and(short)
    })?;
    Some(Candidate {
        name: format!("{}+swap", candidate.name),
        idiom: Idiom::Opened,
        changes: vec![swap],
        ..candidate.clone()
    })
}

fn candidate(
    shape: &Shape,
    context: &Context,
    annotations: &[Annotation],
    idiom: Idiom,
    function: Function,
) -> Option<Candidate> {
    let mut threads = Vec::new();
    let mut words = Vec::new();
    for (t, slots) in shape.threads.iter().enumerate() {
        let (steps, word) = thread(slots, annotations[t], context, t, function)?;
        threads.push(steps);
        words.push(word);
    }
    let placements: Vec<Placement> = (0..threads.len())
        .map(|t| context.placement(t, threads.len()))
        .collect();
    if !meets(&placements, &threads) {
        return None;
    }
    let steps = || threads.iter().flatten();
    let orders_regions = |s: &Step| matches!(s, Step::Fence(..) | Step::Barrier(_));
    if context.flags != Flags::Fitting && !steps().any(orders_regions) {
        return None;
    }
    let updates = steps().any(|step| match step {
        Step::Access { mode, .. } => matches!(mode, Mode::Update(..)),
        Step::Fence(..) | Step::Barrier(_) => false,
    });
    if function != Function::Exchange && !updates {
        return None;
    }
    let plain = annotations
        .iter()
        .all(|d| matches!(d, Plain | PlainBarrier));
    if annotations.iter().all(|d| *d == Plain) && context.names_sub_groups() {
        return None;
    }
    let idiom = match idiom {
        Idiom::Atomic if plain => Idiom::Plain,
        Idiom::Atomic | Idiom::Plain | Idiom::Opened => idiom,
        Idiom::Flag => {
            if plain || !annotations.iter().all(|d| carries_messages(*d)) {
                return None;
            }
            make_plain(shape, &mut threads)?;
            idiom
        }
    };
    let uniform = words.iter().all(|w| *w == words[0]);
    let mut orders = if uniform {
        words[0].clone()
    } else {
        words.join("+")
    };
    let (suffix, with) = match function {
        Function::Exchange => ("", ""),
        Function::Add => ("+add", " with add"),
        Function::CasStrong => ("+cas", " with strong"),
        Function::CasWeak => ("+wcas", " with weak"),
    };
    orders.push_str(suffix);
    if idiom == Idiom::Flag {
        orders.push_str("+flag");
    }
    Some(Candidate {
        name: format!("{}+{orders}{}", shape.name, context.suffix),
        kind: kind(shape, annotations) + with,
        context: *context,
        idiom,
        design: Design {
            placements,
            regions: (0..shape.finals.len()).map(|l| context.region(l)).collect(),
            finals: shape.finals.clone(),
            threads,
        },
        changes: Vec::new(),
    })
}

/// Whether all threads of a work-group wait at its barriers, or none.
fn meets(placements: &[Placement], threads: &[Vec<Step>]) -> bool {
    let waits = |t: usize| threads[t].iter().any(|s| matches!(s, Step::Barrier(_)));
    let group = |t: usize| placements[t].work_item().map(WorkItem::group);
    let together = |a: usize, b: usize| group(a).is_some() && group(a) == group(b);
    (0..threads.len()).all(|a| {
        (0..threads.len()).all(|b| !together(a, b) || waits(a) == waits(b))
            && (!waits(a) || (0..threads.len()).any(|b| a != b && together(a, b)))
    })
}

/// Whether threads annotated like this use flags as such, well or badly.
fn carries_messages(annotation: Annotation) -> bool {
    !matches!(
        annotation,
        Address | Data | Control | Meet | Annotation::Barrier | PlainBarrier | Plain
    )
}

/// The steps of a thread and the word for them; `None` where the annotation does not fit, or is one
/// that another word already stands for.
fn thread(
    slots: &[Slot],
    annotation: Annotation,
    context: &Context,
    t: usize,
    function: Function,
) -> Option<(Vec<Step>, String)> {
    let scope = context.scope(t);
    let mut steps: Vec<Step> = Vec::new();
    let mut fences: Vec<MemOrder> = Vec::new();
    let mut more_than_weakest = false;
    for (i, slot) in slots.iter().enumerate() {
        let order = annotation.order(slots, i);
        let both = slot.read.is_some() && slot.write.is_some();
        let mode = if matches!(annotation, Plain | PlainBarrier) {
            if both {
                return None;
            }
            Mode::Plain
        } else if both || annotation.updates() {
            Mode::Update(function, order, scope)
        } else {
            Mode::Atomic(order, scope)
        };
        let mut dependency = Dependency::None;
        if let Some(before) = i.checked_sub(1).map(|i| &slots[i])
            && (before.location != slot.location || slots.len() == 2)
        {
            more_than_weakest |= weakest(before, slot) != MemOrder::AcqRel;
            dependency = annotation.dependency();
            let possible = match dependency {
                Dependency::None => true,
                Dependency::Address | Dependency::Control => before.read.is_some(),
                Dependency::Data => before.read.is_some() && slot.write.is_some(),
            };
            if !possible {
                return None;
            }
            if let Some(order) = link(before, slot, annotation) {
                fences.push(order);
                steps.push(Step::Fence(context.flags(), order, scope));
            }
        }
        steps.push(Step::Access {
            slot: slot.clone(),
            mode,
            dependency,
        });
    }
    if matches!(annotation, Meet | Annotation::Barrier | PlainBarrier) {
        let barrier = Step::Barrier(context.barrier(t)?);
        let at = match slots {
            _ if annotation == Meet && t == 0 => steps.len(),
            _ if annotation == Meet => 0,
            [one] if one.write.is_none() => 0,
            [_] => 1,
            // between the two locations
            _ => {
                slots
                    .windows(2)
                    .position(|w| w[0].location != w[1].location)?
                    + 1
            }
        };
        steps.insert(at, barrier);
    }
    // where the weakest fences acquire and release, their word says so
    if annotation == FenceAcqRel && !more_than_weakest {
        return None;
    }
    Some((steps, annotation.word(slots, fences)?))
}

/// Makes the data plain: the locations that every thread touches either first or after it has seen
/// a flag, which then guards the access. `None` where there are none.
fn make_plain(shape: &Shape, threads: &mut [Vec<Step>]) -> Option<()> {
    let guarded = |slots: &[Slot], i: usize| slots[..i].iter().rposition(|s| s.read.is_some());
    let is_data = |l: usize| {
        let mut any = false;
        let fits = shape.threads.iter().all(|slots| {
            slots.iter().enumerate().all(|(i, slot)| {
                if slot.location != l {
                    return true;
                }
                let flag =
                    guarded(slots, i).is_some_and(|f| slots[f].receives && slots[f].location != l);
                any |= flag;
                let update = slot.read.is_some() && slot.write.is_some();
                !update && (flag || (i == 0 && !slot.receives))
            })
        });
        fits && any
    };
    let data: Vec<usize> = (0..shape.finals.len()).filter(|l| is_data(*l)).collect();
    if data.is_empty() {
        return None;
    }
    for steps in threads.iter_mut() {
        let mut seen_flag = false;
        for step in steps.iter_mut() {
            if let Step::Access {
                slot,
                mode,
                dependency,
            } = step
            {
                if data.contains(&slot.location) {
                    *mode = Mode::Plain;
                    if seen_flag {
                        *dependency = Dependency::Control;
                    }
                }
                seen_flag |= slot.receives;
            }
        }
    }
    Some(())
}
