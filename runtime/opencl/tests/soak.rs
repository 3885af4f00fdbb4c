//! Many enqueues with events and callbacks leave nothing behind.
//!
//! Resident memory is the process's, so this test is a program of its own. The normal run is
//! short; a million by
//!
//! ```sh
//! ENQUEUES=1000000 cargo test --release -p touchstone --test soak -- --nocapture
//! ```

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::object::Object;
use touchstone::queue::event::Event;

#[path = "api/rig.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rig;

use rig::{Rig, eventually, queue, release_buffers, release_events, wait};

/// Commands between two waits.
const BATCH: usize = 500;

static CALLED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count(_: cl_event, status: cl_int, _: *mut c_void) {
    assert_eq!(status, CL_COMPLETE);
    CALLED.fetch_add(1, Ordering::Relaxed);
}

/// Resident memory in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("no /proc");
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.expect("not as documented") * 4096
}

/// What the writes read, when they run: long after the calls that enqueue them.
static BYTES: [u8; BATCH] = [7; BATCH];

/// One batch on both kinds of queues: writes, markers with lists, user events, callbacks.
fn batch(rig: &Rig, other: cl_command_queue, buffer: cl_mem) {
    let out_of_order = Rig {
        context: rig.context,
        queue: other,
    };
    let gate = rig.user_event();
    let mut before = gate;
    for at in 0..BATCH {
        let target = if at % 2 == 0 { rig } else { &out_of_order };
        let event = match at % 4 {
            0 | 1 => target.write(buffer, &BYTES[at..][..1], &[before]),
            _ => target.marker(&[before]),
        };
        let code = unsafe { clSetEventCallback(event, CL_COMPLETE, Some(count), null_mut()) };
        assert_eq!(code, CL_SUCCESS);
        release_events(&[before]);
        before = event;
        if at == BATCH / 2 {
            assert_eq!(
                unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
                CL_SUCCESS
            );
        }
    }
    assert_eq!(wait(&[before]), CL_SUCCESS);
    release_events(&[before]);
    // It is the same context and queue that the caller releases.
    std::mem::forget(out_of_order);
}

#[test]
fn resident_memory_stays_flat() {
    let wanted = std::env::var("ENQUEUES").ok();
    let wanted: usize = wanted
        .and_then(|count| count.parse().ok())
        .unwrap_or(40_000);
    let rig = Rig::new();
    let other = queue(rig.context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let buffer = rig.buffer(0, 64);
    let batches = wanted.div_ceil(BATCH).max(8);
    let mut least = usize::MAX;
    let mut greatest = 0;
    for number in 0..batches {
        batch(&rig, other, buffer);
        let enqueued = (number + 1) * BATCH;
        eventually(|| CALLED.load(Ordering::Relaxed) == enqueued);
        // The first quarter fills the allocator's pools.
        if number >= batches / 4 {
            least = least.min(resident());
            greatest = greatest.max(resident());
        }
    }
    println!(
        "{} enqueues: resident memory from {} to {} KiB",
        batches * BATCH,
        least >> 10,
        greatest >> 10
    );
    assert!(greatest - least < 4 << 20, "{least} to {greatest} bytes");
    release_buffers(&[buffer]);
    assert_eq!(
        unsafe { touchstone::api::queue::clReleaseCommandQueue(other) },
        CL_SUCCESS
    );
    eventually(|| Event::registry().live() == 0);
}
