//! `classay version`.

use super::output::Out;
use clap::Args;
use classay::Error;
use classay_vocabulary::ExitCode;

/// Options of `version`: none.
#[derive(Debug, Args)]
pub struct VersionOptions {}

/// Does it; returns the exit code.
pub fn main(_: &VersionOptions) -> Result<ExitCode, Error> {
    Out::new().line(&format!("classay {}", env!("CARGO_PKG_VERSION")));
    Ok(ExitCode::Passed)
}
