//! What differs from an earlier run: failures that it does not show, and rates that changed.

use super::words::{count, moment};
use super::{HtmlError, draw};
use crate::difference::{Differences, Finding, Gate, Newness, OutcomeChange, VerdictChange};
use crate::report::{Baseline, Report};
use crate::text::number::{grouped, rate, ratio_interval};
use crate::text::outcome::few_rules;
use askama::Template;

/// Changed rates, changed verdicts, and failures of a kind, that are reported one by one.
const MOST: usize = 300;

#[derive(Template)]
#[template(path = "comparison.html")]
struct Comparison<'a> {
    baseline: &'a Baseline,
    found: &'a Differences,
    /// Nothing new fails, and no rate changed.
    passes: bool,
    /// Failures that the earlier run does not show, by how sure it is that they are new, and how many it shows too.
    groups: Vec<(&'static str, Vec<Row<'a>>)>,
    known: usize,
    /// Other changes of verdicts.
    verdicts: &'a [VerdictChange],
    /// The changed rates that are shown, and how many there are.
    rates: &'a [&'a OutcomeChange],
    changed: u64,
    left_out: u64,
}

/// A failure.
struct Row<'a> {
    finding: &'a Finding,
    /// Its first case.
    first: String,
    /// How many more show it.
    more: usize,
    /// The rules that it breaks.
    rules: String,
}

impl<'a> Row<'a> {
    fn of(finding: &'a Finding) -> Row<'a> {
        Row {
            finding,
            first: finding
                .cases
                .first()
                .map_or_else(String::new, |case| case.to_string()),
            more: finding.cases.len().saturating_sub(1),
            rules: few_rules(&finding.signature.rules),
        }
    }
}

/// The section; none without a baseline.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(baseline) = &report.context.baseline else {
        return Ok(None);
    };
    let found = &baseline.differences;
    let changed: Vec<&OutcomeChange> = found.changed(baseline.rate).collect();
    let mut left_out =
        changed.len().saturating_sub(MOST) + found.verdicts.len().saturating_sub(MOST);
    let mut groups = Vec::new();
    for (title, newness) in [
        ("New failures", Newness::New),
        (
            "Perhaps new: chance may explain that the earlier run does not show them",
            Newness::Perhaps,
        ),
        (
            "Of kinds of cases that the earlier run did not play",
            Newness::Untried,
        ),
    ] {
        let rows: Vec<Row<'_>> = found.that_are(newness).take(MOST).map(Row::of).collect();
        left_out += found.that_are(newness).count() - rows.len();
        if !rows.is_empty() {
            groups.push((title, rows));
        }
    }
    let page = Comparison {
        baseline,
        found,
        passes: found.passes(Gate::Rates(baseline.rate)),
        groups,
        known: found.that_are(Newness::Known).count(),
        verdicts: &found.verdicts[..found.verdicts.len().min(MOST)],
        rates: &changed[..changed.len().min(MOST)],
        changed: changed.len() as u64,
        left_out: left_out as u64,
    };
    Ok(Some(page.render()?))
}
