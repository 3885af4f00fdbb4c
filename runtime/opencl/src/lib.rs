//! Touchstone: the OpenCL API over the executors.
#![warn(clippy::missing_errors_doc)]
#![allow(non_snake_case)]

pub mod api;
pub mod callback;
pub mod children;
pub mod clock;
pub mod command_buffer;
pub mod context;
pub mod destructors;
pub mod environment;
pub mod ffi;
pub mod frontend;
pub mod icd;
pub mod kernel;
pub mod memory;
pub mod object;
pub mod platform;
pub mod program;
pub mod queue;
pub mod report;
pub mod sampler;

/// The `opt-level` that the library was compiled with, as cargo writes it.
pub const OPT_LEVEL: &str = env!("TOUCHSTONE_OPT_LEVEL");

/// A command is made by one thread and let go of by another. The system's allocator makes
/// the two wait for each other; in this one, memory goes back without a lock.
#[cfg(not(detects_races))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
