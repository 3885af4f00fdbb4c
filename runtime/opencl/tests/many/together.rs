//! Devices at work at the same time, and memory that they share.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;

use crate::rig::*;

const MEETING: &str = "
    kernel void meet(volatile global atomic_uint *here, uint all) {
        atomic_fetch_add_explicit(here, 1, memory_order_acq_rel, memory_scope_all_svm_devices);
        while (atomic_load_explicit(here, memory_order_acquire, memory_scope_all_svm_devices) < all);
    }";

/// Each device runs a kernel that ends only when those of all devices have begun.
#[test]
fn kernels_of_several_devices_meet_in_shared_memory() {
    let devices = roots();
    let context = context(&devices);
    let queues: Vec<_> = devices.iter().map(|&d| queue(context, d)).collect();
    let program = program(context, MEETING);
    assert_eq!(build(program, &[], c"-cl-std=CL3.0"), CL_SUCCESS);
    let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let memory = unsafe { clSVMAlloc(context, flags, 4, 0) };
    // SAFETY: four new bytes, aligned, used through atomics only.
    let here = unsafe { AtomicU32::from_ptr(memory.cast()) };
    here.store(0, Ordering::Relaxed);
    let kernel = kernel(program, c"meet").unwrap();
    assert_eq!(
        unsafe { clSetKernelArgSVMPointer(kernel, 0, memory) },
        CL_SUCCESS
    );
    set(kernel, 1, DEVICES as u32);
    let events: Vec<cl_event> = queues
        .iter()
        .map(|&queue| {
            let mut event = null_mut();
            let one = 1;
            let code = unsafe {
                clEnqueueNDRangeKernel(
                    queue,
                    kernel,
                    1,
                    null(),
                    &one,
                    null(),
                    0,
                    null(),
                    &mut event,
                )
            };
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(unsafe { clFlush(queue) }, CL_SUCCESS);
            event
        })
        .collect();
    let code = unsafe { clWaitForEvents(DEVICES as u32, events.as_ptr()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(here.load(Ordering::Acquire), DEVICES as u32);
    for event in events {
        assert_eq!(unsafe { clReleaseEvent(event) }, CL_SUCCESS);
    }
    unsafe { clSVMFree(context, memory) };
    release_all(&[kernel], &[program], &[], &queues, &[context]);
}

/// Threads that each make contexts of some devices, build, run and let go of everything,
/// while the others do the same.
#[test]
fn contexts_come_and_go_side_by_side() {
    let devices: Vec<usize> = roots().iter().map(|&d| d as usize).collect();
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let devices = &devices;
            scope.spawn(move || {
                for round in 0..10 {
                    let pick = 1 + (thread + round) % 7;
                    let some: Vec<cl_device_id> = devices
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| pick >> at & 1 == 1)
                        .map(|(_, &device)| device as *mut c_void)
                        .collect();
                    let part = split(some[0], &[CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0]);
                    let part = part.unwrap()[0];
                    let all: Vec<_> = some.iter().copied().chain([part]).collect();
                    let context = context(&all);
                    assert_eq!(unsafe { clReleaseDevice(part) }, CL_SUCCESS);
                    let program = program(
                        context,
                        "global uint base = 7;
                         kernel void add(global uint *p, uint n) { p[get_global_id(0)] += base + n; }",
                    );
                    assert_eq!(build(program, &[], c"-cl-std=CL3.0"), CL_SUCCESS);
                    let kernel = kernel(program, c"add").unwrap();
                    let buffer = buffer(context, 4 * 100);
                    set(kernel, 0, buffer);
                    set(kernel, 1, round as u32);
                    for &device in &all {
                        let queue = queue(context, device);
                        assert_eq!(run(queue, kernel, 100), CL_SUCCESS);
                        release_all(&[], &[], &[], &[queue], &[]);
                    }
                    let queue = queue(context, all[0]);
                    let expected = all.len() as u32 * (7 + round as u32);
                    assert_eq!(read(queue, buffer, 100), [expected; 100]);
                    release_all(&[kernel], &[program], &[buffer], &[queue], &[context]);
                }
            });
        }
    });
}
