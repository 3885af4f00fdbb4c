//! How large the rate of an outcome can be that was never observed.
//!
//! If the rate were `p`, none of `n` independent instances would show it with probability `(1-p)^n`. The
//! bound is the `p` at which that probability is `alpha`: `1 - alpha^(1/n)`, about `3/n` at 95 %. Source:
//! J. A. Hanley and A. Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249 (1983).
//! One-sided: the lower end is 0.
//!
//! Instances of one process are not independent, and an outcome that was never observed does not say how
//! it clusters. So there are two answers:
//!
//! - *However it clusters*: where a process shows an outcome always or never, each process is worth one
//!   instance, and nothing is worth less (by Jensen's inequality the probability to see none in a process
//!   is at most `1 - p`, its rates being `p` on average and `(1-x)^n <= 1-x`). So with `m` processes the
//!   rate, and the share of processes that show the outcome at all in so many instances, are below
//!   `1 - alpha^(1/m)`: 31 % with eight processes, whatever they ran.
//! - *If it clusters as the others do*: the other outcomes of the test show how instances are correlated on
//!   this device. With the effective number of instances of the one that scatters most the bound is that of
//!   independent instances.
//!
//! With one process the launches are the clusters, and both speak of that process alone.

use super::Confidence;
use super::cluster::Clustered;

/// What is known of an outcome that was never observed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Never {
    /// Its rate is below this however it clusters, and so is the share of clusters that show it.
    pub whatever: f64,
    /// Its rate is below this if it clusters as the other outcomes do; `None` where they do not say how.
    pub like_others: Option<f64>,
    /// The clusters: processes, or launches of one process.
    pub clusters: usize,
    /// The clusters are processes.
    pub across_processes: bool,
    confidence: Confidence,
}

impl Never {
    /// What clusters say that do not show an outcome, and the other outcomes of the same launches.
    pub fn of<'o>(
        all: &Clustered,
        others: impl IntoIterator<Item = &'o Clustered>,
        confidence: Confidence,
    ) -> Never {
        let clusters = all.clusters();
        let whatever = upper_bound(clusters as f64, confidence);
        let others = others.into_iter().filter_map(|o| o.effective(confidence));
        let effective = others.min_by(f64::total_cmp);
        Never {
            whatever,
            like_others: effective.map(|n| upper_bound(n, confidence).min(whatever)),
            clusters,
            across_processes: all.processes > 1,
            confidence,
        }
    }

    /// The smallest of its bounds, which [`Never::like_others`] says the condition of.
    pub fn bound(&self) -> f64 {
        self.like_others.unwrap_or(self.whatever)
    }

    /// How many times as many clusters it takes until [`Never::bound`] is this, if none shows it; at least 1.
    pub fn times_until(&self, rate: f64) -> f64 {
        let worth = |bound: f64| self.confidence.alpha().ln() / (-bound).ln_1p();
        (worth(rate) / worth(self.bound())).max(1.0)
    }
}

/// The largest rate at which seeing none in so many independent instances is not yet surprising at this
/// confidence; 1 where there were none.
fn upper_bound(instances: f64, confidence: Confidence) -> f64 {
    if instances <= 0.0 {
        return 1.0;
    }
    // 1 - exp(ln(alpha)/n), without the cancellation for large n.
    -(confidence.alpha().ln() / instances).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::super::cluster::Cluster;
    use super::*;
    use proptest::prelude::*;

    fn launches(count: fn(u32) -> u64, processes: u32) -> Clustered {
        let launch = |at: u32| Cluster {
            process: at % processes,
            count: count(at % processes),
            instances: 1_000_000,
        };
        Clustered::of(&(0..80).map(launch).collect::<Vec<_>>())
    }

    #[test]
    fn what_was_never_observed_is_known_by_processes_and_by_what_the_others_show() {
        let none = launches(|_| 0, 8);
        let alone = Never::of(&none, [], Confidence::P95);
        assert!((alone.whatever - 0.3123).abs() < 1e-4, "{alone:?}");
        assert_eq!((alone.like_others, alone.clusters), (None, 8));
        assert!(alone.across_processes);

        let wild = launches(|process| u64::from(process) * 100_000, 8);
        let calm = launches(|process| 500_000 + u64::from(process), 8);
        let among = |others: &[Clustered]| Never::of(&none, others, Confidence::P95).bound();
        assert_eq!(among(&[wild, calm]), among(&[wild]), "the wildest counts");
        assert!(among(&[calm]) < 1e-6 && among(&[wild]) > 1e-2);
        assert!(among(&[wild]) <= alone.whatever);

        let one = Never::of(&launches(|_| 0, 1), [], Confidence::P95);
        assert!(!one.across_processes && one.clusters == 80);
        let nothing = Never::of(&Clustered::of(&[]), [], Confidence::P95);
        assert_eq!(nothing.bound(), 1.0);
    }

    #[test]
    fn a_bound_ten_times_as_low_takes_about_ten_times_as_long() {
        let none = Never::of(&launches(|_| 0, 1), [], Confidence::P95);
        let times = none.times_until(none.bound() / 10.0);
        assert!((9.9..10.3).contains(&times), "{times}");
        assert_eq!(none.times_until(0.9), 1.0);
    }

    #[test]
    fn known_values() {
        let at95 = |n: u64| upper_bound(n as f64, Confidence::P95);
        assert_eq!(at95(0), 1.0);
        assert!((at95(1) - 0.95).abs() < 1e-15);
        // 1 - 0.05^(1/n), computed with 50 digits.
        for (n, exact) in NEVER_AT_95 {
            assert!(
                (at95(n) / exact - 1.0).abs() < 1e-14,
                "{n}: {} {exact}",
                at95(n)
            );
        }
    }

    proptest! {
        #[test]
        fn more_instances_never_raise_the_bound(n in 1u64..u64::MAX / 2, more in 1u64..1000) {
            let bound = |n: u64| upper_bound(n as f64, Confidence::P95);
            let (a, b) = (bound(n), bound(n + more));
            prop_assert!(b <= a && b > 0.0 && a < 1.0);
        }

        #[test]
        fn none_has_probability_alpha_at_the_bound(n in 1i32..10_000, level in 0.5f64..0.999) {
            let p = upper_bound(f64::from(n), Confidence::new(level).unwrap());
            prop_assert!(((1.0 - p).powi(n) - (1.0 - level)).abs() < 1e-9);
        }
    }

    const NEVER_AT_95: [(u64, f64); 4] = [
        (2, 0.7763932022500211),
        (59, 0.049507609888226944),
        (1_000_000, 2.9957277863525446e-06),
        (1_000_000_000_000, 2.995732273549504e-12),
    ];
}
