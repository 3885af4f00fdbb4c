//! `classay hunt`: looks for forbidden outcomes until the time ends; everything goes on where it stopped.

use super::options::{
    CaseTimeoutOption, DeviceOption, JsonOption, LONGEST, ModelOption, SeedOption, seconds,
};
use super::output::{Out, say};
use askama::Template;
use clap::Args;
use classay::Error;
use classay::hunt::Hunt;
use classay::hunt::journal::Config;
use classay::hunt::state::State;
use classay::interrupt::Interrupt;
use classay_reports::text::number::grouped;
use classay_vocabulary::ExitCode;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Options of `hunt`.
#[derive(Debug, Args)]
pub struct HuntOptions {
    #[command(flatten)]
    device: DeviceOption,
    /// Hunt this many hours, with the time of earlier sessions; 0.5 is half an hour
    #[arg(long, value_name = "HOURS", default_value = "1", value_parser = hours)]
    hours: f64,
    /// Keep the journal and what is found in this folder
    #[arg(long, value_name = "DIR", default_value = "classay-hunt")]
    out: PathBuf,
    /// Resume the hunt in that folder: device, seed, model and tests come from there
    #[arg(long, conflicts_with_all = ["device", "seed", "model", "strict", "tests", "slice"])]
    resume: bool,
    /// Play this many conformance tests, or as many as are made for the device's interface
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    tests: u16,
    /// End when this many violations were written up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    violations: Option<u32>,
    /// Take an outcome for forbidden that any reading of the specification forbids, not only what every one does
    #[arg(long)]
    strict: bool,
    /// Play a test in an environment, with its mutant, for this many seconds at a time
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    slice: f64,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    model: ModelOption,
    #[command(flatten)]
    timeout: CaseTimeoutOption,
    #[command(flatten)]
    json: JsonOption,
}

/// A time in hours: more than nothing, and no more than can be waited for.
fn hours(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hours) if hours > 0.0 && hours * 3600.0 <= LONGEST => Ok(hours),
        Ok(_) => Err(format!(
            "a hunt takes more than 0 and at most {} hours",
            LONGEST / 3600.0
        )),
        Err(_) => Err("hours are a number, like 0.5".into()),
    }
}

/// Does it; returns the exit code.
pub fn main(args: &HuntOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let found = Hunt {
        folder: args.out.clone(),
        resume: args.resume,
        device: args.device.selector(),
        model: args.model.name()?,
        seed: args.seed.seed,
        tests: u32::from(args.tests),
        slice: args.slice,
        strict: args.strict,
        hours: args.hours,
        violations: args.violations,
        deadline: args.timeout.or(20.0),
        interrupt: &interrupt,
        notify: &say,
    }
    .run()?;
    let mut out = Out::new();
    if args.json.json {
        out.line(&summary_json(&found.state, &found.config));
    } else {
        let summary = Summary::of(&found.state, &args.out).render();
        out.text(&summary.map_err(|error| Error::Bug(error.to_string()))?);
    }
    match found.halted {
        Some(error) => Err(error),
        None if found.state.violations.is_empty() => Ok(ExitCode::Passed),
        None => Ok(ExitCode::Failed),
    }
}

/// What was found, for people.
#[derive(Template)]
#[template(path = "hunt.txt")]
struct Summary<'a> {
    state: &'a State,
    folder: &'a Path,
    /// What went wrong and how often, most frequent first.
    trouble: Vec<(&'a String, &'a u32)>,
    /// The shapes of the tests whose forbidden outcomes were seen.
    shapes: HashSet<&'a str>,
}

impl Summary<'_> {
    fn of<'a>(state: &'a State, folder: &'a Path) -> Summary<'a> {
        let mut trouble: Vec<(&String, &u32)> = state.trouble.iter().collect();
        trouble.sort_by_key(|(_, times)| Reverse(**times));
        Summary {
            state,
            folder,
            trouble,
            shapes: state.violations.iter().map(|f| f.shape.as_str()).collect(),
        }
    }
}

fn summary_json(state: &State, config: &Config) -> String {
    let value = serde_json::json!({
        "device": config.device,
        "seed": config.seed,
        "model": config.model,
        "strict": config.strict,
        "seconds": state.seconds,
        "trials": state.trials,
        "tests": state.played.len(),
        "environments": state.environments.len(),
        "instances": state.instances,
        "weak": state.weak,
        "forbidden": state.forbidden,
        "contested": state.contested,
        "violations": state.violations,
        "trouble": state.trouble,
    });
    value.to_string()
}
