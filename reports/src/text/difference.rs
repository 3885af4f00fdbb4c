//! Two runs side by side: failures that the first does not show, other changes, and the rates that changed.

use super::Colour;
use super::layout::{paragraph, plain, push};
use super::number::{grouped, ratio_interval, share};
use super::outcome::few_rules;
use crate::difference::{Differences, Finding, Newness, OutcomeChange, VerdictChange};
use crate::record::Verdict;
use std::fmt::Write;

/// Most changed rates, changed verdicts, and failures of a kind, that are printed one by one.
const MOST: usize = 40;

/// The text for what differs at this false discovery rate; ends with a line end.
pub fn difference(found: &Differences, q: f64, colour: Colour) -> String {
    let mut out = String::new();
    let compared = found.outcomes.len();
    for newness in [Newness::New, Newness::Perhaps, Newness::Untried] {
        let all: Vec<&Finding> = found.that_are(newness).collect();
        for one in all.iter().take(MOST) {
            finding(&mut out, one, colour);
        }
        more(&mut out, all.len());
    }
    for change in found.verdicts.iter().take(MOST) {
        verdict(&mut out, change, colour);
    }
    more(&mut out, found.verdicts.len());
    let changed: Vec<&OutcomeChange> = found.changed(q).collect();
    for change in changed.iter().take(MOST) {
        outcome(&mut out, change, colour);
    }
    more(&mut out, changed.len());
    for (cases, which) in [(&found.missing, "first"), (&found.added, "second")] {
        if !cases.is_empty() {
            let n = grouped(cases.len() as u64);
            push(
                &mut out,
                &format!("{n} cases have a result in the {which} run alone"),
            );
        }
    }
    let of = |newness| grouped(found.that_are(newness).count() as u64);
    let mut total = format!(
        "{} new failures; {} that chance may explain, {} of kinds of cases that the first run did not play, {} that it shows \
         too; {} of {} outcomes are more or less frequent",
        of(Newness::New),
        of(Newness::Perhaps),
        of(Newness::Untried),
        of(Newness::Known),
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

/// Says how many of so many were left out.
fn more(out: &mut String, all: usize) {
    if all > MOST {
        push(out, &format!("… and {} more", grouped((all - MOST) as u64)));
    }
}

fn finding(out: &mut String, finding: &Finding, colour: Colour) {
    let what = match finding.newness {
        Newness::New => colour.verdict(Verdict::Fail, "new failure"),
        Newness::Perhaps => "perhaps new".into(),
        Newness::Untried => "not tried before".into(),
        Newness::Known => "known".into(),
    };
    let (first, others) = match finding.cases.as_slice() {
        [] => (String::new(), 0),
        [first, others @ ..] => (first.to_string(), others.len()),
    };
    let others = match others {
        0 => String::new(),
        1 => " and 1 more case".into(),
        n => format!(" and {} more cases", grouped(n as u64)),
    };
    push(out, &format!("{what}: {}{others}", plain(&first)));
    paragraph(out, "  ", &shown(finding));
    if let Some(missed) = finding.missed {
        let percent = 100.0 * missed;
        let text = format!(
            "not seen in the first run, which would miss it with a probability of {percent:.2} % if it were as \
             frequent there"
        );
        paragraph(out, "  ", &text);
    }
}

/// What a finding shows, in words, with its rules.
fn shown(finding: &Finding) -> String {
    let what = plain(&finding.signature.what);
    match finding.signature.rules.as_slice() {
        [] => what,
        broken => format!("{what}, which {} forbids", few_rules(broken)),
    }
}

fn verdict(out: &mut String, change: &VerdictChange, colour: Colour) {
    let after = colour.verdict(change.after, change.after.name());
    let test = plain(&change.test);
    push(
        out,
        &format!("changed: {test} {} -> {after}", change.before),
    );
    paragraph(out, "  ", &plain(&change.reason));
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
