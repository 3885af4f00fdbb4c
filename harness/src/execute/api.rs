//! Runs API cases, as host programs.

use super::host::{Fixtures, Play};
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::api::{Case, Scenario};
use classay_suites::family::{DeviceInfo, Family};
use classay_vocabulary::Budget;

/// Runs it until the budget is spent: so many runs, or seconds.
///
/// # Errors
/// The device lacks what the case needs, or its fixture cannot be made.
pub fn run_api(
    device: &OpenDevice,
    fixtures: &mut Fixtures,
    case: &Case,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    needs::check(device, &case.needs())?;
    let names = device.capabilities.built_in_kernels.split(';');
    let known = DeviceInfo {
        built_in_kernels: names
            .map(|name| name.trim().to_string())
            .filter(|name| !name.is_empty())
            .collect(),
    };
    let lowered = case.lower(&known);
    let play = Play::of(fixtures, lowered.program.clone())?;
    let mut ended = repeat(budget, on_launch, &mut |run| {
        let record = play.run(run as u32);
        Ok(Shown {
            violations: case.check(&lowered, &record, run as u32),
            is_incomplete: false,
        })
    })?;
    ended.build_seconds = fixtures.take_build_seconds();
    if !ended.violations.is_empty() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Program,
            text: on(case, known).write(),
        });
    }
    Ok(ended)
}

/// The case with what it took from the device, so that it says the same elsewhere.
fn on(case: &Case, device: DeviceInfo) -> Case {
    let mut case = case.clone();
    if case.scenario == Scenario::BuiltIn {
        case.scenario = Scenario::BuiltInKernels(device.built_in_kernels);
    }
    case
}
