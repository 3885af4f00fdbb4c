//! Looks for one fault.

use super::Fault;
use crate::execute::Budget;
use crate::judge::ChosenModel;
use crate::plan::Case;
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseId, CaseResult, Verdict};
use classay_suites::rule::RuleId;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Runs of a program in the search.
const RUNS: u64 = 3;
/// Runs of the program that showed the fault, to learn how often it does.
const AGAIN: u64 = 30;
/// Instances of a litmus test in the search.
const INSTANCES: u64 = 20_000;

/// What became of a fault.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Found {
    /// A case failed.
    Killed {
        /// The case.
        case: CaseId,
        /// Its verdict.
        verdict: Verdict,
        /// Why.
        reason: String,
        /// It names a rule of the fault; else something else broke.
        own: bool,
        /// Runs of cases before it, its own included.
        runs: u64,
        /// Seconds until then.
        seconds: f64,
        /// Of so many runs of the case.
        of: u64,
        /// So many showed the fault.
        shown: u64,
        /// Seconds in which the case alone shows the fault with a probability of 99 %.
        expected: f64,
    },
    /// No case failed.
    Survived {
        /// Runs of cases.
        runs: u64,
        /// Seconds.
        seconds: f64,
        /// Cases that could run.
        cases: u64,
    },
    /// The broken device does not open.
    Unopened {
        /// Why.
        why: String,
    },
}

/// A case with its rules.
pub struct Hunted {
    /// The case.
    pub case: Case,
    /// What it covers.
    pub rules: BTreeSet<RuleId>,
}

/// On what terms a fault is looked for.
pub struct Terms<'a> {
    /// For all cases.
    pub budget: Duration,
    /// For each.
    pub limits: Limits,
    /// What judges litmus tests.
    pub model: &'a ChosenModel,
    /// Cases that fail on the device as it is.
    pub clean_failures: &'a HashSet<CaseId>,
}

/// Looks for a fault with the cases that have to do with it, and then with the others.
pub fn hunt(
    fault: &Fault,
    cases: &[Hunted],
    terms: &Terms<'_>,
    session: &mut Session,
) -> Result<Found, Stop> {
    let begun = Instant::now();
    let rules: Vec<RuleId> = fault.rules.iter().filter_map(|r| RuleId::find(r)).collect();
    let main = |c: &&Hunted| rules.first().is_some_and(|r| c.rules.contains(r));
    // Any litmus test may show what is wrong with the consistency of memory.
    let of_memory = rules.iter().any(|r| r.as_str().starts_with("mm."));
    let some = |c: &&Hunted| {
        rules.iter().any(|r| c.rules.contains(r)) || of_memory && c.case.body.is_litmus()
    };
    let in_order = cases
        .iter()
        .filter(|c| main(c))
        .chain(cases.iter().filter(|c| !main(c) && some(c)))
        .chain(cases.iter().filter(|c| !some(c)));
    let mut runs = 0;
    let mut ran = 0;
    let mut other: Option<Found> = None;
    for hunted in in_order {
        if begun.elapsed() > terms.budget {
            break;
        }
        if terms.clean_failures.contains(&hunted.case.id) {
            continue;
        }
        let result = run(session, &hunted.case, each(&hunted.case), terms)?;
        if result.verdict == Verdict::Skip {
            continue;
        }
        ran += 1;
        runs += result.instances.max(1);
        if !result.verdict.is_failure() {
            continue;
        }
        let own = names_a_rule(&result, fault);
        let seconds = begun.elapsed().as_secs_f64();
        let (of, shown, took) = match result.verdict {
            Verdict::Fail => {
                let again = run(session, &hunted.case, again(&hunted.case), terms)?;
                rate(&again).unwrap_or((1, 1, again.seconds))
            }
            Verdict::Pass
            | Verdict::Skip
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::Inconclusive => (1, 1, result.seconds),
        };
        let found = Found::Killed {
            case: hunted.case.id.clone(),
            verdict: result.verdict,
            reason: result.reason,
            own,
            runs,
            seconds,
            of,
            shown,
            expected: expected(of, shown, took),
        };
        if own {
            return Ok(found);
        }
        // Something broke; a case that names the rule itself says more.
        other.get_or_insert(found);
        if other.is_some() && begun.elapsed() > terms.budget / 2 {
            break;
        }
    }
    Ok(other.unwrap_or(Found::Survived {
        runs,
        seconds: begun.elapsed().as_secs_f64(),
        cases: ran,
    }))
}

/// Runs a case.
pub fn run(
    session: &mut Session,
    case: &Case,
    runs: u64,
    terms: &Terms<'_>,
) -> Result<CaseResult, Stop> {
    let case = Case {
        budget: Budget::Instances(runs),
        ..case.clone()
    };
    session.run(&case, terms.limits, terms.model, &mut |_| {})
}

/// How often a case is run in the search.
pub fn each(case: &Case) -> u64 {
    if case.body.is_litmus() {
        INSTANCES
    } else {
        RUNS
    }
}

fn again(case: &Case) -> u64 {
    if case.body.is_litmus() {
        INSTANCES
    } else {
        AGAIN
    }
}

/// Runs, those that failed, and seconds.
fn rate(result: &CaseResult) -> Option<(u64, u64, f64)> {
    let shown = result.asked();
    (result.instances > 0 && shown > 0).then_some((result.instances, shown, result.seconds))
}

/// Seconds in which runs like these show the fault at least once with a probability of 99 %: with a
/// rate p a run, n runs show it with 1 - (1 - p)^n.
fn expected(of: u64, shown: u64, seconds: f64) -> f64 {
    let p = shown as f64 / of.max(1) as f64;
    let runs = if p >= 1.0 {
        1.0
    } else {
        (0.01_f64.ln() / (1.0 - p).ln()).max(1.0)
    };
    runs * seconds / of.max(1) as f64
}

/// Whether the reason or an outcome names one of the fault's rules. What hangs or crashes names none,
/// and may well be the fault's own way to show.
fn names_a_rule(result: &CaseResult, fault: &Fault) -> bool {
    match result.verdict {
        Verdict::Crash | Verdict::Timeout => fault.shows == "hang",
        Verdict::Fail | Verdict::Pass | Verdict::Skip | Verdict::Inconclusive => {
            let texts = result.histogram().into_iter().map(|o| o.outcome);
            let evidence = result.evidence.iter().map(|e| e.text.clone());
            let all: Vec<String> = texts
                .chain(evidence)
                .chain([result.reason.clone()])
                .collect();
            let names = all.iter().flat_map(|text| {
                text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'))
            });
            let named: HashSet<&str> = names.collect();
            fault.rules.iter().any(|rule| named.contains(rule.as_str()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn a_rare_fault_takes_long() {
        assert!((expected(10, 10, 1.0) - 0.1).abs() < 1e-9);
        // One run in two: seven runs show it with 99.2 %, 6.64 by the formula.
        assert!((expected(100, 50, 100.0) - 6.6438).abs() < 1e-3);
        assert!(expected(1000, 1, 1000.0) > 4600.0);
    }
}
