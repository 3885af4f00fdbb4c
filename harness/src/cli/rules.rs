//! `classay rules`: the catalogue, with the cases and the faults of each rule.

use super::options::of_a_kind;
use super::output::Out;
use clap::Args;
use classay::Error;
use classay::judge::covers;
use classay::judge::model;
use classay::plan;
use classay_litmus::Breaches;
use classay_reports::text::layout::wrap;
use classay_suites::catalogue::{self, Clause, Kind, Rule};
use classay_vocabulary::Budget;
use classay_vocabulary::ExitCode;
use serde::Serialize;
use std::collections::BTreeMap;

/// Options of `rules`.
#[derive(Debug, Args)]
pub struct RulesOptions {
    /// Print in this format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Generate this many cases of each kind to see what they cover
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = of_a_kind())]
    programs: u32,
}

/// How the rules are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// A table in Markdown.
    Md,
    /// One JSON array.
    Json,
}

/// A rule with what covers it.
#[derive(Serialize)]
struct Covered {
    #[serde(flatten)]
    rule: &'static Rule,
    /// Kinds of cases that put it to the test, with how many of the drawn cases do.
    cases: BTreeMap<String, u32>,
    /// Faults that break it.
    faults: Vec<&'static str>,
}

/// Does it; returns the exit code.
pub fn main(args: &RulesOptions) -> Result<ExitCode, Error> {
    let mut cases = plan::drawn(args.programs);
    cases.extend(plan::small(args.programs));
    cases.extend(plan::shipped().map_err(Error::Bug)?);
    plan::share_out(&mut cases, 1, Budget::Instances(1));
    let breaches = Breaches::of(model::LATEST).map_err(|error| Error::Bug(error.to_string()))?;
    let mut by_rule: BTreeMap<_, BTreeMap<String, u32>> = BTreeMap::new();
    for case in &cases {
        let kind = case
            .id
            .as_str()
            .rsplit_once('/')
            .map_or(case.id.as_str(), |(kind, _)| kind);
        for rule in covers(case, &breaches) {
            *by_rule
                .entry(rule)
                .or_default()
                .entry(kind.to_string())
                .or_default() += 1;
        }
    }
    let mut faults: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for fault in classay_faults::all() {
        for rule in fault.rules() {
            faults.entry(rule).or_default().push(fault.id);
        }
    }
    let all: Vec<Covered> = catalogue::all()
        .iter()
        .map(|rule| Covered {
            rule,
            cases: by_rule.remove(&rule.id).unwrap_or_default(),
            faults: faults.remove(rule.id.as_str()).unwrap_or_default(),
        })
        .collect();
    let mut out = Out::new();
    match args.format {
        // Strings and numbers: nothing in it can fail to become JSON.
        Format::Json => out.line(&serde_json::to_string_pretty(&all).unwrap_or_default()),
        Format::Md => markdown(&all, &mut out),
        Format::Text => text(&all, &mut out),
    }
    Ok(ExitCode::Passed)
}

fn kinds(covered: &Covered) -> String {
    let names: Vec<&str> = covered.cases.keys().map(String::as_str).collect();
    names.join(", ")
}

fn needs(covered: &Covered) -> String {
    let names: Vec<String> = covered.rule.needs.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn markdown(all: &[Covered], out: &mut Out) {
    out.line("| rule | section | kind | needs | says | cases | faults |");
    out.line("| --- | --- | --- | --- | --- | --- | --- |");
    for covered in all {
        let rule = covered.rule;
        out.line(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            rule.id,
            rule.section,
            rule.kind.name(),
            needs(covered),
            rule.statement.replace('|', "\\|"),
            kinds(covered),
            covered.faults.join(", ")
        ));
    }
}

/// A clause with what watches it.
fn told(clause: &Clause, out: &mut Out) {
    let (cases, faults) = (clause.cases.join(", "), clause.faults.join(", "));
    let text = format!("{}: {cases}; {faults}", clause.says);
    for (n, line) in wrap(&text, 74).into_iter().enumerate() {
        let mark = if n == 0 { "-" } else { " " };
        out.line(&format!("    {mark} {line}"));
    }
}

fn text(all: &[Covered], out: &mut Out) {
    for covered in all {
        let rule = covered.rule;
        out.line(&format!(
            "{} ({}, {})",
            rule.id,
            rule.kind.name(),
            rule.section
        ));
        for line in wrap(&rule.statement, 76) {
            out.line(&format!("    {line}"));
        }
        if !rule.needs.is_empty() {
            out.line(&format!("    needs {}", needs(covered)));
        }
        let cases: u32 = covered.cases.values().sum();
        out.line(&format!(
            "    {cases} cases in {} kinds, {} faults",
            covered.cases.len(),
            covered.faults.len()
        ));
        for clause in &rule.clauses {
            told(clause, out);
        }
    }
    // The oracle keeps Vulkan's rules; no OpenCL device can break them.
    let must: Vec<&Covered> = all
        .iter()
        .filter(|c| c.rule.kind == Kind::Must && !c.rule.id.as_str().starts_with("vk."))
        .collect();
    let cased = must.iter().filter(|c| !c.cases.is_empty()).count();
    let faulted = must.iter().filter(|c| !c.faults.is_empty()).count();
    out.line(&format!(
        "\n{} rules; of {} that must hold on an OpenCL device, {cased} have cases and {faulted} \
         have faults",
        all.len(),
        must.len()
    ));
}
