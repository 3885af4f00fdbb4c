//! Mapping buffers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::map::*;
use touchstone::api::memory::*;

use crate::rig::{Rig, query, release_buffers, release_events, wait};

fn map(
    rig: &Rig,
    buffer: cl_mem,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
) -> (*mut u8, cl_int) {
    let mut code = 1;
    let address = unsafe {
        clEnqueueMapBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            flags,
            offset,
            size,
            0,
            null(),
            null_mut(),
            &mut code,
        )
    };
    (address.cast(), code)
}

fn unmap(rig: &Rig, buffer: cl_mem, address: *mut u8) -> cl_int {
    unsafe { clEnqueueUnmapMemObject(rig.queue, buffer, address.cast(), 0, null(), null_mut()) }
}

fn count(buffer: cl_mem) -> cl_uint {
    query(|size, value, ret| unsafe {
        clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, size, value, ret)
    })
}

#[test]
fn what_is_written_to_a_mapping_is_in_the_buffer() {
    let rig = Rig::new();
    let buffer = rig.buffer(CL_MEM_ALLOC_HOST_PTR, 64);
    let (address, code) = map(&rig, buffer, CL_MAP_WRITE, 16, 16);
    assert_eq!(code, CL_SUCCESS);
    unsafe { address.write_bytes(3, 16) };
    assert_eq!(unmap(&rig, buffer, address), CL_SUCCESS);
    let mut expected = [0u8; 64];
    expected[16..32].fill(3);
    assert_eq!(rig.read(buffer, 64), expected);
    release_buffers(&[buffer]);
}

#[test]
fn a_used_host_pointer_is_what_a_mapping_gives() {
    let rig = Rig::new();
    let mut memory = [1u8; 64];
    let buffer = rig.buffer_of(&mut memory, CL_MEM_USE_HOST_PTR);
    let (address, code) = map(&rig, buffer, CL_MAP_READ, 8, 8);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(address as usize, memory.as_ptr() as usize + 8);
    assert_eq!(unmap(&rig, buffer, address), CL_SUCCESS);
    rig.finish();
    release_buffers(&[buffer]);
}

#[test]
fn mappings_nest_for_reading_and_are_counted() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 64);
    let (first, _) = map(&rig, buffer, CL_MAP_READ, 0, 64);
    let (second, _) = map(&rig, buffer, CL_MAP_READ, 0, 8);
    assert_eq!(count(buffer), 2);
    assert_eq!(unmap(&rig, buffer, first), CL_SUCCESS);
    assert_eq!(unmap(&rig, buffer, second), CL_SUCCESS);
    assert_eq!(unmap(&rig, buffer, first), CL_INVALID_VALUE);
    assert_eq!(count(buffer), 0);
    rig.finish();
    release_buffers(&[buffer]);
}

#[test]
fn overlapping_mappings_for_writing_are_refused() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 64);
    let (first, code) = map(&rig, buffer, CL_MAP_WRITE, 0, 32);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(
        map(&rig, buffer, CL_MAP_WRITE, 31, 8).1,
        CL_INVALID_OPERATION
    );
    let (beside, code) = map(&rig, buffer, CL_MAP_WRITE_INVALIDATE_REGION, 32, 8);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(unmap(&rig, buffer, first), CL_SUCCESS);
    assert_eq!(unmap(&rig, buffer, beside), CL_SUCCESS);
    rig.finish();
    release_buffers(&[buffer]);
}

#[test]
fn maps_are_checked() {
    let rig = Rig::new();
    let buffer = rig.buffer(CL_MEM_HOST_READ_ONLY, 64);
    assert_eq!(map(&rig, buffer, CL_MAP_READ, 0, 0).1, CL_INVALID_VALUE);
    assert_eq!(map(&rig, buffer, CL_MAP_READ, 60, 8).1, CL_INVALID_VALUE);
    assert_eq!(map(&rig, buffer, 1 << 9, 0, 8).1, CL_INVALID_VALUE);
    let both = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    assert_eq!(map(&rig, buffer, both, 0, 8).1, CL_INVALID_VALUE);
    assert_eq!(
        map(&rig, buffer, CL_MAP_WRITE, 0, 8).1,
        CL_INVALID_OPERATION
    );
    assert_eq!(
        map(&rig, rig.queue, CL_MAP_READ, 0, 8).1,
        CL_INVALID_MEM_OBJECT
    );
    release_buffers(&[buffer]);
}

#[test]
fn a_blocking_map_that_fails_maps_nothing() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 64);
    let gate = rig.user_event();
    assert_eq!(unsafe { clSetUserEventStatus(gate, -1) }, CL_SUCCESS);
    let mut code = 1;
    let address = unsafe {
        clEnqueueMapBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            CL_MAP_READ,
            0,
            8,
            1,
            &gate,
            null_mut(),
            &mut code,
        )
    };
    assert!(address.is_null());
    assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(count(buffer), 0);
    assert_eq!(wait(&[gate]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    release_events(&[gate]);
    release_buffers(&[buffer]);
}
