//! The verdict of a program of commands: each run was held against the program's order where it was
//! observed, so an outcome is either what the rules require or says which rule it breaks.

use super::Judged;
use classay_reports::record::{OutcomeCount, Verdict};
use classay_reports::verdict::{Judgement, verdict};
use classay_suites::catalogue;
use classay_vocabulary::Quantifier;

/// The outcome of a run in which everything was as the rules require.
pub const AS_REQUIRED: &str = "as the rules require";

/// The outcome of a run in which a side of a dialogue waited longer than is reasonable and gave up.
/// Nobody promises that two sides make progress together, so this breaks no rule.
pub const GAVE_UP: &str = "a side gave up waiting";

/// Judges the runs of a program.
pub fn judge_commands(histogram: &[OutcomeCount]) -> Judged {
    let seen = || histogram.iter().filter(|o| o.count > 0);
    if seen().next().is_some() && seen().all(|o| o.outcome == GAVE_UP) {
        return Judged {
            verdict: Verdict::Inconclusive,
            reason: "in every run a side gave up waiting for the other, so little was seen".into(),
            evidence: Vec::new(),
        };
    }
    let (verdict, reason) = verdict(Quantifier::NotExists, histogram, &|outcome| {
        if outcome.outcome == AS_REQUIRED || outcome.outcome == GAVE_UP {
            Judgement::Allowed
        } else {
            Judgement::Forbidden {
                rule: rules(&outcome.outcome),
            }
        }
    });
    Judged {
        verdict,
        reason,
        evidence: Vec::new(),
    }
}

/// The rules that an outcome names, with the section of the first.
fn rules(outcome: &str) -> String {
    let names = outcome.split(':').next().unwrap_or_default();
    let first = names.split('|').next().and_then(catalogue::find);
    match first.and_then(catalogue::of) {
        Some(rule) => format!("{names} ({})", rule.section),
        None => names.to_string(),
    }
}
