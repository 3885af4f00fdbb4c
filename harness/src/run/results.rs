//! Where results go: the store as each case ends, the JUnit file at the end.

use super::active::Halt;
use super::reach::{Covers, reach};
use crate::judge::{About, ChosenModel};
use crate::machine::Watch;
use crate::plan::{Case, Plan};
use crate::worker::protocol::Known;
use crate::{Error, Notify};
use classay_reports::expectation::Expectations;
use classay_reports::junit;
use classay_reports::record::{CaseId, CaseResult, DeviceRecord, Moment, Verdict};
use classay_reports::store::{PlanHash, Run, RunId, RunRecord, RunStatus, Store, StoreError};
use classay_vocabulary::ExitCode;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// What fails a run.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// Files that say what is expected of the device.
    pub files: Vec<PathBuf>,
    /// What is contested fails, too.
    pub strict: bool,
    /// What is flaky passes.
    pub lenient: bool,
}

/// What is expected of a device. A file for other devices expects nothing, which `notify` is told.
///
/// # Errors
///
/// A file cannot be read, or says what no such file says.
pub fn expectations(
    gate: &Gate,
    device: &DeviceRecord,
    notify: Notify<'_>,
) -> Result<Expectations, Error> {
    let mut all = Expectations::default();
    all.be_strict(gate.strict);
    all.be_lenient(gate.lenient);
    for path in &gate.files {
        let wrong = |why: String| Error::Usage(format!("{}: {why}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
        if !all.add(&text, device).map_err(wrong)? {
            notify(&format!(
                "{} is for other devices than {}: nothing in it is expected",
                path.display(),
                device.name
            ));
        }
    }
    Ok(all)
}

/// The exit code that the results of a run call for. That nothing was tested is a failure of a whole run
/// alone: a part of one may have no case, or none that the device can run.
///
/// # Errors
///
/// Nothing was tested.
pub fn exit_code(
    results: &[CaseResult],
    part: bool,
    expectations: &Expectations,
) -> Result<ExitCode, Error> {
    if results.iter().any(|r| !expectations.passes(r)) {
        return Ok(ExitCode::Failed);
    }
    if !part && results.iter().all(|r| r.verdict == Verdict::Skip) {
        return Err(Error::Nothing(
            "nothing was tested: every case was skipped; the reasons name what the device lacks"
                .into(),
        ));
    }
    Ok(ExitCode::Passed)
}

/// The results of a run as they come.
pub struct Results {
    run: Run,
    store: Option<Store>,
    results: Vec<CaseResult>,
    /// The cases in the order of the plan, where no store knows it.
    planned: Vec<CaseId>,
    expectations: Expectations,
    watch: Watch,
    /// Failures that nobody expected and that came since this process began, and how many end the run.
    failures: u32,
    most_failures: Option<u32>,
    /// What is known of cases.
    known: BTreeMap<CaseId, About>,
}

impl Results {
    /// Keeps what is known of cases for how far the run came.
    pub(super) fn know(&mut self, known: BTreeMap<CaseId, About>) {
        self.known = known;
    }

    /// A new run. With a store, the plan is written before anything runs.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn begin(
        store: Option<Store>,
        plan: &Plan,
        cases: &[Case],
        known: &Known,
    ) -> Result<Results, Error> {
        let record = RunRecord {
            created: OffsetDateTime::now_utc(),
            version: env!("CARGO_PKG_VERSION").into(),
            seed: plan.seed,
            plan: plan.to_text(),
        };
        let planned: Vec<_> = cases.iter().map(Case::planned).collect();
        let mut store = store;
        let id = match &mut store {
            Some(store) => {
                let id = store.begin_run(&record, &planned)?;
                store.set_device(id, &known.record)?;
                id
            }
            None => RunId::new(1),
        };
        let mut all = Results {
            run: Run {
                id,
                plan_hash: PlanHash::of(&record.plan),
                record,
                device: Some(known.record.clone()),
                status: RunStatus::Running,
                finished: None,
                planned: planned.len() as u64,
                committed: 0,
                moments: Vec::new(),
                reach: None,
            },
            store,
            results: Vec::new(),
            planned: cases.iter().map(|case| case.id.clone()).collect(),
            expectations: Expectations::default(),
            watch: Watch::new(),
            failures: 0,
            most_failures: None,
            known: BTreeMap::new(),
        };
        all.look()?;
        Ok(all)
    }

    /// A run of a store, with the results that it has.
    ///
    /// # Errors
    ///
    /// The store cannot be read or written.
    pub fn resume(mut store: Store, run: Run) -> Result<Results, Error> {
        let results = store.case_results(run.id)?;
        store.finish_run(run.id, RunStatus::Running)?;
        let mut all = Results {
            run,
            store: Some(store),
            results,
            planned: Vec::new(),
            expectations: Expectations::default(),
            watch: Watch::new(),
            failures: 0,
            most_failures: None,
            known: BTreeMap::new(),
        };
        all.look()?;
        Ok(all)
    }

    /// Compares the results with this.
    pub fn expect(&mut self, expectations: Expectations) {
        self.expectations = expectations;
    }

    /// What is expected.
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// The exit code that the results call for.
    ///
    /// # Errors
    ///
    /// Nothing was tested.
    pub fn exit_code(&self) -> Result<ExitCode, Error> {
        let plan = Plan::from_text(&self.run.record.plan).map_err(Error::Bug)?;
        exit_code(&self.results, plan.part.is_some(), &self.expectations)
    }

    /// Notes how the machine is.
    fn look(&mut self) -> Result<(), StoreError> {
        let moment = self.watch.look();
        self.note(moment)
    }

    fn note(&mut self, moment: Moment) -> Result<(), StoreError> {
        if let Some(store) = &mut self.store {
            store.note_moment(self.run.id, &moment)?;
        }
        self.run.moments.push(moment);
        Ok(())
    }

    /// Keeps a result. When this returns, a store has it for good.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn commit(&mut self, result: CaseResult) -> Result<(), StoreError> {
        if let Some(store) = &mut self.store {
            store.commit_case(self.run.id, &result)?;
        }
        self.failures += u32::from(!self.expectations.passes(&result));
        self.results.push(result);
        match self.watch.due() {
            Some(moment) => self.note(moment),
            None => Ok(()),
        }
    }

    /// The run ends after so many failures that nobody expected.
    pub fn end_after(&mut self, failures: Option<u32>) {
        self.most_failures = failures;
    }

    /// Lets the run go on.
    ///
    /// # Errors
    ///
    /// There are as many failures as end it.
    pub(super) fn enough(&self) -> Result<(), Halt> {
        match self.has_failed_enough() {
            true => Err(Halt::Enough),
            false => Ok(()),
        }
    }

    /// Whether there are as many failures as end the run.
    pub fn has_failed_enough(&self) -> bool {
        self.most_failures.is_some_and(|most| self.failures >= most)
    }

    /// Notes how the run ended.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn finish(&mut self, status: RunStatus) -> Result<(), StoreError> {
        self.look()?;
        match &mut self.store {
            Some(store) => {
                store.finish_run(self.run.id, status)?;
                // In the order of the plan, also after a resumption.
                self.results = store.case_results(self.run.id)?;
                self.run = store.run(self.run.id)?;
            }
            None => {
                self.run.status = status;
                let place =
                    |result: &CaseResult| self.planned.iter().position(|id| *id == result.case);
                self.results.sort_by_cached_key(place);
            }
        }
        Ok(())
    }

    /// Works out how far the run came, of which these cases are all where there is no store.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub(super) fn reached(
        &mut self,
        cases: &[Case],
        model: &ChosenModel,
    ) -> Result<(), StoreError> {
        let planned = match &self.store {
            Some(store) => Some(store.planned_cases(self.run.id)?),
            None => None,
        };
        let planned: Option<Vec<Case>> = planned.map(|all| {
            let cases = all.into_iter().map(Case::from_planned);
            cases.filter_map(Result::ok).collect()
        });
        let cases = planned.as_deref().unwrap_or(cases);
        let unknown = cases
            .iter()
            .filter(|case| !self.known.contains_key(&case.id));
        let unknown: Vec<&Case> = unknown.collect();
        if !unknown.is_empty() {
            let more = Covers::by(model).all(&unknown);
            self.known.extend(more);
        }
        self.run.reach = Some(reach(cases, &self.results, &self.known));
        Ok(())
    }

    /// Whether a case has its result.
    pub fn has(&self, case: &CaseId) -> bool {
        self.results.iter().any(|result| result.case == *case)
    }

    /// The results so far.
    pub fn all(&self) -> &[CaseResult] {
        &self.results
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The store's file, where there is a store.
    pub fn store_path(&self) -> Option<&Path> {
        self.store.as_ref().map(Store::path)
    }

    /// The run, its results, and what was expected of them.
    pub fn into_parts(self) -> (Run, Vec<CaseResult>, Expectations) {
        (self.run, self.results, self.expectations)
    }

    /// Writes the JUnit file.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write_junit(&self, path: &Path) -> Result<(), Error> {
        write_junit(path, &self.run, &self.results, &self.expectations)
    }
}

/// Writes results as JUnit XML into a file.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_junit(
    path: &Path,
    run: &Run,
    results: &[CaseResult],
    expectations: &Expectations,
) -> Result<(), Error> {
    let file = std::fs::File::create(path).map_err(Error::output(path))?;
    let mut out = std::io::BufWriter::new(file);
    junit::write(run, results, expectations, &mut out).map_err(Error::output(path))?;
    out.flush().map_err(Error::output(path))
}
