//! Runs a case again and again within its budget, and counts what each run showed.

use super::ended::{Ended, NotRun};
use classay_reports::record::{FreedomCount, Launch, Outcome, OutcomeCount, Violation};
use classay_vocabulary::Budget;
use std::collections::BTreeMap;
use std::time::Instant;

/// Runs that are reported as one launch under a time budget.
const RUNS: u64 = 16;

/// Seconds after which a launch is reported although it has fewer runs.
const SLOW: f64 = 0.3;

/// Violations of a case that are kept.
const KEPT: usize = 24;

/// Of them those that name the same rules, so that many of one kind leave room for others: not too few, for what is
/// known of a device must not hide what is new.
const ALIKE: usize = 12;

/// And those that say the same of something else of a number.
const SAME: usize = 2;

/// What a run showed.
pub struct Shown {
    /// The rules that it broke.
    pub violations: Vec<Violation>,
    /// A wait reached its deadline, so that the run showed little.
    pub is_incomplete: bool,
    /// Where rules leave a choice, the ways that the run could show, each once, and whether it did.
    pub freedoms: Vec<FreedomCount>,
    /// Its violations have nothing to do with each other: each is counted as if it were a run's.
    pub apart: bool,
    /// The next run plays what this one left out.
    pub goes_on: bool,
}

/// What a run gave, of which the runs of a launch are counted.
pub struct Gave<T> {
    /// It; several where it is counted as several runs.
    pub what: Vec<T>,
    /// The next run plays what this one left out: with it the run is as good as one, and only then has the case been
    /// played once.
    pub goes_on: bool,
}

impl<T> Gave<T> {
    /// What a run gave that left nothing out.
    pub fn whole(what: T) -> Gave<T> {
        Gave {
            what: vec![what],
            goes_on: false,
        }
    }
}

/// Calls `one` with the number of each run, which gives what it showed. The first violation stands for its
/// run, unless they are apart; all kinds that were seen are kept, up to [`KEPT`].
pub fn repeat(
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
    one: &mut dyn FnMut(u64) -> Result<Shown, NotRun>,
) -> Result<Ended, NotRun> {
    let mut violations = Vec::new();
    let device_seconds = launches(
        budget,
        RUNS,
        on_launch,
        &mut |run| {
            let shown = one(run)?;
            let counted = if shown.apart { usize::MAX } else { 1 };
            let violated = shown.violations.iter().take(counted).cloned();
            let mut outcomes: Vec<Outcome> = violated.map(Outcome::Violation).collect();
            if outcomes.is_empty() {
                outcomes.push(match shown.is_incomplete {
                    true => Outcome::Incomplete,
                    false => Outcome::Required,
                });
            }
            for violation in shown.violations {
                keep(&mut violations, violation);
            }
            Ok(Gave {
                what: outcomes
                    .into_iter()
                    .zip(std::iter::once(shown.freedoms).chain(std::iter::repeat_with(Vec::new)))
                    .collect(),
                goes_on: shown.goes_on,
            })
        },
        &mut |runs| {
            let mut counts: BTreeMap<Outcome, u64> = BTreeMap::new();
            let mut freedoms = Vec::new();
            for (outcome, shown) in runs {
                *counts.entry(outcome).or_default() += 1;
                for count in shown {
                    count.add(&mut freedoms);
                }
            }
            freedoms.sort_by_key(|count: &FreedomCount| count.freedom);
            let counted = |(outcome, count): (Outcome, u64)| OutcomeCount {
                target: outcome.violation().is_some(),
                outcome,
                count,
            };
            Ok(Counted {
                outcomes: counts.into_iter().map(counted).collect(),
                freedoms,
            })
        },
    )?;
    Ok(Ended {
        device_seconds,
        violations,
        ..Ended::default()
    })
}

/// What the runs of a launch showed, counted.
pub struct Counted {
    /// Their outcomes.
    pub outcomes: Vec<OutcomeCount>,
    /// The freedoms that they could show.
    pub freedoms: Vec<FreedomCount>,
}

/// Calls `one` with the number of each run, and `count` with what the runs of a launch gave, at most
/// `most` besides those that went on. Gives the seconds that all took.
pub fn launches<T>(
    budget: Budget,
    most: u64,
    on_launch: &mut dyn FnMut(Launch),
    one: &mut dyn FnMut(u64) -> Result<Gave<T>, NotRun>,
    count: &mut dyn FnMut(Vec<T>) -> Result<Counted, NotRun>,
) -> Result<f64, NotRun> {
    let started = Instant::now();
    let (mut run, mut played, mut device_seconds) = (0, 0, 0.0);
    let mut left_out = false;
    for index in 0.. {
        let runs = match budget {
            Budget::Instances(n) => n.saturating_sub(played).min(most),
            Budget::Seconds(s) | Budget::Enough { seconds: s, .. } => {
                if played == 0 || left_out {
                    1
                } else if started.elapsed().as_secs_f64() < s {
                    most
                } else {
                    0
                }
            }
        };
        if runs == 0 {
            break;
        }
        let begun = Instant::now();
        let mut gave = Vec::new();
        let last = played + runs;
        while played < last {
            let Gave { what, goes_on } = one(run)?;
            gave.extend(what);
            run += 1;
            played += u64::from(!goes_on);
            left_out = goes_on;
            let spent = started.elapsed().as_secs_f64();
            let over = !goes_on && budget.seconds().is_some_and(|s| spent > s);
            // The parent wants to hear something now and then, and at once what may be the last before a call that
            // ends the process.
            if over || goes_on || begun.elapsed().as_secs_f64() > SLOW {
                break;
            }
        }
        let instances = gave.len() as u64;
        let Counted { outcomes, freedoms } = count(gave)?;
        let seconds = begun.elapsed().as_secs_f64();
        device_seconds += seconds;
        on_launch(Launch {
            index,
            process: 0,
            instances,
            seconds,
            outcomes,
            freedoms,
        });
    }
    Ok(device_seconds)
}

/// Keeps a violation where there is room for it and for others.
fn keep(kept: &mut Vec<Violation>, violation: Violation) {
    let words = |v: &Violation| v.what.replace(|c: char| c.is_ascii_digit(), "");
    let alike = || kept.iter().filter(|v| v.rules == violation.rules);
    let same = alike().filter(|v| words(v) == words(&violation)).count();
    if kept.len() < KEPT && same < SAME && alike().count() < ALIKE && !kept.contains(&violation) {
        kept.push(violation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_vocabulary::RuleId;
    use std::cell::Cell;

    /// Many that say the same, or break the same rules, leave room for what differs.
    #[test]
    fn what_differs_is_kept_beside_what_is_alike() {
        let violation = |rule: &str, what: String| Violation {
            rules: vec![RuleId::new(rule)],
            what,
        };
        let mut kept = Vec::new();
        for n in 0..100 {
            keep(
                &mut kept,
                violation("ex.api.answers", format!("object {n} is lost")),
            );
        }
        assert_eq!(kept.len(), SAME);
        keep(
            &mut kept,
            violation("ex.api.answers", "a name is wrong".into()),
        );
        assert_eq!(kept.len(), SAME + 1);
        for n in 0..100 {
            let word = "x".repeat(n);
            keep(&mut kept, violation("ex.api.answers", word));
        }
        assert_eq!(kept.len(), ALIKE);
        keep(&mut kept, violation("rg.image", "a byte is wrong".into()));
        assert_eq!(kept.len(), ALIKE + 1);
    }

    /// The next run may end the process, and with it all that was not reported. A case is played to its end however
    /// little time there is.
    #[test]
    fn what_goes_on_is_reported_before_the_next_run() {
        for budget in [Budget::Instances(2), Budget::Seconds(0.0)] {
            let reported = Cell::new(0);
            let mut runs = 0;
            let ended = repeat(
                budget,
                &mut |launch| reported.set(reported.get() + launch.instances),
                &mut |run| {
                    assert!(run % 4 == 0 || reported.get() == run);
                    runs += 1;
                    Ok(Shown {
                        violations: Vec::new(),
                        is_incomplete: false,
                        freedoms: Vec::new(),
                        apart: true,
                        goes_on: run % 4 != 3,
                    })
                },
            );
            assert!(ended.is_ok_and(|ended| ended.violations.is_empty()));
            let whole = if budget.seconds().is_some() { 1 } else { 2 };
            assert_eq!((runs, reported.get()), (4 * whole, 4 * whole));
        }
    }
}
