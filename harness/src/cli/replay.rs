//! `classay replay`: generated cases from files.

use super::litmus::play;
use super::options::SessionOptions;
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
    let run = Run {
        seed: Some(0),
        budget: Budget::Instances(args.instances.unwrap_or(RUNS)),
        environment: Some(Environment::default()),
        ..args.session.run()
    };
    play(plan::programs_from_files(&args.files), run, &args.session)
}
