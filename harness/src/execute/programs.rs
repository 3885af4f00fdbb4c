//! Runs a program of commands again and again and holds each run against the program's order.

use super::commands::{self, Bench, SetupError};
use super::repeat::repeat;
use super::{Budget, Ended, NotRun};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, Launch};
use classay_suites::commands::check::Plan;
use classay_suites::commands::generate::{self, Profile};
use classay_suites::commands::yaml;
use std::sync::Arc;

/// The plan of a program that a profile draws.
pub fn draw_commands(profile: &str, seed: u64) -> Result<Plan, String> {
    let (_, _, profile) = Profile::all()
        .into_iter()
        .find(|(family, kind, _)| profile == format!("{family}/{kind}"))
        .ok_or_else(|| format!("there is no profile {profile}"))?;
    generate::random(seed, &profile).map_err(|e| e.to_string())
}

/// The plan of a small program.
pub fn small_commands(number: u32) -> Result<Plan, String> {
    generate::enumerate::small(number as usize).map_err(|e| e.to_string())
}

/// The plan of a program in YAML.
pub fn read_commands(text: &str) -> Result<Plan, String> {
    let program = yaml::read(text).map_err(|e| e.to_string())?;
    Plan::of(program).map_err(|e| e.to_string())
}

impl From<SetupError> for NotRun {
    fn from(error: SetupError) -> NotRun {
        NotRun::Failed {
            reason: error.to_string(),
            evidence: Vec::new(),
        }
    }
}

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_commands(
    device: &OpenDevice,
    bench: &mut Bench,
    plan: Plan,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    let devices = device.platform_devices.len();
    let missing: Vec<String> = commands::needs(&plan.program)
        .into_iter()
        .filter(|need| !commands::offers(&device.capabilities, devices, *need))
        .map(|need| need.to_string())
        .collect();
    if !missing.is_empty() {
        let capability = missing.join(", ");
        return Err(NotRun::Skip {
            reason: format!("the device lacks {capability}"),
            capability,
        });
    }
    let plan = Arc::new(plan);
    let (mut ended, violated) = repeat(budget, on_launch, &mut |run| {
        let trace = commands::run(bench, &plan, run as u32)?;
        Ok(plan.check(&trace))
    })?;
    if violated {
        ended.evidence.push(Evidence {
            kind: "program".into(),
            text: yaml::write(&plan.program),
        });
    }
    Ok(ended)
}
