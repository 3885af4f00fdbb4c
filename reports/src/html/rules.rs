//! How the rules of the specification fared, by section, those with broken rules first.

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
struct Rules {
    lead: String,
    counted: String,
    standings: Vec<Counted>,
    sections: Vec<Section>,
}

struct Counted {
    class: &'static str,
    count: usize,
}

struct Section {
    title: String,
    open: bool,
    counts: String,
    rules: Vec<Rule>,
}

struct Rule {
    id: String,
    statement: String,
    standing: &'static str,
    passed: usize,
    failed: usize,
    other: usize,
    broken_by: Vec<Link>,
}

/// A case; without a number it is reported nowhere else.
struct Link {
    number: String,
    text: String,
}

/// The section; none without a catalogue.
pub(super) fn section(report: &Report<'_>) -> Result<Option<String>, HtmlError> {
    let rules: Vec<&RuleFacts<'_>> = report.rules.iter().filter(|r| r.is_testable()).collect();
    if rules.is_empty() {
        return Ok(None);
    }
    let standings = tally(&rules);
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
            let counts: Vec<String> = tally(&rules)
                .iter()
                .map(|c| format!("{} {}", c.count, c.class))
                .collect();
            let section = Section {
                title: title.to_owned(),
                open: worst == Standing::Broken,
                counts: counts.join(", "),
                rules: rules.iter().map(|rule| row(rule, &numbers)).collect(),
            };
            (worst, section)
        })
        .collect();
    sections.sort_by_key(|(worst, _)| *worst != Standing::Broken);
    let counted: Vec<String> = standings
        .iter()
        .map(|c| format!("{} {}", c.count, c.class))
        .collect();
    let page = Rules {
        lead: format!(
            "{} of the specification. Broken: a failed case names it. Held: cases about it passed. Unclear: \
             what is about it failed for another reason. Untested: its cases were skipped or decide nothing. \
             Uncovered: no case of this run is about it.",
            count(rules.len(), "rule")
        ),
        counted: counted.join(", "),
        standings,
        sections: sections.into_iter().map(|(_, section)| section).collect(),
    };
    Ok(Some(page.render()?))
}

fn tally(rules: &[&RuleFacts<'_>]) -> Vec<Counted> {
    Standing::ALL
        .into_iter()
        .map(|standing| Counted {
            class: standing.name(),
            count: rules.iter().filter(|r| r.standing() == standing).count(),
        })
        .filter(|counted| counted.count > 0)
        .collect()
}

fn row(facts: &RuleFacts<'_>, numbers: &BTreeMap<&str, usize>) -> Rule {
    let mut broken_by: Vec<Link> = facts
        .broken_by
        .iter()
        .take(NAMED)
        .map(|result| Link {
            number: numbers
                .get(result.case.as_str())
                .map_or_else(String::new, ToString::to_string),
            text: result.case.to_string(),
        })
        .collect();
    if facts.broken_by.len() > NAMED {
        broken_by.push(Link {
            number: String::new(),
            text: format!("and {} more", facts.broken_by.len() - NAMED),
        });
    }
    let passed = facts.cases.of(Verdict::Pass);
    let failed = facts.cases.failures();
    Rule {
        id: facts.rule.id.clone(),
        statement: facts.rule.statement.clone(),
        standing: facts.standing().name(),
        passed,
        failed,
        other: facts.cases.all() - passed - failed,
        broken_by,
    }
}
