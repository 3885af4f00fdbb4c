//! The outcomes of each test with their intervals, grouped by shape, and a line of the rate over time.
//!
//! A case that had one outcome only has no histogram: its line in the table says everything.

use super::HtmlError;
use super::draw::{self, Scale};
use super::head::class;
use super::words::{count, ends, seen};
use crate::report::{CaseFacts, OutcomeFacts, Report};
use crate::text::number::{self, grouped, rate};
use askama::Template;
use std::collections::BTreeMap;

/// Tests whose histograms are shown.
const TESTS: usize = 3000;
/// Outcomes of a test that are shown one by one.
const OUTCOMES: usize = 12;
/// Groups are open from the start where there are no more histograms than this.
const OPEN: usize = 24;
/// Stretches of time in a line.
const STRETCHES: usize = 16;

#[derive(Template)]
#[template(path = "histograms.html")]
struct Histograms {
    axis: String,
    groups: Vec<Group>,
    /// Tests whose histograms are not shown.
    more: u64,
}

struct Group {
    title: String,
    open: bool,
    tests: Vec<Test>,
}

struct Test {
    id: String,
    name: String,
    verdict: &'static str,
    class: &'static str,
    line: String,
    said: String,
    outcomes: Vec<Outcome>,
}

struct Outcome {
    target: bool,
    outcome: String,
    count: String,
    rate: String,
    interval: String,
    drawn: String,
}

fn has_histogram(case: &CaseFacts<'_>) -> bool {
    case.outcomes.len() > 1
}

/// For each case, the number of its histogram in links, where it has one.
pub(super) fn places(report: &Report<'_>) -> Vec<Option<usize>> {
    let mut next = 0;
    report
        .cases
        .iter()
        .map(|case| {
            let shown = has_histogram(case) && next < TESTS;
            next += usize::from(shown);
            shown.then(|| next - 1)
        })
        .collect()
}

/// The section; none where no case had several outcomes.
pub(super) fn section(report: &Report<'_>, scale: &Scale) -> Result<Option<String>, HtmlError> {
    let mut groups: BTreeMap<(u32, String), Vec<Test>> = BTreeMap::new();
    let mut shown = 0;
    for (case, place) in report.cases.iter().zip(places(report)) {
        let Some(place) = place else { continue };
        shown += 1;
        let annotation = case.about.and_then(|about| about.annotation.as_ref());
        let key = match annotation {
            Some(annotation) => (annotation.rank, annotation.shape.clone()),
            None => (u32::MAX, case.kind().to_owned()),
        };
        groups
            .entry(key)
            .or_default()
            .push(test(case, place, scale));
    }
    if groups.is_empty() {
        return Ok(None);
    }
    let all = report.cases.iter().filter(|c| has_histogram(c)).count();
    let page = Histograms {
        axis: scale.axis(),
        groups: groups
            .into_iter()
            .map(|((_, title), tests)| Group {
                title,
                open: shown <= OPEN,
                tests,
            })
            .collect(),
        more: (all - shown) as u64,
    };
    Ok(Some(page.render()?))
}

fn test(case: &CaseFacts<'_>, place: usize, scale: &Scale) -> Test {
    let mut outcomes: Vec<Outcome> = case
        .outcomes
        .iter()
        .take(OUTCOMES)
        .map(|o| outcome(o.text.clone(), o, scale))
        .collect();
    let rest = case.outcomes.get(OUTCOMES..).unwrap_or_default();
    if !rest.is_empty() {
        let together: u64 = rest
            .iter()
            .fold(0, |sum, o| sum.saturating_add(o.all.count));
        outcomes.push(Outcome {
            target: rest.iter().any(|o| o.target),
            outcome: format!("{} rarer", count(rest.len(), "outcome")),
            count: grouped(together),
            rate: String::new(),
            interval: String::new(),
            drawn: String::new(),
        });
    }
    if let Some(target) = case
        .target
        .as_ref()
        .filter(|target| target.bound().is_some())
    {
        outcomes.push(outcome("target outcomes".into(), target, scale));
    }
    Test {
        id: format!("h{place}"),
        name: case.result.name().to_owned(),
        verdict: case.result.verdict.name(),
        class: class(case.result.verdict),
        line: over_time(case),
        said: said(case),
        outcomes,
    }
}

fn outcome(name: String, facts: &OutcomeFacts, scale: &Scale) -> Outcome {
    Outcome {
        target: facts.target,
        outcome: name,
        count: grouped(facts.all.count),
        rate: seen(facts),
        interval: ends(facts),
        drawn: scale.rate(facts),
    }
}

fn over_time(case: &CaseFacts<'_>) -> String {
    let of = case.target.as_ref().filter(|target| target.all.count > 0);
    of.map_or_else(String::new, |target| {
        let rates = draw::stretches(&case.result.clusters(None), STRETCHES);
        draw::line(&rates, target.interval)
    })
}

/// What the launches say beside the intervals.
fn said(case: &CaseFacts<'_>) -> String {
    let processes = case.target.as_ref().map_or(0, |of| of.all.processes);
    let mut said = vec![format!(
        "{} in {} of {}",
        count(case.result.instances as usize, "instance"),
        number::launches(case.result.launches.len()),
        number::processes(processes)
    )];
    if let Some(never) = case.target.as_ref().and_then(|of| of.never) {
        said.push(format!("target outcome: {}", number::never(&never)));
    }
    if let Some(expected) = case.about.and_then(|about| about.expected) {
        said.push(format!("target: {}", expected.name()));
    }
    if let Some(effect) = case.scatter() {
        said.push(format!("design effect up to {}", number::effect(effect)));
    }
    if let Some((outcome, found)) = case.drift() {
        said.push(format!(
            "not steady: {} is {:.2} times its mean in the first eighth, {:.2} times in the last",
            outcome.text, found.first, found.last
        ));
    }
    if case.outcomes.iter().all(|o| o.all.launches < 2) {
        said.push("one launch: intervals as if instances were independent".into());
    }
    said.join(" · ")
}

/// A rate in words, for a drawing of it.
pub(super) fn rate_text(facts: &OutcomeFacts) -> String {
    format!("rate {}", rate(facts.rate()))
}
