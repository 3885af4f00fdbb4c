//! `classay shrink`: makes a failing program of commands, kernel case or API case small.

use super::args::ShrinkArgs;
use super::litmus::tell;
use super::output::{Out, say};
use classay::device::Selector;
use classay::interrupt::Interrupt;
use classay::plan;
use classay::shrink::{Options, Reduction, shrink as shrunk};
use classay::worker::session::{Limits, Stop};
use classay::{Error, exit, open};
use std::time::Duration;

/// Runs of the program as it is given, unless told otherwise.
const RUNS: u64 = 100;

/// Does it; returns the exit code.
pub fn shrink(args: &ShrinkArgs) -> Result<u8, Error> {
    let mut out = Out::new();
    let (cases, unreadable) = plan::programs_from_files(std::slice::from_ref(&args.file));
    for file in &unreadable {
        tell(file, false, &mut out);
    }
    let [case] = cases.as_slice() else {
        return Ok(exit::USAGE);
    };
    let first = case.body.work(case.seed).map_err(Error::Usage)?;
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let selector = args.device.clone().unwrap_or(Selector::TOUCHSTONE);
    let (mut session, model) = open::judged(&selector, None, &interrupt)?;
    let record = session.known().record.clone();
    say(&format!(
        "{} ({selector}), driver {}",
        record.name, record.driver
    ));
    let options = Options {
        limits: Limits {
            patience: Duration::from_secs_f64(args.case_timeout),
            retries: 0,
        },
        model: &model,
        runs: args.instances.unwrap_or(RUNS),
        limit: args.limit.map(Duration::from_secs_f64),
        interrupt: &interrupt,
        notify: &say,
    };
    let small = match shrunk(&mut session, first, &options)? {
        Reduction::Passes { runs } => {
            say(&format!(
                "nothing to shrink: it passes in {runs} runs; --instances N runs it more often"
            ));
            return Ok(exit::PASSED);
        }
        Reduction::Skipped(reason) => return Err(Error::Nothing(reason)),
        Reduction::Found(small) => small,
    };
    match &args.out {
        Some(path) => std::fs::write(path, &small.text).map_err(Error::output(path))?,
        None => out.text(&small.text),
    }
    match small.stopped {
        Some(Stop::Interrupted) => Err(Error::Interrupted(
            ": the smallest program so far is kept".into(),
        )),
        Some(Stop::NoDevice(sentence)) => Err(Error::NoDevice(sentence)),
        None => Ok(exit::FAILED),
    }
}
