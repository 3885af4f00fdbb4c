//! What evidence is.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a piece of evidence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// How a worker died.
    Death,
    /// The last lines that it wrote to its standard error.
    Stderr,
    /// What the compiler said.
    BuildLog,
    /// With which options it was called.
    BuildOptions,
    /// The source of kernels.
    Source,
    /// Counts that do not add up.
    Counts,
    /// How a litmus test was placed and stressed, as JSON.
    Environment,
    /// The program of a case that broke a rule, as YAML.
    Program,
    /// Why a memory model forbids an outcome.
    Forbidden,
    /// Why a case ended before its time.
    Stopped,
    /// The fault that was injected.
    Fault,
}

impl EvidenceKind {
    /// Every kind.
    pub const ALL: [EvidenceKind; 11] = [
        EvidenceKind::Death,
        EvidenceKind::Stderr,
        EvidenceKind::BuildLog,
        EvidenceKind::BuildOptions,
        EvidenceKind::Source,
        EvidenceKind::Counts,
        EvidenceKind::Environment,
        EvidenceKind::Program,
        EvidenceKind::Forbidden,
        EvidenceKind::Stopped,
        EvidenceKind::Fault,
    ];

    /// The name, as stored and printed.
    pub fn name(self) -> &'static str {
        match self {
            EvidenceKind::Death => "death",
            EvidenceKind::Stderr => "stderr",
            EvidenceKind::BuildLog => "build-log",
            EvidenceKind::BuildOptions => "build-options",
            EvidenceKind::Source => "source",
            EvidenceKind::Counts => "counts",
            EvidenceKind::Environment => "environment",
            EvidenceKind::Program => "program",
            EvidenceKind::Forbidden => "forbidden",
            EvidenceKind::Stopped => "stopped",
            EvidenceKind::Fault => "fault",
        }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_in_json() {
        for kind in EvidenceKind::ALL {
            let json = serde_json::to_string(&kind).expect("JSON");
            assert_eq!(json, format!("\"{kind}\""));
        }
    }
}
