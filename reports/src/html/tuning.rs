//! The mutants that tuning saw, and how often; those that it did not see come first.

use super::HtmlError;
use super::words::{count, lasting};
use crate::report::Report;
use crate::report::tuning::{Mutant, Part, Sight, Tuning};
use crate::text::number::short;
use askama::Template;

#[derive(Template)]
#[template(path = "tuning.html")]
struct Page {
    lead: String,
    elsewhere: String,
    kinds: Vec<Kind>,
    groups: Vec<Group>,
    enough: String,
    merged: String,
}

struct Kind {
    what: &'static str,
    killed: usize,
    mutants: usize,
    part: String,
}

struct Group {
    title: String,
    open: bool,
    mutants: Vec<Row>,
}

struct Row {
    name: String,
    shape: String,
    takes: &'static str,
    best: String,
    rate: String,
    ends: String,
    merged: String,
}

/// The section; none without a tuning.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let Some(tuning) = &report.context.tuning else {
        return Ok(None);
    };
    let score = &tuning.score;
    let (seen, unseen): (Vec<&Mutant>, Vec<&Mutant>) =
        tuning.mutants.iter().partition(|mutant| mutant.seen);
    let page = Page {
        lead: format!(
            "Tests weakened by one step, played on {} in {} for {} (read from {}): {} of {} showed the \
             outcome that the step allows ({}).",
            tuning.device.name,
            count(tuning.tried, "environment"),
            lasting(tuning.seconds),
            tuning.source,
            score.killed,
            score.mutants,
            percent(score.killed, score.mutants),
        ),
        elsewhere: elsewhere(report, tuning),
        kinds: vec![
            kind("an interleaving shows them", score.interleaving),
            kind("x86-TSO allows them, no interleaving does", score.x86),
            kind("weaker than x86-TSO", score.weaker),
        ],
        groups: [("not seen", unseen, true), ("seen", seen, false)]
            .into_iter()
            .filter(|(_, mutants, _)| !mutants.is_empty())
            .map(|(title, mutants, open)| Group {
                title: format!("{} {title}", count(mutants.len(), "mutant")),
                open,
                mutants: mutants.into_iter().map(row).collect(),
            })
            .collect(),
        enough: enough(tuning),
        merged: serde_saphyr::to_string(&tuning.merged).unwrap_or_default(),
    };
    Ok(Some(page.render()?))
}

fn percent(part: usize, of: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / of.max(1) as f64)
}

fn kind(what: &'static str, part: Part) -> Kind {
    Kind {
        what,
        killed: part.killed,
        mutants: part.mutants,
        part: if part.mutants == 0 {
            String::new()
        } else {
            percent(part.killed, part.mutants)
        },
    }
}

/// A warning where it was tuned for another device than the run's.
fn elsewhere(report: &Report<'_>, tuning: &Tuning) -> String {
    let of = &tuning.device;
    match &report.run.device {
        Some(device) if device.name == of.name && device.driver == of.driver => String::new(),
        Some(_) | None => format!(
            "This is another device than the run's: {} of {}, driver {}.",
            of.name, of.platform, of.driver
        ),
    }
}

fn enough(tuning: &Tuning) -> String {
    let again = tuning.budget.map_or_else(String::new, |seconds| {
        format!(
            " {} s in the merged one show all that it shows again with a probability of {}.",
            short(seconds),
            format_args!("{:.0}\u{a0}%", 100.0 * tuning.wanted.reproducibility)
        )
    });
    format!(
        "Often enough ({} a second) were {} in the environment that is best for each, {} in the merged \
         one.{again}",
        short(tuning.wanted.ceiling),
        tuning.score.often_enough,
        tuning.score.often_enough_in_merged
    )
}

fn row(mutant: &Mutant) -> Row {
    let a_second = |rate: Option<[f64; 3]>| rate.map_or_else(String::new, |[rate, ..]| short(rate));
    Row {
        name: mutant.name.clone(),
        shape: mutant.shape.clone(),
        takes: match mutant.sight {
            Sight::Interleaving => "interleaving",
            Sight::X86 => "x86-TSO",
            Sight::Weaker => "weaker",
        },
        best: mutant.best.clone().unwrap_or_default(),
        rate: a_second(mutant.rate.filter(|[rate, ..]| *rate > 0.0)),
        ends: match mutant.rate {
            Some([rate, low, high]) if rate > 0.0 => format!("{} to {}", short(low), short(high)),
            Some([_, _, high]) => format!("< {}", short(high)),
            None => String::new(),
        },
        merged: a_second(mutant.in_merged),
    }
}
