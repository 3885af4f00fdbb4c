//! The exact interval for a rate.
//!
//! C. J. Clopper and E. S. Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the
//! Case of the Binomial", Biometrika 26 (1934). The lower end is the rate at which `k` or more of
//! `n` has probability alpha/2, the upper end the rate at which `k` or fewer has; so whatever the
//! true rate, an interval misses it with probability alpha at most. It is wider than it had to be
//! for small counts (L. D. Brown, T. T. Cai and A. DasGupta, "Interval Estimation for a Binomial
//! Proportion", Statistical Science 16, 2001), which is the side to err on.
//!
//! Assumptions: independent instances with one rate. Instances of one launch are not independent:
//! a cluster-robust interval starts from the counts of the launches, and is wider.

use super::binomial::{lower_tail, upper_tail};
use super::{Confidence, Interval};
use statrs::function::erf::erfc_inv;

/// The two-sided interval for the rate behind `k` of `n`; all of [0, 1] where `n` is 0. A `k`
/// above `n` counts as `n`. Cost: it grows with the square root of `n`;
/// below a millisecond to 10^8, some 40 ms at 10^12.
pub fn clopper_pearson(k: u64, n: u64, confidence: Confidence) -> Interval {
    let k = k.min(n);
    if n == 0 {
        return Interval::ANY;
    }
    let ln_half_alpha = (confidence.alpha() / 2.0).ln();
    if k > n - k {
        // Rates near 1 lose digits that rates near 0 keep: count the other outcomes instead.
        let Interval { low, high } = at_most_half(n - k, n, ln_half_alpha);
        return Interval {
            low: 1.0 - high,
            high: 1.0 - low,
        };
    }
    at_most_half(k, n, ln_half_alpha)
}

/// The interval for `k <= n - k`, `n > 0`.
fn at_most_half(k: u64, n: u64, ln_half_alpha: f64) -> Interval {
    if k == 0 {
        // (1-p)^n = alpha/2, solved.
        return Interval {
            low: 0.0,
            high: -(ln_half_alpha / n as f64).exp_m1(),
        };
    }
    let rate = k as f64 / n as f64;
    let (near_low, near_high) = score_interval(rate, n as f64, ln_half_alpha);
    Interval {
        low: solve(0.0, rate, near_low, |p| {
            let tail = upper_tail(k, n, p);
            (tail.ln - ln_half_alpha, tail.slope)
        }),
        high: solve(rate, 1.0, near_high, |p| {
            let tail = lower_tail(k, n, p);
            (tail.ln - ln_half_alpha, -tail.slope)
        }),
    }
}

/// A first guess of both ends: E. B. Wilson, "Probable Inference, the Law of Succession, and
/// Statistical Inference", JASA 22 (1927).
fn score_interval(rate: f64, n: f64, ln_half_alpha: f64) -> (f64, f64) {
    let z = std::f64::consts::SQRT_2 * erfc_inv(2.0 * ln_half_alpha.exp());
    let zz = z * z / n;
    let centre = (rate + zz / 2.0) / (1.0 + zz);
    let half = z * (rate * (1.0 - rate) / n + zz / (4.0 * n)).sqrt() / (1.0 + zz);
    (centre - half, centre + half)
}

/// The root of `f` between `low` and `high`, where `f` gives its value and its derivative by
/// ln(p): Newton's method on ln(p), halving the bracket where a step would leave it.
fn solve(mut low: f64, mut high: f64, guess: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut p = guess;
    // Newton's method takes a handful of steps; halving alone would need some 60 (1100 from 0).
    for _ in 0..1200 {
        if !(low < p && p < high) {
            p = low + (high - low) / 2.0;
            if !(low < p && p < high) {
                break;
            }
        }
        let (value, slope) = f(p);
        // The sign of the slope says on which side the root lies.
        if (value > 0.0) == (slope > 0.0) {
            high = p;
        } else {
            low = p;
        }
        let next = p * (-value / slope).exp();
        if (next - p).abs() <= 4.0 * f64::EPSILON * p {
            return p;
        }
        p = next;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at95(k: u64, n: u64) -> Interval {
        clopper_pearson(k, n, Confidence::P95)
    }

    fn close(got: f64, exact: f64, relative: f64) -> bool {
        (got - exact).abs() <= relative * exact.abs()
    }

    #[test]
    fn values_computed_elsewhere() {
        // Roots of the binomial tails, computed with 60 digits by another program.
        for (k, n, low, high) in KNOWN {
            let got = at95(k, n);
            // Beyond 10^9 the rate itself times n has no more digits than this.
            let relative = if n > 1_000_000_000 { 1e-10 } else { 1e-12 };
            assert!(
                close(got.low, low, relative),
                "{k} of {n}: low {} {low}",
                got.low
            );
            assert!(
                close(got.high, high, relative),
                "{k} of {n}: high {} {high}",
                got.high
            );
        }
    }

    #[test]
    fn closed_forms_at_the_ends() {
        for n in [1u64, 2, 10, 1000, 1_000_000_000_000] {
            let tail = 0.025f64.powf(1.0 / n as f64);
            let none = at95(0, n);
            assert_eq!(none.low, 0.0);
            assert!((none.high - (1.0 - tail)).abs() < 1e-15);
            let all = at95(n, n);
            assert_eq!(all.high, 1.0);
            assert!((all.low - tail).abs() < 1e-15);
        }
        assert_eq!(
            at95(0, 0),
            Interval {
                low: 0.0,
                high: 1.0
            }
        );
        assert_eq!(at95(9, 4), at95(4, 4));
    }

    #[test]
    fn covers_at_least_as_often_as_it_says() {
        // The true coverage at a rate: the exact probability of all k whose interval holds it.
        for n in [1u64, 2, 5, 12, 30] {
            for level in [0.5, 0.8, 0.95, 0.99] {
                let confidence = Confidence::new(level).unwrap();
                let intervals: Vec<_> =
                    (0..=n).map(|k| clopper_pearson(k, n, confidence)).collect();
                for step in 1..200 {
                    let p = f64::from(step) / 200.0;
                    let mut point = (1.0 - p).powi(n as i32);
                    let mut coverage = 0.0;
                    for (k, interval) in intervals.iter().enumerate() {
                        if interval.contains(p) {
                            coverage += point;
                        }
                        point *= (n - k as u64) as f64 / (k + 1) as f64 * p / (1.0 - p);
                    }
                    assert!(
                        coverage >= level - 1e-12,
                        "n {n} p {p}: {coverage} < {level}"
                    );
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_beta_quantile_for_small_n() {
        use statrs::function::beta::inv_beta_reg;
        for n in 2..30u64 {
            for k in 1..n {
                let got = at95(k, n);
                let low = inv_beta_reg(k as f64, (n - k + 1) as f64, 0.025);
                let high = inv_beta_reg((k + 1) as f64, (n - k) as f64, 0.975);
                assert!(close(got.low, low, 1e-6), "{k} of {n}: {} {low}", got.low);
                assert!(
                    close(got.high, high, 1e-6),
                    "{k} of {n}: {} {high}",
                    got.high
                );
            }
        }
    }

    #[test]
    fn extreme_confidence_gives_ordered_ends() {
        for level in [1e-9, 0.01, 0.999_999, 1.0 - f64::EPSILON] {
            let confidence = Confidence::new(level).unwrap();
            for (k, n) in [(1, 2), (1, 3), (7, 1000), (500, 1000), (1, 10u64.pow(12))] {
                let Interval { low, high } = clopper_pearson(k, n, confidence);
                let rate = k as f64 / n as f64;
                assert!(
                    0.0 < low && low <= rate && rate <= high && high < 1.0,
                    "{k} of {n}"
                );
            }
        }
        assert_eq!(Confidence::new(0.0), None);
        assert_eq!(Confidence::new(1.0), None);
        assert_eq!(Confidence::new(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn holds_the_observed_rate(n in 1u64..10_000_000_000, share in 0.0f64..=1.0) {
            let k = (share * share * share * n as f64) as u64;
            let interval = at95(k, n);
            prop_assert!(interval.contains(k as f64 / n as f64));
            prop_assert!(interval.low >= 0.0 && interval.high <= 1.0);
        }

        #[test]
        fn rises_with_the_count(n in 2u64..100_000, share in 0.0f64..1.0) {
            let k = (share * n as f64) as u64;
            let (a, b) = (at95(k, n), at95(k + 1, n));
            prop_assert!(a.low < b.low && a.high < b.high);
        }

        #[test]
        fn more_instances_at_one_rate_narrow_it(k in 0u64..1000, rest in 1u64..1000) {
            let n = k + rest;
            prop_assert!(at95(2 * k, 2 * n).width() < at95(k, n).width());
        }

        #[test]
        fn more_confidence_widens_it(n in 1u64..100_000, share in 0.0f64..=1.0) {
            let k = (share * n as f64) as u64;
            let wide = clopper_pearson(k, n, Confidence::new(0.999).unwrap());
            prop_assert!(wide.width() > at95(k, n).width());
        }

        #[test]
        fn mirrors(n in 1u64..1_000_000, share in 0.0f64..=1.0) {
            let k = (share * n as f64) as u64;
            let (a, b) = (at95(k, n), at95(n - k, n));
            prop_assert!((a.low + b.high - 1.0).abs() < 1e-12);
            prop_assert!((a.high + b.low - 1.0).abs() < 1e-12);
        }
    }

    const KNOWN: [(u64, u64, f64, f64); 12] = [
        (1, 2, 0.01257911709342505, 0.9874208829065749),
        (1, 10, 0.0025285785444617843, 0.44501611702819543),
        (5, 10, 0.18708602844739852, 0.8129139715526015),
        (9, 10, 0.5549838829718046, 0.9974714214555382),
        (3, 100, 0.006229971538306394, 0.08517605297428003),
        (50, 100, 0.39832112950330095, 0.601678870496699),
        (1, 1_000_000, 2.5317807663794178e-08, 5.571630655172244e-06),
        (123_456, 1_000_000, 0.12281184162962973, 0.12410234027680268),
        (
            1,
            1_000_000_000,
            2.531780798396938e-11,
            5.571643378203115e-09,
        ),
        (
            1_000,
            1_000_000_000,
            9.38973046589561e-07,
            1.0639521019952884e-06,
        ),
        (
            3,
            1_000_000_000_000,
            6.186721228960286e-13,
            8.767273069717044e-12,
        ),
        (
            1_000_000,
            1_000_000_000_000,
            9.980409843173845e-07,
            1.0019619109625513e-06,
        ),
    ];
}
