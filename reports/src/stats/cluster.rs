//! A rate and its interval when instances come in launches, and launches in processes.
//!
//! Instances of one launch share caches, clock and load, so their outcomes are correlated; launches of one
//! process share where its memory lies and which processors it gets. A count of many launches scatters more
//! than that of as many independent instances. How much more is the *design effect*, the variance of the
//! rate over what it would be for independent instances (L. Kish, "Survey Sampling", 1965), estimated by the
//! linearized variance of a ratio (W. G. Cochran, "Sampling Techniques", 1977, 6.3) from the *ultimate
//! clusters* (M. H. Hansen, W. N. Hurwitz and W. G. Madow, "Sample Survey Methods and Theory", 1953): the
//! processes, whatever goes on within them. What one process shows is true of that process alone: with one,
//! the launches are the clusters, and [`Clustered::processes`] says so.
//!
//! The interval is Clopper and Pearson's for the *effective* count and number of instances (E. L. Korn
//! and B. I. Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive
//! Counts Estimated From Survey Data", Survey Methodology 24, 1998): instances are divided by the design
//! effect, and by the square of how much Student's t is wider than the normal distribution. Its degrees
//! of freedom are what the clusters' residuals have to say about their variance, by their kurtosis (F. E.
//! Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics 2, 1946):
//! a few clusters with nearly all of the counts are worth few degrees. A few processes may agree by chance
//! where their launches scatter: the level that leaves less counts.
//!
//! Processes of a run follow each other, and share the moment: another load, another clock. On PoCL the rates
//! of neighbours correlate by up to 0.6, which decays with the distance (recorded runs, which the calibration
//! `cargo run --release -p classay-reports --example calibrate` replays). A handful of processes cannot tell
//! how much they do, so that much is assumed, as a first-order autoregressive series, of what they scatter
//! beyond independent instances ([`moments`]).
//!
//! Above them all is the *run*. The next one, minutes later, meets another state of the machine: on a quiet one,
//! rates of PoCL stay at a level for some runs and step to another, while the processes of each run agree to a tenth
//! of the step. One run cannot show that, so that much is assumed of the odds ([`RUNS`]), from recorded ones. An
//! interval from several processes is one for the mean rate of such runs; what one process says is said of it alone.
//!
//! Fewer than six clusters that all show an outcome may still come from a device of which every other does
//! not (one half to the power of their number is more than 2.5 %): the lower end allows for it.
//!
//! Assumptions: the clusters are alike, and depend on each other no more than that. Outcomes within one may
//! depend on each other in any way. A drift of the rate over time breaks the first; [`super::stationarity`] looks
//! for it.

use super::{Confidence, Interval, clopper_pearson};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};
use std::collections::BTreeMap;

/// One launch: of so many instances, how many ended in the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The process that it ran in; any number that other processes do not have.
    pub process: u32,
    /// Instances that ended in the outcome; more than `instances` counts as `instances`.
    pub count: u64,
    /// Instances of the launch.
    pub instances: u64,
}

/// What launches say about the rate of an outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clustered {
    /// Instances that ended in the outcome.
    pub count: u64,
    /// Instances of all launches.
    pub instances: u64,
    /// Launches with at least one instance.
    pub launches: usize,
    /// Processes with at least one instance. What one process says need not be true of the next.
    pub processes: usize,
    /// Processes of which an instance ended in the outcome.
    pub showing: usize,
    /// How much larger the variance of the rate is than for independent instances; `None` where the
    /// clusters do not say: fewer than two, or an outcome that was never or always seen.
    pub design_effect: Option<f64>,
    /// Degrees of freedom of the variance, at least 1.
    pub degrees: f64,
    /// Probability of a scatter between clusters at least this large if instances were independent
    /// (Pearson's index of dispersion against chi-squared); 1 where the clusters do not say.
    pub independent: f64,
}

/// How much rates of processes that follow each other correlate, at most.
const NEIGHBOURS: f64 = 0.6;

/// How much larger the variance of the mean of so many values of an autoregressive series is than their scatter
/// says: the correlations add to the one and lessen the other (G. V. Bayley and J. M. Hammersley, "The
/// 'Effective' Number of Independent Observations in an Autocorrelated Time Series", 1946).
fn moments(values: usize) -> f64 {
    let n = values as f64;
    let mut sum = 0.0;
    let mut correlation = 1.0;
    for lag in 1..values.min(64) {
        correlation *= NEIGHBOURS;
        sum += (1.0 - lag as f64 / n) * correlation;
    }
    (1.0 + 2.0 * sum) / (1.0 - 2.0 * sum / (n - 1.0))
}

/// How far the logarithm of the odds of an outcome goes up and down from run to run beyond what the processes of
/// each say, a standard deviation: of outcomes whose share is at least 1 %, and of rare ones of at most 0.1 %; in
/// between, in proportion to the logarithm of the share. Of 24 runs of four tests, and 80 of one, on PoCL and on
/// Intel's runtime, the frequent ones show 0 to 0.22, 0.06 in the middle, where a few runs in a hundred lie as far off
/// as three times 0.1; the rare ones show 0.6 to 0.79.
const RUNS: (f64, f64) = (0.15, 0.65);

/// [`RUNS`] of an outcome of this rate, above 0 and below 1.
fn runs(rate: f64) -> f64 {
    let rarity = (-2.0 - rate.min(1.0 - rate).log10()).clamp(0.0, 1.0);
    RUNS.0 + rarity * (RUNS.1 - RUNS.0)
}

/// Clusters, at least, that all show an outcome where it is unlikely that every other does not.
const ENOUGH: usize = 6;

/// What the clusters of one level say of their scatter.
struct Level {
    design_effect: f64,
    degrees: f64,
    independent: f64,
}

impl Level {
    /// From counts and instances of clusters; none where there are fewer than two of them.
    fn of(clusters: &[(u64, u64)], (count, instances): (u64, u64)) -> Option<Level> {
        if clusters.len() < 2 || count == 0 || count == instances {
            return None;
        }
        let (clusters_there, total) = (clusters.len() as f64, instances as f64);
        let rate = count as f64 / total;
        let (mut squares, mut fourths, mut pearson) = (0.0, 0.0, 0.0);
        for (count, size) in clusters {
            let size = *size as f64;
            let residual = *count as f64 - rate * size;
            let square = residual * residual;
            squares += square;
            fourths += square * square;
            pearson += square / (size * rate * (1.0 - rate));
        }
        let others = clusters_there - 1.0;
        let variance = clusters_there / others * squares / (total * total);
        let mut degrees = 1.0;
        if squares > 0.0 {
            // The variance of a mean of squares against its square, matched to chi-squared over its degrees.
            let kurtosis = fourths / clusters_there / (squares / clusters_there).powi(2);
            degrees = 2.0 * clusters_there / ((kurtosis - 1.0).max(0.0) + 2.0 / others);
            degrees = degrees.clamp(1.0, others);
        }
        Some(Level {
            design_effect: variance / (rate * (1.0 - rate) / total),
            degrees,
            independent: ChiSquared::new(others).map_or(1.0, |chi| chi.sf(pearson)),
        })
    }

    /// By what the instances are divided.
    fn worth(&self, confidence: Confidence) -> f64 {
        self.design_effect * widening(self.degrees, confidence).powi(2)
    }
}

impl Clustered {
    /// What these launches say. Launches without instances are left out.
    pub fn of(clusters: &[Cluster]) -> Clustered {
        let used = clusters.iter().filter(|c| c.instances > 0);
        let launches: Vec<(u64, u64)> = used
            .clone()
            .map(|c| (c.count.min(c.instances), c.instances))
            .collect();
        let mut processes: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (launch, (count, instances)) in used.zip(&launches) {
            let process = processes.entry(launch.process).or_default();
            process.0 = process.0.saturating_add(*count);
            process.1 = process.1.saturating_add(*instances);
        }
        let processes: Vec<(u64, u64)> = processes.into_values().collect();
        let sum = |part: fn(&(u64, u64)) -> u64| {
            let parts = launches.iter().map(part);
            parts.fold(0u64, u64::saturating_add)
        };
        let (count, instances) = (sum(|launch| launch.0), sum(|launch| launch.1));
        let of_processes = Level::of(&processes, (count, instances)).map(|level| {
            let beyond = (level.design_effect - 1.0).max(0.0);
            Level {
                design_effect: level.design_effect + beyond * (moments(processes.len()) - 1.0),
                ..level
            }
        });
        let levels = [Level::of(&launches, (count, instances)), of_processes];
        let level = levels.into_iter().flatten().max_by(|a, b| {
            let worth = |level: &Level| level.worth(Confidence::P95);
            worth(a).total_cmp(&worth(b))
        });
        Clustered {
            count,
            instances,
            launches: launches.len(),
            processes: processes.len(),
            showing: processes.iter().filter(|process| process.0 > 0).count(),
            design_effect: level.as_ref().map(|level| level.design_effect),
            degrees: level.as_ref().map_or(1.0, |level| level.degrees),
            independent: level.as_ref().map_or(1.0, |level| level.independent),
        }
    }

    /// The clusters that a claim stands on: processes, or launches where there is one process.
    pub fn clusters(&self) -> usize {
        match self.processes {
            0 | 1 => self.launches,
            more => more,
        }
    }

    /// The independent instances that these are worth, at most as many as there are and no fewer than one a
    /// cluster; `None` where the clusters do not say.
    pub fn effective(&self, confidence: Confidence) -> Option<f64> {
        let worth = self.design_effect? * self.widening(confidence).powi(2);
        let fewest = self.clusters() as f64;
        Some((self.instances as f64 / worth.max(1.0)).max(fewest))
    }

    /// The rate; 0 where there are no instances.
    pub fn rate(&self) -> f64 {
        if self.instances == 0 {
            return 0.0;
        }
        self.count as f64 / self.instances as f64
    }

    /// Whether the clusters scatter more than independent instances would, beyond doubt: by 20 % at
    /// least, and such a scatter would occur by chance less than once in a thousand times.
    pub fn is_overdispersed(&self) -> bool {
        self.design_effect.is_some_and(|d| d > 1.2) && self.independent < 1e-3
    }

    /// How far the logarithm of the odds goes up and down from run to run, a standard deviation; 0 for what one process
    /// says of itself.
    pub fn between_runs(&self) -> f64 {
        match self.processes {
            0 | 1 => 0.0,
            _ => runs(self.rate()),
        }
    }

    /// The variance of the rate and its degrees of freedom: over runs, where there are several processes. `None`
    /// where the clusters do not say. Above zero.
    pub fn variance(&self) -> Option<(f64, f64)> {
        let spread = self.rate() * (1.0 - self.rate());
        // Clusters that agree better than chance do not make more instances than a hundredfold.
        let within = self.design_effect?.max(0.01) * spread / self.instances as f64;
        let between = (self.between_runs() * spread).powi(2);
        // What is assumed of runs has no degrees to lose (Satterthwaite's rule for a sum of variances).
        let both = within + between;
        Some((both, (self.degrees * (both / within).powi(2)).min(1e6)))
    }

    /// The two-sided interval for the rate. Where the clusters do not say how much they scatter, it is
    /// the one of independent instances.
    pub fn interval(&self, confidence: Confidence) -> Interval {
        let Some((variance, degrees)) = self.variance() else {
            return clopper_pearson(self.count, self.instances, confidence);
        };
        let wider = widening(degrees, confidence);
        let effective = self.rate() * (1.0 - self.rate()) / (variance * wider * wider);
        let mut interval = fractional(self.rate(), effective, confidence);
        if self.clusters() < ENOUGH && self.clusters() > 1 {
            interval.low *= (confidence.alpha() / 2.0).powf(1.0 / self.clusters() as f64);
        }
        interval
    }

    /// How much wider an interval is because the variance is estimated from clusters: Student's t over the
    /// normal distribution, at least 1.
    pub fn widening(&self, confidence: Confidence) -> f64 {
        widening(self.degrees, confidence)
    }
}

fn widening(degrees: f64, confidence: Confidence) -> f64 {
    let tail = 1.0 - confidence.alpha() / 2.0;
    StudentsT::new(0.0, 1.0, degrees).map_or(1.0, |t| {
        t.inverse_cdf(tail) / Normal::standard().inverse_cdf(tail)
    })
}

/// Clopper and Pearson's interval where count and instances need not be whole: between those of the next
/// whole counts.
fn fractional(rate: f64, instances: f64, confidence: Confidence) -> Interval {
    if instances < 1.0 {
        return Interval::ANY;
    }
    let whole = instances.round().max(1.0);
    let count = rate * whole;
    let below = count.floor();
    let part = count - below;
    let (below, whole) = (below as u64, whole as u64);
    let first = clopper_pearson(below, whole, confidence);
    if part == 0.0 || below >= whole {
        return first;
    }
    let next = clopper_pearson(below + 1, whole, confidence);
    Interval {
        low: (first.low + part * (next.low - first.low)).min(rate),
        high: (first.high + part * (next.high - first.high)).max(rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(counts: &[u64], instances: u64) -> Vec<Cluster> {
        let cluster = |count: &u64| Cluster {
            process: 0,
            count: *count,
            instances,
        };
        counts.iter().map(cluster).collect()
    }

    #[test]
    fn launches_that_agree_say_more_than_launches_that_do_not() {
        let calm = Clustered::of(&clusters(&[50, 52, 48, 51, 49, 50, 47, 53], 1000));
        let wild = Clustered::of(&clusters(&[0, 100, 5, 95, 10, 90, 0, 100], 1000));
        assert_eq!((calm.count, wild.count), (400, 400));
        let independent = clopper_pearson(400, 8000, Confidence::P95);
        let (calm_is, wild_is) = (
            calm.interval(Confidence::P95),
            wild.interval(Confidence::P95),
        );
        assert!(wild_is.width() > 4.0 * independent.width(), "{wild_is:?}");
        assert!(calm_is.width() < wild_is.width() / 4.0, "{calm_is:?}");
        assert!(wild.is_overdispersed() && !calm.is_overdispersed());
        for interval in [calm_is, wild_is] {
            assert!(interval.contains(0.05), "{interval:?}");
        }
    }

    /// Eight launches of 1000 with 0 or 100: the residuals are 50, so the sum of squares is 8 · 2500 and
    /// the variance 8/7 · 20000 / 8000²; over 0.05 · 0.95 / 8000 that is 60.15.
    #[test]
    fn the_design_effect_is_the_ratio_of_variances() {
        let wild = Clustered::of(&clusters(&[0, 100, 0, 100, 0, 100, 0, 100], 1000));
        let effect = wild.design_effect.expect("two launches and more");
        assert!((effect - 60.150_375_9).abs() < 1e-6, "{effect}");
        // Residuals of one size have no kurtosis to spare: all degrees are left.
        assert!((wild.degrees - 7.0).abs() < 1e-9, "{}", wild.degrees);
    }

    #[test]
    fn launches_that_say_nothing_of_their_scatter_leave_the_binomial_interval() {
        for counts in [&[3u64][..], &[0, 0, 0], &[1000, 1000]] {
            let all = Clustered::of(&clusters(counts, 1000));
            let n = 1000 * counts.len() as u64;
            let k = counts.iter().sum();
            assert_eq!(all.design_effect, None);
            assert_eq!(
                all.interval(Confidence::P95),
                clopper_pearson(k, n, Confidence::P95)
            );
        }
        let none = Clustered::of(&[Cluster {
            process: 0,
            count: 0,
            instances: 0,
        }]);
        assert_eq!((none.rate(), none.launches, none.processes), (0.0, 0, 0));
    }

    #[test]
    fn one_launch_with_all_counts_leaves_few_degrees() {
        let mut counts = vec![0; 99];
        counts.push(1000);
        let all = Clustered::of(&clusters(&counts, 10_000));
        assert!(all.degrees < 3.0, "{}", all.degrees);
        assert!(all.interval(Confidence::P95).high > 0.003);
    }

    /// Two processes that differ, each of eight launches that agree: what is known is what two clusters say.
    #[test]
    fn processes_are_the_clusters_where_there_are_several() {
        let of = |process: fn(u32) -> u32| {
            let launch = |at: u32| Cluster {
                process: process(at),
                count: if at < 8 { 100 } else { 300 } + u64::from(at % 3),
                instances: 1000,
            };
            Clustered::of(&(0..16).map(launch).collect::<Vec<_>>())
        };
        let (one, two) = (of(|_| 0), of(|at| at / 8));
        assert_eq!((one.processes, two.processes, two.showing), (1, 2, 2));
        assert_eq!((one.clusters(), two.clusters()), (16, 2));
        assert_eq!(two.degrees, 1.0);
        let (one, two) = (one.interval(Confidence::P95), two.interval(Confidence::P95));
        assert!(one.width() < 0.15 && two.width() > 0.8, "{one:?} {two:?}");
        // Two processes that agree by chance do not hide that their launches scatter.
        let mixed = of(|at| at % 2);
        assert!(mixed.interval(Confidence::P95).width() >= one.width());
    }

    /// Three values with correlations a and a²: the variance of their mean is (3 + 4a + 2a²)/9 of that of one,
    /// and what they scatter is 1 - (2a + a²)/3 of it, a third of which is taken for it.
    #[test]
    fn neighbours_say_less_than_strangers() {
        let a = NEIGHBOURS;
        let exact = (3.0 + 4.0 * a + 2.0 * a * a) / 9.0 / ((1.0 - (2.0 * a + a * a) / 3.0) / 3.0);
        assert!((moments(3) - exact).abs() < 1e-12, "{} {exact}", moments(3));
        let limit = (1.0 + a) / (1.0 - a);
        assert!((moments(100_000) - limit).abs() < 1e-3);
    }

    proptest::proptest! {
        #[test]
        fn the_interval_holds_the_rate(counts in proptest::collection::vec((0u64..=50, 1u64..=5000), 1..40)) {
            let clusters: Vec<Cluster> = counts
                .iter()
                .enumerate()
                .map(|(at, (count, instances))| Cluster {
                    process: at as u32 % 3,
                    count: *count.min(instances),
                    instances: *instances,
                })
                .collect();
            let all = Clustered::of(&clusters);
            let interval = all.interval(Confidence::P95);
            proptest::prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
            proptest::prop_assert!(interval.contains(all.rate()), "{interval:?} {}", all.rate());
        }
    }
}
