//! Where results go: the store as each case ends, the JUnit file at the end.

use super::exit;
use super::failure::Failure;
use super::output::say;
use crate::machine::Watch;
use crate::plan::{Case, Plan};
use crate::worker::protocol::Known;
use classay_reports::expectation::Expectations;
use classay_reports::junit;
use classay_reports::record::{CaseResult, DeviceRecord, Moment, Verdict};
use classay_reports::store::{PlanHash, Run, RunId, RunRecord, RunStatus, Store, StoreError};
use std::io::Write;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// What files say of a device; a file for other devices says nothing, which the user is told.
pub fn expect(files: &[PathBuf], device: &DeviceRecord) -> Result<Expectations, Failure> {
    let mut all = Expectations::default();
    for path in files {
        let wrong = |why: String| Failure::Usage(format!("{}: {why}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|e| wrong(format!("cannot be read: {e}")))?;
        if !all.add(&text, device).map_err(wrong)? {
            say(&format!(
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
pub fn judged(
    results: &[CaseResult],
    part: bool,
    expectations: &Expectations,
) -> Result<u8, Failure> {
    if results.iter().any(|r| !expectations.passes(r)) {
        return Ok(exit::FAILED);
    }
    if !part && results.iter().all(|r| r.verdict == Verdict::Skip) {
        return Err(Failure::Nothing(
            "nothing was tested: every case was skipped; the reasons name what the device lacks"
                .into(),
        ));
    }
    Ok(exit::PASSED)
}

/// A run that is going on, and what it has so far.
pub struct Kept {
    run: Run,
    store: Option<Store>,
    results: Vec<CaseResult>,
    expectations: Expectations,
    watch: Watch,
}

impl Kept {
    /// A new run. With a store, the plan is written before anything runs.
    pub fn begin(
        store: Option<Store>,
        plan: &Plan,
        cases: &[Case],
        known: &Known,
    ) -> Result<Kept, Failure> {
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
        let mut kept = Kept {
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
            },
            store,
            results: Vec::new(),
            expectations: Expectations::default(),
            watch: Watch::new(),
        };
        kept.look()?;
        Ok(kept)
    }

    /// An unfinished run of a store, with what it has.
    pub fn resume(mut store: Store, run: Run) -> Result<Kept, Failure> {
        let results = store.case_results(run.id)?;
        store.finish_run(run.id, RunStatus::Running)?;
        let mut kept = Kept {
            run,
            store: Some(store),
            results,
            expectations: Expectations::default(),
            watch: Watch::new(),
        };
        kept.look()?;
        Ok(kept)
    }

    /// Holds the results against this.
    pub fn expect(&mut self, expectations: Expectations) {
        self.expectations = expectations;
    }

    /// What is expected.
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// The exit code that the results call for.
    pub fn code(&self) -> Result<u8, Failure> {
        let plan = Plan::from_text(&self.run.record.plan).map_err(Failure::Bug)?;
        judged(&self.results, plan.part.is_some(), &self.expectations)
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
    pub fn commit(&mut self, result: CaseResult) -> Result<(), StoreError> {
        if let Some(store) = &mut self.store {
            store.commit_case(self.run.id, &result)?;
        }
        self.results.push(result);
        match self.watch.due() {
            Some(moment) => self.note(moment),
            None => Ok(()),
        }
    }

    /// Notes how the run ended.
    pub fn finish(&mut self, status: RunStatus) -> Result<(), StoreError> {
        self.look()?;
        match &mut self.store {
            Some(store) => {
                store.finish_run(self.run.id, status)?;
                // In the order of the plan, also after a resumption.
                self.results = store.case_results(self.run.id)?;
                self.run = store.run(self.run.id)?;
            }
            None => self.run.status = status,
        }
        Ok(())
    }

    /// The results so far.
    pub fn results(&self) -> &[CaseResult] {
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

    /// Writes the JUnit file.
    pub fn write_junit(&self, path: &Path) -> Result<(), Failure> {
        let failure = |reason: String| Failure::Output {
            path: path.to_path_buf(),
            reason,
        };
        let file = std::fs::File::create(path).map_err(|e| failure(e.to_string()))?;
        let mut out = std::io::BufWriter::new(file);
        junit::write(&self.run, &self.results, &self.expectations, &mut out)
            .map_err(|e| failure(e.to_string()))?;
        out.flush().map_err(|e| failure(e.to_string()))
    }
}
