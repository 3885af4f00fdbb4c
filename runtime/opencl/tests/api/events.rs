//! Events: states, failure and its propagation, user events, profiling, wait lists.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::sync::*;
use touchstone::api::transfer::*;

use crate::rig::{
    Rig, context, eventually, list, query, release_buffers, release_events, status, wait,
};

#[test]
fn a_user_event_starts_submitted_and_is_set_once() {
    let rig = Rig::new();
    let event = rig.user_event();
    assert_eq!(status(event), CL_SUBMITTED);
    let queue: usize = query(|size, value, ret| unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, size, value, ret)
    });
    let kind: u32 = query(|size, value, ret| unsafe {
        clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, size, value, ret)
    });
    assert_eq!((queue, kind), (0, CL_COMMAND_USER));
    unsafe {
        assert_eq!(clSetUserEventStatus(event, CL_RUNNING), CL_INVALID_VALUE);
        assert_eq!(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
        assert_eq!(
            clSetUserEventStatus(event, CL_COMPLETE),
            CL_INVALID_OPERATION
        );
        assert_eq!(clSetUserEventStatus(event, -7), CL_INVALID_OPERATION);
    }
    assert_eq!(status(event), CL_COMPLETE);
    let marker = rig.marker(&[]);
    assert_eq!(
        unsafe { clSetUserEventStatus(marker, CL_COMPLETE) },
        CL_INVALID_EVENT
    );
    rig.finish();
    release_events(&[event, marker]);
}

#[test]
fn failure_ends_the_waiters_and_nothing_else() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 1);
    let gate = rig.user_event();
    let waiter = rig.write(buffer, &[1], &[gate]);
    let second = rig.marker(&[waiter]);
    let bystander = rig.marker(&[]);
    assert_eq!(unsafe { clSetUserEventStatus(gate, -42) }, CL_SUCCESS);
    let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(wait(&[gate]), failed);
    assert_eq!(wait(&[waiter, second]), failed);
    assert_eq!(wait(&[bystander]), CL_SUCCESS);
    rig.finish();
    assert_eq!(status(gate), -42);
    assert_eq!((status(waiter), status(second)), (failed, failed));
    assert_eq!(rig.read(buffer, 1), [0], "a command that failed has run");

    // A blocking call that waits for a failed event says so.
    let mut byte = 9u8;
    let code = unsafe {
        clEnqueueReadBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            0,
            1,
            (&raw mut byte).cast(),
            1,
            &gate,
            null_mut(),
        )
    };
    assert_eq!((code, byte), (failed, 9));
    release_events(&[gate, waiter, second, bystander]);
    release_buffers(&[buffer]);
}

#[test]
fn a_released_user_event_can_still_be_waited_for() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let marker = rig.marker(&[gate]);
    unsafe {
        assert_eq!(clReleaseEvent(gate), CL_SUCCESS);
        // The command that waits keeps it.
        assert_eq!(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    }
    assert_eq!(wait(&[marker]), CL_SUCCESS);
    release_events(&[marker]);
}

#[test]
fn profiling_times_are_in_order_and_inside_the_call() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 1 << 20);
    let bytes = vec![7u8; 1 << 20];
    let before = touchstone::clock::now();
    let event = rig.write(buffer, &bytes, &[]);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    let after = touchstone::clock::now();
    let time = |name| -> u64 {
        query(|size, value, ret| unsafe { clGetEventProfilingInfo(event, name, size, value, ret) })
    };
    let times = [
        before,
        time(CL_PROFILING_COMMAND_QUEUED),
        time(CL_PROFILING_COMMAND_SUBMIT),
        time(CL_PROFILING_COMMAND_START),
        time(CL_PROFILING_COMMAND_END),
        time(CL_PROFILING_COMMAND_COMPLETE),
        after,
    ];
    assert!(times.is_sorted(), "{times:?}");
    assert!(times[3] < times[4], "a megabyte was copied in no time");
    release_events(&[event]);
    release_buffers(&[buffer]);
}

#[test]
fn profiling_is_refused_where_there_is_none() {
    let profiling = |event| unsafe {
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, null_mut(), null_mut())
    };
    let rig = Rig::new();
    let gate = rig.user_event();
    let held = rig.marker(&[gate]);
    assert_eq!(profiling(gate), CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(profiling(held), CL_PROFILING_INFO_NOT_AVAILABLE);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(wait(&[held]), CL_SUCCESS);
    assert_eq!(profiling(held), CL_SUCCESS);
    let unprofiled = Rig::with(0);
    let marker = unprofiled.marker(&[]);
    assert_eq!(wait(&[marker]), CL_SUCCESS);
    assert_eq!(profiling(marker), CL_PROFILING_INFO_NOT_AVAILABLE);
    release_events(&[gate, held, marker]);
}

#[test]
fn wait_lists_are_checked() {
    let rig = Rig::new();
    let foreign_rig = Rig::new();
    let own = rig.user_event();
    let foreign = foreign_rig.user_event();
    let marker = |count, events: *const cl_event| unsafe {
        clEnqueueMarkerWithWaitList(rig.queue, count, events, null_mut())
    };
    assert_eq!(marker(1, null()), CL_INVALID_EVENT_WAIT_LIST);
    assert_eq!(marker(0, &own), CL_INVALID_EVENT_WAIT_LIST);
    assert_eq!(
        marker(2, list(&[own, null_mut()])),
        CL_INVALID_EVENT_WAIT_LIST
    );
    assert_eq!(marker(1, &foreign), CL_INVALID_CONTEXT);
    assert_eq!(wait(&[own, foreign]), CL_INVALID_CONTEXT);
    assert_eq!(unsafe { clWaitForEvents(0, &own) }, CL_INVALID_VALUE);
    assert_eq!(wait(&[rig.queue]), CL_INVALID_EVENT);
    let code = unsafe { clEnqueueWaitForEvents(rig.queue, 1, &null_mut()) };
    assert_eq!(code, CL_INVALID_EVENT);
    // The same event twice is one event.
    assert_eq!(marker(2, list(&[own, own])), CL_SUCCESS);
    assert_eq!(
        unsafe { clSetUserEventStatus(own, CL_COMPLETE) },
        CL_SUCCESS
    );
    rig.finish();
    release_events(&[own, foreign]);
}

#[test]
fn events_are_deleted_with_their_last_reference() {
    let rig = Rig::new();
    let marker = rig.marker(&[]);
    rig.finish();
    assert_eq!(unsafe { clRetainEvent(marker) }, CL_SUCCESS);
    release_events(&[marker, marker]);
    assert_eq!(unsafe { clReleaseEvent(marker) }, CL_INVALID_EVENT);
    eventually(
        || unsafe { clGetEventInfo(marker, 0, 0, null_mut(), null_mut()) } == CL_INVALID_EVENT,
    );
}

#[test]
fn a_context_of_its_own_has_no_common_events() {
    let context = context();
    let mut code = 1;
    let event = unsafe { clCreateUserEvent(context, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    unsafe {
        assert_eq!(
            touchstone::api::context::clReleaseContext(context),
            CL_SUCCESS
        );
        let of_event: usize =
            query(|size, value, ret| clGetEventInfo(event, CL_EVENT_CONTEXT, size, value, ret));
        assert_eq!(of_event, context as usize);
        assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        clCreateUserEvent(context, &mut code);
    }
    assert_eq!(code, CL_INVALID_CONTEXT);
}
