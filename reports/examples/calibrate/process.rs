//! Processes with a known rate, launch by launch.

use classay_reports::stats::cluster::Cluster;
use rand::Rng;
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
}

/// A process with its figures.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// How launches come about.
    pub process: Process,
    /// The mean rate.
    pub rate: f64,
    /// Launches.
    pub launches: u32,
    /// Instances of each.
    pub instances: u64,
}

impl Scene {
    /// Launch `index` of the process.
    pub fn launch(&self, index: u32, rng: &mut impl Rng) -> Cluster {
        let rate = match self.process {
            Process::Independent => self.rate,
            Process::Beta(correlation) => {
                let both = 1.0 / correlation - 1.0;
                Beta::new(self.rate * both, (1.0 - self.rate) * both)
                    .map_or(self.rate, |beta| beta.sample(rng))
            }
            Process::LogNormal(sigma) => LogNormal::new(-sigma * sigma / 2.0, sigma)
                .map_or(self.rate, |factor| {
                    (self.rate * factor.sample(rng)).min(1.0)
                }),
            Process::Drifting(part) => {
                let time = f64::from(index) / f64::from(self.launches - 1) - 0.5;
                self.rate * (1.0 + part * time)
            }
        };
        let count = Binomial::new(self.instances, rate).map_or(0, |count| count.sample(rng));
        Cluster {
            count,
            instances: self.instances,
        }
    }

    /// All launches.
    pub fn run(&self, rng: &mut impl Rng) -> Vec<Cluster> {
        (0..self.launches)
            .map(|index| self.launch(index, rng))
            .collect()
    }

    /// What it is, in a few words.
    pub fn name(&self) -> String {
        let process = match self.process {
            Process::Independent => "independent".to_owned(),
            Process::Beta(correlation) => format!("beta, correlation {correlation}"),
            Process::LogNormal(sigma) => format!("log-normal, sigma {sigma}"),
            Process::Drifting(part) => format!("drifting by {:.0} %", 100.0 * part),
        };
        format!(
            "{process}: rate {}, {} x {}",
            self.rate, self.launches, self.instances
        )
    }
}
