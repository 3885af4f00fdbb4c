//! `TOUCHSTONE_PROFILE=3.1-minimal`: what OpenCL 3.1 demands is there, and works, without anything that is optional.
//!
//! The variable is read when the first device is asked for, so this test is a program of its own.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "tests pass what they own"
)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::platform::*;
use touchstone::api::program::*;
use touchstone::api::range::*;

#[path = "api/rig.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod rig;

use rig::{Rig, device, platform, query, query_bytes, query_text};

fn text(name: cl_device_info) -> String {
    query_text(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
}

fn number<T: Default>(name: cl_device_info) -> T {
    query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
}

fn bytes(name: cl_device_info) -> Vec<u8> {
    query_bytes(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
}

/// Names and versions of a list, by `(major, minor)`.
fn versions(name: cl_device_info) -> Vec<(String, (u32, u32))> {
    let list = bytes(name);
    let entries = list.chunks(size_of::<cl_name_version>());
    let entry = |entry: &[u8]| {
        let version = u32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let name: Vec<u8> = entry[4..].iter().copied().take_while(|&b| b != 0).collect();
        let name = String::from_utf8(name).unwrap();
        (name, (version >> 22, version >> 12 & 0x3ff))
    };
    entries.map(entry).collect()
}

/// The strings that a list of pointers points to.
fn strings(name: cl_device_info) -> Vec<String> {
    let list = bytes(name);
    let pointers = list.chunks(size_of::<usize>()).map(|bytes| {
        let address = usize::from_ne_bytes(bytes.try_into().unwrap());
        unsafe { CStr::from_ptr(address as *const c_char) }
    });
    pointers
        .map(|text| text.to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_device_of_3_1_has_what_the_version_demands() {
    // SAFETY: the only test of this program does it first.
    unsafe { std::env::set_var("TOUCHSTONE_PROFILE", "3.1-minimal") };
    says_its_version();
    has_the_extensions();
    reports_what_it_reads_of_spirv();
    let rig = Rig::new();
    computes(&rig);
    takes_local_arguments_without_memory(&rig);
}

fn says_its_version() {
    let of_platform = query_text(|size, value, ret| unsafe {
        clGetPlatformInfo(platform(), CL_PLATFORM_VERSION, size, value, ret)
    });
    assert!(
        of_platform.starts_with("OpenCL 3.1 Touchstone "),
        "{of_platform}"
    );
    assert_eq!(text(CL_DEVICE_VERSION), of_platform);
    assert_eq!(number::<u32>(CL_DEVICE_NUMERIC_VERSION), 3 << 22 | 1 << 12);
    let languages: Vec<_> = versions(CL_DEVICE_OPENCL_C_ALL_VERSIONS)
        .into_iter()
        .map(|(_, version)| version)
        .collect();
    assert_eq!(languages, [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)]);
    let read: Vec<_> = versions(CL_DEVICE_ILS_WITH_VERSION)
        .into_iter()
        .map(|(_, version)| version)
        .collect();
    assert!((0..=4).all(|minor| read.contains(&(1, minor))), "{read:?}");
    assert!(number::<u32>(CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0);
    let sides: Vec<u8> = bytes(CL_DEVICE_MAX_WORK_GROUP_SIZES);
    assert_eq!(sides, bytes(CL_DEVICE_MAX_WORK_ITEM_SIZES));
    assert_eq!(sides.len(), 3 * size_of::<usize>());
}

fn has_the_extensions() {
    let extensions: BTreeMap<_, _> = versions(CL_DEVICE_EXTENSIONS_WITH_VERSION)
        .into_iter()
        .collect();
    for name in [
        "cl_khr_device_uuid",
        "cl_khr_extended_bit_ops",
        "cl_khr_spirv_queries",
        "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative",
        "cl_khr_suggested_local_work_size",
    ] {
        assert_eq!(extensions.get(name), Some(&(1, 0)), "{name}");
    }
    assert_eq!(extensions["cl_khr_integer_dot_product"], (2, 0));
    let products: cl_bitfield = number(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES);
    assert_eq!(
        products,
        CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
            | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT
    );
    for name in [
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT,
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED,
    ] {
        assert_eq!(bytes(name), [0; 6 * size_of::<cl_bool>()]);
    }
    let features: Vec<String> = versions(CL_DEVICE_OPENCL_C_FEATURES)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for name in [
        "__opencl_c_subgroups",
        "__opencl_c_integer_dot_product_input_4x8bit",
        "__opencl_c_integer_dot_product_input_4x8bit_packed",
    ] {
        assert!(features.iter().any(|feature| feature == name), "{name}");
    }
}

fn reports_what_it_reads_of_spirv() {
    let sets = strings(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS);
    assert!(sets.iter().any(|set| set == "OpenCL.std"), "{sets:?}");
    let extensions = strings(CL_DEVICE_SPIRV_EXTENSIONS);
    for name in [
        "SPV_KHR_bit_instructions",
        "SPV_KHR_integer_dot_product",
        "SPV_KHR_subgroup_rotate",
    ] {
        assert!(
            extensions.iter().any(|extension| extension == name),
            "{name}"
        );
    }
    let numbers = bytes(CL_DEVICE_SPIRV_CAPABILITIES);
    let numbers: Vec<u32> = numbers
        .chunks(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
        .collect();
    // Addresses, Linkage, Kernel, Vector16, Float16Buffer, Int64, Groups, Int16, Int8, SubgroupDispatch, shuffles and
    // relative ones, products of vectors, of packed ones, dot products, bit instructions, rotations.
    let demanded = [
        4, 5, 6, 7, 8, 11, 18, 22, 39, 58, 65, 66, 6017, 6018, 6019, 6025, 6026,
    ];
    for number in demanded {
        assert!(numbers.contains(&number), "{number}: {numbers:?}");
    }
    // The profile has no doubles, generic pointers and images.
    for number in [10, 38, 13] {
        assert!(!numbers.contains(&number), "{number}");
    }
}

/// A kernel of a program, and the program.
fn kernel(rig: &Rig, source: &CStr) -> (cl_program, cl_kernel) {
    let (mut code, mut text) = (1, source.as_ptr());
    unsafe {
        let program = clCreateProgramWithSource(rig.context, 1, &mut text, null(), &mut code);
        let options = c"-cl-std=CL3.1".as_ptr();
        let built = clBuildProgram(program, 0, null(), options, None, null_mut());
        assert_eq!(built, CL_SUCCESS);
        let kernel = clCreateKernel(program, c"k".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        (program, kernel)
    }
}

/// Runs a kernel whose first argument is a buffer of as many words as there are work-items; they are in one group.
fn run(rig: &Rig, (program, kernel): (cl_program, cl_kernel), items: usize) -> Vec<u32> {
    let buffer = rig.buffer(CL_MEM_READ_WRITE, 4 * items);
    let argument = (&raw const buffer).cast();
    unsafe {
        assert_eq!(
            clSetKernelArg(kernel, 0, size_of::<cl_mem>(), argument),
            CL_SUCCESS
        );
        let sizes = [items];
        let (size, none) = (sizes.as_ptr(), null());
        let code = clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            none,
            size,
            size,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
    }
    let found = rig.read(buffer, 4 * items);
    rig::release_buffers(&[buffer]);
    unsafe {
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
    let words = found
        .chunks(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()));
    words.collect()
}

/// Each of the new functions, once.
fn computes(rig: &Rig) {
    let made = kernel(
        rig,
        c"kernel void k(global uint *out) {
            uint i = get_global_id(0);
            char narrow = 100;
            uint v = 0;
            switch (i) {
                case 0: v = bit_reverse(1u); break;
                case 1: v = bitfield_insert(0u, 7u, 4, 3); break;
                case 2: v = dot((uchar4)(1, 2, 3, 4), (uchar4)(250)); break;
                case 3: v = dot_acc_sat_4x8packed_uu_uint(0xffffffffu, 0xffffffffu, 0xfffffff0u); break;
                default: v = __OPENCL_C_VERSION__;
            }
            uint narrow_sum = (uchar)sub_group_reduce_add(narrow);
            uint down = sub_group_shuffle_down(v, 1), up = sub_group_shuffle_up(v, 1);
            uint turned = sub_group_clustered_rotate(i, 1, 2);
            out[i] = (i & 1 ? up : down) + 1000 * turned + 100000 * (narrow_sum == 32);
        }",
    );
    let found = run(rig, made, 8);
    let given = [0x8000_0000, 0x70, 2500, u32::MAX, 310, 310, 310, 310_u32];
    let wanted: Vec<u32> = (0..8_u32)
        .map(|i| {
            let other = given[(i ^ 1) as usize];
            other.wrapping_add(1000 * (i ^ 1)).wrapping_add(100_000)
        })
        .collect();
    // Eight times a hundred wraps to 32 in a char. Rotated within pairs, an item gets what its neighbour has; so it does shuffled up and down.
    assert_eq!(found, wanted);
}

fn takes_local_arguments_without_memory(rig: &Rig) {
    let made = kernel(
        rig,
        c"kernel void k(global uint *out, local uint *room, uint has) {
            if (has) room[0] = 3;
            out[get_global_id(0)] = 5;
        }",
    );
    unsafe {
        assert_eq!(clSetKernelArg(made.1, 1, 0, null()), CL_SUCCESS);
        let none = 0u32;
        assert_eq!(
            clSetKernelArg(made.1, 2, 4, (&raw const none).cast()),
            CL_SUCCESS
        );
    }
    assert_eq!(run(rig, made, 4), [5; 4]);
}
