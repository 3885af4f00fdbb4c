//! How long the last to arrive at a meeting waits for the news to reach the others: found out while
//! launches run.
//!
//! Whoever completes a meeting knows it at once; the others learn of it when the counter's line has
//! come to them. How many steps of arithmetic that takes is a property of the machine: none on an
//! interpreter, a hundred between neighbouring cores, more between sockets. Threads that set off
//! together end in more different ways than threads that follow each other, so the lag is chosen by
//! the diversity (Shannon's entropy) of what launches showed: each candidate is tried a few times, then
//! the best is kept, with one launch in [`EXPLORE`] for any of them. A candidate's score is the most
//! that it showed of late, not the mean: a launch whose threads were kept from running together by
//! something else says nothing about the lag. Which outcome a test asks for plays no part in it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde::Serialize;

/// One launch in so many goes to a candidate at random.
const EXPLORE: u32 = 16;

/// Launches with each candidate before any is chosen.
const TRIES: u32 = 3;

/// What is left of a candidate's score after a launch that showed less.
const DECAY: f64 = 0.99;

/// A launch of so many instances counts half.
const FEW: f64 = 1024.0;

/// The candidates of a meeting, and what launches with each showed.
pub struct Aim {
    tries: Vec<Try>,
}

/// A candidate.
#[derive(Debug, Clone, Serialize)]
pub struct Try {
    /// Steps.
    lag: u32,
    /// Launches that had it.
    launches: u32,
    /// The most diverse that they were, in bits; less with every launch that showed less.
    diversity: f64,
}

impl Aim {
    /// Chooses among lags; with one there is no choice.
    pub fn new(lags: &[u32]) -> Aim {
        Aim {
            tries: lags
                .iter()
                .map(|&lag| Try {
                    lag,
                    launches: 0,
                    diversity: 0.0,
                })
                .collect(),
        }
    }

    /// A candidate for the next launch and its lag.
    pub fn choose(&mut self, rng: &mut ChaCha8Rng) -> (usize, u32) {
        let trying = (0..self.tries.len())
            .min_by_key(|&at| self.tries[at].launches)
            .filter(|&at| self.tries[at].launches < TRIES);
        let at = match trying {
            Some(at) => at,
            None if self.tries.len() > 1 && rng.next_u32().is_multiple_of(EXPLORE) => {
                rng.next_u32() as usize % self.tries.len()
            }
            None => self.best(),
        };
        let Some(chosen) = self.tries.get_mut(at) else {
            return (0, 0);
        };
        chosen.launches += 1;
        (at, chosen.lag)
    }

    /// What a launch with the candidate showed: how often each of its outcomes was.
    pub fn learn(&mut self, at: usize, counts: impl IntoIterator<Item = u64>) {
        if let Some(tried) = self.tries.get_mut(at) {
            tried.diversity = score(counts).max(tried.diversity * DECAY);
        }
    }

    /// What was tried, for the record.
    pub fn tries(&self) -> &[Try] {
        &self.tries
    }

    /// The first of the best.
    fn best(&self) -> usize {
        let mut best = 0;
        for (at, tried) in self.tries.iter().enumerate() {
            if tried.diversity > self.tries[best].diversity {
                best = at;
            }
        }
        best
    }
}

/// The diversity of a launch, less where it is small and may owe it to luck.
fn score(counts: impl IntoIterator<Item = u64>) -> f64 {
    let counts: Vec<u64> = counts.into_iter().collect();
    let total = counts.iter().sum::<u64>() as f64;
    entropy(counts) * total / (total + FEW)
}

/// Shannon's entropy of a distribution given by counts, in bits.
fn entropy(counts: impl IntoIterator<Item = u64>) -> f64 {
    let counts: Vec<f64> = counts
        .into_iter()
        .filter(|&n| n > 0)
        .map(|n| n as f64)
        .collect();
    let total: f64 = counts.iter().sum();
    counts
        .iter()
        .map(|n| -(n / total) * (n / total).log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn entropy_is_of_the_distribution() {
        assert_eq!(entropy([]), 0.0);
        assert_eq!(entropy([7, 0]), 0.0);
        assert!((entropy([5, 5]) - 1.0).abs() < 1e-12);
        assert!((entropy([1, 1, 1, 1]) - 2.0).abs() < 1e-12);
    }

    /// A device on which `right` gives a third outcome most often, and where one launch in three shows
    /// nothing, whatever its lag. Two launches are in flight. Gives the launches of each candidate.
    fn launches(right: u32, lags: &[u32], seed: u64) -> Vec<u32> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut aim = Aim::new(lags);
        let mut chosen = vec![0; lags.len()];
        let mut waiting = None;
        for _ in 0..400 {
            let (at, lag) = aim.choose(&mut rng);
            chosen[at] += 1;
            if let Some((at, lag)) = waiting.replace((at, lag)) {
                let weak = 40_000_u64.saturating_sub(u64::from(right.abs_diff(lag)) * 400);
                let idle = rng.next_u32().is_multiple_of(3);
                aim.learn(
                    at,
                    if idle {
                        [0, 100_000, 0]
                    } else {
                        [weak, 50_000, 50_000]
                    },
                );
            }
        }
        chosen
    }

    #[test]
    fn the_lag_with_the_most_diverse_outcomes_is_kept() {
        let lags = [100, 0, 50, 150, 200];
        for (right, expected) in [(0, 1), (95, 0), (150, 3), (1000, 0)] {
            for seed in 0..5 {
                let chosen = launches(right, &lags, seed);
                assert!(chosen.iter().all(|&n| n > 0), "{chosen:?}");
                if right < 1000 {
                    let most = chosen.iter().max().copied();
                    assert_eq!(Some(chosen[expected]), most, "{right} {seed}: {chosen:?}");
                }
                assert_eq!(chosen, launches(right, &lags, seed), "it repeats");
            }
        }
    }

    #[test]
    fn one_lag_is_no_choice() {
        assert_eq!(launches(50, &[30], 1), [400]);
    }
}
