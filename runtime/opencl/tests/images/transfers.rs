//! Random transfers against the model.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::image_transfer::*;

use crate::model::{KINDS, Model};
use crate::rig::*;

const FORMATS: [(cl_channel_order, cl_channel_type, usize); 5] = [
    (CL_R, CL_UNORM_INT8, 1),
    (CL_RG, CL_SIGNED_INT8, 2),
    (CL_RGBA, CL_UNSIGNED_INT8, 4),
    (CL_RGBA, CL_HALF_FLOAT, 8),
    (CL_RGBA, CL_FLOAT, 16),
];

fn format((order, channel, _): (cl_channel_order, cl_channel_type, usize)) -> cl_image_format {
    cl_image_format {
        image_channel_order: order,
        image_channel_data_type: channel,
    }
}

/// Host memory with random pitches for a region: row pitch, slice pitch, strides of the
/// second and third coordinate, size.
fn pitches(
    model: &Model,
    region: [usize; 3],
    stream: &mut Stream,
) -> (usize, usize, [usize; 2], usize) {
    let tight = region[0] * model.element;
    let row = if stream.below(2) == 0 {
        0
    } else {
        tight + model.element * stream.below(4)
    };
    let row_bytes = if row == 0 { tight } else { row };
    let one_row = model.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let slice_bytes = row_bytes * if one_row { 1 } else { region[1] };
    let slice = if model.has_slices() && stream.below(2) == 1 {
        slice_bytes + row_bytes * stream.below(3)
    } else {
        0
    };
    let slice_bytes = if slice == 0 { slice_bytes } else { slice };
    let strides = if one_row {
        [slice_bytes, 0]
    } else {
        [row_bytes, slice_bytes]
    };
    let size = strides[0] * (region[1] - 1) + strides[1] * (region[2] - 1) + tight;
    (row, slice, strides, size)
}

fn write(rig: &Rig, image: cl_mem, model: &mut Model, stream: &mut Stream) {
    let (origin, region) = model.region(stream);
    let (row, slice, strides, size) = pitches(model, region, stream);
    let host = stream.bytes(size);
    let code = unsafe {
        clEnqueueWriteImage(
            rig.queue,
            image,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            host.as_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let mut elements = Vec::new();
    model.each(origin, region, |[x, y, z], _| {
        let at = x * model.element + y * strides[0] + z * strides[1];
        elements.extend_from_slice(&host[at..at + model.element]);
    });
    model.put(origin, region, &elements);
}

fn check(rig: &Rig, image: cl_mem, model: &Model, stream: &mut Stream) {
    let (origin, region) = model.region(stream);
    let (row, slice, strides, size) = pitches(model, region, stream);
    let mut host = vec![0xabu8; size];
    let mut expected = host.clone();
    model.each(origin, region, |[x, y, z], from| {
        let at = x * model.element + y * strides[0] + z * strides[1];
        expected[at..at + model.element].copy_from_slice(&model.bytes[from..from + model.element]);
    });
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    // What lies between the rows is not touched.
    assert_eq!(host, expected, "{origin:?} {region:?} of {:?}", model.sides);
}

fn image_of(rig: &Rig, kind: (cl_channel_order, cl_channel_type, usize), model: &Model) -> cl_mem {
    let mut bytes = model.bytes.clone();
    let host = bytes.as_mut_ptr().cast();
    rig.image(CL_MEM_COPY_HOST_PTR, format(kind), model.desc(), host)
        .unwrap()
}

#[test]
fn what_is_written_is_read_in_every_kind_and_size_of_element() {
    let rig = Rig::new();
    let mut stream = Stream::new(7);
    for kind in KINDS {
        for element in FORMATS {
            let mut model = Model::random(kind, element.2, &mut stream);
            let image = image_of(&rig, element, &model);
            for _ in 0..20 {
                write(&rig, image, &mut model, &mut stream);
                check(&rig, image, &model, &mut stream);
            }
            release(&[image]);
        }
    }
}

#[test]
fn images_are_copied_between_kinds() {
    let rig = Rig::new();
    let mut stream = Stream::new(9);
    for from_kind in KINDS {
        for to_kind in KINDS {
            let source = Model::random(from_kind, 4, &mut stream);
            let mut target = Model::random(to_kind, 4, &mut stream);
            let images = [
                image_of(&rig, FORMATS[2], &source),
                image_of(&rig, FORMATS[2], &target),
            ];
            for _ in 0..10 {
                let (from, mut region) = source.region(&mut stream);
                let (to, other) = target.region(&mut stream);
                for n in 0..3 {
                    region[n] = region[n].min(other[n]);
                }
                let code = unsafe {
                    clEnqueueCopyImage(
                        rig.queue,
                        images[0],
                        images[1],
                        from.as_ptr(),
                        to.as_ptr(),
                        region.as_ptr(),
                        0,
                        null(),
                        null_mut(),
                    )
                };
                assert_eq!(code, CL_SUCCESS);
                target.put(to, region, &source.taken(from, region));
                check(&rig, images[1], &target, &mut stream);
            }
            release(&images);
        }
    }
}

#[test]
fn buffers_hold_regions_without_gaps() {
    let rig = Rig::new();
    let mut stream = Stream::new(11);
    for kind in KINDS {
        let mut model = Model::random(kind, 2, &mut stream);
        let image = image_of(&rig, FORMATS[1], &model);
        let mut bytes = stream.bytes(2000);
        let buffer = rig.buffer(bytes.len());
        rig.write_buffer(buffer, &bytes);
        for _ in 0..20 {
            let (origin, region) = model.region(&mut stream);
            let size = region.iter().product::<usize>() * 2;
            let offset = stream.below(200);
            let code = unsafe {
                clEnqueueCopyImageToBuffer(
                    rig.queue,
                    image,
                    buffer,
                    origin.as_ptr(),
                    region.as_ptr(),
                    offset,
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            bytes[offset..offset + size].copy_from_slice(&model.taken(origin, region));
            assert_eq!(rig.read_buffer(buffer, bytes.len()), bytes);

            let (origin, region) = model.region(&mut stream);
            let size = region.iter().product::<usize>() * 2;
            let offset = stream.below(200);
            let code = unsafe {
                clEnqueueCopyBufferToImage(
                    rig.queue,
                    buffer,
                    image,
                    offset,
                    origin.as_ptr(),
                    region.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            model.put(origin, region, &bytes[offset..offset + size]);
            check(&rig, image, &model, &mut stream);
        }
        release(&[image, buffer]);
    }
}

#[test]
fn a_fill_converts_its_colour() {
    let rig = Rig::new();
    let mut stream = Stream::new(13);
    let floats = [1.0f32, 0.25, -1.0, 0.5].map(f32::to_bits);
    let ints = [-5i32, 300, 7, 70000].map(|n| n as u32);
    let halves: Vec<u8> = [0x3c00u16, 0x3400, 0xbc00, 0x3800]
        .iter()
        .flat_map(|half| half.to_ne_bytes())
        .collect();
    let cases = [
        ((CL_BGRA, CL_UNORM_INT8, 4), floats, vec![0u8, 64, 255, 128]),
        ((CL_RGBA, CL_HALF_FLOAT, 8), floats, halves),
        ((CL_RG, CL_SIGNED_INT8, 2), ints, vec![0xfb, 127]),
        ((CL_RGBA, CL_UNSIGNED_INT8, 4), ints, vec![255, 255, 7, 255]),
    ];
    for kind in KINDS {
        for (element, colour, expected) in &cases {
            let mut model = Model::random(kind, element.2, &mut stream);
            let image = image_of(&rig, *element, &model);
            let (origin, region) = model.region(&mut stream);
            let code = unsafe {
                clEnqueueFillImage(
                    rig.queue,
                    image,
                    colour.as_ptr().cast(),
                    origin.as_ptr(),
                    region.as_ptr(),
                    0,
                    null(),
                    null_mut(),
                )
            };
            assert_eq!(code, CL_SUCCESS);
            let count = region.iter().product();
            model.put(origin, region, &expected.repeat(count));
            for _ in 0..5 {
                check(&rig, image, &model, &mut stream);
            }
            release(&[image]);
        }
    }
}
