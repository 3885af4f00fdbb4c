//! Runs a program of commands again and again and checks each run against the program's order.

use super::host::{Fixtures, Play, SetupError};
use super::needs::check;
use super::repeat::{Shown, repeat};
use super::{Ended, NotRun};
use crate::device::OpenDevice;
use classay_reports::record::{Evidence, EvidenceKind, Launch};
use classay_suites::commands::check::Plan;
use classay_suites::commands::needs::needs;
use classay_suites::commands::{lower, yaml};
use classay_vocabulary::Budget;

/// Runs it until the budget is spent: so many runs, or seconds.
pub fn run_commands(
    device: &OpenDevice,
    fixtures: &mut Fixtures,
    plan: Plan,
    budget: Budget,
    on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    check(device, &needs(&plan.program))?;
    let lowered = lower::lower(&plan);
    let play = Play::of(fixtures, lowered.program.clone())?;
    let build_seconds = fixtures.take_build_seconds();
    let mut ended = repeat(budget, on_launch, &mut |run| {
        let run = run as u32;
        let record = play.run(run);
        if let Some((call, code)) = record.failed {
            return Err(SetupError { call, code }.into());
        }
        Ok(Shown {
            violations: plan.check(&lowered.trace(&plan, &record, run)),
            is_incomplete: false,
        })
    })?;
    ended.build_seconds = build_seconds;
    if !ended.violations.is_empty() {
        ended.evidence.push(Evidence {
            kind: EvidenceKind::Program,
            text: yaml::write(&plan.program),
        });
    }
    Ok(ended)
}
