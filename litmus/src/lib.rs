//! Litmus tests: language, models, oracle, kernels.
//!
//! A litmus test is a small concurrent program with a question. [`program`] is its in-memory form;
//! everything else in this crate produces or consumes it.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod breach;
pub mod cat;
pub mod explain;
pub mod generate;
pub mod kernel;
pub mod mutation;
pub mod oracle;
pub mod program;
pub mod progress;
mod shipped;
pub mod syntax;

pub use breach::Breaches;
pub use shipped::{shipped, shipped_progress, shipped_vulkan};
