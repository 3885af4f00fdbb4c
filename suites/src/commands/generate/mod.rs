//! Makes programs of commands.
//!
//! [`random`] draws one: [`skeleton`] draws queues, commands and what orders them, and [`data`] then
//! lets each command read and write where the order of the skeleton allows it, so that nothing races
//! by construction. [`super::check::Plan::of`] proves it once more, and that the program ends on every
//! implementation that keeps the rules; a draft that may not end is drawn again.
//! [`enumerate`] lists the small ones instead.

mod data;
pub mod enumerate;
mod profile;
mod skeleton;
#[cfg(test)]
mod tests;

pub use profile::{Idiom, Profile};

use super::check::Plan;
use super::order::Invalid;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of choices.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of a remainder of 64 bits is far below what any test could see.
        (self.0.next_u64() % (n.max(1) as u64)) as usize
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

/// How often a draft is drawn again before the generator gives up.
const DRAFTS: usize = 200;

/// The plan of a program drawn from a seed. An error is a fault of the generator.
pub fn random(seed: u64, profile: &Profile) -> Result<Plan, Invalid> {
    let mut draw = Draw::new(seed);
    let mut last = None;
    for _ in 0..DRAFTS {
        match draft(&mut draw, profile) {
            Ok(plan) => return Ok(plan),
            Err(why) => last = Some(why),
        }
    }
    Err(last.unwrap_or(Invalid::Shape {
        what: "no draft was drawn".into(),
    }))
}

fn draft(draw: &mut Draw, profile: &Profile) -> Result<Plan, Invalid> {
    let skeleton = skeleton::draw(draw, profile);
    let program = data::fill(draw, skeleton)?;
    Plan::of(program)
}
