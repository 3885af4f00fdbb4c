//! What changed from one version of a driver to the next.
//!
//! Only cases that are the same program in both, and have a result in both, are compared, by the engine of
//! `classay compare` ([`mod@crate::difference`]). [`Scope`] says of all others why they are not.

use super::Version;
use super::capabilities::{Capability, CapabilityChange, changes};
use crate::difference::{Differences, VerdictChange, differences};
use crate::record::{CaseId, CaseResult, RuleId, Verdict};
use crate::report::rules::named;
use crate::signature::Signature;
use std::collections::{BTreeMap, BTreeSet};

/// Which cases of two runs are compared, and which are not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// The same program, with a result in both.
    pub compared: BTreeSet<CaseId>,
    /// The same id, and another program: generated from another seed, or by another classay, or edited.
    pub other_programs: usize,
    /// Planned only in the run before.
    pub only_before: usize,
    /// Planned only in the run after.
    pub only_after: usize,
    /// The same program, which the run before did not reach.
    pub unreached_before: usize,
    /// The same program, which the run after did not reach and the one before did.
    pub unreached_after: usize,
}

impl Scope {
    fn of(before: &Version, after: &Version) -> Scope {
        let (then, now) = (before.about(), after.about());
        let reached = |version: &Version| -> BTreeSet<CaseId> {
            version.results.iter().map(|r| r.case.clone()).collect()
        };
        let (ran_then, ran_now) = (reached(before), reached(after));
        let mut scope = Scope {
            only_after: now.keys().filter(|case| !then.contains_key(*case)).count(),
            ..Scope::default()
        };
        for (case, planned) in then {
            match now.get(case) {
                None => scope.only_before += 1,
                Some(other) if other.content != planned.content => scope.other_programs += 1,
                Some(_) if !ran_then.contains(case) => scope.unreached_before += 1,
                Some(_) if !ran_now.contains(case) => scope.unreached_after += 1,
                Some(_) => {
                    scope.compared.insert(case.clone());
                }
            }
        }
        scope
    }

    /// What is not compared, as sentences; none where everything is.
    pub fn left_out(&self) -> Vec<String> {
        let of = |n: usize, one: &str, many: &str| match n {
            0 => None,
            1 => Some(one.replace('#', "1")),
            n => Some(many.replace('#', &crate::text::number::grouped(n as u64))),
        };
        [
            of(
                self.other_programs,
                "# case is another program in each (another seed, classay or file)",
                "# cases are other programs in each (another seed, classay or files)",
            ),
            of(
                self.unreached_before,
                "# case was not reached in the earlier run",
                "# cases were not reached in the earlier run",
            ),
            of(
                self.unreached_after,
                "# case was not reached in the later run",
                "# cases were not reached in the later run",
            ),
            of(
                self.only_before,
                "# case is only in the earlier run's plan",
                "# cases are only in the earlier run's plan",
            ),
            of(
                self.only_after,
                "# case is only in the later run's plan",
                "# cases are only in the later run's plan",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

classay_vocabulary::words! {
    /// What became of a rule or a case.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Turn {
        /// It held before, in the same case.
        Broke = "broke",
        /// It is broken, and was not put to the test before.
        Found = "found",
        /// It was broken, and holds in the same case.
        Mended = "mended",
        /// It fails in another way.
        Other = "other",
    }
}

/// A rule that broke or was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    /// The rule.
    pub rule: RuleId,
    /// What became of it.
    pub turn: Turn,
    /// The cases that show it.
    pub cases: Vec<CaseId>,
    /// What the first of them showed when it failed.
    pub what: String,
}

/// Cases that changed in the same way and show the same.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseChange {
    /// What became of them.
    pub turn: Turn,
    /// How they ended before.
    pub before: Verdict,
    /// How they end now.
    pub after: Verdict,
    /// What they show where they fail.
    pub signature: Signature,
    /// The cases.
    pub cases: Vec<CaseId>,
    /// The largest probability, among them, that a run like the earlier one misses what the later one shows.
    pub missed: Option<f64>,
}

/// From one version to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The place of the earlier version in its group, from 0. The later one is the next.
    pub from: usize,
    /// What is compared.
    pub scope: Scope,
    /// What differs.
    pub found: Differences,
    /// Rules that broke or were mended.
    pub rules: Vec<RuleChange>,
    /// Cases that broke or were mended, what most show first.
    pub cases: Vec<CaseChange>,
    /// Capabilities that came, went or changed.
    pub capabilities: Vec<CapabilityChange>,
}

impl Step {
    /// Compares two neighbours; the first has this place.
    pub fn between(
        from: usize,
        before: &Version,
        after: &Version,
        capabilities: &[Capability],
    ) -> Step {
        let scope = Scope::of(before, after);
        let of = |version: &Version| -> Vec<CaseResult> {
            let results = version.results.iter();
            let compared = results.filter(|r| scope.compared.contains(&r.case));
            compared.cloned().collect()
        };
        let (then, now) = (of(before), of(after));
        let found = differences(&then, &now, &|_| true, &|_| false);
        Step {
            from,
            rules: rules(before, after, &scope),
            cases: cases(&found, &then, &now),
            capabilities: changes(capabilities, from, from + 1),
            scope,
            found,
        }
    }

    /// The rules that turned so.
    pub fn rules(&self, turn: Turn) -> impl Iterator<Item = &RuleChange> {
        self.rules.iter().filter(move |change| change.turn == turn)
    }

    /// The cases that turned so.
    pub fn cases(&self, turn: Turn) -> impl Iterator<Item = &CaseChange> {
        self.cases.iter().filter(move |change| change.turn == turn)
    }
}

/// The cases that name each rule as broken.
fn broken(version: &Version) -> BTreeMap<RuleId, Vec<&CaseResult>> {
    let mut broken: BTreeMap<RuleId, Vec<&CaseResult>> = BTreeMap::new();
    for result in &version.results {
        for rule in named(result) {
            broken.entry(rule).or_default().push(result);
        }
    }
    broken
}

fn rules(before: &Version, after: &Version, scope: &Scope) -> Vec<RuleChange> {
    let (then, now) = (broken(before), broken(after));
    let verdicts = |version: &Version| -> BTreeMap<CaseId, Verdict> {
        let results = version.results.iter();
        results.map(|r| (r.case.clone(), r.verdict)).collect()
    };
    let (was, is) = (verdicts(before), verdicts(after));
    // A case that ran to its end names whatever rule it found broken, whichever else it fails by; one that died says
    // nothing of those that it does not name.
    let speaks = |verdicts: &BTreeMap<CaseId, Verdict>, case: &CaseId| {
        let ended = matches!(verdicts.get(case), Some(Verdict::Pass | Verdict::Fail));
        ended && scope.compared.contains(case)
    };
    let change = |rule: RuleId, turn, cases: Vec<&CaseResult>| RuleChange {
        rule,
        turn,
        what: cases
            .iter()
            .find_map(|case| shown(case, rule))
            .unwrap_or_default(),
        cases: cases.into_iter().map(|case| case.case.clone()).collect(),
    };
    let mut all = Vec::new();
    for (rule, cases) in &now {
        if then.contains_key(rule) {
            continue;
        }
        let (held, others): (Vec<_>, Vec<_>) = cases
            .iter()
            .copied()
            .partition(|case| speaks(&was, &case.case));
        all.push(match held.is_empty() {
            true => change(*rule, Turn::Found, others),
            false => change(*rule, Turn::Broke, held),
        });
    }
    for (rule, cases) in &then {
        let mended = cases.iter().copied().filter(|case| speaks(&is, &case.case));
        let mended: Vec<_> = mended.collect();
        if !now.contains_key(rule) && !mended.is_empty() {
            all.push(change(*rule, Turn::Mended, mended));
        }
    }
    all.sort_by_key(|change| (change.turn, change.rule));
    all
}

/// What a case showed instead of what a rule says.
fn shown(case: &CaseResult, rule: RuleId) -> Option<String> {
    let mut named = case.violations.iter().filter(|v| v.rules.contains(&rule));
    named.next().map(|violation| violation.what.clone())
}

fn cases(found: &Differences, then: &[CaseResult], now: &[CaseResult]) -> Vec<CaseChange> {
    let by_id = |results: &'_ [CaseResult]| -> BTreeMap<CaseId, CaseResult> {
        let pairs = results.iter().map(|r| (r.case.clone(), r.clone()));
        pairs.collect()
    };
    let (then, now) = (by_id(then), by_id(now));
    let mut groups: Vec<CaseChange> = Vec::new();
    for change in found.failures.iter().chain(&found.verdicts) {
        let (before, after) = (change.before.is_failure(), change.after.is_failure());
        let turn = match (before, after) {
            (false, true) if change.before == Verdict::Pass => Turn::Broke,
            (false, true) => Turn::Found,
            (true, false) if change.after == Verdict::Pass => Turn::Mended,
            (true, true) | (true, false) => Turn::Other,
            // Skipped, or decided, as it was not before: no failure comes or goes.
            (false, false) => continue,
        };
        let failing = if after {
            now.get(&change.case)
        } else {
            then.get(&change.case)
        };
        if let Some(signature) = failing.and_then(Signature::first) {
            add(&mut groups, change, turn, signature);
        }
    }
    groups.sort_by_key(|group| (group.turn, std::cmp::Reverse(group.cases.len())));
    groups
}

fn add(groups: &mut Vec<CaseChange>, change: &VerdictChange, turn: Turn, signature: Signature) {
    let key = signature.key();
    let same = |group: &&mut CaseChange| {
        (group.turn, group.before, group.after) == (turn, change.before, change.after)
            && group.signature.key() == key
    };
    match groups.iter_mut().find(same) {
        Some(group) => {
            group.cases.push(change.case.clone());
            let missed = group.missed.into_iter().chain(change.missed);
            group.missed = missed.reduce(f64::max);
        }
        None => groups.push(CaseChange {
            turn,
            before: change.before,
            after: change.after,
            signature,
            cases: vec![change.case.clone()],
            missed: change.missed,
        }),
    }
}
