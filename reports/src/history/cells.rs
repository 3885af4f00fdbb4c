//! How a rule, or a kind of cases, fared in each version: a row of marks.

use super::Version;
use crate::record::{CaseResult, RuleId, Verdict};
use crate::report::rules::{RuleFacts, standings};
use crate::report::{Rule, Standing, Tally};
use std::collections::{BTreeMap, BTreeSet};

classay_vocabulary::words! {
    /// How something fared in a version, the worst first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Mark {
        /// Broken.
        Fail = "fail",
        /// A worker died.
        Crash = "crash",
        /// A worker did not answer.
        Timeout = "timeout",
        /// A worker died in some attempts.
        Flaky = "flaky",
        /// What was observed is forbidden by some readings of the specification, or decides nothing.
        Undecided = "undecided",
        /// It held.
        Pass = "pass",
        /// The device lacks what it takes.
        Skipped = "skipped",
        /// The run's time ended before it.
        NotReached = "not-reached",
        /// No planned case is about it.
        NotTested = "not-tested",
    }
}

impl Mark {
    /// One character for it; no two marks have the same.
    pub const fn sign(self) -> char {
        match self {
            Mark::Fail => 'F',
            Mark::Crash => 'C',
            Mark::Timeout => 'T',
            Mark::Flaky => '~',
            Mark::Undecided => '?',
            Mark::Pass => '·',
            Mark::Skipped => '-',
            Mark::NotReached => '…',
            Mark::NotTested => ' ',
        }
    }

    /// Whether something is wrong.
    pub const fn is_failure(self) -> bool {
        match self {
            Mark::Fail | Mark::Crash | Mark::Timeout | Mark::Flaky => true,
            Mark::Undecided | Mark::Pass | Mark::Skipped | Mark::NotReached | Mark::NotTested => {
                false
            }
        }
    }

    /// The mark of a case that ended so.
    pub const fn of(verdict: Verdict) -> Mark {
        match verdict {
            Verdict::Pass => Mark::Pass,
            Verdict::Fail => Mark::Fail,
            Verdict::Skip => Mark::Skipped,
            Verdict::Crash => Mark::Crash,
            Verdict::Timeout => Mark::Timeout,
            Verdict::Flaky => Mark::Flaky,
            Verdict::Inconclusive | Verdict::Contested => Mark::Undecided,
        }
    }

    /// The worst mark of these cases.
    fn worst(tally: &Tally) -> Option<Mark> {
        let ended = Verdict::ALL.into_iter().filter(|v| tally.of(*v) > 0);
        ended.map(Mark::of).min()
    }
}

/// How something fared in a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// In a word.
    pub mark: Mark,
    /// Cases about it that have a result.
    pub cases: Tally,
    /// Of a rule: cases that name it as broken. Of a kind: cases that failed, crashed or timed out.
    pub against: usize,
    /// Planned cases about it that the run's time did not reach.
    pub unreached: usize,
    /// What the first of the cases that name it showed instead; empty where none does.
    pub what: String,
}

/// A row: what it is of, and a cell for each version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<T> {
    /// What it is of.
    pub of: T,
    /// A cell for each version, in their order.
    pub cells: Vec<Cell>,
}

impl<T> Row<T> {
    /// Whether something was wrong in some version.
    pub fn fails(&self) -> bool {
        self.cells.iter().any(|cell| cell.mark.is_failure())
    }

    /// Whether no version was put to the test.
    pub fn is_silent(&self) -> bool {
        let silent = |cell: &Cell| {
            matches!(
                cell.mark,
                Mark::NotTested | Mark::NotReached | Mark::Skipped
            )
        };
        self.cells.iter().all(silent)
    }
}

/// The rules that a run can break, in the catalogue's order.
pub fn of_rules(rules: &[Rule], versions: &[Version]) -> Vec<Row<RuleId>> {
    let columns: Vec<Vec<Cell>> = versions.iter().map(|v| column(rules, v)).collect();
    let rows = rules.iter().enumerate().map(|(place, rule)| Row {
        of: RuleId::new(&rule.id),
        cells: columns.iter().map(|cells| cells[place].clone()).collect(),
    });
    let testable = rules.iter().map(Rule::is_testable);
    rows.zip(testable)
        .filter_map(|(row, testable)| testable.then_some(row))
        .collect()
}

/// How all rules fared in a version.
fn column(rules: &[Rule], version: &Version) -> Vec<Cell> {
    let about = version.about();
    let cases = version.results.iter().map(|result| {
        let rules = about
            .get(&result.case)
            .map_or(&[][..], |planned| &planned.rules);
        (result, rules)
    });
    let reached: BTreeSet<_> = version.results.iter().map(|r| &r.case).collect();
    let mut unreached: BTreeMap<&str, usize> = BTreeMap::new();
    for planned in version
        .planned
        .iter()
        .filter(|p| !reached.contains(&p.case))
    {
        for rule in &planned.rules {
            *unreached.entry(rule).or_default() += 1;
        }
    }
    standings(rules, cases)
        .into_iter()
        .map(|facts| {
            let unreached = unreached.get(facts.rule.id.as_str()).copied().unwrap_or(0);
            of_rule(&facts, unreached)
        })
        .collect()
}

fn of_rule(facts: &RuleFacts<'_>, unreached: usize) -> Cell {
    let by = |verdict: Verdict| facts.broken_by.iter().any(|case| case.verdict == verdict);
    let named = Verdict::WORST_FIRST.into_iter().find(|v| by(*v));
    let worst = Mark::worst(&facts.cases);
    let mark = match facts.standing() {
        Standing::Broken => named.map_or(Mark::Fail, Mark::of),
        Standing::Unclear => worst.unwrap_or(Mark::Fail),
        Standing::Held => Mark::Pass,
        Standing::Untested => match worst {
            Some(Mark::Undecided) => Mark::Undecided,
            _ if unreached > 0 => Mark::NotReached,
            Some(_) | None => Mark::Skipped,
        },
        Standing::Uncovered if unreached > 0 => Mark::NotReached,
        Standing::Uncovered => Mark::NotTested,
    };
    let rule = facts.rule.id.as_str();
    let said = facts.broken_by.iter().find_map(|case| what(case, rule));
    Cell {
        mark,
        cases: facts.cases,
        against: facts.broken_by.len(),
        unreached,
        what: said.unwrap_or_default(),
    }
}

/// What a case showed instead of what a rule says.
fn what(case: &CaseResult, rule: &str) -> Option<String> {
    let named = |rules: &[RuleId]| rules.iter().any(|id| id.as_str() == rule);
    let outcomes = case.launches.iter().flat_map(|launch| &launch.outcomes);
    let shown = outcomes.filter_map(|o| o.outcome.violation());
    let mut all = case.violations.iter().chain(shown);
    all.find(|v| named(&v.rules)).map(|v| v.what.clone())
}

/// The kinds of cases that some version plans, by their names.
pub fn of_kinds(versions: &[Version]) -> Vec<Row<String>> {
    let kinds: BTreeSet<&str> = versions
        .iter()
        .flat_map(|version| version.planned.iter().map(|p| p.case.kind()))
        .collect();
    let cell = |kind: &str, version: &Version| {
        let mut cases = Tally::default();
        let ended = version.results.iter().filter(|r| r.case.kind() == kind);
        let mut said = None;
        for result in ended {
            cases.add(result.verdict);
            if result.verdict.is_failure() && said.is_none() {
                said = Some(result.reason.clone());
            }
        }
        let planned = version
            .planned
            .iter()
            .filter(|p| p.case.kind() == kind)
            .count();
        let unreached = planned.saturating_sub(cases.all());
        let mark = match Mark::worst(&cases) {
            Some(mark) if mark != Mark::Skipped => mark,
            _ if unreached > 0 => Mark::NotReached,
            Some(_) => Mark::Skipped,
            None => Mark::NotTested,
        };
        Cell {
            mark,
            against: cases.failures(),
            cases,
            unreached,
            what: said.unwrap_or_default(),
        }
    };
    let row = |kind: &str| Row {
        of: kind.to_owned(),
        cells: versions.iter().map(|version| cell(kind, version)).collect(),
    };
    kinds.into_iter().map(row).collect()
}
