//! The names of cases.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The stable name of a case, `family/kind/name`: `litmus/classic/MP+rel+acq`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CaseId(String);

impl CaseId {
    /// A case id from its three parts. The name may contain anything but control characters;
    /// those are replaced by `_`.
    pub fn new(family: &str, kind: &str, name: &str) -> CaseId {
        let clean = |s: &str| s.replace(|c: char| c.is_control(), "_");
        CaseId(format!("{}/{}/{}", clean(family), clean(kind), clean(name)))
    }

    /// A case id read back from where it was stored.
    pub fn from_stored(text: String) -> CaseId {
        CaseId(text)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The family, before the first `/`.
    pub fn family(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// The kind with its family, before the second `/`: `litmus/classic`.
    pub fn kind(&self) -> &str {
        let end = self.0.match_indices('/').nth(1);
        end.map_or(&self.0, |(end, _)| &self.0[..end])
    }

    /// The name, after the second `/`.
    pub fn name(&self) -> &str {
        self.0.splitn(3, '/').nth(2).unwrap_or(&self.0)
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_three_parts_and_no_control_characters() {
        let id = CaseId::new("litmus", "file", "a/b\n.litmus");
        assert_eq!(id.as_str(), "litmus/file/a/b_.litmus");
        assert_eq!((id.family(), id.name()), ("litmus", "a/b_.litmus"));
        assert_eq!(id.kind(), "litmus/file");
        assert_eq!(CaseId::from_stored("odd".into()).name(), "odd");
    }
}
