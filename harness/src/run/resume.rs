//! A run that goes on where it stopped.

use super::Conduct;
use super::active::Active;
use super::results::{self, Gate, Results};
use crate::device::{Selector, same};
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{Case, Plan};
use crate::worker::protocol::Known;
use crate::{Error, Notify, open};
use classay_reports::expectation::Expectations;
use classay_reports::store::{Run, RunStatus, Store};
use std::path::Path;
use std::time::Instant;

/// A run of a store.
pub struct Stored {
    store: Store,
    run: Run,
    plan: Plan,
    complete: bool,
}

impl Stored {
    /// The last unfinished run of a store, or the last one where all are complete.
    ///
    /// # Errors
    ///
    /// There is no such store or no run in it, it cannot be read, or another version of classay began the
    /// run.
    pub fn last(path: &Path) -> Result<Stored, Error> {
        if !path.exists() {
            return Err(Error::Usage(format!(
                "there is no results store {} to resume from; --store names another",
                path.display()
            )));
        }
        let store = Store::open(path)?;
        let unfinished = store.unfinished_run(None)?;
        let Some(run) = unfinished.or(store.runs()?.pop()) else {
            return Err(Error::Usage(format!(
                "the results store {} has no run to resume",
                path.display()
            )));
        };
        // A run that its time ended has cases that it did not reach.
        let complete = run.status == RunStatus::Done && run.committed == run.planned;
        let version = env!("CARGO_PKG_VERSION");
        if !complete && run.record.version != version {
            return Err(Error::Usage(format!(
                "run {} of {} was begun by classay {}, and this is {version}: its other half would not \
                 be the same experiment; begin a new run",
                run.id,
                path.display(),
                run.record.version
            )));
        }
        let plan = Plan::from_text(&run.record.plan).map_err(Error::Bug)?;
        Ok(Stored {
            store,
            run,
            plan,
            complete,
        })
    }

    /// Whether every case has its result.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// What it planned.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Opens the device of an unfinished run again. `notify` is told what the user should know.
    ///
    /// # Errors
    ///
    /// The device does not open or is not what it was, a file is wrong, or the store cannot be written.
    pub fn resume(
        self,
        conduct: &Conduct,
        gate: &Gate,
        interrupt: &Interrupt,
        notify: Notify<'_>,
    ) -> Result<Active, Error> {
        let begun = Instant::now();
        let Stored {
            store, run, plan, ..
        } = self;
        let selector: Selector = plan
            .device
            .parse()
            .map_err(|e| Error::Bug(format!("the stored device {}: {e}", plan.device)))?;
        // Before the device, as when the run began.
        let model = ChosenModel::load(&plan.model).map_err(Error::Usage)?;
        let cases = store
            .pending_cases(run.id)?
            .into_iter()
            .map(Case::from_planned)
            .collect::<Result<Vec<Case>, String>>()
            .map_err(Error::Bug)?;
        let session = open::device(&selector, interrupt)?;
        same_device(&run, session.known())?;
        let expectations = results::expectations(gate, &session.known().record, notify)?;
        let mut results = Results::resume(store, run)?;
        results.expect(expectations);
        results.end_after(conduct.most_failures);
        let budget = match plan.asked.seconds() {
            Some(_) => {
                let left = cases.iter().filter_map(|case| case.budget.seconds());
                plan.asked.lasting(left.sum())
            }
            None => plan.asked,
        };
        let (order, limits) = conduct.order(budget, begun);
        Ok(Active {
            order,
            lanes: Vec::new(),
            opening: None,
            rounds: super::schedule::Learned::default(),
            session,
            cases,
            model,
            limits,
            results,
        })
    }

    /// The results of a complete run.
    ///
    /// # Errors
    ///
    /// The store cannot be read or written, or a file is wrong.
    pub fn results(self, gate: &Gate, notify: Notify<'_>) -> Result<Results, Error> {
        let expectations = match &self.run.device {
            Some(device) => results::expectations(gate, device, notify)?,
            None => Expectations::default(),
        };
        let mut results = Results::resume(self.store, self.run)?;
        results.expect(expectations);
        results.finish(RunStatus::Done)?;
        Ok(results)
    }
}

/// Half a run on one driver and half on another would be no run.
fn same_device(run: &Run, known: &Known) -> Result<(), Error> {
    match &run.device {
        Some(device) if same::differs(device, &known.record) => Err(Error::NoDevice(format!(
            "the device is not what it was when run {} began: it was {}, and is {}, or its \
             capabilities changed; begin a new run",
            run.id,
            same::title(device),
            same::title(&known.record),
        ))),
        Some(_) | None => Ok(()),
    }
}
