//! Outcomes and violations in words. Nothing reads these texts again.

use crate::record::{CaseResult, Observable, Outcome, OutcomeCount, RuleId, Violation};
use std::cmp::Reverse;

/// So many rules of a violation are named where there is little room; the others say the same in other words,
/// or are less likely.
const RULES: usize = 4;

/// An outcome, whose values are of these: `1:r0=1 x=2` for a state.
pub fn outcome(outcome: &Outcome, observables: &[Observable]) -> String {
    match outcome {
        Outcome::State(values) => state(values, observables),
        Outcome::Required => "as the rules require".into(),
        Outcome::Incomplete => "incomplete".into(),
        Outcome::Violation(violation) => {
            format!("{} ({})", violation.what, few_rules(&violation.rules))
        }
    }
}

/// An outcome beside the rules that it breaks.
pub fn observed(of: &Outcome, observables: &[Observable]) -> String {
    match of {
        Outcome::Violation(violation) => violation.what.clone(),
        Outcome::State(_) | Outcome::Required | Outcome::Incomplete => outcome(of, observables),
    }
}

/// A final state, `(ended)` where nothing is observed.
pub fn state(values: &[i64], observables: &[Observable]) -> String {
    let value = |(at, value): (usize, &i64)| match observables.get(at) {
        Some(Observable { name, unsigned }) if *unsigned => format!("{name}={}", *value as u64),
        Some(Observable { name, .. }) => format!("{name}={value}"),
        None => format!("{at}={value}"),
    };
    let parts: Vec<String> = values.iter().enumerate().map(value).collect();
    if parts.is_empty() {
        "(ended)".into()
    } else {
        parts.join(" ")
    }
}

/// A violation with all its rules.
pub fn violation(violation: &Violation) -> String {
    format!("{} ({})", violation.what, rules(&violation.rules))
}

/// Rules of which one is broken: `a`, `a or b`, `a, b or c`.
pub fn rules(rules: &[RuleId]) -> String {
    let names: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
    any_of(&names)
}

/// The likeliest of some rules of which one is broken, and how many more there are.
pub fn few_rules(rules: &[RuleId]) -> String {
    let mut names: Vec<&str> = rules.iter().take(RULES).map(|rule| rule.as_str()).collect();
    let more = match rules.len() - names.len() {
        0 => None,
        n => Some(format!("{n} more")),
    };
    names.extend(more.as_deref());
    any_of(&names)
}

fn any_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The outcomes of a case with their texts, the most frequent first, equal counts by text.
pub fn table(result: &CaseResult) -> Vec<(String, OutcomeCount)> {
    let mut table: Vec<(String, OutcomeCount)> = result
        .histogram()
        .into_iter()
        .map(|o| (outcome(&o.outcome, &result.observables), o))
        .collect();
    table.sort_by(|(a, x), (b, y)| (Reverse(x.count), a).cmp(&(Reverse(y.count), b)));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_the_names_and_types_of_their_observables() {
        let observable = |name: &str, unsigned| Observable {
            name: name.into(),
            unsigned,
        };
        let observables = [observable("x", true), observable("0:r2", false)];
        let wide = Outcome::State(vec![-1, -5]);
        assert_eq!(
            outcome(&wide, &observables),
            "x=18446744073709551615 0:r2=-5"
        );
        assert_eq!(outcome(&Outcome::State(Vec::new()), &[]), "(ended)");
    }

    #[test]
    fn a_violation_among_outcomes_names_its_likeliest_rules() {
        let found = Violation {
            rules: ["a.a", "b.b", "c.c", "d.d", "e.e"]
                .map(RuleId::new)
                .to_vec(),
            what: "late".into(),
        };
        assert_eq!(violation(&found), "late (a.a, b.b, c.c, d.d or e.e)");
        let shown = outcome(&Outcome::Violation(found), &[]);
        assert_eq!(shown, "late (a.a, b.b, c.c, d.d or 1 more)");
    }
}
