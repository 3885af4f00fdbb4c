//! `classay reproduce`: a generated case as a C program that needs nothing of ours.

use super::args::ReproduceArgs;
use super::exit;
use super::failure::Failure;
use super::litmus::tell;
use super::output::Out;
use crate::execute::commands::SOURCE;
use crate::plan::{self, Work};
use classay_suites::api::reproduce::to_c as api_to_c;
use classay_suites::commands::reproduce::to_c as program_to_c;
use classay_suites::kernels::reproduce::to_c as case_to_c;

/// Does it; returns the exit code.
pub fn reproduce(args: &ReproduceArgs) -> Result<u8, Failure> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        tell(file, false, &mut out);
    }
    let Some(case) = cases.first() else {
        return Ok(exit::USAGE);
    };
    let text = match case.body.work(case.seed).map_err(Failure::Usage)? {
        Work::Commands(plan) => program_to_c(&plan, SOURCE),
        Work::Kernel(case) => case_to_c(&case),
        Work::Api(case) => api_to_c(&case),
        // Files of programs give no litmus test.
        Work::Litmus(_) => return Ok(exit::USAGE),
    };
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|e| Failure::Output {
            path: path.clone(),
            reason: e.to_string(),
        })?,
        None => out.text(&text),
    }
    Ok(exit::PASSED)
}
