//! The versions of a driver side by side, as a page of its own.
//!
//! - `versions`: a line a version;
//! - `matrix`: rules, kinds of cases and failures, each in every version;
//! - `changes`: what changed from each version to the next;
//! - `rates`: weak outcomes over the versions, and what the devices offer.

mod changes;
mod matrix;
mod rates;
mod versions;

#[cfg(test)]
mod page_tests;

use super::bar::Bar;
use super::head::{Figure, Head, class};
use super::words::count;
use super::{HtmlError, page};
use crate::difference::Gate;
use crate::history::{Group, History, Turn, Version};
use crate::record::Verdict;
use crate::text::number::grouped;
use askama::Template;

/// The page. By the gate it says whether the last version is worse than the one before.
///
/// # Errors
///
/// A template could not be written.
pub fn history(history: &History, gate: Gate) -> Result<String, HtmlError> {
    let classay = history
        .groups
        .iter()
        .flat_map(|group| &group.versions)
        .last();
    let parts = [
        ("versions", "Versions", versions::section(history)?),
        (
            "rules",
            "Rules of the specification",
            matrix::rules(history)?,
        ),
        (
            "changes",
            "What broke and what was mended",
            changes::section(history)?,
        ),
        (
            "failures",
            "What failed, and in which versions",
            matrix::failures(history)?,
        ),
        ("kinds", "Kinds of cases", matrix::kinds(history)?),
        (
            "rates",
            "Weak outcomes over the versions",
            rates::section(history)?,
        ),
        (
            "capabilities",
            "Capabilities",
            rates::capabilities(history)?,
        ),
    ];
    let version = classay.map_or("", |version| version.run.record.version.as_str());
    let head = head(history, gate);
    let title = format!("{} — {} — classay", head.headline, head.title);
    page(version, title, head.render()?, parts)
}

/// Numbers that name a version within the page: of its driver, and its own, both from 1.
fn place(group: usize, version: usize) -> String {
    format!("{}-{}", group + 1, version + 1)
}

/// The drivers, where there are several: what stands above a part that is about one of them.
fn titled(history: &History, group: &Group) -> String {
    match history.groups.len() {
        0 | 1 => String::new(),
        _ => group.driver.clone(),
    }
}

/// What stands above everything else.
fn head(history: &History, gate: Gate) -> Head {
    let groups = &history.groups;
    let versions: usize = groups.iter().map(|group| group.versions.len()).sum();
    let title = match groups.as_slice() {
        [one] => one.driver.clone(),
        all => count(all.len(), "driver"),
    };
    let span = |group: &Group| match group.versions.as_slice() {
        [] => String::new(),
        [one] => one.name.clone(),
        [first, .., last] => format!("{} to {}", first.name, last.name),
    };
    let under = match groups.as_slice() {
        [one] => format!("{}, {}", count(versions, "version"), span(one)),
        all => {
            let each = all.iter().map(|g| format!("{} ({})", g.driver, span(g)));
            each.collect::<Vec<_>>().join(" · ")
        }
    };
    let (headline, tone) = headline(history, gate);
    let mut verdicts = Bar::of([]);
    // The bar of one version is that of the last; of several drivers each has its own below.
    if let [one] = groups.as_slice()
        && let Some(last) = one.versions.last()
    {
        verdicts = bar(last);
    }
    Head {
        over: "classay history".into(),
        title,
        under,
        headline,
        tone,
        warnings: history.context.notes.clone(),
        verdicts,
        figures: figures(history),
    }
}

/// How the cases of a version ended.
fn bar(version: &Version) -> Bar {
    let tally = version.tally();
    Bar::of(Verdict::WORST_FIRST.map(|v| (class(v), v.name(), tally.of(v))))
}

/// Whether the last versions are worse than those before them, in a sentence.
fn headline(history: &History, gate: Gate) -> (String, &'static str) {
    let mut judged = history.groups.iter().filter_map(|group| {
        let step = group.steps.last()?;
        let [.., before, after] = group.versions.as_slice() else {
            return None;
        };
        Some((group, step, before, after))
    });
    let worse: Vec<_> = judged
        .clone()
        .filter(|(group, ..)| group.passes(gate) == Some(false))
        .collect();
    match worse.as_slice() {
        [] => match judged.next_back() {
            None => ("No driver has two versions to compare".into(), ""),
            Some((_, _, before, after)) if history.groups.len() == 1 => (
                format!("{} is not worse than {}", after.name, before.name),
                "good",
            ),
            Some(_) => (
                "No driver’s last version is worse than the one before".into(),
                "good",
            ),
        },
        [(_, step, before, after)] => {
            let failures = count(step.found.new_failures().count(), "new failure");
            (
                format!("{} is worse than {}: {failures}", after.name, before.name),
                "bad",
            )
        }
        several => {
            let names = several.iter().map(|(group, ..)| group.driver.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            (
                format!("The last versions of {names} are worse than those before"),
                "bad",
            )
        }
    }
}

fn figures(history: &History) -> Vec<Figure> {
    let steps = || history.groups.iter().flat_map(|group| &group.steps);
    let turned = |turn| steps().flat_map(move |step| step.rules(turn)).count();
    let groups = history.groups.iter();
    let failing = groups
        .clone()
        .flat_map(|group| &group.rules)
        .filter(|row| row.fails());
    let rules = groups
        .clone()
        .map(|group| group.rules.len())
        .max()
        .unwrap_or(0);
    let ways = groups.map(|group| group.failures.len()).sum::<usize>();
    let changed = steps().map(|step| step.found.changed(history.context.false_discovery).count());
    vec![
        (
            "rules broken somewhere",
            grouped(failing.count() as u64),
            format!("of {}", grouped(rules as u64)),
        ),
        (
            "rules broke",
            grouped(turned(Turn::Broke) as u64),
            "held in the same case before".into(),
        ),
        (
            "rules mended",
            grouped(turned(Turn::Mended) as u64),
            "hold in the same case".into(),
        ),
        (
            "ways to fail",
            grouped(ways as u64),
            "that show the same, together".into(),
        ),
        (
            "rates changed",
            grouped(changed.sum::<usize>() as u64),
            "outcomes, over all steps".into(),
        ),
    ]
}
