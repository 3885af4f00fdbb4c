//! Shared virtual memory.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use opencl_sys::*;
use touchstone::api::kernel::*;
use touchstone::api::svm::*;

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("coarse_map", coarse_map),
    ("coarse_unmap", coarse_unmap),
    ("fine", fine),
    ("bytes", bytes),
    ("system", system),
    ("exec_info", exec_info),
    ("middle", middle),
    ("free_in_order", free_in_order),
    ("free_callback", free_callback),
    ("free_array", free_array),
    ("memcpy", memcpy),
    ("memfill", memfill),
    ("svm_migrate", svm_migrate),
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

fn map_svm(rig: &Rig, flags: cl_map_flags, memory: *mut u32, words: usize) {
    let code = unsafe {
        let memory = memory.cast();
        clEnqueueSVMMap(
            rig.queue,
            CL_TRUE,
            flags,
            memory,
            4 * words,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

fn unmap_svm(rig: &Rig, memory: *mut u32) {
    let code = unsafe { clEnqueueSVMUnmap(rig.queue, memory.cast(), 0, null(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
}

const COUNT: &str = "kernel void k(global int *x) { ++*x; }";

fn coarse_map() {
    let rig = Rig::new();
    let memory = alloc(&rig, CL_MEM_READ_WRITE, 16);
    map_svm(&rig, CL_MAP_WRITE, memory, 16);
    unsafe { memory.write(5) };
    unmap_svm(&rig, memory);
    let kernel = kernel(&rig, COUNT);
    set_svm(kernel, 0, memory);
    run(&rig, kernel, space(&[1], &[1]));
    map_svm(&rig, CL_MAP_READ, memory, 16);
    assert_eq!(unsafe { memory.read() }, 6);
    unmap_svm(&rig, memory);
    rig.finish();
}

fn coarse_unmap() {
    let rig = Rig::new();
    let memory = alloc(&rig, CL_MEM_READ_WRITE, 16);
    map_svm(&rig, CL_MAP_WRITE, memory, 16);
    unsafe { memory.write(5) };
    unmap_svm(&rig, memory);
    map_svm(&rig, CL_MAP_READ, memory, 16);
    assert_eq!(unsafe { memory.read() }, 5);
    unmap_svm(&rig, memory);
    rig.finish();
}

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
    let code = unsafe {
        let value = (&raw const second).cast();
        clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, value)
    };
    assert_eq!(code, CL_SUCCESS);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(unsafe { second.read_volatile() }, 6);
}

fn middle() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 16);
    unsafe { memory.write_bytes(0, 16) };
    let kernel = kernel(&rig, COUNT);
    set_svm(kernel, 0, memory.wrapping_add(4));
    run(&rig, kernel, space(&[1], &[1]));
    let found = unsafe { [memory.read_volatile(), memory.add(4).read_volatile()] };
    assert_eq!(found, [0, 1]);
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

fn free_in_order() {
    let rig = Rig::new();
    let (from, to) = (alloc(&rig, FINE, 4), alloc(&rig, FINE, 4));
    unsafe { from.write_volatile(5) };
    let gate = rig.user_event();
    rig.marker(&[gate]);
    copy(&rig, to, from, 4);
    let mut list = [from.cast::<c_void>()];
    let code = unsafe {
        let list = list.as_mut_ptr();
        clEnqueueSVMFree(rig.queue, 1, list, None, null_mut(), 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(unsafe { to.read_volatile() }, 5);
}

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn note(
    _: cl_command_queue,
    count: cl_uint,
    pointers: *mut *mut c_void,
    _: *mut c_void,
) {
    let sum = |all: usize, at: usize| all + unsafe { pointers.add(at).read() } as usize;
    FREED.store((0..count as usize).fold(0, sum), Ordering::Release);
}

fn free_callback() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 4);
    let gate = rig.user_event();
    rig.marker(&[gate]);
    let mut list = [memory.cast::<c_void>()];
    let code = unsafe {
        let list = list.as_mut_ptr();
        clEnqueueSVMFree(
            rig.queue,
            1,
            list,
            Some(note),
            null_mut(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(FREED.load(Ordering::Acquire), 0, "the callback comes early");
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(FREED.load(Ordering::Acquire), memory as usize);
}

fn free_array() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 4);
    let gate = rig.user_event();
    rig.marker(&[gate]);
    let list = Box::leak(Box::new([memory.cast::<c_void>()]));
    let code = unsafe {
        let list = list.as_mut_ptr();
        clEnqueueSVMFree(
            rig.queue,
            1,
            list,
            Some(note),
            null_mut(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    list[0] = null_mut();
    set_user(gate, CL_COMPLETE);
    rig.finish();
    assert_eq!(FREED.load(Ordering::Acquire), memory as usize);
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

fn memfill() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 4);
    unsafe { memory.write_bytes(0, 4) };
    let word = 7u32;
    let code = unsafe {
        let pattern = (&raw const word).cast();
        let queue = rig.queue;
        clEnqueueSVMMemFill(queue, memory.cast(), pattern, 4, 16, 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
    assert_eq!(unsafe { memory.cast::<[u32; 4]>().read_volatile() }, [7; 4]);
}

fn svm_migrate() {
    let rig = Rig::new();
    let memory = alloc(&rig, FINE, 4);
    unsafe { memory.write_volatile(7) };
    let list = [memory.cast_const().cast::<c_void>()];
    let code = unsafe {
        let list = list.as_ptr().cast_mut();
        let queue = rig.queue;
        clEnqueueSVMMigrateMem(queue, 1, list, null(), 0, 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
    assert_eq!(unsafe { memory.read_volatile() }, 7);
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
