//! Status, callbacks and profiling times that are wrong.

use super::answers;
use super::call::Call;
use super::later;
use crate::library::driver::{self, Event};
use crate::shared::lock;
use classay_faults::ApiViolation;
use libc::{c_void, size_t};
use opencl_sys::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, OnceLock};

/// The callback of an event.
pub(crate) type Callback = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// What a callback that takes the place of the program's can break.
const BY_CALLBACK: [ApiViolation; 5] = [
    ApiViolation::CallbackWrongStatus,
    ApiViolation::CallbackWrongEvent,
    ApiViolation::CallbackFailureLost,
    ApiViolation::CallbackTwiceOnFailure,
    ApiViolation::CallbackFirstOnly,
];

/// The program's callback and how it is called. It is never freed: an implementation may call
/// twice.
struct Instead {
    own: Callback,
    data: *mut c_void,
    /// One of `BY_CALLBACK`; none where the callback only does what waits for the completion.
    breaks: Option<ApiViolation>,
}

/// The events whose first callback has not been called yet.
static FIRST: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

unsafe extern "C" fn instead(event: cl_event, status: cl_int, data: *mut c_void) {
    later::settle();
    // SAFETY: the layer passed this along, and never frees it.
    let instead = unsafe { &*data.cast::<Instead>() };
    let (event, status) = match instead.breaks {
        Some(ApiViolation::CallbackWrongStatus) if status < 0 => (event, CL_COMPLETE),
        Some(ApiViolation::CallbackWrongStatus) => (event, status + 1),
        Some(ApiViolation::CallbackWrongEvent) => {
            let other = driver::context_of_event(event).and_then(|of| Event::user(of).ok());
            // Never released: the program may keep what it was given.
            (other.map_or(event, Event::into_raw), status)
        }
        Some(ApiViolation::CallbackFailureLost) if status < 0 => {
            crate::effects::of_act(ApiViolation::CallbackFailureLost);
            return;
        }
        Some(ApiViolation::CallbackTwiceOnFailure) if status < 0 => {
            crate::effects::of_act(ApiViolation::CallbackTwiceOnFailure);
            // SAFETY: the program's callback and its data.
            unsafe { (instead.own)(event, status, instead.data) };
            (event, status)
        }
        Some(ApiViolation::CallbackFirstOnly) => {
            lock(&FIRST).remove(&(event as usize));
            (event, status)
        }
        _ => (event, status),
    };
    let outer = IN_CALLBACK.replace(true);
    // SAFETY: the program's callback and its data.
    unsafe { (instead.own)(event, status, instead.data) };
    IN_CALLBACK.set(outer);
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a callback of an event that the layer called.
pub(super) fn in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Around `clSetEventCallback`. Lost callbacks need no hook: they are skipped calls.
pub(crate) unsafe fn set_callback(
    call: &Call,
    register: impl Fn(Option<Callback>, *mut c_void) -> cl_int,
    event: cl_event,
    status: cl_int,
    callback: Option<Callback>,
    data: *mut c_void,
) -> cl_int {
    let Some(own) = callback.filter(|_| !call.is_clean() || later::waits()) else {
        return register(callback, data);
    };
    if call.has(ApiViolation::CallbackEarly) {
        // SAFETY: the caller's callback and its data; it runs in the caller's thread.
        unsafe { own(event, status, data) };
        return CL_SUCCESS;
    }
    if call.has(ApiViolation::CallbackStatesLost) && status > CL_COMPLETE {
        return CL_SUCCESS;
    }
    if call.has(ApiViolation::CallbackUserLost)
        && status == CL_RUNNING
        && driver::command_of(event) == Some(CL_COMMAND_USER)
    {
        crate::effects::of_act(ApiViolation::CallbackUserLost);
        return CL_SUCCESS;
    }
    if call.has(ApiViolation::CallbackLateLost)
        && driver::status_of(event).is_some_and(|reached| reached <= status)
    {
        return CL_SUCCESS;
    }
    let breaks = BY_CALLBACK.into_iter().find(|one| call.has(*one));
    // The event gets no other callback until its first one was called.
    if breaks == Some(ApiViolation::CallbackFirstOnly) && !lock(&FIRST).insert(event as usize) {
        return CL_SUCCESS;
    }
    let twisted = Box::leak(Box::new(Instead { own, data, breaks }));
    let twisted: *mut c_void = (&raw mut *twisted).cast();
    let answer = register(Some(instead), twisted);
    if answer == CL_SUCCESS && call.has(ApiViolation::CallbackTwice) {
        return register(Some(instead), twisted);
    }
    answer
}

/// The events whose status was asked for, and whether it is to move back.
static ASKED: Mutex<BTreeMap<usize, bool>> = Mutex::new(BTreeMap::new());

/// The status that the query returns.
fn reported(call: &Call, event: cl_event, status: cl_int) -> cl_int {
    if status < 0 {
        return if call.does(ApiViolation::FailureHidden) {
            CL_COMPLETE
        } else if call.does(ApiViolation::FailureWrongStatus) {
            status.saturating_sub(1)
        } else {
            status
        };
    }
    if call.has(ApiViolation::StatusEarly) && driver::command_of(event) != Some(CL_COMMAND_USER) {
        return CL_COMPLETE;
    }
    if call.has(ApiViolation::StatusStuck) && status == CL_COMPLETE {
        return CL_RUNNING;
    }
    if call.has(ApiViolation::StatusBackwards) && status < CL_QUEUED {
        let mut asked = lock(&ASKED);
        let back = asked.entry(event as usize).or_insert(false);
        let now = *back;
        *back = !now;
        return status + cl_int::from(now);
    }
    status
}

/// Around `clGetEventInfo`.
pub(crate) unsafe fn info(
    call: &Call,
    ask: impl Fn() -> cl_int,
    event: cl_event,
    info: cl_event_info,
    room: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    // SAFETY: the caller's memory.
    let answer = unsafe { answers::info(call, ask, info, room, value, size) };
    let status = info == CL_EVENT_COMMAND_EXECUTION_STATUS && answer == CL_SUCCESS;
    if status && !call.is_clean() && !value.is_null() {
        let place = value.cast::<cl_int>();
        // SAFETY: the query succeeded, so a whole status was written there.
        unsafe { place.write_unaligned(reported(call, event, place.read_unaligned())) };
    }
    answer
}

/// One of the times of an event.
type Times<'a> = &'a dyn Fn(cl_profiling_info) -> Option<cl_ulong>;

/// The time that is returned for `info`, given the true ones.
fn time(call: &Call, info: cl_profiling_info, real: cl_ulong, ask: Times<'_>) -> cl_ulong {
    const QUEUED: cl_profiling_info = CL_PROFILING_COMMAND_QUEUED;
    const SUBMIT: cl_profiling_info = CL_PROFILING_COMMAND_SUBMIT;
    const START: cl_profiling_info = CL_PROFILING_COMMAND_START;
    const END: cl_profiling_info = CL_PROFILING_COMMAND_END;
    const COMPLETE: cl_profiling_info = CL_PROFILING_COMMAND_COMPLETE;
    let other = |info| ask(info).unwrap_or(real);
    if call.has(ApiViolation::TimesZero) {
        return 0;
    }
    if call.has(ApiViolation::TimesEqual) {
        return other(QUEUED);
    }
    match info {
        QUEUED if call.has(ApiViolation::TimesQueuedMissing) => 0,
        START if call.has(ApiViolation::TimesSwapped) => other(END),
        END if call.has(ApiViolation::TimesSwapped) => other(START),
        START if call.has(ApiViolation::StartBeforeSubmit) => other(SUBMIT).saturating_sub(1),
        SUBMIT if call.has(ApiViolation::SubmitBeforeQueued) => other(QUEUED).saturating_sub(1),
        // An implementation without COMPLETE (before OpenCL 2.0) ends later, all the same.
        END if call.has(ApiViolation::EndAfterComplete) => other(COMPLETE).saturating_add(1),
        _ if call.has(ApiViolation::TimesBackwards) => {
            // Each event keeps the distances between its own times.
            static MIRROR: OnceLock<cl_ulong> = OnceLock::new();
            let queued = other(QUEUED);
            let mirror = *MIRROR.get_or_init(|| queued.saturating_mul(2).max(1 << 50));
            mirror
                .saturating_sub(queued)
                .saturating_add(real.saturating_sub(queued))
        }
        _ => real,
    }
}

/// Around `clGetEventProfilingInfo`.
pub(crate) unsafe fn profiling_info(
    call: &Call,
    ask: impl Fn(cl_profiling_info, *mut c_void) -> cl_int,
    capacity: size_t,
    info: cl_profiling_info,
    value: *mut c_void,
) -> cl_int {
    let answer = ask(info, value);
    let known = matches!(
        info,
        CL_PROFILING_COMMAND_QUEUED
            | CL_PROFILING_COMMAND_SUBMIT
            | CL_PROFILING_COMMAND_START
            | CL_PROFILING_COMMAND_END
            | CL_PROFILING_COMMAND_COMPLETE
    );
    if call.is_clean() || !known || value.is_null() || capacity < size_of::<cl_ulong>() {
        return answer;
    }
    let place = value.cast::<cl_ulong>();
    if answer == CL_PROFILING_INFO_NOT_AVAILABLE && call.has(ApiViolation::TimesAlways) {
        // SAFETY: the caller's place, large enough for a time.
        unsafe { place.write_unaligned(0) };
        return CL_SUCCESS;
    }
    if answer == CL_SUCCESS {
        let ask = |info| {
            let mut time: cl_ulong = 0;
            // A time fits: the capacity is the caller's, which was enough for one.
            (ask(info, (&raw mut time).cast()) == CL_SUCCESS).then_some(time)
        };
        // SAFETY: the query succeeded, so a whole time was written there.
        unsafe { place.write_unaligned(time(call, info, place.read_unaligned(), &ask)) };
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    unsafe extern "C" fn count(_: cl_event, status: cl_int, data: *mut c_void) {
        // SAFETY: the tests pass a list.
        unsafe { (*data.cast::<Vec<cl_int>>()).push(status) };
    }

    /// Calls what is registered at once, as complete.
    fn register(callback: Option<Callback>, data: *mut c_void) -> cl_int {
        if let Some(callback) = callback {
            // SAFETY: a callback and its data.
            unsafe { callback(ptr::null_mut(), CL_COMPLETE, data) };
        }
        CL_SUCCESS
    }

    #[test]
    fn callbacks_are_called_once_twice_early_or_with_another_status() {
        let set = |call: &Call| {
            let mut seen: Vec<cl_int> = Vec::new();
            let data = (&raw mut seen).cast();
            // SAFETY: the fakes above, and their list.
            let status =
                unsafe { set_callback(call, register, ptr::null_mut(), 2, Some(count), data) };
            assert_eq!(status, CL_SUCCESS);
            seen
        };
        assert_eq!(set(&Call::default()), [CL_COMPLETE]);
        assert_eq!(
            set(&Call::broken(ApiViolation::CallbackTwice)),
            [CL_COMPLETE; 2]
        );
        assert_eq!(set(&Call::broken(ApiViolation::CallbackEarly)), [2]);
        assert_eq!(
            set(&Call::broken(ApiViolation::CallbackWrongStatus)),
            [CL_RUNNING]
        );
        assert_eq!(
            set(&Call::broken(ApiViolation::CallbackFailureLost)),
            [CL_COMPLETE]
        );
    }

    /// Times that are right: each is its own query.
    fn clock(info: cl_profiling_info, value: *mut c_void) -> cl_int {
        let time = match info {
            CL_PROFILING_COMMAND_QUEUED => 100,
            CL_PROFILING_COMMAND_SUBMIT => 110,
            CL_PROFILING_COMMAND_START => 120,
            CL_PROFILING_COMMAND_END => 130,
            _ => 140u64,
        };
        // SAFETY: the tests pass a place.
        unsafe { value.cast::<cl_ulong>().write(time) };
        CL_SUCCESS
    }

    #[test]
    fn each_fault_of_times_breaks_its_own_order() {
        let ask = |violation: ApiViolation| {
            [
                CL_PROFILING_COMMAND_QUEUED,
                CL_PROFILING_COMMAND_SUBMIT,
                CL_PROFILING_COMMAND_START,
                CL_PROFILING_COMMAND_END,
                CL_PROFILING_COMMAND_COMPLETE,
            ]
            .map(|info| {
                let mut time: cl_ulong = 0;
                // SAFETY: the fake writes a time.
                unsafe {
                    let value = (&raw mut time).cast();
                    let call = Call::broken(violation);
                    profiling_info(&call, clock, 8, info, value);
                }
                time
            })
        };
        assert_eq!(ask(ApiViolation::Corrupt), [100, 110, 120, 130, 140]);
        assert_eq!(ask(ApiViolation::TimesEqual), [100; 5]);
        assert_eq!(ask(ApiViolation::TimesZero), [0; 5]);
        let missing = ask(ApiViolation::TimesQueuedMissing);
        assert_eq!(missing, [0, 110, 120, 130, 140]);
        assert_eq!(ask(ApiViolation::TimesSwapped), [100, 110, 130, 120, 140]);
        assert_eq!(
            ask(ApiViolation::StartBeforeSubmit),
            [100, 110, 109, 130, 140]
        );
        assert_eq!(
            ask(ApiViolation::SubmitBeforeQueued),
            [100, 99, 120, 130, 140]
        );
        assert_eq!(
            ask(ApiViolation::EndAfterComplete),
            [100, 110, 120, 141, 140]
        );
        let backwards = ask(ApiViolation::TimesBackwards);
        assert_eq!(
            backwards.map(|time| time - backwards[0]),
            [0, 10, 20, 30, 40]
        );
    }
}
