//! Platform and device queries.

use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::platform::*;

use crate::rig::{device, platform, query, query_bytes, query_text};

#[test]
fn the_platform_says_what_it_is() {
    let text = |name| {
        query_text(|size, value, ret| unsafe {
            clGetPlatformInfo(platform(), name, size, value, ret)
        })
    };
    assert_eq!(text(CL_PLATFORM_NAME), "Touchstone");
    assert_eq!(text(CL_PLATFORM_VENDOR), "classay");
    assert_eq!(text(CL_PLATFORM_PROFILE), "FULL_PROFILE");
    assert!(text(CL_PLATFORM_VERSION).starts_with("OpenCL 3.1 Touchstone "));
    assert!(
        text(CL_PLATFORM_EXTENSIONS)
            .split(' ')
            .any(|e| e == "cl_khr_icd")
    );
}

#[test]
fn every_device_query_of_the_core_is_answered() {
    let vendor_ranges = (0x1000..=0x1032)
        .chain(0x1034..=0x105e)
        .chain(0x1060..=0x1069)
        .chain(0x106f..=0x1075)
        .chain(0x12b9..=0x12bb);
    for name in vendor_ranges {
        let mut size = usize::MAX;
        let code = unsafe { clGetDeviceInfo(device(), name, 0, null_mut(), &mut size) };
        assert_eq!(code, CL_SUCCESS, "query {name:#x}");
    }
    let code = unsafe { clGetDeviceInfo(device(), 0x1fff, 0, null_mut(), null_mut()) };
    assert_eq!(code, CL_INVALID_VALUE);
}

#[test]
fn floats_are_added_and_compared_atomically() {
    let extensions = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, size, value, ret)
    });
    let mut listed = extensions.split(' ');
    assert!(listed.any(|name| name == "cl_ext_float_atomics"));
    // CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, those of double and of half: loads and stores, additions, minima and
    // maxima, in global memory and in local memory.
    for (name, all) in [(0x4231, 0x0007_0007), (0x4232, 0x0007_0007), (0x4233, 0)] {
        let can: cl_bitfield =
            query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) });
        assert_eq!(can, all, "{name:#x}");
    }
}

#[test]
fn strings_and_lists_with_versions_agree() {
    for (text, list, separator) in [
        (CL_DEVICE_EXTENSIONS, CL_DEVICE_EXTENSIONS_WITH_VERSION, " "),
        (
            CL_DEVICE_BUILT_IN_KERNELS,
            CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
            ";",
        ),
    ] {
        let text = query_text(|size, value, ret| unsafe {
            clGetDeviceInfo(device(), text, size, value, ret)
        });
        let list = query_bytes(|size, value, ret| unsafe {
            clGetDeviceInfo(device(), list, size, value, ret)
        });
        let names: Vec<_> = list
            .chunks(size_of::<cl_name_version>())
            .map(|entry| {
                let name: Vec<u8> = entry[4..].iter().copied().take_while(|&b| b != 0).collect();
                String::from_utf8(name).unwrap()
            })
            .collect();
        assert_eq!(text, names.join(separator));
    }
}

#[test]
fn what_the_full_profile_demands_is_there() {
    let size = |name| -> usize {
        query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
    };
    let long = |name| -> u64 {
        query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
    };
    assert!(size(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert!(size(CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1 << 20);
    assert!(long(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
    assert!(long(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 << 10);
    assert!(
        long(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= (long(CL_DEVICE_GLOBAL_MEM_SIZE) / 4).min(1 << 30)
    );
    let orders = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    assert_eq!(long(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) & orders, orders);
}

#[test]
fn device_types_select() {
    let count = |device_type| {
        let mut count = 77;
        let code = unsafe { clGetDeviceIDs(platform(), device_type, 0, null_mut(), &mut count) };
        (code, count)
    };
    assert_eq!(count(CL_DEVICE_TYPE_ALL), (CL_SUCCESS, 1));
    assert_eq!(count(CL_DEVICE_TYPE_DEFAULT), (CL_SUCCESS, 1));
    assert_eq!(count(CL_DEVICE_TYPE_GPU).0, CL_DEVICE_NOT_FOUND);
    assert_eq!(count(0).0, CL_INVALID_DEVICE_TYPE);
    assert_eq!(count(1 << 20).0, CL_INVALID_DEVICE_TYPE);
    // "The device must report a single device type, which must not be CL_DEVICE_TYPE_DEFAULT or CL_DEVICE_TYPE_ALL."
    let kind: cl_device_type = query(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_TYPE, size, value, ret)
    });
    assert_eq!(kind, CL_DEVICE_TYPE_CPU);
}

/// Programs compare it with versions of the suite, which are dates and a number.
#[test]
fn the_conformance_version_can_be_read() {
    let name = CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED;
    let version =
        query_text(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) });
    let parts: Vec<usize> = version
        .strip_prefix('v')
        .unwrap()
        .split('-')
        .map(str::len)
        .collect();
    assert_eq!(parts, [4, 2, 2, 2], "{version}");
    let digits = version[1..]
        .split('-')
        .map(|part| part.parse::<u32>().unwrap());
    assert_eq!(digits.collect::<Vec<_>>(), [0, 1, 1, 0]);
}

/// A multiple that says something: groups of one work-item are slow.
#[test]
fn the_preferred_multiple_is_a_size_that_groups_can_have() {
    let size = |name| -> usize {
        query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
    };
    let multiple = size(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    assert!(
        multiple > 1 && size(CL_DEVICE_MAX_WORK_GROUP_SIZE).is_multiple_of(multiple),
        "{multiple}"
    );
}

#[test]
fn wrong_arguments_have_their_codes() {
    let mut id = null_mut();
    unsafe {
        assert_eq!(clGetPlatformIDs(0, &mut id, null_mut()), CL_INVALID_VALUE);
        assert_eq!(
            clGetPlatformIDs(0, null_mut(), null_mut()),
            CL_INVALID_VALUE
        );
        let mut byte = 0u8;
        let short = (&raw mut byte).cast();
        let code = clGetPlatformInfo(platform(), CL_PLATFORM_NAME, 1, short, null_mut());
        assert_eq!(code, CL_INVALID_VALUE);
        let foreign = (&raw mut byte).cast();
        let code = clGetDeviceInfo(foreign, CL_DEVICE_NAME, 0, null_mut(), null_mut());
        assert_eq!(code, CL_INVALID_DEVICE);
        let code = clGetDeviceIDs(foreign, CL_DEVICE_TYPE_ALL, 1, &mut id, null_mut());
        assert_eq!(code, CL_INVALID_PLATFORM);
        assert_eq!(
            clCreateSubDevices(device(), [0].as_ptr(), 1, &mut id, null_mut()),
            CL_INVALID_VALUE
        );
    }
}

#[test]
fn both_timers_are_the_profiling_clock() {
    let (mut on_device, mut on_host, mut later) = (0, 0, 0);
    unsafe {
        assert_eq!(
            clGetDeviceAndHostTimer(device(), &mut on_device, &mut on_host),
            CL_SUCCESS
        );
        assert_eq!(clGetHostTimer(device(), &mut later), CL_SUCCESS);
        assert_eq!(clGetHostTimer(device(), null_mut()), CL_INVALID_VALUE);
    }
    assert_eq!(on_device, on_host);
    assert!(later >= on_host && on_host > 0);
}
