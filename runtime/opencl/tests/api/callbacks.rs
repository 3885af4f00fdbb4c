//! Callbacks: of events, of deletions.

use std::ffi::c_void;
use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::event::*;
use touchstone::api::memory::*;

use crate::rig::{Notes, Rig, context, release_buffers, release_events, status, wait};

unsafe extern "C" fn note_status(_: cl_event, status: cl_int, notes: *mut c_void) {
    unsafe { Notes::at(notes) }.add(status);
}

#[test]
fn each_status_is_told_once_and_in_order() {
    let rig = Rig::new();
    let notes = Notes::default();
    let gate = rig.user_event();
    let event = rig.marker(&[gate]);
    for trigger in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        let code =
            unsafe { clSetEventCallback(event, trigger, Some(note_status), notes.pointer()) };
        assert_eq!(code, CL_SUCCESS);
    }
    assert_eq!(notes.wait_for(1), [CL_SUBMITTED]);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(notes.wait_for(3), [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
    // Registered after the fact, it is told all the same.
    let code = unsafe { clSetEventCallback(event, CL_RUNNING, Some(note_status), notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(notes.wait_for(4)[3], CL_RUNNING);
    release_events(&[gate, event]);
}

#[test]
fn failure_is_told_to_every_callback() {
    let rig = Rig::new();
    let notes = Notes::default();
    let gate = rig.user_event();
    let event = rig.marker(&[gate]);
    for trigger in [CL_RUNNING, CL_COMPLETE] {
        let code =
            unsafe { clSetEventCallback(event, trigger, Some(note_status), notes.pointer()) };
        assert_eq!(code, CL_SUCCESS);
    }
    assert_eq!(unsafe { clSetUserEventStatus(gate, -5) }, CL_SUCCESS);
    assert_eq!(
        notes.wait_for(2),
        [CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST; 2]
    );
    release_events(&[gate, event]);
}

#[test]
fn wrong_callbacks_are_refused() {
    let rig = Rig::new();
    let event = rig.user_event();
    unsafe {
        assert_eq!(
            clSetEventCallback(event, CL_QUEUED, Some(note_status), null_mut()),
            CL_INVALID_VALUE
        );
        assert_eq!(
            clSetEventCallback(event, CL_COMPLETE, None, null_mut()),
            CL_INVALID_VALUE
        );
        assert_eq!(
            clSetEventCallback(rig.queue, CL_COMPLETE, Some(note_status), null_mut()),
            CL_INVALID_EVENT
        );
    }
    release_events(&[event]);
}

unsafe extern "C" fn set_user_event(_: cl_event, _: cl_int, gate: *mut c_void) {
    unsafe { clSetUserEventStatus(gate, CL_COMPLETE) };
}

/// A queue waits for what a callback does: it must not be the queue that runs it.
#[test]
fn a_callback_can_release_its_own_queue() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let first = rig.marker(&[]);
    let second = rig.marker(&[gate]);
    let code = unsafe { clSetEventCallback(first, CL_COMPLETE, Some(set_user_event), gate) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[second]), CL_SUCCESS);
    assert_eq!(status(second), CL_COMPLETE);
    release_events(&[gate, first, second]);
}

struct Waiting<'a> {
    notes: &'a Notes,
    until: usize,
}

unsafe extern "C" fn wait_for_notes(_: cl_event, status: cl_int, waiting: *mut c_void) {
    let waiting = unsafe { &*waiting.cast::<Waiting>() };
    waiting.notes.wait_for(waiting.until);
    waiting.notes.add(status);
}

/// A callback may take as long as it likes: neither its queue nor other contexts wait for it.
#[test]
fn a_callback_that_blocks_stops_neither_queues_nor_other_contexts() {
    let (rig, other) = (Rig::new(), Rig::new());
    let notes = Notes::default();
    let waiting = Waiting {
        notes: &notes,
        until: 2,
    };
    let user_data = std::ptr::from_ref(&waiting).cast_mut().cast();
    let first = rig.marker(&[]);
    let code = unsafe { clSetEventCallback(first, CL_COMPLETE, Some(wait_for_notes), user_data) };
    assert_eq!(code, CL_SUCCESS);
    // While it blocks, its queue goes on.
    let buffer = rig.buffer(0, 4);
    let second = rig.write(buffer, &[1, 2, 3, 4], &[]);
    assert_eq!(wait(&[second]), CL_SUCCESS);
    rig.finish();
    notes.add(7);
    // And callbacks of another context are called.
    let elsewhere = other.marker(&[]);
    let code =
        unsafe { clSetEventCallback(elsewhere, CL_RUNNING, Some(note_status), notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(notes.wait_for(3), [7, CL_RUNNING, CL_COMPLETE]);
    release_events(&[first, second, elsewhere]);
    release_buffers(&[buffer]);
}

/// User events are submitted from the start, and run when they are set.
#[test]
fn user_events_tell_their_states_too() {
    let rig = Rig::new();
    for (status, told) in [
        (CL_COMPLETE, [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]),
        (-9, [CL_SUBMITTED, -9, -9]),
    ] {
        let notes = Notes::default();
        let event = rig.user_event();
        for trigger in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
            let code =
                unsafe { clSetEventCallback(event, trigger, Some(note_status), notes.pointer()) };
            assert_eq!(code, CL_SUCCESS);
        }
        assert_eq!(notes.wait_for(1), [CL_SUBMITTED]);
        assert_eq!(unsafe { clSetUserEventStatus(event, status) }, CL_SUCCESS);
        assert_eq!(notes.wait_for(3), told);
        release_events(&[event]);
    }
}

struct Tagged<'a>(&'a Notes, i32);

unsafe extern "C" fn note_tag(_: cl_mem, tagged: *mut c_void) {
    let tagged = unsafe { &*tagged.cast::<Tagged>() };
    tagged.0.add(tagged.1);
}

#[test]
fn deletion_is_told_in_reverse_order_when_it_happens() {
    let rig = Rig::new();
    let notes = Notes::default();
    let tags: Vec<_> = (0..3).map(|tag| Tagged(&notes, tag)).collect();
    let buffer = rig.buffer(0, 64);
    for tag in &tags {
        let user_data = std::ptr::from_ref(tag).cast_mut().cast();
        let code = unsafe { clSetMemObjectDestructorCallback(buffer, Some(note_tag), user_data) };
        assert_eq!(code, CL_SUCCESS);
    }
    let event = rig.write(buffer, &[1], &[]);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    assert_eq!(notes.seen(), []);
    release_buffers(&[buffer]);
    assert_eq!(notes.seen(), [2, 1, 0]);
    release_events(&[event]);
}

#[test]
fn a_context_tells_its_deletion_too() {
    let notes = Notes::default();
    let tag = Tagged(&notes, 5);
    let context = context();
    let user_data = std::ptr::from_ref(&tag).cast_mut().cast();
    unsafe {
        assert_eq!(
            clSetContextDestructorCallback(context, Some(note_tag), user_data),
            CL_SUCCESS
        );
        assert_eq!(
            clSetContextDestructorCallback(context, None, user_data),
            CL_INVALID_VALUE
        );
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
    assert_eq!(notes.wait_for(1), [5]);
}
