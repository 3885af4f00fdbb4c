//! Callbacks, status, user events, failures and profiling times.

use crate::cl::{Cl, NULL, Outcome, cl, done, must};
use libc::c_void;
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const SIZE: usize = 256;

/// What a callback was called with, in order.
type Calls = Mutex<Vec<(usize, cl_int)>>;

unsafe extern "C" fn note(event: cl_event, status: cl_int, data: *mut c_void) {
    // SAFETY: the probes pass lists that are never freed.
    let calls = unsafe { &*data.cast::<Calls>() };
    if let Ok(mut calls) = calls.lock() {
        calls.push((event as usize, status));
    }
}

fn register(cl: &Cl, event: cl_event) -> Outcome<&'static Calls> {
    register_for(cl, event, CL_COMPLETE)
}

fn register_for(cl: &Cl, event: cl_event, state: cl_int) -> Outcome<&'static Calls> {
    let calls: &'static Calls = Box::leak(Box::default());
    let data: *mut c_void = ptr::from_ref(calls).cast_mut().cast();
    let status = cl!(cl, clSetEventCallback: clSetEventCallback_t, event, state, Some(note), data);
    done("clSetEventCallback", status)?;
    Ok(calls)
}

fn seen(calls: &Calls) -> Vec<(usize, cl_int)> {
    calls.lock().map(|calls| calls.clone()).unwrap_or_default()
}

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    Some(match name {
        "callback" => callback(cl),
        "callback-failure" => callback_failure(cl),
        "callback-late" => callback_late(cl),
        "callback-states" => callback_states(cl),
        "callback-user-event" => callback_user_event(cl),
        "callback-two" => callback_two(cl),
        "status" => status(cl),
        "failure" => failure(cl),
        "failure-code" => failure_code(cl),
        "failure-wait" => failure_wait(cl),
        "failure-among-others" => failure_among_others(cl),
        "user-event" => user_event(cl),
        "user-event-twice" => user_event_twice(cl),
        "times" => times(cl),
        "times-without" => times_without(cl),
        "over-release" => over_release(cl),
        "callback-release" => callback_release(cl),
        "references" => references(cl),
        _ => return None,
    })
}

fn fill(cl: &Cl, list: &[cl_event]) -> Outcome<cl_event> {
    let buffer = cl.buffer(&[0; SIZE])?;
    cl.fill(cl.free, buffer, 1, SIZE, list)
}

fn callback(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    let calls = register(cl, event)?;
    must(
        seen(calls).is_empty(),
        "a callback is not called before its command is complete",
    )?;
    cl.set(gate, CL_COMPLETE)?;
    cl.flush(cl.free)?;
    cl.soon(|| Ok(!seen(calls).is_empty()), "a callback is called")?;
    must(
        seen(calls)[0] == (event as usize, CL_COMPLETE),
        "a callback gets its event and status",
    )?;
    cl.never(|| Ok(seen(calls).len() > 1), "a callback is called once")
}

fn callback_failure(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    let calls = register(cl, event)?;
    cl.set(gate, -7)?;
    cl.soon(
        || Ok(!seen(calls).is_empty()),
        "a callback is called when the command fails",
    )?;
    must(seen(calls)[0].1 < 0, "a callback gets the failure")?;
    cl.never(|| Ok(seen(calls).len() > 1), "a callback is called once")
}

fn callback_late(cl: &Cl) -> Outcome {
    let event = fill(cl, &[])?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    let calls = register(cl, event)?;
    cl.soon(
        || Ok(!seen(calls).is_empty()),
        "a callback registered after the fact is called",
    )
}

fn callback_two(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    let both = [register(cl, event)?, register(cl, event)?];
    cl.set(gate, CL_COMPLETE)?;
    cl.flush(cl.free)?;
    cl.soon(
        || Ok(both.iter().all(|calls| seen(calls).len() == 1)),
        "each callback is called",
    )
}

fn status(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    must(
        cl.status(event)? > CL_COMPLETE,
        "a command that waits is not complete",
    )?;
    cl.set(gate, CL_COMPLETE)?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    cl.soon(
        || Ok(cl.status(event)? == CL_COMPLETE),
        "a complete command is said to be complete",
    )?;
    for _ in 0..4 {
        must(
            cl.status(event)? == CL_COMPLETE,
            "a status never moves back",
        )?;
    }
    Ok(())
}

fn failure(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let buffer = cl.buffer(&[7; SIZE])?;
    let event = cl.fill(cl.free, buffer, 1, SIZE, &[gate])?;
    cl.set(gate, -7)?;
    cl.flush(cl.free)?;
    cl.soon(
        || Ok(cl.status(event)? <= CL_COMPLETE),
        "a failed command ends",
    )?;
    let status = cl.status(event)?;
    must(
        status < 0,
        &format!("a command fails when what it waits for has failed (its status is {status})"),
    )?;
    must(
        cl.word(buffer)? == 0x0707_0707,
        "a command that fails does not run",
    )
}

fn failure_code(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    cl.set(gate, -7)?;
    must(
        cl.status(gate)? == -7,
        "a user event has the status that it was given",
    )
}

fn failure_wait(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    cl.set(gate, -7)?;
    cl.flush(cl.free)?;
    let answer = cl.wait(&[event]);
    must(
        answer == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        "clWaitForEvents reports the failure",
    )
}

fn failure_among_others(cl: &Cl) -> Outcome {
    let (failed, gate) = (cl.user_event()?, cl.user_event()?);
    let event = fill(cl, &[gate])?;
    cl.set(failed, -7)?;
    cl.flush(cl.free)?;
    cl.blocks(gate, || {
        must(
            cl.wait(&[failed, event]) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            "clWaitForEvents reports the failure",
        )
    })
}

fn user_event(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let both = [fill(cl, &[gate])?, fill(cl, &[gate])?];
    cl.gated(cl.free, both[0], gate)?;
    done("clWaitForEvents", cl.wait(&both))
}

fn user_event_twice(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    cl.set(gate, CL_COMPLETE)?;
    must(
        cl.set(gate, CL_COMPLETE).is_err(),
        "a user event is set once",
    )
}

fn time(cl: &Cl, event: cl_event, info: cl_profiling_info) -> Outcome<cl_ulong> {
    let mut time: cl_ulong = 0;
    let answer = cl!(cl, clGetEventProfilingInfo: clGetEventProfilingInfo_t,
        event, info, 8, (&raw mut time).cast(), ptr::null_mut());
    done("clGetEventProfilingInfo", answer)?;
    Ok(time)
}

fn times(cl: &Cl) -> Outcome {
    let buffer = cl.buffer(&[0; SIZE])?;
    let kernel = cl.kernel(c"busy", buffer, 20_000)?;
    let first = cl.launch(cl.queue, kernel, &[])?;
    let second = cl.launch(cl.queue, kernel, &[first])?;
    cl.finish(cl.queue)?;
    let mut ends = Vec::new();
    for event in [first, second] {
        let queued = time(cl, event, CL_PROFILING_COMMAND_QUEUED)?;
        must(queued > 0, "a command has the time of its enqueue")?;
        let mut before = 0;
        for (info, state) in [
            (CL_PROFILING_COMMAND_QUEUED, "queued"),
            (CL_PROFILING_COMMAND_SUBMIT, "submitted"),
            (CL_PROFILING_COMMAND_START, "started"),
            (CL_PROFILING_COMMAND_END, "ended"),
            (CL_PROFILING_COMMAND_COMPLETE, "complete"),
        ] {
            let now = match time(cl, event, info) {
                // Before OpenCL 2.0 there is no such time.
                Err(_) if info == CL_PROFILING_COMMAND_COMPLETE => before,
                other => other?,
            };
            must(
                now >= before,
                &format!("a command is not {state} before the state before it"),
            )?;
            before = now;
        }
        let (start, end) = (
            time(cl, event, CL_PROFILING_COMMAND_START)?,
            time(cl, event, CL_PROFILING_COMMAND_END)?,
        );
        must(end > start, "a kernel takes time")?;
        ends.push((start, end));
    }
    must(
        ends[1].0 >= ends[0].1,
        "a command starts after what it waits for",
    )
}

fn times_without(cl: &Cl) -> Outcome {
    let event = fill(cl, &[])?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    let answer = time(cl, event, CL_PROFILING_COMMAND_END);
    must(answer.is_err(), "a queue without profiling has no times")
}

fn over_release(cl: &Cl) -> Outcome {
    let answer = cl!(cl, clReleaseEvent: clReleaseEvent_t, NULL);
    must(
        answer == CL_INVALID_EVENT,
        "what is no event cannot be released",
    )
}

/// An event that a callback releases, and whether it has.
struct Released {
    cl: *const Cl,
    event: cl_event,
    done: AtomicBool,
}

unsafe extern "C" fn release(_: cl_event, _: cl_int, data: *mut c_void) {
    // SAFETY: the probe passes what is never freed.
    let released = unsafe { &*data.cast::<Released>() };
    // SAFETY: the probe waits for the callback, and lives longer.
    let cl = unsafe { &*released.cl };
    cl!(cl, clReleaseEvent: clReleaseEvent_t, released.event);
    released.done.store(true, Ordering::Release);
}

fn callback_release(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    let status = cl!(cl, clRetainEvent: clRetainEvent_t, event);
    done("clRetainEvent", status)?;
    let released: &Released = Box::leak(Box::new(Released {
        cl,
        event,
        done: AtomicBool::new(false),
    }));
    let data: *mut c_void = ptr::from_ref(released).cast_mut().cast();
    let status = cl!(cl, clSetEventCallback: clSetEventCallback_t,
        event, CL_COMPLETE, Some(release), data);
    done("clSetEventCallback", status)?;
    cl.set(gate, CL_COMPLETE)?;
    cl.flush(cl.free)?;
    cl.soon(
        || Ok(released.done.load(Ordering::Acquire)),
        "an event is released in its callback",
    )?;
    cl.soon(
        || Ok(count(cl, event)? == 1),
        "a reference that a callback releases is gone",
    )
}

/// The references of an event.
fn count(cl: &Cl, event: cl_event) -> Outcome<cl_uint> {
    let mut count: cl_uint = 0;
    let status = cl!(cl, clGetEventInfo: clGetEventInfo_t,
        event, CL_EVENT_REFERENCE_COUNT, 4, (&raw mut count).cast(), ptr::null_mut());
    done("clGetEventInfo", status)?;
    Ok(count)
}

/// The references of an event that is retained and released.
fn references(cl: &Cl) -> Outcome {
    let event = cl.user_event()?;
    let status = cl!(cl, clRetainEvent: clRetainEvent_t, event);
    done("clRetainEvent", status)?;
    let status = cl!(cl, clReleaseEvent: clReleaseEvent_t, event);
    done("clReleaseEvent", status)?;
    must(
        count(cl, event)? == 1,
        "a reference that is released is gone",
    )
}

fn callback_states(cl: &Cl) -> Outcome {
    let gate = cl.user_event()?;
    let event = fill(cl, &[gate])?;
    let both = [
        register_for(cl, event, CL_SUBMITTED)?,
        register_for(cl, event, CL_RUNNING)?,
    ];
    cl.set(gate, CL_COMPLETE)?;
    cl.flush(cl.free)?;
    cl.soon(
        || Ok(both.iter().all(|calls| seen(calls).len() == 1)),
        "callbacks for submitted and running are called",
    )
}

/// Who registers for CL_RUNNING is called when a user event is complete, which is past that.
fn callback_user_event(cl: &Cl) -> Outcome {
    let event = cl.user_event()?;
    let calls = register_for(cl, event, CL_RUNNING)?;
    cl.set(event, CL_COMPLETE)?;
    cl.soon(
        || Ok(seen(calls).len() == 1),
        "a callback for running of a user event is called",
    )
}
