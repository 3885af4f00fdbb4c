//! Kernel cases as YAML.

use super::case::KernelCase;

/// Why a text is no kernel case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    /// What is wrong, and where.
    pub message: String,
}

/// The case as text. Reading it gives the same case.
pub fn write(case: &KernelCase) -> String {
    // Numbers, names and lists: nothing in it can fail to become YAML.
    serde_saphyr::to_string(case).unwrap_or_default()
}

/// The case in a text, where every place in it lies in an object.
pub fn read(text: &str) -> Result<KernelCase, Unreadable> {
    let case: KernelCase = serde_saphyr::from_str(text).map_err(|e| Unreadable {
        message: e.to_string(),
    })?;
    super::valid::valid(&case).map_err(|message| Unreadable { message })?;
    Ok(case)
}
