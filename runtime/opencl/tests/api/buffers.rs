//! Buffers: host pointers, transfers, fills, sub-buffers, errors.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::memory::*;
use touchstone::api::transfer::*;

use crate::rig::{Rig, query, release_buffers, release_events};

fn create(rig: &Rig, flags: cl_mem_flags, size: usize, pointer: *mut u8) -> cl_int {
    let mut code = 1;
    let buffer = unsafe { clCreateBuffer(rig.context, flags, size, pointer.cast(), &mut code) };
    assert_eq!(buffer.is_null(), code != CL_SUCCESS);
    if code == CL_SUCCESS {
        release_buffers(&[buffer]);
    }
    code
}

#[test]
fn flags_and_pointers_are_checked() {
    let rig = Rig::new();
    let mut memory = [0u8; 64];
    let start = memory.as_mut_ptr();
    for (flags, pointer, expected) in [
        (
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
            null_mut(),
            CL_INVALID_VALUE,
        ),
        (
            CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
            null_mut(),
            CL_INVALID_VALUE,
        ),
        (
            CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
            start,
            CL_INVALID_VALUE,
        ),
        (
            CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
            start,
            CL_INVALID_VALUE,
        ),
        (1 << 40, null_mut(), CL_INVALID_VALUE),
        (CL_MEM_USE_HOST_PTR, null_mut(), CL_INVALID_HOST_PTR),
        (CL_MEM_COPY_HOST_PTR, null_mut(), CL_INVALID_HOST_PTR),
        (CL_MEM_READ_WRITE, start, CL_INVALID_HOST_PTR),
        (
            CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
            start,
            CL_SUCCESS,
        ),
        (0, null_mut(), CL_SUCCESS),
    ] {
        assert_eq!(create(&rig, flags, 64, pointer), expected, "{flags:#x}");
    }
    assert_eq!(create(&rig, 0, 0, null_mut()), CL_INVALID_BUFFER_SIZE);
    assert_eq!(
        create(&rig, 0, usize::MAX, null_mut()),
        CL_INVALID_BUFFER_SIZE
    );
    let mut code = 1;
    let properties = [7, 1, 0];
    unsafe {
        clCreateBufferWithProperties(
            rig.context,
            properties.as_ptr(),
            0,
            64,
            null_mut(),
            &mut code,
        );
    }
    assert_eq!(code, CL_INVALID_PROPERTY);
}

#[test]
fn host_pointers_keep_their_promises() {
    let rig = Rig::new();
    let mut used = *b"used host memory";
    let mut copied = *b"copied from host";
    let use_it = rig.buffer_of(&mut used, CL_MEM_USE_HOST_PTR);
    let copy_it = rig.buffer_of(&mut copied, CL_MEM_COPY_HOST_PTR);
    copied.fill(0);
    assert_eq!(rig.read(use_it, 16), b"used host memory");
    assert_eq!(rig.read(copy_it, 16), b"copied from host");
    let pointer = |buffer| -> usize {
        query(|size, value, ret| unsafe {
            clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, size, value, ret)
        })
    };
    assert_eq!(pointer(use_it), used.as_ptr() as usize);
    assert_eq!(pointer(copy_it), 0);
    release_buffers(&[use_it, copy_it]);
}

#[test]
fn copies_of_every_alignment_move_the_right_bytes() {
    let rig = Rig::new();
    let mut bytes: Vec<u8> = (0..=255).collect();
    let from = rig.buffer_of(&mut bytes, CL_MEM_COPY_HOST_PTR);
    let to = rig.buffer(0, 256);
    for size in [0, 1, 3, 4, 7, 8, 17, 64, 100] {
        for offset in [0, 1, 2, 5, 8] {
            let mut expected = vec![0u8; 256];
            expected[offset..offset + size].copy_from_slice(&bytes[2 * offset..2 * offset + size]);
            unsafe {
                let zero = 0u8;
                let code = clEnqueueFillBuffer(
                    rig.queue,
                    to,
                    (&raw const zero).cast(),
                    1,
                    0,
                    256,
                    0,
                    null(),
                    null_mut(),
                );
                assert_eq!(code, CL_SUCCESS);
                let code = clEnqueueCopyBuffer(
                    rig.queue,
                    from,
                    to,
                    2 * offset,
                    offset,
                    size,
                    0,
                    null(),
                    null_mut(),
                );
                assert_eq!(code, CL_SUCCESS);
            }
            assert_eq!(rig.read(to, 256), expected, "{size} bytes at {offset}");
        }
    }
    release_buffers(&[from, to]);
}

#[test]
fn patterns_of_every_size_fill() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 1024);
    let pattern: Vec<u8> = (1..=128).collect();
    let fill = |pattern_size, offset, size| unsafe {
        clEnqueueFillBuffer(
            rig.queue,
            buffer,
            pattern.as_ptr().cast(),
            pattern_size,
            offset,
            size,
            0,
            null(),
            null_mut(),
        )
    };
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        assert_eq!(fill(1, 0, 1024), CL_SUCCESS);
        assert_eq!(fill(size, 128, 5 * 128), CL_SUCCESS);
        let bytes = rig.read(buffer, 1024);
        let repeated = pattern[..size].iter().copied().cycle();
        let expected: Vec<u8> = std::iter::repeat_n(1, 128)
            .chain(repeated.take(5 * 128))
            .chain(std::iter::repeat_n(1, 256))
            .collect();
        assert_eq!(bytes, expected, "pattern of {size}");
    }
    for (pattern_size, offset, size) in [
        (0, 0, 64),
        (3, 0, 63),
        (256, 0, 256),
        (4, 2, 64),
        (4, 0, 66),
        (4, 1020, 8),
    ] {
        assert_eq!(fill(pattern_size, offset, size), CL_INVALID_VALUE);
    }
    release_buffers(&[buffer]);
}

#[test]
fn transfers_are_checked() {
    let rig = Rig::new();
    let foreign = Rig::new();
    let buffer = rig.buffer(CL_MEM_HOST_READ_ONLY, 64);
    let hidden = rig.buffer(CL_MEM_HOST_NO_ACCESS, 64);
    let other = foreign.buffer(0, 64);
    let mut memory = [0u8; 64];
    let pointer = memory.as_mut_ptr().cast();
    let read = |buffer, offset, size, pointer| unsafe {
        clEnqueueReadBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            offset,
            size,
            pointer,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(read(buffer, 0, 64, pointer), CL_SUCCESS);
    assert_eq!(read(buffer, 1, 64, pointer), CL_INVALID_VALUE);
    assert_eq!(read(buffer, usize::MAX, 2, pointer), CL_INVALID_VALUE);
    assert_eq!(read(buffer, 0, 64, null_mut()), CL_INVALID_VALUE);
    assert_eq!(read(hidden, 0, 64, pointer), CL_INVALID_OPERATION);
    assert_eq!(read(other, 0, 64, pointer), CL_INVALID_CONTEXT);
    assert_eq!(read(rig.queue, 0, 64, pointer), CL_INVALID_MEM_OBJECT);
    let write = unsafe {
        clEnqueueWriteBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            0,
            64,
            pointer,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(write, CL_INVALID_OPERATION);
    let copy = |to, at, size| unsafe {
        clEnqueueCopyBuffer(rig.queue, buffer, to, 0, at, size, 0, null(), null_mut())
    };
    assert_eq!(copy(buffer, 31, 32), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(buffer, 32, 32), CL_SUCCESS);
    assert_eq!(copy(hidden, 33, 32), CL_INVALID_VALUE);
    rig.finish();
    release_buffers(&[buffer, hidden, other]);
}

#[test]
fn a_sub_buffer_shares_its_parents_bytes() {
    let rig = Rig::new();
    let parent = rig.buffer(CL_MEM_READ_ONLY, 512);
    let part = |flags, origin, size| {
        let region = cl_buffer_region { origin, size };
        let mut code = 1;
        let part = unsafe {
            clCreateSubBuffer(
                parent,
                flags,
                CL_BUFFER_CREATE_TYPE_REGION,
                (&raw const region).cast(),
                &mut code,
            )
        };
        (part, code)
    };
    assert_eq!(part(0, 1, 64).1, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_eq!(part(0, 256, 512).1, CL_INVALID_VALUE);
    assert_eq!(part(0, 0, 0).1, CL_INVALID_BUFFER_SIZE);
    assert_eq!(part(CL_MEM_READ_WRITE, 0, 64).1, CL_INVALID_VALUE);
    assert_eq!(part(CL_MEM_USE_HOST_PTR, 0, 64).1, CL_INVALID_VALUE);
    let (first, code) = part(0, 128, 128);
    assert_eq!(code, CL_SUCCESS);
    let info = |name| -> usize {
        query(|size, value, ret| unsafe { clGetMemObjectInfo(first, name, size, value, ret) })
    };
    assert_eq!(info(CL_MEM_ASSOCIATED_MEMOBJECT), parent as usize);
    assert_eq!(info(CL_MEM_OFFSET), 128);
    assert_eq!(info(CL_MEM_SIZE), 128);
    let flags: u64 = query(|size, value, ret| unsafe {
        clGetMemObjectInfo(first, CL_MEM_FLAGS, size, value, ret)
    });
    assert_eq!(flags, CL_MEM_READ_ONLY, "inherited");
    let event = rig.write(first, &[5; 128], &[]);
    assert_eq!(&rig.read(parent, 512)[126..130], [0, 0, 5, 5]);
    let overlap =
        unsafe { clEnqueueCopyBuffer(rig.queue, parent, first, 120, 0, 16, 0, null(), null_mut()) };
    assert_eq!(overlap, CL_MEM_COPY_OVERLAP);
    let mut code = 1;
    let region = cl_buffer_region { origin: 0, size: 8 };
    unsafe {
        let region = (&raw const region).cast();
        clCreateSubBuffer(first, 0, CL_BUFFER_CREATE_TYPE_REGION, region, &mut code);
    }
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    // The part keeps its parent.
    release_events(&[event]);
    release_buffers(&[parent]);
    assert_eq!(rig.read(first, 128), [5; 128]);
    release_buffers(&[first]);
}
