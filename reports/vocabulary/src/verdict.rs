//! How a case ended.

use serde::{Deserialize, Serialize};
use std::fmt;

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Everything observed is allowed.
    Pass,
    /// Something forbidden was observed.
    Fail,
    /// A capability is missing; the reason names it.
    Skip,
    /// The worker died; the reason gives the signal or exit.
    Crash,
    /// The worker did not answer within the case's limit.
    Timeout,
    /// The observations do not decide; the reason says why.
    Inconclusive,
}

impl Verdict {
    /// Every verdict, in the order tables show them.
    pub const ALL: [Verdict; 6] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Skip,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Inconclusive,
    ];

    /// Every verdict, the worst first.
    pub const WORST_FIRST: [Verdict; 6] = [
        Verdict::Fail,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Inconclusive,
        Verdict::Pass,
        Verdict::Skip,
    ];

    /// Its place among the worst; the worse, the smaller.
    pub fn rank(self) -> u8 {
        match self {
            Verdict::Fail => 0,
            Verdict::Crash => 1,
            Verdict::Timeout => 2,
            Verdict::Inconclusive => 3,
            Verdict::Pass => 4,
            Verdict::Skip => 5,
        }
    }

    /// Lower-case name, as stored and printed.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
            Verdict::Inconclusive => "inconclusive",
        }
    }

    /// Whether a run with this verdict in it exits with code 1.
    pub fn is_failure(self) -> bool {
        match self {
            Verdict::Fail | Verdict::Crash | Verdict::Timeout => true,
            Verdict::Pass | Verdict::Skip | Verdict::Inconclusive => false,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_stand_first() {
        let mut sorted = Verdict::ALL;
        sorted.sort_by_key(|verdict| verdict.rank());
        assert_eq!(sorted, Verdict::WORST_FIRST);
    }
}
