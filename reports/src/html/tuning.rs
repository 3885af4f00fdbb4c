//! The mutants that tuning saw, and how often; those that it did not see come first.

use super::HtmlError;
use super::words::{count, lasting};
use crate::record::DeviceRecord;
use crate::report::Report;
use crate::report::tuning::{Mutant, Part, Sight, Tuning};
use crate::text::number::short;
use askama::Template;

#[derive(Template)]
#[template(path = "tuning.html")]
struct Page<'a> {
    tuning: &'a Tuning,
    /// The run's device.
    device: Option<&'a DeviceRecord>,
    kinds: [(&'static str, Part); 3],
    groups: [(&'static str, Vec<&'a Mutant>, bool); 2],
    merged: String,
}

/// The section; none without a tuning.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(tuning) = &report.context.tuning else {
        return Ok(None);
    };
    let score = &tuning.score;
    let (seen, unseen) = tuning.mutants.iter().partition(|mutant| mutant.seen);
    let page = Page {
        tuning,
        device: report.run.device.as_ref(),
        kinds: [
            ("an interleaving shows them", score.interleaving),
            ("x86-TSO allows them, no interleaving does", score.x86),
            ("weaker than x86-TSO", score.weaker),
        ],
        groups: [("not seen", unseen, true), ("seen", seen, false)],
        merged: serde_saphyr::to_string(&tuning.merged).unwrap_or_default(),
    };
    Ok(Some(page.render()?))
}

impl Page<'_> {
    /// Whether it was tuned for another device than the run's.
    fn is_elsewhere(&self) -> bool {
        let of = &self.tuning.device;
        let same = |device: &DeviceRecord| device.name == of.name && device.driver == of.driver;
        !self.device.is_some_and(same)
    }
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / of.max(1) as f64)
}

fn takes(sight: Sight) -> &'static str {
    match sight {
        Sight::Interleaving => "interleaving",
        Sight::X86 => "x86-TSO",
        Sight::Weaker => "weaker",
    }
}
