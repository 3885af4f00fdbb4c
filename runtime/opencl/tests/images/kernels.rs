//! Images and samplers in kernels.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::image_transfer::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::range::*;
use touchstone::api::sampler::*;

use crate::rig::*;

/// The kernel `k` of a program.
fn kernel(rig: &Rig, text: &str) -> cl_kernel {
    let (mut at, length, mut code) = (text.as_ptr().cast(), text.len(), 1);
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut at, &length, &mut code);
        assert_eq!(code, CL_SUCCESS);
        let options = c"-cl-std=CL3.0 -cl-kernel-arg-info".as_ptr();
        let built = clBuildProgram(program, 1, &rig.device, options, None, null_mut());
        let mut log = vec![0u8; 4096];
        let (name, to) = (CL_PROGRAM_BUILD_LOG, log.as_mut_ptr().cast());
        clGetProgramBuildInfo(program, rig.device, name, log.len(), to, null_mut());
        assert_eq!(built, CL_SUCCESS, "{:?}", CStr::from_bytes_until_nul(&log));
        let kernel = clCreateKernel(program, c"k".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        kernel
    }
}

fn try_set<T>(kernel: cl_kernel, index: u32, value: T) -> cl_int {
    let value = (&raw const value).cast();
    unsafe { clSetKernelArg(kernel, index, size_of::<T>(), value) }
}

fn set<T>(kernel: cl_kernel, index: u32, value: T) {
    assert_eq!(
        try_set(kernel, index, value),
        CL_SUCCESS,
        "argument {index}"
    );
}

/// The status with which a launch ends.
fn launch(rig: &Rig, kernel: cl_kernel, global: [usize; 3]) -> cl_int {
    let mut event = null_mut();
    unsafe {
        let (at, none) = (global.as_ptr(), null());
        let code =
            clEnqueueNDRangeKernel(rig.queue, kernel, 3, none, at, none, 0, null(), &mut event);
        assert_eq!(code, CL_SUCCESS);
        let code = clWaitForEvents(1, &event);
        assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        code
    }
}

fn run(rig: &Rig, kernel: cl_kernel, global: [usize; 3]) {
    assert_eq!(launch(rig, kernel, global), CL_SUCCESS);
}

fn words<const N: usize>(bytes: &[u8]) -> Vec<[u32; N]> {
    let word = |word: &[u8]| u32::from_ne_bytes(word.try_into().unwrap());
    let all: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    all.chunks_exact(N).map(|c| c.try_into().unwrap()).collect()
}

fn with_contents(rig: &Rig, format: cl_image_format, desc: cl_image_desc, bytes: &[u8]) -> cl_mem {
    let from = bytes.as_ptr().cast_mut().cast();
    rig.image(CL_MEM_COPY_HOST_PTR, format, desc, from).unwrap()
}

const fn format(image_channel_order: u32, image_channel_data_type: u32) -> cl_image_format {
    cl_image_format {
        image_channel_order,
        image_channel_data_type,
    }
}

/// The elements of a region from the origin on, which have so many bytes.
fn contents(rig: &Rig, image: cl_mem, region: [usize; 3], size: usize) -> Vec<u8> {
    let mut bytes = vec![0xeeu8; size];
    let code = unsafe {
        clEnqueueReadImage(
            rig.queue,
            image,
            CL_TRUE,
            [0; 3].as_ptr(),
            region.as_ptr(),
            0,
            0,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    bytes
}

/// The bits that a kernel gets of those of a channel.
type Channel<'a> = &'a dyn Fn(u32) -> u32;

/// Every value of a channel of eight or sixteen bits, read as OpenCL C converts it.
#[test]
fn channels_are_converted_when_they_are_read() {
    let rig = Rig::new();
    let source = |f: &str| {
        format!(
            "kernel void k(read_only image2d_t i, global {f}4 *out) {{
                int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
                out[at.y * get_image_width(i) + at.x] = read_image{}(i, at);
            }}",
            match f {
                "float" => "f",
                "int" => "i",
                _ => "ui",
            }
        )
    };
    let kernels = ["float", "int", "uint"].map(|f| kernel(&rig, &source(f)));
    let float = |x: f32| x.to_bits();
    let cases: [(u32, usize, usize, Channel<'_>); 9] = [
        (CL_SNORM_INT8, 1, 0, &|c| {
            float((c as u8 as i8 as f32 / 127.0).max(-1.0))
        }),
        (CL_SNORM_INT16, 2, 0, &|c| {
            float((c as u16 as i16 as f32 / 32767.0).max(-1.0))
        }),
        (CL_UNORM_INT8, 1, 0, &|c| float(c as f32 / 255.0)),
        (CL_UNORM_INT16, 2, 0, &|c| float(c as f32 / 65535.0)),
        (CL_HALF_FLOAT, 2, 0, &|c| {
            float(half::f16::from_bits(c as u16).to_f32())
        }),
        (CL_SIGNED_INT8, 1, 1, &|c| c as u8 as i8 as i32 as u32),
        (CL_SIGNED_INT16, 2, 1, &|c| c as u16 as i16 as i32 as u32),
        (CL_UNSIGNED_INT8, 1, 2, &|c| c),
        (CL_UNSIGNED_INT16, 2, 2, &|c| c),
    ];
    for (channel, size, how, convert) in cases {
        let sides = if size == 1 {
            [16, 16, 1]
        } else {
            [256, 256, 1]
        };
        let count = sides[0] * sides[1];
        let bytes: Vec<u8> = (0..count as u32)
            .flat_map(|c| c.to_ne_bytes()[..size].to_vec())
            .collect();
        let desc = desc(CL_MEM_OBJECT_IMAGE2D, sides, 0);
        let image = with_contents(&rig, format(CL_R, channel), desc, &bytes);
        let out = rig.buffer(16 * count);
        set(kernels[how], 0, image);
        set(kernels[how], 1, out);
        run(&rig, kernels[how], sides);
        let one = if how == 0 { float(1.0) } else { 1 };
        for (c, seen) in (0u32..).zip(words::<4>(&rig.read_buffer(out, 16 * count))) {
            let wanted = convert(c);
            let nan =
                how == 0 && f32::from_bits(wanted).is_nan() && f32::from_bits(seen[0]).is_nan();
            assert!(
                seen == [wanted, 0, 0, one] || nan,
                "{channel:#x} {c}: {seen:?}"
            );
        }
        release(&[image, out]);
    }
    for kernel in kernels {
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    }
}

/// What a kernel writes to a format is what a fill with the same colour leaves there.
#[test]
fn colours_are_converted_when_they_are_written() {
    let rig = Rig::new();
    let floats = [0.0f32, 1.0, 0.5, 0.25, -0.3, 0.499_9, 1.5, 0.1].map(f32::to_bits);
    let ints = [0i32, 1, -1, 127, 300, -40000, 70000, i32::MAX].map(|n| n as u32);
    let uints = [0u32, 1, 255, 256, 65535, 65536, 77, u32::MAX];
    let orders = [CL_R, CL_RG, CL_RGBA, CL_BGRA];
    let types = [
        (
            "f",
            "float",
            floats,
            &[
                CL_SNORM_INT16,
                CL_UNORM_INT8,
                CL_UNORM_INT16,
                CL_HALF_FLOAT,
                CL_FLOAT,
            ] as &[u32],
        ),
        (
            "i",
            "int",
            ints,
            &[CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32],
        ),
        (
            "ui",
            "uint",
            uints,
            &[CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32],
        ),
    ];
    for (suffix, ty, values, channels) in types {
        let kernel = kernel(
            &rig,
            &format!(
                "kernel void k(write_only image1d_t i, global const {ty}4 *in) {{
                    int at = get_global_id(0);
                    write_image{suffix}(i, at, in[at]);
                }}"
            ),
        );
        let colours: Vec<[u32; 4]> = (0..8)
            .map(|n| [0, 1, 2, 3].map(|c| values[(n + c) % 8]))
            .collect();
        let bytes: Vec<u8> = colours
            .iter()
            .flatten()
            .flat_map(|w| w.to_ne_bytes())
            .collect();
        let given = rig.buffer(bytes.len());
        rig.write_buffer(given, &bytes);
        for &channel in channels {
            for order in orders {
                if order == CL_BGRA && channel != CL_UNORM_INT8 {
                    continue;
                }
                let desc = desc(CL_MEM_OBJECT_IMAGE1D, [8, 1, 1], 0);
                let [written, filled] = [(); 2].map(|()| {
                    rig.image(0, format(order, channel), desc, null_mut())
                        .unwrap()
                });
                set(kernel, 0, written);
                set(kernel, 1, given);
                run(&rig, kernel, [8, 1, 1]);
                for (n, colour) in colours.iter().enumerate() {
                    let (origin, region) = ([n, 0, 0], [1, 1, 1]);
                    let (at, to) = (origin.as_ptr(), region.as_ptr());
                    let colour = colour.as_ptr().cast();
                    let code = unsafe {
                        clEnqueueFillImage(rig.queue, filled, colour, at, to, 0, null(), null_mut())
                    };
                    assert_eq!(code, CL_SUCCESS);
                }
                assert_eq!(
                    elements(&rig, written),
                    elements(&rig, filled),
                    "{order:#x} {channel:#x}"
                );
                release(&[written, filled]);
            }
        }
        release(&[given]);
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    }
}

/// The bytes of an image of eight elements.
fn elements(rig: &Rig, image: cl_mem) -> Vec<u8> {
    let size: usize = image_info(image, CL_IMAGE_ELEMENT_SIZE);
    contents(rig, image, [8, 1, 1], 8 * size)
}

/// The two elements that a coordinate lies between with a mode, none where that is the border, and how far
/// it is from the first (OpenCL C, Image Addressing and Filtering), in double precision.
fn between(
    mode: u32,
    normalized: bool,
    s: f64,
    size: i64,
    linear: bool,
) -> ([Option<i64>; 2], f64) {
    let n = size as f64;
    let u = match mode {
        CL_ADDRESS_REPEAT => (s - s.floor()) * n,
        CL_ADDRESS_MIRRORED_REPEAT => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * n,
        _ if normalized => s * n,
        _ => s,
    };
    let address = |at: i64| match mode {
        CL_ADDRESS_CLAMP => (0..size).contains(&at).then_some(at),
        CL_ADDRESS_REPEAT => Some(at.rem_euclid(size)),
        _ => Some(at.clamp(0, size - 1)),
    };
    if linear {
        let low = (u - 0.5).floor();
        (
            [address(low as i64), address(low as i64 + 1)],
            u - 0.5 - low,
        )
    } else {
        ([address(u.floor() as i64); 2], 0.0)
    }
}

/// Every mode of a sampler, as an argument, on images of every kind, against the formulas of the specification.
#[test]
fn samplers_address_and_filter() {
    let rig = Rig::new();
    let kinds = [
        ("image1d_t", CL_MEM_OBJECT_IMAGE1D, [7, 1, 1], 1, 1, "c.x"),
        (
            "image1d_array_t",
            CL_MEM_OBJECT_IMAGE1D_ARRAY,
            [5, 3, 1],
            1,
            2,
            "c.xy",
        ),
        ("image2d_t", CL_MEM_OBJECT_IMAGE2D, [5, 4, 1], 2, 2, "c.xy"),
        (
            "image2d_array_t",
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
            [3, 4, 2],
            2,
            3,
            "c",
        ),
        ("image3d_t", CL_MEM_OBJECT_IMAGE3D, [3, 4, 5], 3, 3, "c"),
        (
            "image2d_depth_t",
            CL_MEM_OBJECT_IMAGE2D,
            [5, 4, 1],
            2,
            2,
            "c.xy",
        ),
        (
            "image2d_array_depth_t",
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
            [3, 4, 2],
            2,
            3,
            "c",
        ),
    ];
    let modes = [
        CL_ADDRESS_CLAMP_TO_EDGE,
        CL_ADDRESS_CLAMP,
        CL_ADDRESS_REPEAT,
        CL_ADDRESS_MIRRORED_REPEAT,
    ];
    let mut stream = Stream::new(7);
    for (ty, code, sides, spatial, coordinates, at) in kinds {
        let count: usize = sides.iter().product();
        let is_depth = ty.contains("depth");
        let (order, channels) = match is_depth {
            true => (CL_DEPTH, 1),
            false => (CL_RGBA, 4),
        };
        let mut colour = || {
            let mut colour = [0.0; 4];
            colour[..channels].fill_with(|| stream.below(1000) as f32 / 16.0);
            colour
        };
        let colours: Vec<[f32; 4]> = (0..count).map(|_| colour()).collect();
        let bytes: Vec<u8> = colours
            .iter()
            .flat_map(|colour| &colour[..channels])
            .flat_map(|c| c.to_ne_bytes())
            .collect();
        let seen = match is_depth {
            true => format!("(float4)(read_imagef(i, s, {at}), 0, 0, 0)"),
            false => format!("read_imagef(i, s, {at})"),
        };
        let images = if code == CL_MEM_OBJECT_IMAGE1D_ARRAY {
            sides[1]
        } else {
            sides[2]
        };
        let image = with_contents(
            &rig,
            format(order, CL_FLOAT),
            desc(code, sides, images),
            &bytes,
        );
        let kernel = kernel(
            &rig,
            &format!(
                "kernel void k(read_only {ty} i, sampler_t s, global const float4 *in, global float4 *out) {{
                    float4 c = in[get_global_id(0)];
                    out[get_global_id(0)] = {seen};
                }}"
            ),
        );
        let samples = 64;
        let out = rig.buffer(16 * samples);
        let given = rig.buffer(16 * samples);
        for mode in modes {
            for (normalized, linear) in [(true, false), (true, true), (false, false), (false, true)]
            {
                let repeats = mode == CL_ADDRESS_REPEAT || mode == CL_ADDRESS_MIRRORED_REPEAT;
                if repeats && !normalized {
                    continue;
                }
                let places: Vec<[f32; 4]> = (0..samples)
                    .map(|_| {
                        let mut place = |d: usize| {
                            // Away from where an element ends and the next begins.
                            let whole = stream.below(3 * sides[d]) as f32 - sides[d] as f32;
                            let u = whole + 0.125 + stream.below(7) as f32 / 8.0;
                            match normalized && d < spatial {
                                true => u / sides[d] as f32,
                                false => u,
                            }
                        };
                        let mut d = |d: usize| if d < coordinates { place(d) } else { 0.0 };
                        [d(0), d(1), d(2), 0.0]
                    })
                    .collect();
                let bytes: Vec<u8> = places
                    .iter()
                    .flatten()
                    .flat_map(|c| c.to_ne_bytes())
                    .collect();
                rig.write_buffer(given, &bytes);
                let mut code = 1;
                let filter = if linear {
                    CL_FILTER_LINEAR
                } else {
                    CL_FILTER_NEAREST
                };
                let sampler = unsafe {
                    clCreateSampler(rig.context, u32::from(normalized), mode, filter, &mut code)
                };
                assert_eq!(code, CL_SUCCESS);
                set(kernel, 0, image);
                set(kernel, 1, sampler);
                set(kernel, 2, given);
                set(kernel, 3, out);
                run(&rig, kernel, [samples, 1, 1]);
                let seen = words::<4>(&rig.read_buffer(out, 16 * samples));
                for (place, seen) in places.iter().zip(seen) {
                    let axes: Vec<([Option<i64>; 2], f64)> = (0..3)
                        .map(|d| {
                            let (s, size) = (f64::from(place[d]), sides[d] as i64);
                            if d < spatial {
                                between(mode, normalized, s, size, linear)
                            } else {
                                let layer = (s.round_ties_even() as i64).clamp(0, size - 1);
                                ([Some(layer); 2], 0.0)
                            }
                        })
                        .collect();
                    let mut wanted = [0.0; 4];
                    for corner in 0..8 {
                        let far = |d: usize| corner >> d & 1;
                        let weight: f64 = (0..3)
                            .map(|d| {
                                if far(d) == 1 {
                                    axes[d].1
                                } else {
                                    1.0 - axes[d].1
                                }
                            })
                            .product();
                        let element = |d: usize| axes[d].0[far(d)];
                        let (Some(x), Some(y), Some(z)) = (element(0), element(1), element(2))
                        else {
                            continue;
                        };
                        let n = (z as usize * sides[1] + y as usize) * sides[0] + x as usize;
                        for (sum, channel) in wanted.iter_mut().zip(colours[n]) {
                            *sum += weight * f64::from(channel);
                        }
                    }
                    for (seen, wanted) in seen.iter().zip(wanted) {
                        let seen = f64::from(f32::from_bits(*seen));
                        let what = format!("{ty} {mode:#x} {normalized} {linear} {place:?}");
                        assert!((seen - wanted).abs() < 1e-3, "{what}: {seen} for {wanted}");
                    }
                }
                assert_eq!(unsafe { clReleaseSampler(sampler) }, CL_SUCCESS);
            }
        }
        release(&[image, out, given]);
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    }
}

/// Depths are single floats: written, read with a sampler and without, rounded and clamped as the format wants, asked.
#[test]
fn depths_are_floats() {
    let rig = Rig::new();
    let source = "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        kernel void k(write_only image2d_depth_t w, read_only image2d_depth_t r, read_write image2d_array_depth_t a, global float *out) {
            write_imagef(w, (int2)(1, 0), 0.25f); write_imagef(w, (int2)(0, 1), 2.0); write_imagef(w, (int2)(1, 1), -1);
            out[0] = read_imagef(r, (int2)(2, 1)); out[1] = read_imagef(r, s, (int2)(1, 1)); out[2] = read_imagef(r, s, (float2)(0.5f, 1.5f));
            out[3] = read_imagef(r, s, (int2)(-1, 0)); out[4] = read_imagef(a, (int4)(0, 1, 1, 0));
            write_imagef(a, (int4)(1, 0, 1, 0), out[4] + 1);
            out[5] = get_image_width(r); out[6] = get_image_height(r); out[7] = get_image_dim(a).y; out[8] = get_image_array_size(a);
            out[9] = get_image_channel_order(r) == CLK_DEPTH; out[10] = get_image_channel_data_type(w) == CLK_UNORM_INT16;
        }";
    let kernel = kernel(&rig, source);
    let plane = |width| desc(CL_MEM_OBJECT_IMAGE2D, [width, 2, 1], 0);
    let floats = |values: &[f32]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect()
    };
    let words = |bytes: Vec<u8>| -> Vec<f32> {
        let words = bytes.chunks_exact(4);
        words
            .map(|word| f32::from_ne_bytes(word.try_into().unwrap()))
            .collect()
    };
    let norm = format(CL_DEPTH, CL_UNORM_INT16);
    let written = with_contents(&rig, norm, plane(2), &[7; 8]);
    let float = format(CL_DEPTH, CL_FLOAT);
    let bytes = floats(&[0.0, 0.1, 0.2, 0.3, 0.4, -5.5]);
    let read = with_contents(&rig, float, plane(3), &bytes);
    let array = desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, [2, 2, 1], 2);
    let array = with_contents(
        &rig,
        float,
        array,
        &floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
    );
    let out = rig.buffer(44);
    for (n, object) in [written, read, array, out].into_iter().enumerate() {
        set(kernel, n as u32, object);
    }
    run(&rig, kernel, [1, 1, 1]);
    let seen = words(rig.read_buffer(out, 44));
    assert_eq!(
        seen,
        [-5.5, 0.4, 0.3, 0.0, 7.0, 3.0, 2.0, 2.0, 2.0, 1.0, 1.0]
    );
    // A fill has a single float, behind which there may be nothing.
    let depth = 0.5f32;
    let code = unsafe {
        clEnqueueFillImage(
            rig.queue,
            written,
            (&raw const depth).cast(),
            [0; 3].as_ptr(),
            [1; 3].as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let elements = contents(&rig, written, [2, 2, 1], 8);
    let elements: Vec<u16> = elements
        .chunks_exact(2)
        .map(|pair| u16::from_ne_bytes(pair.try_into().unwrap()))
        .collect();
    assert_eq!(elements, [32768, 16384, 65535, 0]);
    let elements = words(contents(&rig, array, [2, 2, 2], 32));
    assert_eq!(elements, [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 7.0, 8.0]);

    // What has no depth is none of these arguments, nor an image of another kind.
    let red = rig
        .image(0, format(CL_R, CL_FLOAT), plane(3), null_mut())
        .unwrap();
    for other in [red, array] {
        assert_eq!(try_set(kernel, 1, other), CL_INVALID_MEM_OBJECT);
    }
    release(&[red, written, read, array, out]);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}

/// Samplers in the source, the border of an image without alpha, and what images are asked.
#[test]
fn constants_borders_and_questions() {
    let rig = Rig::new();
    let source = "constant sampler_t outer = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        const sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        uint4 by(read_only image2d_t i, sampler_t s, int2 at) { return read_imageui(i, s, at); }
        kernel void k(read_only image2d_t i, write_only image2d_array_t a, read_only image3d_t v, global uint *out) {
            const sampler_t inner = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            vstore4(by(i, outer, (int2)(-1, 0)), 0, out);
            vstore4(by(i, plain, (int2)(-1, 9)), 1, out);
            vstore4(read_imageui(i, inner, (float2)(1.5f, 0.5f)), 2, out);
            out[12] = get_image_width(i); out[13] = get_image_height(i);
            out[14] = get_image_channel_order(i) == CLK_RG; out[15] = get_image_channel_data_type(i) == CLK_UNSIGNED_INT8;
            out[16] = get_image_array_size(a); vstore2(as_uint2(get_image_dim(a)), 9, out - 1 + 0);
            vstore4(as_uint4(get_image_dim(v)), 5, out); out[24] = get_image_depth(v);
        }";
    let source = source.replace(
        "vstore2(as_uint2(get_image_dim(a)), 9, out - 1 + 0);",
        "out[17] = get_image_dim(a).x; out[18] = get_image_dim(a).y;",
    );
    let kernel = kernel(&rig, &source);
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [2, 2, 1], 0);
    let rg = format(CL_RG, CL_UNSIGNED_INT8);
    let image = with_contents(&rig, rg, plane, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let array = desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, [3, 4, 1], 5);
    let array = rig.image(0, RGBA8, array, null_mut()).unwrap();
    let volume = desc(CL_MEM_OBJECT_IMAGE3D, [6, 7, 8], 0);
    let volume = rig.image(0, RGBA8, volume, null_mut()).unwrap();
    let out = rig.buffer(100);
    for (n, object) in [image, array, volume, out].into_iter().enumerate() {
        set(kernel, n as u32, object);
    }
    run(&rig, kernel, [1, 1, 1]);
    let seen: Vec<u32> = words::<1>(&rig.read_buffer(out, 100))
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(seen[..12], [0, 0, 0, 1, 5, 6, 0, 1, 3, 4, 0, 1]);
    assert_eq!(seen[12..19], [2, 2, 1, 1, 5, 3, 4]);
    assert_eq!(seen[20..], [6, 7, 8, 0, 8]);
    let access = |index: u32| {
        let (mut value, name) = (0u32, CL_KERNEL_ARG_ACCESS_QUALIFIER);
        let at = (&raw mut value).cast();
        let code = unsafe { clGetKernelArgInfo(kernel, index, name, 4, at, null_mut()) };
        assert_eq!(code, CL_SUCCESS);
        value
    };
    let qualifiers = [0, 1, 3].map(access);
    let [reads, writes] = [
        CL_KERNEL_ARG_ACCESS_READ_ONLY,
        CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
    ];
    assert_eq!(qualifiers, [reads, writes, CL_KERNEL_ARG_ACCESS_NONE]);
    release(&[image, array, volume, out]);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}

#[test]
fn arguments_that_are_not_the_images_are_refused() {
    let rig = Rig::new();
    let source = "kernel void k(read_only image2d_t i, write_only image2d_t o, sampler_t s) {
        write_imageui(o, (int2)(0, 0), read_imageui(i, s, (int2)(0, 0)));
    }";
    let kernel = kernel(&rig, source);
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [2, 2, 1], 0);
    let of = |flags| rig.image(flags, RGBA8, plane, null_mut()).unwrap();
    let (reads, writes, buffer) = (of(CL_MEM_READ_ONLY), of(CL_MEM_WRITE_ONLY), rig.buffer(64));
    let line = rig
        .image(
            0,
            RGBA8,
            desc(CL_MEM_OBJECT_IMAGE1D, [4, 1, 1], 0),
            null_mut(),
        )
        .unwrap();
    assert_eq!(try_set(kernel, 0, writes), CL_INVALID_ARG_VALUE);
    assert_eq!(try_set(kernel, 1, reads), CL_INVALID_ARG_VALUE);
    for wrong in [buffer, line, null_mut()] {
        assert_eq!(try_set(kernel, 0, wrong), CL_INVALID_MEM_OBJECT);
    }
    assert_eq!(try_set(kernel, 0, 1u32), CL_INVALID_ARG_SIZE);
    assert_eq!(try_set(kernel, 2, reads), CL_INVALID_SAMPLER);
    assert_eq!(try_set(kernel, 2, 1u32), CL_INVALID_ARG_SIZE);
    let nothing = |index| unsafe { clSetKernelArg(kernel, index, 8, null()) };
    assert_eq!(
        [nothing(0), nothing(2)],
        [CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER]
    );
    set(kernel, 0, reads);
    set(kernel, 1, writes);
    release(&[reads, writes, buffer, line]);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}

/// Elements that an image does not have are neither read without a sampler nor written.
#[test]
fn accesses_outside_end_the_command() {
    let rig = Rig::new();
    let source = "kernel void k(read_write image2d_t i, global int *at) {
        if (at[2]) write_imageui(i, (int2)(at[0], at[1]), (uint4)(1)); else read_imageui(i, (int2)(at[0], at[1]));
    }";
    let kernel = kernel(&rig, source);
    let plane = desc(CL_MEM_OBJECT_IMAGE2D, [3, 2, 1], 0);
    let image = rig.image(0, RGBA8, plane, null_mut()).unwrap();
    let at = rig.buffer(12);
    set(kernel, 0, image);
    set(kernel, 1, at);
    for (x, y, ends) in [(2, 1, false), (3, 1, true), (2, 2, true), (-1, 0, true)] {
        for writes in [0, 1] {
            let bytes: Vec<u8> = [x, y, writes]
                .iter()
                .flat_map(|n: &i32| n.to_ne_bytes())
                .collect();
            rig.write_buffer(at, &bytes);
            let code = launch(&rig, kernel, [1, 1, 1]);
            let wanted = if ends {
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
            } else {
                CL_SUCCESS
            };
            assert_eq!(code, wanted, "{x} {y} {writes}");
        }
    }
    release(&[image, at]);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
}
