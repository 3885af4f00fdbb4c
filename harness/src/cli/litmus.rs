//! `classay litmus`: tests from files, a histogram each.

use super::args::LitmusArgs;
use super::output::{Out, colour, complain, say, say_folded};
use super::progress::{Progress, Shown, Talk};
use super::run::{within, write_junit};
use classay::interrupt::Interrupt;
use classay::plan::{self, Plan, Unreadable, seed};
use classay::run::Run;
use classay::{Error, exit, open};
use classay_reports::json::TestJson;
use classay_reports::record::CaseResult;
use classay_reports::text::histogram;
use std::path::Path;

/// Does it; returns the exit code.
pub fn litmus(args: &LitmusArgs) -> Result<u8, Error> {
    let mut out = Out::new();
    let chosen = open::chosen(args.model.as_deref())?;
    let (cases, unreadable) = plan::from_files(&args.files);
    for file in &unreadable {
        tell(file, args.json, &mut out);
    }
    if cases.is_empty() {
        return Ok(exit::USAGE);
    }
    let mut run = Run::of_cases(cases)
        .seed(args.seed.unwrap_or_else(seed::draw))
        .budget(args.budget())
        .limits(args.care.limits());
    if let Some(environment) = args.surroundings.fixed().map_err(Error::Usage)? {
        run = run.environment(environment);
    }
    if let Some(model) = chosen {
        run = run.model(model);
    }
    if let Some(device) = &args.device {
        run = run.device(device.clone());
    }
    if let Some(store) = &args.store {
        run = run.store(store);
    }
    for file in &args.expect {
        run = run.expect(file);
    }
    let code = play(run, args.junit.as_deref(), args.json, out)?;
    Ok(if unreadable.is_empty() {
        code
    } else {
        exit::USAGE
    })
}

/// Runs cases from files, a histogram each; returns the exit code.
pub(super) fn play(run: Run, junit: Option<&Path>, json: bool, mut out: Out) -> Result<u8, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
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
    for finding in &record.findings {
        say_folded(&format!("finding: {finding}"));
    }
    if let Some(path) = junit {
        // A file that cannot be written is better known before than after.
        active.results().write_junit(path)?;
    }
    let expectations = active.results().expectations().clone();
    let colour = colour();
    let ended = active.go(&mut Shown {
        progress: Progress::new(0, plan.cases, Talk::Live),
        write: |result: &CaseResult| {
            out.line(&if json {
                TestJson::new(result, &record.name)
                    .held_against(expectations.of(result))
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
