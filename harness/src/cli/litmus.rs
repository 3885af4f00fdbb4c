//! `classay litmus`: tests from files, a histogram each.

use super::args::{LitmusArgs, SurroundingsArgs};
use super::drive::{Pace, Terms, chosen, devices_own, drive, halted, open, surroundings};
use super::exit;
use super::failure::Failure;
use super::keep::{Kept, expect};
use super::output::{Out, colour, complain, say, say_folded};
use super::progress::{Progress, Talk};
use super::run::within;
use crate::device::Selector;
use crate::environment::Environment;
use crate::interrupt::Interrupt;
use crate::judge::ChosenModel;
use crate::plan::{self, Case, Plan, Unreadable, seed};
use crate::worker::session::Limits;
use classay_reports::json::TestJson;
use classay_reports::record::CaseResult;
use classay_reports::store::Store;
use classay_reports::text::histogram;
use classay_vocabulary::Budget;
use std::path::{Path, PathBuf};

/// Does it; returns the exit code.
pub fn litmus(args: &LitmusArgs) -> Result<u8, Failure> {
    let mut out = Out::new();
    let chosen = chosen(args.model.as_deref())?;
    let (cases, unreadable) = plan::from_files(&args.files);
    for file in &unreadable {
        tell(file, args.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(exit::USAGE);
    }
    let seed = args.seed.unwrap_or_else(seed::draw);
    let code = play(
        Asked {
            device: args.device.as_ref(),
            seed,
            environment: args.surroundings.environment().map_err(Failure::Usage)?,
            surroundings: Some(&args.surroundings),
            budget: args.budget(),
            store: args.store.as_deref(),
            junit: args.junit.as_deref(),
            json: args.json,
            limits: args.care.limits(),
            model: chosen,
            expect: &args.expect,
        },
        cases,
        &mut out,
    )?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        exit::USAGE
    })
}

/// What a user asks for with cases from files.
pub(super) struct Asked<'a> {
    /// Where.
    pub device: Option<&'a Selector>,
    /// The master seed.
    pub seed: u64,
    /// How they are placed and stressed, as far as that was asked for.
    pub environment: Environment,
    /// What was asked for, where what was tuned for the device may take its place.
    pub surroundings: Option<&'a SurroundingsArgs>,
    /// For each case.
    pub budget: Budget,
    /// What keeps the results.
    pub store: Option<&'a Path>,
    /// Where JUnit goes.
    pub junit: Option<&'a Path>,
    /// Objects instead of tables.
    pub json: bool,
    /// The bounds on each case.
    pub limits: Limits,
    /// What judges; the device's own where it is not chosen.
    pub model: Option<ChosenModel>,
    /// What the results are held against.
    pub expect: &'a [PathBuf],
}

/// Runs the cases, a histogram each; returns the exit code.
pub(super) fn play(asked: Asked<'_>, mut cases: Vec<Case>, out: &mut Out) -> Result<u8, Failure> {
    let interrupt = Interrupt::listen().map_err(Failure::Bug)?;
    let Asked { seed, budget, .. } = asked;
    cases = plan::part(cases, seed, None).0;
    for case in &mut cases {
        case.seed = seed::of_case(seed, &case.id);
        case.budget = budget;
    }
    let selector = asked.device.cloned().unwrap_or(Selector::TOUCHSTONE);
    let store = asked.store.map(Store::open).transpose()?;
    let mut session = open(&selector, &interrupt)?;
    let model = match asked.model {
        Some(model) => model,
        None => devices_own(&session)?,
    };
    let record = session.known().record.clone();
    let environment = match asked.surroundings {
        Some(args) => surroundings(args, asked.environment, &record)?,
        None => asked.environment,
    };
    for case in &mut cases {
        case.environment = environment.clone();
    }
    let plan = Plan::new(
        selector.to_string(),
        model.given.clone(),
        seed,
        Vec::new(),
        budget,
        &cases,
        None,
    );
    say_folded(&format!(
        "{} ({selector}), driver {}{}; judged by {}; seed {seed}",
        record.name,
        record.driver,
        within(&environment),
        model.given
    ));
    for finding in &record.findings {
        say_folded(&format!("finding: {finding}"));
    }
    let expectations = expect(asked.expect, &record)?;
    let mut kept = Kept::begin(store, &plan, &cases, session.known())?;
    kept.expect(expectations.clone());
    if let Some(path) = asked.junit {
        // A file that cannot be written is better known before than after.
        kept.write_junit(path)?;
    }
    let colour = colour();
    let ended = drive(
        &mut session,
        &cases,
        Terms {
            limits: asked.limits,
            model: &model,
            pace: Pace::free(),
        },
        &mut kept,
        Progress::new(0, cases.len(), Talk::Live),
        &mut |result: &CaseResult| {
            if asked.json {
                let standing = expectations.of(result);
                out.line(
                    &TestJson::new(result, &record.name)
                        .held_against(standing)
                        .to_line(),
                );
            } else {
                out.line(&histogram(result, colour));
            }
        },
    );
    match ended {
        Ok(()) => session.close(),
        Err(halt) => {
            drop(session);
            if let Some(Err(failure)) = asked.junit.map(|path| kept.write_junit(path)) {
                complain(&failure.to_string());
            }
            let resume = || {
                let path = kept.store_path()?;
                Some(format!("classay run --resume --store {}", path.display()))
            };
            return Err(halted(halt, &kept, &resume));
        }
    }
    if let Some(path) = asked.junit {
        kept.write_junit(path)?;
    }
    kept.code()
}

/// A file without an answer as `--json` prints it: `file`, the name of the test where it could be
/// read, and `error`, a sentence.
pub(super) fn unanswered(file: &Path, test: Option<&str>, error: &str) -> String {
    #[derive(serde::Serialize)]
    struct Unanswered<'a> {
        file: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        test: Option<&'a str>,
        error: &'a str,
    }
    let object = Unanswered {
        file: &file.to_string_lossy(),
        test,
        error,
    };
    // Strings: nothing in it can fail to become JSON.
    serde_json::to_string(&object).unwrap_or_default()
}

/// Tells of a file that gives no test.
pub(super) fn tell(file: &Unreadable, json: bool, out: &mut Out) {
    if json {
        out.line(&unanswered(file.path(), None, &file.message()));
        return;
    }
    match file {
        Unreadable::File { path, message } => complain(&format!("{} {message}", path.display())),
        Unreadable::Syntax { error, .. } => {
            let mut text = String::new();
            let handler = miette::GraphicalReportHandler::new();
            match handler.render_report(&mut text, error.as_ref()) {
                Ok(()) => say(&text),
                Err(_) => complain(&file.message()),
            }
        }
    }
}
