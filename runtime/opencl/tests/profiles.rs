//! `TOUCHSTONE_PROFILE=3.0-minimal`: what a device does not report is refused by every way in.
//!
//! The variable is read when the first device is asked for, so this test is a program of its own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::image::*;
use touchstone::api::kernel::*;
use touchstone::api::pipe::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;

#[path = "api/rig.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rig;

use rig::Rig;

/// A program of a source built with options; null if it does not build.
fn build(rig: &Rig, source: &CStr, options: &CStr) -> cl_program {
    let mut code = 1;
    let mut text = source.as_ptr();
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, null(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        if clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) == CL_SUCCESS {
            return program;
        }
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        null_mut()
    }
}

/// Whether a source builds with options.
fn builds(rig: &Rig, source: &CStr, options: &CStr) -> bool {
    let program = build(rig, source, options);
    if program.is_null() {
        return false;
    }
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
    true
}

/// The answer to a query of eight bytes or fewer.
fn answer(device: cl_device_id, name: cl_device_info) -> u64 {
    let mut value = 0u64;
    let code = unsafe { clGetDeviceInfo(device, name, 8, (&raw mut value).cast(), null_mut()) };
    assert_eq!(code, CL_SUCCESS, "{name:#x}");
    value
}

#[test]
fn a_minimal_device_refuses_what_it_does_not_report() {
    // SAFETY: the only test of this program does it first.
    unsafe { std::env::set_var("TOUCHSTONE_PROFILE", "3.0-minimal") };
    let rig = Rig::new();
    let device = rig::device();
    for absent in [
        CL_DEVICE_SVM_CAPABILITIES,
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
        CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
        CL_DEVICE_DOUBLE_FP_CONFIG,
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
        CL_DEVICE_MAX_NUM_SUB_GROUPS,
        CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        CL_DEVICE_MAX_SAMPLERS,
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
        CL_DEVICE_PIPE_SUPPORT,
        CL_DEVICE_MAX_PIPE_ARGS,
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
        CL_DEVICE_PIPE_MAX_PACKET_SIZE,
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
        CL_DEVICE_MAX_ON_DEVICE_QUEUES,
        CL_DEVICE_MAX_ON_DEVICE_EVENTS,
    ] {
        assert_eq!(answer(device, absent), 0, "{absent:#x}");
    }
    let orders = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    let acq_rel = CL_DEVICE_ATOMIC_ORDER_ACQ_REL;
    assert_eq!(answer(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES), orders);
    assert_eq!(
        answer(device, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES),
        orders | acq_rel
    );
    assert_eq!(
        answer(device, CL_DEVICE_EXECUTION_CAPABILITIES),
        CL_EXEC_KERNEL
    );

    let (mut code, mut time) = (1, 0);
    unsafe {
        let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        clCreateCommandQueue(rig.context, device, out_of_order, &mut code);
        assert_eq!(code, CL_INVALID_QUEUE_PROPERTIES);
        let counts = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
        let split = clCreateSubDevices(device, counts.as_ptr(), 0, null_mut(), null_mut());
        assert_eq!(split, CL_INVALID_VALUE);
        assert_eq!(clGetHostTimer(device, &mut time), CL_INVALID_OPERATION);
        assert!(clSVMAlloc(rig.context, 0, 64, 0).is_null());
        let mut memory = 0u64;
        let svm = clEnqueueSVMMap(
            rig.queue,
            CL_TRUE,
            CL_MAP_READ,
            (&raw mut memory).cast(),
            8,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(svm, CL_INVALID_OPERATION);
        clCreateImage2D(rig.context, 0, null(), 1, 1, 0, null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_OPERATION);
        let (plane, mut formats) = (CL_MEM_OBJECT_IMAGE2D, 9);
        let listed = clGetSupportedImageFormats(rig.context, 0, plane, 0, null_mut(), &mut formats);
        assert_eq!((listed, formats), (CL_SUCCESS, 0));
        let pipe = clCreatePipe(rig.context, 0, 4, 4, null(), &mut code);
        assert_eq!((pipe, code), (null_mut(), CL_INVALID_OPERATION));
        let kind = CL_QUEUE_ON_DEVICE | out_of_order;
        let list = [u64::from(CL_QUEUE_PROPERTIES), kind, 0];
        let (context, list) = (rig.context, list.as_ptr());
        let queue = clCreateCommandQueueWithProperties(context, device, list, &mut code);
        assert_eq!((queue, code), (null_mut(), CL_INVALID_QUEUE_PROPERTIES));
        let default = clSetDefaultDeviceCommandQueue(context, device, rig.queue);
        assert_eq!(default, CL_INVALID_OPERATION);
        unsafe extern "C" fn native(_: *mut std::ffi::c_void) {}
        let native = clEnqueueNativeKernel(
            rig.queue,
            Some(native),
            null_mut(),
            0,
            0,
            null(),
            null_mut(),
            0,
            null(),
            null_mut(),
        );
        assert_eq!(native, CL_INVALID_OPERATION);
        let name = c"touchstone_nop".as_ptr();
        clCreateProgramWithBuiltInKernels(rig.context, 1, &device, name, &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
    }

    let of_3_0 = c"-cl-std=CL3.0";
    assert!(builds(&rig, c"kernel void k(global atomic_int *a) { atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group); }", of_3_0));
    for refused in [
        c"kernel void k(global double *a) { *a = 1.0; }",
        c"kernel void k(global half *a) { *a = 1.0f; }",
        c"global int x; kernel void k() { x = 1; }",
        c"kernel void k(global int *a) { int *p = a; *p = 1; }",
        c"kernel void k(global atomic_int *a) { atomic_store_explicit(a, 1, memory_order_release, memory_scope_work_group); }",
        c"kernel void k(global atomic_int *a) { atomic_store(a, 1); }",
        c"kernel void k(global atomic_int *a) { atomic_store_explicit(a, 1, memory_order_relaxed, memory_scope_device); }",
        c"kernel void k(global atomic_float *a) { atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group); }",
        c"kernel void k(read_only image2d_t i) { }",
        c"kernel void k(read_only image2d_depth_t i) { }",
        c"kernel void k(sampler_t s) { }",
        c"kernel void k(read_only pipe int p) { }",
        c"kernel void k(global int *a) { reserve_id_t r; }",
        c"kernel void k(queue_t q) { }",
        c"kernel void k(global int *a) { void (^b)(void) = ^{ }; b(); }",
        c"kernel void k(global int *a) { a[0] = work_group_any(1); }",
        c"kernel void k(global int *a) { a[0] = sub_group_any(1); }",
        c"kernel void k(global int *a) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }",
    ] {
        assert!(!builds(&rig, refused, of_3_0), "{refused:?}");
    }
    let empty = c"kernel void k() {}";
    assert!(!builds(&rig, empty, c"-cl-std=CL2.0"));
    let program = build(&rig, empty, of_3_0);
    assert!(!program.is_null());
    unsafe {
        let kernel = clCreateKernel(program, c"k".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let (global, local) = ([10], [4]);
        let uneven = clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            null(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            null(),
            null_mut(),
        );
        assert_eq!(uneven, CL_INVALID_WORK_GROUP_SIZE);
        let name = CL_KERNEL_MAX_NUM_SUB_GROUPS;
        let sub_groups =
            clGetKernelSubGroupInfo(kernel, device, name, 0, null(), 0, null_mut(), null_mut());
        assert_eq!(sub_groups, CL_INVALID_OPERATION);
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
    refuses_modules(&rig);
}

/// Nothing comes as SPIR-V.
fn refuses_modules(rig: &Rig) {
    let list = |name| {
        rig::query_bytes(|size, value, ret| unsafe {
            clGetDeviceInfo(rig::device(), name, size, value, ret)
        })
    };
    assert_eq!(list(CL_DEVICE_IL_VERSION), [0]);
    assert_eq!(list(CL_DEVICE_ILS_WITH_VERSION), []);
    refuses_what_3_1_has(rig);
    let mut code = 1;
    let bytes = [3u8, 2, 35, 7];
    unsafe {
        clCreateProgramWithIL(rig.context, bytes.as_ptr().cast(), bytes.len(), &mut code);
        assert_eq!(code, CL_INVALID_OPERATION);
        let program = build(rig, c"kernel void k() {}", c"");
        let mut size = 7;
        let code = clGetProgramInfo(program, CL_PROGRAM_IL, 0, null_mut(), &mut size);
        assert_eq!((code, size), (CL_SUCCESS, 0));
        let value = 5;
        let at = (&raw const value).cast();
        let code = clSetProgramSpecializationConstant(program, 0, 4, at);
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
}

/// Nothing is there that came with 3.1 and that no extension brings.
fn refuses_what_3_1_has(rig: &Rig) {
    let device = rig::device();
    for name in [
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS,
        CL_DEVICE_SPIRV_EXTENSIONS,
        CL_DEVICE_SPIRV_CAPABILITIES,
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED,
    ] {
        let code = unsafe { clGetDeviceInfo(device, name, 0, null_mut(), null_mut()) };
        assert_eq!(code, CL_INVALID_VALUE, "{name:#x}");
    }
    assert!(!builds(rig, c"kernel void k() {}", c"-cl-std=CL3.1"));
    for call in [
        c"kernel void k(global int *a) { a[0] = bit_reverse(a[1]); }",
        c"kernel void k(global int *a) { a[0] = dot_4x8packed_ss_int(a[1], a[2]); }",
        c"kernel void k(global int *a) { a[0] = dot((char4)(1), (char4)(2)); }",
        c"kernel void k(global int *a) { a[0] = sub_group_shuffle(a[0], 0); }",
    ] {
        assert!(!builds(rig, call, c"-cl-std=CL3.0"), "{call:?}");
    }
    let own = c"int bit_reverse(int n) { return n; } kernel void k(global int *a) { a[0] = bit_reverse(a[1]); }";
    assert!(builds(rig, own, c"-cl-std=CL3.0"));
    let program = build(rig, c"kernel void k(local int *a) { a[0] = 1; }", c"");
    let mut code = 1;
    unsafe {
        let kernel = clCreateKernel(program, c"k".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(clSetKernelArg(kernel, 0, 0, null()), CL_INVALID_ARG_SIZE);
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
}
