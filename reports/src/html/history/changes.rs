//! What changed from each version to the next.

use super::matrix::some;
use super::{place, titled};
use crate::difference::OutcomeChange;
use crate::history::{CapabilityChange, Group, History, Step, Turn};
use crate::html::words::{count, cut};
use crate::html::{HtmlError, draw};
use crate::text::number::{percent, rate, ratio_interval};
use crate::text::outcome::few_rules;
use askama::Template;

/// Bytes of what a case showed.
const WHAT: usize = 400;
/// Groups of cases, and outcomes, of a step that are shown.
const SHOWN: usize = 60;

#[derive(Template)]
#[template(path = "history/changes.html")]
struct Changes<'a> {
    groups: Vec<Of<'a>>,
}

struct Of<'a> {
    title: String,
    steps: Vec<Shown<'a>>,
}

struct Shown<'a> {
    place: String,
    number: usize,
    before: &'a str,
    after: &'a str,
    said: String,
    open: bool,
    rules: Vec<Rule>,
    cases: Vec<Case>,
    cases_left: usize,
    capabilities: &'a [CapabilityChange],
    rates: Vec<&'a OutcomeChange>,
    rates_left: usize,
    compared: String,
    left_out: Vec<String>,
}

struct Rule {
    turn: &'static str,
    class: &'static str,
    rule: String,
    link: String,
    what: String,
    cases: String,
}

struct Case {
    turn: &'static str,
    class: &'static str,
    ends: String,
    rules: String,
    what: String,
    cases: String,
    number: usize,
    missed: String,
}

/// The section; none where no driver has two versions.
pub(super) fn section(history: &History) -> Result<Option<String>, HtmlError> {
    if history.groups.iter().all(|group| group.steps.is_empty()) {
        return Ok(None);
    }
    let q = history.context.false_discovery;
    let groups = history.groups.iter().enumerate();
    let page = Changes {
        groups: groups
            .map(|(at, group)| Of {
                title: titled(history, group),
                // The latest first: it is what most readers come for.
                steps: group
                    .steps
                    .iter()
                    .rev()
                    .map(|step| shown(at, group, step, q))
                    .collect(),
            })
            .collect(),
    };
    Ok(Some(page.render()?))
}

fn word(turn: Turn) -> (&'static str, &'static str) {
    match turn {
        Turn::Broke => ("broke", "fail"),
        Turn::Found => ("found broken", "timeout"),
        Turn::Mended => ("mended", "pass"),
        Turn::Other => ("fails otherwise", "inconclusive"),
    }
}

fn shown<'a>(at: usize, group: &'a Group, step: &'a Step, q: f64) -> Shown<'a> {
    let changed: Vec<&OutcomeChange> = step.found.changed(q).collect();
    let rules = step.rules.iter().map(|change| {
        let (turn, class) = word(change.turn);
        Rule {
            turn,
            class,
            rule: change.rule.to_string(),
            link: match group.rules.iter().any(|row| row.of == change.rule) {
                true => format!("r{}-{}", at + 1, change.rule),
                false => String::new(),
            },
            what: cut(&change.what, WHAT).0,
            cases: some(&change.cases),
        }
    });
    let cases = step.cases.iter().take(SHOWN).map(|change| {
        let (turn, class) = word(change.turn);
        Case {
            turn,
            class,
            ends: format!("{} → {}", change.before, change.after),
            rules: match &change.signature.kind {
                Some(kind) => kind.clone(),
                None => few_rules(&change.signature.rules),
            },
            what: cut(&change.signature.what, WHAT).0,
            cases: some(&change.cases),
            number: change.cases.len(),
            missed: match change.missed {
                Some(missed) if missed >= 0.005 => format!(
                    "the earlier run would have missed it with a probability of {}",
                    percent(missed)
                ),
                Some(_) | None => String::new(),
            },
        }
    });
    Shown {
        place: place(at, step.from + 1),
        number: step.from + 2,
        before: &group.versions[step.from].name,
        after: &group.versions[step.from + 1].name,
        said: said(step, changed.len()),
        open: step.from + 1 == group.steps.len(),
        rules: rules.collect(),
        cases: cases.collect(),
        cases_left: step.cases.len().saturating_sub(SHOWN),
        capabilities: &step.capabilities,
        rates_left: changed.len().saturating_sub(SHOWN),
        rates: changed.into_iter().take(SHOWN).collect(),
        compared: count(step.scope.compared.len(), "case"),
        left_out: step.scope.left_out(),
    }
}

/// A step in a line.
fn said(step: &Step, changed: usize) -> String {
    let rules = |turn| step.rules(turn).count();
    let cases = |turn| {
        step.cases(turn)
            .map(|change| change.cases.len())
            .sum::<usize>()
    };
    let mut parts = Vec::new();
    for turn in [Turn::Broke, Turn::Found, Turn::Mended] {
        let (word, _) = word(turn);
        match (rules(turn), cases(turn)) {
            (0, 0) => {}
            (0, n) => parts.push(format!("{} {word}", count(n, "case"))),
            (n, 0) => parts.push(format!("{} {word}", count(n, "rule"))),
            (n, m) => parts.push(format!(
                "{} {word}, in {}",
                count(n, "rule"),
                count(m, "case")
            )),
        }
    }
    if changed > 0 {
        parts.push(format!("{} changed", count(changed, "rate")));
    }
    if !step.capabilities.is_empty() {
        let changed = count(step.capabilities.len(), "property");
        let changed = changed.replace("propertys", "properties");
        parts.push(format!("{changed} of the device changed"));
    }
    match parts.is_empty() {
        true => "nothing changed".into(),
        false => parts.join(" · "),
    }
}
