//! A rate and its interval when instances come in launches.
//!
//! Instances of one launch share caches, clock and load, so their outcomes are correlated: a count of many
//! launches scatters more than that of as many independent instances. How much more is the *design
//! effect*, the variance of the rate over what it would be for independent instances (L. Kish, "Survey
//! Sampling", 1965), estimated from the launches by the linearized variance of a ratio (W. G. Cochran,
//! "Sampling Techniques", 1977, 6.3).
//!
//! The interval is Clopper and Pearson's for the *effective* count and number of instances (E. L. Korn
//! and B. I. Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive
//! Counts Estimated From Survey Data", Survey Methodology 24, 1998): instances are divided by the design
//! effect, and by the square of how much Student's t is wider than the normal distribution. Its degrees
//! of freedom are what the launches' residuals have to say about their variance, by their kurtosis (F. E.
//! Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics 2, 1946):
//! a few launches with nearly all of the counts are worth few degrees.
//!
//! Assumptions: launches are independent of each other and alike. Outcomes within a launch may depend on
//! each other in any way. A drift of the rate over time breaks the first; [`super::stationarity`] looks
//! for it.

use super::{Confidence, Interval, clopper_pearson};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal, StudentsT};

/// One launch: of so many instances, how many ended in the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
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
    pub clusters: usize,
    /// How much larger the variance of the rate is than for independent instances; `None` where the
    /// launches do not say: fewer than two, or an outcome that was never or always seen.
    pub design_effect: Option<f64>,
    /// Degrees of freedom of the variance, at least 1.
    pub degrees: f64,
    /// Probability of a scatter between launches at least this large if instances were independent
    /// (Pearson's index of dispersion against chi-squared); 1 where the launches do not say.
    pub independent: f64,
}

impl Clustered {
    /// What these launches say. Launches without instances are left out.
    pub fn of(clusters: &[Cluster]) -> Clustered {
        let used = || clusters.iter().filter(|c| c.instances > 0);
        let count = used().fold(0u64, |n, c| n.saturating_add(c.count.min(c.instances)));
        let instances = used().fold(0u64, |n, c| n.saturating_add(c.instances));
        let m = used().count();
        let mut all = Clustered {
            count,
            instances,
            clusters: m,
            design_effect: None,
            degrees: 1.0,
            independent: 1.0,
        };
        if m < 2 || count == 0 || count == instances {
            return all;
        }
        let (launches, total) = (m as f64, instances as f64);
        let rate = count as f64 / total;
        let (mut squares, mut fourths, mut pearson) = (0.0, 0.0, 0.0);
        for c in used() {
            let size = c.instances as f64;
            let residual = c.count.min(c.instances) as f64 - rate * size;
            let square = residual * residual;
            squares += square;
            fourths += square * square;
            pearson += square / (size * rate * (1.0 - rate));
        }
        let variance = launches / (launches - 1.0) * squares / (total * total);
        all.design_effect = Some(variance / (rate * (1.0 - rate) / total));
        if squares > 0.0 {
            // The variance of a mean of squares against its square, matched to chi-squared over its degrees.
            let kurtosis = fourths / launches / (squares / launches).powi(2);
            let degrees = 2.0 * launches / ((kurtosis - 1.0).max(0.0) + 2.0 / (launches - 1.0));
            all.degrees = degrees.clamp(1.0, launches - 1.0);
        }
        if let Ok(chi) = ChiSquared::new(launches - 1.0) {
            all.independent = chi.sf(pearson);
        }
        all
    }

    /// The rate; 0 where there are no instances.
    pub fn rate(&self) -> f64 {
        if self.instances == 0 {
            return 0.0;
        }
        self.count as f64 / self.instances as f64
    }

    /// Whether the launches scatter more than independent instances would, beyond doubt: by 20 % at
    /// least, and such a scatter would occur by chance less than once in a thousand times.
    pub fn is_overdispersed(&self) -> bool {
        self.design_effect.is_some_and(|d| d > 1.2) && self.independent < 1e-3
    }

    /// The two-sided interval for the rate. Where the launches do not say how much they scatter, it is
    /// the one of independent instances.
    pub fn interval(&self, confidence: Confidence) -> Interval {
        let Some(effect) = self.design_effect else {
            return clopper_pearson(self.count, self.instances, confidence);
        };
        let wider = self.widening(confidence);
        // Launches that agree better than chance do not make more instances than a hundredfold.
        let effective = self.instances as f64 / (effect.max(0.01) * wider * wider);
        fractional(self.rate(), effective, confidence)
    }

    /// How much wider an interval is because the variance is estimated from launches: Student's t over the
    /// normal distribution, at least 1.
    pub fn widening(&self, confidence: Confidence) -> f64 {
        let tail = 1.0 - confidence.alpha() / 2.0;
        StudentsT::new(0.0, 1.0, self.degrees).map_or(1.0, |t| {
            t.inverse_cdf(tail) / Normal::standard().inverse_cdf(tail)
        })
    }
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
            count: 0,
            instances: 0,
        }]);
        assert_eq!((none.rate(), none.clusters), (0.0, 0));
    }

    #[test]
    fn one_launch_with_all_counts_leaves_few_degrees() {
        let mut counts = vec![0; 99];
        counts.push(1000);
        let all = Clustered::of(&clusters(&counts, 10_000));
        assert!(all.degrees < 3.0, "{}", all.degrees);
        assert!(all.interval(Confidence::P95).high > 0.003);
    }

    proptest::proptest! {
        #[test]
        fn the_interval_holds_the_rate(counts in proptest::collection::vec((0u64..=50, 1u64..=5000), 1..40)) {
            let clusters: Vec<Cluster> = counts
                .iter()
                .map(|(count, instances)| Cluster { count: *count.min(instances), instances: *instances })
                .collect();
            let all = Clustered::of(&clusters);
            let interval = all.interval(Confidence::P95);
            proptest::prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
            proptest::prop_assert!(interval.contains(all.rate()), "{interval:?} {}", all.rate());
        }
    }
}
