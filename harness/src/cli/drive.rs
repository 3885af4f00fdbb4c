//! Runs a list of cases on a device, one after another, and keeps each result before the next case
//! starts.

use super::args::SurroundingsArgs;
use super::failure::Failure;
use super::keep::Kept;
use super::output::say;
use super::progress::Progress;
use crate::device::Selector;
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::judge::{ChosenModel, model};
use crate::plan::Case;
use crate::tune::tuned::{For, Tuned};
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseResult, DeviceRecord};
use classay_reports::store::{RunStatus, StoreError};
use std::time::{Duration, Instant};

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

/// The environment of a run: what was asked for, or what was tuned for this device, or the device's own
/// choice.
pub fn surroundings(
    args: &SurroundingsArgs,
    given: Environment,
    device: &DeviceRecord,
) -> Result<Environment, Failure> {
    let file = For::of(device).file().filter(|file| file.exists());
    let (false, false, Some(file)) = (args.given(), args.untuned, file) else {
        return Ok(given);
    };
    let tuned = Tuned::read(&file).map_err(|why| {
        Failure::Usage(format!(
            "{why}; it is what `classay tune` kept for this device: remove it, or leave it out with \
             --untuned"
        ))
    })?;
    say(&format!(
        "environment {} of {} (--untuned leaves it out)",
        tuned.merged.digest(),
        file.display()
    ));
    Ok(tuned.merged)
}

/// The model that the user chose, read before a device is opened.
pub fn chosen(given: Option<&str>) -> Result<Option<ChosenModel>, Failure> {
    given
        .map(ChosenModel::load)
        .transpose()
        .map_err(Failure::Usage)
}

/// The model of this device's version of OpenCL.
pub fn devices_own(session: &Session) -> Result<ChosenModel, Failure> {
    let name = model::of_version(session.known().capabilities.version);
    ChosenModel::load(name).map_err(Failure::Bug)
}

/// What ended a drive before its end.
pub enum Halt {
    /// No device, or the user.
    Stop(Stop),
    /// The store.
    Store(StoreError),
}

/// Keeps a run near its time budget: building a test takes time that its own budget does not count,
/// so later cases get less when earlier ones took more. A case never gets more than its share.
pub struct Pace {
    /// When the run should end; `None` where each case gets what it asks for.
    end: Option<Instant>,
    /// Seconds that a case takes beyond its budget, averaged over those that ran.
    beyond: f64,
    ran: u32,
}

impl Pace {
    /// Each case as it asks.
    pub fn free() -> Pace {
        Pace {
            end: None,
            beyond: 0.0,
            ran: 0,
        }
    }

    /// The time budgets of all cases together are the run's.
    pub fn within(cases: &[Case]) -> Pace {
        let total: f64 = cases
            .iter()
            .map(|case| case.budget.seconds().unwrap_or(0.0))
            .sum();
        Pace {
            end: Some(Instant::now() + Duration::from_secs_f64(total)),
            ..Pace::free()
        }
    }

    /// A case with the time that is left for it, of `left` that are still to run.
    fn case(&self, case: &Case, left: usize) -> Case {
        let (Some(end), Some(share)) = (self.end, case.budget.seconds()) else {
            return case.clone();
        };
        let remaining = end.saturating_duration_since(Instant::now()).as_secs_f64();
        let seconds = (remaining / left.max(1) as f64 - self.beyond).min(share);
        Case {
            budget: case.budget.lasting(seconds.max(share * LEAST_SHARE)),
            ..case.clone()
        }
    }

    fn took(&mut self, case: &Case, seconds: f64) {
        if let Some(given) = case.budget.seconds() {
            self.ran += 1;
            self.beyond += ((seconds - given).max(0.0) - self.beyond) / f64::from(self.ran);
        }
    }
}

/// The part of its share that a case always gets.
const LEAST_SHARE: f64 = 0.1;

/// On what terms cases run.
pub struct Terms<'a> {
    /// The bounds on each.
    pub limits: Limits,
    /// What judges them.
    pub model: &'a ChosenModel,
    /// What keeps them within the run's time.
    pub pace: Pace,
}

/// Runs the cases. `each` is called with every result, once it is kept.
pub fn drive(
    session: &mut Session,
    cases: &[Case],
    terms: Terms<'_>,
    kept: &mut Kept,
    mut progress: Progress,
    each: &mut dyn FnMut(&CaseResult),
) -> Result<(), Halt> {
    let Terms {
        limits,
        model,
        mut pace,
    } = terms;
    let mut all = || {
        for (done, case) in cases.iter().enumerate() {
            progress.begins(&case.test);
            let paced = pace.case(case, cases.len() - done);
            let result = session
                .run(&paced, limits, model, &mut |launch| {
                    progress.launched(&case.test, launch)
                })
                .map_err(Halt::Stop)?;
            pace.took(&paced, result.seconds);
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
