//! Outcome counts, the test's condition and what a model says of each outcome → a verdict and one
//! sentence that says why.
//!
//! Without a model a test is judged by its own condition: its author claims something about the
//! outcomes for which the predicate holds (the target outcomes). With a model ([`Judgement`]) the
//! rules decide and the condition only names the outcomes of interest: a forbidden outcome seen once
//! is a failure, whatever the condition says, and an allowed one never is.

use crate::record::{Observable, OutcomeCount, Verdict};
use crate::text::number::{grouped, rate};
use crate::text::outcome;
use classay_vocabulary::Quantifier;
use std::mem::discriminant;

/// What is known about an outcome apart from its count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// No model judges it: the test's own condition decides.
    Unjudged,
    /// The model allows it.
    Allowed,
    /// The model forbids it.
    Forbidden {
        /// The rule, or the axiom, that it breaks.
        rule: String,
    },
    /// Some readings of the specification forbid it, and some allow it.
    Contested {
        /// Which, as the end of "…, which".
        readings: String,
    },
    /// The program has a data race: its behaviour is undefined, and nothing it does is judged.
    Racy,
    /// The program cannot produce it under any model: a value that it never writes.
    Impossible {
        /// Why, as the end of "…, which is impossible:".
        why: String,
    },
}

/// Judges a histogram, whose states are values of `observables`. `judge` is called once for each outcome
/// that occurred.
///
/// The most serious finding decides: an impossible outcome, then a forbidden one, then one that
/// contradicts the test's condition, then a data race.
pub fn verdict(
    quantifier: Quantifier,
    histogram: &[OutcomeCount],
    observables: &[Observable],
    judge: &dyn Fn(&OutcomeCount) -> Judgement,
) -> (Verdict, String) {
    let observed = || histogram.iter().filter(|o| o.count > 0);
    let instances = total(observed());
    if instances == 0 {
        return (
            Verdict::Inconclusive,
            "no instance ran, so nothing was observed".into(),
        );
    }
    let findings: Vec<_> = observed()
        .map(|o| (o, finding(quantifier, o, judge(o))))
        .collect();
    let worst = findings.iter().map(|(_, f)| f).max();
    let fails = |why: String| {
        let seen = select(&findings, worst, observables, instances);
        (Verdict::Fail, format!("observed {seen}, {why}"))
    };
    match worst {
        Some(Finding::Impossible(why)) => fails(format!("which is impossible: {why}")),
        Some(Finding::Forbidden(rule)) => fails(format!("which {rule} forbids")),
        Some(Finding::Contradiction) => {
            let claim = match quantifier {
                // `exists` claims nothing, so nothing contradicts it.
                Quantifier::Exists => "which contradicts the test",
                Quantifier::NotExists => "which the test says never occurs",
                Quantifier::Forall => "which is outside what the test says always holds",
            };
            fails(claim.into())
        }
        Some(Finding::Contested(readings)) => {
            let seen = select(&findings, worst, observables, instances);
            let reason = format!("observed {seen}, which {readings}");
            (Verdict::Contested, reason)
        }
        Some(Finding::Race) => (
            Verdict::Inconclusive,
            "the program has a data race, so its behaviour is undefined and is not judged".into(),
        ),
        Some(Finding::AllowedThoughDenied | Finding::Fine) | None => (
            Verdict::Pass,
            nothing_wrong(quantifier, histogram, worst, instances),
        ),
    }
}

/// What one outcome means for the verdict, least serious first: the order decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Finding {
    /// It may occur.
    Fine,
    /// The test says that it does not occur, the model that it may.
    AllowedThoughDenied,
    /// Nothing may be concluded.
    Race,
    /// Some readings of the specification forbid it: these, and others allow it.
    Contested(String),
    /// It contradicts the test's own claim, and no model judges it.
    Contradiction,
    /// It breaks this rule.
    Forbidden(String),
    /// It cannot be, for this reason.
    Impossible(String),
}

fn finding(quantifier: Quantifier, outcome: &OutcomeCount, judgement: Judgement) -> Finding {
    match (judgement, quantifier, outcome.target) {
        // Whatever the condition and whatever the model: the value was never written. Not even a race
        // explains it to a driver's author better than "look at this value".
        (Judgement::Impossible { why }, _, _) => Finding::Impossible(why),
        // A rule is broken, whether or not the test's author thought of this outcome.
        (Judgement::Forbidden { rule }, _, _) => Finding::Forbidden(rule),
        (Judgement::Contested { readings }, _, _) => Finding::Contested(readings),
        (Judgement::Racy, _, _) => Finding::Race,
        // `exists` asks whether, so both answers are fine.
        (Judgement::Allowed | Judgement::Unjudged, Quantifier::Exists, _) => Finding::Fine,
        (Judgement::Allowed | Judgement::Unjudged, Quantifier::NotExists, false) => Finding::Fine,
        (Judgement::Allowed | Judgement::Unjudged, Quantifier::Forall, true) => Finding::Fine,
        // The author denies it but no rule does: the device is not at fault; the reason says so.
        (Judgement::Allowed, Quantifier::NotExists, true)
        | (Judgement::Allowed, Quantifier::Forall, false) => Finding::AllowedThoughDenied,
        (Judgement::Unjudged, Quantifier::NotExists, true)
        | (Judgement::Unjudged, Quantifier::Forall, false) => Finding::Contradiction,
    }
}

fn total<'a>(outcomes: impl Iterator<Item = &'a OutcomeCount>) -> u64 {
    outcomes.fold(0, |sum, o| sum.saturating_add(o.count))
}

/// The outcomes of one kind of finding: the most frequent by name, and all by count and rate.
fn select(
    findings: &[(&OutcomeCount, Finding)],
    kind: Option<&Finding>,
    observables: &[Observable],
    instances: u64,
) -> String {
    let chosen: Vec<_> = findings
        .iter()
        .filter(|(_, found)| kind.map(discriminant) == Some(discriminant(found)))
        .map(|(o, _)| *o)
        .collect();
    let count = total(chosen.iter().copied());
    let what = match chosen.iter().max_by_key(|o| o.count) {
        Some(most) => {
            let first = outcome::observed(&most.outcome, observables);
            match chosen.len() - 1 {
                0 => format!("`{first}`"),
                1 => format!("`{first}` and 1 more outcome"),
                more => format!("`{first}` and {more} more outcomes"),
            }
        }
        None => "nothing".into(),
    };
    format!("{what} {}", of_total(count, instances))
}

/// `3 times in 1,000 (rate 0.003)`.
fn of_total(count: u64, instances: u64) -> String {
    let times = if count == 1 {
        "once".into()
    } else {
        format!("{} times", grouped(count))
    };
    format!(
        "{times} in {} (rate {})",
        grouped(instances),
        rate(count as f64 / instances as f64)
    )
}

fn nothing_wrong(
    quantifier: Quantifier,
    histogram: &[OutcomeCount],
    worst: Option<&Finding>,
    instances: u64,
) -> String {
    let targets = total(histogram.iter().filter(|o| o.target));
    let never = |what: &str| format!("{what} never observed in {}", grouped(instances));
    let allowed = match worst {
        Some(Finding::AllowedThoughDenied) => "; the test denies it, the model allows it",
        // Nothing but `Fine` is left, the serious findings having been reported before.
        Some(
            Finding::Fine
            | Finding::Race
            | Finding::Contested(_)
            | Finding::Contradiction
            | Finding::Forbidden(_)
            | Finding::Impossible(_),
        )
        | None => "",
    };
    match quantifier {
        Quantifier::Exists | Quantifier::NotExists if targets == 0 => {
            never("the target outcome was")
        }
        Quantifier::Exists | Quantifier::NotExists => {
            format!(
                "observed the target outcome {}{allowed}",
                of_total(targets, instances)
            )
        }
        Quantifier::Forall if targets == instances => never("another outcome was"),
        Quantifier::Forall => {
            format!(
                "observed another outcome {}{allowed}",
                of_total(instances - targets, instances)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Judgement, Quantifier};
    use crate::record::{Observable, Outcome, OutcomeCount, Verdict};

    fn histogram(counts: &[(&str, u64, bool)]) -> Vec<OutcomeCount> {
        let outcome = |&(outcome, count, target): &(&str, u64, bool)| OutcomeCount {
            outcome: named(outcome),
            count,
            target,
        };
        counts.iter().map(outcome).collect()
    }

    /// `a` is the state `x=10`, and so on.
    fn named(outcome: &str) -> Outcome {
        Outcome::State(outcome.bytes().map(|b| i64::from(b - b'a') + 10).collect())
    }

    fn verdict(
        quantifier: Quantifier,
        histogram: &[OutcomeCount],
        judge: &dyn Fn(&OutcomeCount) -> Judgement,
    ) -> (Verdict, String) {
        let x = Observable {
            name: "x".into(),
            unsigned: false,
        };
        super::verdict(quantifier, histogram, &[x], judge)
    }

    fn unjudged(question: Quantifier, counts: &[(&str, u64, bool)]) -> (Verdict, String) {
        verdict(question, &histogram(counts), &|_| Judgement::Unjudged)
    }

    #[test]
    fn each_question_without_a_model() {
        let seen = [("a", 997, false), ("b", 3, true)];
        let unseen = [("a", 1000, false), ("b", 0, true)];
        let only = [("b", 1000, true)];
        let cases = [
            (
                Quantifier::Exists,
                &seen[..],
                Verdict::Pass,
                "observed the target outcome 3 times in 1,000 (rate 0.0030)",
            ),
            (
                Quantifier::Exists,
                &unseen[..],
                Verdict::Pass,
                "the target outcome was never observed in 1,000",
            ),
            (
                Quantifier::NotExists,
                &seen[..],
                Verdict::Fail,
                "observed `x=11` 3 times in 1,000 (rate 0.0030), which the test says never occurs",
            ),
            (
                Quantifier::NotExists,
                &unseen[..],
                Verdict::Pass,
                "the target outcome was never observed in 1,000",
            ),
            (
                Quantifier::Forall,
                &seen[..],
                Verdict::Fail,
                "observed `x=10` 997 times in 1,000 (rate 0.9970), which is outside what the test says always holds",
            ),
            (
                Quantifier::Forall,
                &only[..],
                Verdict::Pass,
                "another outcome was never observed in 1,000",
            ),
        ];
        for (question, counts, expected, reason) in cases {
            assert_eq!(unjudged(question, counts), (expected, reason.to_string()));
        }
    }

    #[test]
    fn nothing_ran() {
        for question in [
            Quantifier::Exists,
            Quantifier::NotExists,
            Quantifier::Forall,
        ] {
            assert_eq!(unjudged(question, &[]).0, Verdict::Inconclusive);
            assert_eq!(
                unjudged(question, &[("a", 0, true)]).0,
                Verdict::Inconclusive
            );
        }
    }

    #[test]
    fn a_model_decides_over_the_question() {
        let counts = histogram(&[("a", 10, false), ("b", 1, true)]);
        let forbid_a = |o: &OutcomeCount| {
            if o.outcome == named("a") {
                Judgement::Forbidden {
                    rule: "mm.coherence.rr".into(),
                }
            } else {
                Judgement::Allowed
            }
        };
        for question in [
            Quantifier::Exists,
            Quantifier::NotExists,
            Quantifier::Forall,
        ] {
            let (found, reason) = verdict(question, &counts, &forbid_a);
            assert_eq!(found, Verdict::Fail);
            assert_eq!(
                reason,
                "observed `x=10` 10 times in 11 (rate 0.9091), which mm.coherence.rr forbids"
            );
        }
        let (allowed, reason) = verdict(Quantifier::NotExists, &counts, &|_| Judgement::Allowed);
        assert_eq!(allowed, Verdict::Pass);
        assert_eq!(
            reason,
            "observed the target outcome once in 11 (rate 0.0909); the test denies it, the model allows it"
        );
    }

    #[test]
    fn races_are_not_judged_but_impossible_values_are() {
        let counts = histogram(&[("a", 10, false), ("b", 1, true)]);
        let racy = verdict(Quantifier::NotExists, &counts, &|_| Judgement::Racy);
        assert_eq!(racy.0, Verdict::Inconclusive);
        let sentinel = |o: &OutcomeCount| match o.target {
            false => Judgement::Impossible {
                why: "no write stores 7".into(),
            },
            true => Judgement::Racy,
        };
        let (verdict, reason) = verdict(Quantifier::Exists, &counts, &sentinel);
        assert_eq!(verdict, Verdict::Fail);
        assert_eq!(
            reason,
            "observed `x=10` 10 times in 11 (rate 0.9091), which is impossible: no write stores 7"
        );
    }

    #[test]
    fn several_target_outcomes_are_reported_together() {
        let counts = [("a", 5, true), ("b", 7, true), ("c", 88, false)];
        let (_, reason) = unjudged(Quantifier::NotExists, &counts);
        assert_eq!(
            reason,
            "observed `x=11` and 1 more outcome 12 times in 100 (rate 0.1200), which the test says never occurs"
        );
    }

    #[test]
    fn counts_that_overflow_do_not_panic() {
        let counts = [("a", u64::MAX, true), ("b", u64::MAX, false)];
        assert_eq!(unjudged(Quantifier::NotExists, &counts).0, Verdict::Fail);
    }
}
