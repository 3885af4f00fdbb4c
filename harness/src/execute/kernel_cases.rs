//! Runs a kernel case again and again and holds each run against what the case wants.

use super::kernels::{self, Bench};
use super::repeat::repeat;
use super::{Budget, Ended, NotRun, commands};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, Launch};
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::{check, generate, yaml};

/// The case that a family draws.
pub fn draw_kernel(family: &str, seed: u64) -> Result<KernelCase, String> {
    generate::draw(family, seed).ok_or_else(|| format!("there is no family {family}"))
}

/// The case in YAML.
pub fn read_kernel(text: &str) -> Result<KernelCase, String> {
    yaml::read(text).map_err(|e| e.to_string())
}

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_kernel(
    device: &OpenDevice,
    bench: &mut Option<Bench>,
    case: &KernelCase,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let missing: Vec<String> = case
        .needs
        .iter()
        .filter(|need| !commands::offers(&device.capabilities, 1, **need))
        .map(ToString::to_string)
        .collect();
    if !missing.is_empty() {
        let capability = missing.join(", ");
        return Err(NotRun::Skip {
            reason: format!("the device lacks {capability}"),
            capability,
        });
    }
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
