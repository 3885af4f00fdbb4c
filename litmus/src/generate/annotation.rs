//! Dressing a shape: which orders, fences, dependencies and barriers its threads have.

use super::alphabet::Level;
use super::combination::{alike, combinations, kind};
use super::context::{CONTEXTS, Context, Flags};
use super::design::{Dependency, Design, Mode, Step, Update as Function};
use super::shape::{Shape, Slot};
use crate::mutation::{self, Change, short_order, swaps};
use crate::program::{MemOrder, Placement, Program};
use std::fmt;

/// How a thread is annotated: its orders, fences and dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
    /// Everything relaxed.
    Relaxed,
    /// What message passing needs: a last write releases, a first read acquires.
    Ends,
    /// Every write releases and every read acquires.
    Every,
    /// Everything seq_cst.
    SeqCst,
    /// Relaxed accesses, and between them the weakest fence that orders them.
    Fence,
    /// Relaxed accesses and fences that acquire and release.
    FenceAcqRel,
    /// Relaxed accesses and seq_cst fences.
    FenceSeqCst,
    /// Relaxed accesses, the later address computed from what was read.
    Address,
    /// Relaxed accesses, the value written computed from what was read.
    Data,
    /// Relaxed accesses, the later made only if the right value was read.
    Control,
    /// Every access a read-modify-write that acquires and releases.
    Update,
    /// Every access a relaxed read-modify-write.
    UpdateRelaxed,
    /// Every access a seq_cst read-modify-write.
    UpdateSeqCst,
    /// What message passing needs beside a barrier: the first thread meets the others after its
    /// accesses, they before theirs.
    Meet,
    /// Relaxed accesses and a barrier.
    Barrier,
    /// Ordinary accesses and a barrier.
    PlainBarrier,
    /// Ordinary accesses.
    Plain,
}

/// What accesses that hand no messages over are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Idiom {
    /// Every access is atomic.
    Atomic,
    /// Data is ordinary, and touched only after a flag was seen.
    Flag,
    /// Every access is ordinary.
    Plain,
    /// Two accesses are in the other order, so that no cycle is left.
    Opened,
}

impl fmt::Display for Idiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Idiom::Atomic => "atomic",
            Idiom::Flag => "flag",
            Idiom::Plain => "plain",
            Idiom::Opened => "swapped",
        })
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

use Annotation::{
    Address, Control, Data, Ends, Every, Fence, FenceAcqRel, FenceSeqCst, Meet, Plain,
    PlainBarrier, Relaxed, SeqCst, Update, UpdateRelaxed, UpdateSeqCst,
};

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
    let group = |t: usize| match placements[t] {
        Placement::Host => None,
        Placement::Device {
            device, work_group, ..
        } => Some((device, work_group)),
    };
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

impl Annotation {
    /// Whether every access is a read-modify-write.
    fn updates(self) -> bool {
        matches!(self, Update | UpdateRelaxed | UpdateSeqCst)
    }

    /// How accesses depend on those before them.
    fn dependency(self) -> Dependency {
        match self.link() {
            Link::Dependency(dependency) => dependency,
            Link::Nothing | Link::WeakestFence | Link::Fence(_) => Dependency::None,
        }
    }

    /// What it puts between two accesses.
    fn link(self) -> Link {
        match self {
            Address => Link::Dependency(Dependency::Address),
            Data => Link::Dependency(Dependency::Data),
            Control => Link::Dependency(Dependency::Control),
            Fence => Link::WeakestFence,
            FenceAcqRel => Link::Fence(MemOrder::AcqRel),
            FenceSeqCst => Link::Fence(MemOrder::SeqCst),
            Relaxed
            | Ends
            | Every
            | SeqCst
            | Update
            | UpdateRelaxed
            | UpdateSeqCst
            | Meet
            | Annotation::Barrier
            | PlainBarrier
            | Plain => Link::Nothing,
        }
    }

    /// The order of an access of a thread.
    fn order(self, slots: &[Slot], i: usize) -> MemOrder {
        let slot = &slots[i];
        let strong = strongest(slot);
        match self {
            SeqCst | UpdateSeqCst => MemOrder::SeqCst,
            Every => strong,
            Ends | Meet => {
                let releases = i + 1 == slots.len() && slot.write.is_some();
                let acquires = i == 0 && slot.read.is_some();
                if releases || acquires {
                    strong
                } else {
                    MemOrder::Relaxed
                }
            }
            Update => MemOrder::AcqRel,
            Relaxed
            | Fence
            | FenceAcqRel
            | FenceSeqCst
            | Address
            | Data
            | Control
            | UpdateRelaxed
            | Annotation::Barrier
            | PlainBarrier
            | Plain => MemOrder::Relaxed,
        }
    }

    /// Its word in the names of tests; none where another annotation gives the same thread.
    fn word(self, slots: &[Slot], mut fences: Vec<MemOrder>) -> Option<String> {
        let single = slots.len() == 1;
        let orders = (0..slots.len()).map(|i| self.order(slots, i));
        let ordered: Vec<&str> = orders
            .filter(|o| *o != MemOrder::Relaxed)
            .map(short_order)
            .collect();
        let word = match self {
            Address | Data | Control if single => return None,
            Ends if single || ordered.is_empty() => return None,
            // where the ends are everything, their word says so
            Every if !single && ordered.len() == slots.len() && ends_suffice(slots) => {
                return None;
            }
            Ends | Every => ordered.join("-"),
            Fence | FenceAcqRel | FenceSeqCst => {
                let first = *fences.first()?;
                if fences.iter().all(|order| *order == first) {
                    fences.truncate(1);
                }
                let words: Vec<&str> = fences.iter().map(|order| short_order(*order)).collect();
                format!("fence-{}", words.join("-"))
            }
            Relaxed => "rlx".to_string(),
            SeqCst => "sc".to_string(),
            Address => "addr".to_string(),
            Data => "data".to_string(),
            Control => "ctrl".to_string(),
            Update => "rmw".to_string(),
            UpdateRelaxed => "rmw-rlx".to_string(),
            UpdateSeqCst => "rmw-sc".to_string(),
            Meet => "meet".to_string(),
            Annotation::Barrier => "bar".to_string(),
            PlainBarrier => "na-bar".to_string(),
            Plain => "na".to_string(),
        };
        Some(word)
    }
}

/// The order that makes an access release what it can and acquire what it can.
fn strongest(slot: &Slot) -> MemOrder {
    match (slot.read.is_some(), slot.write.is_some()) {
        (true, true) => MemOrder::AcqRel,
        (true, false) => MemOrder::Acquire,
        (false, true) => MemOrder::Release,
        (false, false) => MemOrder::Relaxed,
    }
}

/// Whether the first access reads and the last writes, with none between them.
fn ends_suffice(slots: &[Slot]) -> bool {
    matches!(slots, [first, last] if first.read.is_some() && last.write.is_some())
}

/// The weakest order of a fence that orders two accesses.
fn weakest(before: &Slot, after: &Slot) -> MemOrder {
    match (before.read.is_some(), after.write.is_some()) {
        (false, true) => MemOrder::Release,
        (true, false) => MemOrder::Acquire,
        (true, true) | (false, false) => MemOrder::AcqRel,
    }
}

/// What an annotation puts between two accesses.
enum Link {
    Nothing,
    Dependency(Dependency),
    /// The weakest fence that orders them.
    WeakestFence,
    Fence(MemOrder),
}

/// The order of the fence between two accesses.
fn link(before: &Slot, after: &Slot, annotation: Annotation) -> Option<MemOrder> {
    match annotation.link() {
        Link::WeakestFence => Some(weakest(before, after)),
        Link::Fence(order) => Some(order),
        Link::Nothing | Link::Dependency(_) => None,
    }
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
