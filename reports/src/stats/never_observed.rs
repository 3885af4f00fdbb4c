//! How large the rate of an outcome can be that was never observed.
//!
//! If the rate were `p`, none of `n` instances would show it with probability `(1-p)^n`. The bound
//! is the `p` at which that probability is `alpha`: `1 - alpha^(1/n)`, about `3/n` at 95 %. Source:
//! J. A. Hanley and A. Lippman-Hand, "If Nothing Goes Wrong, Is Everything All Right?", JAMA 249
//! (1983). One-sided: the lower end is 0.
//!
//! Assumptions: independent instances with one rate. Instances of one launch are not independent,
//! so the bound speaks of the conditions under which the run took place.

use super::Confidence;

/// The largest rate at which seeing none in `instances` is not yet surprising at this confidence;
/// 1 where there were no instances.
pub fn upper_bound_if_never_observed(instances: u64, confidence: Confidence) -> f64 {
    upper_bound_of_clusters(instances, 1.0, confidence)
}

/// The same where instances of a launch are correlated as much as this design effect says (that of another
/// outcome of the test; below 1 counts as 1): for the effective number of instances. Read the other way, it
/// is the smallest rate that the run would have shown with this confidence.
pub fn upper_bound_of_clusters(instances: u64, design_effect: f64, confidence: Confidence) -> f64 {
    if instances == 0 {
        return 1.0;
    }
    let effective = instances as f64 / design_effect.max(1.0);
    // 1 - exp(ln(alpha)/n), without the cancellation for large n.
    -(confidence.alpha().ln() / effective).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clusters_are_worth_their_effective_instances() {
        let bound = |n, effect| upper_bound_of_clusters(n, effect, Confidence::P95);
        assert_eq!(bound(10_000, 10.0), bound(1_000, 1.0));
        assert_eq!(bound(10_000, 0.1), bound(10_000, 1.0));
        assert_eq!(bound(0, 10.0), 1.0);
    }

    #[test]
    fn known_values() {
        let at95 = |n| upper_bound_if_never_observed(n, Confidence::P95);
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
            let (a, b) = (
                upper_bound_if_never_observed(n, Confidence::P95),
                upper_bound_if_never_observed(n + more, Confidence::P95),
            );
            prop_assert!(b <= a && b > 0.0 && a < 1.0);
        }

        #[test]
        fn none_has_probability_alpha_at_the_bound(n in 1i32..10_000, level in 0.5f64..0.999) {
            let p = upper_bound_if_never_observed(n as u64, Confidence::new(level).unwrap());
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
