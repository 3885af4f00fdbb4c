//! How far a run came: which rules it put to the test, which cases it did not reach.

use crate::judge::{About, ChosenModel};
use crate::plan::Case;
use classay_litmus::Breaches;
use classay_litmus::oracle::{Deadline, Limits};
use classay_reports::record::{CaseId, CaseResult, Reach, Verdict};
use classay_vocabulary::RuleId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long the oracle may think about one case.
const EACH: Duration = Duration::from_millis(500);

/// Which rules cases are about.
pub struct Covers(Option<Breaches>);

impl Covers {
    /// By the model that judges. Where what its rules forbid cannot be worked out, litmus tests count for none.
    pub fn by(model: &ChosenModel) -> Covers {
        Covers(Breaches::of(&model.given).ok())
    }

    /// The rules that a case is about.
    pub fn of(&self, case: &Case) -> BTreeSet<RuleId> {
        self.about(case).rules
    }

    fn about(&self, case: &Case) -> About {
        let limits = Limits {
            deadline: Deadline::after(EACH),
            ..Limits::default()
        };
        About::within(case, self.0.as_ref(), &limits)
    }

    /// What is known of each of these cases. To draw them takes seconds, so that every processor draws some: threads
    /// take the next case by a shared counter, and give what they have when they are joined.
    pub fn all(&self, cases: &[&Case]) -> BTreeMap<CaseId, About> {
        let next = AtomicUsize::new(0);
        let some = || {
            let numbers = std::iter::from_fn(|| cases.get(next.fetch_add(1, Ordering::Relaxed)));
            numbers
                .map(|case| (case.id.clone(), self.about(case)))
                .collect::<Vec<_>>()
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(some)).collect();
            let mut all: BTreeMap<_, _> = some().into_iter().collect();
            for other in others {
                match other.join() {
                    Ok(some) => all.extend(some),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }

    /// How far a run of these cases came.
    pub fn reach(&self, cases: &[Case], results: &[CaseResult]) -> Reach {
        reach(cases, results, &self.all(&cases.iter().collect::<Vec<_>>()))
    }
}

/// How far a run of these cases came, of each of which this is known.
pub(super) fn reach(
    cases: &[Case],
    results: &[CaseResult],
    known: &BTreeMap<CaseId, About>,
) -> Reach {
    let verdicts: BTreeMap<&CaseId, Verdict> =
        results.iter().map(|r| (&r.case, r.verdict)).collect();
    let [mut exercised, mut lacking, mut open] = [const { BTreeSet::new() }; 3];
    let mut unreached = Vec::new();
    for case in cases {
        let rules = known.get(&case.id).into_iter();
        let rules = rules.flat_map(|about| about.rules.iter().copied());
        match verdicts.get(&case.id) {
            Some(Verdict::Skip) => lacking.extend(rules),
            Some(_) => exercised.extend(rules),
            None => {
                open.extend(rules);
                unreached.push(case.id.clone());
            }
        }
    }
    // Where every case that was reached needs what the device lacks, so do the others.
    let apply: BTreeSet<RuleId> = &exercised | &(&open - &lacking);
    Reach {
        exercised: exercised.len(),
        apply: apply.len(),
        planned: cases.len(),
        unreached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use classay_vocabulary::Budget;

    #[test]
    fn a_rule_is_exercised_by_a_case_that_ran() {
        let mut cases = plan::drawn(1);
        plan::share_out(&mut cases, 7, Budget::Instances(1));
        let model = ChosenModel::load("opencl-3.0").expect("a model");
        let covers = Covers::by(&model);
        let result = |case: &Case, verdict| CaseResult::new(case.id.clone(), verdict, "");
        let none = covers.reach(&cases, &[]);
        assert_eq!((none.exercised, none.unreached.len()), (0, cases.len()));
        assert!(none.apply > 50, "{}", none.apply);
        // One that failed has put its rules to the test; one that was skipped needs what is not there.
        let failed = result(&cases[0], Verdict::Fail);
        let one = covers.reach(&cases, &[failed]);
        assert_eq!(one.exercised, covers.of(&cases[0]).len());
        assert_eq!(
            (one.apply, one.unreached.len()),
            (none.apply, cases.len() - 1)
        );
        let skipped: Vec<_> = cases.iter().map(|c| result(c, Verdict::Skip)).collect();
        let all = covers.reach(&cases, &skipped);
        assert_eq!((all.exercised, all.apply, all.unreached.len()), (0, 0, 0));
    }
}
