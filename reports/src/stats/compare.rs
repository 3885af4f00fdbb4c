//! Whether an outcome is as frequent in one run as in another.
//!
//! Three tests, of which the least sure answer counts:
//!
//! - R. A. Fisher's exact test ("The Design of Experiments", 1935) on counts and instances divided by the
//!   design effects, as J. N. K. Rao and A. J. Scott do before tests for independent counts ("A Simple
//!   Method for the Analysis of Clustered Binary Data", Biometrics 48, 1992). It holds for rare outcomes,
//!   where the next does not.
//! - B. L. Welch's t test ("The Generalization of 'Student's' Problem when Several Different Population Variances
//!   are Involved", Biometrika 34, 1947) on the difference of the logarithms of the odds, with variances and degrees
//!   of freedom from the processes and what runs differ by anyway ([`super::cluster`]), which is a guess with few
//!   degrees of freedom itself. It knows that few processes say little about their own scatter, where the first does not.
//! - Where one run never saw the outcome, Fisher's test of how many processes show it.
//!
//! What one process shows says nothing of the next: a run of a single process differs from no other.
//!
//! Many outcomes compared at once find some difference by chance. [`adjusted`] keeps the expected share of
//! false ones among those that are reported (the false discovery rate) below what is asked, whatever the
//! outcomes have to do with each other (Y. Benjamini and D. Yekutieli, "The Control of the False Discovery
//! Rate in Multiple Testing under Dependency", Annals of Statistics 29, 2001): outcomes of one test do have
//! to do with each other, since their rates add up to one.
//!
//! The size of a difference is reported as the ratio and the difference of the rates, each with an interval
//! made of those of the two rates (G. Y. Zou and A. Donner, "Construction of Confidence Limits About Effect
//! Measures: A General Approach", Statistics in Medicine 27, 2008; for the ratio, A. Donner and G. Y. Zou,
//! "Closed-form Confidence Intervals for Functions of the Normal Mean and Standard Deviation", Statistical
//! Methods in Medical Research 21, 2012).
//!
//! Assumptions: the processes of each run are alike; the runs are independent.

use super::binomial::ln_point;
use super::cluster::{Cluster, Clustered};
use super::{Confidence, Interval};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// What two runs say about one outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The first run.
    pub first: Clustered,
    /// The second run.
    pub second: Clustered,
    /// Probability of rates at least this different if the outcome is as frequent in both.
    pub p_value: f64,
    /// Rate of the second minus that of the first, with its interval.
    pub difference: (f64, Interval),
    /// Rate of the second over that of the first, with its interval; `None` where the first never saw the
    /// outcome. The upper end is infinite where the first rate may be zero.
    pub ratio: Option<(f64, Interval)>,
}

/// Compares an outcome's launches in two runs.
pub fn compare(first: &[Cluster], second: &[Cluster], confidence: Confidence) -> Comparison {
    let (a, b) = (Clustered::of(first), Clustered::of(second));
    let (pa, pb) = (a.rate(), b.rate());
    let (ia, ib) = (a.interval(confidence), b.interval(confidence));
    let difference = pb - pa;
    let low = difference - (pb - ib.low).hypot(ia.high - pa);
    let high = difference + (ib.high - pb).hypot(pa - ia.low);
    let one = |c: &Clustered| c.processes < 2;
    let p_value = if a.instances == 0 || b.instances == 0 || one(&a) || one(&b) {
        1.0
    } else {
        exact(&a, &b).max(welch(&a, &b)).max(showing(&a, &b))
    };
    Comparison {
        first: a,
        second: b,
        p_value,
        difference: (
            difference,
            Interval {
                low: low.max(-1.0),
                high: high.min(1.0),
            },
        ),
        ratio: (a.count > 0).then(|| (pb / pa, ratio((pb, ib), (pa, ia)))),
    }
}

/// The interval of a ratio from those of its parts, by MOVER.
fn ratio((over, of): (f64, Interval), (under, by): (f64, Interval)) -> Interval {
    let product = over * under;
    let low_root =
        product * product - of.low * by.high * (2.0 * over - of.low) * (2.0 * under - by.high);
    let high_root =
        product * product - of.high * by.low * (2.0 * over - of.high) * (2.0 * under - by.low);
    let low_under = by.high * (2.0 * under - by.high);
    let high_under = by.low * (2.0 * under - by.low);
    let plain = over / under;
    let low = (product - low_root.max(0.0).sqrt()) / low_under;
    let high = (product + high_root.max(0.0).sqrt()) / high_under;
    Interval {
        // Where the rate below may be twice what was seen, the formula has no low end.
        low: if low_under > 0.0 {
            low.clamp(0.0, plain)
        } else {
            0.0
        },
        high: if high_under > 0.0 {
            high.max(plain)
        } else {
            f64::INFINITY
        },
    }
}

/// Fisher's exact test of what the launches are worth in independent instances. Where one run never saw the outcome,
/// the other may have met a moment at which it was more frequent: by how much, and how seldom that happens, is
/// weighed at several sizes.
fn exact(a: &Clustered, b: &Clustered) -> f64 {
    // Where one run does not say how its instances are correlated, the other's word counts for both.
    let either = a.design_effect.or(b.design_effect);
    let at = |less: f64| {
        let worth = |c: &Clustered| {
            let effect = c.design_effect.or(either).unwrap_or(1.0).max(1.0);
            let instances = (c.instances as f64 / effect).max(1.0).round();
            let rate = c.rate() * less;
            ((rate * instances).round(), instances)
        };
        let ((ka, na), (kb, nb)) = (worth(a), worth(b));
        fisher(ka, na, kb, nb)
    };
    if a.count > 0 && b.count > 0 {
        return at(1.0);
    }
    let seen = if a.count > 0 { a } else { b };
    let runs = f64::sqrt(2.0) * seen.between_runs();
    let with = |deviations: u32| {
        let deviations = f64::from(deviations);
        2.0 * Normal::standard().sf(deviations) + at((-deviations * runs).exp())
    };
    (1..=8).map(with).fold(1.0, f64::min)
}

/// Where one run never saw the outcome, Fisher's exact test of the processes that show it: an outcome of which
/// a process shows much or nothing is no surprise where two of three show nothing. 0 (no objection) where both
/// saw it.
fn showing(a: &Clustered, b: &Clustered) -> f64 {
    if a.count > 0 && b.count > 0 {
        return 0.0;
    }
    let table = |c: &Clustered| (c.showing as f64, c.processes as f64);
    let ((ka, na), (kb, nb)) = (table(a), table(b));
    fisher(ka, na, kb, nb)
}

/// How probable it is that a run of these launches shows an outcome nowhere, if it is as frequent and as
/// clustered as in the second: that none of its processes is one of those that show it (Laplace's rule of
/// succession for their share), or that those that are show it too seldom, whichever is more probable.
pub fn missing(first: &[Cluster], second: &[Cluster]) -> f64 {
    let (a, b) = (Clustered::of(first), Clustered::of(second));
    let without = 1.0 - (b.showing as f64 + 1.0) / (b.processes as f64 + 2.0);
    let expected = b.rate() * a.instances as f64;
    without.powf(a.processes as f64).max((-expected).exp())
}

/// The two-sided exact test: the probability, given the total, of tables at most as probable as the one
/// seen. Counts are whole.
fn fisher(ka: f64, na: f64, kb: f64, nb: f64) -> f64 {
    let total = ka + kb;
    let (lowest, highest) = ((total - nb).max(0.0), total.min(na));
    if lowest >= highest {
        return 1.0;
    }
    // The hypergeometric distribution as a product of three binomial ones, at the common rate.
    let rate = total / (na + nb);
    let point = |k: f64, n: f64| ln_point(k, n, rate, 1.0 - rate);
    let ln = |x: f64| point(x, na) + point(total - x, nb);
    let seen = ln(ka);
    let (mut all, mut rarer) = (0.0, 0.0);
    // Terms relative to the one at the mode; from there outward they fall.
    let mode = (total * na / (na + nb)).round().clamp(lowest, highest);
    let top = ln(mode);
    let mut add = |x: f64| {
        let term = ln(x);
        let weight = (term - top).exp();
        all += weight;
        // Tables as probable as the one seen count, up to rounding.
        if term <= seen + 1e-7 {
            rarer += weight;
        }
        weight > 1e-18
    };
    let mut x = mode;
    while x >= lowest && add(x) {
        x -= 1.0;
    }
    x = mode + 1.0;
    while x <= highest && add(x) {
        x += 1.0;
    }
    if rarer == 0.0 {
        // The one seen lies beyond what was added up: its own probability is a bound of the order.
        return (seen - top).exp().min(1.0);
    }
    (rarer / all).min(1.0)
}

/// How well it is known how far runs differ, in degrees of freedom: some outcomes scatter from run to run by several times
/// what most do. With so many, and the rates of some 370 outcomes, two of 120 pairs of recorded default runs of PoCL 3.1 are
/// said to differ and none of 120 others; with eight, 10 and 9; were it known for certain, 25 and 34.
const RUNS_DEGREES: f64 = 4.0;

/// Welch's t test of the logarithms of the odds; 0 (no objection) where the launches do not say how they scatter.
fn welch(a: &Clustered, b: &Clustered) -> f64 {
    let odds = |c: &Clustered| {
        let (variance, degrees) = c.variance()?;
        let spread = c.rate() * (1.0 - c.rate());
        let odds = c.rate() / (1.0 - c.rate());
        let variance = variance / (spread * spread);
        // Satterthwaite's share of each part of the variance.
        let runs = c.between_runs().powi(4) / RUNS_DEGREES;
        Some((odds.ln(), variance, variance * variance / degrees + runs))
    };
    let (Some((a, va, sa)), Some((b, vb, sb))) = (odds(a), odds(b)) else {
        return 0.0;
    };
    let both = va + vb;
    let degrees = both * both / (sa + sb);
    let t = (a - b) / both.sqrt();
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(0.0, |s| 2.0 * s.sf(t.abs()))
}

/// The p-values of many comparisons, each raised so that reporting those below q keeps the false discovery
/// rate below q; in the order given.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let m = p_values.len();
    // What it costs that the comparisons may depend on each other in any way.
    let price: f64 = (1..=m).map(|i| 1.0 / i as f64).sum();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|a, b| p_values[*b].total_cmp(&p_values[*a]));
    let mut out = vec![1.0; m];
    let mut least: f64 = 1.0;
    for (place, index) in order.into_iter().enumerate() {
        let rank = (m - place) as f64;
        least = least.min(p_values[index] * m as f64 * price / rank);
        out[index] = least;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launches(count: u64, times: usize) -> Vec<Cluster> {
        // Alternating around the count, so that launches scatter about as independent instances do.
        (0..times as u64)
            .map(|i| Cluster {
                process: i as u32,
                count: (count + (i % 2) * 10).saturating_sub(5 * (count >= 5) as u64),
                instances: 1000,
            })
            .collect()
    }

    /// The tea of Fisher's book: three of four against one of four, two-sided 0.4857.
    #[test]
    fn the_exact_test_gives_fishers_figures() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.max(1e-12);
        assert!(close(fisher(3.0, 4.0, 1.0, 4.0), 34.0 / 70.0));
        assert!(close(fisher(4.0, 4.0, 0.0, 4.0), 2.0 / 70.0));
        assert!(close(fisher(2.0, 4.0, 2.0, 4.0), 1.0));
        assert_eq!(fisher(0.0, 10.0, 0.0, 20.0), 1.0);
        // 10 of 10^9 against none of 10^9: both tails are 2^-10.
        let rare = fisher(10.0, 1e9, 0.0, 1e9);
        assert!((rare / 2f64.powi(-9) - 1.0).abs() < 1e-6, "{rare}");
    }

    #[test]
    fn equal_rates_do_not_differ_and_unequal_ones_do() {
        let same = compare(&launches(50, 20), &launches(50, 20), Confidence::P95);
        assert!(same.p_value > 0.9, "{same:?}");
        assert!(same.difference.1.contains(0.0));
        let (ratio, interval) = same.ratio.expect("it was seen");
        assert!(
            ratio == 1.0 && interval.contains(1.0) && interval.high < 1.6,
            "{interval:?}"
        );
        let other = compare(&launches(50, 20), &launches(150, 20), Confidence::P95);
        assert!(other.p_value < 1e-3, "{other:?}");
        let (ratio, interval) = other.ratio.expect("it was seen");
        assert!(
            (ratio - 3.0).abs() < 1e-9 && interval.low > 2.0 && interval.high < 4.5,
            "{interval:?}"
        );
        // The next run of the same may show a fifth more.
        let near = compare(&launches(50, 20), &launches(60, 20), Confidence::P95);
        assert!(near.p_value > 0.1, "{near:?}");
    }

    #[test]
    fn an_outcome_that_appears_is_a_difference_once_there_is_enough_of_it() {
        let none = launches(0, 0);
        assert_eq!(compare(&none, &none, Confidence::P95).p_value, 1.0);
        let never: Vec<Cluster> = launches(0, 50)
            .iter()
            .map(|c| Cluster { count: 0, ..*c })
            .collect();
        let mut once = never.clone();
        once[7].count = 1;
        assert!(compare(&never, &once, Confidence::P95).p_value > 0.5);
        let often: Vec<Cluster> = never.iter().map(|c| Cluster { count: 2, ..*c }).collect();
        let seen = compare(&never, &often, Confidence::P95);
        assert!(seen.p_value < 0.02 && seen.ratio.is_none(), "{seen:?}");
        // The same hundred, all in one launch, say nothing about the next launch.
        let mut burst = never.clone();
        burst[7].count = 100;
        assert!(compare(&never, &burst, Confidence::P95).p_value > 0.2);
    }

    #[test]
    fn what_few_processes_show_is_easily_missed() {
        let of = |processes: u32, showing: u32| -> Vec<Cluster> {
            let cluster = |process| Cluster {
                process,
                count: if process < showing { 1000 } else { 0 },
                instances: 100_000,
            };
            (0..processes).map(cluster).collect()
        };
        let everywhere = missing(&of(8, 0), &of(8, 8));
        assert!(everywhere < 1e-6, "{everywhere}");
        // One of eight: two tenths by Laplace's rule, so eight miss it in 0.8^8 of the cases.
        let rare = missing(&of(8, 0), &of(8, 1));
        assert!(rare >= 0.8f64.powi(8) - 1e-12 && rare < 0.6, "{rare}");
        assert!(missing(&of(1, 0), &of(8, 1)) >= 0.8);
    }

    /// Benjamini and Yekutieli by hand: m = 4, the price is 25/12.
    #[test]
    fn many_comparisons_pay_for_being_many() {
        let q = adjusted(&[0.01, 0.04, 0.03, 0.005]);
        let price = 25.0 / 12.0;
        let expected = [0.02 * price, 0.04 * price, 0.04 * price, 0.02 * price];
        for (q, expected) in q.iter().zip(expected) {
            assert!((q - expected).abs() < 1e-12, "{q} {expected}");
        }
        assert!(adjusted(&[]).is_empty());
        assert_eq!(adjusted(&[0.9, 1.0]), [1.0, 1.0]);
    }
}
