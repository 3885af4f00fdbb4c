//! Tells the loader of the library: a manifest in JSON (LoaderLayerInterface.md of the Vulkan loader, "Layer Manifest
//! File Format").
//!
//! `VK_ADD_LAYER_PATH` names the folder of the manifest to the loader, or `VK_LAYER_PATH` in the place of all others,
//! and `VK_INSTANCE_LAYERS` names the layer.

use std::io;
use std::path::{Path, PathBuf};

/// The name of the layer.
pub const NAME: &str = "VK_LAYER_CLASSAY_faults";

/// What the layer says of itself.
pub(crate) const DESCRIPTION: &str = "Breaks promises of the memory model on request";

/// The version of the layer itself.
pub(crate) const VERSION: u32 = 1;

/// The name of the manifest's file.
pub const FILE: &str = "VkLayer_classay_faults.json";

/// The manifest of a library; a relative path is one from the folder of the manifest.
pub fn manifest(library: &str) -> String {
    include_str!("manifest.json").replace("@LIBRARY@", &escaped(library))
}

/// Writes the manifest of a library into a folder, and returns its path.
///
/// # Errors
/// What keeps the file from being written, and a path that is no UTF-8, which JSON does not have.
pub fn write(library: &Path, folder: &Path) -> io::Result<PathBuf> {
    let library = std::path::absolute(library)?;
    let Some(library) = library.to_str() else {
        let what = format!("{} is not valid UTF-8", library.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    };
    let path = folder.join(FILE);
    std::fs::write(&path, manifest(library))?;
    Ok(path)
}

/// A text in a string of JSON.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_the_layer_and_its_library() {
        let text = manifest("/a \"b\"\\c\n/lib.so");
        assert!(text.contains(&format!("\"name\": \"{NAME}\"")));
        assert!(text.contains(&format!("\"description\": \"{DESCRIPTION}\"")));
        assert!(text.contains(&format!("\"implementation_version\": \"{VERSION}\"")));
        assert!(text.contains(r#""library_path": "/a \"b\"\\c\u000a/lib.so""#));
    }
}
