//! `classay shrink`: shrinks a failing program of commands, kernel case or API case.

use super::litmus::complain_of;
use super::options::{CaseTimeoutOption, DeviceOption, seconds};
use super::output::{Out, say};
use clap::Args;
use classay::interrupt::Interrupt;
use classay::plan;
use classay::shrink::{self, Reduction};
use classay::worker::session::Limits;
use classay::{Error, open};
use classay_vocabulary::ExitCode;
use std::path::PathBuf;
use std::time::Duration;

/// What `shrink` does with what.
const EXIT_CODES: &str = include_str!("shrink_exit_codes.txt").trim_ascii_end();

/// Options of `shrink`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ShrinkOptions {
    /// A program of commands, a kernel case or an API case, as YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the smallest case into this file instead of to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Run the case as it is this many times to see how it fails [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    instances: Option<u64>,
    /// Keep the failure whose text matches this, with * and ?, of several that the case shows [default: the most
    /// frequent one]
    #[arg(long, value_name = "TEXT")]
    keep: Option<String>,
    /// Stop after this long with the smallest so far [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    limit: Option<f64>,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    timeout: CaseTimeoutOption,
}

/// Runs of the program as it is given, unless told otherwise.
const RUNS: u64 = 100;

/// Does it; returns the exit code.
pub fn main(args: &ShrinkOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        complain_of(file, false, &mut out);
    }
    let [case] = cases.as_slice() else {
        return Ok(ExitCode::Usage);
    };
    let first = case.body.work(case.seed).map_err(Error::Usage)?;
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let selector = args.device.selector();
    let (mut session, model) = open::judged(&selector, None, &interrupt)?;
    let record = session.known().record.clone();
    say(&format!(
        "{} ({selector}), driver {}",
        record.name, record.driver
    ));
    let how = shrink::Options {
        limits: Limits::once(args.timeout.or(20.0)),
        model: &model,
        runs: args.instances.unwrap_or(RUNS),
        wanted: &[],
        keep: args.keep.as_deref(),
        limit: args.limit.map(Duration::from_secs_f64),
        interrupt: &interrupt,
        notify: &say,
    };
    let small = match shrink::shrink(&mut session, first, &how)? {
        Reduction::Passes { runs } => {
            say(&format!(
                "nothing to shrink: it passes in {runs} runs; --instances N runs it more often"
            ));
            return Ok(ExitCode::Passed);
        }
        Reduction::Skipped(reason) => return Err(Error::Nothing(reason)),
        Reduction::Found(small) => small,
    };
    match &args.out {
        Some(path) => std::fs::write(path, &small.text).map_err(Error::output(path))?,
        None => out.text(&small.text),
    }
    match small.stopped {
        Some(stop) => Err(Error::stopped(
            stop,
            ": the smallest program so far is kept",
        )),
        None => Ok(ExitCode::Failed),
    }
}
