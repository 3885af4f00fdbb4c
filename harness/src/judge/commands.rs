//! The verdict of a case whose runs were checked where they were observed: an outcome is either what the
//! rules require or says which rule it breaks.

use super::Judged;
use classay_reports::record::{Outcome, OutcomeCount, RuleId, Verdict};
use classay_reports::text::outcome::few_rules;
use classay_reports::verdict::{Judgement, verdict};
use classay_suites::catalogue;
use classay_vocabulary::Quantifier;

/// Judges the runs of a case.
pub fn judge_commands(histogram: &[OutcomeCount]) -> Judged {
    let mut seen = histogram.iter().filter(|o| o.count > 0).peekable();
    if seen.peek().is_some() && seen.all(|o| o.outcome == Outcome::Incomplete) {
        return Judged::of(
            Verdict::Inconclusive,
            "every run was incomplete: a wait reached its deadline, so little was seen".into(),
        );
    }
    let judge = |seen: &OutcomeCount| match &seen.outcome {
        Outcome::Required | Outcome::Incomplete => Judgement::Allowed,
        Outcome::Violation(violation) => match contested(&violation.rules) {
            Some(readings) => Judgement::Contested { readings },
            None => Judgement::Forbidden {
                rule: named(&violation.rules),
            },
        },
        Outcome::State(_) => Judgement::Unjudged,
    };
    let (verdict, reason) = verdict(Quantifier::NotExists, histogram, &[], &judge);
    Judged::of(verdict, reason)
}

/// The readings of the rules that something may break, as the end of "which …", if all are contested.
fn contested(of: &[RuleId]) -> Option<String> {
    let read = |rule: &RuleId| {
        let contested = catalogue::of(*rule)?.contested.as_ref()?;
        Some(format!(
            "{rule} forbids by one reading ({}) and not by another ({})",
            contested.forbids, contested.allows
        ))
    };
    let all: Option<Vec<String>> = of.iter().map(read).collect();
    all.filter(|all| !all.is_empty()).map(|all| all.join("; "))
}

/// The likeliest rules, with the section of the first.
pub(crate) fn named(of: &[RuleId]) -> String {
    let names = few_rules(of);
    match of.first().copied().and_then(catalogue::of) {
        Some(rule) => format!("{names} ({})", rule.section),
        None => names,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classay_reports::record::Violation;

    fn histogram(outcomes: &[(Outcome, u64)]) -> Vec<OutcomeCount> {
        let count = |(outcome, count): &(Outcome, u64)| OutcomeCount {
            target: outcome.violation().is_some(),
            outcome: outcome.clone(),
            count: *count,
        };
        outcomes.iter().map(count).collect()
    }

    #[test]
    fn incomplete_runs_break_no_rule_and_show_none() {
        let incomplete = histogram(&[(Outcome::Incomplete, 3)]);
        assert_eq!(judge_commands(&incomplete).verdict, Verdict::Inconclusive);
        let some = histogram(&[(Outcome::Incomplete, 3), (Outcome::Required, 1)]);
        assert_eq!(judge_commands(&some).verdict, Verdict::Pass);
    }

    #[test]
    fn a_violation_of_what_is_read_in_two_ways_is_contested() {
        let violation = |rules: &[&str]| {
            let broken = Violation {
                rules: rules.iter().map(|rule| RuleId::new(rule)).collect(),
                what: "callback 0 was never called".into(),
            };
            histogram(&[(Outcome::Violation(broken), 2), (Outcome::Required, 8)])
        };
        let judged = judge_commands(&violation(&["ex.state.callbacks-user"]));
        assert_eq!(judged.verdict, Verdict::Contested, "{}", judged.reason);
        for word in ["2 times in 10", "equal to or past", "never running"] {
            assert!(judged.reason.contains(word), "{}", judged.reason);
        }
        // Beside a rule that is read in one way only, it fails.
        let both = violation(&["ex.state.callbacks-user", "ex.state.callbacks"]);
        assert_eq!(judge_commands(&both).verdict, Verdict::Fail);
    }

    #[test]
    fn a_violation_fails_by_its_rules() {
        let violation = Outcome::Violation(Violation {
            rules: vec![RuleId::new("sp.event-wait"), RuleId::new("sp.in-order")],
            what: "command 1 saw old data".into(),
        });
        let judged = judge_commands(&histogram(&[(violation, 1), (Outcome::Required, 9)]));
        assert_eq!(judged.verdict, Verdict::Fail);
        let begins = "observed `command 1 saw old data` once in 10";
        assert!(judged.reason.starts_with(begins), "{}", judged.reason);
        let named = "which sp.event-wait or sp.in-order (";
        assert!(judged.reason.contains(named), "{}", judged.reason);
    }
}
