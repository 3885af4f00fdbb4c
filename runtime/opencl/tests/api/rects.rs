//! Rectangular transfers against a byte-by-byte model.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::rect::*;

use crate::rig::{Rig, release_buffers};

struct Rect {
    origin: [usize; 3],
    row: usize,
    slice: usize,
}

impl Rect {
    fn at(&self, x: usize, y: usize, z: usize) -> usize {
        let [a, b, c] = self.origin;
        (a + x) + (b + y) * self.row + (c + z) * self.slice
    }
}

fn model(from: &[u8], from_rect: &Rect, to: &mut [u8], to_rect: &Rect, region: [usize; 3]) {
    for z in 0..region[2] {
        for y in 0..region[1] {
            for x in 0..region[0] {
                to[to_rect.at(x, y, z)] = from[from_rect.at(x, y, z)];
            }
        }
    }
}

const REGION: [usize; 3] = [5, 3, 2];

fn rects() -> (Rect, Rect) {
    (
        Rect {
            origin: [1, 2, 1],
            row: 9,
            slice: 54,
        },
        Rect {
            origin: [3, 1, 0],
            row: 11,
            slice: 66,
        },
    )
}

#[test]
fn read_write_and_copy_move_the_same_bytes() {
    let rig = Rig::new();
    let source: Vec<u8> = (0..=255).collect();
    let (one, other) = rects();
    let mut expected = vec![0u8; 256];
    model(&source, &one, &mut expected, &other, REGION);

    let from = rig.buffer_of(&mut source.clone(), CL_MEM_COPY_HOST_PTR);
    let mut read = vec![0u8; 256];
    let code = unsafe {
        clEnqueueReadBufferRect(
            rig.queue,
            from,
            CL_TRUE,
            one.origin.as_ptr(),
            other.origin.as_ptr(),
            REGION.as_ptr(),
            one.row,
            one.slice,
            other.row,
            other.slice,
            read.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(read, expected);

    let written = rig.buffer(0, 256);
    let code = unsafe {
        clEnqueueWriteBufferRect(
            rig.queue,
            written,
            CL_TRUE,
            other.origin.as_ptr(),
            one.origin.as_ptr(),
            REGION.as_ptr(),
            other.row,
            other.slice,
            one.row,
            one.slice,
            source.as_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(rig.read(written, 256), expected);

    let copied = rig.buffer(0, 256);
    assert_eq!(copy(&rig, from, copied, &one, &other, REGION), CL_SUCCESS);
    assert_eq!(rig.read(copied, 256), expected);
    release_buffers(&[from, written, copied]);
}

fn copy(
    rig: &Rig,
    from: cl_mem,
    to: cl_mem,
    one: &Rect,
    other: &Rect,
    region: [usize; 3],
) -> cl_int {
    unsafe {
        clEnqueueCopyBufferRect(
            rig.queue,
            from,
            to,
            one.origin.as_ptr(),
            other.origin.as_ptr(),
            region.as_ptr(),
            one.row,
            one.slice,
            other.row,
            other.slice,
            0,
            null(),
            null_mut(),
        )
    }
}

#[test]
fn regions_are_checked() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 256);
    let target = rig.buffer(0, 256);
    let (one, other) = rects();
    let tight = |origin| Rect {
        origin,
        row: 8,
        slice: 0,
    };
    assert_eq!(
        copy(&rig, buffer, target, &one, &other, [5, 0, 2]),
        CL_INVALID_VALUE
    );
    assert_eq!(
        copy(&rig, buffer, target, &one, &other, [10, 1, 1]),
        CL_INVALID_VALUE
    );
    assert_eq!(
        copy(&rig, buffer, target, &one, &other, [5, 3, 9]),
        CL_INVALID_VALUE
    );
    assert_eq!(
        copy(&rig, buffer, buffer, &one, &other, REGION),
        CL_INVALID_VALUE
    );
    let region = [4, 4, 1];
    let (left, right, shifted) = (tight([0; 3]), tight([4, 0, 0]), tight([3, 1, 0]));
    assert_eq!(
        copy(&rig, buffer, buffer, &left, &right, region),
        CL_SUCCESS
    );
    assert_eq!(
        copy(&rig, buffer, buffer, &left, &shifted, region),
        CL_MEM_COPY_OVERLAP
    );
    rig.finish();
    release_buffers(&[buffer, target]);
}
