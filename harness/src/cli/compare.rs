//! `classay compare`: two runs, held against each other.

use super::args::CompareArgs;
use super::output::{Out, colour};
use classay::Error;
use classay::exit;
use classay_reports::difference::{Differences, differences};
use classay_reports::record::{CaseId, CaseResult};
use classay_reports::store::{Run, RunId, Store};
use classay_reports::text;
use serde_json::{Value, json};
use std::path::Path;

/// Does it; returns the exit code: 1 on a new failure or a rate that changed.
pub fn compare(args: &CompareArgs) -> Result<u8, Error> {
    let (before, then) = load(&args.before, args.before_run)?;
    let (after, now) = load(&args.after, args.after_run)?;
    let (found, same_seed) = between((&before, &then), (&after, &now));
    let mut out = Out::new();
    if !args.json {
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
    told(&found, args.rate, args.json, &mut out);
    Ok(gate(&found, args.rate))
}

/// Tells what differs.
pub fn told(found: &Differences, rate: f64, as_json: bool, out: &mut Out) {
    if as_json {
        out.line(&object(found, rate).to_string());
    } else {
        let text = text::difference(found, rate, colour());
        out.line(text.trim_end());
    }
}

/// The exit code: 1 on a new failure or a rate that changed.
pub fn gate(found: &Differences, rate: f64) -> u8 {
    if found.passes(rate) {
        exit::PASSED
    } else {
        exit::FAILED
    }
}

/// What differs between two runs, and whether their seeds are equal.
pub fn between(
    (before, then): (&Run, &[CaseResult]),
    (after, now): (&Run, &[CaseResult]),
) -> (Differences, bool) {
    let same_seed = before.record.seed == after.record.seed;
    // A litmus test is the same program whatever the seed; what is drawn is not.
    let same = |case: &CaseId| same_seed || case.family() == "litmus";
    (differences(then, now, &same), same_seed)
}

/// The run with this number, or the last one.
pub fn load(path: &Path, number: Option<u32>) -> Result<(Run, Vec<CaseResult>), Error> {
    if !path.exists() {
        return Err(Error::Usage(format!(
            "there is no store {}; `classay run --store FILE` writes one",
            path.display()
        )));
    }
    let store = Store::open_read_only(path)?;
    let run = match number {
        Some(number) => store.run(RunId::new(number))?,
        None => store
            .runs()?
            .pop()
            .ok_or_else(|| Error::Nothing(format!("{} holds no run", path.display())))?,
    };
    let results = store.case_results(run.id)?;
    if results.is_empty() {
        return Err(Error::Nothing(format!(
            "run {} of {} has no results",
            run.id,
            path.display()
        )));
    }
    Ok((run, results))
}

fn object(found: &Differences, q: f64) -> Value {
    let verdict = |change: &classay_reports::difference::VerdictChange| {
        json!({
            "case": change.case, "before": change.before, "after": change.after,
            "reason": change.reason,
        })
    };
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
        "passes": found.passes(q),
        "new_failures": found.failures.iter().map(verdict).collect::<Vec<_>>(),
        "other_verdicts": found.verdicts.iter().map(verdict).collect::<Vec<_>>(),
        "only_before": found.missing,
        "only_after": found.added,
        "compared": found.outcomes.len(),
        "false_discovery_rate": q,
        "changed": found.changed(q).map(outcome).collect::<Vec<_>>(),
    })
}
