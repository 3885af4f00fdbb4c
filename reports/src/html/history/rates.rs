//! Weak outcomes over the versions, a small drawing each; and what the device of each version offers.

use super::{place, titled};
use crate::history::{Capability, Group, History, Rates};
use crate::html::HtmlError;
use crate::html::draw::{self, Point};
use crate::html::words::seen;
use askama::Template;

/// Drawings of a driver.
const CHARTS: usize = 24;

#[derive(Template)]
#[template(path = "history/rates.html")]
struct Page {
    lead: String,
    groups: Vec<Of>,
}

struct Of {
    title: String,
    charts: Vec<Chart>,
    left: usize,
}

struct Chart {
    test: String,
    said: String,
    svg: String,
}

/// The section; none where no weak outcome was seen.
pub(super) fn section(history: &History) -> Result<Option<String>, HtmlError> {
    if history.groups.iter().all(|group| group.rates.is_empty()) {
        return Ok(None);
    }
    let groups = history.groups.iter().map(|group| Of {
        title: titled(history, group),
        charts: group
            .rates
            .iter()
            .take(CHARTS)
            .map(|rates| chart(group, rates))
            .collect(),
        left: group.rates.len().saturating_sub(CHARTS),
    });
    let page = Page {
        lead: format!(
            "How often each version showed the outcome that a litmus test asks about, where the memory model allows it \
             and no interleaving gives it. Bars are 95 % intervals over processes, numbers are those of the versions; a \
             dashed line ends at the rate that what was never seen is below. A diamond marks a version in which some \
             outcome of the test is more or less frequent than in the one before: of these, at most {:.0} % are \
             expected to be chance. Those that changed come first.",
            100.0 * history.context.false_discovery
        ),
        groups: groups.collect(),
    };
    Ok(Some(page.render()?))
}

fn chart(group: &Group, rates: &Rates) -> Chart {
    let points = rates.points.iter().enumerate().map(|(place, point)| {
        let facts = point.as_ref()?;
        let below = facts.bound();
        Some(Point {
            rate: below.unwrap_or_else(|| facts.rate()),
            interval: below.is_none().then_some(facts.interval),
            changed: rates.changed.contains(&place),
        })
    });
    let points: Vec<Option<Point>> = points.collect();
    let known = rates.points.iter().zip(&group.versions);
    let mut known = known.filter_map(|(point, version)| Some((point.as_ref()?, version)));
    let said = match (known.clone().next(), known.next_back()) {
        (Some((first, a)), Some((last, b))) if a.name != b.name => {
            format!(
                "{} in {}, {} in {}",
                seen(first),
                a.name,
                seen(last),
                b.name
            )
        }
        (Some((only, a)), _) => format!("{} in {}", seen(only), a.name),
        (None, _) => String::new(),
    };
    Chart {
        test: rates.test.clone(),
        said,
        svg: draw::versions(&points),
    }
}

#[derive(Template)]
#[template(path = "history/capabilities.html")]
struct Table {
    groups: Vec<Offers>,
}

struct Offers {
    title: String,
    heads: Vec<(String, usize, String)>,
    lines: Vec<Line>,
    same: String,
    constant: Vec<(String, String)>,
}

struct Line {
    name: String,
    /// A value for each version, and whether it differs from the one before.
    values: Vec<(String, bool)>,
}

/// What the devices offer: first what differs.
pub(super) fn capabilities(history: &History) -> Result<Option<String>, HtmlError> {
    if history
        .groups
        .iter()
        .all(|group| group.capabilities.is_empty())
    {
        return Ok(None);
    }
    let groups = history.groups.iter().enumerate().map(|(at, group)| {
        let (constant, differing): (Vec<&Capability>, Vec<&Capability>) =
            group.capabilities.iter().partition(|c| c.is_constant());
        let heads = group.versions.iter().enumerate();
        let value = |capability: &&Capability| {
            let known = capability.values.iter().flatten().next();
            (capability.name.clone(), known.cloned().unwrap_or_default())
        };
        Offers {
            title: titled(history, group),
            heads: heads
                .map(|(n, v)| (place(at, n), n + 1, v.name.clone()))
                .collect(),
            lines: differing.into_iter().map(line).collect(),
            same: match constant.len() {
                1 => "1 is the same in every version".into(),
                n => format!("{n} are the same in every version"),
            },
            constant: constant.iter().map(value).collect(),
        }
    });
    Ok(Some(
        Table {
            groups: groups.collect(),
        }
        .render()?,
    ))
}

fn line(capability: &Capability) -> Line {
    let mut before: Option<&String> = None;
    let values = capability.values.iter().map(|value| {
        let differs = matches!((before, value), (Some(before), Some(value)) if before != value);
        before = value.as_ref().or(before);
        (value.clone().unwrap_or_else(|| "?".into()), differs)
    });
    Line {
        name: capability.name.clone(),
        values: values.collect(),
    }
}
