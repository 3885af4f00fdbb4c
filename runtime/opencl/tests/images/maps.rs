//! Mapping images.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::image_transfer::*;
use touchstone::api::map::*;

use crate::rig::*;

fn map(
    rig: &Rig,
    image: cl_mem,
    flags: cl_map_flags,
    origin: [usize; 3],
    region: [usize; 3],
) -> Result<(*mut u8, usize, usize), cl_int> {
    let (mut row, mut slice) = (1, 1);
    let mut code = 1;
    let address = unsafe {
        clEnqueueMapImage(
            rig.queue,
            image,
            CL_TRUE,
            flags,
            origin.as_ptr(),
            region.as_ptr(),
            &mut row,
            &mut slice,
            0,
            null(),
            null_mut(),
            &mut code,
        )
    };
    if code == CL_SUCCESS {
        Ok((address.cast(), row, slice))
    } else {
        assert!(address.is_null());
        Err(code)
    }
}

fn unmap(rig: &Rig, image: cl_mem, address: *mut u8) -> cl_int {
    unsafe { clEnqueueUnmapMemObject(rig.queue, image, address.cast(), 0, null(), null_mut()) }
}

#[test]
fn a_mapped_region_has_the_pitches_it_says() {
    let rig = Rig::new();
    let desc = desc(CL_MEM_OBJECT_IMAGE3D, [4, 3, 2], 0);
    let image = rig.image(0, RGBA8, desc, null_mut()).unwrap();
    let (address, row, slice) = map(&rig, image, CL_MAP_WRITE, [1, 1, 0], [2, 2, 2]).unwrap();
    assert_eq!((row, slice), (16, 48));
    unsafe { address.add(4 + row + slice).write(77) };
    assert_eq!(mem_info::<u32>(image, CL_MEM_MAP_COUNT), 1);
    assert_eq!(unmap(&rig, image, address), CL_SUCCESS);
    assert_eq!(mem_info::<u32>(image, CL_MEM_MAP_COUNT), 0);
    assert_eq!(unmap(&rig, image, address), CL_INVALID_VALUE);
    let mut got = [0u8; 4];
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            [2, 2, 1].as_ptr(),
            [1; 3].as_ptr(),
            0,
            0,
            got.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(got, [77, 0, 0, 0]);
    release(&[image]);
}

#[test]
fn kinds_without_slices_say_zero() {
    let rig = Rig::new();
    for (kind, expected) in [
        (CL_MEM_OBJECT_IMAGE1D, 0),
        (CL_MEM_OBJECT_IMAGE2D, 0),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, 16),
    ] {
        let image = rig
            .image(0, RGBA8, desc(kind, [4, 1, 1], 2), null_mut())
            .unwrap();
        let (address, _, slice) = map(&rig, image, CL_MAP_READ, [0; 3], [1; 3]).unwrap();
        assert_eq!(slice, expected);
        assert_eq!(unmap(&rig, image, address), CL_SUCCESS);
        release(&[image]);
    }
}

#[test]
fn tiles_can_be_mapped_for_writing_side_by_side_but_not_over_each_other() {
    let rig = Rig::new();
    let desc = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0], 0);
    let image = rig.image(0, RGBA8, desc, null_mut()).unwrap();
    let tile = |x, y, flags| map(&rig, image, flags, [x, y, 0], [4, 4, 1]);
    let left = tile(0, 0, CL_MAP_WRITE).unwrap().0;
    let right = tile(4, 0, CL_MAP_WRITE).unwrap().0;
    assert_eq!(tile(2, 2, CL_MAP_WRITE), Err(CL_INVALID_OPERATION));
    assert_eq!(
        tile(2, 2, CL_MAP_WRITE_INVALIDATE_REGION),
        Err(CL_INVALID_OPERATION)
    );
    let read = tile(2, 2, CL_MAP_READ).unwrap().0;
    let again = tile(2, 2, CL_MAP_READ).unwrap().0;
    assert_eq!(read, again);
    assert_eq!(mem_info::<u32>(image, CL_MEM_MAP_COUNT), 4);
    for address in [left, right, read, again] {
        assert_eq!(unmap(&rig, image, address), CL_SUCCESS);
    }
    assert_eq!(unmap(&rig, image, read), CL_INVALID_VALUE);
    release(&[image]);
}

#[test]
fn what_the_host_may_not_do_cannot_be_mapped() {
    let rig = Rig::new();
    let desc = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0], 0);
    for (flags, read, write) in [
        (CL_MEM_HOST_READ_ONLY, Ok(()), Err(CL_INVALID_OPERATION)),
        (CL_MEM_HOST_WRITE_ONLY, Err(CL_INVALID_OPERATION), Ok(())),
        (
            CL_MEM_HOST_NO_ACCESS,
            Err(CL_INVALID_OPERATION),
            Err(CL_INVALID_OPERATION),
        ),
    ] {
        let image = rig.image(flags, RGBA8, desc, null_mut()).unwrap();
        let attempt = |how| {
            map(&rig, image, how, [0; 3], [1; 3]).map(|(address, ..)| {
                assert_eq!(unmap(&rig, image, address), CL_SUCCESS);
            })
        };
        assert_eq!(attempt(CL_MAP_READ), read);
        assert_eq!(attempt(CL_MAP_WRITE), write);
        release(&[image]);
    }
}
