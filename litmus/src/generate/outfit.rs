//! Outfits: what the threads of a shape wear together.

use super::alphabet::Words;
use super::context::{Context, Spread};
use super::dress::Dress::{
    self, Address, Control, Data, Ends, Every, Fence, FenceAcqRel, FenceSeqCst, Meet, Plain,
    PlainBarrier, Relaxed, SeqCst, Update, UpdateRelaxed, UpdateSeqCst,
};
use super::shape::Shape;
use std::collections::BTreeSet;

/// What a thread can wear where every combination is tried.
const WARDROBE: [Dress; 11] = [
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
];

/// What all threads can wear alike.
const UNIFORMS: [Dress; 16] = [
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
    Dress::Barrier,
    PlainBarrier,
    Plain,
];

/// What all threads can wear alike in the core alphabet.
const CORE: [Dress; 10] = [
    Relaxed,
    Ends,
    Every,
    SeqCst,
    Fence,
    FenceSeqCst,
    Update,
    Dress::Barrier,
    PlainBarrier,
    Plain,
];

/// What is mixed where not every combination is tried.
const MIXED: [Dress; 4] = [Ends, Every, SeqCst, Fence];

impl Dress {
    /// What a thread with one access wears beside another dressed like this.
    fn companion(self) -> Dress {
        match self {
            Ends | Every => Every,
            SeqCst
            | Update
            | UpdateRelaxed
            | UpdateSeqCst
            | Meet
            | Dress::Barrier
            | PlainBarrier
            | Plain => self,
            Relaxed | Fence | FenceAcqRel | FenceSeqCst | Address | Data | Control => Relaxed,
        }
    }
}

/// What the threads of a shape wear together: uniforms first.
pub fn outfits(shape: &Shape, context: &Context, words: Words) -> Vec<Vec<Dress>> {
    let long: Vec<bool> = shape.threads.iter().map(|slots| slots.len() > 1).collect();
    let longs = long.iter().filter(|l| **l).count();
    let wear = |main: &dyn Fn(usize) -> Dress, other: Dress| -> Vec<Dress> {
        (0..long.len())
            .map(|t| if long[t] { main(t) } else { other })
            .collect()
    };
    let uniforms: &[Dress] = match words {
        Words::Uniform | Words::CoreMixed => &CORE,
        Words::Mixed | Words::All => &UNIFORMS,
    };
    let mut out: Vec<Vec<Dress>> = uniforms
        .iter()
        .map(|&dress| wear(&|_| dress, dress.companion()))
        .collect();
    let wardrobe: &[Dress] = match words {
        Words::All => &WARDROBE,
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
                        dress => dress,
                    })
                    .collect(),
            );
        }
    }
    let position = |t: usize| long[..t].iter().filter(|l| **l).count();
    match longs {
        0 => {}
        1 => {
            for &dress in wardrobe {
                for other in [Relaxed, Every, SeqCst] {
                    out.push(wear(&|_| dress, other));
                }
            }
        }
        2 => {
            for &first in wardrobe {
                for &second in wardrobe {
                    let main = |t: usize| if position(t) == 0 { first } else { second };
                    let (one, other) = (first.companion(), second.companion());
                    out.push(wear(&main, one.min(other)));
                    if long.len() > 2 {
                        out.push(wear(&main, one.max(other)));
                        out.push(wear(&main, Relaxed));
                    }
                }
            }
        }
        _ => {
            for &most in &MIXED {
                for &one in wardrobe {
                    for odd in 0..longs {
                        let main = |t: usize| if position(t) == odd { one } else { most };
                        out.push(wear(&main, most.companion()));
                    }
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    out.retain(|dresses| seen.insert(dresses.clone()));
    out
}

/// The one dress of all threads with more than one access, or that they differ and the least.
pub fn kind(shape: &Shape, dresses: &[Dress]) -> String {
    let long = || {
        (shape.threads.iter().zip(dresses))
            .filter(|(slots, _)| slots.len() > 1)
            .map(|(_, dress)| dress)
    };
    match long().min() {
        Some(least) if alike(shape, dresses) => format!("{least:?}"),
        Some(least) => format!("{least:?} and others"),
        None => "no program order".to_string(),
    }
}

/// Whether all the threads with more than one access wear the same.
pub fn alike(shape: &Shape, dresses: &[Dress]) -> bool {
    let mut long = (shape.threads.iter().zip(dresses))
        .filter(|(slots, _)| slots.len() > 1)
        .map(|(_, dress)| dress);
    let first = long.next();
    first.is_some() && long.all(|dress| Some(dress) == first)
}
