//! Programs of commands as YAML.

use super::program::Program;

/// Why a text is no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// What is wrong, and where.
    pub message: String,
}

/// The program as text. Reading it gives the same program.
pub fn write(program: &Program) -> String {
    // Numbers, names and lists: nothing in it can fail to become YAML.
    serde_saphyr::to_string(program).unwrap_or_default()
}

/// The program in a text; whether it is valid is another question.
pub fn read(text: &str) -> Result<Program, Unreadable> {
    serde_saphyr::from_str(text).map_err(|e| Unreadable {
        message: e.to_string(),
    })
}
