//! Random choices, from which every generator makes its cases: the same seed gives the same choices, and a
//! list of choices gives a case that can be made smaller by choosing less. Seeds that differ in their lowest
//! [`NUMBER_BITS`] alone belong to the cases of one kind, whose first choices are spread evenly.

mod spread;

pub use spread::NUMBER_BITS;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use spread::{SPREAD, Spread};

/// A stream of choices, each a number below a bound.
pub struct Choices {
    stream: ChaCha8Rng,
    spread: Spread,
    /// What comes first, in place of the stream; then zeros, so many in all.
    given: Vec<u64>,
    zeros: usize,
    /// What was chosen so far.
    made: Vec<u64>,
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
