//! Runs a program of commands again and again and holds each run against the program's order.

use super::commands::{self, Bench, SetupError};
use super::{Budget, Ended, NotRun};
use crate::device::OpenDevice;
use crate::judge::AS_REQUIRED;
use classay_reports::record::{Evidence, Launch, OutcomeCount};
use classay_suites::commands::check::Plan;
use classay_suites::commands::generate::{self, Profile};
use classay_suites::commands::yaml;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Runs that are told as one launch under a time budget.
const RUNS: u64 = 16;

/// Violations of a case that are kept as evidence.
const KEPT: usize = 8;

/// The plan of a program that a profile draws.
pub fn draw_commands(profile: &str, seed: u64) -> Result<Plan, String> {
    let (_, _, profile) = Profile::all()
        .into_iter()
        .find(|(family, kind, _)| profile == format!("{family}/{kind}"))
        .ok_or_else(|| format!("there is no profile {profile}"))?;
    generate::random(seed, &profile).map_err(|e| e.to_string())
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
    let started = Instant::now();
    let mut ended = Ended::default();
    let mut violations: Vec<String> = Vec::new();
    let mut run = 0;
    let mut index = 0;
    loop {
        let runs = match budget {
            Budget::Instances(n) => n.saturating_sub(run).min(RUNS),
            Budget::Seconds(s) => {
                if run == 0 {
                    1
                } else if started.elapsed().as_secs_f64() < s {
                    RUNS
                } else {
                    0
                }
            }
        };
        if runs == 0 {
            break;
        }
        let begun = Instant::now();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut done = 0;
        for _ in 0..runs {
            let trace = commands::run(bench, &plan, run as u32)?;
            run += 1;
            done += 1;
            let broken = plan.check(&trace);
            // The violation that is told first stands for the run; the others are evidence.
            let outcome = broken
                .first()
                .map_or_else(|| AS_REQUIRED.to_string(), ToString::to_string);
            *counts.entry(outcome).or_default() += 1;
            for violation in broken {
                let text = violation.to_string();
                if violations.len() < KEPT && !violations.contains(&text) {
                    violations.push(text);
                }
            }
            let over = matches!(budget, Budget::Seconds(s) if started.elapsed().as_secs_f64() > s);
            if over {
                break;
            }
        }
        let seconds = begun.elapsed().as_secs_f64();
        ended.device_seconds += seconds;
        on_launch(Launch {
            index,
            instances: done,
            seconds,
            outcomes: counts
                .into_iter()
                .map(|(outcome, count)| OutcomeCount {
                    asked: outcome != AS_REQUIRED,
                    outcome,
                    count,
                })
                .collect(),
        });
        index += 1;
    }
    if !violations.is_empty() {
        let evidence = |kind: &str, text: String| Evidence {
            kind: kind.into(),
            text,
        };
        for violation in violations {
            ended.evidence.push(evidence("violation", violation));
        }
        ended
            .evidence
            .push(evidence("program", yaml::write(&plan.program)));
    }
    Ok(ended)
}
