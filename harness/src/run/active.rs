//! A run that is going on: cases run one after another, and each result is kept before the next begins.

use super::results::Results;
use crate::Error;
use crate::judge::ChosenModel;
use crate::plan::Case;
use crate::worker::protocol::Known;
use crate::worker::session::{Limits, Session, Stop};
use classay_reports::record::{CaseResult, Launch};
use classay_reports::store::{RunStatus, StoreError};
use std::path::Path;
use std::time::{Duration, Instant};

/// Who is shown a run while it goes on.
pub trait Observer {
    /// A case begins.
    fn case_begins(&mut self, _case: &Case) {}

    /// The running case launched a kernel, or ran its program a number of times.
    fn launched(&mut self, _case: &Case, _launch: &Launch) {}

    /// A case ended, and its result is kept.
    fn case_ends(&mut self, _result: &CaseResult) {}

    /// No case follows.
    fn run_ends(&mut self) {}
}

/// Shows nothing.
impl Observer for () {}

/// What ended a run before its last case.
#[derive(Debug)]
pub enum Halt {
    /// No device, or the user.
    Stop(Stop),
    /// The store.
    Store(StoreError),
}

impl From<Halt> for Error {
    fn from(halt: Halt) -> Error {
        match halt {
            Halt::Stop(stop) => stop.into(),
            Halt::Store(error) => error.into(),
        }
    }
}

/// A run with its device open and its plan written down.
pub struct Active {
    pub(super) session: Session,
    pub(super) cases: Vec<Case>,
    pub(super) model: ChosenModel,
    pub(super) limits: Limits,
    pub(super) results: Results,
    pub(super) pace: Pace,
}

impl Active {
    /// What is known of the device.
    pub fn known(&self) -> &Known {
        self.session.known()
    }

    /// The cases that are still to run.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The results so far.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The device's worker and the model, for what follows a run.
    pub fn session(&mut self) -> (&mut Session, &ChosenModel) {
        (&mut self.session, &self.model)
    }

    /// Runs the cases, and notes in the store how the run ended.
    ///
    /// # Errors
    ///
    /// The device is gone, the user interrupted, or the store failed; what was kept stays.
    pub fn go(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        let ended = self.all(observer);
        observer.run_ends();
        let status = match &ended {
            Ok(()) => RunStatus::Done,
            Err(_) => RunStatus::Interrupted,
        };
        match (ended, self.results.finish(status)) {
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

    fn all(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        for (done, case) in self.cases.iter().enumerate() {
            observer.case_begins(case);
            let paced = self.pace.case(case, self.cases.len() - done);
            let result = self
                .session
                .run(&paced, self.limits, &self.model, &mut |launch| {
                    observer.launched(case, launch)
                })
                .map_err(Halt::Stop)?;
            self.pace.took(&paced, result.seconds);
            self.results.commit(result.clone()).map_err(Halt::Store)?;
            observer.case_ends(&result);
        }
        Ok(())
    }

    /// Lets the worker go; the results stay.
    pub fn close(self) -> Results {
        self.session.close();
        self.results
    }

    /// The error for a run that halted, with how far it came and, where a store keeps it, the command
    /// that goes on.
    pub fn halted(&self, halt: Halt, resume: impl Fn(&Path) -> String) -> Error {
        let have = self.results.all().len();
        let planned = self.results.run().planned;
        let so_far = match self.results.store_path() {
            Some(store) => {
                let command = resume(store);
                format!(
                    "{have} of {planned} cases are done and kept; `{command}` finishes the rest."
                )
            }
            None => format!("{have} of {planned} cases are done."),
        };
        match halt {
            Halt::Stop(Stop::Interrupted) => Error::Interrupted(format!(": {so_far}")),
            Halt::Stop(Stop::NoDevice(sentence)) => {
                Error::NoDevice(format!("{sentence}\n{so_far}"))
            }
            Halt::Store(error) => Error::Store {
                error,
                advice: format!("\n{so_far}"),
            },
        }
    }
}

/// Keeps a run near its time budget: building a test takes time that its own budget does not count,
/// so later cases get less when earlier ones took more. A case never gets more than its share.
pub(super) struct Pace {
    /// When the run should end; `None` where each case gets what it asks for.
    end: Option<Instant>,
    /// Seconds that a case takes beyond its budget, averaged over those that ran.
    beyond: f64,
    ran: u32,
}

impl Pace {
    /// Each case as it asks.
    pub(super) fn free() -> Pace {
        Pace {
            end: None,
            beyond: 0.0,
            ran: 0,
        }
    }

    /// The time budgets of all cases together are the run's.
    pub(super) fn within(cases: &[Case]) -> Pace {
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
