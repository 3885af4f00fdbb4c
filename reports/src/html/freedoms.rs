//! What the device was seen to do where the specification leaves a choice.

use super::HtmlError;
use crate::report::Report;
use crate::report::freedoms::{FreedomFacts, Sight};
use crate::text::number::{bound, grouped, interval, rate};
use askama::Template;

#[derive(Template)]
#[template(path = "freedoms.html")]
struct Page<'a> {
    seen: usize,
    freedoms: &'a [FreedomFacts],
}

/// The section.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let seen = |facts: &&FreedomFacts| match &facts.sight {
        Sight::Possible { all, .. } => all.count > 0,
        Sight::Lacking(_) | Sight::Untried(_) | Sight::Unasked => false,
    };
    let page = Page {
        seen: report.freedoms.iter().filter(seen).count(),
        freedoms: &report.freedoms,
    };
    Ok(Some(page.render()?))
}
