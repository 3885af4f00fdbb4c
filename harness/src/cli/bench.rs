//! `classay bench`: programs of commands and litmus instances a second, the driver's share of the time, and how
//! soon a rate is known.

use super::options::seconds;
use super::output::Out;
use clap::Args;
use classay::bench::{self, Rate, Scatter};
use classay::device::{Api, Selector};
use classay::interrupt::Interrupt;
use classay::{Error, open};
use classay_vocabulary::ExitCode;

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// Measure this device, as --device of `run` takes it; repeatable [default: touchstone]
    #[arg(long, value_name = "DEVICE")]
    device: Vec<Selector>,
    /// Take this many seconds for each measure of a device: three of programs, two of each litmus test (and of
    /// `known` what --processes of --each take)
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    seconds: f64,
    /// Measure only one of the three
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
    /// Play each test of `known` in this many fresh processes, on one device after the other
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..))]
    processes: u32,
    /// Play this many seconds in each; how soon a rate is known is given for processes of this length or shorter
    /// ones, whichever know it sooner
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "0.1")]
    each: f64,
    /// Measure this shipped test with `known` instead of its own choice, of each device the one of its interface;
    /// repeatable
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,
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
    /// Seconds until the rate of a weak outcome is known to 10 %, over fresh processes
    Known,
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
            if selector.library.api() == Api::Vulkan {
                out.line(&format!(
                    "not measured, since programs of commands call OpenCL: {selector}"
                ));
                continue;
            }
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
    if wanted(Part::Known) {
        known(args, &devices, &interrupt, &mut out)?;
    }
    Ok(ExitCode::Passed)
}

/// Measures how soon rates are known: one table, the devices side by side.
fn known(
    args: &BenchOptions,
    devices: &[Selector],
    interrupt: &Interrupt,
    out: &mut Out,
) -> Result<(), Error> {
    let mut all = Vec::new();
    for selector in devices {
        let tests = bench::tests_for(selector, &args.test)?;
        let mut session = open::device(selector, interrupt)?;
        // Whoever is not measured has no process.
        session.renew();
        let device = format!("{} ({selector})", session.known().record.name);
        all.push((tests, session, device));
    }
    out.line(KNOWN_HEADING);
    let rows = all.iter().map(|(tests, ..)| tests.len()).max();
    for row in 0..rows.unwrap_or_default() {
        for (tests, session, device) in &mut all {
            let Some(test) = tests.get(row) else { continue };
            let test = bench::known(session, test, args.processes, args.each, args.seed)?;
            out.line(&match test.scatter {
                Ok(scatter) => known_line(&test.test, &scatter, device),
                Err(reason) => format!("{:<13}  not run: {reason}  {device}", test.test),
            });
        }
    }
    Ok(())
}

/// The heading of the lines about how soon a rate is known.
const KNOWN_HEADING: &str = "litmus test     rate     sd  known in  playing each  with starts  instances/s  effective/s      weak/s  device";

fn known_line(name: &str, scatter: &Scatter, device: &str) -> String {
    let seconds = |seconds: Option<f64>| match seconds {
        Some(seconds) => format!("{seconds:.2} s"),
        None => "-".into(),
    };
    let soonest = scatter.soonest();
    let (rate, part) = (scatter.rate(), scatter.deviation() / scatter.rate());
    format!(
        "{name:<13} {:>6} {:>6}  {:>8}  {:>12}  {:>11}  {:>11.0}  {:>11}  {:>10.0}  {device}",
        short(rate),
        if rate > 0.0 {
            format!("{:.0} %", part * 100.0)
        } else {
            "-".into()
        },
        seconds(soonest.map(|one| one.playing)),
        soonest.map_or("-".into(), |one| format!("{:.3} s", one.each)),
        seconds(soonest.map(|one| one.with_starts)),
        scatter.instances_per_second(),
        scatter
            .effective_per_second()
            .map_or("-".into(), |n| format!("{n:.0}")),
        scatter.weak_per_second(),
    )
}

/// A rate in six columns.
fn short(rate: f64) -> String {
    match rate {
        0.0 => "never".into(),
        rate if rate < 1e-3 => format!("{rate:.0e}"),
        rate => format!("{rate:.4}"),
    }
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
    use classay::bench::Process;
    use classay_reports::record::{Launch, Outcome, OutcomeCount};

    #[test]
    fn a_line_of_what_is_known_fits_its_heading() {
        let seen = |state, count, target| OutcomeCount {
            outcome: Outcome::State(vec![state]),
            count,
            target,
        };
        let process = |count| Process {
            launches: vec![Launch {
                instances: 1000,
                seconds: 0.1,
                outcomes: vec![seen(1, count, true), seen(0, 1000 - count, false)],
                ..Launch::default()
            }],
            seconds: 0.1,
        };
        let scatter = Scatter {
            processes: [80, 100, 120].map(process).to_vec(),
            starting: 1.2,
        };
        let line = known_line("SB+rlx", &scatter, "a device");
        assert_eq!(
            line,
            "SB+rlx        0.1000   20 %    0.40 s       0.100 s       2.00 s        10000         2250        1000  a device"
        );
        assert_eq!(KNOWN_HEADING.find("device"), line.find("a device"));
        let never = Scatter {
            processes: vec![process(0), process(0)],
            ..scatter
        };
        assert!(known_line("CoRR", &never, "a device").contains("never"));
    }

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
