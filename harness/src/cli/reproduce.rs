//! `classay reproduce`: a program of commands as a C program that needs nothing of ours.

use super::args::ReproduceArgs;
use super::exit;
use super::failure::Failure;
use super::litmus::tell;
use super::output::Out;
use crate::execute::commands::SOURCE;
use crate::plan::{self, Body};
use classay_suites::commands::reproduce::to_c;

/// Does it; returns the exit code.
pub fn reproduce(args: &ReproduceArgs) -> Result<u8, Failure> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        tell(file, false, &mut out);
    }
    let Some(Body::Commands { program }) = cases.first().map(|case| &case.body) else {
        return Ok(exit::USAGE);
    };
    let plan = plan::read_commands(program).map_err(Failure::Usage)?;
    let text = to_c(&plan, SOURCE);
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|e| Failure::Output {
            path: path.clone(),
            reason: e.to_string(),
        })?,
        None => out.text(&text),
    }
    Ok(exit::PASSED)
}
