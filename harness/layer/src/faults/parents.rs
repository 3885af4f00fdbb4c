//! Kernels that enqueue others, and are complete before those are.
//!
//! Such a kernel runs in a queue of the layer's own. In the program's queue two markers stand for it: behind the
//! first one it begins, and the second one, whose event the program gets, waits for a user event that is set a
//! moment after it has begun.

use super::command::Command;
use crate::library::driver::{self, Event};
use opencl_sys::*;
use std::ptr;
use std::time::Duration;

/// How long after its begin the kernel is said to be complete: most have ended themselves by then.
const MOMENT: Duration = Duration::from_micros(300);
/// Between two looks at whether it has begun.
const PAUSE: Duration = Duration::from_micros(50);

/// Whether a kernel is of a source in which kernels are enqueued.
pub(super) fn enqueues(kernel: cl_kernel) -> bool {
    let wanted = b"enqueue_kernel";
    driver::program_of(kernel)
        .and_then(driver::source_of)
        .is_some_and(|source| source.windows(wanted.len()).any(|part| part == wanted))
}

/// Enqueues a kernel for a command: `run` does it, in a queue and behind a list.
///
/// # Safety
/// The command's list is NULL or as long as it says; the place for its event is NULL or may be written.
pub(super) unsafe fn launch(
    command: &Command,
    run: impl FnOnce(cl_command_queue, &[cl_event]) -> Result<Event, cl_int>,
) -> Result<(), cl_int> {
    let mut first = ptr::null_mut();
    let (queue, count, list, place) = command.place();
    driver::marker((queue, count, list, &raw mut first))?;
    // SAFETY: the marker was enqueued, and nobody else has its event.
    let before = unsafe { Event::adopt(first) };
    driver::flush(queue)?;
    let own = driver::queue_beside(queue)?;
    let parent = run(own, &[before.raw()]);
    let flushed = driver::flush(own);
    driver::release_queue(own);
    flushed?;
    let parent = parent?;
    let end = Event::of_queue(queue)?;
    let list = end.raw();
    driver::marker((queue, 1, &raw const list, place))?;
    std::thread::spawn(move || {
        while driver::status_of(parent.raw()).is_some_and(|status| status > CL_RUNNING) {
            std::thread::sleep(PAUSE);
        }
        std::thread::sleep(MOMENT);
        let status = driver::status_of(parent.raw()).unwrap_or(CL_COMPLETE);
        end.set(status.min(CL_COMPLETE));
    });
    Ok(())
}
