//! How a case is run on a device.
//!
//! Runs only in a worker process. It calls OpenCL; it knows nothing of the protocol, the store or
//! the command line. Litmus tests are run by [`litmus`], with the calls of [`cl`]; cases of the suites
//! by [`commands`], [`kernels`] and [`api`].

mod api;
mod cl;
pub mod commands;
mod kernel_cases;
pub mod kernels;
pub mod litmus;
mod memory;
mod needs;
mod programs;
mod repeat;

pub use api::run_api;
pub use kernel_cases::run_kernel;
pub use programs::run_commands;

use crate::device::Capabilities;
use classay_litmus::kernel::{AtomicsDialect, Inexpressible, Need, Needs};
use classay_reports::record::Evidence;
use std::collections::BTreeSet;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// Exactly this many instances.
    Instances(u64),
    /// About this many seconds of wall time after the build, at least two launches.
    Seconds(f64),
    /// The same at most; a litmus test ends as soon as enough is known of the outcomes that it asks about.
    Enough {
        /// Seconds.
        seconds: f64,
        /// What is enough.
        enough: Enough,
    },
}

/// When enough is known of a rate. Looked at again and again, so what it looks at are intervals that hold
/// at all times ([`classay_reports::stats::sequence`]).
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Enough {
    /// The interval's half width is at most this part of the rate.
    pub precision: Option<f64>,
    /// The rate is below this.
    pub below: Option<f64>,
}

impl std::fmt::Display for Enough {
    /// As the options that ask for it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

impl NotRun {
    /// The sentence that says why.
    pub fn reason(self) -> String {
        match self {
            NotRun::Skip { reason, .. } | NotRun::Failed { reason, .. } => reason,
        }
    }
}

impl From<cl::CallError> for NotRun {
    fn from(error: cl::CallError) -> NotRun {
        NotRun::Failed {
            reason: error.to_string(),
            evidence: Vec::new(),
        }
    }
}

/// A test that cannot be written for a launch is skipped on every device; the reason says why.
impl From<Inexpressible> for NotRun {
    fn from(why: Inexpressible) -> NotRun {
        let capability = match &why {
            Inexpressible::Commands => "a test of one kernel on each device",
            Inexpressible::Memory { .. } => "a test whose memory a launch allocates",
            Inexpressible::LocalAcrossGroups { .. }
            | Inexpressible::LocalOnHost { .. }
            | Inexpressible::BarrierMismatch { .. }
            | Inexpressible::NestedBarrier { .. }
            | Inexpressible::BarrierOnHost { .. }
            | Inexpressible::InvalidOrder { .. }
            | Inexpressible::NotAtomicType { .. }
            | Inexpressible::NoThreads => "a test that OpenCL can express",
        };
        NotRun::Skip {
            capability: capability.into(),
            reason: why.to_string(),
        }
    }
}

/// The atomic functions to write the test with, or which capability is missing.
fn choose_dialect(
    capabilities: &Capabilities,
    needs: &Needs,
    devices: usize,
) -> Result<AtomicsDialect, NotRun> {
    let missing: BTreeSet<Need> = needs
        .all
        .iter()
        .copied()
        .filter(|&need| !offers(capabilities, need, devices))
        .collect();
    if missing.is_empty() {
        return Ok(if capabilities.c11_atomics {
            AtomicsDialect::C11
        } else {
            AtomicsDialect::V1
        });
    }
    if needs.fits_v1 {
        return Ok(AtomicsDialect::V1);
    }
    let names: Vec<String> = missing.iter().map(Need::to_string).collect();
    let names = names.join(", ");
    Err(NotRun::Skip {
        reason: format!("the device lacks {names}"),
        capability: names,
    })
}

fn offers(capabilities: &Capabilities, need: Need, devices: usize) -> bool {
    match need {
        Need::C11Atomics => capabilities.c11_atomics,
        Need::OrderAcqRel => capabilities.order_acq_rel,
        Need::OrderSeqCst => capabilities.order_seq_cst,
        Need::ScopeSubGroup => capabilities.scope_sub_group,
        Need::ScopeDevice => capabilities.scope_device,
        Need::ScopeAllDevices => capabilities.scope_all_devices,
        Need::Int64Atomics => capabilities.int64_atomics,
        Need::SubGroups => capabilities.sub_groups,
        Need::Devices(n) => devices >= n as usize,
        Need::SvmFineAtomics => {
            capabilities.svm_fine_buffer
                && capabilities.svm_atomics
                && capabilities.scope_all_devices
        }
    }
}
