//! What differs from an earlier run: new failures, and rates that changed.

use super::words::{count, moment};
use super::{HtmlError, draw};
use crate::difference::{OutcomeChange, VerdictChange};
use crate::report::{Baseline, Report};
use crate::text::number::{grouped, rate, ratio_interval};
use askama::Template;

/// Changed rates, and changed verdicts of a kind, that are reported one by one.
const MOST: usize = 300;

#[derive(Template)]
#[template(path = "comparison.html")]
struct Comparison<'a> {
    lead: String,
    headline: String,
    tone: &'static str,
    notes: Vec<String>,
    groups: Vec<(&'static str, &'a [VerdictChange])>,
    rates: Vec<Rate>,
    more: String,
}

struct Rate {
    test: String,
    outcome: String,
    before: String,
    after: String,
    ratio: String,
    interval: String,
    drawn: String,
    q: String,
}

/// The section; none without a baseline.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(baseline) = &report.context.baseline else {
        return Ok(None);
    };
    let found = &baseline.differences;
    let changed: Vec<&OutcomeChange> = found.changed(baseline.rate).collect();
    let groups = [
        ("New failures", &found.failures),
        ("Other changes of verdicts", &found.verdicts),
    ];
    let mut left_out = changed.len().saturating_sub(MOST);
    let groups = groups
        .into_iter()
        .filter(|(_, changes)| !changes.is_empty())
        .map(|(title, changes)| {
            left_out += changes.len().saturating_sub(MOST);
            (title, &changes[..changes.len().min(MOST)])
        })
        .collect();
    let page = Comparison {
        lead: lead(baseline),
        headline: format!(
            "{}; {} of {} more or less frequent",
            count(found.failures.len(), "new failure"),
            grouped(changed.len() as u64),
            count(found.outcomes.len(), "outcome")
        ),
        tone: if found.passes(baseline.rate) {
            "good"
        } else {
            "bad"
        },
        notes: notes(baseline),
        groups,
        rates: changed.iter().take(MOST).map(|c| changed_rate(c)).collect(),
        more: match left_out {
            0 => String::new(),
            n => format!(
                "{} more changes are not shown; --json has them all.",
                grouped(n as u64)
            ),
        },
    };
    Ok(Some(page.render()?))
}

fn lead(baseline: &Baseline) -> String {
    let run = &baseline.run;
    let device = run.device.as_ref().map_or("no device", |d| d.name.as_str());
    let driver = run.device.as_ref().map_or("", |d| d.driver.as_str());
    format!(
        "Before: run {} of {}, on {device}, driver {driver}, {}.",
        run.id,
        baseline.name,
        moment(run.record.created)
    )
}

fn notes(baseline: &Baseline) -> Vec<String> {
    let found = &baseline.differences;
    let mut notes = vec![format!(
        "Of the rates reported as changed, at most {:.0} % are expected to be chance (false discovery rate).",
        baseline.rate * 100.0
    )];
    if !baseline.same_seed {
        notes.push("The seeds differ: of generated cases only the verdicts are compared.".into());
    }
    for (cases, which) in [(&found.missing, "earlier"), (&found.added, "later")] {
        if !cases.is_empty() {
            notes.push(format!(
                "{} only in the {which} run.",
                count(cases.len(), "case")
            ));
        }
    }
    notes
}

fn changed_rate(change: &OutcomeChange) -> Rate {
    let c = &change.comparison;
    let (ratio, interval, drawn) = match c.ratio {
        Some((ratio, ends)) => (
            format!("{ratio:.3}"),
            ratio_interval(ends),
            draw::ratio(ratio, ends),
        ),
        None => ("new".into(), String::new(), String::new()),
    };
    Rate {
        test: change.test.clone(),
        outcome: change.outcome.clone(),
        before: rate(c.first.rate()),
        after: rate(c.second.rate()),
        ratio,
        interval,
        drawn,
        q: format!("{:.1e}", change.q_value),
    }
}
