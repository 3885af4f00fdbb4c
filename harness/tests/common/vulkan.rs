//! The Vulkan devices that there are.

use super::{classay, run};
use std::path::Path;

/// Mesa's lavapipe, past the loader.
pub const LAVAPIPE: &str = "vulkan:lvp";

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Lavapipe through the loader and by itself, and SwiftShader where Chromium's package has brought it, of these those
/// that are there.
pub fn devices() -> Vec<String> {
    let mut all = vec!["vulkan".to_owned(), LAVAPIPE.to_owned()];
    if Path::new(SWIFTSHADER).exists() {
        all.push(format!("vulkan:{SWIFTSHADER}"));
    }
    all.retain(|device| {
        let listed = run(classay().args(["devices", "--json", "--device", device]));
        let usable = listed.json().iter().any(|line| line["name"].is_string());
        if !usable {
            eprintln!("skipped: there is no {device}");
        }
        usable
    });
    all
}
