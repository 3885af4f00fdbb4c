//! The bad news: each case that failed, with what it broke, its picture and its evidence. Cases that failed
//! alike (the same rules broken, or else the same reason) stand together: a driver has far fewer faults than
//! failures.
//!
//! Texts can be long and many, so all of them together have a budget; the failures that come first are reported
//! whole, and the page says what was left out. A text that an earlier failure showed is not shown again.

use super::HtmlError;
use super::words::{count, cut};
use crate::expectation::Standing;
use crate::record::{Evidence, EvidenceKind, Verdict};
use crate::report::rules::named;
use crate::report::{CaseFacts, Picture, Report, RuleFacts};
use crate::text::number::{grouped, share};
use crate::text::outcome;
use askama::Template;
use std::collections::{BTreeMap, HashMap};

/// Bytes of pictures and texts, all together.
const BUDGET: usize = 256_000;
/// Bytes of one text.
const TEXT: usize = 8_000;
/// Bytes of one picture.
const PICTURE: usize = 60_000;
/// Failures that are reported one by one.
const CASES: usize = 250;
/// Failures that are open from the start.
const OPEN: usize = 2;

#[derive(Template)]
#[template(path = "failures.html")]
struct Failures<'a> {
    /// How many failed, and how.
    failed: usize,
    counts: String,
    groups: Vec<Group<'a>>,
    /// Those that failed and are not shown.
    more: u64,
}

/// Cases that failed alike; one alone has no title.
struct Group<'a> {
    number: usize,
    open: bool,
    verdict: &'static str,
    title: String,
    rules: Vec<&'a RuleFacts<'a>>,
    cases: Vec<Failed<'a>>,
}

struct Failed<'a> {
    number: usize,
    open: bool,
    verdict: &'static str,
    id: String,
    times: String,
    reason: String,
    /// Why this is expected, where it is.
    expected: String,
    rules: Vec<&'a RuleFacts<'a>>,
    /// Each as it is drawn here.
    pictures: Vec<(String, &'a Picture)>,
    texts: Vec<Text>,
    /// Texts and pictures that are left out.
    missing: usize,
}

struct Text {
    title: String,
    text: String,
    left_out: String,
    open: bool,
}

/// The failures in the order in which they are reported: forbidden outcomes of litmus tests, then other
/// failures, crashes and timeouts. Their places are their numbers in links.
pub(super) fn ordered<'f, 'a>(report: &'f Report<'a>) -> Vec<&'f CaseFacts<'a>> {
    let mut failed: Vec<&CaseFacts<'a>> = report.failures().collect();
    failed.sort_by_key(|case| {
        let drawn = case.about.is_some_and(|about| !about.pictures.is_empty());
        let kind = match case.result.verdict {
            Verdict::Fail => 0,
            Verdict::Crash => 1,
            Verdict::Timeout => 2,
            Verdict::Flaky => 3,
            Verdict::Pass | Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => 4,
        };
        (report.is_expected(case), !drawn, kind)
    });
    // Those alike stand where the first of them does.
    let mut first: HashMap<Alike, usize> = HashMap::new();
    let places: Vec<usize> = failed
        .iter()
        .enumerate()
        .map(|(place, case)| *first.entry(alike(report, case)).or_insert(place))
        .collect();
    let mut placed: Vec<(usize, &CaseFacts<'a>)> = places.into_iter().zip(failed).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, case)| case).collect()
}

/// What cases that failed alike have in common: whether that was expected, verdict, rules broken, and the
/// reason where there are none.
type Alike = (bool, Verdict, Vec<String>, String);

fn alike(report: &Report<'_>, case: &CaseFacts<'_>) -> Alike {
    let rules: Vec<String> = broken(report, case).map(|r| r.rule.id.clone()).collect();
    let reason = if rules.is_empty() {
        case.result.reason.clone()
    } else {
        String::new()
    };
    (report.is_expected(case), case.result.verdict, rules, reason)
}

/// The rules of the catalogue that a case names as broken.
fn broken<'f, 'a>(
    report: &'f Report<'a>,
    case: &'f CaseFacts<'a>,
) -> impl Iterator<Item = &'f RuleFacts<'a>> {
    named(case.result)
        .into_iter()
        .filter_map(|rule| report.rules.iter().find(|r| r.rule.id == rule.as_str()))
}

/// The number of each failure that is reported, by its case.
pub(super) fn numbers<'a>(report: &Report<'a>) -> BTreeMap<&'a str, usize> {
    let reported = ordered(report).into_iter().take(CASES).enumerate();
    reported
        .map(|(number, case)| (case.result.case.as_str(), number))
        .collect()
}

/// What is left of the budget, and what was shown.
struct Budget {
    left: usize,
    shown: HashMap<String, String>,
}

impl Budget {
    fn take(&mut self, bytes: usize) -> bool {
        let enough = bytes <= self.left;
        if enough {
            self.left -= bytes;
        }
        enough
    }

    /// A text under a title, for a case; `None` where the budget is spent.
    fn text(&mut self, case: &str, title: &str, text: &str, open: bool) -> Option<Text> {
        if let Some(first) = self.shown.get(text) {
            return Some(Text {
                title: title.to_owned(),
                text: format!("as in {first}"),
                left_out: String::new(),
                open: false,
            });
        }
        let (kept, left_out) = cut(text, TEXT);
        if !self.take(kept.len()) {
            return None;
        }
        if text.len() > 200 {
            self.shown.insert(text.to_owned(), case.to_owned());
        }
        Some(Text {
            title: title.to_owned(),
            text: kept,
            left_out,
            open,
        })
    }
}

/// The section; none where nothing failed.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let failed = ordered(report);
    if failed.is_empty() {
        return Ok(None);
    }
    let mut budget = Budget {
        left: BUDGET,
        shown: HashMap::new(),
    };
    let reported: Vec<(Alike, Failed<'_>)> = failed
        .iter()
        .take(CASES)
        .enumerate()
        .map(|(number, case)| {
            (
                alike(report, case),
                described(report, number, case, &mut budget),
            )
        })
        .collect();
    let groups = grouped_alike(reported);
    let counts: Vec<String> = [
        Verdict::Fail,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Flaky,
    ]
    .into_iter()
    .map(|v| (report.count(v), v.name()))
    .filter(|(n, _)| *n > 0)
    .map(|(n, name)| format!("{n} {name}"))
    .collect();
    let page = Failures {
        failed: failed.len(),
        counts: counts.join(", "),
        groups,
        more: failed.len().saturating_sub(CASES) as u64,
    };
    Ok(Some(page.render()?))
}

/// The failures in groups; they come with those alike beside each other.
fn grouped_alike<'a>(reported: Vec<(Alike, Failed<'a>)>) -> Vec<Group<'a>> {
    let mut groups: Vec<(Alike, Group<'a>)> = Vec::new();
    for (key, case) in reported {
        match groups.last_mut() {
            Some((last, group)) if *last == key => group.cases.push(case),
            Some(_) | None => {
                let group = Group {
                    number: groups.len(),
                    open: groups.len() < OPEN && case.expected.is_empty(),
                    verdict: case.verdict,
                    title: String::new(),
                    rules: Vec::new(),
                    cases: vec![case],
                };
                groups.push((key, group));
            }
        }
    }
    for ((_, _, rules, reason), group) in &mut groups {
        if group.cases.len() < 2 {
            continue;
        }
        group.title = if rules.is_empty() {
            cut(reason, 160).0
        } else {
            rules.join(", ")
        };
        // What each of them broke is said once.
        for case in &mut group.cases {
            group.rules = std::mem::take(&mut case.rules);
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// How often the case showed it.
fn times(case: &CaseFacts<'_>) -> String {
    let result = case.result;
    if result.failed_attempts > 0 {
        return format!("{} of {} attempts", result.failed_attempts, result.attempts);
    }
    match &case.target {
        Some(target) if target.all.count > 0 => share(&target.all),
        Some(_) | None => String::new(),
    }
}

fn described<'a>(
    report: &'a Report<'_>,
    number: usize,
    case: &'a CaseFacts<'_>,
    budget: &mut Budget,
) -> Failed<'a> {
    let result = case.result;
    let id = result.case.as_str();
    let mut missing = 0;
    let mut pictures = Vec::new();
    for picture in case.about.map_or(&[][..], |about| &about.pictures) {
        let svg = drawn(&picture.svg);
        if svg.len() <= PICTURE && budget.take(svg.len() + picture.text.len()) {
            pictures.push((svg, picture));
        } else {
            missing += 1;
        }
    }
    let explained = !pictures.is_empty();
    let mut texts = Vec::new();
    // What a memory model forbids is explained by evidence of its own.
    let forbidden = |e: &&Evidence| e.kind == EvidenceKind::Forbidden;
    let violations = match result.evidence.iter().find(forbidden) {
        Some(_) => String::new(),
        None => result
            .violations
            .iter()
            .map(outcome::violation)
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let violations = (!violations.is_empty()).then_some(("violations", violations.as_str(), true));
    let evidence = result
        .evidence
        .iter()
        .filter(|e| e.kind != EvidenceKind::Environment)
        .filter(|e| !(explained && forbidden(e)))
        .map(|e| (e.kind.name(), e.text.as_str(), false));
    let notes = case.about.map_or(&[][..], |about| &about.notes).iter();
    let notes = notes.map(|note| (note.title.as_str(), note.text.as_str(), false));
    for (title, text, open) in violations.into_iter().chain(evidence).chain(notes) {
        match budget.text(id, title, text, open) {
            Some(text) => texts.push(text),
            None => missing += 1,
        }
    }
    Failed {
        number,
        open: number == 0,
        verdict: result.verdict.name(),
        id: id.to_owned(),
        times: times(case),
        reason: result.reason.clone(),
        expected: match report.context.expectations.of(result) {
            Standing::Expected(entry) => format!("Expected: {}", entry.why()),
            Standing::Unexpected(entry) => entry.unmet(result.verdict),
            Standing::Plain => String::new(),
        },
        rules: broken(report, case).collect(),
        pictures,
        texts,
        missing,
    }
}

/// A picture as a part of a page, where it needs no name space.
fn drawn(svg: &str) -> String {
    svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "")
}
