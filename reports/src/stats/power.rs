//! What a run could have seen, and how long one must be to see it.
//!
//! Of an outcome with rate p, n independent instances show none with probability (1 - p)^n. If instances
//! of a launch are correlated, n is the effective number ([`super::cluster`]). The smallest rate that a run
//! could have seen is the bound of what it never saw ([`super::never_observed`]).
//!
//! The chance to see an outcome again in a run like one that saw it x times is the *reproducibility* 1 -
//! e^-x (occurrences as a Poisson process); the confidence wanted of a whole suite is divided over its
//! tests, so that all of them reproduce together (T. Sorensen et al. and R. Levine et al. use both for
//! environments of weak-memory tests: "MC Mutants", ASPLOS 2023).

use super::Confidence;

/// Instances that show an outcome of this rate at least once with this confidence: ln(1-c)/ln(1-p), rounded
/// up, times the design effect; `None` for a rate of 0 and where that is more than 2^63.
pub fn instances_to_see(rate: f64, design_effect: f64, confidence: Confidence) -> Option<u64> {
    if rate >= 1.0 {
        return Some(1);
    }
    if rate <= 0.0 {
        return None;
    }
    let instances = (confidence.alpha().ln() / (-rate).ln_1p()).max(1.0);
    let worth = (instances * design_effect.max(1.0)).ceil();
    (worth < 9e18).then_some(worth as u64)
}

/// The probability that a run like one with this expected number of occurrences shows at least one.
pub fn reproducibility(expected: f64) -> f64 {
    -(-expected.max(0.0)).exp_m1()
}

/// Occurrences to expect of each of so many tests, so that all of them show theirs with this probability
/// together.
pub fn expected_for(reproducibility: Confidence, tests: usize) -> f64 {
    let each = reproducibility.level().powf(1.0 / tests.max(1) as f64);
    -(-each).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::super::upper_bound_if_never_observed;
    use super::*;

    #[test]
    fn the_rule_of_three() {
        let n = instances_to_see(1e-6, 1.0, Confidence::P95).expect("a number");
        assert!((2_995_730..=2_995_733).contains(&n), "{n}");
        assert_eq!(
            instances_to_see(1e-6, 10.0, Confidence::P95),
            Some(29_957_308)
        );
        let rate = upper_bound_if_never_observed(n, Confidence::P95);
        assert!((rate - 1e-6).abs() < 1e-11, "{rate}");
        assert_eq!(instances_to_see(0.0, 1.0, Confidence::P95), None);
        assert_eq!(instances_to_see(1.0, 1.0, Confidence::P95), Some(1));
        assert_eq!(instances_to_see(1e-300, 1.0, Confidence::P95), None);
    }

    /// "Three occurrences" are 95 % (1 - e^-3 = 0.9502); twenty tests at 95 % together need 5.97 each.
    #[test]
    fn a_suite_divides_its_confidence_over_its_tests() {
        assert!((reproducibility(3.0) - 0.950_212_9).abs() < 1e-6);
        assert_eq!(reproducibility(0.0), 0.0);
        let one = expected_for(Confidence::P95, 1);
        assert!((one - 2.995_732).abs() < 1e-5, "{one}");
        let twenty = expected_for(Confidence::P95, 20);
        assert!((reproducibility(twenty).powi(20) - 0.95).abs() < 1e-12);
        assert!(twenty > 5.9 && twenty < 6.1, "{twenty}");
    }
}
