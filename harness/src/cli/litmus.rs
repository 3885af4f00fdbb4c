//! `classay litmus`: tests from files, a histogram each.

use super::options::{
    ModelOption, PlacementOptions, SeedOption, SessionOptions, StoppingOptions, seconds,
};
use super::output::{Out, can_be_written, colour, complain, say, say_folded};
use super::progress::{Progress, Shown, Talk};
use super::run::{within, write_junit};
use clap::Args;
use classay::Error;
use classay::interrupt::Interrupt;
use classay::plan::{self, Case, Plan, Unreadable};
use classay::run::{Run, Source};
use classay_reports::json::TestJson;
use classay_reports::record::CaseResult;
use classay_reports::text::histogram;
use classay_vocabulary::{Budget, ExitCode};
use std::path::{Path, PathBuf};

/// Seconds that each test gets unless told otherwise.
const SECONDS: f64 = 1.0;

/// Options of `litmus`.
#[derive(Debug, Args)]
pub struct LitmusOptions {
    /// Litmus tests: files (.litmus in the OPENCL dialect, or YAML), folders of them, @lists of files, or names
    /// of shipped tests, as SB+rlx or 'SB*'
    #[arg(value_name = "TEST", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    session: SessionOptions,
    /// Run exactly this many instances of each test
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        conflicts_with = "seconds"
    )]
    instances: Option<u64>,
    /// Run each test for about this long [default: 1]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    #[command(flatten)]
    seed: SeedOption,
    #[command(flatten)]
    model: ModelOption,
    #[command(flatten)]
    stopping: StoppingOptions,
    #[command(flatten)]
    environment: PlacementOptions,
}

/// Does it; returns the exit code.
pub fn main(args: &LitmusOptions) -> Result<ExitCode, Error> {
    let run = Run {
        budget: match args.instances {
            Some(n) => Budget::Instances(n),
            None => args.stopping.within(args.seconds.unwrap_or(SECONDS)),
        },
        seed: args.seed.seed,
        model: args.model.chosen()?,
        environment: args.environment.fixed()?,
        ..args.session.run()
    };
    play(plan::from_files(&args.files), run, &args.session)
}

/// Runs the cases of files, and reports those that cannot be read; returns the exit code.
pub(super) fn play(
    (cases, unreadable): (Vec<Case>, Vec<Unreadable>),
    run: Run,
    session: &SessionOptions,
) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    for file in &unreadable {
        complain_of(file, session.json.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(ExitCode::Usage);
    }
    let cases = Source::Given(cases);
    let code = play_each(Run { cases, ..run }, session, out)?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        ExitCode::Usage
    })
}

/// Runs cases, a histogram each; returns the exit code.
fn play_each(run: Run, session: &SessionOptions, mut out: Out) -> Result<ExitCode, Error> {
    let (junit, json) = (session.junit.junit.as_deref(), session.json.json);
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    junit.map_or(Ok(()), can_be_written)?;
    let mut active = run.begin(&interrupt, &say)?;
    let record = active.known().record.clone();
    let plan = Plan::from_text(&active.results().run().record.plan).map_err(Error::Bug)?;
    say_folded(&format!(
        "{} ({}), driver {}{}; judged by {}; seed {}",
        record.name,
        plan.device,
        record.driver,
        within(&plan.environment),
        plan.model,
        plan.seed
    ));
    for mismatch in &record.findings {
        say_folded(&format!("capability mismatch: {mismatch}"));
    }
    let expectations = active.results().expectations().clone();
    let colour = colour();
    let ended = active.go(&mut Shown {
        progress: Progress::new(0, plan.cases, Talk::Live),
        write: |result: &CaseResult| {
            out.line(&if json {
                TestJson::new(result, &record.name)
                    .compared_with(expectations.of(result))
                    .to_line()
            } else {
                histogram(result, colour)
            });
        },
    });
    if let Err(halt) = ended {
        let error = active.halted(halt, |path| {
            format!("classay run --resume --store {}", path.display())
        });
        write_junit(junit, &active.close());
        return Err(error);
    }
    let results = active.close();
    if let Some(path) = junit {
        results.write_junit(path)?;
    }
    results.exit_code()
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

/// Says why a file gives no test.
pub(super) fn complain_of(file: &Unreadable, json: bool, out: &mut Out) {
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
