//! States, failures, callbacks and times of events.

use std::ffi::c_void;

use opencl_sys::*;
use touchstone::api::event::*;

use crate::Scenario;
use crate::rig::{Notes, Rig, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("complete_with_data", complete_with_data),
    ("last_group", last_group),
    ("early_group", early_group),
    ("failure_stops", failure_stops),
    ("failure_goes_on", failure_goes_on),
    ("failure_finish", failure_finish),
    ("callback_waits", callback_waits),
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

/// Every group sees what was written before what the kernel waits for.
fn early_group() {
    let rig = out_of_order();
    let [source, target] = [buffer(&rig, &[1]), buffer(&rig, &[0; 16])];
    let kernel = kernel(
        &rig,
        "kernel void k(global int *x, global int *y) { y[get_global_id(0)] = x[0]; }",
    );
    set(kernel, 0, source);
    set(kernel, 1, target);
    let gate = rig.user_event();
    let written = fill(&rig, source, 2, 1, &[gate]);
    let read = enqueue_on(rig.queue, kernel, space(&[16], &[4]), &[written]).expect("enqueued");
    moment();
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[read]), CL_SUCCESS);
    assert_eq!(words(&rig, target, 16), [2; 16]);
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

/// The notes are the callback's for as long as the process lives.
fn notes() -> &'static Notes {
    Box::leak(Box::default())
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
