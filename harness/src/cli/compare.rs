//! `classay compare`: a run and its baseline.

use super::options::{COMPARISON_EXIT_CODES, GateOptions, JsonOption, KnownOption};
use super::output::{Out, colour, say};
use clap::Args;
use classay::Error;
use classay::compare::{between, load};
use classay::run::results;
use classay_reports::difference::Differences;
use classay_reports::expectation::Expectations;
use classay_reports::text;
use classay_vocabulary::ExitCode;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Options of `compare`.
#[derive(Debug, Args)]
#[command(after_help = COMPARISON_EXIT_CODES)]
pub struct CompareOptions {
    /// The store of the baseline
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The store of the later run; may be the same file
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Take this run of BEFORE [default: the last]
    #[arg(long, value_name = "N")]
    before_run: Option<u32>,
    /// Take this run of AFTER [default: the last]
    #[arg(long, value_name = "N")]
    after_run: Option<u32>,
    #[command(flatten)]
    gate: GateOptions,
    #[command(flatten)]
    expect: KnownOption,
    #[command(flatten)]
    json: JsonOption,
}

/// Does it; returns the exit code: 1 on what the gate names.
pub fn main(args: &CompareOptions) -> Result<ExitCode, Error> {
    let (before, then) = load(&args.before, args.before_run)?;
    let (after, now) = load(&args.after, args.after_run)?;
    let expectations = match &after.device {
        Some(device) => results::expectations(&args.expect.gate(), device, &say)?,
        None => Expectations::default(),
    };
    let (found, same_seed) = between((&before, &then), (&after, &now), &expectations);
    let mut out = Out::new();
    if !args.json.json {
        for (name, path, run, results) in [
            ("first", &args.before, &before, &then),
            ("second", &args.after, &after, &now),
        ] {
            let device = run.device.as_ref().map_or("no device", |d| d.name.as_str());
            out.line(&format!(
                "{name}: run {} of {}, {} cases on {device}, seed {}",
                run.id,
                path.display(),
                results.len(),
                run.record.seed
            ));
            if (results.len() as u64) < run.planned {
                let left = run.planned - results.len() as u64;
                out.line(&format!(
                    "  {left} cases of its plan have no result: it is not finished"
                ));
            }
        }
        if !same_seed {
            out.line("The seeds differ: of generated cases only the verdicts are compared.");
        }
        out.line("");
    }
    print(&found, &args.gate, args.json.json, &mut out);
    Ok(exit_code(&found, &args.gate))
}

/// Prints what differs.
pub fn print(found: &Differences, gate: &GateOptions, as_json: bool, out: &mut Out) {
    if as_json {
        out.line(&object(found, gate).to_string());
    } else {
        let text = text::difference(found, gate.rate(), colour());
        out.line(text.trim_end());
    }
}

/// The exit code: 1 on what the gate names.
pub fn exit_code(found: &Differences, gate: &GateOptions) -> ExitCode {
    if found.passes(gate.gate()) {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    }
}

fn object(found: &Differences, gate: &GateOptions) -> Value {
    let q = gate.rate();
    let outcome = |change: &classay_reports::difference::OutcomeChange| {
        let c = &change.comparison;
        json!({
            "case": change.case,
            "outcome": change.outcome,
            "before": { "count": c.first.count, "instances": c.first.instances,
                        "design_effect": c.first.design_effect },
            "after": { "count": c.second.count, "instances": c.second.instances,
                       "design_effect": c.second.design_effect },
            "difference": c.difference.0,
            "difference_95": [c.difference.1.low, c.difference.1.high],
            "ratio": c.ratio.map(|(ratio, _)| ratio),
            // An end without a limit is null.
            "ratio_95": c.ratio.map(|(_, ends)| [ends.low, ends.high]),
            "p": c.p_value,
            "q": change.q_value,
        })
    };
    json!({
        "passes": found.passes(gate.gate()),
        "new_failures": found.new_failures().collect::<Vec<_>>(),
        "other_failures": found.others().collect::<Vec<_>>(),
        "failed": found.failures,
        "other_verdicts": found.verdicts,
        "only_before": found.missing,
        "only_after": found.added,
        "compared": found.outcomes.len(),
        "false_discovery_rate": q,
        "changed": found.changed(q).map(outcome).collect::<Vec<_>>(),
    })
}
