//! How the rules of the specification fared, by section, those with broken rules first.

use super::bar::Bar;
use super::words::count;
use super::{HtmlError, failures};
use crate::record::Verdict;
use crate::report::{Report, RuleFacts, Standing};
use askama::Template;
use std::collections::BTreeMap;

/// Cases that are named for a broken rule.
const NAMED: usize = 6;

#[derive(Template)]
#[template(path = "rules.html")]
struct Rules<'a> {
    rules: usize,
    standings: Bar,
    sections: Vec<Section<'a>>,
}

struct Section<'a> {
    title: String,
    open: bool,
    counts: String,
    rules: Vec<Rule<'a>>,
}

struct Rule<'a> {
    facts: &'a RuleFacts<'a>,
    passed: usize,
    failed: usize,
    other: usize,
    /// Cases; those without a number are reported nowhere else.
    broken_by: Vec<(Option<usize>, String)>,
}

/// The section; none without a catalogue.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let rules: Vec<&RuleFacts<'_>> = report
        .rules
        .iter()
        .filter(|r| r.rule.is_testable())
        .collect();
    if rules.is_empty() {
        return Ok(None);
    }
    let numbers = failures::numbers(report);
    let mut order: Vec<&str> = Vec::new();
    let mut by_section: BTreeMap<&str, Vec<&RuleFacts<'_>>> = BTreeMap::new();
    for rule in &rules {
        let title = rule.rule.section.as_str();
        if !by_section.contains_key(title) {
            order.push(title);
        }
        by_section.entry(title).or_default().push(rule);
    }
    let mut sections: Vec<(Standing, Section)> = order
        .into_iter()
        .map(|title| {
            let mut rules = by_section.remove(title).unwrap_or_default();
            rules.sort_by_key(|rule| rule.standing() != Standing::Broken);
            let worst = rules.iter().map(|r| r.standing()).min();
            let worst = worst.unwrap_or(Standing::Uncovered);
            let section = Section {
                title: title.to_owned(),
                open: worst == Standing::Broken,
                counts: tally(&rules).counted(),
                rules: rules.iter().map(|rule| row(rule, &numbers)).collect(),
            };
            (worst, section)
        })
        .collect();
    sections.sort_by_key(|(worst, _)| *worst != Standing::Broken);
    let page = Rules {
        rules: rules.len(),
        standings: tally(&rules),
        sections: sections.into_iter().map(|(_, section)| section).collect(),
    };
    Ok(Some(page.render()?))
}

fn tally(rules: &[&RuleFacts<'_>]) -> Bar {
    Bar::of(Standing::ALL.map(|standing| {
        let stands = rules.iter().filter(|r| r.standing() == standing);
        (standing.name(), standing.name(), stands.count())
    }))
}

fn row<'a>(facts: &'a RuleFacts<'a>, numbers: &BTreeMap<&str, usize>) -> Rule<'a> {
    let named = facts.broken_by.iter().take(NAMED);
    let mut broken_by: Vec<(Option<usize>, String)> = named
        .map(|result| {
            let case = result.case.as_str();
            (numbers.get(case).copied(), case.to_owned())
        })
        .collect();
    if facts.broken_by.len() > NAMED {
        let more = facts.broken_by.len() - NAMED;
        broken_by.push((None, format!("and {more} more")));
    }
    let passed = facts.cases.of(Verdict::Pass);
    let failed = facts.cases.failures();
    Rule {
        facts,
        passed,
        failed,
        other: facts.cases.all() - passed - failed,
        broken_by,
    }
}
