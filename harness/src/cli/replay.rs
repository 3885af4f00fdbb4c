//! `classay program` and `classay replay`: programs of commands as files.

use super::args::{ProgramArgs, ReplayArgs};
use super::exit;
use super::failure::Failure;
use super::litmus::{Asked, play, tell};
use super::output::Out;
use crate::execute::{Budget, draw_commands, draw_kernel, small_commands};
use crate::plan::{self, seed};
use classay_reports::record::CaseId;
use classay_suites::commands::yaml;
use classay_suites::kernels;

/// Runs of each program unless told otherwise.
const RUNS: u64 = 100;

/// Prints the program of a case; returns the exit code.
pub fn program(args: &ProgramArgs) -> Result<u8, Failure> {
    let id = CaseId::from_stored(args.case.clone());
    let profile = args
        .case
        .rsplit_once('/')
        .map_or("", |(profile, _)| profile);
    let seed = seed::of_case(args.seed, &id);
    if let Ok(case) = draw_kernel(profile, seed) {
        Out::new().text(&kernels::yaml::write(&case));
        return Ok(exit::PASSED);
    }
    let plan = if profile == "queue/small" {
        let number = id.name().parse().map_err(|_| {
            Failure::Usage(format!("{} is no number of a small program", id.name()))
        })?;
        small_commands(number)
    } else {
        draw_commands(profile, seed)
    };
    let plan = plan.map_err(Failure::Usage)?;
    Out::new().text(&yaml::write(&plan.program));
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
            budget: Budget::Instances(args.instances.unwrap_or(RUNS)),
            store: args.store.as_deref(),
            junit: args.junit.as_deref(),
            json: args.json,
            limits: args.care.limits(),
            model: None,
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
