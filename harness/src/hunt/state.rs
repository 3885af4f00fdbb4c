//! What a hunt knows: the pool of environments, what arms gave, which tests were played.
//!
//! All of it follows from the journal, line by line, so that a hunt that goes on knows what the one that
//! was interrupted knew.

use super::bandit::{Bandit, below, reward};
use super::journal::{Found, Record, Trial};
use crate::environment::{self, Drawing, Environment};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashMap};

/// Environments in the pool at most.
const POOL: usize = 24;
/// Trials before an environment may leave the pool.
const TRIED: u32 = 6;

/// Violations of a shape that are written up; more are counted.
const OF_A_SHAPE: usize = 3;

/// What is known.
#[derive(Debug, Default)]
pub struct State {
    /// Every environment that was ever in the pool, by number.
    pub environments: BTreeMap<u32, Environment>,
    /// The numbers of those that are in it.
    pub pool: Vec<u32>,
    /// What arms gave.
    pub bandit: Bandit,
    /// Trials of each test.
    pub played: HashMap<String, u32>,
    /// What was found.
    pub violations: Vec<Found>,
    /// Seconds that are over.
    pub seconds: f64,
    /// Trials.
    pub trials: u32,
    /// Instances of conformance tests.
    pub instances: u64,
    /// Weak outcomes of mutants.
    pub weak: u64,
    /// Seconds that mutants were played.
    pub probed: f64,
    /// Instances with a forbidden outcome.
    pub forbidden: u64,
    /// Instances with a contested outcome, of each test that showed one.
    pub contested: BTreeMap<String, u64>,
    /// A trial with a forbidden outcome that nothing is written about yet.
    pub open: Option<Trial>,
    /// What went wrong otherwise, with how often.
    pub trouble: BTreeMap<String, u32>,
}

impl State {
    /// What a journal says.
    pub fn of(records: &[Record]) -> State {
        let mut state = State::default();
        for record in records {
            state.note(record);
        }
        state
    }

    /// One more line.
    pub fn note(&mut self, record: &Record) {
        match record {
            Record::Begin(_) => {}
            Record::Environment {
                number,
                environment,
            } => {
                self.environments.insert(*number, environment.clone());
                self.pool.push(*number);
            }
            Record::Dropped { number } => self.pool.retain(|n| n != number),
            Record::Trial(trial) => {
                self.seconds = self.seconds.max(trial.at);
                self.trials += 1;
                self.instances = self.instances.saturating_add(trial.instances);
                self.forbidden = self.forbidden.saturating_add(trial.forbidden);
                if trial.contested > 0 {
                    let seen = self.contested.entry(trial.test.clone()).or_default();
                    *seen = seen.saturating_add(trial.contested);
                }
                *self.played.entry(trial.test.clone()).or_default() += 1;
                if let Some(probe) = &trial.probe {
                    self.weak = self.weak.saturating_add(probe.weak);
                    self.probed += probe.seconds;
                    let independent = probe.independent.unwrap_or(probe.weak as f64);
                    let worth = reward(independent, probe.seconds);
                    self.bandit.add(&trial.shape, trial.environment, worth);
                }
                if !trial.trouble.is_empty() {
                    *self.trouble.entry(trial.trouble.clone()).or_default() += 1;
                }
                if self.is_news(trial) {
                    self.open = Some(trial.clone());
                }
            }
            Record::Violation(found) => {
                self.open = None;
                self.violations.push(found.clone());
            }
        }
    }

    /// Whether a trial has a forbidden outcome that is worth being written up: of a test of which nothing
    /// was, and of a shape of which little was.
    pub fn is_news(&self, trial: &Trial) -> bool {
        let of_shape = self.violations.iter().filter(|f| f.shape == trial.shape);
        trial.forbidden > 0
            && of_shape.count() < OF_A_SHAPE
            && self.violations.iter().all(|f| f.test != trial.test)
    }

    /// The environment with a number; the default for one that there never was.
    pub fn environment(&self, number: u32) -> Environment {
        self.environments.get(&number).cloned().unwrap_or_default()
    }

    /// A number that no environment has had.
    pub fn fresh(&self) -> u32 {
        self.environments.keys().last().map_or(0, |last| last + 1)
    }

    /// The environment that showed most so far, of those in the pool.
    pub fn best(&self) -> Option<u32> {
        let mean = |n: &u32| self.bandit.of_environment(*n).mean().unwrap_or(0.0);
        let pool = self.pool.iter().copied();
        pool.max_by(|a, b| mean(a).total_cmp(&mean(b)))
    }

    /// What changes in the pool now: one environment more, at random or a neighbour of a good one, and
    /// where there are too many, the worst of those that were tried is gone. The first, which leaves
    /// everything to the device, stays.
    pub fn renew(&self, drawing: &mut Drawing<'_>) -> Vec<Record> {
        let parent = self.parent(drawing.rng);
        let environment = match parent {
            Some(of) if below(2, drawing.rng) == 0 => environment::vary(&of, drawing),
            Some(_) | None => environment::draw(drawing),
        };
        let mut records = Vec::new();
        if self.pool.len() >= POOL {
            let mean = |n: &u32| self.bandit.of_environment(*n).mean().unwrap_or(0.0);
            let tried = |n: &&u32| **n != 0 && self.bandit.of_environment(**n).trials >= TRIED;
            let worst = self.pool.iter().filter(tried);
            match worst.min_by(|a, b| mean(a).total_cmp(&mean(b))) {
                Some(worst) => records.push(Record::Dropped { number: *worst }),
                // None was tried long enough to say that it is bad.
                None => return records,
            }
        }
        records.push(Record::Environment {
            number: self.fresh(),
            environment,
        });
        records
    }

    /// One of the better half.
    fn parent(&self, rng: &mut ChaCha8Rng) -> Option<Environment> {
        let mut order = self.pool.clone();
        let mean = |n: &u32| self.bandit.of_environment(*n).mean().unwrap_or(0.0);
        order.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        order.truncate(order.len().div_ceil(2));
        if order.is_empty() {
            return None;
        }
        let chosen = order[below(order.len(), rng)];
        Some(self.environment(chosen))
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::Probe;
    use super::*;
    use crate::device::Capabilities;
    use rand_chacha::rand_core::SeedableRng;

    fn trial(environment: u32, weak: u64, forbidden: u64) -> Record {
        Record::Trial(Trial {
            at: 2.0,
            test: "SB+sc".into(),
            shape: "SB".into(),
            environment,
            probe: Some(Probe {
                mutant: "SB+rlx".into(),
                weak,
                independent: None,
                instances: 1000,
                seconds: 1.0,
            }),
            instances: 500,
            seed: 1,
            forbidden,
            contested: 0,
            trouble: String::new(),
        })
    }

    #[test]
    fn the_pool_is_renewed_from_what_is_good_and_loses_what_is_bad() {
        let mut state = State::default();
        let capabilities = Capabilities::default();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut added = 0;
        for round in 0..200 {
            for record in state.renew(&mut Drawing {
                rng: &mut rng,
                capabilities: &capabilities,
            }) {
                if let Record::Environment { number, .. } = &record {
                    added += 1;
                    assert!(!state.environments.contains_key(number));
                }
                state.note(&record);
            }
            assert!(state.pool.len() <= POOL, "{round}");
            // Even numbers are good.
            let chosen = state.pool[round % state.pool.len()];
            state.note(&trial(chosen, if chosen % 2 == 0 { 1000 } else { 0 }, 0));
        }
        assert!(added > POOL);
        let good = state.pool.iter().filter(|n| *n % 2 == 0).count();
        assert!(good > POOL / 2, "{:?}", state.pool);
        assert!(state.pool.contains(&0));
        assert_eq!(state.best().map(|n| n % 2), Some(0));
    }

    #[test]
    fn a_contested_outcome_is_counted_and_not_written_up() {
        let Record::Trial(mut seen) = trial(0, 0, 0) else {
            panic!("a trial");
        };
        seen.contested = 2;
        let again = Record::Trial(seen.clone());
        let state = State::of(&[Record::Trial(seen), again]);
        assert_eq!(state.contested, BTreeMap::from([("SB+sc".to_owned(), 4)]));
        assert_eq!((state.forbidden, state.open), (0, None));
    }

    #[test]
    fn a_forbidden_outcome_is_open_until_it_is_written_up() {
        let mut state = State::of(&[trial(0, 1, 0), trial(0, 1, 3), trial(1, 1, 0)]);
        assert_eq!(state.open.as_ref().map(|p| p.forbidden), Some(3));
        assert_eq!(
            (state.trials, state.instances, state.forbidden),
            (3, 1500, 3)
        );
        state.note(&Record::Violation(Found {
            test: "SB+sc".into(),
            shape: "SB".into(),
            outcome: "0:r0=0 1:r0=0".into(),
            rules: vec!["mm.sc".into()],
            seen: 3,
            instances: 500,
            confirmed: true,
            folder: "violation-001".into(),
        }));
        assert!(state.open.is_none());
        assert_eq!(state.violations.len(), 1);
    }
}
