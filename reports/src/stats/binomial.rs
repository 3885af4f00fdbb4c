//! Tails of the binomial distribution, to nearly full precision from one instance to 10^12.
//!
//! The point probability is C. Loader, "Fast and Accurate Computation of Binomial Probabilities"
//! (2000): Stirling's error and the deviance, which stay exact where factorials cancel. A tail is
//! the point probability times a sum of positive, falling terms; nothing is subtracted, so a tail
//! of 10^-12 is as precise as one of 0.5. The sum takes about eight standard deviations of terms.
//!
//! The inverse of the incomplete beta function in `statrs` is not used: its logarithm of a factorial
//! loses all digits of a tail near n = 10^12, and its continued fraction stops after 140 terms.
//!
//! Assumptions: `n` independent trials that share one probability `p`.

use std::f64::consts::PI;

/// A tail of the distribution, and how it changes with `p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tail {
    /// Natural logarithm of the tail's probability.
    pub ln: f64,
    /// The size of d ln(tail) / d ln(p): the relative change of the tail over that of `p`.
    pub slope: f64,
}

/// ln n! minus Stirling's approximation of it, `ln(sqrt(2 pi n) (n/e)^n)`.
pub(super) fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        // Up to 15! the factorial is exact.
        let factorial: f64 = (1..=n as u32).map(f64::from).product();
        return factorial.ln() - 0.5 * (2.0 * PI * n).ln() - n * n.ln() + n;
    }
    let nn = n * n;
    // The next term is below 2e-16 from n = 16 on.
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / nn) / nn) / nn) / nn)
        / n
}

/// The deviance `x ln(x/m) + m - x`, without cancellation where `x` is near `m`.
pub(super) fn deviance(x: f64, m: f64) -> f64 {
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    // With v = (x-m)/(x+m): x ln(x/m) = x ln((1+v)/(1-v)) = 2x (v + v^3/3 + v^5/5 + ...).
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut power = 2.0 * x * v;
    let mut odd = 1.0;
    loop {
        power *= v * v;
        odd += 2.0;
        let next = sum + power / odd;
        if next == sum {
            return sum;
        }
        sum = next;
    }
}

/// Natural logarithm of the probability of exactly `k` of `n`, whole numbers, for `0 < p < 1`. `q` is 1 - p,
/// given apart because the caller may know it better than the subtraction does.
pub(super) fn ln_point(k: f64, n: f64, p: f64, q: f64) -> f64 {
    let rest = n - k;
    if k == 0.0 {
        return n * (-p).ln_1p();
    }
    if rest == 0.0 {
        return n * p.ln();
    }
    stirling_error(n)
        - stirling_error(k)
        - stirling_error(rest)
        - deviance(k, n * p)
        - deviance(rest, n * q)
        - 0.5 * (2.0 * PI * k * (rest / n)).ln()
}

/// Sums `1 + r0 + r0 r1 + ...` for ratios that fall below one and keep falling.
fn falling_sum(mut ratio: impl FnMut(f64) -> f64, terms: u64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for j in 0..terms {
        let r = ratio(j as f64);
        term *= r;
        sum += term;
        // What is left is below term * r / (1 - r).
        if term * r < 1e-17 * sum * (1.0 - r) {
            break;
        }
    }
    sum
}

/// The probability of `k` or more of `n`, for `0 < k < n` and `0 < p <= k/n`.
pub fn upper_tail(k: u64, n: u64, p: f64) -> Tail {
    let q = 1.0 - p;
    let odds = p / q;
    let (kf, rest) = (k as f64, (n - k) as f64);
    let sum = falling_sum(|j| (rest - j) / (kf + j + 1.0) * odds, n - k);
    // d tail / dp = k * point(k) / p.
    Tail {
        ln: ln_point(k as f64, n as f64, p, q) + sum.ln(),
        slope: kf / sum,
    }
}

/// The probability of `k` or fewer of `n`, for `0 < k < n` and `k/n <= p < 1`.
pub fn lower_tail(k: u64, n: u64, p: f64) -> Tail {
    let q = 1.0 - p;
    let odds = q / p;
    let (kf, rest) = (k as f64, (n - k) as f64);
    let sum = falling_sum(|j| (kf - j) / (rest + j + 1.0) * odds, k);
    // d tail / dp = -(n-k) * point(k) / q.
    Tail {
        ln: ln_point(k as f64, n as f64, p, q) + sum.ln(),
        slope: rest * odds.recip() / sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums exact binomial probabilities, products of small integers, for small n.
    fn exact_tail(ks: impl Iterator<Item = u64>, n: u64, p: f64) -> f64 {
        ks.map(|k| {
            let choose: f64 = (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product();
            choose * p.powi(k as i32) * (1.0 - p).powi((n - k) as i32)
        })
        .sum()
    }

    #[test]
    fn tails_equal_exact_sums() {
        for n in 2..40u64 {
            for k in 1..n {
                let mean = k as f64 / n as f64;
                for part in [0.01, 0.3, 0.9, 1.0] {
                    let p = mean * part;
                    let exact = exact_tail(k..=n, n, p);
                    let got = upper_tail(k, n, p).ln.exp();
                    assert!(
                        (got / exact - 1.0).abs() < 1e-12,
                        "{k} of {n} at {p}: {got} {exact}"
                    );
                    let p = 1.0 - (1.0 - mean) * part;
                    let exact = exact_tail(0..=k, n, p);
                    let got = lower_tail(k, n, p).ln.exp();
                    assert!(
                        (got / exact - 1.0).abs() < 1e-12,
                        "{k} of {n} at {p}: {got} {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn slopes_are_the_derivatives() {
        for (k, n) in [(1u64, 7u64), (5, 50), (300, 1000), (2, 1_000_000_000)] {
            let mean = k as f64 / n as f64;
            let step = 1e-6f64;
            let low = mean * 0.7;
            let numeric = (upper_tail(k, n, low * step.exp()).ln
                - upper_tail(k, n, low * (-step).exp()).ln)
                / (2.0 * step);
            assert!((numeric / upper_tail(k, n, low).slope - 1.0).abs() < 1e-6);
            let high = mean * 1.3;
            let numeric = (lower_tail(k, n, high * step.exp()).ln
                - lower_tail(k, n, high * (-step).exp()).ln)
                / (2.0 * step);
            assert!((-numeric / lower_tail(k, n, high).slope - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn stirling_error_is_smooth_where_the_method_changes() {
        // ln 16! from its exact value.
        let exact = 20_922_789_888_000f64.ln() - 0.5 * (32.0 * PI).ln() - 16.0 * 16f64.ln() + 16.0;
        assert!((stirling_error(16.0) - exact).abs() < 2e-14);
    }
}
