//! What a later run shows of failures that the earlier one did not, each once, and how sure it is that it is new.
//!
//! A failure is distinguished by what it shows ([`Signature`]), not by its case: drivers that are as they were fail
//! by chance, now in one generated program and now in another, and a run that ends with its time reaches other cases
//! than the one before. What the earlier run shows in any case is known. Of all else it is asked how probable it is
//! that a run like the earlier one misses it, in two ways of which the surer one counts:
//!
//! - by the programs that both ran: the product of what [`missing`] says of each;
//! - by the kinds of cases: that of so many cases of a kind, of which so many fail so, none is among those that the
//!   earlier run played, were it the same to a failure which run a case belongs to (the hypergeometric distribution).
//!
//! Neither can be sure of a single case. One that fails in each of several plays, of more than one process, and did not
//! in the earlier run, is new all the same: chance that makes a race end badly in every play of a process does not do so
//! in the next. One process says nothing so, however often it plays: what it compiled may be wrong for as long as it lives.

use crate::record::{CaseId, CaseResult, Verdict, clusters_where};
use crate::signature::Signature;
use crate::stats::cluster::Cluster;
use crate::stats::compare::missing;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A finding is new where a run like the earlier one misses it with less than this probability.
pub const SURE: f64 = 0.05;

/// Or where a case shows it in each of so many plays, at least, of two processes or more.
pub const PLAYS: u64 = 3;

classay_vocabulary::words! {
    /// How a failure of the later run stands to the earlier one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Newness {
        /// The earlier run would have shown it.
        New = "new",
        /// The earlier run did not show it, which may be by chance.
        Perhaps = "perhaps",
        /// The earlier run has no result of the cases that show it, and played none of their kinds.
        Untried = "untried",
        /// The earlier run shows the same, or it is expected.
        Known = "known",
    }
}

/// A failure of the later run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What it shows.
    #[serde(flatten)]
    pub signature: Signature,
    /// The cases that show it.
    pub cases: Vec<CaseId>,
    /// How it stands to the earlier run.
    pub newness: Newness,
    /// The probability that a run like the earlier one misses it, from 0 to 1; none for what is known or was not tried.
    pub missed: Option<f64>,
}

/// As of [`Signature::words`].
type Words = (Option<String>, String);

fn failures_by_words<'a>(
    results: impl Iterator<Item = &'a CaseResult>,
) -> BTreeMap<Words, Vec<(Signature, &'a CaseResult)>> {
    let mut all: BTreeMap<Words, Vec<(Signature, &CaseResult)>> = BTreeMap::new();
    for result in results {
        for signature in Signature::all(result) {
            let same = all.entry(signature.words()).or_default();
            same.push((signature, result));
        }
    }
    all
}

/// What the second of two runs shows of failures: the newest first, and of those the one that most cases show. `same`
/// says which cases are the same program in both, `expected` which results are as expected.
pub fn findings(
    before: &[CaseResult],
    after: &[CaseResult],
    same: &dyn Fn(&CaseId) -> bool,
    expected: &dyn Fn(&CaseResult) -> bool,
) -> Vec<Finding> {
    let known = failures_by_words(before.iter());
    let runs = Runs::of(before, after, same);
    let mut all = Vec::new();
    for (words, shown) in failures_by_words(after.iter()) {
        let mut groups: Vec<(Signature, Vec<&CaseResult>)> = Vec::new();
        for (signature, result) in shown {
            match groups
                .iter_mut()
                .find(|(one, _)| one.may_break_what(&signature))
            {
                // A case may show the same of several rules.
                Some((_, results)) if results.iter().any(|r| r.case == result.case) => {}
                Some((_, results)) => results.push(result),
                None => groups.push((signature, vec![result])),
            }
        }
        for (signature, results) in groups {
            let earlier = known.get(&words).into_iter().flatten();
            let is_known = earlier
                .map(|(other, _)| other)
                .any(|other| other.may_break_what(&signature))
                || results.iter().all(|result| expected(result));
            let (newness, missed) = match is_known {
                true => (Newness::Known, None),
                false => runs.newness(&signature, &results),
            };
            all.push(Finding {
                signature,
                cases: results.into_iter().map(|r| r.case.clone()).collect(),
                newness,
                missed,
            });
        }
    }
    all.sort_by_key(|finding| (finding.newness, std::cmp::Reverse(finding.cases.len())));
    all
}

/// Both runs, by case and by kind.
struct Runs<'a> {
    /// The results of the earlier run that say of a failure that they do not show it, where the case is the same program.
    then: BTreeMap<&'a CaseId, &'a CaseResult>,
    /// Cases of each kind that the earlier run and the later one played to an end.
    kinds: BTreeMap<&'a str, (usize, usize)>,
}

/// Whether it ran to its end: one that died, or saw nothing, does not say what it would have shown.
fn spoke(result: &CaseResult) -> bool {
    matches!(
        result.verdict,
        Verdict::Pass | Verdict::Fail | Verdict::Flaky | Verdict::Contested
    )
}

impl<'a> Runs<'a> {
    fn of(
        before: &'a [CaseResult],
        after: &'a [CaseResult],
        same: &dyn Fn(&CaseId) -> bool,
    ) -> Runs<'a> {
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut then = BTreeMap::new();
        for result in before.iter().filter(|result| spoke(result)) {
            kinds.entry(result.case.kind()).or_default().0 += 1;
            if same(&result.case) {
                then.insert(&result.case, result);
            }
        }
        for result in after.iter().filter(|r| spoke(r) || r.verdict.is_failure()) {
            kinds.entry(result.case.kind()).or_default().1 += 1;
        }
        Runs { then, kinds }
    }

    fn newness(&self, signature: &Signature, shown: &[&CaseResult]) -> (Newness, Option<f64>) {
        let mut by_cases: Option<f64> = None;
        let mut is_steady = false;
        for now in shown {
            if let Some(then) = self.then.get(&now.case) {
                let (first, second) = plays(then, now, signature);
                by_cases = Some(by_cases.unwrap_or(1.0) * missing(&first, &second));
                let all = |of: fn(&Cluster) -> u64| second.iter().map(of).sum::<u64>();
                let (count, instances) = (all(|c| c.count), all(|c| c.instances));
                let processes: BTreeSet<u32> = second.iter().map(|c| c.process).collect();
                // What a process compiled may fail each time, and what another one compiled not.
                is_steady |= processes.len() > 1 && count >= PLAYS && count == instances;
            }
        }
        let missed = by_cases.into_iter().chain(self.by_kinds(shown));
        match missed.reduce(f64::min) {
            None => (Newness::Untried, None),
            Some(p) if p < SURE || is_steady => (Newness::New, Some(p)),
            Some(p) => (Newness::Perhaps, Some(p)),
        }
    }

    /// That all cases that fail are among those of the later run, by chance; none where the earlier one played none of
    /// their kinds.
    fn by_kinds(&self, shown: &[&CaseResult]) -> Option<f64> {
        let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
        for result in shown {
            *failed.entry(result.case.kind()).or_default() += 1;
        }
        let mut all = None;
        for (kind, failed) in failed {
            let (then, now) = self.kinds.get(kind).copied().unwrap_or_default();
            if then > 0 {
                let each = (0..failed).map(|n| (now - n) as f64 / (now + then - n) as f64);
                all = Some(all.unwrap_or(1.0) * each.product::<f64>());
            }
        }
        all
    }
}

/// How a case shows a failure.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    /// By an outcome in its words.
    Words,
    /// By the target outcome of a litmus test.
    Target,
    /// By how tries ended.
    End,
}

impl Shown {
    fn by(result: &CaseResult, signature: &Signature) -> Shown {
        let seen = |clusters: &[Cluster]| clusters.iter().any(|cluster| cluster.count > 0);
        match result.verdict {
            Verdict::Fail if seen(&by_words(result, signature)) => Shown::Words,
            Verdict::Fail if seen(&result.clusters(None)) => Shown::Target,
            _ => Shown::End,
        }
    }
}

fn by_words(result: &CaseResult, signature: &Signature) -> Vec<Cluster> {
    clusters_where(&result.launches, &|o| signature.is_shown_by(&o.outcome))
}

/// The plays of a case that shows a failure so, and those of one that does not.
fn plays(
    then: &CaseResult,
    now: &CaseResult,
    signature: &Signature,
) -> (Vec<Cluster>, Vec<Cluster>) {
    match Shown::by(now, signature) {
        Shown::Words => (by_words(then, signature), by_words(now, signature)),
        // What the first run saw as a target was none of a failure.
        Shown::Target => (
            clusters_where(&then.launches, &|_| false),
            now.clusters(None),
        ),
        Shown::End => (tries(then, 0), tries(now, now.failed_attempts.max(1))),
    }
}

/// Each process that played a case, or was to, as one instance; the first so many failed.
fn tries(result: &CaseResult, failed: u32) -> Vec<Cluster> {
    let processes: BTreeSet<u32> = result.launches.iter().map(|l| l.process).collect();
    let all = (processes.len() as u32).max(result.attempts).max(1);
    (0..all)
        .map(|process| Cluster {
            process,
            count: u64::from(process < failed),
            instances: 1,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Launch, Outcome, OutcomeCount, RuleId, Violation};

    /// A case of a kind that was played so often in each of so many processes, and failed so often of these.
    fn case(
        kind: &str,
        number: u32,
        (plays, processes): (u64, u64),
        (failed, rule, what): (u64, &str, &str),
    ) -> CaseResult {
        let violation = Violation {
            rules: vec![RuleId::new(rule)],
            what: what.into(),
        };
        let count = |outcome, count| OutcomeCount {
            outcome,
            count,
            target: false,
        };
        let mut outcomes = vec![count(Outcome::Required, plays - failed)];
        let mut result = CaseResult::new(
            CaseId::new("queue", kind, &format!("{number:05}")),
            if failed > 0 {
                Verdict::Fail
            } else {
                Verdict::Pass
            },
            "so it is",
        );
        if failed > 0 {
            outcomes.push(count(Outcome::Violation(violation.clone()), failed));
            result.violations = vec![violation];
        }
        let launch = |index| Launch {
            index,
            process: index as u32,
            instances: plays,
            seconds: 0.01,
            outcomes: outcomes.clone(),
            freedoms: Vec::new(),
        };
        result.launches = (0..processes).map(launch).collect();
        result.instances = plays * processes;
        result
    }

    const FINE: (u64, &str, &str) = (0, "sp.marker", "");

    fn newness(before: &[CaseResult], after: &[CaseResult]) -> Vec<(Newness, usize)> {
        let all = findings(before, after, &|_| true, &|_| false);
        all.iter().map(|f| (f.newness, f.cases.len())).collect()
    }

    #[test]
    fn what_the_first_run_shows_in_another_case_is_known() {
        let shows = |number, what| case("random", number, (1, 1), (1, "sp.marker", what));
        let before = [
            shows(0, "command 3 passed command 2"),
            case("random", 1, (1, 1), FINE),
        ];
        let after = [
            case("random", 0, (1, 1), FINE),
            shows(1, "command 11 passed command 7"),
        ];
        assert_eq!(newness(&before, &after), [(Newness::Known, 1)]);
        let other = [case(
            "random",
            1,
            (1, 1),
            (1, "sp.finish", "command 11 passed command 7"),
        )];
        assert_eq!(
            newness(&before, &other),
            [(Newness::Perhaps, 1)],
            "no rule is one of both"
        );
    }

    #[test]
    fn one_play_may_be_chance_and_several_are_not() {
        let before: Vec<CaseResult> = (0..4).map(|n| case("random", n, (1, 1), FINE)).collect();
        let what = "command 1 passed command 0";
        let after = |failing: u32, (plays, processes): (u64, u64)| -> Vec<CaseResult> {
            let shown = (plays, "sp.marker", what);
            let of = |n| if n < failing { shown } else { FINE };
            let case = |n| case("random", n, (plays, processes), of(n));
            (0..4).map(case).collect()
        };
        let perhaps = [(Newness::Perhaps, 1)];
        assert_eq!(newness(&before, &after(1, (1, 1))), perhaps);
        let thrice = newness(&before, &after(3, (1, 1)));
        assert_eq!(thrice, [(Newness::New, 3)], "a third, thrice");
        assert_eq!(newness(&before, &after(1, (1, 2))), perhaps);
        assert_eq!(newness(&before, &after(1, (3, 1))), perhaps, "one process");
        assert_eq!(newness(&before, &after(1, (100, 1))), perhaps, "no more");
        assert_eq!(newness(&before, &after(1, (2, 2))), [(Newness::New, 1)]);
        let at_times = [case("random", 0, (3, 2), (2, "sp.marker", what))];
        assert_eq!(newness(&before, &at_times), perhaps);
    }

    #[test]
    fn cases_that_the_first_run_did_not_reach_say_little_and_many_of_a_kind_much() {
        let shown = (1, "sp.marker", "command 1 passed command 0");
        let before: Vec<CaseResult> = (0..5).map(|n| case("random", n, (1, 1), FINE)).collect();
        let one = [case("random", 9, (1, 1), shown)];
        let all = findings(&before, &one, &|_| true, &|_| false);
        // The one that fails is one of six that were played.
        assert_eq!(all[0].missed.map(|p| (p * 6.0).round()), Some(1.0));
        assert_eq!(all[0].newness, Newness::Perhaps);
        let many: Vec<CaseResult> = (5..10).map(|n| case("random", n, (1, 1), shown)).collect();
        assert_eq!(
            newness(&before, &many),
            [(Newness::New, 5)],
            "one way of 252"
        );
        let untried = [case("barriers", 0, (1, 1), shown)];
        assert_eq!(newness(&before, &untried), [(Newness::Untried, 1)]);
        let expected = findings(&before, &many, &|_| true, &|_| true);
        assert_eq!(expected[0].newness, Newness::Known);
    }

    #[test]
    fn a_worker_that_dies_is_found_by_its_tries() {
        let before = [case("random", 0, (1, 1), FINE)];
        let mut died = case("random", 0, (1, 1), FINE);
        died.verdict = Verdict::Crash;
        died.reason = "the worker was killed by SIGSEGV (2 of 2 attempts)".into();
        (died.attempts, died.failed_attempts) = (2, 2);
        died.launches.clear();
        assert_eq!(
            newness(&before, std::slice::from_ref(&died)),
            [(Newness::Perhaps, 1)]
        );
        assert_eq!(
            newness(&[died.clone()], &[died.clone()]),
            [(Newness::Known, 1)]
        );
        (died.attempts, died.failed_attempts) = (3, 3);
        assert_eq!(newness(&before, &[died]), [(Newness::New, 1)]);
    }
}
