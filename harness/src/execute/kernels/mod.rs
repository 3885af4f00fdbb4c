//! How a kernel case is run on a device.
//!
//! A [`Bench`] holds what outlives a run: the context, in-order queues, and built programs by their
//! source. [`run`] makes the case's [`memory`], plays its steps ([`play`]) from one thread, which may
//! take part in what kernels do ([`talk`]), finishes the queues, and gives back the trace. [`images`]
//! makes images and moves them, [`ask`] asks the implementation about kernels. Nothing here judges.

#![allow(unsafe_code)]

mod ask;
mod bench;
mod images;
mod memory;
mod play;
mod talk;

pub use bench::{Bench, Benches};

use super::NotRun;
use super::setup::{Named, SetupError};
use classay_suites::kernels::case::{KernelCase, Kind};
use classay_suites::kernels::trace::Trace;

/// What a case needs that is asked for in a context: the first format of an image that the
/// implementation does not list.
pub fn lacking(bench: &Bench, case: &KernelCase) -> Result<Option<String>, SetupError> {
    for object in &case.objects {
        if let Kind::Image(image) = object.kind
            && !images::offered(bench.context, image)?
        {
            let format = image.format;
            let kind = image.shape.c_type();
            return Ok(Some(format!(
                "{kind} of the format {:?} {:?}",
                format.order, format.channel
            )));
        }
    }
    Ok(None)
}

/// Runs a valid case once.
pub fn run(bench: &mut Bench, case: &KernelCase) -> Result<Trace, NotRun> {
    let program = bench.program(case)?;
    let queues = bench.queues(&case.queues)?;
    let mut play = play::Play::make(bench, case, program, queues)?;
    play.steps()?;
    play.end()
}
