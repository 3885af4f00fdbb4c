//! Optional features that the device does not have: each query and function about them
//! says so, as the specification has it for OpenCL 3.0.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::image::*;
use touchstone::api::program::*;
use touchstone::api::sampler::*;

use crate::programs::built;
use crate::rig::{Rig, device, query, query_bytes, query_text, release_events};

fn info<T: Default>(name: cl_device_info) -> T {
    query(|size, value, ret| unsafe { clGetDeviceInfo(device(), name, size, value, ret) })
}

fn extensions() -> Vec<String> {
    let text = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, size, value, ret)
    });
    text.split_whitespace().map(str::to_owned).collect()
}

fn features() -> Vec<String> {
    let list = query_bytes(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_OPENCL_C_FEATURES, size, value, ret)
    });
    let name = |entry: &[u8]| {
        let name: Vec<u8> = entry[4..].iter().copied().take_while(|&b| b != 0).collect();
        String::from_utf8(name).unwrap()
    };
    list.chunks(size_of::<cl_name_version>())
        .map(name)
        .collect()
}

/// Without children a command is complete when it has ended.
#[test]
fn a_command_without_children_is_complete_when_it_ends() {
    let rig = Rig::new();
    let event = rig.marker(&[]);
    rig.finish();
    let time = |name| -> u64 {
        query(|size, value, ret| unsafe { clGetEventProfilingInfo(event, name, size, value, ret) })
    };
    assert_eq!(
        time(CL_PROFILING_COMMAND_END),
        time(CL_PROFILING_COMMAND_COMPLETE)
    );
    release_events(&[event]);
}

unsafe extern "C" fn never(_: cl_program, _: *mut c_void) {}

#[test]
fn there_are_no_constructors() {
    let rig = Rig::new();
    let program = built(&rig, "kernel void k() {}", "");
    for name in [
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
        CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    ] {
        let present: u32 =
            query(|size, value, ret| unsafe { clGetProgramInfo(program, name, size, value, ret) });
        assert_eq!(present, CL_FALSE);
    }
    let code = unsafe { clSetProgramReleaseCallback(program, Some(never), null_mut()) };
    assert_eq!(code, CL_INVALID_OPERATION);
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
}

/// Without images (as here, where nothing asks for them before kernels can have them) the
/// limits are zero and nothing can be made.
#[test]
fn without_images_there_are_no_formats_no_images_and_no_samplers() {
    let rig = Rig::new();
    if info::<u32>(CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE {
        return;
    }
    assert!(!features().iter().any(|name| name.contains("image")));
    assert!(!extensions().iter().any(|name| name.contains("image")));
    for name in [
        CL_DEVICE_MAX_READ_IMAGE_ARGS,
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
        CL_DEVICE_MAX_SAMPLERS,
    ] {
        assert_eq!(info::<u32>(name), 0, "{name:#x}");
    }
    let mut count = 7;
    let kind = CL_MEM_OBJECT_IMAGE2D;
    let code = unsafe {
        clGetSupportedImageFormats(
            rig.context,
            CL_MEM_KERNEL_READ_AND_WRITE,
            kind,
            0,
            null_mut(),
            &mut count,
        )
    };
    assert_eq!((code, count), (CL_SUCCESS, 0));
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_FLOAT,
    };
    let mut code = 1;
    unsafe {
        clCreateImage2D(rig.context, 0, &format, 4, 4, 0, null_mut(), &mut code);
        assert_eq!(code, CL_INVALID_OPERATION);
        clCreateSamplerWithProperties(rig.context, null(), &mut code);
        assert_eq!(code, CL_INVALID_OPERATION);
    }
}

/// What is offered is offered in every place.
#[test]
fn features_of_the_language_and_queries_of_the_device_agree() {
    let has = |name: &str| u32::from(features().iter().any(|feature| feature == name));
    for (name, feature) in [
        (
            CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
            "__opencl_c_generic_address_space",
        ),
        (
            CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
            "__opencl_c_work_group_collective_functions",
        ),
        (CL_DEVICE_IMAGE_SUPPORT, "__opencl_c_images"),
        (CL_DEVICE_PIPE_SUPPORT, "__opencl_c_pipes"),
    ] {
        assert_eq!(info::<u32>(name), has(feature), "{feature}");
    }
    let memory: u64 = info(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    let mandated = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
    assert_eq!(memory & mandated, mandated);
    for (bit, feature) in [
        (
            CL_DEVICE_ATOMIC_ORDER_ACQ_REL,
            "__opencl_c_atomic_order_acq_rel",
        ),
        (
            CL_DEVICE_ATOMIC_ORDER_SEQ_CST,
            "__opencl_c_atomic_order_seq_cst",
        ),
        (
            CL_DEVICE_ATOMIC_SCOPE_DEVICE,
            "__opencl_c_atomic_scope_device",
        ),
        (
            CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES,
            "__opencl_c_atomic_scope_all_devices",
        ),
    ] {
        assert_eq!(u32::from(memory & bit != 0), has(feature), "{feature}");
    }
    let variables: usize = info(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE);
    let feature = "__opencl_c_program_scope_global_variables";
    assert_eq!(u32::from(variables >= 65536), has(feature));
    let doubles: u64 = info(CL_DEVICE_DOUBLE_FP_CONFIG);
    assert_eq!(u32::from(doubles != 0), has("__opencl_c_fp64"));
}
