//! Commands that are submitted when they are flushed, not as they are enqueued.
//!
//! The mode is read from the environment when the first queue is made, so these tests are a
//! program of their own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::ptr::{null, null_mut};
use std::sync::Once;

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::queue::*;

#[path = "api/rig.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rig;

use rig::{Rig, list, queue, release_buffers, release_events, status, wait};

fn explicit() -> Rig {
    static SET: Once = Once::new();
    // SAFETY: every test does this first, and nothing else here writes the environment.
    SET.call_once(|| unsafe { std::env::set_var("TOUCHSTONE_LATITUDE", "deferred-submission") });
    Rig::new()
}

fn still_queued(event: cl_event) -> bool {
    std::thread::sleep(std::time::Duration::from_millis(20));
    status(event) == CL_QUEUED
}

#[test]
fn a_command_is_queued_until_its_queue_is_flushed() {
    let rig = explicit();
    let marker = rig.marker(&[]);
    let other = queue(rig.context, 0);
    assert_eq!(unsafe { clFlush(other) }, CL_SUCCESS);
    assert!(still_queued(marker));
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    rig::eventually(|| status(marker) == CL_COMPLETE);
    release_events(&[marker]);
    assert_eq!(unsafe { clReleaseCommandQueue(other) }, CL_SUCCESS);
}

#[test]
fn waiting_flushes_the_queues_of_all_events() {
    let rig = explicit();
    let other = queue(rig.context, 0);
    let late = rig.marker(&[]);
    let mut waits = null_mut();
    let code = unsafe {
        let list = list(std::slice::from_ref(&late));
        touchstone::api::sync::clEnqueueMarkerWithWaitList(other, 1, list, &mut waits)
    };
    assert_eq!(code, CL_SUCCESS);
    assert!(still_queued(late) && still_queued(waits));
    // The first of the list waits for the second.
    assert_eq!(wait(&[waits, late]), CL_SUCCESS);
    release_events(&[late, waits]);
    assert_eq!(unsafe { clReleaseCommandQueue(other) }, CL_SUCCESS);
}

#[test]
fn blocking_calls_finish_and_release_flush() {
    let rig = explicit();
    let buffer = rig.buffer(0, 1);
    let first = rig.write(buffer, &[1], &[]);
    assert!(still_queued(first));
    assert_eq!(rig.read(buffer, 1), [1]);
    assert_eq!(status(first), CL_COMPLETE);

    let second = rig.write(buffer, &[2], &[]);
    assert!(still_queued(second));
    rig.finish();
    assert_eq!(status(second), CL_COMPLETE);

    let released = queue(rig.context, 0);
    let mut third = null_mut();
    let code = unsafe {
        touchstone::api::sync::clEnqueueMarkerWithWaitList(released, 0, null(), &mut third)
    };
    assert_eq!(code, CL_SUCCESS);
    assert!(still_queued(third));
    assert_eq!(unsafe { clReleaseCommandQueue(released) }, CL_SUCCESS);
    rig::eventually(|| status(third) == CL_COMPLETE);
    release_events(&[first, second, third]);
    release_buffers(&[buffer]);
}

#[test]
fn a_callback_tells_the_submission() {
    unsafe extern "C" fn note(_: cl_event, status: cl_int, notes: *mut std::ffi::c_void) {
        unsafe { rig::Notes::at(notes) }.add(status);
    }
    let rig = explicit();
    let notes = rig::Notes::default();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    let code = unsafe { clSetEventCallback(marker, CL_SUBMITTED, Some(note), notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
    assert!(still_queued(marker) && notes.seen().is_empty());
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    assert_eq!(notes.wait_for(1), [CL_SUBMITTED]);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    rig.finish();
    release_events(&[gate, marker]);
}
