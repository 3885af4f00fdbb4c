//! The freedoms that a run's device was seen to take, for a terminal.

use super::WIDTH;
use super::layout::{paragraph, push, wrap};
use super::number::{bound, grouped, interval, share};
use crate::record::{CaseResult, Freedom};
use crate::report::freedoms::{FreedomFacts, Sight, freedoms};

/// A paragraph a freedom that could be seen, and one for those with the same reason why they could not.
pub fn text(out: &mut String, results: &[CaseResult]) {
    paragraph(
        out,
        "",
        "freedoms: what the device was seen to do where the specification leaves a choice; none fails",
    );
    let mut unseen: Vec<(String, Vec<Freedom>)> = Vec::new();
    for facts in freedoms(results) {
        if let Some(why) = facts.sight.obstacle() {
            match unseen.iter_mut().find(|(known, _)| *known == why) {
                Some((_, alike)) => alike.push(facts.freedom),
                None => unseen.push((why, vec![facts.freedom])),
            }
            continue;
        }
        let (what, rule) = (facts.freedom.seen(), facts.freedom.rule());
        entry(out, &format!("{}: {what} ({rule})", seen(&facts)));
    }
    for (why, of) in unseen {
        let names: Vec<&str> = of.into_iter().map(Freedom::name).collect();
        entry(out, &format!("{}: {why}", names.join(", ")));
    }
    push(out, "");
}

/// How often, with the interval of the rate, or the rate that it is below.
fn seen(facts: &FreedomFacts) -> String {
    let Sight::Possible {
        all,
        interval: ends,
    } = &facts.sight
    else {
        return String::new();
    };
    match facts.bound() {
        Some(below) => format!("0 of {} (below {})", grouped(all.instances), bound(below)),
        None => format!("{} {}", share(all), interval(ends.low, ends.high)),
    }
}

/// A text whose first line stands out.
fn entry(out: &mut String, text: &str) {
    for (n, line) in wrap(text, WIDTH - 6).into_iter().enumerate() {
        let indent = if n == 0 { "  " } else { "      " };
        push(out, &format!("{indent}{line}"));
    }
}
