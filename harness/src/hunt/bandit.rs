//! What to play next: Thompson sampling.
//!
//! Each pair of a shape and an environment is an arm, and so is each shape by itself. A trial rewards both
//! with a number from 0 to 1; an arm's value is believed to be distributed as Beta(1 + rewards, 1 + what was
//! missed), and the arm with the largest draw is taken (W. R. Thompson, "On the likelihood that one unknown
//! probability exceeds another", Biometrika 1933; fractional rewards as in O. Chapelle and L. Li, "An Empirical
//! Evaluation of Thompson Sampling", NIPS 2011). So arms that were seldom tried are tried again, and those
//! that give little get little.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use rand_distr::{Beta, Distribution};
use std::collections::BTreeMap;

/// Occurrences a second that are worth a reward of one.
const PLENTY: f64 = 1e7;

/// One choice in so many of a shape asks nobody: each shape has its turn.
const IN_TURN: u32 = 4;

/// What a frequency of independent weak outcomes is worth: its logarithm, from 0 where there was none to 1 at
/// ten million a second, as frequencies differ by orders of magnitude.
pub fn reward(weak: f64, seconds: f64) -> f64 {
    if weak <= 0.0 || seconds <= 0.0 {
        return 0.0;
    }
    ((weak / seconds).ln_1p() / PLENTY.ln_1p()).clamp(0.0, 1.0)
}

/// What is known of an arm.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Arm {
    /// Sum of the rewards.
    pub rewards: f64,
    /// Trials.
    pub trials: u32,
}

impl Arm {
    fn draw(&self, rng: &mut ChaCha8Rng) -> f64 {
        let missed = (f64::from(self.trials) - self.rewards).max(0.0);
        // Both parameters are at least one.
        Beta::new(1.0 + self.rewards, 1.0 + missed).map_or(0.5, |beta| beta.sample(rng))
    }

    fn add(&mut self, reward: f64) {
        self.rewards += reward;
        self.trials += 1;
    }

    /// The mean reward; none before a trial.
    pub fn mean(&self) -> Option<f64> {
        (self.trials > 0).then(|| self.rewards / f64::from(self.trials))
    }
}

/// All arms.
#[derive(Debug, Clone, Default)]
pub struct Bandit {
    shapes: BTreeMap<String, Arm>,
    pairs: BTreeMap<(String, u32), Arm>,
    environments: BTreeMap<u32, Arm>,
}

impl Bandit {
    /// What a trial gave.
    pub fn add(&mut self, shape: &str, environment: u32, reward: f64) {
        self.shapes.entry(shape.into()).or_default().add(reward);
        let pair = (shape.to_string(), environment);
        self.pairs.entry(pair).or_default().add(reward);
        self.environments
            .entry(environment)
            .or_default()
            .add(reward);
    }

    /// A shape of these, of which there is at least one, by its place; `turn` counts the choices.
    pub fn shape(&self, shapes: &[&str], turn: u32, rng: &mut ChaCha8Rng) -> usize {
        if turn.is_multiple_of(IN_TURN) {
            return (turn / IN_TURN) as usize % shapes.len();
        }
        let arms = shapes.iter().map(|shape| self.shapes.get(*shape));
        best(arms, rng)
    }

    /// An environment of these, of which there is at least one, for a shape, by its place.
    pub fn environment(&self, shape: &str, pool: &[u32], rng: &mut ChaCha8Rng) -> usize {
        let arms = pool
            .iter()
            .map(|e| self.pairs.get(&(shape.to_string(), *e)));
        best(arms, rng)
    }

    /// What is known of an environment over all shapes.
    pub fn of_environment(&self, environment: u32) -> Arm {
        self.environments
            .get(&environment)
            .copied()
            .unwrap_or_default()
    }
}

/// The place of the arm with the largest draw.
fn best<'a>(arms: impl Iterator<Item = Option<&'a Arm>>, rng: &mut ChaCha8Rng) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, arm) in arms.enumerate() {
        let drawn = arm.copied().unwrap_or_default().draw(rng);
        if drawn > best.1 {
            best = (place, drawn);
        }
    }
    best.0
}

/// A number below `n`, which is at least one.
pub fn below(n: usize, rng: &mut ChaCha8Rng) -> usize {
    rng.next_u32() as usize % n.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn rewards_tell_orders_of_magnitude_apart() {
        assert_eq!(reward(0.0, 1.0), 0.0);
        assert_eq!(reward(5.0, 0.0), 0.0);
        let some: Vec<f64> = [1.0, 1e2, 1e4, 1e6].map(|n| reward(n, 1.0)).to_vec();
        assert!(some.windows(2).all(|w| w[1] > w[0] + 0.1), "{some:?}");
        assert_eq!(reward(1e19, 1.0), 1.0);
    }

    /// Arms that pay 0.1, 0.5 and 0.9: the best gets most trials, and none is forgotten at first.
    #[test]
    fn the_best_environment_gets_most_pulls() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut bandit = Bandit::default();
        let mut trials = [0; 3];
        for _ in 0..600 {
            let chosen = bandit.environment("SB", &[4, 5, 6], &mut rng);
            trials[chosen] += 1;
            let pays = [0.1, 0.5, 0.9][chosen];
            let hit = below(1000, &mut rng) < (pays * 1000.0) as usize;
            bandit.add("SB", [4, 5, 6][chosen], f64::from(u8::from(hit)));
        }
        assert!(trials[2] > 450, "{trials:?}");
        assert!(trials[0] > 0 && trials[1] > 0, "{trials:?}");
        // What one shape has learnt is nothing to another.
        assert_eq!(bandit.pairs.keys().filter(|(s, _)| s == "MP").count(), 0);
        assert!(bandit.of_environment(6).mean() > bandit.of_environment(4).mean());
    }

    #[test]
    fn every_shape_has_its_turn() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut bandit = Bandit::default();
        let shapes = ["LB", "MP", "SB"];
        let mut trials = [0; 3];
        for turn in 0..1200 {
            let chosen = bandit.shape(&shapes, turn, &mut rng);
            trials[chosen] += 1;
            bandit.add(shapes[chosen], 0, if chosen == 2 { 0.8 } else { 0.0 });
        }
        assert!(trials[2] > 800, "{trials:?}");
        assert!(trials[0] >= 100 && trials[1] >= 100, "{trials:?}");
    }
}
