//! `classay merge`: shards of a run, or runs of the same tests, as one run.

use super::options::{ExpectOption, JunitOption};
use super::output::{Out, paper, say};
use clap::Args;
use classay::Error;
use classay::compare;
use classay::merge::{Input, Leave, merge};
use classay::plan::{Case, Plan};
use classay::run::results;
use classay_reports::expectation::Expectations;
use classay_reports::record::Moment;
use classay_reports::store::{Run, RunRecord, Store};
use classay_reports::text::summary;
use classay_vocabulary::ExitCode;
use std::path::{Path, PathBuf};

/// Options of `merge`.
#[derive(Debug, Args)]
pub struct MergeOptions {
    /// Stores; of each the last run is taken
    #[arg(value_name = "STORE", required = true)]
    stores: Vec<PathBuf>,
    /// Add the merged run to this store, which is made where there is none
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Merge also where shards are missing; `classay run --resume` does not run those
    #[arg(long)]
    partial: bool,
    /// Exit as `run` would have: with 1 where a case failed, or is not as --expect says
    #[arg(long)]
    gate: bool,
    /// Merge also runs of different devices, as of a CI service's machines; report what differs
    #[arg(long)]
    any_device: bool,
    #[command(flatten)]
    expect: ExpectOption,
    #[command(flatten)]
    junit: JunitOption,
}

/// Does it; returns the exit code: 0 where the runs were merged, unless a gate is asked for.
pub fn main(args: &MergeOptions) -> Result<ExitCode, Error> {
    let mut inputs = Vec::new();
    let mut moments: Vec<Moment> = Vec::new();
    let mut created = None;
    for path in &args.stores {
        let (run, input) = load(path)?;
        created = created
            .min(Some(run.record.created))
            .or(Some(run.record.created));
        moments.extend(run.moments);
        inputs.push(input);
    }
    moments.sort_by_key(|moment| moment.at);
    let runs = inputs.len();
    // All have the same, or they are not merged.
    let version = inputs.first().map_or(String::new(), |i| i.version.clone());
    let leave = Leave {
        partial: args.partial,
        any_device: args.any_device,
    };
    let whole = merge(inputs, leave).map_err(Error::Usage)?;
    let record = RunRecord {
        // There is at least one store.
        created: created.unwrap_or_else(time::OffsetDateTime::now_utc),
        version,
        seed: whole.plan.seed,
        plan: whole.plan.to_text(),
    };
    let expectations = match &whole.device {
        Some(device) => results::expectations(&args.expect.gate(), device, &say)?,
        None => Expectations::default(),
    };
    let planned: Vec<_> = whole.cases.iter().map(Case::planned).collect();
    let mut store = Store::open(&args.out)?;
    let id = store.add_run(
        &record,
        &planned,
        whole.device.as_ref(),
        &moments,
        &whole.results,
    )?;
    let run = store.run(id)?;
    if let Some(path) = &args.junit.junit {
        results::write_junit(path, &run, &whole.results, &expectations)?;
    }
    Out::new().text(&summary(&run, &whole.results, &expectations, paper()));
    say(&format!(
        "{runs} runs are run {id} of {}, with {} cases, of which {} have a result",
        args.out.display(),
        planned.len(),
        whole.results.len()
    ));
    if !whole.missing.is_empty() {
        let missing: Vec<String> = whole.missing.iter().map(u32::to_string).collect();
        say(&format!("shards that are missing: {}", missing.join(", ")));
    }
    if args.gate {
        return results::exit_code(&whole.results, false, &expectations);
    }
    Ok(ExitCode::Passed)
}

/// The last run of a store.
fn load(path: &Path) -> Result<(Run, Input), Error> {
    let store = compare::open(path)?;
    let run = store
        .runs()?
        .pop()
        .ok_or_else(|| Error::Usage(format!("{} holds no run", path.display())))?;
    let wrong = |why| Error::Usage(format!("{}: {why}", path.display()));
    let input = Input {
        name: path.display().to_string(),
        version: run.record.version.clone(),
        plan: Plan::from_text(&run.record.plan).map_err(wrong)?,
        device: run.device.clone(),
        cases: store
            .planned_cases(run.id)?
            .into_iter()
            .map(Case::from_planned)
            .collect::<Result<_, String>>()
            .map_err(wrong)?,
        results: store.case_results(run.id)?,
    };
    Ok((run, input))
}
