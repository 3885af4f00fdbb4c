//! One run as one HTML file that needs nothing else: no network, no script to be read, no program but a
//! browser.
//!
//! - `head`: what a person wants to know first: how it ended, in a sentence and a bar;
//! - `failures`: the bad news, each with its picture and its evidence, within a budget of bytes;
//! - `comparison`: what differs from an earlier run;
//! - `rules`: how the rules of the specification fared, by section;
//! - `freedoms`: what the device was seen to do where rules leave a choice;
//! - `heat`: shapes of litmus tests by scopes and orders;
//! - `tests`: a line a case, and `histograms`: the outcomes of each test with their intervals;
//! - `time`: rates that drift, over the launches;
//! - `faults`: what a mutation campaign detected;
//! - `tuning`: which mutants tuning saw;
//! - `progress`: which model of forward progress the device was seen to keep;
//! - `machine`: device, plan, environment;
//! - `history`: the versions of a driver side by side, a page of its own;
//! - `bar` and `draw`: the small drawings; `words`: numbers and texts as the page shows them.
//!
//! The markup is in `templates/`, and a page is at once HTML and well-formed XML, which tests check. It holds
//! a policy under which a browser loads nothing from anywhere. Its script sorts and finds; without it
//! everything is there and reads the same. Colours follow the reader's light or dark.
//!
//! Size: a row a case and a row an outcome, so a thousand tests stay below two megabytes (a test holds that);
//! what is longer (evidence, pictures, histograms of very many tests) is cut at stated bounds, and the page
//! says what was left out.

mod bar;
mod comparison;
mod draw;
mod failures;
mod faults;
mod freedoms;
mod head;
mod heat;
mod histograms;
mod history;
mod machine;
mod progress;
mod rules;
mod tests;
mod time;
mod tuning;
mod words;

#[cfg(test)]
mod page_tests;

pub use history::history;

use crate::report::Report;
use askama::Template;

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/script.js");

/// A page that could not be written, which is a bug.
#[derive(Debug, thiserror::Error)]
#[error("the HTML report could not be written: {0}")]
pub struct HtmlError(#[from] askama::Error);

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    version: &'a str,
    title: String,
    style: &'a str,
    script: &'a str,
    head: String,
    sections: Vec<Section>,
}

/// A part of the page.
struct Section {
    /// Its place in links.
    id: &'static str,
    title: &'static str,
    /// Its content.
    html: String,
}

/// The page.
///
/// # Errors
///
/// A template could not be written.
pub fn html(report: &Report<'_>) -> Result<String, HtmlError> {
    let scale = draw::Scale::of(report);
    let parts = [
        ("failures", "What failed", failures::section(report)?),
        (
            "comparison",
            "Compared with the baseline",
            comparison::section(report)?,
        ),
        (
            "rules",
            "Rules of the specification",
            rules::section(report)?,
        ),
        ("freedoms", "Freedoms taken", freedoms::section(report)?),
        (
            "heat",
            "Weak outcomes by shape and order",
            heat::section(report)?,
        ),
        ("faults", "Faults detected", faults::section(report)?),
        ("mutants", "Mutants seen", tuning::section(report)?),
        ("progress", "Forward progress", progress::section(report)?),
        ("tests", "Tests", tests::section(report, &scale)?),
        (
            "histograms",
            "Histograms",
            histograms::section(report, &scale)?,
        ),
        ("time", "Rates over time", time::section(report)?),
        (
            "machine",
            "Device, plan and machine",
            machine::section(report)?,
        ),
    ];
    page(
        &report.run.record.version,
        head::title(report),
        head::head(report)?,
        parts,
    )
}

/// A page of these sections, of which those without content are left out: each its place in links, its title and
/// its content.
fn page(
    version: &str,
    title: String,
    head: String,
    sections: impl IntoIterator<Item = (&'static str, &'static str, Option<String>)>,
) -> Result<String, HtmlError> {
    let sections = sections.into_iter();
    let page = Page {
        version,
        title,
        style: STYLE,
        script: SCRIPT,
        head,
        sections: sections
            .filter_map(|(id, title, html)| html.map(|html| Section { id, title, html }))
            .collect(),
    };
    // What drivers say may hold characters that no page can.
    Ok(crate::junit::legal(&page.render()?))
}
