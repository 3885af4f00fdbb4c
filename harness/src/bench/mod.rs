//! How fast a device runs what the suites generate.

mod litmus;
mod programs;

pub use litmus::{Litmus, Rate, litmus};
pub use programs::{Programs, programs};
