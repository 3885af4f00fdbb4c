//! A line a case: verdict, instances, how often its target outcomes were seen.

use super::draw::Scale;
use super::head::class;
use super::words::{count, ends, seen};
use super::{HtmlError, failures, histograms};
use crate::record::Verdict;
use crate::report::Report;
use crate::text::number::grouped;
use askama::Template;

#[derive(Template)]
#[template(path = "tests.html")]
struct Tests {
    lead: String,
    axis: String,
    verdicts: Vec<&'static str>,
    tests: Vec<Test>,
}

struct Test {
    verdict: &'static str,
    class: &'static str,
    link: String,
    name: String,
    why: String,
    instances: String,
    rate: String,
    interval: String,
    drawn: String,
    seconds: String,
}

/// The section; none without results.
pub(super) fn section(report: &Report<'_>, scale: &Scale) -> Result<Option<String>, HtmlError> {
    if report.cases.is_empty() {
        return Ok(None);
    }
    let numbers = failures::numbers(report);
    let drawn = histograms::places(report);
    let tests = report
        .cases
        .iter()
        .zip(&drawn)
        .map(|(case, histogram)| {
            let result = case.result;
            let target = case.target.as_ref();
            let failed = numbers.get(result.case.as_str());
            Test {
                verdict: result.verdict.name(),
                class: class(result.verdict),
                link: match (failed, histogram) {
                    (Some(number), _) => format!("f{number}"),
                    (None, Some(number)) => format!("h{number}"),
                    (None, None) => String::new(),
                },
                name: result.name().to_owned(),
                why: match result.verdict {
                    Verdict::Skip
                    | Verdict::Crash
                    | Verdict::Timeout
                    | Verdict::Flaky
                    | Verdict::Inconclusive
                    | Verdict::Contested => result.reason.clone(),
                    Verdict::Pass | Verdict::Fail => String::new(),
                },
                instances: match result.instances {
                    0 => String::new(),
                    n => grouped(n),
                },
                rate: target.map_or_else(String::new, seen),
                interval: target.map_or_else(String::new, ends),
                drawn: target.map_or_else(String::new, |target| scale.rate(target)),
                seconds: format!("{:.2}", result.seconds),
            }
        })
        .collect();
    let kinds = report.kinds();
    let page = Tests {
        lead: format!(
            "{} of {}. “Target” is how often an outcome was seen for which the test’s condition holds; a name leads to \
             its histogram, or to how it failed.",
            count(report.cases.len(), "case"),
            count(kinds.len(), "kind")
        ),
        axis: scale.axis(),
        verdicts: Verdict::ALL
            .into_iter()
            .filter(|v| report.count(*v) > 0)
            .map(Verdict::name)
            .collect(),
        tests,
    };
    Ok(Some(page.render()?))
}
