//! What the parallel environment is worth: litmus tests with many instances a launch, and with one.
//!
//! Each test is built once and played in turns in both modes, each as the device's own environment has
//! it, so that what else the machine does meets both. Rates are by the wall clock, from the request to
//! the last count, and every instance that is counted has been checked to be there.

use crate::Error;
use crate::device::Api;
use crate::environment::Environment;
use crate::plan::{self, Case, seed};
use crate::worker::session::{Load, Session};
use classay_vocabulary::Budget;
use std::time::Duration;

/// A weak outcome of two threads' own stores, one of messages, and one of four threads.
fn tests(api: Api) -> [&'static str; 3] {
    match api {
        Api::OpenCl => ["SB+rlx", "MP+rlx+rlx", "IRIW+rel+acq"],
        Api::Vulkan => ["SB+rlx", "MP+rlx", "IRIW+rel+acq"],
    }
}

/// Turns of each mode.
const TURNS: u32 = 3;

/// What a mode gave.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Instances that were run.
    pub instances: u64,
    /// How often the target outcome was seen.
    pub weak: u64,
    /// Seconds by the wall clock, building left out.
    pub seconds: f64,
}

impl Rate {
    fn per_second(self, n: u64) -> f64 {
        n as f64 / self.seconds.max(1e-9)
    }

    /// Instances a second.
    pub fn instances_per_second(self) -> f64 {
        self.per_second(self.instances)
    }

    /// Target outcomes a second.
    pub fn weak_per_second(self) -> f64 {
        self.per_second(self.weak)
    }
}

/// A litmus test on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Litmus {
    /// The test.
    pub test: String,
    /// With many instances a launch, and with one; or why it was not run.
    pub rates: Result<(Rate, Rate), String>,
}

/// Measures litmus tests on a device, each for `seconds` in either mode.
///
/// # Errors
///
/// The device is gone, or the user interrupted.
pub fn litmus(session: &mut Session, seconds: f64, master: u64) -> Result<Vec<Litmus>, Error> {
    let api = session.known().capabilities.api;
    let cases: Vec<Case> = plan::shipped_of(api)
        .map_err(Error::Bug)?
        .into_iter()
        .filter(|case| tests(api).contains(&case.id.name()))
        .collect();
    let deadline = Duration::from_secs_f64(seconds + 60.0);
    let loads = session.load(&cases, deadline)?;
    let mut measured = Vec::new();
    for (case, load) in cases.iter().zip(loads) {
        measured.push(Litmus {
            test: case.id.name().to_string(),
            rates: match load {
                Load::Built(_) => both(session, case, seconds, master, deadline)?,
                Load::Unfit(reason) => Err(reason),
                Load::Died(death) => Err(death.how.to_string()),
            },
        });
    }
    session.unload()?;
    Ok(measured)
}

/// Both modes in turns; the inner error says why there is nothing to measure.
fn both(
    session: &mut Session,
    case: &Case,
    seconds: f64,
    master: u64,
    deadline: Duration,
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
            let attempt = session.observe(&case, deadline, &mut |_| {})?;
            let built = match attempt.build_seconds() {
                Ok(built) => built,
                Err(why) => return Ok(Err(why)),
            };
            rate.seconds += (attempt.seconds - built).max(0.0);
            for launch in &attempt.launches {
                let targets = launch.outcomes.iter().filter(|o| o.target);
                rate.instances += launch.instances;
                rate.weak += targets.map(|o| o.count).sum::<u64>();
            }
        }
    }
    let [many, one] = rates;
    Ok(Ok((many, one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_that_are_measured_are_shipped() {
        for api in Api::ALL {
            for test in tests(api) {
                let case = plan::shipped_called(test, api).expect("tests");
                assert!(case.is_some(), "{api}: {test}");
            }
        }
    }
}
