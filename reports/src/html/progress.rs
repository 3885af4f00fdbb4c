//! Which model of forward progress the device was seen to keep.

use super::HtmlError;
use crate::record::DeviceRecord;
use crate::report::Report;
use crate::report::progress::{ProgramLine, Progress, SeenLine};
use askama::Template;
use std::collections::BTreeMap;

#[derive(Template)]
#[template(path = "progress.html")]
struct Page<'a> {
    progress: &'a Progress,
    /// The run's device.
    device: Option<&'a DeviceRecord>,
}

/// The section; none where nothing was played.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(progress) = &report.context.progress else {
        return Ok(None);
    };
    let page = Page {
        progress,
        device: report.run.device.as_ref(),
    };
    Ok(Some(page.render()?))
}

impl Page<'_> {
    /// The devices that are not the run's.
    fn elsewhere(&self) -> Option<&SeenLine> {
        let own = |line: &&SeenLine| {
            self.device
                .is_some_and(|device| device.name == line.device && device.driver == line.driver)
        };
        self.progress.seen.iter().find(|line| !own(line))
    }

    fn of<'a>(&'a self, seen: &SeenLine) -> Vec<&'a ProgramLine> {
        let all = self.progress.programs.iter();
        all.filter(|line| line.among == seen.among && line.device == seen.device)
            .collect()
    }
}

/// Models with the programs that say so.
fn by(models: &BTreeMap<String, Vec<String>>) -> String {
    let each = models
        .iter()
        .map(|(model, by)| format!("{model} ({})", by.join(", ")));
    each.collect::<Vec<_>>().join("; ")
}
