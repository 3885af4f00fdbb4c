//! `classay reproduce`: a generated case as a C program that needs nothing of ours.

use super::litmus::complain_of;
use super::options::{DeviceOption, ModelOption};
use super::output::Out;
use clap::Args;
use classay::environment::Environment;
use classay::interrupt::Interrupt;
use classay::plan;
use classay::reproduce;
use classay::{Error, open};
use classay_litmus::program::Program;
use classay_vocabulary::ExitCode;
use std::path::PathBuf;

/// Options of `reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceOptions {
    /// A litmus test (a file, or the name of a shipped test), or a program of commands, a kernel case or an API
    /// case as YAML
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write C, which is the only language that there is
    #[arg(long, required = true)]
    c: bool,
    /// Ask the objects of a generated case what they must answer, too (ex.api.answers)
    #[arg(long)]
    answers: bool,
    /// Place and stress a litmus test as this environment says
    #[arg(long, value_name = "FILE")]
    environment: Option<PathBuf>,
    /// Generate the launches of a litmus test from this seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write into this file instead of to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceOption,
    #[command(flatten)]
    model: ModelOption,
}

/// Does it; returns the exit code.
pub fn main(args: &ReproduceOptions) -> Result<ExitCode, Error> {
    let mut out = Out::new();
    match plan::read(&args.file) {
        Ok(program) => {
            let text = litmus_to_c(args, program)?;
            return put(args, &text, &mut out);
        }
        Err(error)
            if args.file.extension().is_some_and(|e| e == "litmus") || !args.file.exists() =>
        {
            complain_of(&error, false, &mut out);
            return Ok(ExitCode::Usage);
        }
        Err(_) => {}
    }
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        complain_of(file, false, &mut out);
    }
    let Some(case) = cases.first() else {
        return Ok(ExitCode::Usage);
    };
    let work = case.body.work(case.seed).map_err(Error::Usage)?;
    // Files of programs give no litmus test.
    let Some(text) = reproduce::to_c(&work, args.answers) else {
        return Ok(ExitCode::Usage);
    };
    put(args, &text, &mut out)
}

fn put(args: &ReproduceOptions, text: &str, out: &mut Out) -> Result<ExitCode, Error> {
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(Error::output(path))?,
        None => out.text(text),
    }
    Ok(ExitCode::Passed)
}

/// A litmus test, for a device and in an environment.
fn litmus_to_c(args: &ReproduceOptions, program: Program) -> Result<String, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let chosen = args.model.chosen()?;
    let environment = match &args.environment {
        Some(file) => Environment::from_file(file).map_err(|e| Error::Usage(e.to_string()))?,
        None => Environment::default(),
    };
    let selector = args.device.selector();
    let (session, model) = open::judged(&selector, chosen, &interrupt)?;
    let known = session.known();
    let text = reproduce::Litmus {
        capabilities: &known.capabilities,
        device: &known.record.name,
        environment: &environment,
        seed: args.seed,
        model: &model,
    }
    .to_c(&program)
    .map_err(Error::Usage)?;
    session.close();
    Ok(text)
}
