//! `classay reproduce`: a generated case as a C program that needs nothing of ours.

use super::args::ReproduceArgs;
use super::litmus::tell;
use super::output::Out;
use classay::device::Selector;
use classay::environment::Environment;
use classay::interrupt::Interrupt;
use classay::plan;
use classay::reproduce;
use classay::{Error, exit, open};
use classay_litmus::program::Program;

/// Does it; returns the exit code.
pub fn reproduce(args: &ReproduceArgs) -> Result<u8, Error> {
    let mut out = Out::new();
    match plan::read(&args.file) {
        Ok(program) => {
            let text = litmus_to_c(args, program)?;
            return put(args, &text, &mut out);
        }
        Err(error) if args.file.extension().is_some_and(|e| e == "litmus") => {
            tell(&error, false, &mut out);
            return Ok(exit::USAGE);
        }
        Err(_) => {}
    }
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        tell(file, false, &mut out);
    }
    let Some(case) = cases.first() else {
        return Ok(exit::USAGE);
    };
    let work = case.body.work(case.seed).map_err(Error::Usage)?;
    // Files of programs give no litmus test.
    let Some(text) = reproduce::to_c(&work) else {
        return Ok(exit::USAGE);
    };
    put(args, &text, &mut out)
}

fn put(args: &ReproduceArgs, text: &str, out: &mut Out) -> Result<u8, Error> {
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(Error::output(path))?,
        None => out.text(text),
    }
    Ok(exit::PASSED)
}

/// A litmus test, for a device and in an environment.
fn litmus_to_c(args: &ReproduceArgs, program: Program) -> Result<String, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let chosen = open::chosen(args.model.as_deref())?;
    let environment = match &args.environment {
        Some(file) => Environment::from_file(file).map_err(|e| Error::Usage(e.to_string()))?,
        None => Environment::default(),
    };
    let selector = args.device.clone().unwrap_or(Selector::TOUCHSTONE);
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
