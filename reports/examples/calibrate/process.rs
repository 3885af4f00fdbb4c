//! Processes with a known rate, launch by launch.

use classay_reports::stats::cluster::Cluster;
use rand::{Rng, RngExt};
use rand_distr::{Beta, Binomial, Distribution, LogNormal};

/// How launches come about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Process {
    /// Independent instances of one rate.
    Independent,
    /// Each launch has a rate of its own, from a beta distribution: two instances of a launch are correlated
    /// by this much.
    Beta(f64),
    /// Each launch has a rate of its own, from a log-normal distribution with this standard deviation of its
    /// logarithm: rarely, a launch has many times the usual rate.
    LogNormal(f64),
    /// The rate rises in a straight line, by this part of its mean from the first launch to the last.
    Drifting(f64),
    /// Each process has a rate of its own, from a log-normal distribution with the first standard deviation,
    /// and around it each launch, with the second.
    Nested(f64, f64),
    /// Launches come in phases of about this many, in which the rate is nine tenths above its mean or below it.
    Phased(u32),
    /// One process of so many shows the outcome, the others never.
    OneProcessOf(u32),
    /// One launch of so many shows the outcome, the others never.
    OneLaunchOf(u32),
}

/// A process with its figures.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// How launches come about.
    pub process: Process,
    /// The mean rate.
    pub rate: f64,
    /// Processes.
    pub processes: u32,
    /// Launches of each.
    pub launches: u32,
    /// Instances of each.
    pub instances: u64,
}

/// A factor whose mean is 1.
fn factor(sigma: f64, rng: &mut impl Rng) -> f64 {
    LogNormal::new(-sigma * sigma / 2.0, sigma).map_or(1.0, |factor| factor.sample(rng))
}

impl Scene {
    /// All launches of one process.
    fn one(&self, process: u32, rng: &mut impl Rng) -> Vec<Cluster> {
        let here = match self.process {
            Process::Nested(sigma, _) => factor(sigma, rng),
            Process::OneProcessOf(all) => {
                f64::from(u8::from(rng.random_ratio(1, all))) * f64::from(all)
            }
            Process::Independent
            | Process::Beta(_)
            | Process::LogNormal(_)
            | Process::Drifting(_)
            | Process::Phased(_)
            | Process::OneLaunchOf(_) => 1.0,
        };
        let mut high = rng.random_ratio(1, 2);
        let mut one = |index: u32| {
            let usual = self.rate * here;
            let rate = match self.process {
                Process::Independent | Process::OneProcessOf(_) => usual,
                Process::Beta(correlation) => {
                    let both = 1.0 / correlation - 1.0;
                    Beta::new(usual * both, (1.0 - usual) * both)
                        .map_or(usual, |beta| beta.sample(rng))
                }
                Process::LogNormal(sigma) | Process::Nested(_, sigma) => usual * factor(sigma, rng),
                Process::Drifting(part) => {
                    let time = f64::from(index) / f64::from(self.launches - 1) - 0.5;
                    usual * (1.0 + part * time)
                }
                Process::Phased(long) => {
                    high ^= rng.random_ratio(1, long);
                    usual * if high { 1.9 } else { 0.1 }
                }
                Process::OneLaunchOf(all) => match rng.random_ratio(1, all) {
                    true => usual * f64::from(all),
                    false => 0.0,
                },
            };
            let count = Binomial::new(self.instances, rate.min(1.0));
            Cluster {
                process,
                count: count.map_or(0, |count| count.sample(rng)),
                instances: self.instances,
            }
        };
        (0..self.launches).map(&mut one).collect()
    }

    /// All launches.
    pub fn run(&self, rng: &mut impl Rng) -> Vec<Cluster> {
        (0..self.processes)
            .flat_map(|process| self.one(process, rng))
            .collect()
    }

    /// What it is, in a few words.
    pub fn name(&self) -> String {
        let process = match self.process {
            Process::Independent => "independent".to_owned(),
            Process::Beta(correlation) => format!("beta, correlation {correlation}"),
            Process::LogNormal(sigma) => format!("log-normal, sigma {sigma}"),
            Process::Drifting(part) => format!("drifting by {:.0} %", 100.0 * part),
            Process::Nested(outer, inner) => format!("nested, sigma {outer} and {inner}"),
            Process::Phased(long) => format!("phases of {long} launches"),
            Process::OneProcessOf(all) => format!("in 1 process of {all}"),
            Process::OneLaunchOf(all) => format!("in 1 launch of {all}"),
        };
        format!(
            "{process}: rate {}, {} x {} x {}",
            self.rate, self.processes, self.launches, self.instances
        )
    }
}
