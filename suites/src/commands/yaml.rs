//! Programs of commands as YAML.

use super::program::Program;

/// The program as text. Reading it gives the same program.
pub fn write(program: &Program) -> String {
    // Numbers, names and lists: nothing in it can fail to become YAML.
    serde_saphyr::to_string(program).unwrap_or_default()
}

/// The program in a text; whether it is valid is another question.
///
/// # Errors
/// One sentence that says what is wrong, and where.
pub fn read(text: &str) -> Result<Program, String> {
    serde_saphyr::from_str(text).map_err(|e| e.to_string())
}
