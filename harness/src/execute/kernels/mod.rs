//! How a kernel case is run on a device.
//!
//! A [`Bench`] holds what outlives a run: the context, an in-order queue, and built programs by their
//! source. [`run`] makes the case's [`memory`], plays its steps ([`play`]) from one thread, finishes
//! the queue, and gives back the trace. Nothing here judges.

#![allow(unsafe_code)]

mod bench;
mod memory;
mod play;

pub use bench::Bench;

use super::NotRun;
use super::commands::Named;
use classay_suites::kernels::case::KernelCase;
use classay_suites::kernels::trace::Trace;

/// Runs a valid case once.
pub fn run(bench: &mut Bench, case: &KernelCase) -> Result<Trace, NotRun> {
    let program = bench.program(case)?;
    let mut play = play::Play::make(bench, case, program)?;
    play.steps()?;
    play.end()
}
