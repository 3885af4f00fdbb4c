//! How a case ended, or why it did not run.

use classay_litmus::kernel::Inexpressible;
use classay_reports::record::{Evidence, EvidenceKind, Need, RuleId, Violation};
use serde::{Deserialize, Serialize};

/// How a case that ran to its end went.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Ended {
    /// Seconds spent in the implementation's compiler.
    pub build_seconds: f64,
    /// Seconds spent in launches.
    pub device_seconds: f64,
    /// What was seen to be violated, each kind once or twice.
    pub violations: Vec<Violation>,
    /// What explains the outcome counts (kernel source, build log).
    pub evidence: Vec<Evidence>,
}

/// Why a case did not run to its end, short of the process dying.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NotRun {
    /// The device lacks something that the case needs, or the case is of a kind that no launch can run.
    Skip {
        /// What it lacks; empty where that has no name among needs.
        lacks: Vec<Need>,
        /// One sentence.
        reason: String,
    },
    /// The implementation failed: an error code, a build failure, counts that do not add up.
    Failed {
        /// One sentence.
        reason: String,
        /// The rules of which one is broken, the likeliest first; none where no rule says that it must succeed.
        rules: Vec<RuleId>,
        /// Build log, source, numbers.
        evidence: Vec<Evidence>,
    },
}

impl NotRun {
    /// A skip for a reason that no need names.
    pub fn skip(reason: String) -> NotRun {
        NotRun::Skip {
            lacks: Vec::new(),
            reason,
        }
    }

    /// A failure of which there is no more to say.
    pub fn failed(reason: String) -> NotRun {
        NotRun::Failed {
            reason,
            rules: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// The same, by which these rules are broken; a skip breaks none.
    pub fn breaks(mut self, broken: Vec<RuleId>) -> NotRun {
        if let NotRun::Failed { rules, .. } = &mut self {
            *rules = broken;
        }
        self
    }

    /// The same, with what explains it; a skip needs nothing.
    pub fn with(mut self, kind: EvidenceKind, text: String) -> NotRun {
        if let NotRun::Failed { evidence, .. } = &mut self {
            evidence.push(Evidence { kind, text });
        }
        self
    }

    /// The sentence that says why.
    pub fn reason(&self) -> &str {
        match self {
            NotRun::Skip { reason, .. } | NotRun::Failed { reason, .. } => reason,
        }
    }
}

impl From<Inexpressible> for NotRun {
    fn from(why: Inexpressible) -> NotRun {
        let capability = match &why {
            Inexpressible::Commands => "a test of one kernel on each device",
            Inexpressible::LocalWithCommands { .. }
            | Inexpressible::SubGroupsWithCommands
            | Inexpressible::HostWithCommands { .. } => "a test whose commands can be played",
            Inexpressible::Memory { .. } => "a test whose memory a launch allocates",
            Inexpressible::BeyondDispatch(_) => "a test that compute shaders can play",
            Inexpressible::LocalAcrossGroups { .. }
            | Inexpressible::LocalOnHost { .. }
            | Inexpressible::BarrierMismatch { .. }
            | Inexpressible::NestedBarrier { .. }
            | Inexpressible::BarrierOnHost { .. }
            | Inexpressible::InvalidOrder { .. }
            | Inexpressible::NotAtomicType { .. }
            | Inexpressible::NoThreads => "a test that kernels can express",
        };
        NotRun::skip(format!("{capability}: {why}"))
    }
}
