//! What evidence is.

use serde::{Deserialize, Serialize};

words! {
    /// What a piece of evidence is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum EvidenceKind {
        /// How a worker died.
        Death = "death",
        /// The last lines that it wrote to its standard error.
        Stderr = "stderr",
        /// What the compiler said.
        BuildLog = "build-log",
        /// With which options it was called.
        BuildOptions = "build-options",
        /// The source of kernels.
        Source = "source",
        /// Counts that do not add up.
        Counts = "counts",
        /// How a litmus test was placed and stressed, as JSON.
        Environment = "environment",
        /// The program of a case that broke a rule, as YAML.
        Program = "program",
        /// Why a memory model forbids an outcome.
        Forbidden = "forbidden",
        /// Why a case ended before its time.
        Stopped = "stopped",
        /// The fault that was injected.
        Fault = "fault",
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
