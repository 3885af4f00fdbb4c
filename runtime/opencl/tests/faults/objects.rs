//! Buffers, sub-buffers, mappings, transfers, images.

use std::ptr::null;

use opencl_sys::*;
use touchstone::api::sampler::*;

use crate::Scenario;
use crate::rig::{self, Rig};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("readers", readers),
    ("other_memory", other_memory),
    ("mapped_read", mapped_read),
    ("mapped_written", mapped_written),
    ("host_pointer", host_pointer),
    ("sampler_defaults", sampler_defaults),
];

/// Two devices take turns to change a buffer, and each finds what the other one wrote.
fn other_memory() {
    let rigs = two_devices();
    let kernel = kernel(&rigs[0], "kernel void k(global uint *x) { ++*x; }");
    let counter = buffer(&rigs[0], &[0, 7]);
    set(kernel, 0, counter);
    for turn in 1..=4 {
        for (n, rig) in rigs.iter().enumerate() {
            run(rig, kernel, space(&[1], &[1]));
            assert_eq!(words(rig, counter, 2), [2 * turn - 1 + n as u32, 7]);
        }
    }
}

/// What is in a region that a buffer is mapped for, from a word on, as long as it is mapped.
fn mapped(
    rig: &Rig,
    buffer: cl_mem,
    flags: cl_map_flags,
    first: usize,
    count: usize,
) -> &'static mut [u32] {
    let address = map(rig, buffer, flags, 4 * first, 4 * count);
    unsafe { std::slice::from_raw_parts_mut(address.cast(), count) }
}

fn mapped_read() {
    let rig = Rig::new();
    let buffer = buffer(&rig, &[1, 2, 3, 4]);
    for turn in 0..3 {
        let seen = mapped(&rig, buffer, CL_MAP_READ, 1, 2);
        assert_eq!(seen, [2 + turn, 3]);
        unmap(&rig, buffer, seen.as_mut_ptr().cast());
        let next: Vec<u8> = (3 + turn).to_ne_bytes().to_vec();
        let code = unsafe {
            touchstone::api::transfer::clEnqueueWriteBuffer(
                rig.queue,
                buffer,
                CL_TRUE,
                4,
                4,
                next.as_ptr().cast(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
    }
}

/// What the host does not write in a region stays, and what is beside it, too.
fn mapped_written() {
    let rig = Rig::new();
    let buffer = buffer(&rig, &[1, 2, 3, 0x0404_0404]);
    let region = mapped(&rig, buffer, CL_MAP_WRITE, 1, 2);
    region[0] = 20;
    unmap(&rig, buffer, region.as_mut_ptr().cast());
    assert_eq!(words(&rig, buffer, 4), [1, 20, 3, 0x0404_0404]);
    let region = mapped(&rig, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 0, 2);
    region.copy_from_slice(&[100, 200]);
    unmap(&rig, buffer, region.as_mut_ptr().cast());
    assert_eq!(words(&rig, buffer, 4), [100, 200, 3, 0x0404_0404]);
}

/// Memory of the application has the latest contents where it is mapped.
fn host_pointer() {
    let rig = Rig::new();
    let kernel = kernel(
        &rig,
        "kernel void k(global uint *x) { x[get_global_id(0)] += 10; }",
    );
    let mut memory = [1u32, 2, 3, 4].map(u32::to_ne_bytes);
    let buffer = rig.buffer_of(memory.as_flattened_mut(), CL_MEM_USE_HOST_PTR);
    set(kernel, 0, buffer);
    run(&rig, kernel, space(&[4], &[1]));
    let region = mapped(&rig, buffer, CL_MAP_READ | CL_MAP_WRITE, 0, 4);
    assert_eq!(region.as_ptr().cast(), memory.as_ptr());
    assert_eq!(region, [11, 12, 13, 14]);
    region[3] = 5;
    unmap(&rig, buffer, region.as_mut_ptr().cast());
    assert_eq!(words(&rig, buffer, 4), [11, 12, 13, 5]);
}

/// A kernel and a read have a buffer at the same time: the kernel waits in SVM for the read.
fn readers() {
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
    let (go, flags) = flags(&rig);
    set(kernel, 0, target);
    set(kernel, 2, source);
    set_svm(kernel, 1, go);
    let running = enqueue(&rig, kernel, 1, &[]);
    flags.wait_for(1);
    let read = words(&rig, source, 1);
    flags.set(0);
    assert_eq!(crate::rig::wait(&[running]), CL_SUCCESS);
    assert_eq!(read, [7]);
}

/// A sampler that is made without properties takes the border outside.
fn sampler_defaults() {
    let rig = Rig::new();
    let mut code = 1;
    let sampler = unsafe { clCreateSamplerWithProperties(rig.context, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let mode: cl_addressing_mode = rig::query(|size, value, ret| unsafe {
        clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, size, value, ret)
    });
    assert_eq!(mode, CL_ADDRESS_CLAMP);
}
