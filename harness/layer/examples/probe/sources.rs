//! A source that uses everything that the faults of sources change, as far as the device has it.

use crate::cl::{Cl, Outcome, cl, done, must};
use opencl_sys::cl_function_types::*;
use opencl_sys::*;
use std::ptr;

/// The parts that an OpenCL C of the version has.
const PARTS: [(&std::ffi::CStr, &std::ffi::CStr); 4] = [
    (c"", c"
kernel void f(global uint *x, global uint *y, local uint *l) {
    size_t i = get_global_id(0), n = get_global_size(0) + get_num_groups(0);
    l[get_local_id(0)] = n;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE);
    x[i] = atomic_add(&y[0], 1) + atomic_inc(&y[1]) + atomic_sub(&y[2], 3) + atomic_dec(y)
        + atomic_xor(y, 5u) + atomic_cmpxchg(y, 1u, 2u);
}"),
    (c"-cl-std=CL2.0", c"
global uint counter = 5, others[2] = { 1, 2 };
kernel void f(global atomic_uint *x, global uint *y) {
    uint expected = counter + others[1];
    atomic_store(x, get_enqueued_local_size(0));
    y[0] = atomic_load_explicit(x, memory_order_acquire, memory_scope_device);
    atomic_store_explicit(x, 1, memory_order_release, memory_scope_work_group);
    y[1] = atomic_fetch_add(x, 1) + atomic_fetch_sub_explicit(x, 2, memory_order_acq_rel)
        + atomic_fetch_xor_explicit(x, 2, memory_order_seq_cst, memory_scope_device);
    y[2] = atomic_compare_exchange_strong(x, &expected, 3);
    y[4] = atomic_compare_exchange_strong_explicit(x, &expected, 3, memory_order_seq_cst,
        memory_order_seq_cst, memory_scope_device);
    y[3] = atomic_compare_exchange_weak_explicit(x, &expected, 3, memory_order_acq_rel,
        memory_order_acquire, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
}"),
    (c"-cl-std=CL2.0", c"
kernel void f(global uint *y) {
    uint *p = y;
    y[0] = to_global(p) != 0;
    y[1] = get_fence(p) == CLK_GLOBAL_MEM_FENCE;
}"),
    (c"-cl-std=CL2.0", c"
kernel void f(global int *y) {
    int i = get_local_id(0);
    y[0] = work_group_all(i) + work_group_any(i) + work_group_broadcast(i, 0)
        + work_group_reduce_add(i) + work_group_reduce_min(i) + work_group_scan_inclusive_add(i)
        + work_group_scan_exclusive_max(i);
}"),
];

/// Asks the probe of this name, if it is here.
pub fn ask(cl: &Cl, name: &str) -> Option<Outcome> {
    match name {
        "build" => Some(build(cl)),
        "initializer" => Some(initializer(cl)),
        "built-in" => Some(built_in(cl)),
        "parent" => Some(parent(cl)),
        _ => None,
    }
}

fn compile(cl: &Cl, options: &std::ffi::CStr, source: &std::ffi::CStr) -> Outcome<bool> {
    let mut status = CL_SUCCESS;
    let mut string = source.as_ptr();
    let program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
        cl.context, 1, &mut string, ptr::null(), &mut status);
    done("clCreateProgramWithSource", status)?;
    Ok(cl.build(program, options).is_ok())
}

/// Says which parts build.
fn build(cl: &Cl) -> Outcome {
    let mut built = Vec::new();
    for (options, source) in PARTS {
        built.push(compile(cl, options, source)?);
    }
    println!("built: {built:?}");
    Ok(())
}

fn initializer(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let mut source =
        c"global uint start = 5; kernel void f(global uint *x) { x[0] = start; }".as_ptr();
    let program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
        cl.context, 1, &mut source, ptr::null(), &mut status);
    done("clCreateProgramWithSource", status)?;
    if cl.build(program, c"-cl-std=CL2.0").is_err() && cl.build(program, c"-cl-std=CL3.0").is_err()
    {
        return Err(crate::LACKS.to_owned());
    }
    let kernel = cl!(cl, clCreateKernel: clCreateKernel_t, program, c"f".as_ptr(), &mut status);
    done("clCreateKernel", status)?;
    let buffer = cl.buffer(&[0; 64])?;
    let status =
        cl!(cl, clSetKernelArg: clSetKernelArg_t, kernel, 0, 8, (&raw const buffer).cast());
    done("clSetKernelArg", status)?;
    cl.launch(cl.queue, kernel, &[])?;
    must(
        cl.word(buffer)? == 5,
        "a variable of program scope begins with its initializer",
    )
}

/// A kernel whose child writes after a while.
const PARENT: &std::ffi::CStr = c"kernel void parent(global uint *x) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        volatile uint spent = 0;
        for (uint i = 0; i < 20000000u; i++) spent += i;
        x[0] = 1;
    });
}";

fn parent(cl: &Cl) -> Outcome {
    let mut status = CL_SUCCESS;
    let properties = [
        CL_QUEUE_PROPERTIES as cl_queue_properties,
        (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
            as cl_queue_properties,
        0,
    ];
    cl!(cl, clCreateCommandQueueWithProperties: clCreateCommandQueueWithProperties_t,
        cl.context, cl.device, properties.as_ptr(), &mut status);
    if status != CL_SUCCESS {
        return Err(crate::LACKS.to_owned());
    }
    let mut source = PARENT.as_ptr();
    let program = cl!(cl, clCreateProgramWithSource: clCreateProgramWithSource_t,
        cl.context, 1, &mut source, ptr::null(), &mut status);
    done("clCreateProgramWithSource", status)?;
    cl.build(program, c"-cl-std=CL3.0")?;
    let kernel =
        cl!(cl, clCreateKernel: clCreateKernel_t, program, c"parent".as_ptr(), &mut status);
    done("clCreateKernel", status)?;
    let buffer = cl.buffer(&[0; 64])?;
    let status =
        cl!(cl, clSetKernelArg: clSetKernelArg_t, kernel, 0, 8, (&raw const buffer).cast());
    done("clSetKernelArg", status)?;
    let event = cl.launch(cl.queue, kernel, &[])?;
    done("clWaitForEvents", cl.wait(&[event]))?;
    must(
        cl.word(buffer)? == 1,
        "a kernel is complete when its children are",
    )
}

fn built_in(cl: &Cl) -> Outcome {
    let mut names = [0u8; 4096];
    let status = cl!(cl, clGetDeviceInfo: clGetDeviceInfo_t,
        cl.device, CL_DEVICE_BUILT_IN_KERNELS, names.len(), names.as_mut_ptr().cast(), ptr::null_mut());
    done("clGetDeviceInfo", status)?;
    let wanted = names
        .split(|byte| matches!(*byte, 0 | b';'))
        .filter(|name| !name.is_empty())
        .count();
    if wanted < 2 {
        return Err(crate::LACKS.to_owned());
    }
    let mut status = CL_SUCCESS;
    let program = cl!(cl, clCreateProgramWithBuiltInKernels: clCreateProgramWithBuiltInKernels_t,
        cl.context, 1, &cl.device, names.as_ptr().cast(), &mut status);
    done("clCreateProgramWithBuiltInKernels", status)?;
    let mut count = 0usize;
    let status = cl!(cl, clGetProgramInfo: clGetProgramInfo_t,
        program, CL_PROGRAM_NUM_KERNELS, size_of::<usize>(), (&raw mut count).cast(), ptr::null_mut());
    done("clGetProgramInfo", status)?;
    must(
        count == wanted,
        "a program of built-in kernels has all that are named",
    )
}

/// A built-in kernel without arguments, which Touchstone has.
pub fn built_in_kernel(cl: &Cl) -> Outcome<cl_kernel> {
    let (name, mut status) = (c"touchstone_nop", CL_SUCCESS);
    let program = cl!(cl, clCreateProgramWithBuiltInKernels: clCreateProgramWithBuiltInKernels_t,
        cl.context, 1, &cl.device, name.as_ptr(), &mut status);
    if program.is_null() {
        return Err(crate::LACKS.to_owned());
    }
    let kernel = cl!(cl, clCreateKernel: clCreateKernel_t, program, name.as_ptr(), &mut status);
    done("clCreateKernel", status)?;
    Ok(kernel)
}
