//! Wrong arguments and their codes.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;

use crate::rig::*;

/// A change that makes a descriptor wrong.
type Edit<'a> = &'a dyn Fn(&mut cl_image_desc);

#[test]
fn creating_an_image_checks_everything() {
    let rig = Rig::new();
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0], 0);
    let make = |flags, format, desc: cl_image_desc, host| {
        rig.image(flags, format, desc, host)
            .map(|image| release(&[image]))
    };
    let mut memory = [0u8; 4096];
    let host = memory.as_mut_ptr().cast();
    let none = null_mut();

    let unknown = cl_image_format {
        image_channel_order: CL_RGB,
        image_channel_data_type: CL_FLOAT,
    };
    let unsupported = cl_image_format {
        image_channel_order: CL_sRGBA,
        image_channel_data_type: CL_UNORM_INT8,
    };
    assert_eq!(
        make(0, unknown, plane, none),
        Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    );
    assert_eq!(
        make(0, unsupported, plane, none),
        Err(CL_IMAGE_FORMAT_NOT_SUPPORTED)
    );
    assert_eq!(make(1 << 40, RGBA8, plane, none), Err(CL_INVALID_VALUE));
    let two = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    assert_eq!(make(two, RGBA8, plane, none), Err(CL_INVALID_VALUE));
    assert_eq!(make(0, RGBA8, plane, host), Err(CL_INVALID_HOST_PTR));
    assert_eq!(
        make(CL_MEM_USE_HOST_PTR, RGBA8, plane, none),
        Err(CL_INVALID_HOST_PTR)
    );

    let change = |edit: &dyn Fn(&mut cl_image_desc)| {
        let mut desc = plane;
        edit(&mut desc);
        desc
    };
    let cases: [(Edit<'_>, cl_int); 8] = [
        (
            &|desc| desc.image_type = CL_MEM_OBJECT_BUFFER,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        (
            &|desc| desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        (&|desc| desc.num_mip_levels = 2, CL_INVALID_IMAGE_DESCRIPTOR),
        (&|desc| desc.num_samples = 1, CL_INVALID_IMAGE_DESCRIPTOR),
        (
            &|desc| desc.image_row_pitch = 16,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        (
            &|desc| desc.buffer = rig.context,
            CL_INVALID_IMAGE_DESCRIPTOR,
        ),
        (&|desc| desc.image_width = 0, CL_INVALID_IMAGE_SIZE),
        (&|desc| desc.image_height = 1 << 20, CL_INVALID_IMAGE_SIZE),
    ];
    for (edit, code) in cases {
        assert_eq!(make(0, RGBA8, change(edit), none), Err(code));
    }
    let uses = CL_MEM_USE_HOST_PTR;
    for pitch in [15, 18] {
        let desc = change(&|desc| desc.image_row_pitch = pitch);
        assert_eq!(
            make(uses, RGBA8, desc, host),
            Err(CL_INVALID_IMAGE_DESCRIPTOR)
        );
    }
    let wide = change(&|desc| desc.image_row_pitch = usize::MAX - 3);
    assert_eq!(
        make(uses, RGBA8, wide, host),
        Err(CL_INVALID_IMAGE_DESCRIPTOR)
    );
    let mut code = 1;
    unsafe {
        clCreateImage(null_mut(), 0, &RGBA8, &plane, none, &mut code);
        assert_eq!(code, CL_INVALID_CONTEXT);
        clCreateImage(rig.context, 0, null(), &plane, none, &mut code);
        assert_eq!(code, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        clCreateImage(rig.context, 0, &RGBA8, null(), none, &mut code);
        assert_eq!(code, CL_INVALID_IMAGE_DESCRIPTOR);
        let property = [1, 1, 0];
        let list = property.as_ptr();
        clCreateImageWithProperties(rig.context, list, 0, &RGBA8, &plane, none, &mut code);
        assert_eq!(code, CL_INVALID_PROPERTY);
    }
    // An image no memory can hold.
    let huge = desc(CL_MEM_OBJECT_IMAGE3D, [2048; 3], 0);
    let floats = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_FLOAT,
    };
    assert_eq!(
        make(0, floats, huge, none),
        Err(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    );
}

#[test]
fn transfers_check_their_regions() {
    let rig = Rig::new();
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0], 0);
    let image = rig.image(0, RGBA8, plane, null_mut()).unwrap();
    let mut memory = [0u8; 4096];
    let mut read = |image, origin: [usize; 3], region: [usize; 3], row, slice| unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            memory.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(read(image, [0; 3], [4, 4, 1], 0, 0), CL_SUCCESS);
    for (origin, region, row, slice) in [
        ([0, 0, 0], [5, 1, 1], 0, 0),
        ([1, 0, 0], [4, 1, 1], 0, 0),
        ([0, 4, 0], [1, 1, 1], 0, 0),
        ([usize::MAX, 0, 0], [2, 1, 1], 0, 0),
        ([0, 0, 1], [1, 1, 1], 0, 0),
        ([0, 0, 0], [1, 1, 2], 0, 0),
        ([0, 0, 0], [1, 0, 1], 0, 0),
        ([0, 0, 0], [4, 4, 1], 15, 0),
        ([0, 0, 0], [4, 4, 1], 0, 64),
        ([0, 0, 0], [4, 4, 1], usize::MAX, 0),
    ] {
        let code = read(image, origin, region, row, slice);
        assert_eq!(
            code, CL_INVALID_VALUE,
            "{origin:?} {region:?} {row} {slice}"
        );
    }
    assert_eq!(
        read(rig.context, [0; 3], [1; 3], 0, 0),
        CL_INVALID_MEM_OBJECT
    );
    let buffer = rig.buffer(64);
    assert_eq!(read(buffer, [0; 3], [1; 3], 0, 0), CL_INVALID_MEM_OBJECT);
    release(&[buffer, image]);
}

#[test]
fn copies_need_one_format_and_regions_apart() {
    let rig = Rig::new();
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0], 0);
    let image = rig.image(0, RGBA8, plane, null_mut()).unwrap();
    let signed = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_SIGNED_INT8,
    };
    let other = rig.image(0, signed, plane, null_mut()).unwrap();
    let copy = |to, target: [usize; 3]| unsafe {
        clEnqueueCopyImage(
            rig.queue,
            image,
            to,
            [0, 0, 0].as_ptr(),
            target.as_ptr(),
            [4, 4, 1].as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(copy(other, [0; 3]), CL_IMAGE_FORMAT_MISMATCH);
    assert_eq!(copy(image, [3, 3, 0]), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(image, [4, 0, 0]), CL_SUCCESS);
    assert_eq!(copy(image, [0, 4, 0]), CL_SUCCESS);
    assert_eq!(copy(image, [5, 0, 0]), CL_INVALID_VALUE);
    release(&[image, other]);
}
