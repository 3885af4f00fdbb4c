//! Runs a kernel case again and again and compares each run with what the case requires.

use super::kernels::{self, Benches};
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::{check, yaml};
use classay_vocabulary::Budget;
use classay_vocabulary::Need;

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_kernel(
    device: &OpenDevice,
    benches: &mut Benches,
    case: &KernelCase,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let mut needs = case.needs.clone();
    if case.devices() > 1 {
        needs.insert(Need::Devices(case.devices().into()));
    }
    needs::check(device, &needs)?;
    let bench = benches.on(device, case.devices())?;
    if let Some(lacking) = kernels::lacking(bench, case)? {
        return Err(NotRun::skip(format!("the device does not list {lacking}")));
    }
    bench.build_seconds = 0.0;
    let mut ended = repeat(budget, on_launch, &mut |_| {
        let trace = kernels::run(bench, case)?;
        Ok(Shown {
            violations: check::check(case, &trace),
            is_incomplete: trace.gave_up,
        })
    })?;
    ended.build_seconds = bench.build_seconds;
    if !ended.violations.is_empty() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Program,
            text: yaml::write(case),
        });
    }
    Ok(ended)
}
