//! What counts allow one to claim, one file a method, its source and its assumptions on top.
//!
//! Every method here starts from *k of n*: of `n` instances, `k` ended in the outcome. Instances of one
//! launch are not independent: they run at the same time, on the same caches, under the same load. Nor are
//! launches of one process, whose memory lies where it lies. So claims start from the processes, or, where
//! there is one, from its launches, and then speak of that process alone. That is why every launch is
//! stored with its own counts and with its process.
//!
//! - [`cluster`]: a cluster-robust interval for a rate, and how much the launches scatter;
//! - [`sequence`]: intervals that hold at all times, and when to stop;
//! - [`stationarity`]: whether the rate stayed the same over time;
//! - [`mod@compare`]: whether an outcome is as frequent in another run, and by how much;
//! - [`frequency`]: how often something happens in a second;
//! - [`power`]: how surely a run sees again what another saw;
//! - [`mod@clopper_pearson`]: an interval for a rate, never too narrow under the assumption above;
//! - [`never_observed`]: how large a rate can be that was never seen;
//! - [`binomial`]: the tails both stand on.

pub mod binomial;
pub mod clopper_pearson;
pub mod cluster;
pub mod compare;
pub mod frequency;
pub mod never_observed;
pub mod power;
pub mod sequence;
pub mod stationarity;

pub use clopper_pearson::clopper_pearson;
pub use never_observed::Never;

/// How sure a claim is: a probability strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 %, which reports use.
    pub const P95: Confidence = Confidence(0.95);

    /// A confidence level; `None` unless it lies strictly between 0 and 1.
    pub fn new(level: f64) -> Option<Confidence> {
        (level > 0.0 && level < 1.0).then_some(Confidence(level))
    }

    /// The level, for example 0.95.
    pub fn level(self) -> f64 {
        self.0
    }

    /// One minus the level: the share of claims that may be wrong.
    pub fn alpha(self) -> f64 {
        1.0 - self.0
    }
}

/// A range of rates, both ends included, with `0 <= low <= high <= 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Every rate.
    pub const ANY: Interval = Interval {
        low: 0.0,
        high: 1.0,
    };

    /// Whether a rate lies in it.
    pub fn contains(self, rate: f64) -> bool {
        self.low <= rate && rate <= self.high
    }

    /// Its width.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}
