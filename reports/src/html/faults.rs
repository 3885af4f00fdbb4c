//! Which injected faults a campaign detected; those that it did not come first.

use super::HtmlError;
use super::bar::Bar;
use super::words::count;
use crate::report::Report;
use crate::report::faults::{Fate, FaultLine, Faults};
use crate::text::number::{grouped, short};
use askama::Template;

#[derive(Template)]
#[template(path = "faults.html")]
struct Campaign<'a> {
    lead: String,
    fates: Bar,
    groups: Vec<Group<'a>>,
}

struct Group<'a> {
    title: String,
    column: &'static str,
    open: bool,
    faults: Vec<&'a FaultLine>,
}

/// The section; none without a campaign.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(faults) = &report.context.faults else {
        return Ok(None);
    };
    let all = Kind::ALL.map(|kind| (kind, kind.of(faults)));
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
        fates: Bar::of(
            all.iter()
                .map(|(kind, l)| (kind.name(), kind.name(), l.len())),
        ),
        groups: all
            .into_iter()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(kind, lines)| group(kind, lines))
            .collect(),
    };
    Ok(Some(page.render()?))
}

classay_vocabulary::words! {
    /// What the page keeps apart: what it takes the reader to know comes first. The word is also its class.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Kind {
        /// Not detected, though the device can show it.
        Undetected = "undetected",
        /// The broken device does not open.
        Unopened = "unopened",
        /// It changed nothing of what any case gives the device.
        NotActed = "not-acted",
        /// Not detected, and not to be seen on the device.
        Unseen = "unseen",
        /// The device breaks the same by itself.
        Obscured = "obscured",
        /// The device lacks what programs need that have what it breaks.
        NotApplicable = "not-applicable",
        /// A case detected it.
        Detected = "detected",
    }
}

impl Kind {
    fn of(self, faults: &Faults) -> Vec<&FaultLine> {
        let kind = |line: &FaultLine| match line.result {
            Fate::Undetected if line.is_showable() => Kind::Undetected,
            Fate::Undetected => Kind::Unseen,
            Fate::Unopened => Kind::Unopened,
            Fate::NotActed => Kind::NotActed,
            Fate::NotApplicable => Kind::NotApplicable,
            Fate::Obscured => Kind::Obscured,
            Fate::Detected => Kind::Detected,
        };
        let lines = faults.lines.iter();
        lines.filter(|line| kind(line) == self).collect()
    }
}

fn group(kind: Kind, lines: Vec<&FaultLine>) -> Group<'_> {
    let (title, column) = match kind {
        Kind::Undetected => ("undetected", "what is known"),
        Kind::Unseen => ("that this device does not show", "why"),
        Kind::Unopened => ("did not open", "why"),
        Kind::NotActed => ("that did not act", "why"),
        Kind::NotApplicable => ("of what the device lacks", "lacks"),
        Kind::Obscured => ("that the device breaks by itself", "as in"),
        Kind::Detected => ("detected", "by"),
    };
    Group {
        title: format!("{} {title}", count(lines.len(), "fault")),
        column,
        open: kind == Kind::Undetected,
        faults: lines,
    }
}

/// How a fault was detected, or why it was not.
fn how(line: &FaultLine) -> String {
    match line.result {
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
        Fate::NotActed => {
            let cases = count(line.cases.unwrap_or_default() as usize, "case");
            format!("changes nothing of what {cases} give the device")
        }
        Fate::NotApplicable => line.lacks.join(" or "),
        Fate::Obscured => {
            let case = line.case.clone().unwrap_or_default();
            let reason = line.reason.as_deref().and_then(|r| r.lines().next());
            format!("{case}: {}", reason.unwrap_or_default())
        }
    }
}
