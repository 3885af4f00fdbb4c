//! Candidates: a shape with an annotation for each thread, in a context, as a test that is not judged
//! yet.

use super::alphabet::Level;
use super::annotation::Annotation::{
    self, Address, Control, FenceAcqRel, FencedBarrier, Meet, Plain, PlainBarrier,
};
use super::annotation::{link, weakest};
use super::combination::{alike, combinations, kind};
use super::context::{Context, Flags};
use super::contexts::contexts;
use super::design::{Dependency, Design, Mode, Step, Update as Function};
use super::manner::{Data, Manner};
use super::shape::{Shape, Slot};
use crate::mutation::{self, Change, swaps};
use crate::program::{Api, FenceFlags, Make, MemOrder, Placement, Program, WorkItem};

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
    /// How ordinary data is handed over.
    pub data: Data,
    /// The test itself.
    pub design: Design,
    /// What has changed in it.
    pub changes: Vec<Change>,
}

impl Candidate {
    /// What a covering covers of how data is handed over.
    pub fn handing(&self) -> String {
        match (self.design.api, self.idiom) {
            (Api::OpenCl, _) | (Api::Vulkan, Idiom::Atomic | Idiom::Opened) => {
                self.idiom.to_string()
            }
            (Api::Vulkan, Idiom::Flag | Idiom::Plain) => format!("{} {}", self.idiom, self.data),
        }
    }

    /// The program, which asks whether the outcome exists.
    pub fn program(&self) -> Program {
        mutation::apply(&self.design.program(&self.name), &self.changes)
    }
}

/// Every candidate of a shape that a level of the alphabet has, in a fixed order.
pub fn candidates(shape: &Shape, level: Level, api: Api) -> Vec<Candidate> {
    let mut out = Vec::new();
    let (threads, locations) = (shape.threads.len(), shape.finals.len());
    for (c, context) in contexts(api).iter().enumerate() {
        if !context.suits(threads, locations) || !level.has_context(context) {
            continue;
        }
        let first = c == 0;
        for annotations in combinations(shape, context, level.words(first), api) {
            let alike = alike(shape, &annotations);
            let choice = |idiom, data, function| Choice {
                api,
                shape,
                context,
                annotations: &annotations,
                idiom,
                data,
                function,
            };
            for (idiom, data) in idioms(&annotations, first && alike, api) {
                for function in FUNCTIONS.into_iter().filter(|function| function.known(api)) {
                    if function != Function::Exchange && !(first && level.has_functions(alike)) {
                        continue;
                    }
                    let Some(candidate) = choice(idiom, data, function).candidate() else {
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

/// What is tried of threads annotated like this: `all` ways to hand ordinary data over, or few.
fn idioms(annotations: &[Annotation], all: bool, api: Api) -> Vec<(Idiom, Data)> {
    let handed = Data::of(api, all);
    let with = |idiom, ways: &[Data]| ways.iter().map(|way| (idiom, *way)).collect();
    if annotations.iter().all(|annotation| *annotation == Plain) {
        return with(Idiom::Plain, Data::unordered(api));
    }
    if annotations.iter().all(|annotation| annotation.ordinary()) {
        return with(Idiom::Plain, Data::of(api, true));
    }
    let mut out: Vec<(Idiom, Data)> = vec![(Idiom::Atomic, Data::Default)];
    let flag: Vec<(Idiom, Data)> = with(Idiom::Flag, handed);
    out.extend(flag);
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

/// One of the things that can be made of a shape.
#[derive(Clone, Copy)]
struct Choice<'a> {
    api: Api,
    shape: &'a Shape,
    context: &'a Context,
    annotations: &'a [Annotation],
    idiom: Idiom,
    data: Data,
    function: Function,
}

impl<'a> Choice<'a> {
    fn manner(&self, thread: usize) -> Manner<'a> {
        Manner {
            api: self.api,
            context: self.context,
            data: self.data,
            thread,
            threads: self.shape.threads.len(),
        }
    }

    /// The candidate; none where the parts do not fit, or another choice already stands for it.
    fn candidate(self) -> Option<Candidate> {
        let Choice { shape, context, .. } = self;
        let mut threads = Vec::new();
        let mut words = Vec::new();
        for (t, slots) in shape.threads.iter().enumerate() {
            let (steps, word) = thread(slots, self.annotations[t], self.manner(t), self.function)?;
            threads.push(steps);
            words.push(word);
        }
        let placements: Vec<Placement> = (0..threads.len())
            .map(|t| context.placement(t, threads.len(), self.api))
            .collect();
        if !meets(&placements, &threads) || !self.says_something(&threads) {
            return None;
        }
        if self.idiom == Idiom::Flag {
            if !self.annotations.iter().all(|d| carries_messages(*d)) {
                return None;
            }
            make_ordinary(shape, &mut threads, &|t| self.manner(t))?;
        }
        let regions = (0..shape.finals.len()).map(|l| context.region(l)).collect();
        let (suffix, with) = self.function.words();
        Some(Candidate {
            name: format!(
                "{}+{}{}",
                shape.name,
                self.orders(&words, suffix),
                context.suffix
            ),
            kind: kind(shape, self.annotations) + with,
            context: *context,
            idiom: self.idiom,
            data: self.data,
            design: Design {
                api: self.api,
                placements,
                regions,
                ty: context.ty,
                finals: shape.finals.clone(),
                threads,
            },
            changes: Vec::new(),
        })
    }

    /// Whether what is special about it shows: flags, sub-groups, a function, what semantics make.
    fn says_something(&self, threads: &[Vec<Step>]) -> bool {
        let steps = || threads.iter().flatten();
        if self.context.flags != Flags::Fitting && !steps().any(|s| s.flags() != FenceFlags::NONE) {
            return false;
        }
        let updates = steps().any(|step| match step {
            Step::Access { mode, .. } => matches!(mode, Mode::Update(..)),
            Step::Fence(_) | Step::Barrier(_) => false,
        });
        if self.function != Function::Exchange && !updates {
            return false;
        }
        let plain = self.annotations.iter().all(|d| *d == Plain);
        if plain && self.context.names_sub_groups(self.api) {
            return false;
        }
        let made = self.data.made();
        let is_made = |of: fn(Make) -> bool| !of(made) || steps().any(|step| of(step.made()));
        is_made(|made| made.available) && is_made(|made| made.visible)
    }

    /// The words for the threads' annotations and the idiom.
    fn orders(&self, words: &[String], suffix: &str) -> String {
        let uniform = words.iter().all(|w| *w == words[0]);
        let orders = if uniform {
            words[0].clone()
        } else {
            words.join("+")
        };
        let idiom = match (self.idiom, self.api) {
            (Idiom::Atomic | Idiom::Opened, _) | (Idiom::Plain, Api::OpenCl) => String::new(),
            (Idiom::Flag, Api::OpenCl) => "+flag".to_owned(),
            (Idiom::Flag | Idiom::Plain, Api::Vulkan) => format!("+{}", self.data),
        };
        format!("{orders}{suffix}{idiom}")
    }
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
        Address
            | Annotation::Data
            | Control
            | Meet
            | Annotation::Barrier
            | PlainBarrier
            | FencedBarrier
            | Plain
    )
}

/// The steps of a thread and the word for them; `None` where the annotation does not fit, or is one
/// that another word already stands for.
fn thread(
    slots: &[Slot],
    annotation: Annotation,
    manner: Manner<'_>,
    function: Function,
) -> Option<(Vec<Step>, String)> {
    let mut steps: Vec<Step> = Vec::new();
    let mut fences: Vec<MemOrder> = Vec::new();
    let mut more_than_weakest = false;
    for (i, slot) in slots.iter().enumerate() {
        let order = annotation.order(slots, i);
        let both = slot.read.is_some() && slot.write.is_some();
        let mode = if annotation.ordinary() {
            if both {
                return None;
            }
            Mode::Ordinary(manner.ordinary(slot))
        } else if both || annotation.updates() {
            Mode::Update(function, manner.atomic(order))
        } else {
            Mode::Atomic(manner.atomic(order))
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
                steps.push(Step::Fence(manner.fence(order)));
            }
        }
        steps.push(Step::Access {
            slot: slot.clone(),
            mode,
            dependency,
        });
    }
    let barrier = if annotation == FencedBarrier {
        let (before, barrier, after) = manner.fenced_barrier()?;
        vec![
            Step::Fence(before),
            Step::Barrier(barrier),
            Step::Fence(after),
        ]
    } else if matches!(annotation, Meet | Annotation::Barrier | PlainBarrier) {
        vec![Step::Barrier(manner.barrier()?)]
    } else {
        Vec::new()
    };
    if !barrier.is_empty() {
        let at = match slots {
            _ if annotation == Meet && manner.thread == 0 => steps.len(),
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
        steps.splice(at..at, barrier);
    }
    // where the weakest fences acquire and release, their word says so
    if annotation == FenceAcqRel && !more_than_weakest {
        return None;
    }
    Some((steps, annotation.word(slots, fences)?))
}

/// Makes the data ordinary: the locations that every thread touches either first or after it has seen
/// a flag, which then guards the access. `None` where there are none.
fn make_ordinary<'c>(
    shape: &Shape,
    threads: &mut [Vec<Step>],
    manner: &dyn Fn(usize) -> Manner<'c>,
) -> Option<()> {
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
    for (t, steps) in threads.iter_mut().enumerate() {
        let mut seen_flag = false;
        for step in steps.iter_mut() {
            if let Step::Access {
                slot,
                mode,
                dependency,
            } = step
            {
                let ordinary = data.contains(&slot.location);
                if ordinary {
                    *mode = Mode::Ordinary(manner(t).ordinary(slot));
                }
                // Who hands a message on has it: without that nobody could rely on it.
                let handed_on = manner(t).api == Api::Vulkan && slot.write.is_some();
                if seen_flag && (ordinary || handed_on) {
                    *dependency = Dependency::Control;
                }
                seen_flag |= slot.receives;
            }
        }
    }
    Some(())
}
