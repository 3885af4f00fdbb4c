//! What differs from an earlier run: new failures, and rates that changed.

use super::words::{count, moment};
use super::{HtmlError, draw};
use crate::difference::{Differences, Gate, OutcomeChange, VerdictChange};
use crate::report::{Baseline, Report};
use crate::text::number::{grouped, rate, ratio_interval};
use askama::Template;

/// Changed rates, and changed verdicts of a kind, that are reported one by one.
const MOST: usize = 300;

#[derive(Template)]
#[template(path = "comparison.html")]
struct Comparison<'a> {
    baseline: &'a Baseline,
    found: &'a Differences,
    /// Nothing new fails, and no rate changed.
    passes: bool,
    /// Changes of verdicts, by kind.
    groups: Vec<(&'static str, &'a [VerdictChange])>,
    /// The changed rates that are shown, and how many there are.
    rates: &'a [&'a OutcomeChange],
    changed: u64,
    left_out: u64,
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
        baseline,
        found,
        passes: found.passes(Gate::Rates(baseline.rate)),
        groups,
        rates: &changed[..changed.len().min(MOST)],
        changed: changed.len() as u64,
        left_out: left_out as u64,
    };
    Ok(Some(page.render()?))
}
