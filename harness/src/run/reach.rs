//! How far a run came: which rules it put to the test, which cases it did not reach.

use crate::judge::{ChosenModel, covers_within};
use crate::plan::Case;
use classay_litmus::Breaches;
use classay_litmus::oracle::{Deadline, Limits};
use classay_reports::record::{CaseId, CaseResult, Reach, Verdict};
use classay_vocabulary::RuleId;
use std::collections::{BTreeMap, BTreeSet};
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
        let limits = Limits {
            deadline: Deadline::after(EACH),
            ..Limits::default()
        };
        self.0.as_ref().map_or_else(BTreeSet::new, |breaches| {
            covers_within(case, breaches, &limits)
        })
    }

    /// How far a run of these cases came.
    pub fn reach(&self, cases: &[Case], results: &[CaseResult]) -> Reach {
        let verdicts: BTreeMap<&CaseId, Verdict> =
            results.iter().map(|r| (&r.case, r.verdict)).collect();
        let [mut exercised, mut lacking, mut open] = [const { BTreeSet::new() }; 3];
        let mut unreached = Vec::new();
        for case in cases {
            match verdicts.get(&case.id) {
                Some(Verdict::Skip) => lacking.extend(self.of(case)),
                Some(_) => exercised.extend(self.of(case)),
                None => {
                    open.extend(self.of(case));
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
