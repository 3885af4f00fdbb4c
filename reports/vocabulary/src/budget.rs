//! When a case has run enough.

use serde::{Deserialize, Serialize};
use std::fmt;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// Exactly this many instances.
    Instances(u64),
    /// About this many seconds of wall time after the build, at least two launches.
    Seconds(f64),
    /// The same at most; a litmus test ends as soon as enough is known of its target outcomes.
    Enough {
        /// Seconds.
        seconds: f64,
        /// What is enough.
        enough: Enough,
    },
}

/// When enough is known of a rate. It is looked at after every launch, so the intervals that decide must hold
/// at all times at once.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Enough {
    /// The interval's half width is at most this part of the rate.
    pub precision: Option<f64>,
    /// The rate is below this.
    pub below: Option<f64>,
}

impl fmt::Display for Enough {
    /// As the options that ask for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = self.precision.map(|part| format!("--precision {part}"));
        let below = self.below.map(|rate| format!("--below {rate}"));
        let both: Vec<String> = precision.into_iter().chain(below).collect();
        f.write_str(&both.join(" "))
    }
}

impl Budget {
    /// The seconds; none for a number of instances.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Budget::Instances(_) => None,
            Budget::Seconds(seconds) | Budget::Enough { seconds, .. } => Some(seconds),
        }
    }

    /// The same with so many seconds, where it has any.
    pub fn lasting(self, seconds: f64) -> Budget {
        match self {
            Budget::Instances(n) => Budget::Instances(n),
            Budget::Seconds(_) => Budget::Seconds(seconds),
            Budget::Enough { enough, .. } => Budget::Enough { seconds, enough },
        }
    }
}
