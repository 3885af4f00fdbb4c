//! What it means that a smaller program fails as the first one does, and how many runs it takes to
//! know.
//!
//! A program fails comparably when its runs break a rule that the first program's most frequent
//! violation names, in at least a quarter as many of a hundred runs; or, where the first one ended the
//! process or never came back, when its runs do the same.
//!
//! **Runs.** Let the first program fail at rate p. A program that fails at rate p/4 shows no failure
//! in n independent runs with probability (1 - p/4)^n (the geometric distribution's tail); n is the
//! least number that makes this at most 1 %. It is then asked for at least n·p/4 failures, about 4.6,
//! for being kept. One that fails at the full rate p has four times as many on average, and the
//! binomial probability of fewer than asked for is below 0.1 %; a test computes it.
//!
//! Among many programs that fail seldom some show enough failures by chance, and a search keeps just
//! those. So who searches asks again before keeping one.

use crate::rule::RuleId;
use classay_vocabulary::Violation;
use std::collections::BTreeMap;

/// How a process ended that ran a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Death {
    /// It crashed.
    Crash,
    /// It gave no sign of life any more.
    Hang,
    /// A call outside the program failed, as this says.
    Error(String),
}

/// What runs of a program showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// Runs, also those in which a wait reached its deadline, so that they show little.
    pub runs: u64,
    /// How many of them showed each violation.
    pub violations: BTreeMap<Violation, u64>,
    /// How the runs ended before their number was full.
    pub death: Option<Death>,
}

impl Observed {
    /// Adds what more runs showed.
    pub fn add(&mut self, more: Observed) {
        self.runs += more.runs;
        for (violation, count) in more.violations {
            *self.violations.entry(violation).or_default() += count;
        }
        self.death = self.death.take().or(more.death);
    }
}

/// What a program must do to fail as the first one does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Break one of these rules.
    Breaks(Vec<RuleId>),
    /// End like this.
    Ends(Death),
}

/// How the first program fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How.
    pub failure: Failure,
    /// In how many runs.
    pub failed: u64,
    /// Of how many.
    pub runs: u64,
}

/// The part of the first program's rate that a smaller one must keep.
const SHARE: f64 = 0.25;
/// The probability of seeing no failure of a program that keeps just that.
const MISS: f64 = 0.01;

impl Target {
    /// How a program fails that showed this; `None` where it did not fail. A death counts more than a
    /// violation; of violations the most frequent counts, of equally frequent ones the first.
    pub fn of(observed: &Observed) -> Option<Target> {
        if let Some(death) = &observed.death {
            return Some(Target {
                failure: Failure::Ends(death.clone()),
                failed: 1,
                runs: observed.runs + 1,
            });
        }
        let (most, _) = observed
            .violations
            .iter()
            .max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))?;
        let mut target = Target {
            failure: Failure::Breaks(most.rules.clone()),
            failed: 0,
            runs: observed.runs,
        };
        target.failed = target.count(observed);
        Some(target)
    }

    /// How many of the runs failed as the first program does.
    pub fn count(&self, observed: &Observed) -> u64 {
        match &self.failure {
            Failure::Breaks(broken) => observed
                .violations
                .iter()
                .filter(|(violation, _)| violation.rules.iter().any(|rule| broken.contains(rule)))
                .map(|(_, count)| count)
                .sum(),
            Failure::Ends(death) => u64::from(observed.death.as_ref() == Some(death)),
        }
    }

    /// The rate at which the first program fails, above 0 and at most 1.
    pub fn rate(&self) -> f64 {
        (self.failed.max(1) as f64 / self.runs.max(1) as f64).min(1.0)
    }

    /// Runs that a smaller program is given: the n of this module's text.
    pub fn needed_runs(&self) -> u64 {
        (MISS.ln() / (-self.rate() * SHARE).ln_1p()).ceil() as u64
    }

    /// Failures among [`Target::needed_runs`] that it must show; one death is enough.
    pub fn needed_failures(&self) -> u64 {
        match self.failure {
            Failure::Breaks(_) => {
                ((self.needed_runs() as f64 * self.rate() * SHARE).floor() as u64).max(1)
            }
            Failure::Ends(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule;

    fn observed(violations: &[(&str, u64)], runs: u64) -> Observed {
        Observed {
            runs,
            violations: violations
                .iter()
                .map(|(text, n)| (violation(text), *n))
                .collect(),
            death: None,
        }
    }

    /// `rule|rule: what`.
    fn violation(text: &str) -> Violation {
        let (rules, what) = text.split_once(": ").expect("rules and what");
        Violation {
            rules: rules.split('|').map(RuleId::new).collect(),
            what: what.into(),
        }
    }

    /// P(X < k) of the binomial distribution.
    fn fewer(n: u64, p: f64, k: u64) -> f64 {
        let mut term = (n as f64 * (-p).ln_1p()).exp();
        let mut sum = 0.0;
        for i in 0..k {
            sum += term;
            term *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        }
        sum
    }

    #[test]
    fn a_program_that_fails_as_often_is_hardly_ever_missed() {
        for (failed, runs) in [
            (1, 2),
            (1, 3),
            (1, 10),
            (7, 100),
            (1, 1000),
            (9, 10),
            (99, 100),
        ] {
            let target = Target {
                failure: Failure::Breaks(vec![rule::SP_EVENT_WAIT]),
                failed,
                runs,
            };
            let (n, k) = (target.needed_runs(), target.needed_failures());
            let missed = fewer(n, target.rate(), k);
            assert!(missed < 0.001, "{failed}/{runs}: {n} runs, {k}, {missed}");
            let unseen = (n as f64 * (-target.rate() / 4.0).ln_1p()).exp();
            assert!(unseen <= 0.01, "{failed}/{runs}: {unseen}");
        }
    }

    #[test]
    fn only_a_rule_in_common_counts() {
        let first = observed(
            &[("sp.event-wait|sp.in-order: a", 6), ("sp.finish: b", 2)],
            10,
        );
        let target = Target::of(&first).expect("it fails");
        assert_eq!(target.failed, 6);
        assert_eq!(target.count(&observed(&[("sp.finish: b", 3)], 10)), 0);
        assert_eq!(target.count(&observed(&[("sp.in-order: c", 3)], 10)), 3);
        assert_eq!(Target::of(&observed(&[], 10)), None);
    }

    #[test]
    fn a_death_is_comparable_to_the_same_death() {
        let crash = Observed {
            runs: 3,
            death: Some(Death::Crash),
            ..Observed::default()
        };
        let target = Target::of(&crash).expect("it fails");
        assert_eq!(target.count(&crash), 1);
        let hang = Observed {
            death: Some(Death::Hang),
            ..crash
        };
        assert_eq!(target.count(&hang), 0);
    }
}
