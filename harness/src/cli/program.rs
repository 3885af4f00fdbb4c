//! `classay program`: a generated case as a file.

use super::output::Out;
use clap::Args;
use classay::Error;
use classay::plan::{Body, seed};
use classay_vocabulary::{CaseId, ExitCode};

/// Options of `program`.
#[derive(Debug, Args)]
pub struct ProgramOptions {
    /// The case, as `queue/random/00017`
    #[arg(value_name = "CASE")]
    case: String,
    /// The run's master seed
    #[arg(long, value_name = "N")]
    seed: u64,
}

/// Does it; returns the exit code.
pub fn main(args: &ProgramOptions) -> Result<ExitCode, Error> {
    let id = CaseId::from_stored(args.case.clone());
    let (profile, name) = args.case.rsplit_once('/').unwrap_or_default();
    let seed = seed::of_case(args.seed, &id);
    let work = Body::named(profile, name)
        .and_then(|body| body.work(seed))
        .map_err(Error::Usage)?;
    Out::new().text(&work.to_text());
    Ok(ExitCode::Passed)
}
