//! How a case ended.

use serde::{Deserialize, Serialize};

words! {
    /// How a case ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Verdict {
        /// Everything observed is allowed.
        Pass = "pass",
        /// Something forbidden was observed.
        Fail = "fail",
        /// A capability is missing; the reason names it.
        Skip = "skip",
        /// The worker died; the reason gives the signal or exit.
        Crash = "crash",
        /// The worker did not answer within the case's limit.
        Timeout = "timeout",
        /// The worker died in some attempts, and others passed; the reason gives the rate.
        Flaky = "flaky",
        /// The observations do not decide; the reason says why.
        Inconclusive = "inconclusive",
        /// What was observed is forbidden by some readings of the specification and allowed by others; the
        /// reason names them.
        Contested = "contested",
    }
}

impl Verdict {
    /// Every verdict, the worst first.
    pub const WORST_FIRST: [Verdict; 8] = [
        Verdict::Fail,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Flaky,
        Verdict::Contested,
        Verdict::Inconclusive,
        Verdict::Pass,
        Verdict::Skip,
    ];

    /// Its place among the worst; the worse, the smaller.
    pub fn rank(self) -> usize {
        let place = Verdict::WORST_FIRST.iter().position(|v| *v == self);
        place.unwrap_or(Verdict::WORST_FIRST.len())
    }

    /// Whether a run with this verdict in it exits with code 1.
    pub fn is_failure(self) -> bool {
        match self {
            Verdict::Fail | Verdict::Crash | Verdict::Timeout | Verdict::Flaky => true,
            Verdict::Pass | Verdict::Skip | Verdict::Inconclusive | Verdict::Contested => false,
        }
    }
}
