//! Buffers, sub-buffers, mappings, transfers, images.

use opencl_sys::*;

use crate::Scenario;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[("readers", readers)];

/// A kernel and a read have a buffer at the same time: the kernel waits in SVM for the read.
fn readers() {
    use touchstone::api::kernel::clSetKernelArgSVMPointer;
    use touchstone::api::svm::clSVMAlloc;
    let rig = out_of_order();
    let source = "kernel void k(global int *x, global atomic_int *go, global const int *y) {
        atomic_store_explicit(go + 1, 1, memory_order_release, memory_scope_all_svm_devices);
        for (int n = 0; n < 50000000; ++n) {
            if (atomic_load_explicit(go, memory_order_acquire, memory_scope_all_svm_devices))
                break;
        }
        *x = *y;
    }";
    let kernel = kernel(&rig, source);
    let (target, source) = (buffer(&rig, &[0]), buffer(&rig, &[7]));
    let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let go = unsafe { clSVMAlloc(rig.context, flags, 8, 0) };
    let flag =
        |n: usize| unsafe { std::sync::atomic::AtomicU32::from_ptr(go.cast::<u32>().add(n)) };
    flag(0).store(0, std::sync::atomic::Ordering::Release);
    flag(1).store(0, std::sync::atomic::Ordering::Release);
    set(kernel, 0, target);
    set(kernel, 2, source);
    let code = unsafe { clSetKernelArgSVMPointer(kernel, 1, go) };
    assert_eq!(code, CL_SUCCESS);
    let running = enqueue(&rig, kernel, 1, &[]);
    while flag(1).load(std::sync::atomic::Ordering::Acquire) == 0 {
        std::thread::yield_now();
    }
    let read = words(&rig, source, 1);
    flag(0).store(1, std::sync::atomic::Ordering::Release);
    assert_eq!(crate::rig::wait(&[running]), CL_SUCCESS);
    assert_eq!(read, [7]);
}
