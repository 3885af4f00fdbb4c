//! How it ended, in a sentence and a bar.

use super::HtmlError;
use super::bar::Bar;
use super::words::{count, lasting, moment};
use crate::expectation::Standing;
use crate::record::Verdict;
use crate::report::{Report, Standing as RuleStanding};
use crate::store::RunStatus;
use crate::text::number::{grouped, short};
use askama::Template;

#[derive(Template)]
#[template(path = "head.html")]
struct Head {
    run: String,
    device: String,
    under: String,
    headline: String,
    tone: &'static str,
    warnings: Vec<String>,
    verdicts: Bar,
    figures: Vec<Figure>,
}

/// Warnings that are shown.
const WARNINGS: usize = 8;

struct Figure {
    name: &'static str,
    value: String,
    more: String,
}

/// The class of a verdict in the style; `skip` alone would be the link that skips.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Skip => "skip-v",
        Verdict::Pass
        | Verdict::Fail
        | Verdict::Crash
        | Verdict::Timeout
        | Verdict::Inconclusive => verdict.name(),
    }
}

fn device<'a>(report: &'a Report<'_>) -> &'a str {
    let name = report.run.device.as_ref().map(|d| d.name.as_str());
    name.filter(|name| !name.is_empty())
        .unwrap_or("a device that was not opened")
}

/// The title of the window.
pub(super) fn title(report: &Report<'_>) -> String {
    format!("{} — {} — classay", headline(report).0, device(report))
}

fn headline(report: &Report<'_>) -> (String, &'static str) {
    let ran = report.cases.len() - report.count(Verdict::Skip);
    let failed = report.failures().count();
    let expected = report.failures().filter(|c| report.is_expected(c)).count();
    match failed {
        _ if report.cases.is_empty() => ("No case has a result".into(), ""),
        0 if ran == 0 => ("Every case was skipped".into(), ""),
        0 => (
            format!("None of {} that ran failed", count(ran, "case")),
            "good",
        ),
        n if expected == n => (
            format!(
                "{} of {} that ran failed, as expected",
                grouped(n as u64),
                count(ran, "case")
            ),
            "good",
        ),
        n => {
            let known = match expected {
                0 => String::new(),
                known => format!(", {} of them as expected", grouped(known as u64)),
            };
            (
                format!(
                    "{} of {} that ran failed{known}",
                    grouped(n as u64),
                    count(ran, "case")
                ),
                "bad",
            )
        }
    }
}

fn warnings(report: &Report<'_>) -> Vec<String> {
    let left = report.run.planned.saturating_sub(report.cases.len() as u64);
    let mut warnings = Vec::new();
    if left > 0 || report.run.status != RunStatus::Done {
        warnings.push(format!(
            "The run is not finished: {} of {} have no result.",
            grouped(left),
            count(report.run.planned as usize, "planned case")
        ));
    }
    for case in &report.cases {
        let result = case.result;
        match report.context.expectations.of(result) {
            Standing::Unexpected(entry) if !result.verdict.is_failure() => {
                warnings.push(format!("{}: {}", result.case, entry.unmet(result.verdict)));
            }
            Standing::Unexpected(_) | Standing::Expected(_) | Standing::Plain => {}
        }
    }
    let more = warnings.len().saturating_sub(WARNINGS);
    if more > 0 {
        warnings.truncate(WARNINGS);
        warnings.push(format!(
            "{} did not end as expected either.",
            count(more, "more case")
        ));
    }
    warnings
}

fn figures(report: &Report<'_>) -> Vec<Figure> {
    let (instances, seconds) = (report.instances(), report.seconds());
    let figure = |name, value, more| Figure { name, value, more };
    let mut all = vec![
        figure(
            "instances",
            short(instances as f64),
            format!("in {} launches", grouped(report.launches())),
        ),
        figure(
            "time",
            lasting(seconds),
            format!(
                "{} instances/s",
                short(instances as f64 / seconds.max(1e-9))
            ),
        ),
    ];
    let broken = report
        .rules
        .iter()
        .filter(|r| r.standing() == RuleStanding::Broken);
    let held = report
        .rules
        .iter()
        .filter(|r| r.standing() == RuleStanding::Held);
    if !report.rules.is_empty() {
        all.push(figure(
            "rules broken",
            broken.count().to_string(),
            format!("{} held", held.count()),
        ));
    }
    let scattered = report
        .cases
        .iter()
        .filter(|c| c.scatter().is_some())
        .count();
    let drifting = report.cases.iter().filter(|c| c.drift().is_some()).count();
    all.push(figure(
        "launches scatter",
        count(scattered, "test"),
        "more than independent instances would".into(),
    ));
    all.push(figure(
        "rates drift",
        count(drifting, "test"),
        "not steady over the run".into(),
    ));
    if let Some(baseline) = &report.context.baseline {
        all.push(figure(
            "new failures",
            grouped(baseline.differences.failures.len() as u64),
            format!("compared with {}", baseline.name),
        ));
    }
    all
}

/// The part above everything else.
pub(super) fn head(report: &Report<'_>) -> Result<String, HtmlError> {
    let run = report.run;
    let mut under = Vec::new();
    if let Some(device) = &run.device {
        under.push(format!("{} ({})", device.platform, device.platform_version));
        under.push(format!("driver {}", device.driver));
    }
    under.push(moment(run.record.created));
    if let Some(finished) = run.finished {
        let took = (finished - run.record.created).as_seconds_f64();
        under.push(format!("took {}", lasting(took.max(0.0))));
    }
    under.push(format!("seed {}", run.record.seed));
    let (headline, tone) = headline(report);
    let verdicts = Verdict::WORST_FIRST.map(|v| (class(v), v.name(), report.count(v)));
    let head = Head {
        run: run.id.to_string(),
        device: device(report).to_owned(),
        under: under.join(" · "),
        headline,
        tone,
        warnings: warnings(report),
        verdicts: Bar::of(verdicts),
        figures: figures(report),
    };
    Ok(head.render()?)
}
