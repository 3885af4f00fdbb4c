//! How soon a rate is known: how many seconds until its relative standard error, over fresh processes, is
//! [`PRECISION`].
//!
//! Instances a second say little: those of one process resemble each other, and two processes may differ by a
//! factor. So each test is played in many fresh workers, a little while in each, and the rates that the
//! workers saw are what is measured: as many processes as it takes to bring the standard error of their mean
//! down to the precision, times what each plays. The same recipe holds for any other tool that runs litmus
//! tests: play short processes, take the mean and the standard deviation of their rates ([`Scatter`]).
//!
//! How long a process should play for that depends on the test. Where processes differ more than the launches of
//! one, many short processes know the rate soonest; where a driver's threads take a while to run side by side, or
//! the outcome is rare, fewer and longer ones do. What the first launches of a process saw is what a shorter process
//! would have seen, so one measurement says it of every length ([`Scatter::soonest`]).

use crate::device::{Api, Selector};
use crate::plan::{self, Case, seed};
use crate::worker::session::Session;
use crate::{Error, open};
use classay_reports::record::{Launch, Outcome, OutcomeCount, histogram};
use classay_vocabulary::Budget;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The relative standard error at which a rate counts as known.
pub const PRECISION: f64 = 0.1;

/// Tests of two threads whose target outcome a store buffer shows, of two whose target outcome it takes a weaker
/// memory or a compiler to show, and two of three threads; those of the interfaces in one order.
fn tests(api: Api) -> [&'static str; 6] {
    match api {
        Api::OpenCl => [
            "SB+rlx",
            "R+rel+acq",
            "2+2W+rel",
            "MP+plain",
            "RWC+rel+acq",
            "3.2W+rel",
        ],
        Api::Vulkan => [
            "SB+rlx", "R+rlx", "2+2W+rlx", "MP+rlx", "RWC+rlx", "WRC+rlx",
        ],
    }
}

/// What a process saw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Process {
    /// In the order in which they were played.
    pub launches: Vec<Launch>,
    /// Seconds that it played, by the wall clock.
    pub seconds: f64,
}

impl Process {
    /// Its first launches, until this part of its time is over: what it would have seen, had it played no longer.
    /// At least one, if there is any.
    fn first(&self, part: f64) -> Process {
        let all: f64 = self.launches.iter().map(|launch| launch.seconds).sum();
        let mut played = 0.0;
        let within = |launch: &&Launch| {
            let begins = played < all * part;
            played += if begins { launch.seconds } else { 0.0 };
            begins
        };
        let launches: Vec<Launch> = self.launches.iter().take_while(within).cloned().collect();
        let share = if all > 0.0 { played / all } else { 1.0 };
        Process {
            launches,
            seconds: self.seconds * share,
        }
    }

    /// Its outcomes, each once.
    fn seen(&self) -> Vec<OutcomeCount> {
        histogram(&self.launches)
    }
}

/// Rates of processes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scatter {
    /// What each process saw.
    pub processes: Vec<Process>,
    /// Seconds from the request of a fresh process to its first launch, for all of them.
    pub starting: f64,
}

/// How soon a rate is known by processes that are as long as it takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Soonest {
    /// Seconds that each process plays.
    pub each: f64,
    /// Seconds of playing until the rate is known.
    pub playing: f64,
    /// The same with what it takes to start the processes and to build the test in each.
    pub with_starts: f64,
}

/// The lengths that [`Scatter::soonest`] chooses from, as parts of what the processes played.
const LENGTHS: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0625];

impl Scatter {
    /// Seconds that the processes played.
    pub fn seconds(&self) -> f64 {
        self.processes.iter().map(|process| process.seconds).sum()
    }

    /// Those of its processes whose number has this remainder by two.
    fn half(&self, remainder: usize) -> Scatter {
        let numbered = self.processes.iter().enumerate();
        let processes: Vec<Process> = numbered
            .filter(|(number, _)| number % 2 == remainder)
            .map(|(_, process)| process.clone())
            .collect();
        let share = processes.len() as f64 / self.processes.len().max(1) as f64;
        Scatter {
            processes,
            starting: self.starting * share,
        }
    }

    /// What it would have been, had each process played this part of its time.
    fn shorter(&self, part: f64) -> Scatter {
        let processes = self.processes.iter().map(|process| process.first(part));
        Scatter {
            processes: processes.collect(),
            starting: self.starting,
        }
    }

    /// By the length that knows the rate soonest; `None` where it is known by none. The least of several figures is
    /// too small by what chance had in it. So half of the processes choose the length that the others are measured at, and
    /// the other way round, and what is given is the mean of both. A length at which the first launches show another
    /// rate than all do, by more than [`PRECISION`], is none: what it would know is not the rate.
    pub fn soonest(&self) -> Option<Soonest> {
        let measured = |by: usize| {
            let other = self.half(1 - by);
            let chosen = LENGTHS
                .into_iter()
                .filter_map(|part| {
                    let shorter = other.shorter(part);
                    let known = shorter.seconds_until_known()?;
                    let is_same = (shorter.rate() / other.rate() - 1.0).abs() <= PRECISION;
                    is_same.then_some((part, known))
                })
                .min_by(|a, b| a.1.total_cmp(&b.1))?;
            let others = self.half(by).shorter(chosen.0);
            Some(Soonest {
                each: others.seconds() / others.processes.len() as f64,
                playing: others.seconds_until_known()?,
                with_starts: others.seconds_with_starts()?,
            })
        };
        match (measured(0), measured(1)) {
            (Some(one), Some(other)) => Some(Soonest {
                each: (one.each + other.each) / 2.0,
                playing: (one.playing + other.playing) / 2.0,
                with_starts: (one.with_starts + other.with_starts) / 2.0,
            }),
            // Too few processes, or too few that saw it.
            (Some(_), None) | (None, Some(_)) | (None, None) => Some(Soonest {
                each: self.seconds() / self.processes.len().max(1) as f64,
                playing: self.seconds_until_known()?,
                with_starts: self.seconds_with_starts()?,
            }),
        }
    }

    /// The mean of the processes' rates; 0 where there are none.
    pub fn rate(&self) -> f64 {
        mean(&self.rates(&|seen| seen.target))
    }

    /// Their standard deviation; 0 with fewer than two.
    pub fn deviation(&self) -> f64 {
        deviation(&self.rates(&|seen| seen.target))
    }

    /// How many processes of this length it takes until the rate is known; `None` where the outcome was
    /// never seen, or in fewer than two processes.
    fn processes_until_known(&self) -> Option<f64> {
        let rate = self.rate();
        (rate > 0.0 && self.processes.len() > 1)
            .then(|| (self.deviation() / rate / PRECISION).powi(2))
    }

    /// Seconds of playing until the rate is known.
    fn seconds_until_known(&self) -> Option<f64> {
        Some(self.processes_until_known()? * self.seconds() / self.processes.len() as f64)
    }

    /// The same with what it takes to start the processes and to build the test in each.
    fn seconds_with_starts(&self) -> Option<f64> {
        let each = (self.seconds() + self.starting) / self.processes.len() as f64;
        Some(self.processes_until_known()? * each)
    }

    /// Independent instances that a second of playing is worth: over all outcomes, those that are never wanted
    /// included, the sum of p(1-p) over the sum of the variances of their rates; which is a second's instances over the
    /// mean design effect (Rao and Scott, "On Chi-Squared Tests for Multiway Contingency Tables with Cell Proportions
    /// Estimated from Survey Data", 1984). `None` where no rate varies.
    pub fn effective_per_second(&self) -> Option<f64> {
        let launches = self.processes.iter().flat_map(|one| &one.launches);
        let seen = launches.flat_map(|launch| &launch.outcomes);
        let outcomes: BTreeSet<&Outcome> = seen.map(|seen| &seen.outcome).collect();
        let (mut spread, mut variance) = (0.0, 0.0);
        for outcome in outcomes {
            let rates = self.rates(&|seen| seen.outcome == *outcome);
            spread += mean(&rates) * (1.0 - mean(&rates));
            variance += deviation(&rates).powi(2);
        }
        let each = self.seconds() / self.processes.len() as f64;
        (variance > 0.0).then(|| spread / variance / each)
    }

    /// Instances a second.
    pub fn instances_per_second(&self) -> f64 {
        self.count(&|_| true) / self.seconds().max(1e-9)
    }

    /// Target outcomes a second.
    pub fn weak_per_second(&self) -> f64 {
        self.count(&|seen| seen.target) / self.seconds().max(1e-9)
    }

    fn count(&self, of: &dyn Fn(&OutcomeCount) -> bool) -> f64 {
        let launches = self.processes.iter().flat_map(|one| &one.launches);
        let all = launches.flat_map(|launch| &launch.outcomes);
        all.filter(|seen| of(seen))
            .map(|seen| seen.count)
            .sum::<u64>() as f64
    }

    /// By process.
    fn rates(&self, of: &dyn Fn(&OutcomeCount) -> bool) -> Vec<f64> {
        let rate = |process: &Process| {
            let process = process.seen();
            let count = |seen: &OutcomeCount| seen.count as f64;
            let all: f64 = process.iter().map(count).sum();
            let wanted: f64 = process.iter().filter(|seen| of(seen)).map(count).sum();
            wanted / all.max(1.0)
        };
        self.processes.iter().map(rate).collect()
    }
}

/// The mean of some numbers; 0 where there are none.
fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}

/// Their standard deviation; 0 with fewer than two.
fn deviation(of: &[f64]) -> f64 {
    let squares: f64 = of.iter().map(|one| (one - mean(of)).powi(2)).sum();
    (squares / of.len().saturating_sub(1).max(1) as f64).sqrt()
}

/// A litmus test on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The test.
    pub test: String,
    /// What its processes saw, or why it was not run.
    pub scatter: Result<Scatter, String>,
}

/// The tests to play on a device, by the names of shipped ones, or those of its own where there are none. A name
/// without an interface is that of the device.
///
/// # Errors
///
/// There is no such test, or it is one of the other interface.
pub fn tests_for(device: &Selector, names: &[String]) -> Result<Vec<Case>, Error> {
    let api = device.library.api();
    let mut wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        wanted.extend(tests(api));
    }
    let find = |name: &str| {
        let case = plan::shipped_called(name, api).map_err(Error::Bug)?;
        case.ok_or_else(|| {
            let what = plan::no_shipped_test(name);
            Error::Usage(format!("{name} {what}; {device} plays those of {api}"))
        })
    };
    let cases: Vec<Case> = wanted.into_iter().map(find).collect::<Result<_, Error>>()?;
    open::are_played_by(device, &cases)?;
    Ok(cases)
}

/// Plays a test in `processes` fresh workers, `seconds` in each. No worker is left.
///
/// # Errors
///
/// The device is gone, or the user interrupted.
pub fn known(
    session: &mut Session,
    test: &Case,
    processes: u32,
    seconds: f64,
    master: u64,
) -> Result<Known, Error> {
    let scatter = scatter(session, test, processes, seconds, master)?;
    session.renew();
    Ok(Known {
        test: test.id.name().to_owned(),
        scatter,
    })
}

/// The inner error says why there is nothing to measure.
fn scatter(
    session: &mut Session,
    case: &Case,
    processes: u32,
    seconds: f64,
    master: u64,
) -> Result<Result<Scatter, String>, Error> {
    let deadline = Duration::from_secs_f64(seconds + 60.0);
    let mut scatter = Scatter::default();
    for process in 0..processes {
        let begun = Instant::now();
        session.renew();
        let case = Case {
            seed: seed::of_part(seed::of_case(master, &case.id), process),
            budget: Budget::Seconds(seconds),
            ..case.clone()
        };
        let attempt = session.observe(&case, deadline, &mut |_| {})?;
        let built = match attempt.build_seconds() {
            Ok(built) => built,
            Err(why) => return Ok(Err(why)),
        };
        let played = (attempt.seconds - built).max(0.0);
        scatter.processes.push(Process {
            launches: attempt.launches,
            seconds: played,
        });
        scatter.starting += (begun.elapsed().as_secs_f64() - played).max(0.0);
    }
    Ok(Ok(scatter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_soonest_agrees_most() {
        let seen = |state: i64, count: u64, target: bool| OutcomeCount {
            outcome: Outcome::State(vec![state]),
            count,
            target,
        };
        let process = |count: u64| Process {
            launches: vec![Launch {
                instances: 1000,
                seconds: 0.05,
                outcomes: vec![seen(1, count, true), seen(0, 1000 - count, false)],
                ..Launch::default()
            }],
            seconds: 0.1,
        };
        let of = |rates: &[u64]| Scatter {
            processes: rates.iter().map(|&count| process(count)).collect(),
            starting: 0.4 * rates.len() as f64,
        };
        // Mean 0.1, standard deviation 0.02: four processes of 0.1 s.
        let steady = of(&[80, 100, 120]);
        assert!((steady.rate() - 0.1).abs() < 1e-12);
        assert!((steady.processes_until_known().expect("seen") - 4.0).abs() < 1e-9);
        assert!((steady.seconds_until_known().expect("seen") - 0.4).abs() < 1e-9);
        assert!((steady.seconds_with_starts().expect("seen") - 2.0).abs() < 1e-9);
        let effective = steady.effective_per_second().expect("scatter");
        assert!((effective - 0.09 / 0.0004 / 0.1).abs() < 1e-6);
        // What is not the target says as much of how far instances are independent.
        let untargeted = |mut scatter: Scatter| {
            let all = scatter
                .processes
                .iter_mut()
                .flat_map(|one| &mut one.launches);
            let all = all.flat_map(|launch| &mut launch.outcomes);
            all.for_each(|seen| seen.target = false);
            scatter
        };
        let never = untargeted(of(&[80, 100, 120]));
        assert_eq!((never.rate(), never.seconds_until_known()), (0.0, None));
        assert!((never.effective_per_second().expect("scatter") - effective).abs() < 1e-6);
        let wild = of(&[0, 0, 300]);
        assert!(wild.seconds_until_known() > steady.seconds_until_known());
        assert_eq!(of(&[0, 0, 0]).seconds_until_known(), None);
        assert_eq!(of(&[100]).seconds_until_known(), None);
        assert_eq!(of(&[100]).soonest(), None);
    }

    /// A process whose launches of a tenth of a second saw the target so many times of a thousand.
    fn playing(rates: &[u64]) -> Process {
        let launch = |&count: &u64| Launch {
            instances: 1000,
            seconds: 0.1,
            outcomes: vec![
                OutcomeCount {
                    outcome: Outcome::State(vec![1]),
                    count,
                    target: true,
                },
                OutcomeCount {
                    outcome: Outcome::State(vec![0]),
                    count: 1000 - count,
                    target: false,
                },
            ],
            ..Launch::default()
        };
        Process {
            launches: rates.iter().map(launch).collect(),
            seconds: 0.1 * rates.len() as f64,
        }
    }

    #[test]
    fn a_shorter_process_is_the_beginning_of_a_longer_one() {
        let process = playing(&[1, 2, 3, 4]);
        for (part, launches) in [(1.0, 4), (0.5, 2), (0.26, 2), (0.25, 1), (0.01, 1)] {
            let first = process.first(part);
            assert_eq!(first.launches, process.launches[..launches]);
            assert!((first.seconds - 0.1 * launches as f64).abs() < 1e-9);
        }
        assert_eq!(Process::default().first(0.5), Process::default());
    }

    #[test]
    fn processes_are_as_long_as_knows_the_rate_soonest() {
        // Every launch of a process sees the same, so that the first says all.
        let differing = Scatter {
            processes: [80, 100, 120, 80, 100, 120, 80, 100]
                .map(|rate| playing(&[rate; 8]))
                .to_vec(),
            starting: 8.0,
        };
        let soonest = differing.soonest().expect("seen");
        assert!((soonest.each - 0.1).abs() < 1e-9);
        assert!(soonest.playing < differing.seconds_until_known().expect("seen") / 4.0);
        assert!(soonest.with_starts > soonest.playing);
        // The first launches of all see less.
        let cold = Scatter {
            processes: [80, 100, 120, 80, 100, 120, 80, 100]
                .map(|rate| playing(&[1, rate, rate, rate, rate, rate, rate, rate]))
                .to_vec(),
            starting: 8.0,
        };
        assert!(cold.soonest().expect("seen").each > 0.75);
        // The first launches see nothing or twice as much; all together are alike.
        let warming = Scatter {
            processes: [0, 200, 0, 200, 0, 200, 0, 200]
                .map(|first| {
                    playing(&[
                        first,
                        200 - first,
                        100,
                        100,
                        100,
                        100,
                        100,
                        101 + first / 200,
                    ])
                })
                .to_vec(),
            starting: 8.0,
        };
        assert!(warming.soonest().expect("seen").each > 0.15);
        // Halves of one process have no deviation.
        let few = Scatter {
            processes: vec![playing(&[100; 8]), playing(&[120; 8])],
            starting: 2.0,
        };
        assert!((few.soonest().expect("seen").each - 0.8).abs() < 1e-9);
    }

    #[test]
    fn the_tests_that_are_measured_are_shipped() {
        for device in ["touchstone", "vulkan"] {
            let device: Selector = device.parse().expect("a device");
            assert_eq!(tests_for(&device, &[]).expect("tests").len(), 6);
            let of_vulkan = tests_for(&device, &["vulkan/SB+rlx".into()]);
            assert_eq!(of_vulkan.is_ok(), device.library.api() == Api::Vulkan);
            assert!(tests_for(&device, &["SB+rlx".into()]).is_ok());
            assert!(tests_for(&device, &["no-such-test".into()]).is_err());
        }
    }
}
