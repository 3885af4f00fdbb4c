//! Programs: builds, logs, options, binaries, separate compilation.

use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;

use crate::rig::{Notes, Rig, device, query, query_bytes, query_text};

pub const SOURCE: &str = "kernel void one(global int *out) { out[get_global_id(0)] = 1; }
    kernel void two(global int *out) { out[get_global_id(0)] = 2; }";

pub fn program(rig: &Rig, source: &str) -> cl_program {
    let source = CString::new(source).unwrap();
    let mut strings = [source.as_ptr()];
    let mut code = 1;
    let program = unsafe {
        clCreateProgramWithSource(rig.context, 1, strings.as_mut_ptr(), null(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    program
}

pub fn build(program: cl_program, options: &str) -> cl_int {
    let options = CString::new(options).unwrap();
    unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) }
}

pub fn built(rig: &Rig, source: &str, options: &str) -> cl_program {
    let program = program(rig, source);
    assert_eq!(build(program, options), CL_SUCCESS, "{}", log(program));
    program
}

pub fn log(program: cl_program) -> String {
    query_text(|size, value, ret| unsafe {
        clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_LOG, size, value, ret)
    })
}

pub fn build_info<T: Default>(program: cl_program, name: cl_program_build_info) -> T {
    query(|size, value, ret| unsafe {
        clGetProgramBuildInfo(program, device(), name, size, value, ret)
    })
}

fn status(program: cl_program) -> cl_build_status {
    build_info(program, CL_PROGRAM_BUILD_STATUS)
}

pub fn kernel_names(program: cl_program) -> String {
    query_text(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret)
    })
}

pub fn release(program: cl_program) {
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
}

#[test]
fn a_build_makes_kernels() {
    let rig = Rig::new();
    let program = program(&rig, SOURCE);
    assert_eq!(status(program), CL_BUILD_NONE);
    let info = |name| unsafe { clGetProgramInfo(program, name, 0, null_mut(), null_mut()) };
    assert_eq!(info(CL_PROGRAM_NUM_KERNELS), CL_INVALID_PROGRAM_EXECUTABLE);
    let mut code = 1;
    unsafe { clCreateKernel(program, c"one".as_ptr(), &mut code) };
    assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);

    assert_eq!(
        build(program, "-cl-std=CL1.2 -DUNUSED"),
        CL_SUCCESS,
        "{}",
        log(program)
    );
    assert_eq!(status(program), CL_BUILD_SUCCESS);
    assert_eq!(
        build_info::<u32>(program, CL_PROGRAM_BINARY_TYPE),
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(kernel_names(program), "one;two");
    let text = query_text(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, ret)
    });
    assert_eq!(text, SOURCE);
    let options = query_text(|size, value, ret| unsafe {
        clGetProgramBuildInfo(
            program,
            device(),
            CL_PROGRAM_BUILD_OPTIONS,
            size,
            value,
            ret,
        )
    });
    assert_eq!(options, "-cl-std=CL1.2 -DUNUSED");

    let mut kernels = [null_mut(); 2];
    let mut count = 0;
    unsafe {
        clCreateKernel(program, c"three".as_ptr(), &mut code);
        assert_eq!(code, CL_INVALID_KERNEL_NAME);
        clCreateKernel(program, null(), &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
        let all = clCreateKernelsInProgram(program, 1, kernels.as_mut_ptr(), &mut count);
        assert_eq!(all, CL_INVALID_VALUE);
        let all = clCreateKernelsInProgram(program, 2, kernels.as_mut_ptr(), &mut count);
        assert_eq!((all, count), (CL_SUCCESS, 2));
        // Kernels are attached: no other build may begin.
        assert_eq!(build(program, ""), CL_INVALID_OPERATION);
        for kernel in kernels {
            assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        }
    }
    assert_eq!(build(program, ""), CL_SUCCESS);
    release(program);
}

#[test]
fn a_failed_build_says_why_and_where() {
    let rig = Rig::new();
    let program = program(
        &rig,
        "kernel void f(global int *p) {\n    *p = nowhere;\n}\n",
    );
    assert_eq!(build(program, ""), CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(status(program), CL_BUILD_ERROR);
    let log = log(program);
    assert!(log.contains("nowhere") && log.contains('2'), "{log}");
    assert_eq!(
        build_info::<u32>(program, CL_PROGRAM_BINARY_TYPE),
        CL_PROGRAM_BINARY_TYPE_NONE
    );
    release(program);
}

#[test]
fn options_reach_the_compiler_and_bad_ones_are_refused() {
    let rig = Rig::new();
    let program = program(&rig, "kernel void NAME(global int *p) { *p = VALUE; }");
    assert_eq!(build(program, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
    assert_eq!(build(program, "-cl-std=CL9.9"), CL_INVALID_BUILD_OPTIONS);
    assert_eq!(
        build(program, "-D NAME=named -DVALUE=3"),
        CL_SUCCESS,
        "{}",
        log(program)
    );
    assert_eq!(kernel_names(program), "named");
    release(program);
}

#[test]
fn arguments_of_builds_are_checked() {
    let rig = Rig::new();
    let program = program(&rig, SOURCE);
    let mut code = 1;
    unsafe {
        let build = |count, list: *const cl_device_id, user_data| {
            clBuildProgram(program, count, list, null(), None, user_data)
        };
        let device = device();
        assert_eq!(build(1, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(build(0, &device, null_mut()), CL_INVALID_VALUE);
        assert_eq!(build(1, &rig.context, null_mut()), CL_INVALID_DEVICE);
        assert_eq!(build(1, &device, 8 as *mut c_void), CL_INVALID_VALUE);
        clCreateProgramWithSource(rig.context, 0, null_mut(), null(), &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
        let mut strings = [c"".as_ptr(), null()];
        clCreateProgramWithSource(rig.context, 2, strings.as_mut_ptr(), null(), &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
        let names = c"nothing".as_ptr();
        clCreateProgramWithBuiltInKernels(rig.context, 1, &device, names, &mut code);
        assert_eq!(code, CL_INVALID_VALUE);
    }
    release(program);
}

#[test]
fn sources_in_pieces_are_joined() {
    let rig = Rig::new();
    let pieces = [
        c"kernel void joi".as_ptr(),
        c"ned(XXXX".as_ptr(),
        c"global int *p) {}".as_ptr(),
    ];
    let lengths = [0, 4, 0];
    let mut code = 1;
    let mut strings: Vec<*const c_char> = pieces.to_vec();
    let program = unsafe {
        let strings = strings.as_mut_ptr();
        clCreateProgramWithSource(rig.context, 3, strings, lengths.as_ptr(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    assert_eq!(kernel_names(program), "joined");
    release(program);
}

#[test]
fn zeros_are_no_part_of_a_source() {
    let rig = Rig::new();
    let pieces = [
        c"kernel void first(global int *p) {}\n",
        c"kernel void second() {}",
    ];
    // Both lengths count the terminating zero.
    let lengths = pieces.map(|piece| piece.to_bytes_with_nul().len());
    let mut strings = pieces.map(|piece| piece.as_ptr());
    let mut code = 1;
    let program = unsafe {
        let strings = strings.as_mut_ptr();
        clCreateProgramWithSource(rig.context, 2, strings, lengths.as_ptr(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    assert_eq!(kernel_names(program), "first;second");
    let source = query_text(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, ret)
    });
    let joined: String = pieces.iter().map(|piece| piece.to_str().unwrap()).collect();
    assert_eq!(source, joined);
    release(program);
}

/// Bytes that are no UTF-8 are kept.
#[test]
fn a_source_may_be_in_any_encoding() {
    let rig = Rig::new();
    let latin = c"/* gr\xfcn */ kernel void k(global char *out) { out[0] = \"\xe9\"[0]; }";
    let mut string = latin.as_ptr();
    let mut code = 1;
    let program =
        unsafe { clCreateProgramWithSource(rig.context, 1, &raw mut string, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    let mut source = vec![0u8; latin.to_bytes_with_nul().len()];
    let mut size = 0;
    let got = unsafe {
        let value = source.as_mut_ptr().cast();
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, source.len(), value, &mut size)
    };
    assert_eq!((got, size), (CL_SUCCESS, source.len()));
    assert_eq!(source, latin.to_bytes_with_nul());
    release(program);
}

unsafe extern "C" fn note_built(program: cl_program, notes: *mut c_void) {
    unsafe { Notes::at(notes) }.add(status(program));
}

#[test]
fn a_build_with_a_callback_tells_its_end() {
    let rig = Rig::new();
    for (source, expected) in [(SOURCE, CL_BUILD_SUCCESS), ("nonsense", CL_BUILD_ERROR)] {
        let notes = Notes::default();
        let program = program(&rig, source);
        let code = unsafe {
            clBuildProgram(
                program,
                0,
                null(),
                null(),
                Some(note_built),
                notes.pointer(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(notes.wait_for(1), [expected]);
        release(program);
    }
}

#[test]
fn names_of_arguments_need_their_option() {
    let rig = Rig::new();
    let source = "kernel void f(global const float * restrict in, local int *scratch, int4 v) {}";
    let program = built(&rig, source, "-cl-kernel-arg-info");
    let kernel = crate::kernels::kernel(program, c"f");
    let text = |index, name| {
        query_text(|size, value, ret| unsafe {
            clGetKernelArgInfo(kernel, index, name, size, value, ret)
        })
    };
    assert_eq!(text(0, CL_KERNEL_ARG_NAME), "in");
    assert_eq!(text(0, CL_KERNEL_ARG_TYPE_NAME), "float*");
    assert_eq!(text(2, CL_KERNEL_ARG_TYPE_NAME), "int4");
    let number = |index, name| -> u32 {
        query(|size, value, ret| unsafe {
            clGetKernelArgInfo(kernel, index, name, size, value, ret)
        })
    };
    assert_eq!(
        number(0, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
        CL_KERNEL_ARG_ADDRESS_GLOBAL
    );
    assert_eq!(
        number(1, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
        CL_KERNEL_ARG_ADDRESS_LOCAL
    );
    assert_eq!(
        number(2, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
        CL_KERNEL_ARG_ADDRESS_PRIVATE
    );
    let qualifiers = query_bytes(|size, value, ret| unsafe {
        clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, size, value, ret)
    });
    let expected = u64::from(CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT);
    assert_eq!(qualifiers, expected.to_ne_bytes());
    let beyond =
        unsafe { clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut()) };
    assert_eq!(beyond, CL_INVALID_ARG_INDEX);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    release(program);

    let program = built(&rig, source, "");
    let kernel = crate::kernels::kernel(program, c"f");
    let refused =
        unsafe { clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut()) };
    assert_eq!(refused, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    release(program);
}
