//! `classay report`: what a run found, as a page, as data, as a table. Reads a store; touches no device.

use super::options::{DEFAULT_STORE, ExpectOption, FalseDiscoveryOption, JunitOption};
use super::output::{Out, is_standard, paper, put, say};
use clap::Args;
use classay::Error;
use classay::about;
use classay::compare::{between, load};
use classay::run::results;
use classay::tune::tuned::For;
use classay_reports::expectation::Expectations;
use classay_reports::record::CaseResult;
use classay_reports::report::{Baseline, Context, Faults, Progress, Report, Tuning};
use classay_reports::store::{Run, RunId, Store};
use classay_reports::text::{self, summary};
use classay_reports::{csv, html, json, junit};
use classay_vocabulary::ExitCode;
use std::path::{Path, PathBuf};

/// Options of `report`.
#[derive(Debug, Args)]
pub struct ReportOptions {
    /// The store of the run [default: classay.db]
    #[arg(value_name = "STORE")]
    store: Option<PathBuf>,
    /// Take this run of it [default: the last]
    #[arg(long, value_name = "N")]
    run: Option<u32>,
    /// Write one HTML page that needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Compare with a baseline: the number of a run of this store, or another store, whose last run is
    /// taken
    #[arg(long, value_name = "RUN|STORE")]
    baseline: Option<String>,
    /// Show the faults that a campaign detected: what `classay faults --json` printed
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Show the mutants that tuning saw: what `classay tune` kept in this file, or without one what is
    /// kept for the run's device
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    tuned: Option<Option<PathBuf>>,
    /// Show which model of forward progress the device was seen to keep: what `classay progress --json` printed
    #[arg(long, value_name = "FILE")]
    progress: Option<PathBuf>,
    /// Write one row an outcome as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write one JSON object; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    junit: JunitOption,
    #[command(flatten)]
    expect: ExpectOption,
    #[command(flatten)]
    chance: FalseDiscoveryOption,
}

/// Does it; returns the exit code, which says whether the report was written, not how the run ended.
pub fn main(args: &ReportOptions) -> Result<ExitCode, Error> {
    if args.chance.rate.is_some() && args.baseline.is_none() {
        return Err(Error::Usage("--rate needs a --baseline".into()));
    }
    let path = args.store.clone().unwrap_or_else(|| DEFAULT_STORE.into());
    let (mut run, results) = load(&path, args.run)?;
    run.reach = about::reach(&Store::open_read_only(&path)?, &run, &results)?;
    let wants_context = args.html.is_some() || args.json.is_some();
    let mut context = match wants_context {
        true => about::context(&Store::open_read_only(&path)?, &run, &results)?,
        false => Context::default(),
    };
    if let Some(device) = &run.device {
        context.expectations = results::expectations(&args.expect.gate(), device, &say)?;
    }
    if let Some(file) = &args.faults {
        context.faults = Some(campaign(file)?);
    }
    if let Some(file) = &args.progress {
        context.progress = Some(progress(file)?);
    }
    if let Some(file) = &args.tuned {
        context.tuning = Some(tuning(file.as_deref(), &run)?);
    }
    if let Some(earlier) = &args.baseline {
        context.baseline = Some(baseline(
            earlier,
            &path,
            &run,
            &results,
            &context.expectations,
            args.chance.rate(),
        )?);
    }
    let report = Report::new(&run, &results, &context);
    if let Some(file) = &args.html {
        let page = html::html(&report).map_err(|error| Error::Bug(error.to_string()))?;
        put(file, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&json::run(&report))
            .map_err(|error| Error::Bug(error.to_string()))?;
        put(file, |out| writeln!(out, "{text}"))?;
    }
    if let Some(file) = &args.csv {
        put(file, |out| {
            csv::write(&report, out).map_err(std::io::Error::other)
        })?;
    }
    if let Some(file) = &args.junit.junit {
        put(file, |out| {
            junit::write(&run, &results, &context.expectations, out).map_err(std::io::Error::other)
        })?;
    }
    let files = [&args.html, &args.json, &args.csv, &args.junit.junit];
    if files.iter().all(|file| file.is_none()) {
        let table = summary(&run, &results, &context.expectations, paper());
        Out::new().text(&table);
        if let Some(reach) = &run.reach {
            say(&text::reach(reach));
        }
    }
    for file in files
        .into_iter()
        .flatten()
        .filter(|file| !is_standard(file))
    {
        say(&format!("wrote {}", file.display()));
    }
    Ok(ExitCode::Passed)
}

/// A campaign's lines.
fn campaign(path: &Path) -> Result<Faults, Error> {
    let wrong = |why: String| Error::Usage(format!("--faults {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Faults::read(&path.display().to_string(), &text).map_err(|error| wrong(error.to_string()))
}

/// What programs of progress showed.
fn progress(path: &Path) -> Result<Progress, Error> {
    let wrong = |why: String| Error::Usage(format!("--progress {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Progress::read(&path.display().to_string(), &text).map_err(|error| wrong(error.to_string()))
}

/// What tuning gave: what is in the file, or what is kept for the run's device.
fn tuning(file: Option<&Path>, run: &Run) -> Result<Tuning, Error> {
    let kept = || {
        run.device
            .as_ref()
            .and_then(|device| For::of(device).file())
    };
    let Some(path) = file.map(Path::to_path_buf).or_else(kept) else {
        return Err(Error::Usage(
            "--tuned: it is not known where what `classay tune` found is kept; name the file"
                .into(),
        ));
    };
    let wrong = |why: String| {
        let hint = match file {
            Some(_) => "",
            None => "; `classay tune` tunes for a device",
        };
        Error::Usage(format!("--tuned {}: {why}{hint}", path.display()))
    };
    let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    Tuning::read(&path.display().to_string(), &text).map_err(wrong)
}

/// What differs from the baseline that a user names.
fn baseline(
    earlier: &str,
    path: &Path,
    run: &Run,
    results: &[CaseResult],
    expectations: &Expectations,
    rate: f64,
) -> Result<Baseline, Error> {
    let (before, then) = match earlier.parse::<u32>() {
        Ok(number) if RunId::new(number) == run.id => {
            return Err(Error::Usage(format!(
                "run {number} is the one that is reported; --baseline takes another"
            )));
        }
        Ok(number) => load(path, Some(number))?,
        Err(_) => load(Path::new(earlier), None)?,
    };
    let (differences, same_seed) = between((&before, &then), (run, results), expectations);
    Ok(Baseline {
        name: match earlier.parse::<u32>() {
            Ok(_) => "this store".into(),
            Err(_) => earlier.into(),
        },
        run: before,
        differences,
        rate,
        same_seed,
    })
}
