//! Which cases a run takes: `--select PATTERN`.
//!
//! A pattern is matched against the whole case id and against the test's name alone; `*` stands for
//! any text and `?` for any one character. Several patterns select what any of them matches.

use super::Case;
pub use classay_reports::pattern::matches;

/// Whether the patterns select this case; no pattern selects every case.
pub fn selected(patterns: &[String], case: &Case) -> bool {
    patterns.is_empty()
        || patterns
            .iter()
            .any(|p| matches(p, case.id.as_str()) || matches(p, case.id.name()))
}
