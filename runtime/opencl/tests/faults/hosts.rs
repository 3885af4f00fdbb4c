//! What the host waits for, flushes and releases.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::queue::*;
use touchstone::api::svm::*;
use touchstone::api::transfer::*;

use crate::Scenario;
use crate::rig::{Notes, Rig, queue, status, wait};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("finish", finish),
    ("wait_for_all", wait_for_all),
    ("blocking_read", blocking_read),
    ("blocking_write", blocking_write),
    ("blocking_map", blocking_map),
    ("blocking_svm", blocking_svm),
    ("non_blocking", non_blocking),
    ("flush", flush),
    ("wait_flushes", wait_flushes),
    ("release_queue", release_queue),
    ("release_event", release_event),
    ("release_in_callback", release_in_callback),
    ("over_release", over_release),
    ("leak", leak),
];

/// A command that is not done before another thread has had some time.
fn slow(rig: &Rig) -> (cl_event, std::thread::JoinHandle<()>) {
    let gate = rig.user_event();
    let handle = gate as usize;
    let setter = std::thread::spawn(move || {
        moment();
        set_user(handle as cl_event, CL_COMPLETE);
    });
    (gate, setter)
}

fn finish() {
    let rig = out_of_order();
    let (gate, setter) = slow(&rig);
    let target = buffer(&rig, &[0]);
    let event = fill(&rig, target, 1, 1, &[gate]);
    rig.finish();
    assert_eq!(status(event), CL_COMPLETE, "clFinish returns early");
    setter.join().expect("set");
}

fn wait_for_all() {
    let rig = out_of_order();
    let (gate, setter) = slow(&rig);
    let target = buffer(&rig, &[0]);
    let first = fill(&rig, target, 1, 1, &[]);
    let second = fill(&rig, target, 1, 1, &[gate]);
    assert_eq!(wait(&[first, second]), CL_SUCCESS);
    assert_eq!(status(second), CL_COMPLETE, "clWaitForEvents returns early");
    setter.join().expect("set");
}

fn blocking_read() {
    let rig = Rig::new();
    let (gate, setter) = slow(&rig);
    let target = buffer(&rig, &[0]);
    fill(&rig, target, 7, 1, &[gate]);
    assert_eq!(words(&rig, target, 1), [7]);
    setter.join().expect("set");
}

fn blocking_write() {
    let rig = Rig::new();
    let (gate, setter) = slow(&rig);
    let target = buffer(&rig, &[0]);
    fill(&rig, target, 7, 1, &[gate]);
    let mut event = null_mut();
    let word = Box::leak(Box::new(8u32));
    let code = unsafe {
        let word = (&raw const *word).cast();
        clEnqueueWriteBuffer(
            rig.queue,
            target,
            CL_TRUE,
            0,
            4,
            word,
            0,
            null(),
            &mut event,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(status(event), CL_COMPLETE, "the write returns early");
    setter.join().expect("set");
}

fn blocking_map() {
    let rig = Rig::new();
    let (gate, setter) = slow(&rig);
    let target = buffer(&rig, &[0]);
    fill(&rig, target, 7, 1, &[gate]);
    let address = map(&rig, target, CL_MAP_READ, 0, 4);
    assert_eq!(unsafe { address.cast::<u32>().read() }, 7);
    setter.join().expect("set");
    unmap(&rig, target, address);
}

fn blocking_svm() {
    let rig = Rig::new();
    let (gate, setter) = slow(&rig);
    rig.marker(&[gate]);
    let from = Box::leak(Box::new(7u32));
    let to = unsafe {
        let to = clSVMAlloc(rig.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 0);
        let from = (&raw const *from).cast();
        let code = clEnqueueSVMMemcpy(rig.queue, CL_TRUE, to, from, 4, 0, null(), null_mut());
        assert_eq!(code, CL_SUCCESS);
        to.cast::<u32>().read()
    };
    assert_eq!(to, 7);
    setter.join().expect("set");
}

fn non_blocking() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let target = buffer(&rig, &[0]);
    let event = rig.write(target, &[1, 2, 3, 4], &[gate]);
    set_user(gate, CL_COMPLETE);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn flush() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0]);
    let event = fill(&rig, target, 1, 1, &[]);
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    while status(event) > CL_COMPLETE {
        std::thread::yield_now();
    }
}

fn wait_flushes() {
    let rig = Rig::new();
    let target = buffer(&rig, &[0]);
    let event = fill(&rig, target, 1, 1, &[]);
    assert_eq!(wait(&[event]), CL_SUCCESS);
}

fn release_queue() {
    let rig = Rig::new();
    let other = Rig {
        context: rig.context,
        queue: queue(rig.context, 0),
    };
    let gate = rig.user_event();
    let target = buffer(&rig, &[0]);
    let event = fill(&other, target, 7, 1, &[gate]);
    assert_eq!(unsafe { clReleaseCommandQueue(other.queue) }, CL_SUCCESS);
    std::mem::forget(other);
    set_user(gate, CL_COMPLETE);
    while status(event) > CL_COMPLETE {
        std::thread::yield_now();
    }
    assert_eq!(words(&rig, target, 1), [7]);
}

fn release_event() {
    let rig = Rig::new();
    let gate = rig.user_event();
    let target = buffer(&rig, &[0]);
    let event = fill(&rig, target, 7, 1, &[gate]);
    assert_eq!(unsafe { clReleaseEvent(event) }, CL_SUCCESS);
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(words(&rig, target, 1), [7]);
}

unsafe extern "C" fn release(event: cl_event, _: cl_int, notes: *mut c_void) {
    let code = unsafe { clReleaseEvent(event) };
    unsafe { Notes::at(notes) }.add(code);
}

fn release_in_callback() {
    let rig = Rig::new();
    let notes = Notes::default();
    let marker = rig.marker(&[]);
    let code = unsafe { clSetEventCallback(marker, CL_COMPLETE, Some(release), notes.pointer()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(notes.wait_for(1), [CL_SUCCESS]);
}

fn over_release() {
    let rig = Rig::new();
    let event = rig.user_event();
    unsafe {
        assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        assert_eq!(clReleaseEvent(event), CL_INVALID_EVENT);
    }
}

/// Memory of events comes back.
fn leak() {
    let rig = Rig::new();
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
        pages.unwrap_or(0usize) * 4096
    };
    let round = || {
        for _ in 0..20_000 {
            let marker = rig.marker(&[]);
            assert_eq!(unsafe { clReleaseEvent(marker) }, CL_SUCCESS);
        }
        rig.finish();
    };
    round();
    let before = resident();
    round();
    round();
    let more = resident().saturating_sub(before);
    assert!(more < 4 << 20, "{more} bytes more for 40000 events");
}
