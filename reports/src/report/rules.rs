//! How each rule of the specification fared: which cases put it to the test, and which name it as broken.
//!
//! A case that fails names the rules that it found broken, in its violations. Other rules that it covers
//! were put to the test as well, so that it neither speaks for them nor against them.

use super::context::Rule;
use crate::record::{CaseResult, RuleId, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// How many cases ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally([usize; Verdict::ALL.len()]);

impl Tally {
    /// One more.
    pub fn add(&mut self, verdict: Verdict) {
        for (count, of) in self.0.iter_mut().zip(Verdict::ALL) {
            *count += usize::from(of == verdict);
        }
    }

    /// Cases with this verdict.
    pub fn of(&self, verdict: Verdict) -> usize {
        Verdict::ALL
            .iter()
            .position(|v| *v == verdict)
            .map_or(0, |place| self.0[place])
    }

    /// All cases.
    pub fn all(&self) -> usize {
        self.0.iter().sum()
    }

    /// Cases that failed, crashed or timed out.
    pub fn failures(&self) -> usize {
        let failed = Verdict::ALL.iter().filter(|v| v.is_failure());
        failed.map(|v| self.of(*v)).sum()
    }
}

classay_vocabulary::words! {
    /// Where a rule stands after a run, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Standing {
        /// A case names it as broken.
        Broken = "broken",
        /// Every case that is about it and ran failed, for other reasons.
        Unclear = "unclear",
        /// Cases about it passed, and none names it as broken.
        Held = "held",
        /// Cases about it were skipped or decide nothing.
        Untested = "untested",
        /// No case of the run is about it.
        Uncovered = "uncovered",
    }
}

/// A rule with what the run says of it.
#[derive(Debug, Clone)]
pub struct RuleFacts<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// How the cases ended that put it to the test.
    pub cases: Tally,
    /// The cases that name it as broken.
    pub broken_by: Vec<&'a CaseResult>,
}

impl RuleFacts<'_> {
    /// Where it stands.
    pub fn standing(&self) -> Standing {
        if !self.broken_by.is_empty() {
            Standing::Broken
        } else if self.cases.of(Verdict::Pass) > 0 {
            Standing::Held
        } else if self.cases.failures() > 0 {
            Standing::Unclear
        } else if self.cases.all() > 0 {
            Standing::Untested
        } else {
            Standing::Uncovered
        }
    }
}

/// Where the rules stand, in their order, after these cases, each with the ids of the rules that it puts to the
/// test.
pub fn standings<'a, 'b>(
    rules: &'a [Rule],
    cases: impl IntoIterator<Item = (&'a CaseResult, &'b [String])>,
) -> Vec<RuleFacts<'a>> {
    let mut facts: Vec<RuleFacts<'a>> = rules
        .iter()
        .map(|rule| RuleFacts {
            rule,
            cases: Tally::default(),
            broken_by: Vec::new(),
        })
        .collect();
    let place: BTreeMap<&str, usize> = rules
        .iter()
        .enumerate()
        .map(|(place, rule)| (rule.id.as_str(), place))
        .collect();
    for (result, covered) in cases {
        for rule in covered.iter().filter_map(|id| place.get(id.as_str())) {
            facts[*rule].cases.add(result.verdict);
        }
        for rule in named(result) {
            if let Some(rule) = place.get(rule.as_str()) {
                facts[*rule].broken_by.push(result);
            }
        }
    }
    facts
}

/// The rules that a failure breaks.
pub fn named(result: &CaseResult) -> BTreeSet<RuleId> {
    if result.verdict.is_failure() {
        result.broken_rules()
    } else {
        BTreeSet::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::Kind;
    use super::*;
    use crate::record::Violation;
    use crate::tests::sample;

    fn rule(id: &str) -> Rule {
        Rule {
            id: id.into(),
            section: "Memory Model".into(),
            statement: "it holds".into(),
            kind: Kind::Must,
        }
    }

    fn violation(rules: &[&str]) -> Violation {
        Violation {
            rules: rules.iter().map(|rule| RuleId::new(rule)).collect(),
            what: "late".into(),
        }
    }

    #[test]
    fn rules_stand_as_the_cases_about_them_ended() {
        let rules = ["mm.broken", "mm.held", "mm.skipped", "mm.nobody", "mm.dead"].map(rule);
        let about =
            |ids: &[&str]| -> Vec<String> { ids.iter().map(|id| (*id).to_owned()).collect() };
        let mut failed = sample::coherence_failure();
        failed.violations = vec![violation(&["mm.broken", "mm.unknown"])];
        let (passed, skipped, crashed) = (
            sample::message_passing(),
            sample::skipped(),
            sample::crashed(),
        );
        let of_failed = about(&["mm.broken", "mm.held"]);
        let of_passed = about(&["mm.broken", "mm.held"]);
        let of_skipped = about(&["mm.skipped"]);
        let of_crashed = about(&["mm.dead", "no.such"]);
        let cases = [
            (&failed, of_failed.as_slice()),
            (&passed, of_passed.as_slice()),
            (&skipped, of_skipped.as_slice()),
            (&crashed, of_crashed.as_slice()),
        ];
        let all = standings(&rules, cases);
        let standing: Vec<Standing> = all.iter().map(RuleFacts::standing).collect();
        assert_eq!(
            standing,
            [
                Standing::Broken,
                Standing::Held,
                Standing::Untested,
                Standing::Uncovered,
                Standing::Unclear,
            ]
        );
        assert_eq!(all[0].broken_by.len(), 1);
        assert_eq!((all[1].cases.all(), all[1].cases.failures()), (2, 1));
    }

    #[test]
    fn only_failures_name_rules() {
        let mut result = sample::message_passing();
        result.violations = vec![violation(&["mm.coherence.wr"])];
        assert!(named(&result).is_empty());
        result.verdict = Verdict::Fail;
        result
            .violations
            .push(violation(&["ex.state.order", "sp.event-wait"]));
        let found: Vec<&str> = named(&result).into_iter().map(RuleId::as_str).collect();
        assert_eq!(
            found,
            ["ex.state.order", "mm.coherence.wr", "sp.event-wait"]
        );
    }
}
