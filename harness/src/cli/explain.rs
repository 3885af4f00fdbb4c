//! `classay explain`: why a memory model allows an outcome of a test, or forbids it.

use super::litmus::complain_of;
use super::options::{LatestModelOption, OracleOptions};
use super::output::Out;
use clap::Args;
use classay::Error;
use classay::judge::ChosenModel;
use classay::plan;
use classay_litmus::explain::{self, Report};
use classay_litmus::program::Program;
use classay_vocabulary::ExitCode;
use std::path::{Path, PathBuf};

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainOptions {
    /// A litmus test, as .litmus (OPENCL dialect) or YAML
    #[arg(value_name = "FILE")]
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

/// Bytes of stack for the thread that asks the oracle.
const STACK: usize = 64 << 20;

/// Does it; returns the exit code.
pub fn main(args: &ExplainOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    let chosen = ChosenModel::load(&args.model.model).map_err(Error::Usage)?;
    let program = match plan::read(&args.file) {
        Ok(program) => program,
        Err(error) => {
            complain_of(&error, false, &mut out);
            return Ok(ExitCode::Usage);
        }
    };
    let report = report(args, &program, &chosen)?;
    out.text(&explain::text(&report));
    for (path, drawn) in [
        (&args.svg, explain::svg(&report)),
        (&args.dot, explain::dot(&report)),
    ] {
        match (path, drawn) {
            (Some(path), Some(text)) => write(path, &text)?,
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

fn report(args: &ExplainOptions, program: &Program, chosen: &ChosenModel) -> Result<Report, Error> {
    let outcome = match &args.outcome {
        Some(text) => explain::outcome(program, text).map_err(|error| {
            let pointed = error.pointed(text).replace('\n', "\n  ");
            Error::Usage(format!("--outcome: {error}\n  {pointed}"))
        })?,
        None => program.condition.predicate.clone(),
    };
    let limits = args.oracle.limits();
    let asked = std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                explain::report(program, &chosen.model, &outcome, &limits)
            })
            .map(|thread| thread.join())
    });
    match asked {
        Ok(Ok(report)) => report.map_err(|error| {
            Error::Usage(format!(
                "{} cannot be explained: {}",
                args.file.display(),
                args.oracle.described(&error)
            ))
        }),
        Ok(Err(_)) => Err(Error::Bug("the oracle panicked".into())),
        Err(error) => Err(Error::Bug(format!("no thread can be started: {error}"))),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::output(path))
}
