//! Runs a kernel case again and again and holds each run against what the case wants.

use super::kernels::{self, Benches};
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, Launch};
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
        return Err(NotRun::Skip {
            reason: format!("the device does not list {lacking}"),
            capability: lacking,
        });
    }
    bench.build_seconds = 0.0;
    let (mut ended, violated) = repeat(budget, on_launch, &mut |_| {
        let trace = kernels::run(bench, case)?;
        Ok(Shown {
            violations: check::check(case, &trace),
            gave_up: trace.gave_up,
        })
    })?;
    ended.build_seconds = bench.build_seconds;
    if violated {
        ended.evidence.push(Evidence {
            kind: "program".into(),
            text: yaml::write(case),
        });
    }
    Ok(ended)
}
