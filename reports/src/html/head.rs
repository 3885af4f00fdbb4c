//! How it ended, in a sentence and a bar.

use super::HtmlError;
use super::bar::Bar;
use super::words::{count, lasting, moment};
use crate::expectation::Standing;
use crate::record::Verdict;
use crate::report::{CaseFacts, Report, Standing as RuleStanding};
use crate::store::RunStatus;
use crate::text;
use crate::text::number::{grouped, percent, short};
use askama::Template;

#[derive(Template)]
#[template(path = "head.html")]
pub(super) struct Head {
    /// What kind of page it is.
    pub over: String,
    /// What it is of.
    pub title: String,
    pub under: String,
    pub headline: String,
    /// `good`, `bad` or neither.
    pub tone: &'static str,
    pub warnings: Vec<String>,
    pub verdicts: Bar,
    pub figures: Vec<Figure>,
}

/// Warnings that are shown.
const WARNINGS: usize = 8;

/// What a figure is of, its value, and what is to be known of it.
pub(super) type Figure = (&'static str, String, String);

/// The class of a verdict in the style; `skip` alone would be the link that skips.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Skip => "skip-v",
        Verdict::Pass
        | Verdict::Fail
        | Verdict::Crash
        | Verdict::Timeout
        | Verdict::Flaky
        | Verdict::Inconclusive
        | Verdict::Contested => verdict.name(),
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
    if let Some(reach) = report
        .run
        .reach
        .as_ref()
        .filter(|r| !r.unreached.is_empty())
    {
        warnings.push(format!(
            "The time of the run was over before all was reached: {}. --full runs everything.",
            text::reach(reach)
        ));
    } else if left > 0 || report.run.status != RunStatus::Done {
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
    let (instances, seconds) = (report.instances() as f64, report.seconds());
    let launches = format!("in {} launches", grouped(report.launches()));
    let pace = format!("{} instances/s", short(instances / seconds.max(1e-9)));
    let mut all = vec![
        ("instances", short(instances), launches),
        ("time", lasting(seconds), pace),
    ];
    if let Some(share) = report.compiler() {
        let of = "of that time in the driver’s compiler".into();
        all.push(("building", percent(share), of));
    }
    let rules = |standing| {
        let rules = report.rules.iter();
        rules.filter(|rule| rule.standing() == standing).count()
    };
    if !report.rules.is_empty() {
        let (broken, held) = (rules(RuleStanding::Broken), rules(RuleStanding::Held));
        all.push(("rules broken", broken.to_string(), format!("{held} held")));
    }
    let tests = |is: &dyn Fn(&CaseFacts<'_>) -> bool| {
        let tests = report.cases.iter();
        count(tests.filter(|case| is(case)).count(), "test")
    };
    let scattered = tests(&|case| case.scatter().is_some());
    let beyond = "more than independent instances would".into();
    all.push(("launches scatter", scattered, beyond));
    let drifting = tests(&|case| case.drift().is_some());
    all.push(("rates drift", drifting, "not steady over the run".into()));
    if let Some(baseline) = &report.context.baseline {
        let failures = grouped(baseline.differences.new_failures().count() as u64);
        let with = format!("compared with {}", baseline.name);
        all.push(("new failures", failures, with));
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
        over: format!("classay report, run {}", run.id),
        title: device(report).to_owned(),
        under: under.join(" · "),
        headline,
        tone,
        warnings: warnings(report),
        verdicts: Bar::of(verdicts),
        figures: figures(report),
    };
    Ok(head.render()?)
}
