//! States, failures, callbacks and times of events.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::transfer::*;

use crate::Scenario;
use crate::rig::{Notes, Rig, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("complete_with_data", complete_with_data),
    ("last_group", last_group),
    ("status_pending", status_pending),
    ("status_final", status_final),
    ("failure_status", failure_status),
    ("failure_waited", failure_waited),
    ("failure_of_user", failure_of_user),
    ("failure_stops", failure_stops),
    ("failure_goes_on", failure_goes_on),
    ("failure_finish", failure_finish),
    ("user_event", user_event),
    ("callbacks", callbacks),
    ("callback_late", callback_late),
    ("callback_data", callback_data),
    ("callback_failure", callback_failure),
    ("callback_several", callback_several),
    ("callback_waits", callback_waits),
    ("profiling", profiling),
    ("profiling_order", profiling_order),
    ("profiling_pending", profiling_pending),
];

/// What is complete has happened.
fn complete_with_data() {
    let rig = out_of_order();
    // Large enough that its end is not there when the event says so too early.
    const WORDS: usize = 1 << 20;
    let target = buffer(&rig, &vec![0; WORDS]);
    for word in 1..20 {
        let event = fill(&rig, target, word, WORDS, &[]);
        assert_eq!(wait(&[event]), CL_SUCCESS);
        let seen = words(&rig, target, WORDS);
        assert!(seen.iter().all(|w| *w == word));
    }
}

fn last_group() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }";
    let out = output(&rig, source, 16, space(&[16], &[4]));
    assert_eq!(out, [1; 16]);
}

fn status_pending() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    assert!(status(marker) > CL_RUNNING);
    assert_eq!(status(gate), CL_SUBMITTED);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[marker]), CL_SUCCESS);
}

fn status_final() {
    let rig = Rig::new();
    let marker = rig.marker(&[]);
    assert_eq!(wait(&[marker]), CL_SUCCESS);
    for _ in 0..4 {
        assert_eq!(status(marker), CL_COMPLETE);
    }
}

const IN_LIST: cl_int = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

fn failed(rig: &Rig) -> cl_event {
    let gate = rig.user_event();
    set_user(gate, -5);
    gate
}

fn settled(event: cl_event) -> cl_int {
    while status(event) > CL_COMPLETE {
        std::thread::yield_now();
    }
    status(event)
}

fn failure_status() {
    let rig = out_of_order();
    let gate = failed(&rig);
    assert_eq!(status(gate), -5);
    let marker = rig.marker(&[gate]);
    assert_eq!(settled(marker), IN_LIST);
}

fn failure_waited() {
    let rig = out_of_order();
    let marker = rig.marker(&[failed(&rig)]);
    assert_eq!(wait(&[marker]), IN_LIST);
}

fn failure_of_user() {
    let rig = out_of_order();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    set_user(gate, -5);
    assert_eq!(settled(marker), IN_LIST);
}

fn failure_stops() {
    let rig = out_of_order();
    let target = buffer(&rig, &[0]);
    let event = fill(&rig, target, 1, 1, &[failed(&rig)]);
    assert_eq!(settled(event), IN_LIST);
    assert_eq!(words(&rig, target, 1), [0], "it has run");
}

fn failure_goes_on() {
    let rig = out_of_order();
    let target = buffer(&rig, &[0]);
    let first = fill(&rig, target, 1, 1, &[failed(&rig)]);
    let second = fill(&rig, target, 1, 1, &[first]);
    assert_eq!(settled(second), IN_LIST);
}

fn failure_finish() {
    let rig = out_of_order();
    rig.marker(&[failed(&rig)]);
    rig.finish();
}

fn user_event() {
    let rig = out_of_order();
    let gate = rig.user_event();
    let markers = [rig.marker(&[gate]), rig.marker(&[gate])];
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&markers), CL_SUCCESS);
}

unsafe extern "C" fn note(_: cl_event, status: cl_int, notes: *mut c_void) {
    unsafe { Notes::at(notes) }.add(status);
}

fn ask(event: cl_event, state: cl_int, notes: &Notes) {
    let code = unsafe { clSetEventCallback(event, state, Some(note), notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
}

/// The notes are the callback's for as long as the process lives.
fn notes() -> &'static Notes {
    Box::leak(Box::default())
}

/// Waits until no more callback is to come, as far as that can be known.
fn all_told() {
    moment();
}

fn callbacks() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    let notes = notes();
    for state in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
        ask(marker, state, notes);
    }
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[marker]), CL_SUCCESS);
    for _ in 0..50 {
        if notes.seen().len() >= 3 {
            break;
        }
        moment();
    }
    all_told();
    assert_eq!(notes.seen(), [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
}

fn callback_late() {
    let rig = Rig::new();
    let marker = rig.marker(&[]);
    assert_eq!(wait(&[marker]), CL_SUCCESS);
    let notes = notes();
    ask(marker, CL_COMPLETE, notes);
    notes.wait_for(1);
}

fn callback_data() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    let notes = notes();
    ask(marker, CL_COMPLETE, notes);
    moment();
    assert!(notes.seen().is_empty(), "the callback comes early");
    set_user(gate, CL_COMPLETE);
    notes.wait_for(1);
}

fn callback_failure() {
    let rig = out_of_order();
    let (first, second) = (rig.user_event(), rig.user_event());
    let marker = rig.marker(&[first, second]);
    let notes = notes();
    ask(marker, CL_COMPLETE, notes);
    set_user(first, -5);
    set_user(second, -6);
    notes.wait_for(1);
    all_told();
    assert_eq!(notes.seen(), [IN_LIST]);
}

fn callback_several() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let notes = notes();
    ask(gate, CL_COMPLETE, notes);
    ask(gate, CL_COMPLETE, notes);
    set_user(gate, CL_COMPLETE);
    notes.wait_for(2);
}

unsafe extern "C" fn wait_for_another(_: cl_event, _: cl_int, notes: *mut c_void) {
    let notes = unsafe { Notes::at(notes) };
    notes.add(1);
    // Another command says so.
    notes.wait_for(2);
}

/// What a callback waits for goes on meanwhile.
fn callback_waits() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let first = rig.marker(&[gate]);
    let notes = notes();
    let asked = Some(wait_for_another as _);
    let code = unsafe { clSetEventCallback(first, CL_COMPLETE, asked, notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
    let second = rig.marker(&[]);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[second]), CL_SUCCESS);
    notes.add(2);
}

fn time(event: cl_event, name: cl_profiling_info) -> Result<u64, cl_int> {
    let mut time = 0u64;
    let value = (&raw mut time).cast();
    match unsafe { clGetEventProfilingInfo(event, name, 8, value, null_mut()) } {
        CL_SUCCESS => Ok(time),
        code => Err(code),
    }
}

const NAMES: [cl_profiling_info; 5] = [
    CL_PROFILING_COMMAND_QUEUED,
    CL_PROFILING_COMMAND_SUBMIT,
    CL_PROFILING_COMMAND_START,
    CL_PROFILING_COMMAND_END,
    CL_PROFILING_COMMAND_COMPLETE,
];

fn profiling() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 4096]);
    let event = fill(&rig, target, 1, 4096, &[]);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    let times = NAMES.map(|name| time(event, name).expect("profiled"));
    assert!(times.is_sorted() && times[0] > 0, "{times:?}");
}

fn profiling_order() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0; 4096]);
    let gate = rig.user_event();
    let first = fill(&rig, target, 1, 4096, &[gate]);
    let second = fill(&rig, target, 2, 4096, &[]);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[second]), CL_SUCCESS);
    let end = time(first, CL_PROFILING_COMMAND_END).expect("profiled");
    let start = time(second, CL_PROFILING_COMMAND_START).expect("profiled");
    assert!(end <= start, "the second began before the first had ended");
}

fn profiling_pending() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let mut word = 0u32;
    let mut event = null_mut();
    let target = buffer(&rig, &[0]);
    let code = unsafe {
        let to = (&raw mut word).cast();
        let queue = rig.queue;
        clEnqueueReadBuffer(queue, target, CL_FALSE, 0, 4, to, 1, &gate, &mut event)
    };
    assert_eq!(code, CL_SUCCESS);
    let told = time(event, CL_PROFILING_COMMAND_START);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(told, Err(CL_PROFILING_INFO_NOT_AVAILABLE));
    let _ = null::<u8>();
}
