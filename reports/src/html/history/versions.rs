//! A line a version: what it is, when it ran, how its cases ended.

use super::{bar, place, titled};
use crate::history::{Group, History};
use crate::html::HtmlError;
use crate::html::bar::Bar;
use crate::html::words::moment;
use crate::text::number::grouped;
use askama::Template;

#[derive(Template)]
#[template(path = "history/versions.html")]
struct Versions {
    groups: Vec<Of>,
}

struct Of {
    title: String,
    versions: Vec<Line>,
}

struct Line {
    place: String,
    number: usize,
    name: String,
    /// What the device reports of itself, and where the run is kept.
    under: String,
    when: String,
    verdicts: Bar,
    left: String,
    broken: String,
}

/// The section.
pub(super) fn section(history: &History) -> Result<Option<String>, HtmlError> {
    let groups = history.groups.iter().enumerate().map(|(at, group)| Of {
        title: titled(history, group),
        versions: lines(at, group),
    });
    let page = Versions {
        groups: groups.collect(),
    };
    Ok(Some(page.render()?))
}

fn lines(at: usize, group: &Group) -> Vec<Line> {
    let versions = group.versions.iter().enumerate();
    versions
        .map(|(number, version)| {
            let mut under = Vec::new();
            if let Some(device) = &version.run.device {
                under.push(format!("driver {}", device.driver));
                under.push(device.version.trim().to_owned());
                under.push(device.name.trim().to_owned());
            }
            under.push(format!(
                "run {} of {}, seed {}",
                version.run.id, version.store, version.run.record.seed
            ));
            Line {
                place: place(at, number),
                number: number + 1,
                name: version.name.clone(),
                under: under.join(" · "),
                when: moment(version.run.record.created),
                verdicts: bar(version),
                left: grouped(version.unreached() as u64),
                broken: grouped(group.broken(number) as u64),
            }
        })
        .collect()
}
