//! What there is to say about a run, worked out once for every form of report.
//!
//! ```text
//! Run, CaseResult… ┐
//! Context ─────────┴─▶ Report ─┬─▶ html
//!                              ├─▶ json
//!                              └─▶ csv
//! ```
//!
//! - [`facts`]: the rates of a case's outcomes, with their intervals, scatter and drift;
//! - [`context`]: what only the caller knows: the catalogue of rules, which of them a case is about, what a
//!   memory model says, the machine;
//! - [`rules`]: how each rule fared;
//! - [`freedoms`]: what the device was seen to do where rules leave a choice;
//! - [`heat`]: shapes of tests by their annotations;
//! - [`faults`]: which faults the suites detected, from a campaign's lines of JSON.
//! - [`progress`]: which model of forward progress a device was seen to keep, from lines of JSON;
//! - [`tuning`]: which mutants tuning saw, from the YAML that it keeps.

pub mod context;
pub mod facts;
pub mod faults;
pub mod freedoms;
pub mod heat;
pub mod progress;
pub mod rules;
pub mod tuning;

pub use context::{About, Annotation, Baseline, Context, Expected, Kind, Note, Picture, Rule};
pub use facts::{CaseFacts, OutcomeFacts};
pub use faults::{FaultLine, Faults};
pub use freedoms::FreedomFacts;
pub use heat::{Cell, Heat};
pub use progress::Progress;
pub use rules::{RuleFacts, Standing, Tally};
pub use tuning::Tuning;

use crate::record::{CaseResult, Verdict};
use crate::store::Run;
use std::collections::BTreeSet;

/// A run with everything that reports say of it.
#[derive(Debug)]
pub struct Report<'a> {
    /// The run.
    pub run: &'a Run,
    /// What the caller knows.
    pub context: &'a Context,
    /// The cases that have a result, in the order of the plan.
    pub cases: Vec<CaseFacts<'a>>,
    /// The rules, in the catalogue's order.
    pub rules: Vec<RuleFacts<'a>>,
    /// Every freedom.
    pub freedoms: Vec<FreedomFacts>,
}

impl<'a> Report<'a> {
    /// Works it out.
    pub fn new(run: &'a Run, results: &'a [CaseResult], context: &'a Context) -> Report<'a> {
        let cases: Vec<CaseFacts<'a>> = results
            .iter()
            .map(|result| CaseFacts::new(result, context.about(&result.case)))
            .collect();
        let about = |case: &CaseFacts<'a>| case.about.map_or(&[][..], |about| &about.rules);
        let covered = cases.iter().map(|case| (case.result, about(case)));
        let rules = rules::standings(&context.rules, covered);
        Report {
            run,
            context,
            cases,
            rules,
            freedoms: freedoms::freedoms(results),
        }
    }

    /// How many cases ended so.
    pub fn count(&self, verdict: Verdict) -> usize {
        let ended = |case: &&CaseFacts<'_>| case.result.verdict == verdict;
        self.cases.iter().filter(ended).count()
    }

    /// Cases that failed, crashed or timed out.
    pub fn failures(&self) -> impl Iterator<Item = &CaseFacts<'a>> {
        self.cases
            .iter()
            .filter(|case| case.result.verdict.is_failure())
    }

    /// Whether a case ended in a way that is known and expected.
    pub fn is_expected(&self, case: &CaseFacts<'_>) -> bool {
        matches!(
            self.context.expectations.of(case.result),
            crate::expectation::Standing::Expected(_)
        )
    }

    /// Instances of all cases.
    pub fn instances(&self) -> u64 {
        let each = self.cases.iter().map(|case| case.result.instances);
        each.fold(0, u64::saturating_add)
    }

    /// Launches of all cases.
    pub fn launches(&self) -> u64 {
        let each = self.cases.iter().map(|case| case.result.launches.len());
        each.fold(0, |sum, n| sum.saturating_add(n as u64))
    }

    /// Wall time of all cases together, in seconds.
    pub fn seconds(&self) -> f64 {
        self.cases.iter().map(|case| case.result.seconds).sum()
    }

    /// The part of the cases' time that went to the driver's compiler, from 0 to 1; `None` where nothing took time.
    pub fn compiler(&self) -> Option<f64> {
        crate::record::compiler_share(self.cases.iter().map(|case| case.result))
    }

    /// The kinds of its cases: their ids without names.
    pub fn kinds(&self) -> BTreeSet<&'a str> {
        self.cases.iter().map(CaseFacts::kind).collect()
    }
}
