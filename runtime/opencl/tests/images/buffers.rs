//! Images that lie in buffers.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::image_transfer::*;

use crate::rig::*;

#[test]
fn an_image_and_its_buffer_are_the_same_bytes() {
    let rig = Rig::new();
    let buffer = rig.buffer(64);
    let bytes: Vec<u8> = (0..64).collect();
    rig.write_buffer(buffer, &bytes);
    let mut line = desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 0, 0], 0);
    line.buffer = buffer;
    let line = rig.image(0, RGBA8, line, null_mut()).unwrap();
    let mut plane = desc(CL_MEM_OBJECT_IMAGE2D, [3, 4, 0], 0);
    plane.image_row_pitch = 16;
    plane.buffer = buffer;
    let plane = rig.image(0, RGBA8, plane, null_mut()).unwrap();
    assert_eq!(image_info::<usize>(plane, CL_IMAGE_BUFFER), buffer as usize);
    assert_eq!(
        mem_info::<usize>(plane, CL_MEM_ASSOCIATED_MEMOBJECT),
        buffer as usize
    );
    assert_eq!(image_info::<usize>(plane, CL_IMAGE_ROW_PITCH), 16);

    let read = |image, origin: [usize; 3]| {
        let mut got = [0u8; 4];
        let code = unsafe {
            clEnqueueReadImage(
                rig.queue,
                image,
                CL_TRUE,
                origin.as_ptr(),
                [1, 1, 1].as_ptr(),
                0,
                0,
                got.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        got
    };
    assert_eq!(read(line, [9, 0, 0]), [36, 37, 38, 39]);
    assert_eq!(read(plane, [1, 2, 0]), [36, 37, 38, 39]);
    let colour = [1u32, 2, 3, 4];
    let code = unsafe {
        clEnqueueFillImage(
            rig.queue,
            plane,
            colour.as_ptr().cast(),
            [1, 2, 0].as_ptr(),
            [1, 1, 1].as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(read(line, [9, 0, 0]), [1, 2, 3, 4]);
    assert_eq!(rig.read_buffer(buffer, 64)[36..40], [1, 2, 3, 4]);
    // The images keep the buffer.
    release(&[buffer]);
    assert_eq!(read(line, [15, 0, 0]), [60, 61, 62, 63]);
    release(&[line, plane]);
}

#[test]
fn what_does_not_fit_the_buffer_is_refused() {
    let rig = Rig::new();
    let buffer = rig.buffer(64);
    let make = |kind, sides: [usize; 3], pitch, flags| {
        let mut desc = desc(kind, sides, 0);
        desc.image_row_pitch = pitch;
        desc.buffer = buffer;
        rig.image(flags, RGBA8, desc, null_mut())
            .map(|image| release(&[image]))
    };
    let (line, plane) = (CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D);
    assert_eq!(make(line, [16, 0, 0], 0, 0), Ok(()));
    assert_eq!(make(line, [17, 0, 0], 0, 0), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(make(plane, [4, 4, 0], 16, 0), Ok(()));
    assert_eq!(make(plane, [4, 4, 0], 20, 0), Err(CL_INVALID_IMAGE_SIZE));
    assert_eq!(
        make(plane, [4, 2, 0], 18, 0),
        Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    );
    assert_eq!(
        make(plane, [4, 2, 0], 12, 0),
        Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    );
    let others = [
        CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE3D,
        CL_MEM_OBJECT_IMAGE2D_ARRAY,
    ];
    for other in others {
        assert_eq!(
            make(other, [2, 2, 2], 0, 0),
            Err(CL_INVALID_IMAGE_DESCRIPTOR)
        );
    }
    assert_eq!(
        make(line, [4, 0, 0], 0, CL_MEM_ALLOC_HOST_PTR),
        Err(CL_INVALID_VALUE)
    );
    release(&[buffer]);

    let mut code = 1;
    let narrow = CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY;
    let buffer = unsafe { clCreateBuffer(rig.context, narrow, 64, null_mut(), &mut code) };
    let make = |flags| {
        let mut desc = desc(line, [16, 0, 0], 0);
        desc.buffer = buffer;
        rig.image(flags, RGBA8, desc, null_mut())
    };
    assert_eq!(make(CL_MEM_READ_WRITE), Err(CL_INVALID_VALUE));
    assert_eq!(make(CL_MEM_HOST_WRITE_ONLY), Err(CL_INVALID_VALUE));
    let image = make(0).unwrap();
    assert_eq!(mem_info::<u64>(image, CL_MEM_FLAGS), narrow);
    release(&[image, buffer]);
}

#[test]
fn copying_between_an_image_and_its_own_buffer_is_refused() {
    let rig = Rig::new();
    let buffer = rig.buffer(64);
    let mut line = desc(CL_MEM_OBJECT_IMAGE1D_BUFFER, [16, 0, 0], 0);
    line.buffer = buffer;
    let line = rig.image(0, RGBA8, line, null_mut()).unwrap();
    let (origin, region) = ([0; 3], [1; 3]);
    let code = unsafe {
        clEnqueueCopyImageToBuffer(
            rig.queue,
            line,
            buffer,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_MEM_OBJECT);
    release(&[line, buffer]);
}
