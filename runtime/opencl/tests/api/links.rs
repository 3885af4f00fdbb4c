//! Compiled objects, libraries, executables and their binaries.

use std::ffi::CString;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::program::*;

use crate::programs::{build, build_info, built, kernel_names, log, program, release};
use crate::rig::{Rig, device, query};

fn binary(program: cl_program) -> Vec<u8> {
    let sizes: usize = query(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, value, ret)
    });
    let mut binary = vec![0u8; sizes];
    let mut places = [binary.as_mut_ptr()];
    let code = unsafe {
        clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            size_of_val(&places),
            places.as_mut_ptr().cast(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    binary
}

fn with_binary(rig: &Rig, binary: &[u8]) -> (cl_program, cl_int, cl_int) {
    let (mut status, mut code) = (1, 1);
    let mut binaries = [binary.as_ptr()];
    let program = unsafe {
        clCreateProgramWithBinary(
            rig.context,
            1,
            &device(),
            &binary.len(),
            binaries.as_mut_ptr(),
            &mut status,
            &mut code,
        )
    };
    (program, status, code)
}

#[test]
fn a_binary_builds_to_the_same_kernels() {
    let rig = Rig::new();
    let original = built(&rig, "kernel void NAME(global int *p) {}", "-DNAME=kept");
    let bytes = binary(original);
    let (copy, status, code) = with_binary(&rig, &bytes);
    assert_eq!((status, code), (CL_SUCCESS, CL_SUCCESS));
    assert_eq!(
        build_info::<u32>(copy, CL_PROGRAM_BINARY_TYPE),
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    );
    assert_eq!(build(copy, ""), CL_SUCCESS, "{}", log(copy));
    assert_eq!(kernel_names(copy), "kept");
    assert_eq!(binary(copy).len(), bytes.len() - "-DNAME=kept".len());
    let (none, status, code) = with_binary(&rig, b"no binary at all");
    assert!(none.is_null());
    assert_eq!((status, code), (CL_INVALID_BINARY, CL_INVALID_BINARY));
    assert_eq!(with_binary(&rig, &[]).2, CL_INVALID_VALUE);
    release(original);
    release(copy);
}

fn compile(program: cl_program, headers: &[(&std::ffi::CStr, cl_program)]) -> cl_int {
    let programs: Vec<_> = headers.iter().map(|&(_, program)| program).collect();
    let mut names: Vec<_> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
    let none = headers.is_empty();
    unsafe {
        clCompileProgram(
            program,
            0,
            null(),
            null(),
            headers.len() as u32,
            if none { null() } else { programs.as_ptr() },
            if none { null_mut() } else { names.as_mut_ptr() },
            None,
            null_mut(),
        )
    }
}

fn link(rig: &Rig, options: &str, inputs: &[cl_program]) -> (cl_program, cl_int) {
    let options = CString::new(options).unwrap();
    let mut code = 1;
    let program = unsafe {
        clLinkProgram(
            rig.context,
            0,
            null(),
            options.as_ptr(),
            inputs.len() as u32,
            inputs.as_ptr(),
            None,
            null_mut(),
            &mut code,
        )
    };
    (program, code)
}

#[test]
fn units_are_compiled_apart_and_linked() {
    let rig = Rig::new();
    let header = program(&rig, "int twice(int x);\n#define START 21\n");
    let user = program(
        &rig,
        "#include \"twice.h\"\nkernel void use(global int *p) { *p = twice(START); }",
    );
    let helper = program(&rig, "int twice(int x) { return 2 * x; }");
    assert_eq!(
        compile(user, &[(c"twice.h", header)]),
        CL_SUCCESS,
        "{}",
        log(user)
    );
    assert_eq!(compile(helper, &[]), CL_SUCCESS, "{}", log(helper));
    assert_eq!(
        build_info::<u32>(user, CL_PROGRAM_BINARY_TYPE),
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    );

    let (alone, code) = link(&rig, "", &[user]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(log(alone).contains("twice"), "{}", log(alone));
    release(alone);

    let (library, code) = link(&rig, "-create-library", &[helper]);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(
        build_info::<u32>(library, CL_PROGRAM_BINARY_TYPE),
        CL_PROGRAM_BINARY_TYPE_LIBRARY
    );
    let (linked, code) = link(&rig, "", &[user, library]);
    assert_eq!(code, CL_SUCCESS, "{}", log(linked));
    assert_eq!(kernel_names(linked), "use");
    assert_eq!(crate::kernels::run_once(&rig, linked, c"use"), 42);
    assert_eq!(link(&rig, "", &[header]).1, CL_INVALID_OPERATION);
    for program in [header, user, helper, library, linked] {
        release(program);
    }
}

/// Headers of the file system are found below `-I` folders and beside each other; a binary
/// keeps them.
#[test]
fn headers_of_the_file_system_travel_with_the_binary() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers");
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    let outer = "#include \"neighbour.h\"\n";
    std::fs::write(folder.join("inner/outer.h"), outer).unwrap();
    std::fs::write(folder.join("inner/neighbour.h"), "#define NAME found\n").unwrap();
    let rig = Rig::new();
    let source = "#include <inner/outer.h>\nkernel void NAME(global int *p) { *p = 3; }";
    let program = program(&rig, source);
    assert_eq!(build(program, ""), CL_BUILD_PROGRAM_FAILURE);
    let options = format!("-I {}", folder.display());
    assert_eq!(build(program, &options), CL_SUCCESS, "{}", log(program));
    assert_eq!(kernel_names(program), "found");
    let bytes = binary(program);
    std::fs::remove_dir_all(&folder).unwrap();
    let (copy, _, code) = with_binary(&rig, &bytes);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(build(copy, ""), CL_SUCCESS, "{}", log(copy));
    assert_eq!(crate::kernels::run_once(&rig, copy, c"found"), 3);
    release(program);
    release(copy);
}

/// A program from the binary of another, which is let go of.
fn reloaded(rig: &Rig, original: cl_program) -> cl_program {
    let (copy, status, code) = with_binary(rig, &binary(original));
    assert_eq!((status, code), (CL_SUCCESS, CL_SUCCESS));
    release(original);
    copy
}

/// "input_programs is an array of program objects that are compiled binaries or libraries": loaded ones
/// need no build in between.
#[test]
fn loaded_objects_and_libraries_are_linked() {
    let rig = Rig::new();
    let user = program(
        &rig,
        "int twice(int x); kernel void use(global int *p) { *p = twice(21); }",
    );
    let helper = program(&rig, "int twice(int x) { return 2 * x; }");
    for unit in [user, helper] {
        assert_eq!(compile(unit, &[]), CL_SUCCESS, "{}", log(unit));
    }
    let (library, code) = link(&rig, "-create-library", &[helper]);
    assert_eq!(code, CL_SUCCESS);
    let [user, library] = [user, library].map(|original| reloaded(&rig, original));
    let kind = |program| build_info::<u32>(program, CL_PROGRAM_BINARY_TYPE);
    assert_eq!(kind(user), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_eq!(kind(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    // With one that was loaded, one that was compiled here, and both; again to a library, and loaded again.
    for inputs in [[user, helper], [user, library]] {
        let (linked, code) = link(&rig, "", &inputs);
        assert_eq!(code, CL_SUCCESS, "{}", log(linked));
        assert_eq!(crate::kernels::run_once(&rig, linked, c"use"), 42);
        release(linked);
    }
    let (both, code) = link(&rig, "-create-library", &[user, library]);
    assert_eq!(code, CL_SUCCESS, "{}", log(both));
    let both = reloaded(&rig, both);
    let (linked, code) = link(&rig, "", &[both]);
    assert_eq!(code, CL_SUCCESS, "{}", log(linked));
    let copy = reloaded(&rig, linked);
    assert_eq!(build(copy, ""), CL_SUCCESS, "{}", log(copy));
    assert_eq!(crate::kernels::run_once(&rig, copy, c"use"), 42);

    // An executable is nothing to link, nor is what has not been compiled.
    assert_eq!(link(&rig, "", &[copy]).1, CL_INVALID_OPERATION);
    let source = program(&rig, "int twice(int x) { return x; }");
    assert_eq!(link(&rig, "", &[user, source]).1, CL_INVALID_OPERATION);
    let (alone, code) = link(&rig, "", &[user]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(log(alone).contains("twice"), "{}", log(alone));
    for program in [user, helper, library, both, copy, source, alone] {
        release(program);
    }
}
