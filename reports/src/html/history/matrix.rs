//! Tables with a column for each version: rules, kinds of cases, and failures that show the same.
//!
//! A cell has a letter beside its colour, and says what is behind it where a pointer rests on it.

use super::{place, titled};
use crate::history::{Cell, Failure, Group, History, Mark, Row};
use crate::html::HtmlError;
use crate::html::words::{count, cut};
use crate::record::{CaseId, Verdict};
use crate::text::number::grouped;
use crate::text::outcome::few_rules;
use askama::Template;
use std::collections::BTreeMap;

/// Bytes of what a case showed.
const WHAT: usize = 300;
/// Cases that a cell names.
const NAMED: usize = 6;
/// Ways to fail that are shown.
const WAYS: usize = 400;

#[derive(Template)]
#[template(path = "history/matrix.html")]
struct Matrix {
    lead: String,
    /// Signs and what they mean, with the classes of their colours.
    legend: Vec<(&'static str, String, String)>,
    groups: Vec<Of>,
}

struct Of {
    title: String,
    /// What the rows are.
    rows: &'static str,
    heads: Vec<Head>,
    lines: Vec<Line>,
    /// Rows without a failure, behind a line that says how many.
    others: Vec<Line>,
    others_said: String,
}

/// A table of a group.
#[derive(Template)]
#[template(path = "history/table.html")]
struct Table<'a> {
    rows: &'a str,
    heads: &'a [Head],
    lines: &'a [Line],
}

impl Of {
    fn table(&self, lines: &[Line]) -> Result<String, askama::Error> {
        let table = Table {
            rows: self.rows,
            heads: &self.heads,
            lines,
        };
        table.render()
    }
}

struct Head {
    place: String,
    number: usize,
    name: String,
}

struct Line {
    id: String,
    /// Its name, in the type of code.
    name: String,
    under: String,
    cells: Vec<Shown>,
}

/// A cell as it is shown.
struct Shown {
    class: &'static str,
    sign: String,
    number: String,
    title: String,
}

fn legend() -> Vec<(&'static str, String, String)> {
    let said = |mark: Mark| match mark {
        Mark::Fail => "broken, by so many cases",
        Mark::Crash => "a worker died",
        Mark::Timeout => "a worker did not answer",
        Mark::Flaky => "a worker died at times",
        Mark::Undecided => "undecided",
        Mark::Pass => "held",
        Mark::Skipped => "the device lacks it",
        Mark::NotReached => "not reached in its time",
        Mark::NotTested => "blank: no case",
    };
    let marks = Mark::ALL.into_iter();
    marks
        .map(|mark| (class(mark), mark.sign().to_string(), said(mark).to_owned()))
        .collect()
}

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Fail => "fail",
        Mark::Crash => "crash",
        Mark::Timeout => "timeout",
        Mark::Flaky => "flaky",
        Mark::Undecided => "inconclusive",
        Mark::Pass => "pass",
        Mark::Skipped => "skip-v",
        Mark::NotReached | Mark::NotTested => "uncovered",
    }
}

fn heads(at: usize, group: &Group) -> Vec<Head> {
    let versions = group.versions.iter().enumerate();
    let head = |(number, version): (usize, &crate::history::Version)| Head {
        place: place(at, number),
        number: number + 1,
        name: version.name.clone(),
    };
    versions.map(head).collect()
}

/// A cell of a row of marks.
fn shown(cell: &Cell, name: &str) -> Shown {
    let mut said = vec![format!("{name}: {}", cell.mark.name().replace('-', " "))];
    let of = Verdict::WORST_FIRST.into_iter().filter_map(|verdict| {
        let cases = cell.cases.of(verdict);
        (cases > 0).then(|| format!("{} {verdict}", grouped(cases as u64)))
    });
    let of: Vec<String> = of.collect();
    if !of.is_empty() {
        said.push(of.join(", "));
    }
    if cell.unreached > 0 {
        said.push(format!("{} not reached", count(cell.unreached, "case")));
    }
    if !cell.what.is_empty() {
        said.push(cut(&cell.what, WHAT).0);
    }
    let number = match cell.mark.is_failure() {
        true => grouped(cell.against.max(1) as u64),
        false => String::new(),
    };
    Shown {
        class: class(cell.mark),
        sign: cell.mark.sign().to_string(),
        number,
        title: said.join("\n"),
    }
}

fn line<T>(group: &Group, row: &Row<T>, (id, name, under): (String, String, String)) -> Line {
    let versions = group.versions.iter();
    let cells = row.cells.iter().zip(versions);
    Line {
        id,
        name,
        under,
        cells: cells
            .map(|(cell, version)| shown(cell, &version.name))
            .collect(),
    }
}

/// How the rules of the specification fared in each version.
pub(super) fn rules(history: &History) -> Result<Option<String>, HtmlError> {
    let catalogue = &history.context.rules;
    if catalogue.is_empty() {
        return Ok(None);
    }
    let statements: BTreeMap<&str, &str> = catalogue
        .iter()
        .map(|rule| (rule.id.as_str(), rule.statement.as_str()))
        .collect();
    let groups = history.groups.iter().enumerate().map(|(at, group)| {
        let of = |row: &Row<_>| {
            let rule: &str = crate::record::RuleId::as_str(row.of);
            let statement = statements.get(rule).copied().unwrap_or_default();
            let id = format!("r{}-{rule}", at + 1);
            line(group, row, (id, rule.to_owned(), statement.to_owned()))
        };
        let (failing, others): (Vec<_>, Vec<_>) = group.rules.iter().partition(|row| row.fails());
        Of {
            title: titled(history, group),
            rows: "rule",
            heads: heads(at, group),
            others_said: format!(
                "{} that no version was seen to break",
                count(others.len(), "rule")
            ),
            lines: failing.into_iter().map(of).collect(),
            others: others.into_iter().map(of).collect(),
        }
    });
    let page = Matrix {
        lead: "A rule is broken where a case that failed names it, and held where a case about it passed and none \
               names it. Where every case about it failed for other reasons, the worst of their ends stands."
            .into(),
        legend: legend(),
        groups: groups.collect(),
    };
    Ok(Some(page.render()?))
}

/// How each kind of cases fared.
pub(super) fn kinds(history: &History) -> Result<Option<String>, HtmlError> {
    let groups = history.groups.iter().enumerate().map(|(at, group)| {
        let of =
            |row: &Row<String>| line(group, row, (String::new(), row.of.clone(), String::new()));
        let (failing, others): (Vec<_>, Vec<_>) = group.kinds.iter().partition(|row| row.fails());
        Of {
            title: titled(history, group),
            rows: "kind",
            heads: heads(at, group),
            others_said: format!("{} without a failure", count(others.len(), "kind")),
            lines: failing.into_iter().map(of).collect(),
            others: others.into_iter().map(of).collect(),
        }
    });
    let page = Matrix {
        lead:
            "The worst end of the cases of a kind, and how many failed, crashed or did not answer."
                .into(),
        legend: Vec::new(),
        groups: groups.collect(),
    };
    Ok(Some(page.render()?))
}

/// What failed, and in which versions.
pub(super) fn failures(history: &History) -> Result<Option<String>, HtmlError> {
    if history.groups.iter().all(|group| group.failures.is_empty()) {
        return Ok(None);
    }
    let groups = history.groups.iter().enumerate().map(|(at, group)| Of {
        title: titled(history, group),
        rows: "failure",
        heads: heads(at, group),
        lines: group
            .failures
            .iter()
            .take(WAYS)
            .map(|f| failure(group, f))
            .collect(),
        others: Vec::new(),
        others_said: String::new(),
    });
    let most = history
        .groups
        .iter()
        .map(|group| group.failures.len())
        .max();
    let left = most.unwrap_or(0).saturating_sub(WAYS);
    let left = match left {
        0 => String::new(),
        n => format!(" {} more are in what --json writes.", grouped(n as u64)),
    };
    let page = Matrix {
        lead: format!(
            "Failures that show the same but for the numbers of commands and threads, and how many cases of each \
             version show it. A blank says that none did, of those that were reached.{left}"
        ),
        legend: Vec::new(),
        groups: groups.collect(),
    };
    Ok(Some(page.render()?))
}

fn failure(group: &Group, failure: &Failure) -> Line {
    let signature = &failure.signature;
    let (name, mark) = match &signature.kind {
        Some(kind) => (kind.clone(), ended(group, failure)),
        None => (few_rules(&signature.rules), Mark::Fail),
    };
    let cells = failure.cases.iter().zip(&group.versions);
    let cells = cells.map(|(cases, version)| match cases.is_empty() {
        true => Shown {
            class: "uncovered",
            sign: " ".into(),
            number: String::new(),
            title: format!("{}: none", version.name),
        },
        false => Shown {
            class: class(mark),
            sign: mark.sign().to_string(),
            number: grouped(cases.len() as u64),
            title: format!("{}: {}", version.name, some(cases)),
        },
    });
    Line {
        id: String::new(),
        name,
        under: cut(&signature.what, WHAT).0,
        cells: cells.collect(),
    }
}

/// How the first of the cases ended that show it.
fn ended(group: &Group, failure: &Failure) -> Mark {
    let shown = failure.cases.iter().zip(&group.versions);
    let ends = shown.filter_map(|(cases, version)| {
        let first = cases.first()?;
        let result = version
            .results
            .iter()
            .find(|result| result.case == *first)?;
        Some(Mark::of(result.verdict))
    });
    ends.min().unwrap_or(Mark::Fail)
}

/// The first of some cases, and how many more they are.
pub(super) fn some(cases: &[CaseId]) -> String {
    let named = cases.iter().take(NAMED).map(CaseId::as_str);
    let mut said = named.collect::<Vec<_>>().join(", ");
    if cases.len() > NAMED {
        said += &format!(" and {} more", grouped((cases.len() - NAMED) as u64));
    }
    said
}
