//! What failed in a run, kept as files, each generated case shrunk.
//!
//! The files lie in a folder beside the store, `classay.failures` for `classay.db`, one for each case.

use crate::Error;
use crate::plan::{Body, Work, seed};
use crate::shrink::{Options, Reduction, shrink};
use crate::worker::session::Session;
use classay_reports::record::{CaseId, CaseResult};
use std::path::{Path, PathBuf};

/// Where the failures of a store's runs are kept.
pub fn folder(store: &Path) -> PathBuf {
    store.with_extension("failures")
}

/// Where a failed case is kept.
pub fn file(store: &Path, case: &CaseId) -> PathBuf {
    folder(store).join(format!("{}.yaml", case.as_str().replace('/', "-")))
}

/// The generated case of an id, generated again; `None` for a litmus test, which is a file already.
pub fn generated(id: &CaseId, master: u64) -> Option<Work> {
    let (profile, name) = id.as_str().rsplit_once('/')?;
    let body = Body::named(profile, name).ok()?;
    body.work(seed::of_case(master, id)).ok()
}

/// Keeps every failed case of a run; `device` is what `--device` takes.
///
/// # Errors
///
/// A file cannot be written, the device is gone, or the user interrupted.
pub fn keep(
    session: &mut Session,
    results: &[CaseResult],
    (store, master, device): (&Path, u64, &str),
    options: &Options<'_>,
) -> Result<(), Error> {
    let folder = folder(store);
    for result in results.iter().filter(|r| r.verdict.is_failure()) {
        let Some(work) = generated(&result.case, master) else {
            continue;
        };
        (options.notify)(&format!("{}: {}", result.case, result.verdict));
        if matches!(work, Work::Litmus(_)) {
            continue;
        }
        let as_generated = work.to_text();
        let options = Options {
            wanted: &result.violations,
            ..*options
        };
        let (text, stopped) = match shrink(session, work, &options)? {
            Reduction::Found(small) => (small.text, small.stopped),
            Reduction::Passes { runs } => {
                let head = result.reason.replace('\n', " ");
                let head = format!("# {head}\n# In {runs} more runs this passed.\n");
                (head + &as_generated, None)
            }
            Reduction::Skipped(reason) => (format!("# {reason}\n{as_generated}"), None),
        };
        let path = file(store, &result.case);
        std::fs::create_dir_all(&folder).map_err(Error::output(&folder))?;
        std::fs::write(&path, text).map_err(Error::output(&path))?;
        let shown = path.display();
        (options.notify)(&format!(
            "{}: kept in {shown}; `classay replay {shown} --device {device}` runs it, `classay \
             reproduce {shown} --c` writes it in C",
            result.case
        ));
        if let Some(stop) = stopped {
            let so_far = ": the run is complete; not all that failed was shrunk";
            return Err(Error::stopped(stop, so_far));
        }
    }
    Ok(())
}

/// How a user gets at the first generated case that failed.
pub fn advice(results: &[CaseResult], master: u64, device: &str) -> Option<String> {
    let case = results
        .iter()
        .filter(|r| r.verdict.is_failure())
        .find(|r| generated(&r.case, master).is_some())?
        .case
        .as_str();
    Some(format!(
        "`classay program {case} --seed {master} > FILE` writes a case that failed down; `classay \
         shrink FILE --device {device}` shrinks it, `classay reproduce FILE --c` writes it in C; \
         with --shrink a run keeps all that fails so"
    ))
}
