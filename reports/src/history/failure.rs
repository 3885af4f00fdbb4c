//! What failed over the versions of a driver.

use super::Version;
use crate::record::{CaseId, RuleId};
use crate::signature::Signature;
use std::collections::BTreeMap;

/// As of [`Signature::key`].
type Key = (Vec<RuleId>, Option<String>, String);

/// A signature over the versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it shows.
    pub signature: Signature,
    /// The cases that show it in each version.
    pub cases: Vec<Vec<CaseId>>,
}

impl Failure {
    /// Cases that show it, over all versions.
    pub fn times(&self) -> usize {
        self.cases.iter().map(Vec::len).sum()
    }
}

/// What failed, with the versions that show it: what most cases show first.
pub fn failures(versions: &[Version]) -> Vec<Failure> {
    let mut all: BTreeMap<Key, Failure> = BTreeMap::new();
    for (place, version) in versions.iter().enumerate() {
        for result in &version.results {
            for signature in Signature::all(result) {
                let failure = all.entry(signature.key()).or_insert_with(|| Failure {
                    signature,
                    cases: vec![Vec::new(); versions.len()],
                });
                failure.cases[place].push(result.case.clone());
            }
        }
    }
    let mut failures: Vec<Failure> = all.into_values().collect();
    failures.sort_by_key(|failure| std::cmp::Reverse(failure.times()));
    failures
}
