//! Rates over time: those that drift, or the most seen where none does.

use super::histograms::rate_text;
use super::words::count;
use super::{HtmlError, draw};
use crate::report::{CaseFacts, OutcomeFacts, Report};
use crate::text::number::{self, grouped};
use askama::Template;

/// Drawings.
const CHARTS: usize = 12;
/// Drawings where nothing drifts.
const CALM: usize = 4;
/// Stretches of time in a drawing.
const STRETCHES: usize = 80;
/// Launches, at least, that make a line.
const LAUNCHES: usize = 8;

#[derive(Template)]
#[template(path = "time.html")]
struct Time {
    /// Tests with launches enough, and those with a rate that drifts.
    reported: usize,
    drifts: u64,
    charts: Vec<Chart>,
}

struct Chart {
    test: String,
    outcome: String,
    said: String,
    svg: String,
}

/// The section; none where no test has launches enough.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let reported = report
        .cases
        .iter()
        .filter(|case| case.outcomes.iter().any(|o| o.stationarity.is_some()))
        .count();
    let mut drifting: Vec<(&CaseFacts<'_>, &OutcomeFacts)> = report
        .cases
        .iter()
        .filter_map(|case| case.drift().map(|(outcome, _)| (case, outcome)))
        .collect();
    let p = |o: &OutcomeFacts| o.stationarity.map_or(1.0, |s| s.p_value());
    drifting.sort_by(|(_, a), (_, b)| p(a).total_cmp(&p(b)));
    let drifts = drifting.len();
    let chosen = if drifts > 0 {
        drifting.truncate(CHARTS);
        drifting
    } else {
        calm(report)
    };
    if chosen.is_empty() {
        return Ok(None);
    }
    let page = Time {
        reported,
        drifts: drifts as u64,
        charts: chosen
            .iter()
            .map(|(case, outcome)| chart(case, outcome))
            .collect(),
    };
    Ok(Some(page.render()?))
}

/// The tests whose target outcome is one that was seen, most frequent first.
fn calm<'f, 'a>(report: &'f Report<'a>) -> Vec<(&'f CaseFacts<'a>, &'f OutcomeFacts)> {
    let mut seen: Vec<(&CaseFacts<'a>, &OutcomeFacts)> = report
        .cases
        .iter()
        .filter_map(|case| {
            let target = case.outcomes.iter().find(|o| o.target)?;
            let partial = target.all.count < target.all.instances;
            (partial && target.all.launches >= LAUNCHES).then_some((case, target))
        })
        .collect();
    seen.sort_by_key(|(_, o)| std::cmp::Reverse(o.all.count));
    seen.truncate(CALM);
    seen
}

fn chart(case: &CaseFacts<'_>, outcome: &OutcomeFacts) -> Chart {
    let clusters = case.result.clusters(outcome.outcome.as_ref());
    let rates = draw::stretches(&clusters, STRETCHES);
    let mut said = vec![rate_text(outcome)];
    if let Some(effect) = outcome
        .all
        .design_effect
        .filter(|_| outcome.all.is_overdispersed())
    {
        said.push(format!("design effect {}", number::effect(effect)));
    }
    if let Some(found) = outcome.stationarity {
        said.push(format!(
            "{:.2} times its mean in the first eighth, {:.2} times in the last",
            found.first, found.last
        ));
    }
    Chart {
        test: case.result.name().to_owned(),
        outcome: outcome.text.clone(),
        said: said.join(" · "),
        svg: draw::chart(
            &rates,
            outcome,
            case.result.launches.iter().map(|l| l.seconds).sum(),
        ),
    }
}
