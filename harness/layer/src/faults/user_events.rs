//! User events that do not keep their promises.
//!
//! Where the waiters of an event are to see something else than the event itself shows, they wait
//! for another user event, the *stand-in*, which the layer sets as the fault asks.

use super::call::{Call, outcome};
use super::crowd;
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use opencl_sys::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The stand-ins of user events, by the events' handles. An event of the program that has one is
/// held by the layer, so that its handle does not come back for another event.
static STAND_INS: Mutex<BTreeMap<usize, (Event, Event)>> = Mutex::new(BTreeMap::new());

/// Puts the stand-ins of user events into a wait list; the layer's own events go to `own`.
pub(super) fn stand_in(call: &Call, list: &mut [cl_event], own: &mut Vec<Event>) {
    let fails = call.has(ApiViolation::FailureNotPropagated);
    let first = call.has(ApiViolation::WakesFirst);
    if !fails && !first {
        return;
    }
    for place in list {
        let event = *place;
        if driver::command_of(event) != Some(CL_COMMAND_USER) {
            continue;
        }
        let Some(context) = driver::context_of_event(event) else {
            continue;
        };
        let mut stand_ins = lock(&STAND_INS);
        let known = stand_ins.contains_key(&(event as usize));
        // One that is set already wakes its waiters by itself.
        if driver::status_of(event).is_none_or(|status| status <= CL_COMPLETE) && (first || !known)
        {
            continue;
        }
        if !known {
            let Ok(other) = Event::user(context) else {
                continue;
            };
            // SAFETY: a live event of the program.
            let held = unsafe { Event::retain(event) };
            stand_ins.insert(event as usize, (other, held));
        }
        // The first command waits for the event itself where only that is to be woken.
        if let Some((other, _)) = stand_ins.get(&(event as usize))
            && (fails || known)
        {
            *place = other.raw();
            own.push(other.again());
        }
    }
}

/// Around `clCreateUserEvent`.
pub(crate) unsafe fn create(call: &Call, create: impl Fn() -> cl_event) -> cl_event {
    let event = create();
    if call.has(ApiViolation::StartsComplete) && !event.is_null() {
        let _ = driver::set_user_status(event, CL_COMPLETE);
    }
    event
}

/// Around `clSetUserEventStatus`.
pub(crate) unsafe fn set_status(
    call: &Call,
    set: impl Fn(cl_int) -> cl_int,
    event: cl_event,
    status: cl_int,
) -> cl_int {
    let Some(status) = crowd::status(call, status) else {
        return CL_SUCCESS;
    };
    let given = if status < 0 && call.does(ApiViolation::FailureCompletes) {
        CL_COMPLETE
    } else if status < 0 && call.does(ApiViolation::FailureWrongCode) {
        status.wrapping_sub(1).min(-1)
    } else {
        status
    };
    let answer = set(given);
    if call.has(ApiViolation::FailureNotPropagated) && outcome(answer).is_ok() {
        let stand_in = lock(&STAND_INS).remove(&(event as usize));
        if let Some((stand_in, _held)) = stand_in {
            if status < 0 {
                crate::effects::of_act(ApiViolation::FailureNotPropagated);
            }
            stand_in.set(CL_COMPLETE);
        }
    }
    let twice = call.has(ApiViolation::SetTwice) || call.has(ApiViolation::StartsComplete);
    if twice && answer == CL_INVALID_OPERATION {
        return CL_SUCCESS;
    }
    answer
}
