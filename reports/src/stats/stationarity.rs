//! Whether a rate stayed the same while it was measured.
//!
//! A rate that drifts (a processor that warms up, another program that starts) has no single value, and
//! an average over it describes nothing that ever was. Launches, in the order they ran, are cut into blocks;
//! the blocks' rates are compared with what the scatter of launches within the blocks explains (one-way
//! analysis of variance, R. A. Fisher, "Statistical Methods for Research Workers", 1925), and the launches'
//! residuals are correlated with their time (K. Pearson's correlation with its t test), which sees a slow
//! trend sooner. Both share alpha equally (C. E. Bonferroni).
//!
//! Processes differ from each other without any drift. So residuals are those from the rate of a launch's own
//! process, and time runs from the beginning of each process to its end: what is looked for is a drift that
//! processes share.
//!
//! Assumptions: launches of a process are independent, and there are some tens of them; residuals are divided
//! by the square root of the launch's size, so that launches of different sizes count alike.

use super::cluster::Cluster;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};
use std::collections::BTreeMap;

/// Blocks that the time is cut into.
const BLOCKS: usize = 8;
/// Launches, at least, for there to be an answer.
const FEWEST: usize = 3 * BLOCKS;

/// What the launches' order says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stationarity {
    /// Probability of blocks at least this different if nothing drifts.
    pub blocks: f64,
    /// Probability of a trend at least this strong if nothing drifts.
    pub trend: f64,
    /// Rate of the first block over that of all.
    pub first: f64,
    /// Rate of the last block over that of all.
    pub last: f64,
}

impl Stationarity {
    /// Probability of so much drift in either sense if there is none.
    pub fn p_value(&self) -> f64 {
        (2.0 * self.blocks.min(self.trend)).min(1.0)
    }

    /// Whether the rate drifted, at this level of false alarms.
    pub fn drifts(&self, alpha: f64) -> bool {
        self.p_value() < alpha
    }
}

/// Looks for a drift in launches that are given in the order they ran. `None` where they do not say:
/// fewer than 24 launches, or an outcome that was never or always seen.
pub fn stationarity(clusters: &[Cluster]) -> Option<Stationarity> {
    let used: Vec<Cluster> = clusters
        .iter()
        .copied()
        .filter(|c| c.instances > 0)
        .collect();
    let count: f64 = used.iter().map(|c| c.count.min(c.instances) as f64).sum();
    let instances: f64 = used.iter().map(|c| c.instances as f64).sum();
    if used.len() < FEWEST || count == 0.0 || count == instances {
        return None;
    }
    let rate = count / instances;
    let mut processes: BTreeMap<u32, Vec<Cluster>> = BTreeMap::new();
    for launch in used {
        processes.entry(launch.process).or_default().push(launch);
    }
    // Fewer launches would not be in every block.
    processes.retain(|_, of| of.len() >= BLOCKS);
    let mut launches: Vec<Timed> = processes.values().flat_map(|of| timed(of)).collect();
    if launches.len() < FEWEST {
        return None;
    }
    launches.sort_by(|a, b| a.time.total_cmp(&b.time));
    let block = |at: usize| {
        let of = launches.iter().filter(|launch| launch.block() == at);
        let (count, instances) = of.fold((0.0, 0.0), |(count, instances), launch| {
            (count + launch.count, instances + launch.instances)
        });
        count / instances / rate
    };
    let lost = processes.len() as f64;
    Some(Stationarity {
        blocks: blocks_differ(&launches, lost),
        trend: trend(&launches, lost),
        first: block(0),
        last: block(BLOCKS - 1),
    })
}

/// A launch, and when it ran in its process.
struct Timed {
    /// From 0 to below 1.
    time: f64,
    count: f64,
    instances: f64,
    residual: f64,
}

impl Timed {
    fn block(&self) -> usize {
        ((self.time * BLOCKS as f64) as usize).min(BLOCKS - 1)
    }
}

/// The launches of one process, in the order they ran.
fn timed(launches: &[Cluster]) -> impl Iterator<Item = Timed> {
    let count: f64 = launches
        .iter()
        .map(|c| c.count.min(c.instances) as f64)
        .sum();
    let instances: f64 = launches.iter().map(|c| c.instances as f64).sum();
    let rate = count / instances;
    let all = launches.len() as f64;
    launches.iter().enumerate().map(move |(at, c)| {
        let (count, instances) = (c.count.min(c.instances) as f64, c.instances as f64);
        Timed {
            time: at as f64 / all,
            count,
            instances,
            residual: (count - rate * instances) / instances.sqrt(),
        }
    })
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// One-way analysis of variance: its p-value. The rates of so many processes were estimated before.
fn blocks_differ(launches: &[Timed], processes: f64) -> f64 {
    let whole = mean(launches.iter().map(|launch| launch.residual));
    let (mut between, mut within) = (0.0, 0.0);
    for at in 0..BLOCKS {
        let of = || launches.iter().filter(|launch| launch.block() == at);
        let centre = mean(of().map(|launch| launch.residual));
        between += of().count() as f64 * (centre - whole).powi(2);
        within += of()
            .map(|launch| (launch.residual - centre).powi(2))
            .sum::<f64>();
    }
    let degrees = (BLOCKS - 1) as f64;
    let left = (launches.len() - BLOCKS) as f64 - (processes - 1.0);
    if within <= 0.0 || left < 1.0 {
        // Blocks without any scatter inside: they differ or they do not.
        return if between > 0.0 && left >= 1.0 {
            0.0
        } else {
            1.0
        };
    }
    let ratio = (between / degrees) / (within / left);
    FisherSnedecor::new(degrees, left).map_or(1.0, |f| f.sf(ratio))
}

/// The correlation of residuals with time: its two-sided p-value.
fn trend(launches: &[Timed], processes: f64) -> f64 {
    let centre = mean(launches.iter().map(|launch| launch.residual));
    let middle = mean(launches.iter().map(|launch| launch.time));
    let (mut both, mut times, mut squares) = (0.0, 0.0, 0.0);
    for launch in launches {
        let (t, r) = (launch.time - middle, launch.residual - centre);
        both += t * r;
        times += t * t;
        squares += r * r;
    }
    let free = launches.len() as f64 - 1.0 - processes;
    if squares <= 0.0 || free < 1.0 {
        return 1.0;
    }
    let correlation = both / (times * squares).sqrt();
    let left = 1.0 - correlation * correlation;
    if left <= 0.0 {
        return 0.0;
    }
    let t = correlation * (free / left).sqrt();
    StudentsT::new(0.0, 1.0, free).map_or(1.0, |students| 2.0 * students.sf(t.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(count: impl Fn(u64) -> u64) -> Vec<Cluster> {
        let launch = |i| Cluster {
            process: 0,
            count: count(i),
            instances: 10_000,
        };
        (0..80).map(launch).collect()
    }

    #[test]
    fn a_slow_trend_and_a_step_are_seen_and_a_scatter_is_not() {
        let scatter = |i: u64| (i * 7919) % 23;
        let calm = stationarity(&launches(|i| 100 + scatter(i))).expect("an answer");
        assert!(!calm.drifts(0.01), "{calm:?}");
        let slow = stationarity(&launches(|i| 100 + scatter(i) + i / 4)).expect("an answer");
        assert!(
            slow.drifts(1e-6) && slow.first < 1.0 && slow.last > 1.0,
            "{slow:?}"
        );
        let step = stationarity(&launches(|i| {
            100 + scatter(i) + if i % 40 > 30 { 40 } else { 0 }
        }));
        let step = step.expect("an answer");
        assert!(step.blocks < 1e-4, "{step:?}");
    }

    #[test]
    fn processes_that_differ_do_not_drift_and_those_that_tire_alike_do() {
        let of = |count: fn(u64, u64) -> u64| {
            let launch = |i: u64| Cluster {
                process: (i / 20) as u32,
                count: count(i / 20, i % 20) + (i * 7919) % 23,
                instances: 10_000,
            };
            stationarity(&(0..80).map(launch).collect::<Vec<_>>()).expect("an answer")
        };
        let differ = of(|process, _| 100 + 200 * process);
        assert!(!differ.drifts(0.01), "{differ:?}");
        let tire = of(|process, time| 100 + 200 * process + 4 * (20 - time));
        assert!(tire.drifts(1e-4) && tire.first > tire.last, "{tire:?}");
    }

    #[test]
    fn few_launches_and_outcomes_without_variation_say_nothing() {
        assert_eq!(stationarity(&launches(|_| 5)[..20]), None);
        assert_eq!(stationarity(&launches(|_| 0)), None);
        assert_eq!(stationarity(&launches(|_| 10_000)), None);
        let same = stationarity(&launches(|_| 5)).expect("an answer");
        assert_eq!((same.p_value(), same.first, same.last), (1.0, 1.0, 1.0));
    }

    #[test]
    fn launches_without_instances_are_left_out() {
        let mut some = launches(|i| 100 + i % 5);
        let whole = stationarity(&some);
        some.insert(
            3,
            Cluster {
                process: 0,
                count: 0,
                instances: 0,
            },
        );
        assert_eq!(stationarity(&some), whole);
    }
}
