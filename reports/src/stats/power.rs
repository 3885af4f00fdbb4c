//! How surely a run sees again what another saw.
//!
//! The chance to see an outcome again in a run like one that saw it x times is the *reproducibility* 1 -
//! e^-x (occurrences as a Poisson process); the confidence wanted of a whole suite is divided over its
//! tests, so that all of them reproduce together (T. Sorensen et al. and R. Levine et al. use both for
//! environments of weak-memory tests: "MC Mutants", ASPLOS 2023).

use super::Confidence;

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
    use super::*;

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
