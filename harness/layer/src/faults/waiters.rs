//! Commands that wait for those of another queue, and forget it when that queue is released.
//!
//! They wait for a user event of the layer's own in the place of the command's, which a thread sets when that command
//! has ended, or the release of its queue.

use super::call::Call;
use super::command::Command;
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use opencl_sys::*;
use std::sync::Mutex;

/// The gates, with the queues whose commands they stand for.
static GATES: Mutex<Vec<(usize, Event)>> = Mutex::new(Vec::new());

/// Puts gates into a wait list, in the place of events of other queues; the layer's own events go to `own`.
pub(super) fn stand_in(
    call: &Call,
    command: &Command,
    list: &mut [cl_event],
    own: &mut Vec<Event>,
) {
    if !call.has(ApiViolation::ReleaseWakesWaiters) {
        return;
    }
    for place in list {
        let queue = driver::queue_of(*place).unwrap_or(std::ptr::null_mut());
        let Some(gate) = Event::of_queue(command.queue)
            .ok()
            .filter(|_| !queue.is_null() && queue != command.queue)
        else {
            continue;
        };
        // SAFETY: a live event of the program's list.
        let awaited = unsafe { Event::retain(*place) };
        *place = gate.raw();
        lock(&GATES).push((queue as usize, gate.again()));
        own.push(gate.again());
        std::thread::spawn(move || {
            let status = match driver::wait(&awaited) {
                Ok(()) => CL_COMPLETE,
                Err(_) => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            };
            lock(&GATES).retain(|(_, other)| other.raw() != gate.raw());
            gate.set(status);
        });
    }
}

/// A queue is released: what waits for its commands goes on.
pub(super) fn released(queue: cl_command_queue) {
    let gates: Vec<Event> = {
        let mut all = lock(&GATES);
        let (gone, left) = all.drain(..).partition(|(of, _)| *of == queue as usize);
        *all = left;
        let gone: Vec<(usize, Event)> = gone;
        gone.into_iter().map(|(_, gate)| gate).collect()
    };
    // Not under the lock: setting a user event may run commands and callbacks of the program.
    gates.iter().for_each(|gate| gate.set(CL_COMPLETE));
}
