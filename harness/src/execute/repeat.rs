//! Runs a case again and again within its budget, and counts what each run showed.

use super::{Ended, NotRun};
use crate::judge::{AS_REQUIRED, GAVE_UP};
use classay_reports::record::{Evidence, Launch, OutcomeCount};
use classay_suites::commands::check::Violation;
use classay_vocabulary::Budget;
use std::collections::BTreeMap;
use std::time::Instant;

/// Runs that are told as one launch under a time budget.
const RUNS: u64 = 16;

/// Seconds after which a launch is told although it has fewer runs.
const SLOW: f64 = 0.3;

/// Violations of a case that are kept as evidence.
const KEPT: usize = 8;

/// Of them those that name the same rules, so that many of one kind leave room for others.
const ALIKE: usize = 2;

/// What a run showed.
pub struct Shown {
    /// The rules that it broke.
    pub violations: Vec<Violation>,
    /// A side of a dialogue gave up waiting for the other, so it showed little.
    pub gave_up: bool,
}

/// Calls `one` with the number of each run, which gives what it showed. The violation that
/// is told first stands for its run; all kinds that were seen are evidence, up to [`KEPT`]. Returns
/// also whether there were any.
pub fn repeat(
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
    one: &mut dyn FnMut(u64) -> Result<Shown, NotRun>,
) -> Result<(Ended, bool), NotRun> {
    let started = Instant::now();
    let mut ended = Ended::default();
    let mut violations: Vec<Violation> = Vec::new();
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
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut done = 0;
        for _ in 0..runs {
            let shown = one(run)?;
            run += 1;
            done += 1;
            let otherwise = if shown.gave_up { GAVE_UP } else { AS_REQUIRED };
            let outcome = shown
                .violations
                .first()
                .map_or_else(|| otherwise.to_string(), ToString::to_string);
            *counts.entry(outcome).or_default() += 1;
            for violation in shown.violations {
                let alike = violations.iter().filter(|v| v.rules == violation.rules);
                if violations.len() < KEPT
                    && alike.count() < ALIKE
                    && !violations.contains(&violation)
                {
                    violations.push(violation);
                }
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
                    asked: outcome != AS_REQUIRED && outcome != GAVE_UP,
                    outcome,
                    count,
                })
                .collect(),
        });
        index += 1;
    }
    let violated = !violations.is_empty();
    for violation in violations {
        ended.evidence.push(Evidence {
            kind: "violation".into(),
            text: violation.whole(),
        });
    }
    Ok((ended, violated))
}
