//! Shared virtual memory.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

use opencl_sys::*;
use touchstone::api::kernel::*;
use touchstone::api::svm::*;

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("fine", fine),
    ("bytes", bytes),
    ("system", system),
    ("exec_info", exec_info),
    ("memcpy", memcpy),
    ("dialogue", dialogue),
];

const FINE: cl_svm_mem_flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;

fn alloc(rig: &Rig, flags: cl_svm_mem_flags, words: usize) -> *mut u32 {
    let memory = unsafe { clSVMAlloc(rig.context, flags, 4 * words, 0) };
    assert!(!memory.is_null());
    memory.cast()
}

fn set_svm<T>(kernel: cl_kernel, index: u32, pointer: *mut T) {
    let code = unsafe { clSetKernelArgSVMPointer(kernel, index, pointer.cast_const().cast()) };
    assert_eq!(code, CL_SUCCESS);
}

const COUNT: &str = "kernel void k(global int *x) { ++*x; }";

fn fine() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 16);
    let kernel = kernel(&rig, COUNT);
    set_svm(kernel, 0, memory);
    for value in [5, 10] {
        unsafe { memory.write_volatile(value) };
        run(&rig, kernel, space(&[1], &[1]));
        assert_eq!(unsafe { memory.read_volatile() }, value + 1);
    }
}

/// Work-items that count in bytes beside each other do not disturb each other.
fn bytes() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 1);
    let source = "kernel void k(volatile global uchar *x) {
        for (int n = 0; n < 100; ++n) ++x[get_global_id(0)];
    }";
    let kernel = kernel(&rig, source);
    unsafe { memory.write_volatile(0) };
    set_svm(kernel, 0, memory);
    run(&rig, kernel, space(&[4], &[4]));
    assert_eq!(unsafe { memory.read_volatile() }, 100 * 0x0101_0101);
}

fn system() {
    let rig = Rig::new();
    let word = Box::into_raw(Box::new(5u32));
    let kernel = kernel(&rig, COUNT);
    set_svm(kernel, 0, word);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(unsafe { word.read_volatile() }, 6);
}

fn exec_info() {
    let rig = Rig::new();
    let (first, second) = (alloc(&rig, FINE, 2), alloc(&rig, FINE, 2));
    unsafe { first.cast::<*mut u32>().write_volatile(second) };
    unsafe { second.write_volatile(5) };
    let kernel = kernel(&rig, "kernel void k(global int *global *x) { ++**x; }");
    set_svm(kernel, 0, first);
    // The last list counts.
    for named in [first, second] {
        let code = unsafe {
            let value = (&raw const named).cast();
            clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, value)
        };
        assert_eq!(code, CL_SUCCESS);
    }
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(unsafe { second.read_volatile() }, 6);
}

fn copy(rig: &Rig, to: *mut u32, from: *const u32, words: usize) {
    let code = unsafe {
        let (to, from) = (to.cast(), from.cast());
        clEnqueueSVMMemcpy(
            rig.queue,
            CL_FALSE,
            to,
            from,
            4 * words,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

fn memcpy() {
    let rig = Rig::new();
    let (from, to) = (alloc(&rig, FINE, 1), alloc(&rig, FINE, 1));
    let host = Box::leak(Box::new(!0u32));
    unsafe { to.write_volatile(0) };
    copy(&rig, from, host, 1);
    copy(&rig, to, from, 1);
    rig.finish();
    assert_eq!(unsafe { to.read_volatile() }, !0);
}

/// A kernel says that it runs and waits for the answer: one of some gets it.
fn dialogue() {
    assert!(
        (0..3).any(|_| is_answered()),
        "no kernel was answered while it ran"
    );
}

fn is_answered() -> bool {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 3);
    let flag = |n: usize| unsafe { AtomicU32::from_ptr(memory.add(n)) };
    flag(0).store(0, Ordering::Release);
    flag(1).store(0, Ordering::Release);
    flag(2).store(0, Ordering::Release);
    let source = "kernel void k(global atomic_int *x) {
        atomic_store_explicit(x, 1, memory_order_release, memory_scope_all_svm_devices);
        for (int n = 0; n < 4000000; ++n) {
            if (atomic_load_explicit(x + 1, memory_order_acquire, memory_scope_all_svm_devices)) {
                atomic_store(x + 2, 1);
                return;
            }
        }
    }";
    let kernel = kernel(&rig, source);
    set_svm(kernel, 0, memory);
    let event = enqueue(&rig, kernel, 1, &[]);
    while crate::rig::status(event) > CL_COMPLETE {
        if flag(0).load(Ordering::Acquire) == 1 {
            flag(1).store(1, Ordering::Release);
        }
    }
    flag(2).load(Ordering::Acquire) == 1
}
