//! How fast a device runs what the suites generate.

mod known;
mod litmus;
mod programs;

pub use known::{Known, PRECISION, Process, Scatter, Soonest, known, tests_for};
pub use litmus::{Litmus, Rate, litmus};
pub use programs::{Programs, programs};
