//! Speaking on the process's standard error without ever failing.

use std::io::Write;

/// Writes one line. A closed or full standard error is no reason to stop.
pub(crate) fn line(message: &str) {
    text(&format!("classay-vulkan-layer: {message}\n"));
}

/// Writes a text as it is.
pub(crate) fn text(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
