//! What it means that a smaller program fails as the first one does, and how many runs it takes to
//! know.
//!
//! A program fails comparably when its runs show the violation that the first program shows most often, in at least
//! a quarter as many of a hundred runs; or, where the first one ended the process or never came back, when its runs
//! end in the same way. A violation is the same when every rule that may be broken is one of those that the first
//! one names, and when both name the same functions and, where they name any, the same error codes: a program that
//! breaks another rule as well, or gets another code, may show another fault.
//!
//! **Runs.** Let the first program fail at rate p. A program that fails at rate p/4 shows no failure
//! in n independent runs with probability (1 - p/4)^n (the geometric distribution's tail); n is the
//! least number that makes this at most 1 %. It is then asked for at least n·p/4 failures, about 4.6,
//! for being kept. One that fails at the full rate p has four times as many on average, and the
//! binomial probability of fewer than asked for is below 0.1 %; a test computes it.
//!
//! Among many programs that fail seldom some show enough failures by chance, and a search keeps just
//! those. So who searches asks again before keeping one.

use classay_vocabulary::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// How a process ended that ran a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Death {
    /// It crashed, like this: the name of a signal, an exit code.
    Crash(String),
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
    /// Show this violation.
    Shows(Violation),
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
    /// violation; of violations those that are the same as one of `wanted`, where any is, and of those the most
    /// frequent, of equally frequent ones the first.
    pub fn of(observed: &Observed, wanted: &[Violation]) -> Option<Target> {
        if let Some(death) = &observed.death {
            return Some(Target {
                failure: Failure::Ends(death.clone()),
                failed: 1,
                runs: observed.runs + 1,
            });
        }
        let is_wanted = |violation: &Violation| wanted.iter().any(|w| is_same(w, violation));
        let (most, _) = observed.violations.iter().max_by(|a, b| {
            let wanted = is_wanted(a.0).cmp(&is_wanted(b.0));
            wanted.then(a.1.cmp(b.1)).then(b.0.cmp(a.0))
        })?;
        let mut target = Target {
            failure: Failure::Shows(most.clone()),
            failed: 0,
            runs: observed.runs,
        };
        target.failed = target.count(observed);
        Some(target)
    }

    /// How many of the runs failed as the first program does.
    pub fn count(&self, observed: &Observed) -> u64 {
        match &self.failure {
            Failure::Shows(first) => observed
                .violations
                .iter()
                .filter(|(violation, _)| is_same(first, violation))
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
            Failure::Shows(_) => {
                ((self.needed_runs() as f64 * self.rate() * SHARE).floor() as u64).max(1)
            }
            Failure::Ends(_) => 1,
        }
    }
}

/// Whether a violation shows what the first one shows.
pub fn is_same(first: &Violation, other: &Violation) -> bool {
    let rules = other.rules.iter().all(|rule| first.rules.contains(rule));
    rules && marks(&first.what) == marks(&other.what)
}

/// The functions of the interface that a text names, and where it names any, the error codes in it. Other numbers
/// are those of the program, and change as it gets smaller.
fn marks(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let words: Vec<&str> = text.split(|c| !is_part(c)).collect();
    let is_function = |word: &&&str| {
        let name = word.strip_prefix("cl");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let is_code = |word: &&&str| {
        let number = word
            .strip_prefix('-')
            .is_some_and(|n| n.parse::<u32>().is_ok());
        number || word.starts_with("CL_INVALID_")
    };
    let functions: BTreeSet<&str> = words.iter().filter(is_function).copied().collect();
    if functions.is_empty() {
        return functions;
    }
    let codes = words.iter().filter(is_code).copied();
    functions.into_iter().chain(codes).collect()
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
            rules: rules
                .split('|')
                .map(classay_vocabulary::RuleId::new)
                .collect(),
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
                failure: Failure::Shows(Violation {
                    rules: vec![rule::SP_EVENT_WAIT],
                    what: "late".into(),
                }),
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
    fn only_the_same_violation_counts() {
        let first = observed(
            &[("sp.event-wait|sp.in-order: a", 6), ("sp.finish: b", 2)],
            10,
        );
        let target = Target::of(&first, &[]).expect("it fails");
        assert_eq!(target.failed, 6);
        assert_eq!(target.count(&observed(&[("sp.finish: b", 3)], 10)), 0);
        assert_eq!(target.count(&observed(&[("sp.in-order: c", 3)], 10)), 3);
        // Which may be the other rule's fault.
        let other = "sp.in-order|sp.finish: c";
        assert_eq!(target.count(&observed(&[(other, 3)], 10)), 0);
        assert_eq!(Target::of(&observed(&[], 10), &[]), None);
        // What a run showed comes before what is seen more often.
        let wanted = [violation("sp.finish: d")];
        let target = Target::of(&first, &wanted).expect("it fails");
        assert_eq!(target.failed, 2);
        let gone = [violation("sp.barrier: d")];
        assert_eq!(Target::of(&first, &gone).expect("it fails").failed, 6);
    }

    #[test]
    fn functions_and_codes_count_and_other_numbers_do_not() {
        let first = violation("a.b: clEnqueueFillBuffer(queue, 8, 16) returned 0, not -30");
        for (other, same) in [
            (
                "a.b: clEnqueueFillBuffer(queue, 0, 1) returned 0, not -30",
                true,
            ),
            (
                "a.b: clEnqueueFillBuffer(queue, 8, 16) returned 0, not -38",
                false,
            ),
            (
                "a.b: clEnqueueFillBuffer(queue, 8, 16) returned -5, not -30",
                false,
            ),
            (
                "a.b: clEnqueueReadBuffer(queue, 8, 16) returned 0, not -30",
                false,
            ),
            ("a.b: command 2 came before command 1", false),
        ] {
            assert_eq!(is_same(&first, &violation(other)), same, "{other}");
        }
        let seen = violation("a.b: cell 3 is -7, not 2");
        assert!(is_same(&seen, &violation("a.b: cell 0 is -1, not 2")));
    }

    #[test]
    fn a_death_is_comparable_to_the_same_death() {
        let crash = |signal: &str| Observed {
            runs: 3,
            death: Some(Death::Crash(signal.into())),
            ..Observed::default()
        };
        let target = Target::of(&crash("SIGSEGV"), &[]).expect("it fails");
        assert_eq!(target.count(&crash("SIGSEGV")), 1);
        assert_eq!(target.count(&crash("SIGABRT")), 0);
        let hang = Observed {
            death: Some(Death::Hang),
            ..crash("")
        };
        assert_eq!(target.count(&hang), 0);
    }
}
