//! That Touchstone takes the latitudes: each scenario passes with its latitude, and panics without it.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::svm::*;
use touchstone_faults::Latitude;

use crate::rig::{self, Rig};
use crate::tools::*;
use crate::{Scenario, groups, litmus};

pub const SHOWN: &[(Latitude, Scenario)] = &[
    (
        Latitude::WeakMemory,
        ("weak_outcomes", litmus::weak_outcomes),
    ),
    (
        Latitude::WeakCompareExchangeFails,
        ("weak_fails", weak_fails),
    ),
    (
        Latitude::SeparateMemories,
        ("other_overwrites", other_overwrites),
    ),
    (
        Latitude::SeparateMemories,
        ("views_of_kernels", views_of_kernels),
    ),
    (Latitude::SeparateMemories, ("svm_stale", svm_stale)),
    (Latitude::MapElsewhere, ("mapped_elsewhere", elsewhere)),
    (Latitude::HostPointerCopied, ("host_stale", host_stale)),
    (Latitude::FreshMemoryRubbish, ("fresh", fresh)),
    (Latitude::OddSubGroups, ("sub_groups_of_three", threes)),
];

/// The sub-groups of a group of eight.
fn threes() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x) { x[get_local_id(0)] = sub_group_reduce_add(1); }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &[0; 8]);
    set(kernel, 0, out);
    run(&rig, kernel, space(&[8], &[8]));
    assert_eq!(words(&rig, out, 8), [3, 3, 3, 3, 3, 3, 2, 2]);
}

fn weak_fails() {
    let fails = groups::alone("weak");
    assert!((16..48).contains(&fails), "{fails} of 64");
}

/// A kernel of one device writes a word of a buffer that one of another device uses meanwhile: the write is lost,
/// because the other one writes its whole copy back.
fn other_overwrites() {
    let rigs = two_devices();
    let waits = "kernel void k(global uint *x, global atomic_int *go) {
        atomic_store_explicit(go + 1, 1, memory_order_release, memory_scope_all_svm_devices);
        while (!atomic_load_explicit(go, memory_order_acquire, memory_scope_all_svm_devices));
        x[0] = 1;
    }";
    let (waits, writes) = (
        kernel(&rigs[0], waits),
        kernel(&rigs[0], "kernel void k(global uint *x) { x[1] = 2; }"),
    );
    let both = buffer(&rigs[0], &[0, 0]);
    let (go, flags) = flags(&rigs[0]);
    set(waits, 0, both);
    set_svm(waits, 1, go);
    set(writes, 0, both);
    let waiting = enqueue(&rigs[0], waits, 1, &[]);
    flags.wait_for(1);
    run(&rigs[1], writes, space(&[1], &[1]));
    flags.set(0);
    assert_eq!(rig::wait(&[waiting]), CL_SUCCESS);
    assert_eq!(words(&rigs[0], both, 2), [1, 0]);
}

/// The host does not see what a kernel writes to what is mapped, and overwrites it.
fn views_of_kernels() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k(global uint *x) { x[1] = 2; }");
    let object = buffer(&rig, &[0, 0]);
    set(kernel, 0, object);
    let view = map(&rig, object, CL_MAP_READ | CL_MAP_WRITE, 0, 8);
    run(&rig, kernel, space(&[1], &[1]));
    let seen = unsafe { view.cast::<[u32; 2]>().read() };
    assert_eq!(seen, [0, 0]);
    unmap(&rig, object, view);
    assert_eq!(words(&rig, object, 2), [0, 0]);
}

/// The host sees what a kernel wrote to coarse-grain memory where that is mapped.
fn svm_stale() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k(global uint *x) { *x = 2; }");
    let memory = unsafe { clSVMAlloc(rig.context, CL_MEM_READ_WRITE, 4, 0) };
    let map = |flags| unsafe {
        clEnqueueSVMMap(rig.queue, CL_TRUE, flags, memory, 4, 0, null(), null_mut())
    };
    let unmap = || unsafe { clEnqueueSVMUnmap(rig.queue, memory, 0, null(), null_mut()) };
    assert_eq!(map(CL_MAP_WRITE), CL_SUCCESS);
    unsafe { memory.cast::<u32>().write(1) };
    assert_eq!(unmap(), CL_SUCCESS);
    set_svm(kernel, 0, memory);
    run(&rig, kernel, space(&[1], &[1]));
    let now = || unsafe { memory.cast::<u32>().read() };
    assert_eq!(now(), 1);
    assert_eq!(map(CL_MAP_READ), CL_SUCCESS);
    assert_eq!(now(), 2);
    assert_eq!(unmap(), CL_SUCCESS);
    rig.finish();
}

fn elsewhere() {
    let rig = Rig::new();
    let object = buffer(&rig, &[1, 2, 3, 4]);
    let mut seen = Vec::new();
    for _ in 0..8 {
        let view = map(&rig, object, CL_MAP_READ, 4, 8);
        assert!(!seen.contains(&view), "{view:p} again");
        seen.push(view);
        unmap(&rig, object, view);
    }
}

/// The application's memory has the contents of an object only while that is mapped.
fn host_stale() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k(global uint *x) { *x = 2; }");
    let mut memory = 1u32.to_ne_bytes();
    let start = memory.as_mut_ptr();
    let object = rig.buffer_of(&mut memory, CL_MEM_USE_HOST_PTR);
    set(kernel, 0, object);
    run(&rig, kernel, space(&[1], &[1]));
    let now = || unsafe { start.cast::<u32>().read_unaligned() };
    assert_eq!(now(), 1);
    let view = map(&rig, object, CL_MAP_READ, 0, 4);
    assert_eq!(now(), 2);
    unmap(&rig, object, view);
}

/// Contents that nobody gave differ from each other.
fn fresh() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x) {
        local uint l[4];
        uint p[4];
        global uint *out = x + 8 * get_group_id(0);
        for (int i = 0; i < 4; ++i) {
            out[i] = l[i];
            out[4 + i] = p[i];
        }
    }";
    let memories = output(&rig, source, 16, space(&[2], &[1]));
    let parts: Vec<&[u32]> = memories.chunks(4).collect();
    let differ = |(n, part)| parts[..n].iter().all(|other| other != part);
    assert!(parts.iter().enumerate().all(differ), "{parts:?}");
    let contents = || {
        let object = rig.buffer(CL_MEM_READ_WRITE, 64);
        rig.read(object, 64)
    };
    assert_ne!(contents(), contents());
    let object = rig.buffer_of(&mut [7; 64], CL_MEM_COPY_HOST_PTR);
    let view = map(&rig, object, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64);
    let seen = unsafe { view.cast::<[u8; 64]>().read() };
    assert_ne!(seen, [7; 64]);
    unmap(&rig, object, view);
}
