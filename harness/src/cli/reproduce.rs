//! `classay reproduce`: a generated case as a C program that needs nothing of ours.

use super::args::ReproduceArgs;
use super::drive::{chosen, devices_own, open};
use super::exit;
use super::failure::Failure;
use super::litmus::tell;
use super::output::Out;
use crate::device::Selector;
use crate::environment::Environment;
use crate::execute::commands::SOURCE;
use crate::execute::litmus::Standalone;
use crate::interrupt::Interrupt;
use crate::judge::allowed_values;
use crate::plan::{self, Work};
use classay_litmus::program::Program;
use classay_suites::api::reproduce::to_c as api_to_c;
use classay_suites::commands::reproduce::to_c as program_to_c;
use classay_suites::kernels::reproduce::to_c as case_to_c;

/// Does it; returns the exit code.
pub fn reproduce(args: &ReproduceArgs) -> Result<u8, Failure> {
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
    let text = match case.body.work(case.seed).map_err(Failure::Usage)? {
        Work::Commands(plan) => program_to_c(&plan, SOURCE),
        Work::Kernel(case) => case_to_c(&case),
        Work::Api(case) => api_to_c(&case),
        // Files of programs give no litmus test.
        Work::Litmus(_) => return Ok(exit::USAGE),
    };
    put(args, &text, &mut out)
}

fn put(args: &ReproduceArgs, text: &str, out: &mut Out) -> Result<u8, Failure> {
    match &args.out {
        Some(path) => std::fs::write(path, text).map_err(|e| Failure::Output {
            path: path.clone(),
            reason: e.to_string(),
        })?,
        None => out.text(text),
    }
    Ok(exit::PASSED)
}

/// A litmus test, for a device and in an environment.
fn litmus_to_c(args: &ReproduceArgs, program: Program) -> Result<String, Failure> {
    let interrupt = Interrupt::listen().map_err(Failure::Bug)?;
    let chosen = chosen(args.model.as_deref())?;
    let environment = match &args.environment {
        Some(file) => Environment::from_file(file).map_err(|e| Failure::Usage(e.to_string()))?,
        None => Environment::default(),
    };
    let selector = args.device.clone().unwrap_or(Selector::TOUCHSTONE);
    let session = open(&selector, &interrupt)?;
    let model = match chosen {
        Some(model) => model,
        None => devices_own(&session)?,
    };
    let (allowed, judged) = match allowed_values(program.clone(), &model) {
        Ok(values) => (Some(values), format!("Judged by {}.", model.name())),
        Err(why) => (None, format!("Not judged: {why}.")),
    };
    let known = session.known();
    let text = Standalone {
        program: &program,
        capabilities: &known.capabilities,
        environment: &environment,
        seed: args.seed,
        allowed,
        about: vec![format!(
            "Litmus test {}, for {}. {judged}",
            program.name, known.record.name
        )],
    }
    .to_c()
    .map_err(Failure::Usage)?;
    session.close();
    Ok(text)
}
