//! Two runs side by side: new failures, other changes, and the rates that changed.

use super::Colour;
use super::layout::{paragraph, plain, push};
use super::number::{grouped, ratio_interval, share};
use crate::difference::{Differences, OutcomeChange, VerdictChange};
use std::fmt::Write;

/// Most changed rates that are printed one by one.
const RATES: usize = 40;

/// The text for what differs at this false discovery rate; ends with a line end.
pub fn difference(found: &Differences, q: f64, colour: Colour) -> String {
    let mut out = String::new();
    let compared = found.outcomes.len();
    for change in &found.failures {
        verdict(&mut out, "new failure", change, colour);
    }
    for change in &found.verdicts {
        verdict(&mut out, "changed", change, colour);
    }
    let changed: Vec<&OutcomeChange> = found.changed(q).collect();
    for change in changed.iter().take(RATES) {
        outcome(&mut out, change, colour);
    }
    if changed.len() > RATES {
        push(
            &mut out,
            &format!("… and {} more", grouped((changed.len() - RATES) as u64)),
        );
    }
    for (cases, which) in [(&found.missing, "first"), (&found.added, "second")] {
        if !cases.is_empty() {
            let n = grouped(cases.len() as u64);
            push(&mut out, &format!("{n} cases are only in the {which} run"));
        }
    }
    let mut total = format!(
        "{} new failures; {} of {} outcomes are more or less frequent",
        found.failures.len(),
        grouped(changed.len() as u64),
        grouped(compared as u64)
    );
    let _ = write!(
        total,
        " (false discovery rate {q}; of those reported, at most that part is expected to be chance)"
    );
    paragraph(&mut out, "", &total);
    out
}

fn verdict(out: &mut String, what: &str, change: &VerdictChange, colour: Colour) {
    let after = colour.verdict(change.after, change.after.name());
    push(
        out,
        &format!(
            "{what}: {} {} -> {after}",
            plain(&change.test),
            change.before
        ),
    );
    paragraph(out, "  ", &plain(&change.reason));
    if let Some(missed) = change.missed {
        let percent = 100.0 * missed;
        let text = format!(
            "not seen in the first run, which would miss it with a probability of {percent:.2} % if it were as \
             frequent there"
        );
        paragraph(out, "  ", &text);
    }
}

fn outcome(out: &mut String, change: &OutcomeChange, colour: Colour) {
    let c = &change.comparison;
    push(
        out,
        &format!(
            "rate: {} `{}`",
            colour.strong(&plain(&change.test)),
            plain(&change.outcome)
        ),
    );
    let times = match &c.ratio {
        Some((ratio, ends)) => format!("{ratio:.3} times {}", ratio_interval(*ends)),
        None => "never before".to_owned(),
    };
    let (before, after) = (share(&c.first), share(&c.second));
    push(out, &format!("  {before} -> {after}"));
    push(out, &format!("  {times}, q = {:.2e}", change.q_value));
}
