//! Random choices, from which every generator makes its cases: the same seed gives the same choices, and a
//! list of choices gives a case that can be made smaller by choosing less. Seeds that differ in their lowest
//! [`NUMBER_BITS`] alone belong to the cases of one kind, whose first choices are spread evenly.

mod spread;

pub use spread::NUMBER_BITS;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use spread::{SPREAD, Spread};
use std::collections::BTreeSet;
use std::ops::Range;

/// A stream of choices, each a number below a bound.
pub struct Choices {
    stream: ChaCha8Rng,
    spread: Spread,
    /// What comes first, in place of the stream; then zeros, so many in all.
    given: Vec<u64>,
    zeros: usize,
    /// What was chosen so far.
    made: Vec<u64>,
    /// What was drawn so far of what can be left out, and what is to be.
    divided: Divided,
    left_out: LeftOut,
}

/// What is left out of what is drawn, by numbers in the order in which it comes.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// Parts that are not drawn.
    pub parts: BTreeSet<usize>,
    /// Results that are drawn, because others may need what they need, and not used.
    pub results: BTreeSet<usize>,
}

/// What can be left out of what was drawn.
#[derive(Debug, Clone, Default)]
pub struct Divided {
    /// The parts.
    pub parts: Vec<Part>,
    /// How many results there are.
    pub results: usize,
}

/// A part, by what is in it.
#[derive(Debug, Clone)]
pub struct Part {
    choices: Range<usize>,
    results: Range<usize>,
}

impl LeftOut {
    /// The same without some parts more, and the choices without theirs.
    pub fn without_parts(
        &self,
        gone: &[usize],
        divided: &Divided,
        choices: &[u64],
    ) -> (LeftOut, Vec<u64>) {
        let parts = gone.iter().filter_map(|part| divided.parts.get(*part));
        let goes = |at: usize| parts.clone().any(|part| part.choices.contains(&at));
        let result_goes = |at: usize| parts.clone().any(|part| part.results.contains(&at));
        let stay = choices.iter().enumerate();
        let stay = stay.filter(|(at, _)| !goes(*at)).map(|(_, choice)| *choice);
        // The results behind those that go have other numbers then.
        let results = (0..divided.results).filter(|at| !result_goes(*at));
        let results = results
            .enumerate()
            .filter(|(_, at)| self.results.contains(at));
        let left_out = LeftOut {
            parts: self.parts.iter().chain(gone).copied().collect(),
            results: results.map(|(now, _)| now).collect(),
        };
        (left_out, stay.collect())
    }
}

/// Choices after which a list of choices that has come to its end gives other ones than zeros: a generator
/// that waits for another number gets one.
const ZEROS: usize = 2000;

impl Choices {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Choices {
        Choices {
            stream: ChaCha8Rng::seed_from_u64(seed),
            spread: Spread::of(seed),
            given: Vec::new(),
            zeros: 0,
            made: Vec::new(),
            divided: Divided::default(),
            left_out: LeftOut::default(),
        }
    }

    /// These choices, then the smallest ones.
    pub fn again(choices: Vec<u64>) -> Choices {
        Choices {
            zeros: choices.len() + ZEROS,
            given: choices,
            ..Choices::new(0)
        }
    }

    /// The same without some of what is drawn.
    pub fn without(self, left_out: LeftOut) -> Choices {
        Choices { left_out, ..self }
    }

    /// A part of what is drawn, which can be left out, as far as it goes, whatever the others are.
    pub fn part<T>(&mut self, draw: impl FnOnce(&mut Choices) -> T) -> Option<T> {
        self.begins().then(|| {
            let part = draw(self);
            self.ends();
            part
        })
    }

    /// Such a part begins here, unless it is left out; it [`ends`](Self::ends) before the next one begins.
    pub fn begins(&mut self) -> bool {
        let (at, results) = (self.made.len(), self.divided.results);
        let stays = !self.left_out.parts.contains(&self.divided.parts.len());
        self.divided.parts.push(Part {
            choices: at..at,
            results: results..results,
        });
        stays
    }

    /// The part that began last ends here.
    pub fn ends(&mut self) {
        if let Some(part) = self.divided.parts.last_mut() {
            part.choices.end = self.made.len();
            part.results.end = self.divided.results;
        }
    }

    /// Another result has been drawn; whether it is used.
    pub fn result(&mut self) -> bool {
        let number = self.divided.results;
        self.divided.results += 1;
        !self.left_out.results.contains(&number)
    }

    /// Whether anything is left out.
    pub fn leaves_out(&self) -> bool {
        !self.left_out.parts.is_empty() || !self.left_out.results.is_empty()
    }

    /// What can be left out of what was drawn.
    pub fn divided(&self) -> &Divided {
        &self.divided
    }

    /// What was chosen.
    pub fn choices(self) -> Vec<u64> {
        self.made
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let at = self.made.len();
        let n = n.max(1) as u64;
        let choice = match self.given.get(at) {
            Some(choice) => *choice % n,
            None if at < self.zeros => 0,
            None => {
                let random = self.stream.next_u64();
                let next = match at < SPREAD {
                    true => self.spread.choice(at, random),
                    false => random,
                };
                // The bias of a product of 64 bits is far below what any test could see.
                ((u128::from(next) * u128::from(n)) >> 64) as u64
            }
        };
        self.made.push(choice);
        choice as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in so many of a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// One of these, of which there is at least one.
    pub fn one_of<T: Copy, const N: usize>(&mut self, items: &[T; N]) -> T {
        const { assert!(N > 0) }
        items[self.below(N)]
    }

    /// One of these, by weight; `None` where all weigh nothing.
    pub fn weighted<T: Copy>(&mut self, items: &[(T, u32)]) -> Option<T> {
        let total: u32 = items.iter().map(|(_, weight)| weight).sum();
        if total == 0 {
            return None;
        }
        let mut at = self.below(total as usize) as u32;
        for (item, weight) in items {
            if at < *weight {
                return Some(*item);
            }
            at -= weight;
        }
        None
    }
}

#[cfg(test)]
mod tests;
