//! What the user is told on standard error of kernels that fail, and the switches about it.
//!
//! The variables are read once a process, and standard error is the process's: each scenario runs in one of its own,
//! this program again, where it is a test that is ignored otherwise.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::ffi::{c_char, c_void};
use std::process::Command;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::range::*;

#[path = "api/rig.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rig;

use rig::Rig;

const SOURCE: &std::ffi::CStr = c"
    kernel void writes(global int *p, int n) { p[0] = n; }
    kernel void leaves(global int *p, int n) { p[n] = 1; }
    kernel void divides(global int *p, int n) {
        p[0] = 7;
        int4 v = (int4)(1, 2, 3, 4) / (int4)(n - n, 1, 1, 1);
        p[0] = 1 / (n - n) + 10 * (5 % (n - n)) + v.x + (int)(3u / (uint)(n - n));
    }";

/// Runs a kernel twice on a buffer of one zero; prints how the commands ended and what the buffer holds.
fn runs_twice(rig: &Rig, name: &std::ffi::CStr, flags: cl_mem_flags) {
    let buffer = rig.buffer_of(&mut [0; 4], flags | CL_MEM_COPY_HOST_PTR);
    let number = 3;
    let mut text = SOURCE.as_ptr();
    unsafe {
        let mut code = 1;
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, null(), &mut code);
        assert_eq!(
            clBuildProgram(program, 0, null(), null(), None, null_mut()),
            CL_SUCCESS
        );
        let kernel = clCreateKernel(program, name.as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let size = size_of::<cl_mem>();
        assert_eq!(
            clSetKernelArg(kernel, 0, size, (&raw const buffer).cast()),
            CL_SUCCESS
        );
        assert_eq!(
            clSetKernelArg(kernel, 1, 4, (&raw const number).cast()),
            CL_SUCCESS
        );
        let mut events = [null_mut(); 2];
        for event in &mut events {
            let code =
                clEnqueueNDRangeKernel(rig.queue, kernel, 1, null(), &1, null(), 0, null(), event);
            assert_eq!(code, CL_SUCCESS);
        }
        rig.finish();
        let ended = events.map(rig::status);
        println!("statuses {ended:?}, contents {:?}", rig.read(buffer, 4));
        rig::release_events(&events);
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
    rig::release_buffers(&[buffer]);
}

#[test]
#[ignore = "run by the other tests in a process of its own"]
fn writes_to_a_read_only_buffer() {
    runs_twice(&Rig::new(), c"writes", CL_MEM_READ_ONLY);
}

#[test]
#[ignore = "run by the other tests in a process of its own"]
fn leaves_its_buffer() {
    let rig = Rig::new();
    runs_twice(&rig, c"leaves", 0);
    runs_twice(&rig, c"writes", CL_MEM_READ_ONLY);
}

#[test]
#[ignore = "run by the other tests in a process of its own"]
fn divides_by_zero() {
    runs_twice(&Rig::new(), c"divides", 0);
}

#[test]
#[ignore = "run by the other tests in a process of its own"]
fn fails_in_a_context_with_a_callback() {
    unsafe extern "C" fn heard(_: *const c_char, _: *const c_void, _: usize, _: *mut c_void) {}
    let mut code = 1;
    let context = unsafe {
        clCreateContext(
            null(),
            1,
            &rig::device(),
            Some(heard),
            null_mut(),
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let queue = rig::queue(context, 0);
    runs_twice(&Rig { context, queue }, c"writes", CL_MEM_READ_ONLY);
}

/// Plays a scenario with a variable set; what it printed of its own, and the lines of standard error.
fn play(scenario: &str, variables: &[(&str, &str)]) -> (String, Vec<String>) {
    let mut command = Command::new(std::env::current_exe().expect("no path of the test"));
    for name in [
        "TOUCHSTONE_REPORT",
        "TOUCHSTONE_READ_ONLY_WRITES",
        "TOUCHSTONE_ZERO_DIVISION",
    ] {
        command.env_remove(name);
    }
    command.args(["--exact", scenario, "--ignored", "--nocapture"]);
    let output = command
        .envs(variables.iter().copied())
        .output()
        .expect("it does not start");
    let [printed, told] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("no UTF-8"));
    assert!(output.status.success(), "{printed}{told}");
    let own = printed
        .lines()
        .filter(|line| line.contains("statuses "))
        .collect::<Vec<_>>()
        .join("\n");
    let told = told
        .lines()
        .filter(|line| line.starts_with("touchstone:"))
        .map(str::to_owned)
        .collect();
    (own, told)
}

const FAILED: &str = "statuses [-59, -59], contents [0, 0, 0, 0]";

#[test]
fn the_first_failure_of_each_kernel_is_told() {
    let (own, told) = play("writes_to_a_read_only_buffer", &[]);
    assert!(own.contains(FAILED), "{own}");
    let [line] = &told[..] else {
        panic!("{told:?}")
    };
    for part in [
        "kernel writes, work-item [0, 0, 0]: write of 4 bytes",
        "may only be read: it is in argument 0 `p` (4 bytes",
        "the command has failed",
        "CL_MEM_READ_ONLY",
        "TOUCHSTONE_READ_ONLY_WRITES=allow",
        "TOUCHSTONE_REPORT=1",
    ] {
        assert!(line.contains(part), "{line} lacks {part}");
    }
    let (_, told) = play("leaves_its_buffer", &[]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].contains("kernel leaves") && told[0].contains("TOUCHSTONE_BOUNDS_CHECKS=off"),
        "{told:?}"
    );
    assert!(told[1].contains("kernel writes"), "{told:?}");
}

#[test]
fn all_failures_are_told_or_none() {
    let (_, told) = play(
        "writes_to_a_read_only_buffer",
        &[("TOUCHSTONE_REPORT", "1")],
    );
    assert_eq!(told.len(), 2, "{told:?}");
    let (own, told) = play(
        "writes_to_a_read_only_buffer",
        &[("TOUCHSTONE_REPORT", "0")],
    );
    assert!(own.contains(FAILED) && told.is_empty(), "{own}{told:?}");
}

/// Who has a callback is told through it.
#[test]
fn a_context_with_a_callback_is_not_told_twice() {
    let (own, told) = play("fails_in_a_context_with_a_callback", &[]);
    assert!(own.contains(FAILED) && told.is_empty(), "{own}{told:?}");
    let (_, told) = play(
        "fails_in_a_context_with_a_callback",
        &[("TOUCHSTONE_REPORT", "1")],
    );
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn writes_to_read_only_buffers_can_be_allowed() {
    let allowed = [("TOUCHSTONE_READ_ONLY_WRITES", "allow")];
    let (own, told) = play("writes_to_a_read_only_buffer", &allowed);
    assert!(
        own.contains("statuses [0, 0], contents [3, 0, 0, 0]"),
        "{own}"
    );
    assert!(told.is_empty(), "{told:?}");
    let (_, told) = play("leaves_its_buffer", &allowed);
    assert_eq!(
        told.len(),
        1,
        "other writes are as wrong as before: {told:?}"
    );
}

/// OpenCL C leaves the value open, so a program may not use it and may well compute it.
#[test]
fn division_by_zero_is_an_error_only_where_it_is_asked_for() {
    let (own, told) = play("divides_by_zero", &[]);
    assert!(
        own.contains("statuses [0, 0], contents [50, 0, 0, 0]"),
        "{own}"
    );
    assert!(told.is_empty(), "{told:?}");
    let (own, told) = play("divides_by_zero", &[("TOUCHSTONE_ZERO_DIVISION", "error")]);
    assert!(
        own.contains("statuses [-59, -59], contents [7, 0, 0, 0]"),
        "{own}"
    );
    assert!(
        told.len() == 1 && told[0].contains("integer division by zero"),
        "{told:?}"
    );
}
