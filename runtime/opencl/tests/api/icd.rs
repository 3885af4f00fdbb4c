//! The dispatch table and extension functions.

use std::ffi::c_void;
use std::ptr::null_mut;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;
use touchstone::api::platform::clIcdGetPlatformIDsKHR;
use touchstone::icd::*;

use crate::rig::{Rig, device, platform, release_buffers, release_events};

#[test]
fn every_object_points_at_the_table_and_no_slot_is_empty() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 4);
    let event = rig.user_event();
    for handle in [platform(), device(), rig.context, rig.queue, buffer, event] {
        let table = unsafe { handle.cast::<*const cl_icd_dispatch>().read() };
        assert_eq!(table, &raw const DISPATCH);
    }
    let slots = size_of::<cl_icd_dispatch>() / size_of::<usize>();
    let table = (&raw const DISPATCH).cast::<usize>();
    let empty = (0..slots)
        .filter(|&at| unsafe { table.add(at).read() } == 0)
        .count();
    assert_eq!(empty, 0);
    release_events(&[event]);
    release_buffers(&[buffer]);
}

/// The public header, where it is installed, lists the slots in their order.
#[test]
fn the_table_has_the_order_of_the_public_header() {
    let Ok(header) = std::fs::read_to_string("/usr/include/CL/cl_icd.h") else {
        eprintln!("no cl_icd.h is installed; nothing to compare with");
        return;
    };
    let table = header
        .split("typedef struct _cl_icd_dispatch {")
        .nth(1)
        .unwrap();
    let table = table.split("} cl_icd_dispatch;").next().unwrap();
    let names: Vec<_> = table
        .split(';')
        .filter_map(|slot| slot.split_whitespace().last())
        .filter(|name| name.starts_with("cl") && !name.contains('*'))
        .collect();
    let own: Vec<_> = slot_names().collect();
    assert!(names.len() > 140, "{names:?}");
    assert_eq!(&own[..names.len()], names);
}

#[test]
fn extension_functions_are_found_by_name() {
    let find = |name: &std::ffi::CStr| unsafe { clGetExtensionFunctionAddress(name.as_ptr()) };
    assert_eq!(
        find(c"clIcdGetPlatformIDsKHR"),
        clIcdGetPlatformIDsKHR as *mut c_void
    );
    assert!(!find(c"clEnqueueNDRangeKernel").is_null());
    assert!(find(c"clCreateFromGLBuffer").is_null(), "not supported");
    assert!(find(c"clNoSuchFunction").is_null());
    unsafe {
        assert!(clGetExtensionFunctionAddress(std::ptr::null()).is_null());
        let name = c"clIcdGetPlatformIDsKHR".as_ptr();
        assert!(!clGetExtensionFunctionAddressForPlatform(platform(), name).is_null());
        assert!(clGetExtensionFunctionAddressForPlatform(device(), name).is_null());
    }
}

#[test]
fn unsupported_functions_answer_through_the_table() {
    let rig = Rig::new();
    let mut code = 1;
    unsafe {
        let gl = DISPATCH.clCreateFromGLBuffer.unwrap();
        assert!(gl(rig.context, 0, 1, &mut code).is_null());
        assert_eq!(code, CL_INVALID_OPERATION);
        let pipe = DISPATCH.clCreatePipe.unwrap();
        assert!(pipe(null_mut(), 0, 4, 4, std::ptr::null(), &mut code).is_null());
        assert_eq!(code, CL_INVALID_CONTEXT);
        assert_eq!(DISPATCH.clUnloadCompiler.unwrap()(), CL_SUCCESS);
    }
}
