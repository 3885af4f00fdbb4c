//! The rules that a case puts to the test.

use crate::plan::{Case, Work};
use classay_litmus::Breaches;
use classay_litmus::oracle::Limits;
use classay_suites::catalogue;
use classay_suites::family::Family;
use classay_suites::rule::RuleId;
use std::collections::BTreeSet;

/// The rules of a case, whose seed is set: those whose breach could change what is observed.
pub fn covers(case: &Case, breaches: &Breaches) -> BTreeSet<RuleId> {
    covers_within(case, breaches, &Limits::default())
}

/// The same, as far as the oracle goes within these limits.
pub fn covers_within(case: &Case, breaches: &Breaches, limits: &Limits) -> BTreeSet<RuleId> {
    match case.body.work(case.seed) {
        Ok(Work::Litmus(program)) => breaches
            .shown_by(&program, limits)
            .into_iter()
            .filter_map(catalogue::find)
            .collect(),
        Ok(Work::Commands(plan)) => plan.covers(),
        Ok(Work::Kernel(case)) => case.covers(),
        Ok(Work::Api(case)) => case.covers(),
        Err(_) => BTreeSet::new(),
    }
}
