//! How often something happens in a second, from launches that took different times.
//!
//! Occurrences of k in T seconds, as a Poisson process: the exact interval of F. Garwood, "Fiducial Limits
//! for the Poisson Distribution" (Biometrika, 1936), whose ends are quantiles of the chi-square
//! distribution, half of 2k and of 2k + 2 degrees of freedom. Occurrences of one launch are correlated, so
//! that launches scatter more than a Poisson process would: k and T are divided by the dispersion, Pearson's
//! chi-square of the launches around the common frequency over its degrees of freedom, where that is above
//! one (P. McCullagh and J. A. Nelder, "Generalized Linear Models", 1989, 4.5 and 6.2).
//!
//! Assumptions: launches are independent and the frequency is the same in all; the dispersion is estimated,
//! so with few launches the interval is approximate.

use super::Confidence;
use statrs::distribution::{ContinuousCDF, Gamma};

/// Occurrences in a time, with an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frequency {
    /// Occurrences.
    pub count: u64,
    /// Seconds.
    pub seconds: f64,
    /// Variance of the launches over that of a Poisson process, at least 1; 1 where it is unknown.
    pub dispersion: f64,
    /// The ends at the confidence asked for, per second; infinite above where there was no time.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Frequency {
    /// From launches: occurrences and seconds of each.
    pub fn of(launches: &[(u64, f64)], confidence: Confidence) -> Frequency {
        let timed = || launches.iter().filter(|(_, seconds)| *seconds > 0.0);
        let count = timed().fold(0u64, |sum, (k, _)| sum.saturating_add(*k));
        let seconds: f64 = timed().map(|(_, seconds)| seconds).sum();
        let launches = timed().count();
        let dispersion = if count > 0 && launches > 1 {
            let rate = count as f64 / seconds;
            let chi_square: f64 = timed()
                .map(|(k, seconds)| {
                    let expected = rate * seconds;
                    (*k as f64 - expected).powi(2) / expected
                })
                .sum();
            (chi_square / (launches - 1) as f64).max(1.0)
        } else {
            1.0
        };
        let half = confidence.alpha() / 2.0;
        // Effective occurrences need not be whole: the gamma distribution takes any shape.
        let k = count as f64 / dispersion;
        let time = seconds / dispersion;
        let quantile = |shape: f64, p: f64| {
            Gamma::new(shape, 1.0).map_or(f64::NAN, |gamma| gamma.inverse_cdf(p))
        };
        let (low, high) = if time > 0.0 {
            let low = if count == 0 {
                0.0
            } else {
                quantile(k, half) / time
            };
            (low, quantile(k + 1.0, 1.0 - half) / time)
        } else {
            (0.0, f64::INFINITY)
        };
        Frequency {
            count,
            seconds,
            dispersion,
            low,
            high,
        }
    }

    /// Occurrences per second that tell as much as independent ones would, which is fewer where launches scatter:
    /// the relative standard error of the frequency is one over the root of how many there were, so that a tenth is
    /// reached after 100 of them; and a time t shows none with probability e to the power of minus t times this.
    pub fn independent_per_second(&self) -> f64 {
        self.per_second() / self.dispersion
    }

    /// Occurrences per second; 0 where there was no time.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 {
            self.count as f64 / self.seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Gamma as Scatter, Poisson};

    /// Garwood's table: 0 gives 3.6889, 1 gives 0.0253 to 5.5716, 10 gives 4.7954 to 18.3904.
    #[test]
    fn published_limits() {
        for (k, low, high) in [(0, 0.0, 3.6889), (1, 0.0253, 5.5716), (10, 4.7954, 18.3904)] {
            let f = Frequency::of(&[(k, 1.0)], Confidence::P95);
            assert!((f.low - low).abs() < 1e-4, "{k}: {}", f.low);
            assert!((f.high - high).abs() < 1e-4, "{k}: {}", f.high);
        }
        let none = Frequency::of(&[], Confidence::P95);
        assert_eq!((none.low, none.high), (0.0, f64::INFINITY));
        assert_eq!(none.per_second(), 0.0);
        let odd = Frequency::of(&[(3, 0.0), (2, 2.0)], Confidence::P95);
        assert_eq!(odd.per_second(), 1.0);
    }

    #[test]
    fn what_comes_in_bursts_tells_less() {
        let steady = Frequency::of(&[(100, 1.0); 20], Confidence::P95);
        assert_eq!(steady.independent_per_second(), 100.0);
        let mut bursts = [(0, 1.0); 20];
        bursts[3].0 = 2000;
        let bursts = Frequency::of(&bursts, Confidence::P95);
        assert_eq!(bursts.per_second(), 100.0);
        // All of them are one burst in twenty seconds.
        let known = bursts.independent_per_second();
        assert!((0.04..0.06).contains(&known), "{known}");
    }

    #[test]
    fn the_interval_keeps_its_promise_where_launches_scatter() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        // A mean of 20 occurrences a launch; the launches' own frequencies scatter by half of it.
        let scatter = Scatter::new(4.0, 5.0).expect("a distribution");
        let mut covered = 0;
        for _ in 0..1000 {
            let launches: Vec<(u64, f64)> = (0..40)
                .map(|_| {
                    let mean: f64 = scatter.sample(&mut rng);
                    let count: f64 = Poisson::new(mean).expect("a mean").sample(&mut rng);
                    (count as u64, 0.5)
                })
                .collect();
            let f = Frequency::of(&launches, Confidence::P95);
            covered += u32::from(f.low <= 40.0 && 40.0 <= f.high);
        }
        assert!((920..=980).contains(&covered), "{covered}");
    }
}
