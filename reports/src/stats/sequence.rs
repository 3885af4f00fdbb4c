//! Intervals that hold at all times at once, so that a run may stop when it has seen enough.
//!
//! An interval for a fixed number of instances misses the rate with probability alpha; one that is
//! computed again after each launch, to stop when it is narrow, misses it more often. A *confidence
//! sequence* is a series of intervals that all hold the rate together, with probability 1 - alpha, so that
//! stopping at any of them, for any reason, costs nothing.
//!
//! - Independent instances: H. Robbins, "Statistical Methods Related to the Law of the Iterated
//!   Logarithm", Annals of Mathematical Statistics 41 (1970): the likelihood, mixed over rates with
//!   weights Beta(1/2, 1/2), over the likelihood of a rate is a martingale if that rate is the true one,
//!   and by Ville's inequality exceeds 1/alpha at any time with probability alpha at most. Exact.
//! - Launches: the same for sums of anything with a variance, in the limit of many launches (I.
//!   Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas, "Time-uniform central limit theory
//!   and asymptotic confidence sequences", Annals of Statistics 52, 2024).
//!
//! The second is widened by Student's t over the normal distribution, as the interval of a run of fixed
//! length is. [`always`] is the wider of both, on each side. Assumption: launches are independent of each other and
//! alike. The second needs launches by the tens; the calibration (`cargo run --release -p classay-reports
//! --example calibrate`) shows what that is worth.

use super::binomial::{deviance, stirling_error};
use super::cluster::Clustered;
use super::{Confidence, Interval};
use std::f64::consts::{LN_2, PI};

/// The number of launches at which the sequence for launches is narrowest for its time.
const NARROWEST: f64 = 100.0;

/// Launches, at least, before anything is claimed of an outcome that was seen: fewer do not tell their
/// scatter.
const FEWEST: usize = 30;

/// The interval of independent instances that holds the rate at all times; all of [0, 1] where `n` is 0.
/// A `k` above `n` counts as `n`.
pub fn always_independent(k: u64, n: u64, confidence: Confidence) -> Interval {
    let k = k.min(n);
    if n == 0 {
        return Interval::ANY;
    }
    if k > n - k {
        let Interval { low, high } = always_independent(n - k, n, confidence);
        return Interval {
            low: 1.0 - high,
            high: 1.0 - low,
        };
    }
    let (count, rest, all) = (k as f64, (n - k) as f64, n as f64);
    // ln of the mixture over the likelihood at the observed rate; a rate p is kept while its deviance
    // from the observed one is below ln(1/alpha) plus that much.
    let mixture =
        -0.5 * (PI * all / 2.0).ln() + half_error(count) + half_error(rest) - stirling_error(all);
    let allowance = -confidence.alpha().ln() - mixture;
    let rate = count / all;
    let kept = |p: f64| {
        let q = 1.0 - p;
        let of_count = if k == 0 {
            all * p
        } else {
            deviance(count, all * p)
        };
        // For k = 0 the deviance is n (-ln q); written as the sum of the two parts it is the same.
        of_count + deviance(rest, all * q) <= allowance
    };
    Interval {
        low: if k == 0 { 0.0 } else { edge(rate, 0.0, kept) },
        high: edge(rate, 1.0, kept),
    }
}

/// ln Gamma(k + 1/2) minus `ln(sqrt(2 pi)) + k ln k - k`, its first terms.
fn half_error(k: f64) -> f64 {
    if k == 0.0 {
        return -0.5 * LN_2;
    }
    if k < 16.0 {
        // Gamma(k + 1/2) = sqrt(pi) (1/2) (3/2) … (k - 1/2).
        let product: f64 = (0..k as u32).map(|i| f64::from(i) + 0.5).product();
        return 0.5 * PI.ln() + product.ln() - 0.5 * (2.0 * PI).ln() - k * k.ln() + k;
    }
    let kk = k * k;
    // The next term is 31/(40320 k^5), below 1e-9 from k = 16 on.
    (-1.0 / 24.0 + 7.0 / (2880.0 * kk)) / k
}

/// The point between `inside`, where `kept` holds, and `outside` from which on it does not hold.
fn edge(inside: f64, outside: f64, kept: impl Fn(f64) -> bool) -> f64 {
    let (mut inside, mut outside) = (inside, outside);
    // Near 0 the ends are looked for among the logarithms.
    for _ in 0..200 {
        let between = if inside > 0.0 && outside > 0.0 {
            (inside * outside).sqrt()
        } else if outside == 0.0 {
            inside / 1024.0
        } else {
            outside / 1024.0
        };
        let between = if between == inside || between == outside {
            break;
        } else {
            between
        };
        if kept(between) {
            inside = between;
        } else {
            outside = between;
        }
        if (inside - outside).abs() <= 1e-12 * inside.max(outside) {
            break;
        }
    }
    outside
}

/// The interval that holds the rate at all times, for instances that come in clusters; all of [0, 1] before
/// the 30th cluster of an outcome that was seen. One that was never or always seen is taken to cluster as the
/// others of the same launches do, or, where they do not say how, as much as can be: one cluster is worth one
/// instance then.
pub fn always(
    all: &Clustered,
    others: impl IntoIterator<Item = Clustered>,
    confidence: Confidence,
) -> Interval {
    let Some(effect) = all.design_effect else {
        let others = others.into_iter().filter_map(|o| o.effective(confidence));
        let worth = others.min_by(f64::total_cmp);
        let worth = worth.unwrap_or(all.clusters() as f64) as u64;
        let count = if all.count == 0 { 0 } else { worth };
        return always_independent(count, worth, confidence);
    };
    let exact = always_independent(all.count, all.instances, confidence);
    if all.clusters() < FEWEST {
        return Interval::ANY;
    }
    let rate = all.rate();
    let launches = all.clusters() as f64;
    // The variance of one launch's share, from that of the rate.
    let variance = effect * rate * (1.0 - rate) / all.instances as f64 * launches;
    let alpha = confidence.alpha();
    let chosen = (-2.0 * alpha.ln() + (-2.0 * alpha.ln()).ln() + 1.0) / NARROWEST;
    let grown = launches * chosen + 1.0;
    let known =
        variance * 2.0 * grown / (launches * launches * chosen) * (grown.sqrt() / alpha).ln();
    // The variance is an estimate, from few launches a poor one.
    let half = known.sqrt() * all.widening(confidence);
    Interval {
        low: exact.low.min((rate - half).max(0.0)),
        // Rates scatter by factors rather than by amounts: few launches with many counts are what is not
        // seen for a long time.
        high: exact.high.max((rate * (half / rate).exp()).min(1.0)),
    }
}

/// When a run may stop.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stop {
    /// The interval's half width over the rate, at most.
    pub relative_half_width: Option<f64>,
    /// The interval's upper end, at most: enough has been run to say that the rate is below this.
    pub upper_bound: Option<f64>,
    /// Instances, at least.
    pub instances: Option<u64>,
}

/// Why a run may stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The interval is narrow enough.
    Narrow,
    /// The rate is below the bound.
    Bounded,
    /// The budget is spent.
    Spent,
}

impl Stop {
    /// Whether to stop after these launches, of an outcome and of the others, and why. The interval that it looks at is [`always`], so the
    /// claim of the last one holds although the data said when to stop.
    pub fn at(
        &self,
        all: &Clustered,
        others: impl IntoIterator<Item = Clustered>,
        confidence: Confidence,
    ) -> Option<Stopped> {
        let interval = always(all, others, confidence);
        let narrow = |wanted: f64| {
            all.clusters() >= FEWEST
                && all.count > 0
                && (interval.high - interval.low) / 2.0 <= wanted * all.rate()
        };
        if self.relative_half_width.is_some_and(narrow) {
            return Some(Stopped::Narrow);
        }
        if self.upper_bound.is_some_and(|bound| interval.high <= bound) {
            return Some(Stopped::Bounded);
        }
        let spent = |budget: u64| all.instances >= budget;
        self.instances.is_some_and(spent).then_some(Stopped::Spent)
    }
}

#[cfg(test)]
mod tests {
    use super::super::clopper_pearson;
    use super::super::cluster::Cluster;
    use super::*;

    /// The mixture over the likelihood, by its gamma functions.
    fn ln_mixture(k: f64, n: f64, p: f64) -> f64 {
        use statrs::function::gamma::ln_gamma;
        let beta = |a: f64, b: f64| ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
        let weights = beta(k + 0.5, n - k + 0.5) - beta(0.5, 0.5);
        weights - k * p.ln() - (n - k) * (-p).ln_1p()
    }

    #[test]
    fn the_ends_are_where_the_mixture_is_twenty_times_the_likelihood() {
        let wanted = 20f64.ln();
        for (k, n) in [
            (0, 10),
            (1, 10),
            (3, 40),
            (20, 40),
            (17, 5_000),
            (400, 100_000),
        ] {
            let interval = always_independent(k, n, Confidence::P95);
            let (k, n) = (k as f64, n as f64);
            let high = ln_mixture(k, n, interval.high);
            assert!(
                (high - wanted).abs() < 1e-6,
                "{k} of {n}: {interval:?} {high}"
            );
            if k > 0.0 {
                let low = ln_mixture(k, n, interval.low);
                assert!(
                    (low - wanted).abs() < 1e-6,
                    "{k} of {n}: {interval:?} {low}"
                );
            } else {
                assert_eq!(interval.low, 0.0);
            }
        }
    }

    #[test]
    fn it_is_wider_than_the_interval_of_a_fixed_run_and_mirrors() {
        for (k, n) in [
            (0u64, 100u64),
            (7, 100),
            (50, 100),
            (1_000, 1_000_000_000_000),
        ] {
            let always = always_independent(k, n, Confidence::P95);
            let fixed = clopper_pearson(k, n, Confidence::P95);
            assert!(
                always.low <= fixed.low && fixed.high <= always.high,
                "{k} of {n}"
            );
            assert!(always.high < 6.0 * fixed.high, "{k} of {n}: {always:?}");
            let mirrored = always_independent(n - k, n, Confidence::P95);
            assert!((mirrored.low - (1.0 - always.high)).abs() < 1e-9);
        }
        let nothing = always_independent(0, 0, Confidence::P95);
        assert_eq!((nothing.low, nothing.high), (0.0, 1.0));
    }

    #[test]
    fn a_run_stops_for_the_reason_that_comes_first() {
        let launches = |count, times| {
            vec![
                Cluster {
                    process: 0,
                    count,
                    instances: 1_000
                };
                times
            ]
        };
        let stop = Stop {
            relative_half_width: Some(0.1),
            upper_bound: Some(1e-3),
            instances: Some(200_000),
        };
        // Another outcome, whose launches scatter as independent instances do.
        let other = |at: u64| Cluster {
            process: 0,
            count: 500 + 20 * (at % 2),
            instances: 1_000,
        };
        let at = |clusters: &[Cluster]| {
            let others: Vec<Cluster> = (0..clusters.len() as u64).map(other).collect();
            stop.at(
                &Clustered::of(clusters),
                [Clustered::of(&others)],
                Confidence::P95,
            )
        };
        assert_eq!(at(&[]), None);
        assert_eq!(
            at(&launches(300, 5)),
            None,
            "too few launches to know their scatter"
        );
        assert_eq!(at(&launches(300, 40)), Some(Stopped::Narrow));
        assert_eq!(at(&launches(0, 3)), None);
        assert_eq!(at(&launches(0, 30)), Some(Stopped::Bounded));
        assert_eq!(
            at(&launches(2, 100)),
            None,
            "neither narrow nor below the bound"
        );
        let mut rare = launches(2, 199);
        assert_eq!(at(&rare), None);
        rare.extend(launches(2, 1));
        assert_eq!(at(&rare), Some(Stopped::Spent));
    }
}
