//! `classay explain`: why a memory model allows an outcome of a test, or forbids it.

use super::litmus::complain_of;
use super::options::{LatestModelOption, OracleOptions};
use super::output::Out;
use clap::Args;
use classay::Error;
use classay::judge::{ChosenModel, apart, contested_outcome};
use classay::plan;
use classay_litmus::explain::{self, Report};
use classay_litmus::program::{Predicate, Program};
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainOptions {
    /// A litmus test: a file (.litmus in the OPENCL dialect, or YAML) or the name of a shipped test
    #[arg(value_name = "TEST")]
    file: PathBuf,
    /// Explain this outcome, as '1:r0=1 1:r1=0'; registers and locations that it leaves out may have any
    /// value [default: the test's target outcome]
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,
    /// Also draw the execution as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also write the execution as DOT, for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    #[command(flatten)]
    model: LatestModelOption,
    #[command(flatten)]
    oracle: OracleOptions,
}

/// Columns of a line.
const COLUMNS: usize = 78;

/// Does it; returns the exit code.
pub fn main(args: &ExplainOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    let program = match plan::read(&args.file) {
        Ok(program) => program,
        Err(error) => {
            complain_of(&error, false, &mut out);
            return Ok(ExitCode::Usage);
        }
    };
    let chosen = args.model.chosen(program.api)?;
    let outcome = asked(args, &program)?;
    let report = report(args, &program, &outcome, &chosen)?;
    out.text(&explain::text(&report));
    let limits = args.oracle.limits();
    let sentence = match contested_outcome(&program, &outcome, &chosen, limits) {
        Ok(readings) => readings.map(|readings| format!("Contested: {readings} it.")),
        Err(why) => Some(format!("Whether readings differ is not known: {why}.")),
    };
    if let Some(sentence) = sentence {
        let lines = explain::wrap(&sentence, COLUMNS);
        out.text(&format!("\n{}\n", lines.join("\n")));
    }
    for (path, drawn) in [
        (&args.svg, explain::svg(&report)),
        (&args.dot, explain::dot(&report)),
    ] {
        match (path, drawn) {
            (Some(path), Some(text)) => std::fs::write(path, text).map_err(Error::output(path))?,
            (Some(path), None) => {
                super::output::say(&format!(
                    "{} is not written: no execution gives these values",
                    path.display()
                ));
            }
            (None, _) => {}
        }
    }
    Ok(ExitCode::Passed)
}

/// The outcome that the user asks about.
fn asked(args: &ExplainOptions, program: &Program) -> Result<Predicate, Error> {
    let Some(text) = &args.outcome else {
        return Ok(program.condition.predicate.clone());
    };
    explain::outcome(program, text).map_err(|error| {
        let pointed = error.pointed(text).replace('\n', "\n  ");
        Error::Usage(format!("--outcome: {error}\n  {pointed}"))
    })
}

fn report(
    args: &ExplainOptions,
    program: &Program,
    outcome: &Predicate,
    chosen: &ChosenModel,
) -> Result<Report, Error> {
    let limits = args.oracle.limits();
    apart(|| explain::report(program, &chosen.model, outcome, &limits))
        .map_err(|broken| Error::Bug(broken.to_string()))?
        .map_err(|error| {
            let error = args.oracle.described(&error);
            let file = args.file.display();
            Error::Usage(format!("{file} cannot be explained: {error}"))
        })
}
