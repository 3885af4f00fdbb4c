//! Combinations: which annotations the threads of a shape have together.

use super::alphabet::Words;
use super::annotation::Annotation::{
    self, Address, Control, Data, Ends, Every, Fence, FenceAcqRel, FenceSeqCst, FencedBarrier,
    Meet, Plain, PlainBarrier, Relaxed, SeqCst, Update, UpdateRelaxed, UpdateSeqCst,
};
use super::context::{Context, Spread};
use super::shape::Shape;
use crate::program::Api;
use std::collections::BTreeSet;

/// What all threads can have alike, where their API knows it.
const UNIFORMS: [Annotation; 17] = [
    Relaxed,
    Ends,
    Every,
    SeqCst,
    Fence,
    FenceAcqRel,
    FenceSeqCst,
    Address,
    Data,
    Control,
    Update,
    UpdateRelaxed,
    UpdateSeqCst,
    Annotation::Barrier,
    PlainBarrier,
    Plain,
    FencedBarrier,
];

/// So many of the uniforms a thread can have where every combination is tried.
const COMBINED: usize = 11;

/// What all threads can have alike in the core alphabet.
const CORE: [Annotation; 11] = [
    Relaxed,
    Ends,
    Every,
    SeqCst,
    Fence,
    FenceSeqCst,
    Update,
    Annotation::Barrier,
    PlainBarrier,
    Plain,
    FencedBarrier,
];

/// What is mixed where not every combination is tried.
const MIXED: [Annotation; 4] = [Ends, Every, SeqCst, Fence];

impl Annotation {
    /// What a thread with one access has beside another annotated like this.
    fn companion(self) -> Annotation {
        match self {
            Ends | Every => Every,
            SeqCst
            | Update
            | UpdateRelaxed
            | UpdateSeqCst
            | Meet
            | Annotation::Barrier
            | PlainBarrier
            | FencedBarrier
            | Plain => self,
            Relaxed | Fence | FenceAcqRel | FenceSeqCst | Address | Data | Control => Relaxed,
        }
    }
}

/// What the threads of a shape have together in an API: uniforms first.
pub fn combinations(
    shape: &Shape,
    context: &Context,
    words: Words,
    api: Api,
) -> Vec<Vec<Annotation>> {
    let long: Vec<bool> = shape.threads.iter().map(|slots| slots.len() > 1).collect();
    let longs = long.iter().filter(|l| **l).count();
    let annotate = |main: &dyn Fn(usize) -> Annotation, other: Annotation| -> Vec<Annotation> {
        (0..long.len())
            .map(|t| if long[t] { main(t) } else { other })
            .collect()
    };
    let uniforms: &[Annotation] = match words {
        Words::Uniform | Words::CoreMixed => &CORE,
        Words::Mixed | Words::All => &UNIFORMS,
    };
    let mut out: Vec<Vec<Annotation>> = uniforms
        .iter()
        .map(|&annotation| annotate(&|_| annotation, annotation.companion()))
        .collect();
    let mixed: &[Annotation] = match words {
        Words::All => &UNIFORMS[..COMBINED],
        Words::Mixed | Words::CoreMixed => &MIXED,
        Words::Uniform => &[],
    };
    if context.spread == Spread::PairAndOthers {
        // the first two meet at a barrier, the others hear of it through atomics
        for other in [Relaxed, Ends, Every, SeqCst] {
            let meets = |t: usize| if t < 2 { Meet } else { other };
            out.push(
                (0..long.len())
                    .map(|t| match meets(t) {
                        Ends if !long[t] => Every,
                        annotation => annotation,
                    })
                    .collect(),
            );
        }
    }
    let position = |t: usize| long[..t].iter().filter(|l| **l).count();
    match longs {
        0 => {}
        1 => {
            for &annotation in mixed {
                for other in [Relaxed, Every, SeqCst] {
                    out.push(annotate(&|_| annotation, other));
                }
            }
        }
        2 => {
            for &first in mixed {
                for &second in mixed {
                    let main = |t: usize| if position(t) == 0 { first } else { second };
                    let (one, other) = (first.companion(), second.companion());
                    out.push(annotate(&main, one.min(other)));
                    if long.len() > 2 {
                        out.push(annotate(&main, one.max(other)));
                        out.push(annotate(&main, Relaxed));
                    }
                }
            }
        }
        _ => {
            for &most in &MIXED {
                for &one in mixed {
                    for odd in 0..longs {
                        let main = |t: usize| if position(t) == odd { one } else { most };
                        out.push(annotate(&main, most.companion()));
                    }
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    out.retain(|annotations| annotations.iter().all(|annotation| annotation.known(api)));
    out.retain(|annotations| seen.insert(annotations.clone()));
    out
}

/// The one annotation of all threads with more than one access, or that they differ and the least.
pub fn kind(shape: &Shape, annotations: &[Annotation]) -> String {
    let long = || {
        (shape.threads.iter().zip(annotations))
            .filter(|(slots, _)| slots.len() > 1)
            .map(|(_, annotation)| annotation)
    };
    match long().min() {
        Some(least) if alike(shape, annotations) => format!("{least:?}"),
        Some(least) => format!("{least:?} and others"),
        None => "no program order".to_string(),
    }
}

/// Whether all the threads with more than one access are annotated alike.
pub fn alike(shape: &Shape, annotations: &[Annotation]) -> bool {
    let mut long = (shape.threads.iter().zip(annotations))
        .filter(|(slots, _)| slots.len() > 1)
        .map(|(_, annotation)| annotation);
    let first = long.next();
    first.is_some() && long.all(|annotation| Some(annotation) == first)
}
