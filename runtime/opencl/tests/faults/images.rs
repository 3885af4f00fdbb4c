//! Images: as arguments, mapped, and read by kernels.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::image::*;
use touchstone::api::image_transfer::*;
use touchstone::api::sampler::*;

use crate::Scenario;
use crate::rig::Rig;
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("image_again", image_again),
    ("mapped_plane", mapped_plane),
    ("layers", layers),
    ("lines_apart", lines_apart),
    ("rows_apart", rows_apart),
    ("least_norm", least_norm),
    ("depths", depths),
];

/// An image of four bytes an element, two rows high where it has rows; each layer's elements are its number.
fn image(rig: &Rig, kind: cl_mem_object_type, width: usize, layers: usize) -> cl_mem {
    image_of(rig, CL_UNSIGNED_INT8, kind, width, layers)
}

/// The same of other channels of one byte.
fn image_of(
    rig: &Rig,
    channels: cl_channel_type,
    kind: cl_mem_object_type,
    width: usize,
    layers: usize,
) -> cl_mem {
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: channels,
    };
    let lines = kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    // SAFETY: zeros and null are values of each member.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    description.image_type = kind;
    description.image_width = width;
    description.image_height = if lines { 0 } else { 2 };
    description.image_array_size = layers;
    let elements = width * if lines { layers } else { 2 * layers };
    let mut bytes: Vec<u8> = (0..elements)
        .flat_map(|n| [(n * layers / elements) as u8; 4])
        .collect();
    let (flags, host) = (CL_MEM_COPY_HOST_PTR, bytes.as_mut_ptr().cast());
    let mut code = 1;
    // SAFETY: the format, the description and the bytes live through the call.
    let image =
        unsafe { clCreateImage(rig.context, flags, &format, &description, host, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    image
}

/// A kernel says of the image that was set last how wide it is.
fn image_again() {
    let rig = Rig::new();
    let kernel = kernel(
        &rig,
        "kernel void k(global uint *x, read_only image2d_t y) { x[0] = get_image_width(y); }",
    );
    let out = buffer(&rig, &[0]);
    set(kernel, 0, out);
    for width in [3, 5] {
        set(kernel, 1, image(&rig, CL_MEM_OBJECT_IMAGE2D, width, 1));
        run(&rig, kernel, space(&[1], &[1]));
        assert_eq!(words(&rig, out, 1), [width as u32]);
    }
}

/// An image that has no slices has no slice pitch.
fn mapped_plane() {
    let rig = Rig::new();
    let image = image(&rig, CL_MEM_OBJECT_IMAGE2D, 3, 1);
    let (origin, region) = ([0; 3], [3, 2, 1]);
    let (mut row, mut slice, mut code) = (0, 1, 1);
    // SAFETY: the origin, the region and both pitches live through the call.
    let address = unsafe {
        clEnqueueMapImage(
            rig.queue,
            image,
            CL_TRUE,
            CL_MAP_READ,
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
    assert!(!address.is_null() && row >= 12);
    assert_eq!((code, slice), (CL_SUCCESS, 0));
}

/// A sampler reads the layer whose number is nearest.
fn layers() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x, read_only image1d_array_t y, sampler_t z) {
        x[0] = read_imageui(y, z, (float2)(0.5f, 1.25f)).x;
        x[1] = read_imageui(y, z, (float2)(0.5f, 1.75f)).x;
        x[2] = read_imageui(y, z, (float2)(0.5f, 0.5f)).x;
    }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &[9; 3]);
    let mut code = 1;
    // SAFETY: the context is alive.
    let sampler = unsafe {
        clCreateSampler(
            rig.context,
            CL_FALSE,
            CL_ADDRESS_CLAMP_TO_EDGE,
            CL_FILTER_NEAREST,
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    set(kernel, 0, out);
    set(kernel, 1, image(&rig, CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, 3));
    set(kernel, 2, sampler);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 3), [1, 2, 0]);
}

/// The least number of a channel is read as -1, and is not less.
fn least_norm() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x, read_only image1d_array_t y) {
        x[0] = read_imagef(y, (int2)(0, 128)).x == -1.0f;
    }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &[9]);
    set(kernel, 0, out);
    // Its elements are the numbers of the layers.
    let kind = CL_MEM_OBJECT_IMAGE1D_ARRAY;
    set(kernel, 1, image_of(&rig, CL_SNORM_INT8, kind, 1, 129));
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [1]);
}

/// Reads all of an image into these bytes, in which rows and slices lie so far apart.
fn read(rig: &Rig, image: cl_mem, region: [usize; 3], [row, slice]: [usize; 2], to: &mut [u8]) {
    let origin = [0; 3];
    // SAFETY: the origin, the region and the bytes live through the call, and the region is within these.
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            to.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

/// The images of an array of lines are read to where their slice pitch says.
fn lines_apart() {
    let rig = Rig::new();
    let image = image(&rig, CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, 3);
    let mut bytes = [9u8; 3 * 24];
    read(&rig, image, [2, 3, 1], [8, 24], &mut bytes);
    for (n, line) in bytes.chunks(24).enumerate() {
        assert_eq!(line[..8], [n as u8; 8]);
        assert_eq!(line[8..], [9; 16]);
    }
}

/// A depth of 16 bits is a number from 0 to 1.
fn depths() {
    let rig = Rig::new();
    let source = "kernel void k(global uint *x, read_only image2d_depth_t y) {
        x[0] = convert_uint_rte(read_imagef(y, (int2)(0, 0)) * 65535.0f);
        x[1] = convert_uint_rte(read_imagef(y, (int2)(1, 0)) * 65535.0f);
    }";
    let kernel = kernel(&rig, source);
    let out = buffer(&rig, &[9; 2]);
    let format = cl_image_format {
        image_channel_order: CL_DEPTH,
        image_channel_data_type: CL_UNORM_INT16,
    };
    // SAFETY: zeros and null are values of each member.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    (description.image_width, description.image_height) = (2, 1);
    let mut numbers = [3u16, 65534];
    let (flags, host) = (CL_MEM_COPY_HOST_PTR, numbers.as_mut_ptr().cast());
    let mut code = 1;
    // SAFETY: the format, the description and the numbers live through the call.
    let image =
        unsafe { clCreateImage(rig.context, flags, &format, &description, host, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    set(kernel, 0, out);
    set(kernel, 1, image);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 2), [3, 65534]);
}

/// The rows of a plane over a buffer begin where its row pitch says.
fn rows_apart() {
    let rig = Rig::new();
    let numbers: Vec<u32> = (0..8).collect();
    let over = buffer(&rig, &numbers);
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    // SAFETY: zeros and null are values of each member.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    (description.image_width, description.image_height) = (2, 2);
    description.image_row_pitch = 16;
    description.buffer = over;
    let mut code = 1;
    // SAFETY: the format and the description live through the call.
    let image =
        unsafe { clCreateImage(rig.context, 0, &format, &description, null_mut(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let mut bytes = [9u8; 16];
    read(&rig, image, [2, 2, 1], [0, 0], &mut bytes);
    let wanted = [0u32, 1, 4, 5].map(u32::to_ne_bytes);
    assert_eq!(bytes, *wanted.as_flattened());
}
