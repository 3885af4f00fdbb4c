//! What a campaign of faults noticed; what it did not comes first.

use super::HtmlError;
use super::words::count;
use crate::report::Report;
use crate::report::faults::{Fate, FaultLine};
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
    let order = [Fate::Survived, Fate::Unopened, Fate::Killed];
    let fates: Vec<Counted> = order
        .iter()
        .map(|fate| Counted {
            class: fate.name(),
            count: faults.count(*fate),
        })
        .filter(|counted| counted.count > 0)
        .collect();
    let counted: Vec<String> = fates
        .iter()
        .map(|f| format!("{} {}", f.count, f.class))
        .collect();
    let (killed, showable) = (faults.count(Fate::Killed), faults.showable().count());
    let page = Campaign {
        lead: format!(
            "Broken on purpose in {} (read from {}): {} of the {} that this device can show were noticed \
             ({:.1} %).",
            count(faults.lines.len(), "way"),
            faults.source,
            grouped(killed as u64),
            grouped(showable as u64),
            100.0 * killed as f64 / showable.max(1) as f64
        ),
        counted: counted.join(", "),
        fates,
        groups: order
            .into_iter()
            .map(|fate| group(fate, &faults.lines))
            .filter(|group| !group.faults.is_empty())
            .collect(),
    };
    Ok(Some(page.render()?))
}

fn group(fate: Fate, lines: &[FaultLine]) -> Group {
    let lines: Vec<&FaultLine> = lines.iter().filter(|l| l.result == fate).collect();
    let (title, column) = match fate {
        Fate::Survived => ("not noticed", "why"),
        Fate::Unopened => ("did not open", "why"),
        Fate::Killed => ("noticed", "by"),
    };
    Group {
        title: format!("{} {title}", count(lines.len(), "fault")),
        column,
        open: fate == Fate::Survived,
        faults: lines.into_iter().map(fault).collect(),
    }
}

fn fault(line: &FaultLine) -> Fault {
    let how = match line.result {
        Fate::Killed => {
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
        Fate::Survived => line.power.clone().unwrap_or_default(),
        Fate::Unopened => line.why.clone().unwrap_or_default(),
    };
    Fault {
        id: line.id.clone(),
        by: line.by.clone(),
        breaks: line.breaks.clone(),
        rules: line.rules.clone(),
        how,
        runs: line.runs.map_or_else(String::new, grouped),
    }
}
