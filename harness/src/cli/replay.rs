//! `classay program` and `classay replay`: generated cases as files.

use super::args::{ProgramArgs, ReplayArgs};
use super::exit;
use super::failure::Failure;
use super::litmus::{Asked, play, tell};
use super::output::Out;
use crate::environment::Environment;
use crate::plan::{self, Body, seed};
use classay_reports::record::CaseId;
use classay_vocabulary::Budget;

/// Runs of each program unless told otherwise.
const RUNS: u64 = 100;

/// Prints the program of a case; returns the exit code.
pub fn program(args: &ProgramArgs) -> Result<u8, Failure> {
    let id = CaseId::from_stored(args.case.clone());
    let (profile, name) = args.case.rsplit_once('/').unwrap_or_default();
    let seed = seed::of_case(args.seed, &id);
    let work = Body::named(profile, name)
        .and_then(|body| body.work(seed))
        .map_err(Failure::Usage)?;
    Out::new().text(&work.to_text());
    Ok(exit::PASSED)
}

/// Runs programs from files; returns the exit code.
pub fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(&args.files);
    for file in &unreadable {
        tell(file, args.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(exit::USAGE);
    }
    let code = play(
        Asked {
            device: args.device.as_ref(),
            seed: 0,
            environment: Environment::default(),
            surroundings: None,
            budget: Budget::Instances(args.instances.unwrap_or(RUNS)),
            store: args.store.as_deref(),
            junit: args.junit.as_deref(),
            json: args.json,
            limits: args.care.limits(),
            model: None,
            expect: &args.expect,
        },
        cases,
        &mut out,
    )?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        exit::USAGE
    })
}
