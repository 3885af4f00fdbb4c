//! `classay show`: the shipped litmus tests.

use super::output::{Out, complain};
use clap::Args;
use classay::Error;
use classay::plan;
use classay_reports::text::WIDTH;
use classay_reports::text::layout::wrap;
use classay_vocabulary::ExitCode;

/// Options of `show`.
#[derive(Debug, Args)]
pub struct ShowOptions {
    /// Names of shipped tests, as SB+rlx or 'SB*'; without one, all are listed
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Does it; returns the exit code.
pub fn main(args: &ShowOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    if args.names.is_empty() {
        for test in plan::all_shipped() {
            out.line(&test.called);
            for line in wrap(about(test.text), WIDTH - 2) {
                out.line(&format!("  {line}"));
            }
        }
        return Ok(ExitCode::Passed);
    }
    let mut code = ExitCode::Passed;
    for name in &args.names {
        let mut any = false;
        for test in plan::shipped_like(name) {
            any = true;
            out.text(test.text);
        }
        if !any {
            complain(&format!("{name} {}", plan::no_shipped_test(name)));
            code = ExitCode::Usage;
        }
    }
    Ok(code)
}

/// What a shipped test says that it shows.
pub(super) fn about(text: &str) -> &str {
    let comment = text
        .split_once("(*")
        .and_then(|(_, rest)| rest.split_once("*)"));
    comment.map_or("", |(comment, _)| comment.trim())
}
