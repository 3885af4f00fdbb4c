//! `TOUCHSTONE_PROFILE=3.0,-svm-fine`: what is taken away is neither reported nor given.
//!
//! The variable is read when the first device is asked for, so this test is a program of its own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::svm::*;

#[test]
fn coarse_grain_devices_have_nothing_finer() {
    unsafe { std::env::set_var("TOUCHSTONE_PROFILE", "3.0,-svm-fine") };
    let (mut platform, mut device) = (null_mut(), null_mut());
    let mut code = 1;
    unsafe {
        assert_eq!(clGetPlatformIDs(1, &mut platform, null_mut()), CL_SUCCESS);
        let all = CL_DEVICE_TYPE_ALL;
        let got = clGetDeviceIDs(platform, all, 1, &mut device, null_mut());
        assert_eq!(got, CL_SUCCESS);
        let mut capabilities: cl_device_svm_capabilities = 0;
        let got = clGetDeviceInfo(
            device,
            CL_DEVICE_SVM_CAPABILITIES,
            size_of_val(&capabilities),
            (&raw mut capabilities).cast(),
            null_mut(),
        );
        assert_eq!(got, CL_SUCCESS);
        assert_eq!(capabilities, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
        let context = clCreateContext(null(), 1, &device, None, null_mut(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let fine = CL_MEM_SVM_FINE_GRAIN_BUFFER;
        for flags in [fine, fine | CL_MEM_SVM_ATOMICS] {
            assert!(clSVMAlloc(context, flags, 64, 0).is_null());
        }
        let memory = clSVMAlloc(context, 0, 64, 0);
        assert!(!memory.is_null());
        let mut source = c"kernel void k(global int *p) { *p = 1; }".as_ptr();
        let program = clCreateProgramWithSource(context, 1, &mut source, null(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!(built, CL_SUCCESS);
        let kernel = clCreateKernel(program, c"k".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let own = 0;
        let set = |pointer| clSetKernelArgSVMPointer(kernel, 0, pointer);
        assert_eq!(set((&raw const own).cast()), CL_INVALID_ARG_VALUE);
        assert_eq!(set(memory.cast_const()), CL_SUCCESS);
        let system = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
        for (wanted, expected) in [(CL_TRUE, CL_INVALID_OPERATION), (CL_FALSE, CL_SUCCESS)] {
            let value = (&raw const wanted).cast();
            assert_eq!(clSetKernelExecInfo(kernel, system, 4, value), expected);
        }
        clSVMFree(context, memory);
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        assert_eq!(clReleaseContext(context), CL_SUCCESS);
    }
}
