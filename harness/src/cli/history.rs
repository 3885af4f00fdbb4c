//! `classay history`: the runs of a driver's versions side by side. Reads stores; touches no device.

use super::options::{FalseDiscoveryOption, GateKind, HISTORY_EXIT_CODES};
use super::output::{Out, colour, is_standard, put, say};
use clap::Args;
use classay::Error;
use classay::history::{Input, load};
use classay_reports::difference::Gate;
use classay_reports::{html, json, text};
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `history`.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXIT_CODES)]
pub struct HistoryOptions {
    /// Stores, a version of a driver each: of STORE the last run, of STORE#RUN that run; NAME=STORE names the
    /// version, which else is called as the driver reports it
    #[arg(value_name = "[NAME=]STORE[#RUN]", required = true)]
    stores: Vec<Input>,
    /// Write one HTML page that needs nothing else; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write one JSON object; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Leave the versions of a driver in the order given, rather than in that of their numbers
    #[arg(long)]
    as_given: bool,
    /// What exit code 1 is for
    #[arg(long, value_enum, default_value = "failures")]
    gate: GateKind,
    #[command(flatten)]
    chance: FalseDiscoveryOption,
}

/// Does it; returns the exit code: 1 where a driver's last version is worse than the one before.
pub fn main(args: &HistoryOptions) -> Result<ExitCode, Error> {
    let gate = match args.gate {
        GateKind::Failures => Gate::Failures,
        GateKind::Rates => Gate::Rates(args.chance.rate()),
    };
    let history = load(&args.stores, !args.as_given, args.chance.rate())?;
    if let Some(file) = &args.html {
        let page = html::history(&history, gate).map_err(|error| Error::Bug(error.to_string()))?;
        put(file, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(file) = &args.json {
        let text = serde_json::to_string_pretty(&json::history(&history, gate))
            .map_err(|error| Error::Bug(error.to_string()))?;
        put(file, |out| writeln!(out, "{text}"))?;
    }
    let files = || [&args.html, &args.json].into_iter().flatten();
    if !files().any(|file| is_standard(file)) {
        Out::new().text(&text::history(&history, gate, colour()));
    }
    for file in files().filter(|file| !is_standard(file)) {
        say(&format!("wrote {}", file.display()));
    }
    Ok(match history.passes(gate) {
        Some(false) => ExitCode::Failed,
        Some(true) | None => ExitCode::Passed,
    })
}
