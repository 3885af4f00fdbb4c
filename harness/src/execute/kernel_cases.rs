//! Runs a kernel case again and again and evaluates the checks of each run.

use super::host::{Fixtures, Play, SetupError};
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::host::Record;
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::{lower, yaml};
use classay_vocabulary::Budget;
use classay_vocabulary::Need;

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_kernel(
    device: &OpenDevice,
    fixtures: &mut Fixtures,
    case: &KernelCase,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let mut needs = case.needs.clone();
    if case.devices() > 1 {
        needs.insert(Need::Devices(case.devices().into()));
    }
    needs::check(device, &needs)?;
    if let Some(lacking) = lacking(fixtures, case)? {
        return Err(NotRun::skip(format!("the device does not list {lacking}")));
    }
    fixtures.take_build_seconds();
    let lowered = lower(case);
    let play = Play::of(fixtures, lowered.program.clone())?;
    let mut ended = repeat(budget, on_launch, &mut |n| {
        let run = n as u32;
        let record = play.run(run);
        if !lowered.started(&record) {
            return Err(setup(&record));
        }
        Ok(Shown {
            violations: lowered.violations(&record, run),
            is_incomplete: lowered.timed_out(&record),
        })
    })?;
    ended.build_seconds = fixtures.take_build_seconds();
    if !ended.violations.is_empty() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Program,
            text: yaml::write(case),
        });
    }
    Ok(ended)
}

/// What a case needs that is asked for in a context: the first format of an image that the implementation
/// does not list.
fn lacking(fixtures: &mut Fixtures, case: &KernelCase) -> Result<Option<String>, NotRun> {
    let (program, asked) = lower::formats(case);
    if asked.is_empty() {
        return Ok(None);
    }
    let record = Play::of(fixtures, program)?.run(0);
    if record.failed.is_some() {
        return Err(setup(&record));
    }
    Ok(lower::lacking(case, &asked, &record))
}

/// Why a run did not come to what its case is about.
fn setup(record: &Record) -> NotRun {
    match record.failed {
        Some((call, code)) => SetupError { call, code }.into(),
        None => NotRun::Failed {
            reason: "internal error: a run did not start (this is a bug)".into(),
            evidence: Vec::new(),
        },
    }
}
