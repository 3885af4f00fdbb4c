//! Runs a kernel case again and again and holds each run against what the case wants.

use super::kernels::{self, Bench};
use super::repeat::repeat;
use super::{Budget, Ended, NotRun, needs};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, Launch};
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::{check, yaml};

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_kernel(
    device: &OpenDevice,
    bench: &mut Option<Bench>,
    case: &KernelCase,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    needs::check(&device.capabilities, 1, &case.needs)?;
    let bench = match bench {
        Some(bench) => bench,
        None => bench.insert(Bench::new(device)?),
    };
    bench.build_seconds = 0.0;
    let (mut ended, violated) = repeat(budget, on_launch, &mut |_| {
        let trace = kernels::run(bench, case)?;
        Ok(check::check(case, &trace))
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
