//! What the parallel environment is worth: litmus tests with many instances a launch, and with one.
//!
//! Each test is built once and played in turns in both modes, each as the device's own environment has
//! it, so that what else the machine does meets both. Rates are by the wall clock, from the request to
//! the last count, and every instance that is counted has been checked to be there.

use super::super::output::Out;
use classay::Error;
use classay::environment::Environment;
use classay::plan::{self, Case, seed};
use classay::worker::session::{Load, Session};
use classay::worker::triage::Outcome;
use classay_vocabulary::Budget;
use std::time::Duration;

/// A weak outcome of two threads' own stores, one of messages, and one of four threads.
const TESTS: [&str; 3] = ["SB+rlx", "MP+rlx+rlx", "IRIW+rel+acq"];

/// Turns of each mode.
const TURNS: u32 = 3;

/// What a mode gave.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Rate {
    instances: u64,
    weak: u64,
    seconds: f64,
}

impl Rate {
    fn a_second(self, n: u64) -> f64 {
        n as f64 / self.seconds.max(1e-9)
    }

    fn instances_a_second(self) -> f64 {
        self.a_second(self.instances)
    }

    fn weak_a_second(self) -> f64 {
        self.a_second(self.weak)
    }
}

/// The heading of the lines.
pub const HEADING: &str =
    "litmus test    instances/s     weak/s  one a launch  weak/s  ratio  device";

/// Measures the tests on a device, each for `seconds` in either mode, and prints a line for each.
pub fn bench(
    session: &mut Session,
    seconds: f64,
    master: u64,
    device: &str,
    out: &mut Out,
) -> Result<(), Error> {
    let cases: Vec<Case> = plan::shipped()
        .map_err(Error::Bug)?
        .into_iter()
        .filter(|case| TESTS.contains(&case.id.name()))
        .collect();
    let patience = Duration::from_secs_f64(seconds + 60.0);
    let loads = session.load(&cases, patience)?;
    for (case, load) in cases.iter().zip(loads) {
        let name = case.id.name();
        match load {
            Load::Built => {}
            Load::Unfit(reason) => {
                out.line(&format!("{name:<13}  not run: {reason}  {device}"));
                continue;
            }
            Load::Died(death) => {
                out.line(&format!("{name:<13}  not run: {}  {device}", death.how));
                continue;
            }
        }
        match both(session, case, seconds, master, patience)? {
            Ok((many, one)) => out.line(&line(name, many, one, device)),
            Err(reason) => out.line(&format!("{name:<13}  not run: {reason}  {device}")),
        }
    }
    session.unload()?;
    Ok(())
}

/// Both modes in turns; the inner error says why there is nothing to measure.
fn both(
    session: &mut Session,
    case: &Case,
    seconds: f64,
    master: u64,
    patience: Duration,
) -> Result<Result<(Rate, Rate), String>, Error> {
    let mut rates = [Rate::default(); 2];
    for turn in 0..TURNS {
        for (rate, environment) in rates
            .iter_mut()
            .zip([Environment::default(), Environment::single()])
        {
            let case = Case {
                environment,
                seed: seed::of_case(master.wrapping_add(u64::from(turn)), &case.id),
                budget: Budget::Seconds(seconds / f64::from(TURNS)),
                ..case.clone()
            };
            let attempt = session.observe(&case, patience, &mut |_| {})?;
            let built = match attempt.outcome {
                Outcome::Finished { build_seconds, .. } => build_seconds,
                Outcome::Skipped { reason, .. } | Outcome::Failed { reason, .. } => {
                    return Ok(Err(reason));
                }
                Outcome::Died(death) => return Ok(Err(death.how.to_string())),
            };
            rate.seconds += (attempt.seconds - built).max(0.0);
            for launch in &attempt.launches {
                let asked = launch.outcomes.iter().filter(|o| o.asked);
                rate.instances += launch.instances;
                rate.weak += asked.map(|o| o.count).sum::<u64>();
            }
        }
    }
    let [many, one] = rates;
    Ok(Ok((many, one)))
}

fn line(name: &str, many: Rate, one: Rate, device: &str) -> String {
    format!(
        "{name:<13}  {:>11.0}  {:>9.0}  {:>12.0}  {:>6.0}  {:>5.0}  {device}",
        many.instances_a_second(),
        many.weak_a_second(),
        one.instances_a_second(),
        one.weak_a_second(),
        many.instances_a_second() / one.instances_a_second().max(1e-9),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_that_are_measured_are_shipped() {
        let shipped = classay_litmus::shipped();
        for test in TESTS {
            assert!(shipped.iter().any(|(name, _)| *name == test), "{test}");
        }
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
