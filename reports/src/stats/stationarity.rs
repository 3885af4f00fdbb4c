//! Whether a rate stayed the same while it was measured.
//!
//! A rate that drifts (a processor that warms up, another program that starts) has no single value, and
//! an average over it describes nothing that ever was. Launches, in the order they ran, are cut into blocks;
//! the blocks' rates are compared with what the scatter of launches within the blocks explains (one-way
//! analysis of variance, R. A. Fisher, "Statistical Methods for Research Workers", 1925), and the launches'
//! residuals are correlated with their time (K. Pearson's correlation with its t test), which sees a slow
//! trend sooner. Both share alpha equally (C. E. Bonferroni).
//!
//! Assumptions: launches are independent, and there are some tens of them; residuals are divided by the
//! square root of the launch's size, so that launches of different sizes count alike.

use super::cluster::Cluster;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

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
    let residuals: Vec<f64> = used
        .iter()
        .map(|c| {
            let size = c.instances as f64;
            (c.count.min(c.instances) as f64 - rate * size) / size.sqrt()
        })
        .collect();
    let m = used.len();
    let bounds: Vec<(usize, usize)> = (0..BLOCKS)
        .map(|b| (b * m / BLOCKS, (b + 1) * m / BLOCKS))
        .collect();
    let relative = |(from, to): (usize, usize)| {
        let block = &used[from..to];
        let count: f64 = block.iter().map(|c| c.count.min(c.instances) as f64).sum();
        let instances: f64 = block.iter().map(|c| c.instances as f64).sum();
        count / instances / rate
    };
    Some(Stationarity {
        blocks: blocks_differ(&residuals, &bounds),
        trend: trend(&residuals),
        first: relative(bounds[0]),
        last: relative(bounds[BLOCKS - 1]),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// One-way analysis of variance: its p-value.
fn blocks_differ(residuals: &[f64], bounds: &[(usize, usize)]) -> f64 {
    let whole = mean(residuals);
    let (mut between, mut within) = (0.0, 0.0);
    for (from, to) in bounds {
        let block = &residuals[*from..*to];
        let centre = mean(block);
        between += block.len() as f64 * (centre - whole).powi(2);
        within += block.iter().map(|r| (r - centre).powi(2)).sum::<f64>();
    }
    let degrees = (bounds.len() - 1) as f64;
    let left = (residuals.len() - bounds.len()) as f64;
    if within <= 0.0 {
        // Blocks without any scatter inside: they differ or they do not.
        return if between > 0.0 { 0.0 } else { 1.0 };
    }
    let ratio = (between / degrees) / (within / left);
    FisherSnedecor::new(degrees, left).map_or(1.0, |f| f.sf(ratio))
}

/// The correlation of residuals with time: its two-sided p-value.
fn trend(residuals: &[f64]) -> f64 {
    let m = residuals.len() as f64;
    let (centre, middle) = (mean(residuals), (m - 1.0) / 2.0);
    let (mut both, mut times, mut squares) = (0.0, 0.0, 0.0);
    for (time, residual) in residuals.iter().enumerate() {
        let (t, r) = (time as f64 - middle, residual - centre);
        both += t * r;
        times += t * t;
        squares += r * r;
    }
    if squares <= 0.0 {
        return 1.0;
    }
    let correlation = both / (times * squares).sqrt();
    let left = 1.0 - correlation * correlation;
    if left <= 0.0 {
        return 0.0;
    }
    let t = correlation * ((m - 2.0) / left).sqrt();
    StudentsT::new(0.0, 1.0, m - 2.0).map_or(1.0, |students| 2.0 * students.sf(t.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(count: impl Fn(u64) -> u64) -> Vec<Cluster> {
        let launch = |i| Cluster {
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
                count: 0,
                instances: 0,
            },
        );
        assert_eq!(stationarity(&some), whole);
    }
}
