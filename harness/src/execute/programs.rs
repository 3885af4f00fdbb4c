//! Runs a program of commands again and again and holds each run against the program's order.

use super::commands::{self, Bench, SetupError};
use super::needs;
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, Launch};
use classay_suites::commands::check::Plan;
use classay_suites::commands::yaml;
use classay_vocabulary::Budget;
use std::sync::Arc;

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
    needs::check(device, &needs::of_program(&plan.program))?;
    let plan = Arc::new(plan);
    let (mut ended, violated) = repeat(budget, on_launch, &mut |run| {
        let trace = commands::run(bench, &plan, run as u32)?;
        Ok(Shown {
            violations: plan.check(&trace),
            gave_up: false,
        })
    })?;
    if violated {
        ended.evidence.push(Evidence {
            kind: "program".into(),
            text: yaml::write(&plan.program),
        });
    }
    Ok(ended)
}
