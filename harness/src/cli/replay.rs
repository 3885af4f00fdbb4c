//! `classay program` and `classay replay`: generated cases as files.

use super::args::{ProgramArgs, ReplayArgs};
use super::litmus::{play, tell};
use super::output::Out;
use classay::Error;
use classay::environment::Environment;
use classay::exit;
use classay::plan::{self, Body, seed};
use classay::run::Run;
use classay_reports::record::CaseId;
use classay_vocabulary::Budget;

/// Runs of each program unless told otherwise.
const RUNS: u64 = 100;

/// Prints the program of a case; returns the exit code.
pub fn program(args: &ProgramArgs) -> Result<u8, Error> {
    let id = CaseId::from_stored(args.case.clone());
    let (profile, name) = args.case.rsplit_once('/').unwrap_or_default();
    let seed = seed::of_case(args.seed, &id);
    let work = Body::named(profile, name)
        .and_then(|body| body.work(seed))
        .map_err(Error::Usage)?;
    Out::new().text(&work.to_text());
    Ok(exit::PASSED)
}

/// Runs programs from files; returns the exit code.
pub fn replay(args: &ReplayArgs) -> Result<u8, Error> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(&args.files);
    for file in &unreadable {
        tell(file, args.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(exit::USAGE);
    }
    let mut run = Run::of_cases(cases)
        .seed(0)
        .budget(Budget::Instances(args.instances.unwrap_or(RUNS)))
        .environment(Environment::default())
        .limits(args.care.limits());
    if let Some(device) = &args.device {
        run = run.device(device.clone());
    }
    if let Some(store) = &args.store {
        run = run.store(store);
    }
    for file in &args.expect {
        run = run.expect(file);
    }
    let code = play(run, args.junit.as_deref(), args.json, out)?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        exit::USAGE
    })
}
