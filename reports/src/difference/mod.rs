//! A run, compared with a baseline: what passed and now fails, and which outcomes became more or less
//! frequent.
//!
//! Failures are matched by what they show ([`finding`]), cases by their ids. A case that is the same program in both runs (the caller says which are)
//! is compared outcome by outcome ([`mod@crate::stats::compare`]); all outcomes together are one family, over
//! which the false discovery rate is kept.

pub mod finding;

pub use finding::{Finding, Newness};

use crate::record::{CaseId, CaseResult, Outcome, Verdict};
use crate::stats::Confidence;
use crate::stats::compare::{Comparison, adjusted, compare, missing};
use crate::text::outcome::table;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// An outcome of a case in two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeChange {
    /// The case.
    pub case: CaseId,
    /// What to call it.
    pub test: String,
    /// The outcome, in words.
    pub outcome: String,
    /// Its rates.
    pub comparison: Comparison,
    /// The p-value, raised for the number of outcomes compared: reporting those below q keeps the expected
    /// share of false ones among them below q.
    pub q_value: f64,
}

/// A case that ended differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictChange {
    /// The case.
    pub case: CaseId,
    /// What to call it.
    #[serde(skip)]
    pub test: String,
    /// Its verdict in the first run.
    pub before: Verdict,
    /// Its verdict in the second.
    pub after: Verdict,
    /// Why, in the second.
    pub reason: String,
    /// Where it fails by outcomes that the first run did not see: the probability that a run like the first
    /// misses all of them, if they are as frequent as in the second.
    pub missed: Option<f64>,
}

/// What a later run must not do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gate {
    /// Show a failure that is new ([`Newness::New`]).
    Failures,
    /// That, or show an outcome more or less often, at this false discovery rate.
    Rates(f64),
}

/// What differs between two runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// What the second run shows of failures, the newest first.
    pub findings: Vec<Finding>,
    /// Cases that fail now and did not, or that only the second run has and that fail.
    pub failures: Vec<VerdictChange>,
    /// Other changes of verdicts.
    pub verdicts: Vec<VerdictChange>,
    /// Cases that only the first run has.
    pub missing: Vec<CaseId>,
    /// Cases that only the second run has.
    pub added: Vec<CaseId>,
    /// Every outcome that was compared, the surest difference first.
    pub outcomes: Vec<OutcomeChange>,
}

impl Differences {
    /// The outcomes whose rates changed, at this false discovery rate.
    pub fn changed(&self, q: f64) -> impl Iterator<Item = &OutcomeChange> {
        self.outcomes
            .iter()
            .filter(move |change| change.q_value < q)
    }

    /// The failures that stand so to the first run.
    pub fn that_are(&self, newness: Newness) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter();
        all.filter(move |finding| finding.newness == newness)
    }

    /// The failures that are not new.
    pub fn others(&self) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter();
        all.filter(|finding| finding.newness != Newness::New)
    }

    /// The failures that are new.
    pub fn new_failures(&self) -> impl Iterator<Item = &Finding> {
        self.that_are(Newness::New)
    }

    /// Whether the second run may follow the first.
    pub fn passes(&self, gate: Gate) -> bool {
        let changed = match gate {
            Gate::Failures => false,
            Gate::Rates(q) => self.changed(q).next().is_some(),
        };
        self.new_failures().next().is_none() && !changed
    }
}

/// Compares two runs. `same` says of which cases the rates can be compared, being the same program in both; `expected`
/// which results of the second are as expected, so that what they show is known.
pub fn differences(
    before: &[CaseResult],
    after: &[CaseResult],
    same: &dyn Fn(&CaseId) -> bool,
    expected: &dyn Fn(&CaseResult) -> bool,
) -> Differences {
    let earlier: BTreeMap<&CaseId, &CaseResult> = before.iter().map(|r| (&r.case, r)).collect();
    let later: BTreeSet<&CaseId> = after.iter().map(|r| &r.case).collect();
    let mut found = Differences {
        findings: finding::findings(before, after, same, expected),
        missing: before
            .iter()
            .map(|r| &r.case)
            .filter(|case| !later.contains(case))
            .cloned()
            .collect(),
        ..Differences::default()
    };
    for now in after {
        let then = earlier.get(&now.case);
        let before = then.map_or(Verdict::Skip, |then| then.verdict);
        if then.is_none() {
            found.added.push(now.case.clone());
        }
        let change = VerdictChange {
            case: now.case.clone(),
            test: now.name().to_owned(),
            before,
            after: now.verdict,
            reason: now.reason.clone(),
            missed: then.and_then(|then| missed(then, now)),
        };
        if now.verdict.is_failure() && !before.is_failure() {
            found.failures.push(change);
        } else if then.is_some() && before != now.verdict {
            found.verdicts.push(change);
        }
        if let Some(then) = then
            && same(&now.case)
        {
            found.outcomes.extend(of_case(then, now));
        }
    }
    let p: Vec<f64> = found
        .outcomes
        .iter()
        .map(|o| o.comparison.p_value)
        .collect();
    for (change, q) in found.outcomes.iter_mut().zip(adjusted(&p)) {
        change.q_value = q;
    }
    found
        .outcomes
        .sort_by(|a, b| a.comparison.p_value.total_cmp(&b.comparison.p_value));
    found
}

/// How probable it is that a run like the first misses every outcome that the second alone saw; `None` where there
/// is none.
fn missed(then: &CaseResult, now: &CaseResult) -> Option<f64> {
    let seen: BTreeSet<Outcome> = then.histogram().into_iter().map(|o| o.outcome).collect();
    let new = now.histogram().into_iter().map(|o| o.outcome);
    let clusters = |result: &CaseResult, outcome: &Outcome| result.clusters(Some(outcome));
    new.filter(|outcome| !seen.is_empty() && !seen.contains(outcome))
        .map(|outcome| missing(&clusters(then, &outcome), &clusters(now, &outcome)))
        .reduce(f64::min)
}

fn of_case(then: &CaseResult, now: &CaseResult) -> Vec<OutcomeChange> {
    let outcomes: BTreeMap<String, Outcome> = [then, now]
        .into_iter()
        .flat_map(table)
        .map(|(text, o)| (text, o.outcome))
        .collect();
    // Of two outcomes the second is what the first is not: comparing both would count one change twice.
    let compared = match outcomes.len() {
        0 | 1 => 0,
        2 => 1,
        n => n,
    };
    outcomes
        .into_iter()
        .take(compared)
        .map(|(text, outcome)| OutcomeChange {
            case: now.case.clone(),
            test: now.name().to_owned(),
            comparison: compare(
                &then.clusters(Some(&outcome)),
                &now.clusters(Some(&outcome)),
                Confidence::P95,
            ),
            outcome: text,
            q_value: 1.0,
        })
        .filter(|change| {
            change.comparison.first.instances > 0 && change.comparison.second.instances > 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Launch, Observable, OutcomeCount};

    fn result(name: &str, verdict: Verdict, weak: u64) -> CaseResult {
        let launch = |index: u64| Launch {
            index,
            process: index as u32 / 5,
            instances: 1000,
            seconds: 0.01,
            outcomes: vec![
                OutcomeCount {
                    outcome: Outcome::State(vec![0]),
                    count: weak + index % 3,
                    target: true,
                },
                OutcomeCount {
                    outcome: Outcome::State(vec![1]),
                    count: 1000 - weak - index % 3,
                    target: false,
                },
            ],
            freedoms: Vec::new(),
        };
        CaseResult {
            test: name.into(),
            instances: 40_000,
            seconds: 1.0,
            device_seconds: 1.0,
            observables: vec![Observable {
                name: "r0".into(),
                unsigned: false,
            }],
            launches: (0..40).map(launch).collect(),
            ..CaseResult::new(
                CaseId::new("litmus", "classic", name),
                verdict,
                format!("so it is with {name}"),
            )
        }
    }

    #[test]
    fn a_run_does_not_differ_from_itself() {
        let run = [
            result("SB", Verdict::Pass, 50),
            result("MP", Verdict::Fail, 2),
        ];
        let found = differences(&run, &run, &|_| true, &|_| false);
        assert!(found.passes(Gate::Rates(0.05)), "{found:?}");
        assert_eq!(found.outcomes.len(), 2, "one of each pair of outcomes");
        assert!(found.failures.is_empty() && found.verdicts.is_empty());
    }

    #[test]
    fn new_failures_changed_rates_and_other_cases_are_kept_apart() {
        let before = [
            result("SB", Verdict::Pass, 50),
            result("MP", Verdict::Pass, 2),
            result("R", Verdict::Fail, 2),
            result("gone", Verdict::Pass, 1),
        ];
        let after = [
            result("SB", Verdict::Pass, 200),
            result("MP", Verdict::Fail, 2),
            result("R", Verdict::Pass, 2),
            result("new", Verdict::Crash, 1),
        ];
        let found = differences(&before, &after, &|_| true, &|_| false);
        let new: Vec<&CaseId> = found
            .new_failures()
            .flat_map(|finding| &finding.cases)
            .collect();
        assert_eq!(
            new,
            [&CaseId::new("litmus", "classic", "MP")],
            "judged otherwise"
        );
        let names = |changes: &[VerdictChange]| -> Vec<String> {
            changes.iter().map(|c| c.test.clone()).collect()
        };
        assert_eq!(names(&found.failures), ["MP", "new"]);
        assert_eq!(names(&found.verdicts), ["R"]);
        assert_eq!((found.missing.len(), found.added.len()), (1, 1));
        let changed: Vec<&str> = found.changed(0.05).map(|c| c.test.as_str()).collect();
        assert_eq!(changed, ["SB"]);
        assert!(!found.passes(Gate::Rates(0.05)));
        // Programs that are not the same have no rates to compare.
        let other = differences(&before, &after, &|_| false, &|_| false);
        assert!(other.outcomes.is_empty());
    }
}
