//! Wait lists that are not what the program gave.

use super::call::Call;
use super::command::{BARRIER, Command};
use super::{crowd, user_events, waiters};
use crate::library::driver::{self, Event};
use classay_faults::ApiViolation;
use opencl_sys::*;

/// A list that takes the place of the program's.
pub(super) struct Changed {
    list: Vec<cl_event>,
    /// Events in it that are the layer's own.
    _own: Vec<Event>,
}

impl Changed {
    /// The list that the implementation is to see.
    pub(super) fn list(&self) -> &[cl_event] {
        &self.list
    }
}

/// The list that the command waits for instead of its own; none if it keeps its own. A list that
/// is wrong is the implementation's to judge.
///
/// # Safety
/// The command's list is NULL or as long as it says, its events are live or NULL.
pub(super) unsafe fn change(call: &Call, command: &Command) -> Option<Changed> {
    // SAFETY: this function's own contract.
    let given = unsafe { command.waits() };
    if given.is_empty() && command.entry == BARRIER && call.has(ApiViolation::BarrierEarly) {
        let complete = Event::complete(command.queue).ok()?;
        return Some(Changed {
            list: vec![complete.raw()],
            _own: vec![complete],
        });
    }
    if given.is_empty() || given.iter().any(|event| event.is_null()) {
        return None;
    }
    let mut list = given.to_vec();
    let mut own = Vec::new();
    if call.has(ApiViolation::WaitsIgnored) {
        list.clear();
    }
    if call.has(ApiViolation::WaitsOutOfOrderIgnored)
        && driver::properties_of(command.queue)
            .is_some_and(|bits| bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0)
    {
        list.clear();
    }
    if call.has(ApiViolation::WaitsFirstOnly) {
        list.truncate(1);
    }
    if list.len() > 64 && call.does(ApiViolation::WaitsAfter64Dropped) {
        list.truncate(64);
    }
    if list.len() > 255 && call.does(ApiViolation::WaitsAfter255Dropped) {
        list.truncate(255);
    }
    if crowd::loses_list(call) {
        list.clear();
    }
    if call.has(ApiViolation::WaitsLastDropped) && list.len() > 1 {
        list.pop();
    }
    if call.has(ApiViolation::WaitsDuplicatesDropped) {
        list.retain(|event| given.iter().filter(|other| *other == event).count() == 1);
    }
    if call.has(ApiViolation::WaitsOtherQueueIgnored) {
        list.retain(|event| {
            driver::queue_of(*event).is_none_or(|queue| queue.is_null() || queue == command.queue)
        });
    }
    if call.has(ApiViolation::WaitsOtherDeviceIgnored) {
        let own = driver::device_of_queue(command.queue);
        list.retain(|event| {
            let queue = driver::queue_of(*event).filter(|queue| !queue.is_null());
            queue.is_none_or(|queue| driver::device_of_queue(queue) == own)
        });
    }
    if call.has(ApiViolation::WaitsUserEventsIgnored) {
        list.retain(|event| driver::command_of(*event) != Some(CL_COMMAND_USER));
    }
    if call.has(ApiViolation::WaitsMarkersIgnored) {
        list.retain(|event| {
            !matches!(
                driver::command_of(*event),
                Some(CL_COMMAND_MARKER | CL_COMMAND_BARRIER)
            )
        });
    }
    user_events::stand_in(call, &mut list, &mut own);
    waiters::stand_in(call, command, &mut list, &mut own);
    if list == given {
        return None;
    }
    if list.is_empty() && command.orders() {
        // An empty list would mean everything before: a complete event means nothing at all.
        if let Ok(complete) = Event::complete(command.queue) {
            list.push(complete.raw());
            own.push(complete);
        }
    }
    Some(Changed { list, _own: own })
}
