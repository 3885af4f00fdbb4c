//! Runs a case again and again within its budget, and counts what each run showed.

use super::{Ended, NotRun};
use classay_reports::record::{Launch, Outcome, OutcomeCount, Violation};
use classay_vocabulary::Budget;
use std::collections::BTreeMap;
use std::time::Instant;

/// Runs that are reported as one launch under a time budget.
const RUNS: u64 = 16;

/// Seconds after which a launch is reported although it has fewer runs.
const SLOW: f64 = 0.3;

/// Violations of a case that are kept.
const KEPT: usize = 8;

/// Of them those that name the same rules, so that many of one kind leave room for others.
const ALIKE: usize = 2;

/// What a run showed.
pub struct Shown {
    /// The rules that it broke.
    pub violations: Vec<Violation>,
    /// A wait reached its deadline, so that the run showed little.
    pub is_incomplete: bool,
}

/// Calls `one` with the number of each run, which gives what it showed. The first violation stands for its
/// run; all kinds that were seen are kept, up to [`KEPT`].
pub fn repeat(
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
    one: &mut dyn FnMut(u64) -> Result<Shown, NotRun>,
) -> Result<Ended, NotRun> {
    let started = Instant::now();
    let mut ended = Ended::default();
    let mut run = 0;
    let mut index = 0;
    loop {
        let runs = match budget {
            Budget::Instances(n) => n.saturating_sub(run).min(RUNS),
            Budget::Seconds(s) | Budget::Enough { seconds: s, .. } => {
                if run == 0 {
                    1
                } else if started.elapsed().as_secs_f64() < s {
                    RUNS
                } else {
                    0
                }
            }
        };
        if runs == 0 {
            break;
        }
        let begun = Instant::now();
        let mut counts: BTreeMap<Outcome, u64> = BTreeMap::new();
        let mut done = 0;
        for _ in 0..runs {
            let shown = one(run)?;
            run += 1;
            done += 1;
            let outcome = match shown.violations.first() {
                Some(violation) => Outcome::Violation(violation.clone()),
                None if shown.is_incomplete => Outcome::Incomplete,
                None => Outcome::Required,
            };
            *counts.entry(outcome).or_default() += 1;
            for violation in shown.violations {
                keep(&mut ended.violations, violation);
            }
            let spent = started.elapsed().as_secs_f64();
            let over = budget.seconds().is_some_and(|s| spent > s);
            // The parent wants to hear something now and then.
            if over || begun.elapsed().as_secs_f64() > SLOW {
                break;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        ended.device_seconds += seconds;
        on_launch(Launch {
            index,
            instances: done,
            seconds,
            outcomes: counts
                .into_iter()
                .map(|(outcome, count)| OutcomeCount {
                    target: outcome.violation().is_some(),
                    outcome,
                    count,
                })
                .collect(),
        });
        index += 1;
    }
    Ok(ended)
}

/// Keeps a violation where there is room for it and for others.
fn keep(kept: &mut Vec<Violation>, violation: Violation) {
    let alike = kept.iter().filter(|v| v.rules == violation.rules);
    if kept.len() < KEPT && alike.count() < ALIKE && !kept.contains(&violation) {
        kept.push(violation);
    }
}
