//! Making images: sides, pitches, host pointers, queries, formats.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::memory::*;

use crate::rig::*;

fn shape(image: cl_mem) -> [usize; 6] {
    [
        CL_IMAGE_WIDTH,
        CL_IMAGE_HEIGHT,
        CL_IMAGE_DEPTH,
        CL_IMAGE_ARRAY_SIZE,
        CL_IMAGE_ROW_PITCH,
        CL_IMAGE_SLICE_PITCH,
    ]
    .map(|name| image_info(image, name))
}

#[test]
fn the_device_says_what_there_is() {
    let rig = Rig::new();
    let info = |name| -> u64 {
        let mut value = 0u64;
        let at = (&raw mut value).cast();
        let code = unsafe { clGetDeviceInfo(rig.device, name, 8, at, null_mut()) };
        assert_eq!(code, CL_SUCCESS);
        value
    };
    assert_eq!(info(CL_DEVICE_IMAGE_SUPPORT), 1);
    for (name, least) in [
        (CL_DEVICE_MAX_READ_IMAGE_ARGS, 128),
        (CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64),
        (CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384),
        (CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384),
        (CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048),
        (CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048),
        (CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048),
        (CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536),
        (CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048),
        (CL_DEVICE_MAX_SAMPLERS, 16),
    ] {
        assert!(info(name) >= least, "{name:#x}");
    }
}

#[test]
fn each_kind_answers_for_its_own_sides() {
    let rig = Rig::new();
    let cases: [(cl_mem_object_type, [usize; 6]); 5] = [
        (CL_MEM_OBJECT_IMAGE1D, [5, 0, 0, 0, 20, 0]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 0, 0, 3, 20, 20]),
        (CL_MEM_OBJECT_IMAGE2D, [5, 4, 0, 0, 20, 0]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 4, 0, 3, 20, 80]),
        (CL_MEM_OBJECT_IMAGE3D, [5, 4, 2, 0, 20, 80]),
    ];
    for (kind, expected) in cases {
        let image = rig
            .image(
                CL_MEM_READ_WRITE,
                RGBA8,
                desc(kind, [5, 4, 2], 3),
                null_mut(),
            )
            .unwrap();
        assert_eq!(shape(image), expected, "{kind:#x}");
        assert_eq!(image_info::<usize>(image, CL_IMAGE_ELEMENT_SIZE), 4);
        assert_eq!(
            image_info::<[u32; 2]>(image, CL_IMAGE_FORMAT),
            [CL_RGBA, CL_UNSIGNED_INT8]
        );
        assert_eq!(image_info::<usize>(image, CL_IMAGE_BUFFER), 0);
        assert_eq!(image_info::<u32>(image, CL_IMAGE_NUM_MIP_LEVELS), 0);
        assert_eq!(image_info::<u32>(image, CL_IMAGE_NUM_SAMPLES), 0);
        assert_eq!(mem_info::<u32>(image, CL_MEM_TYPE), kind);
        assert_eq!(mem_info::<u64>(image, CL_MEM_FLAGS), CL_MEM_READ_WRITE);
        assert_eq!(mem_info::<u32>(image, CL_MEM_REFERENCE_COUNT), 1);
        assert_eq!(
            mem_info::<usize>(image, CL_MEM_CONTEXT),
            rig.context as usize
        );
        let size = mem_info::<usize>(image, CL_MEM_SIZE);
        let [width, height, depth, images, ..] = expected;
        assert_eq!(
            size,
            4 * width * height.max(1) * depth.max(1) * images.max(1)
        );
        release(&[image]);
    }
}

#[test]
fn the_old_functions_make_images() {
    let rig = Rig::new();
    let mut code = 1;
    let flat = unsafe { clCreateImage2D(rig.context, 0, &RGBA8, 6, 7, 0, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(shape(flat), [6, 7, 0, 0, 24, 0]);
    let deep =
        unsafe { clCreateImage3D(rig.context, 0, &RGBA8, 6, 7, 2, 0, 0, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(shape(deep), [6, 7, 2, 0, 24, 168]);
    unsafe { clCreateImage3D(rig.context, 0, &RGBA8, 6, 7, 1, 0, 0, null_mut(), &mut code) };
    assert_eq!(code, CL_INVALID_IMAGE_SIZE);
    unsafe { clCreateImage2D(rig.context, 0, &RGBA8, 6, 7, 24, null_mut(), &mut code) };
    assert_eq!(code, CL_INVALID_IMAGE_SIZE);
    release(&[flat, deep]);
}

#[test]
fn host_memory_is_used_with_its_pitches() {
    let rig = Rig::new();
    // Rows of three elements in four, slices of two rows in three.
    let mut host: Vec<u8> = (0..2 * 48).collect();
    let mut desc = desc(CL_MEM_OBJECT_IMAGE3D, [3, 2, 2], 0);
    desc.image_row_pitch = 16;
    desc.image_slice_pitch = 48;
    let pointer: *mut c_void = host.as_mut_ptr().cast();
    for (flag, given) in [
        (CL_MEM_USE_HOST_PTR, pointer as usize),
        (CL_MEM_COPY_HOST_PTR, 0),
    ] {
        let image = rig.image(flag, RGBA8, desc, pointer).unwrap();
        assert_eq!(shape(image)[4..], [16, 48]);
        assert_eq!(mem_info::<usize>(image, CL_MEM_HOST_PTR), given);
        let mut got = [0u8; 4];
        let code = unsafe {
            clEnqueueReadImage(
                rig.queue,
                image,
                CL_TRUE,
                [2, 1, 1].as_ptr(),
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
        assert_eq!(got, [72, 73, 74, 75]);
        release(&[image]);
    }
}

#[test]
fn formats_are_listed_for_every_use() {
    let rig = Rig::new();
    for flags in [
        0,
        CL_MEM_READ_WRITE,
        CL_MEM_READ_ONLY,
        CL_MEM_WRITE_ONLY,
        CL_MEM_KERNEL_READ_AND_WRITE,
    ] {
        // R, RG, RGBA, A and RA of every type; three orders of four bytes; two of one number with a fraction. Planes have two of
        // depth besides.
        let plain = 5 * 12 + 3 * 4 + 2 * 6;
        for (kind, expected) in [
            (CL_MEM_OBJECT_IMAGE1D_BUFFER, plain),
            (CL_MEM_OBJECT_IMAGE3D, plain),
            (CL_MEM_OBJECT_IMAGE2D, plain + 2),
            (CL_MEM_OBJECT_IMAGE2D_ARRAY, plain + 2),
        ] {
            let mut count = 0;
            let code = unsafe {
                clGetSupportedImageFormats(rig.context, flags, kind, 0, null_mut(), &mut count)
            };
            assert_eq!(code, CL_SUCCESS);
            assert_eq!(count, expected);
            let mut formats = vec![RGBA8; count as usize];
            let code = unsafe {
                clGetSupportedImageFormats(
                    rig.context,
                    flags,
                    kind,
                    count,
                    formats.as_mut_ptr(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            for format in formats {
                let desc = desc(CL_MEM_OBJECT_IMAGE2D, [3, 3, 0], 0);
                release(&[rig.image(0, format, desc, null_mut()).unwrap()]);
            }
        }
    }
    let bad = |flags, kind, entries, formats| unsafe {
        clGetSupportedImageFormats(rig.context, flags, kind, entries, formats, null_mut())
    };
    let mut room = RGBA8;
    assert_eq!(
        bad(0, CL_MEM_OBJECT_BUFFER, 0, null_mut()),
        CL_INVALID_VALUE
    );
    assert_eq!(
        bad(1 << 40, CL_MEM_OBJECT_IMAGE2D, 0, null_mut()),
        CL_INVALID_VALUE
    );
    assert_eq!(
        bad(0, CL_MEM_OBJECT_IMAGE2D, 0, &mut room),
        CL_INVALID_VALUE
    );
}

#[test]
fn an_image_of_depth_is_a_plane_or_a_view_of_one() {
    let rig = Rig::new();
    let of = |image_channel_order, image_channel_data_type| cl_image_format {
        image_channel_order,
        image_channel_data_type,
    };
    let depth = of(CL_DEPTH, CL_FLOAT);
    let volume = desc(CL_MEM_OBJECT_IMAGE3D, [3, 2, 2], 0);
    assert_eq!(
        rig.image(0, depth, volume, null_mut()).unwrap_err(),
        CL_IMAGE_FORMAT_NOT_SUPPORTED
    );
    let bytes_of_depth = of(CL_DEPTH, CL_UNORM_INT8);
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [3, 2, 0], 0);
    assert_eq!(
        rig.image(0, bytes_of_depth, plane, null_mut()).unwrap_err(),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    );

    let numbers = [0.0f32, 0.25, 0.5, 0.75, 1.0, 1.25];
    let from = numbers.as_ptr().cast_mut().cast();
    let red = rig
        .image(CL_MEM_COPY_HOST_PTR, of(CL_R, CL_FLOAT), plane, from)
        .unwrap();
    let view_of = |buffer, format, sides| {
        let plane = cl_image_desc {
            buffer,
            ..desc(CL_MEM_OBJECT_IMAGE2D, sides, 0)
        };
        rig.image(0, format, plane, null_mut())
    };
    for (format, sides, error) in [
        (
            of(CL_DEPTH, CL_UNORM_INT16),
            [3, 2, 0],
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        ),
        (
            of(CL_A, CL_FLOAT),
            [3, 2, 0],
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        ),
        (depth, [2, 3, 0], CL_INVALID_IMAGE_DESCRIPTOR),
    ] {
        assert_eq!(view_of(red, format, sides).unwrap_err(), error);
    }
    let view = view_of(red, depth, [3, 2, 0]).unwrap();
    assert_eq!(
        mem_info::<usize>(view, CL_MEM_ASSOCIATED_MEMOBJECT),
        red as usize
    );
    assert_eq!(image_info::<usize>(view, CL_IMAGE_BUFFER), 0);
    assert_eq!(shape(view), shape(red));
    assert_eq!(
        image_info::<[u32; 2]>(view, CL_IMAGE_FORMAT),
        [CL_DEPTH, CL_FLOAT]
    );
    // What it was made from lives as long as it.
    release(&[red]);
    let mut seen = [0f32; 6];
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            view,
            CL_TRUE,
            [0; 3].as_ptr(),
            [3, 2, 1].as_ptr(),
            0,
            0,
            seen.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(seen, numbers);
    release(&[view]);
}

static DELETED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn note(_: cl_mem, _: *mut c_void) {
    DELETED.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn an_image_is_counted_and_told_of_like_a_buffer() {
    let rig = Rig::new();
    let desc = desc(CL_MEM_OBJECT_IMAGE1D, [5, 0, 0], 0);
    let image = rig.image(0, RGBA8, desc, null_mut()).unwrap();
    unsafe {
        assert_eq!(
            clSetMemObjectDestructorCallback(image, Some(note), null_mut()),
            CL_SUCCESS
        );
        assert_eq!(clRetainMemObject(image), CL_SUCCESS);
        assert_eq!(mem_info::<u32>(image, CL_MEM_REFERENCE_COUNT), 2);
        let code = clEnqueueMigrateMemObjects(rig.queue, 1, &image, 0, 0, null(), null_mut());
        assert_eq!(code, CL_SUCCESS);
        rig.finish();
        assert_eq!(clReleaseMemObject(image), CL_SUCCESS);
        assert_eq!(DELETED.load(Ordering::Relaxed), 0);
        assert_eq!(clReleaseMemObject(image), CL_SUCCESS);
        assert_eq!(DELETED.load(Ordering::Relaxed), 1);
        assert_eq!(clReleaseMemObject(image), CL_INVALID_MEM_OBJECT);
        assert_eq!(clRetainMemObject(image), CL_INVALID_MEM_OBJECT);
    }
}
