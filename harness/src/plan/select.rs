//! Which cases a run takes: `--select PATTERN` and `--skip PATTERN`.
//!
//! A pattern is matched against the whole case id and against the test's name alone; `*` stands for
//! any text and `?` for any one character.

use super::Case;
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
        self.takes_named(&[case.id.as_str(), case.id.name()])
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
