//! Which injected faults a campaign detected; those that it did not come first.

use super::HtmlError;
use super::words::count;
use crate::report::Report;
use crate::report::faults::{Fate, FaultLine, Faults};
use crate::text::number::{grouped, short};
use askama::Template;

#[derive(Template)]
#[template(path = "faults.html")]
struct Campaign {
    lead: String,
    counted: String,
    fates: Vec<Counted>,
    groups: Vec<Group>,
}

struct Counted {
    class: &'static str,
    count: usize,
}

struct Group {
    title: String,
    column: &'static str,
    open: bool,
    faults: Vec<Fault>,
}

struct Fault {
    id: String,
    by: String,
    breaks: String,
    rules: Vec<String>,
    how: String,
    runs: String,
}

/// The section; none without a campaign.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(faults) = &report.context.faults else {
        return Ok(None);
    };
    let all: Vec<(Kind, Vec<&FaultLine>)> = Kind::ALL
        .into_iter()
        .map(|kind| (kind, kind.of(faults)))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let fates: Vec<Counted> = all
        .iter()
        .map(|(kind, lines)| Counted {
            class: kind.word(),
            count: lines.len(),
        })
        .collect();
    let counted: Vec<String> = fates
        .iter()
        .map(|f| format!("{} {}", f.count, f.class))
        .collect();
    let (detected, showable) = (faults.count(Fate::Detected), faults.showable().count());
    let page = Campaign {
        lead: format!(
            "Injected {} (read from {}): {} of the {} that this device can show were detected \
             ({:.1} %).",
            count(faults.lines.len(), "fault"),
            faults.source,
            grouped(detected as u64),
            grouped(showable as u64),
            100.0 * detected as f64 / showable.max(1) as f64
        ),
        counted: counted.join(", "),
        fates,
        groups: all
            .into_iter()
            .map(|(kind, lines)| group(kind, lines))
            .collect(),
    };
    Ok(Some(page.render()?))
}

/// What the page keeps apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Not detected, though the device can show it.
    Undetected,
    /// Not detected, and not to be seen on the device.
    Unseen,
    Unopened,
    NotApplicable,
    Obscured,
    Detected,
}

impl Kind {
    /// What it takes the reader to know comes first.
    const ALL: [Kind; 6] = [
        Kind::Undetected,
        Kind::Unopened,
        Kind::Unseen,
        Kind::Obscured,
        Kind::NotApplicable,
        Kind::Detected,
    ];

    fn of(self, faults: &Faults) -> Vec<&FaultLine> {
        let kind = |line: &FaultLine| match line.result {
            Fate::Undetected if line.is_showable() => Kind::Undetected,
            Fate::Undetected => Kind::Unseen,
            Fate::Unopened => Kind::Unopened,
            Fate::NotApplicable => Kind::NotApplicable,
            Fate::Obscured => Kind::Obscured,
            Fate::Detected => Kind::Detected,
        };
        let lines = faults.lines.iter();
        lines.filter(|line| kind(line) == self).collect()
    }

    /// A word, which is also its class.
    fn word(self) -> &'static str {
        match self {
            Kind::Undetected => "undetected",
            Kind::Unseen => "unseen",
            Kind::Unopened => "unopened",
            Kind::NotApplicable => "not-applicable",
            Kind::Obscured => "obscured",
            Kind::Detected => "detected",
        }
    }
}

fn group(kind: Kind, lines: Vec<&FaultLine>) -> Group {
    let (title, column) = match kind {
        Kind::Undetected => ("undetected", "what is known"),
        Kind::Unseen => ("that this device does not show", "why"),
        Kind::Unopened => ("did not open", "why"),
        Kind::NotApplicable => ("of what the device lacks", "lacks"),
        Kind::Obscured => ("that the device breaks by itself", "as in"),
        Kind::Detected => ("detected", "by"),
    };
    Group {
        title: format!("{} {title}", count(lines.len(), "fault")),
        column,
        open: kind == Kind::Undetected,
        faults: lines.into_iter().map(fault).collect(),
    }
}

fn fault(line: &FaultLine) -> Fault {
    let how = match line.result {
        Fate::Detected => {
            let case = line.case.clone().unwrap_or_default();
            let elsewhere = match line.own {
                Some(false) => ", by another rule",
                Some(true) | None => "",
            };
            let within = line
                .expected
                .map_or_else(String::new, |s| format!(", in {} s with 99 %", short(s)));
            format!("{case}{elsewhere}{within}")
        }
        Fate::Undetected => line.power.clone().unwrap_or_default(),
        Fate::Unopened => line.why.clone().unwrap_or_default(),
        Fate::NotApplicable => line.lacks.join(" or "),
        Fate::Obscured => {
            let case = line.case.clone().unwrap_or_default();
            let reason = line.reason.as_deref().and_then(|r| r.lines().next());
            format!("{case}: {}", reason.unwrap_or_default())
        }
    };
    Fault {
        id: line.id.clone(),
        by: line.carrier.clone(),
        breaks: line.sentence.clone(),
        rules: line.rules.clone(),
        how,
        runs: line.runs.map_or_else(String::new, grouped),
    }
}
