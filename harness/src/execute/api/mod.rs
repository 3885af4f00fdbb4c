//! How API cases are run on a device.
//!
//! A [`stage::Stage`] holds what the calls are made with. [`refuse`] makes the calls that must be
//! refused, [`acts`] what threads do, [`stories`] tells a case and gives back what was observed.
//! Nothing here judges.

#![allow(unsafe_code)]

mod acts;
mod old;
mod refuse;
mod stage;
mod stories;

use super::repeat::{Shown, repeat};
use super::{Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::api::{Case, check, write};
use classay_vocabulary::Budget;

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_api(
    device: &OpenDevice,
    case: &Case,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    needs::check(device, &case.needs)?;
    let stage = stage::Stage::make(device)?;
    let mut ended = repeat(budget, on_launch, &mut |_| {
        let trace = stories::tell(&stage, &case.story)?;
        Ok(Shown {
            violations: check(case, &trace),
            is_incomplete: false,
        })
    })?;
    if !ended.violations.is_empty() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Program,
            text: write(case),
        });
    }
    Ok(ended)
}
