//! The classic tests that come with this crate, as text. Each file of `tests/` shows one thing,
//! which its comment states.

/// Every shipped test: its name, which is also its file's name without `.litmus`, and its text.
/// Sorted by name.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}

/// Every shipped test of Vulkan, likewise; the files of `tests/vulkan/`.
pub fn shipped_vulkan() -> &'static [(&'static str, &'static str)] {
    SHIPPED_VULKAN
}

/// Every shipped program of progress, likewise: spin loops whose end depends on who is scheduled; the files of
/// `tests/progress/`. They are OpenCL's; [`crate::progress`] makes them Vulkan's.
pub fn shipped_progress() -> &'static [(&'static str, &'static str)] {
    SHIPPED_PROGRESS
}

/// Made by `build.rs`, like the other ones.
const SHIPPED_PROGRESS: &[(&str, &str)] =
    include!(concat!(env!("OUT_DIR"), "/shipped_progress.rs"));

/// Made by `build.rs`, like the other one.
const SHIPPED_VULKAN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped_vulkan.rs"));

/// Made by `build.rs`.
const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
