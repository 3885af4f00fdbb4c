//! How a litmus case is run on a device: launches, collection, counting.
//!
//! Runs only in a worker process. It calls OpenCL; it knows nothing of the protocol, the store or
//! the command line.

use crate::device::OpenDevice;
use classay_litmus::program::Program;
use classay_reports::record::{Evidence, Launch};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// Exactly this many instances.
    Instances(u64),
    /// About this many seconds of wall time, at least one launch.
    Seconds(f64),
}

/// How a case that ran to its end went.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// Seconds spent in the implementation's compiler.
    pub build_seconds: f64,
    /// Seconds spent in launches.
    pub device_seconds: f64,
    /// What explains the outcome counts (kernel source, build log, findings).
    pub evidence: Vec<Evidence>,
}

/// Why a case did not run to its end, short of the process dying.
#[derive(Debug, Clone)]
pub enum NotRun {
    /// The device lacks something the test needs; `capability` names it.
    Skip {
        /// Name of the capability, or of what the test asks that no device can give.
        capability: String,
        /// One sentence.
        reason: String,
    },
    /// The implementation failed: an error code, a build failure, counts that do not add up.
    Failed {
        /// One sentence.
        reason: String,
        /// Build log, source, numbers.
        evidence: Vec<Evidence>,
    },
}

/// Runs one litmus test until the budget is spent. `seed` decides everything that is drawn.
/// `on_launch` is called once for each launch, in order, as its counts are known; the counts of
/// each launch have been checked to add up to its instances.
pub fn run_litmus(
    _device: &OpenDevice,
    _program: &Program,
    _seed: u64,
    _budget: Budget,
    _on_launch: &mut dyn FnMut(Launch),
) -> Result<Ended, NotRun> {
    Err(NotRun::Skip {
        capability: "execute".into(),
        reason: "the executor is not connected yet".into(),
    })
}
