//! Runs a list of cases on a device, one after another, and keeps each result before the next case
//! starts.

use super::failure::Failure;
use super::keep::Kept;
use super::progress::Progress;
use crate::device::Selector;
use crate::interrupt::Interrupt;
use crate::plan::Case;
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseResult, Verdict};
use classay_reports::store::{RunStatus, StoreError};

/// Opens a device that tests can run on.
pub fn open(selector: &Selector, interrupt: &Interrupt) -> Result<Session, Failure> {
    let session = Session::open(selector, interrupt)?;
    let known = session.known();
    if known.capabilities.c_std.is_empty() {
        let why = match known.record.findings.as_slice() {
            [] => "it claims no version of OpenCL C".into(),
            findings => findings.join("; "),
        };
        return Err(Failure::NoDevice(format!(
            "no test can run on {selector} ({}), since it builds no OpenCL C: {why}.",
            known.record.name
        )));
    }
    Ok(session)
}

/// What ended a drive before its end.
pub enum Halt {
    /// No device, or the user.
    Stop(Stop),
    /// The store.
    Store(StoreError),
}

/// Runs the cases. `each` is called with every result, once it is kept.
pub fn drive(
    session: &mut Session,
    cases: &[Case],
    limits: Limits,
    kept: &mut Kept,
    mut progress: Progress,
    each: &mut dyn FnMut(&CaseResult),
) -> Result<(), Halt> {
    let mut all = || {
        for case in cases {
            progress.begins(&case.test);
            let result = session
                .run(case, limits, &mut |launch| {
                    progress.launched(&case.test, launch)
                })
                .map_err(Halt::Stop)?;
            kept.commit(result.clone()).map_err(Halt::Store)?;
            progress.ends(&result);
            progress.aside(|| each(&result));
        }
        Ok(())
    };
    let ended = all();
    progress.close();
    let status = match &ended {
        Ok(()) => RunStatus::Done,
        Err(_) => RunStatus::Interrupted,
    };
    match (ended, kept.finish(status)) {
        (Ok(()), Ok(())) => Ok(()),
        (Ok(()), Err(error)) => Err(Halt::Store(error)),
        (Err(halt), Ok(())) => Err(halt),
        (Err(halt), Err(error)) => {
            // The store's state says "running" then, which resumes just as well.
            tracing::debug!(%error, "the end of the run could not be noted");
            Err(halt)
        }
    }
}

/// The failure for a run that halted, with what can be done about it.
pub fn halted(halt: Halt, kept: &Kept, resume: &dyn Fn() -> Option<String>) -> Failure {
    let have = kept.results().len();
    let planned = kept.run().planned;
    let so_far = match resume() {
        Some(command) => {
            format!("{have} of {planned} cases are done and kept; `{command}` finishes the rest.")
        }
        None => format!("{have} of {planned} cases are done."),
    };
    match halt {
        Halt::Stop(Stop::Interrupted) => Failure::Interrupted(format!(": {so_far}")),
        Halt::Stop(Stop::NoDevice(sentence)) => Failure::NoDevice(format!("{sentence}\n{so_far}")),
        Halt::Store(error) => Failure::Store {
            error,
            advice: format!("\n{so_far}"),
        },
    }
}

/// The exit code that a run's results call for.
pub fn code(results: &[CaseResult]) -> Result<u8, Failure> {
    if results.iter().any(|r| r.verdict.is_failure()) {
        return Ok(super::exit::FAILED);
    }
    if results.iter().all(|r| r.verdict == Verdict::Skip) {
        return Err(Failure::Nothing(
            "nothing was tested: every case was skipped; the reasons name what the device lacks"
                .into(),
        ));
    }
    Ok(super::exit::PASSED)
}
