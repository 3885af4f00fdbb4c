//! Compares a run with a baseline.

use crate::Error;
use classay_reports::difference::{Differences, differences};
use classay_reports::expectation::{Expectations, Standing};
use classay_reports::record::{CaseId, CaseResult};
use classay_reports::store::{Run, RunId, Store};
use std::path::Path;

/// What differs between two runs, and whether their seeds are equal. What is expected of the second is known.
pub fn between(
    (before, then): (&Run, &[CaseResult]),
    (after, now): (&Run, &[CaseResult]),
    expectations: &Expectations,
) -> (Differences, bool) {
    let same_seed = before.record.seed == after.record.seed;
    // A litmus test is the same program whatever the seed; what is drawn is not.
    let same = |case: &CaseId| same_seed || case.family() == "litmus";
    let expected = |result: &CaseResult| matches!(expectations.of(result), Standing::Expected(_));
    (differences(then, now, &same, &expected), same_seed)
}

/// A store that is there, to be read.
///
/// # Errors
///
/// There is none, or it cannot be read.
pub fn open(path: &Path) -> Result<Store, Error> {
    if !path.exists() {
        return Err(Error::Usage(format!(
            "there is no store {}; `classay run --store FILE` writes one",
            path.display()
        )));
    }
    Ok(Store::open_read_only(path)?)
}

/// The run of a store with this number, or the last one, with its results.
///
/// # Errors
///
/// There is no such store or run, the run has no results, or the store cannot be read.
pub fn load(path: &Path, number: Option<u32>) -> Result<(Run, Vec<CaseResult>), Error> {
    let store = open(path)?;
    let run = match number {
        Some(number) => store.run(RunId::new(number))?,
        None => store
            .runs()?
            .pop()
            .ok_or_else(|| Error::Nothing(format!("{} holds no run", path.display())))?,
    };
    let results = store.case_results(run.id)?;
    if results.is_empty() {
        return Err(Error::Nothing(format!(
            "run {} of {} has no results",
            run.id,
            path.display()
        )));
    }
    Ok((run, results))
}
