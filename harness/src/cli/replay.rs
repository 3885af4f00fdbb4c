//! `classay replay`: generated cases from files.

use super::litmus::{complain_of, play};
use super::options::SessionOptions;
use super::output::Out;
use clap::Args;
use classay::Error;
use classay::environment::Environment;
use classay::plan;
use classay::run::Run;
use classay_vocabulary::{Budget, ExitCode};
use std::path::PathBuf;

/// Runs of each case unless told otherwise.
const RUNS: u64 = 100;

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct ReplayOptions {
    /// Generated cases, as YAML
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    session: SessionOptions,
    /// Run each case this many times [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    instances: Option<u64>,
}

/// Does it; returns the exit code.
pub fn main(args: &ReplayOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(&args.files);
    for file in &unreadable {
        complain_of(file, args.session.json.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(ExitCode::Usage);
    }
    let run = args
        .session
        .of(Run::of_cases(cases))
        .seed(0)
        .budget(Budget::Instances(args.instances.unwrap_or(RUNS)))
        .environment(Environment::default());
    let code = play(run, &args.session, out)?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        ExitCode::Usage
    })
}
