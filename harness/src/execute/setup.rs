//! Errors of calls of the harness's own.

use super::NotRun;

/// A call of the harness's own that failed, outside the case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} gives error {code}")]
pub struct SetupError {
    /// The function.
    pub call: &'static str,
    /// The code.
    pub code: i32,
}

impl From<SetupError> for NotRun {
    fn from(error: SetupError) -> NotRun {
        NotRun::Failed {
            reason: error.to_string(),
            evidence: Vec::new(),
        }
    }
}

/// Gives a code its call.
pub(super) trait Named<T> {
    fn of(self, call: &'static str) -> Result<T, SetupError>;
}

impl<T> Named<T> for Result<T, i32> {
    fn of(self, call: &'static str) -> Result<T, SetupError> {
        self.map_err(|code| SetupError { call, code })
    }
}
