//! `classay bench`: programs of commands and litmus instances a second, and the driver's share of the time.

use super::options::seconds;
use super::output::Out;
use clap::Args;
use classay::bench::{self, Rate};
use classay::device::Selector;
use classay::interrupt::Interrupt;
use classay::{Error, open};
use classay_vocabulary::ExitCode;

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// Measure this device, as --device of `run` takes it; repeatable [default: touchstone]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<Selector>,
    /// Take this many seconds for each measure of a device: three of programs, two of each litmus test
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    seconds: f64,
    /// Measure only one of the two
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
    /// Set the master seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Bounded-exhaustive programs of commands
    Programs,
    /// Litmus tests, with many instances a launch and with one
    Litmus,
}

/// Does it; returns the exit code.
pub fn main(args: &BenchOptions) -> Result<ExitCode, Error> {
    let interrupt = Interrupt::listen().map_err(Error::Bug)?;
    let mut devices = args.device.clone();
    if devices.is_empty() {
        devices.push(Selector::TOUCHSTONE);
    }
    let mut out = Out::new();
    let wanted = |part| args.only.is_none_or(|only| only == part);
    if wanted(Part::Programs) {
        out.line("programs/s  runs/s  in the driver  calls a run  device");
        for selector in &devices {
            let measured = bench::programs(selector, args.seconds, args.seed, &interrupt)?;
            out.line(&format!(
                "{:>10.0}  {:>6.0}  {:>11.0} %  {:>11.0}  {} ({selector})",
                measured.programs_per_second,
                measured.runs_per_second,
                measured.driver_share * 100.0,
                measured.calls_per_run,
                measured.device
            ));
        }
    }
    if wanted(Part::Litmus) {
        out.line(HEADING);
        for selector in &devices {
            let mut session = open::device(selector, &interrupt)?;
            let device = format!("{} ({selector})", session.known().record.name);
            for test in bench::litmus(&mut session, args.seconds, args.seed)? {
                out.line(&match test.rates {
                    Ok((many, one)) => line(&test.test, many, one, &device),
                    Err(reason) => format!("{:<13}  not run: {reason}  {device}", test.test),
                });
            }
            session.close();
        }
    }
    Ok(ExitCode::Passed)
}

/// The heading of the lines of litmus tests.
const HEADING: &str = "litmus test    instances/s     weak/s  one a launch  weak/s  ratio  device";

fn line(name: &str, many: Rate, one: Rate, device: &str) -> String {
    format!(
        "{name:<13}  {:>11.0}  {:>9.0}  {:>12.0}  {:>6.0}  {:>5.0}  {device}",
        many.instances_per_second(),
        many.weak_per_second(),
        one.instances_per_second(),
        one.weak_per_second(),
        many.instances_per_second() / one.instances_per_second().max(1e-9),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_its_heading() {
        let rate = |instances| Rate {
            instances,
            weak: instances / 4,
            seconds: 2.0,
        };
        let line = line("SB+rlx", rate(200_000_000), rate(20_000), "a device");
        assert_eq!(
            line,
            "SB+rlx           100000000   25000000         10000    2500  10000  a device"
        );
        assert_eq!(HEADING.find("device"), line.find("a device"));
    }
}
