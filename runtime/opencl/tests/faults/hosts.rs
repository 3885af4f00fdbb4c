//! What the host waits for, flushes and releases.

use opencl_sys::*;

use crate::Scenario;
use crate::rig::{Rig, status};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[("finish", finish)];

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
