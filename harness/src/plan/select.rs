//! Which cases a run takes: `--select PATTERN` and `--skip PATTERN`.
//!
//! A pattern is matched against the whole case id and against the test's name alone, of a test of Vulkan also as the
//! command line calls it (`vulkan/SB+rlx`); `*` stands for any text and `?` for any one character.

use super::Case;
use super::cases::kind_of;
use classay_litmus::program::Api;
pub use classay_reports::pattern::matches;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is taken and what is left out, by patterns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// What any of these matches is taken; without one, everything is.
    pub select: Vec<String>,
    /// What any of these matches is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip: Vec<String>,
}

impl Selection {
    /// Takes what any of these patterns matches.
    pub fn of(select: &[&str]) -> Selection {
        Selection {
            select: select.iter().map(|pattern| pattern.to_string()).collect(),
            skip: Vec::new(),
        }
    }

    /// Whether a case is taken.
    pub fn takes(&self, case: &Case) -> bool {
        let (id, name) = (case.id.as_str(), case.id.name());
        self.takes_named(&[id, name, called(id).unwrap_or(name)])
    }

    /// Whether something that goes by these names is taken.
    pub fn takes_named(&self, names: &[&str]) -> bool {
        let any = |patterns: &[String]| {
            let named = |pattern: &String| names.iter().any(|name| matches(pattern, name));
            patterns.iter().any(named)
        };
        (self.select.is_empty() || any(&self.select)) && !any(&self.skip)
    }

    /// Whether nothing was asked for, so that everything is taken.
    pub fn is_all(&self) -> bool {
        self.select.is_empty() && self.skip.is_empty()
    }
}

/// What the command line calls the shipped test of Vulkan with this id.
fn called(id: &str) -> Option<&str> {
    let called = id.strip_prefix("litmus/")?;
    let of_vulkan = called.strip_prefix(kind_of(Api::Vulkan))?;
    of_vulkan.starts_with('/').then_some(called)
}

/// As in `MP* or SB*, without *+sc`.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.select.as_slice() {
            [] => f.write_str("*")?,
            patterns => f.write_str(&patterns.join(" or "))?,
        }
        match self.skip.as_slice() {
            [] => Ok(()),
            patterns => write!(f, ", without {}", patterns.join(" or ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_vulkan_goes_by_three_names() {
        let cases = crate::plan::shipped_of(Api::Vulkan).expect("tests");
        let case = cases.iter().find(|case| case.test == "SB+rlx");
        let case = case.expect("a test");
        for pattern in [
            "SB+rlx",
            "vulkan/SB+rlx",
            "litmus/vulkan/SB+rlx",
            "vulkan/*",
        ] {
            assert!(Selection::of(&[pattern]).takes(case), "{pattern}");
        }
        assert!(!Selection::of(&["classic/*"]).takes(case));
        assert_eq!(called("litmus/classic/SB+rlx"), None);
    }
}
