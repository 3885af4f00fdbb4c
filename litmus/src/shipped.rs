//! The classic tests that come with this crate, as text. Each file of `tests/` shows one thing,
//! which its comment states.

/// Every shipped test: its name, which is also its file's name without `.litmus`, and its text.
/// Sorted by name.
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    SHIPPED
}

/// Made by `build.rs`.
const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
