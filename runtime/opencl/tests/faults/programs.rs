//! Programs and kernels as objects: what is each one's own.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionModel, FunctionControl, MemoryAccess,
    MemoryModel, StorageClass,
};
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone_clc::{CompileOptions, Source, compile_for_opencl};

use crate::Scenario;
use crate::rig::{self, Rig};
use crate::tools::*;

pub const SCENARIOS: &[Scenario] = &[
    ("two_programs", two_programs),
    ("units", units),
    ("two_headers", two_headers),
    ("pieces", pieces),
    ("module", module),
    ("specialized", specialized),
    ("failed_rebuild", failed_rebuild),
    ("global_variables", global_variables),
    ("clone", clone),
    ("clone_without_object", clone_without_object),
];

/// A shift, a barrier and an atomic sum of a module do what they do in the source that it was translated from.
fn module() {
    let rig = Rig::new();
    let source = "kernel void k(global int *x) {
        local int l[16];
        int i = get_local_id(0);
        for (volatile int n = 0; n < 20 * (16 - i); ++n) { }
        l[i] = i + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        x[i] = l[(i + 1) % 16];
        if (i == 0) x[16] = -(int)get_local_size(0) >> 1;
        atomic_add(x + 17, 2);
    }";
    let options = CompileOptions::default();
    let source = [Source::new("k.cl", source)];
    let module = compile_for_opencl(&source, &options, (1, 2)).expect("a module");
    let mut code = 1;
    // SAFETY: the module has so many bytes.
    let program = unsafe {
        let start = module.as_ptr().cast();
        clCreateProgramWithIL(rig.context, start, 4 * module.len(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(built(program, c""), CL_SUCCESS);
    let kernel = kernel_of(program, "k");
    let out = buffer(&rig, &[0; 18]);
    set(kernel, 0, out);
    run(&rig, kernel, space(&[16], &[16]));
    let mut right: Vec<u32> = (0..16).map(|i| (i + 1) % 16 + 1).collect();
    right.extend([-8_i32 as u32, 32]);
    assert_eq!(words(&rig, out, 18), right);
}

/// A module of which a kernel stores 1 where a boolean specialization constant, the first, is true, as it is at first, and
/// 2 where it is false.
fn choosing() -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    b.capability(Capability::Kernel);
    b.capability(Capability::Addresses);
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (void, word, truth) = (b.type_void(), b.type_int(32, 0), b.type_bool());
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, word);
    let kind = b.type_function(void, vec![global]);
    let flag = b.spec_constant_true(truth);
    b.decorate(flag, Decoration::SpecId, vec![Operand::LiteralBit32(0)]);
    let [one, two] = [1, 2].map(|number| b.constant_bit32(word, number));
    let kernel = b.begin_function(void, None, FunctionControl::NONE, kind);
    let kernel = kernel.expect("no function is open");
    let to = b.function_parameter(global).expect("a function is open");
    b.begin_block(None).expect("a function is open");
    let value = b.select(word, None, flag, one, two);
    let value = value.expect("a block is open");
    let aligned = Some(MemoryAccess::ALIGNED);
    let stored = b.store(to, value, aligned, vec![Operand::LiteralBit32(4)]);
    stored.expect("a block is open");
    b.ret().expect("a block is open");
    b.end_function().expect("a function is open");
    b.entry_point(ExecutionModel::Kernel, kernel, "k", vec![]);
    b.module().assemble()
}

/// A constant has the value that was set, in a program of the binary too.
fn specialized() {
    let rig = Rig::new();
    let module = choosing();
    let mut code = 1;
    // SAFETY: the module has so many bytes.
    let program = unsafe {
        let start = module.as_ptr().cast();
        clCreateProgramWithIL(rig.context, start, 4 * module.len(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    let flag: cl_uchar = 0;
    // SAFETY: the value lives through the call.
    let code =
        unsafe { clSetProgramSpecializationConstant(program, 0, 1, (&raw const flag).cast()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(built(program, c""), CL_SUCCESS);
    for program in [program, of_binary(&rig, program)] {
        let kernel = kernel_of(program, "k");
        let out = buffer(&rig, &[0]);
        set(kernel, 0, out);
        run(&rig, kernel, space(&[1], &[1]));
        assert_eq!(words(&rig, out, 1), [2]);
    }
}

/// Two programs of one source have variables of their own.
fn two_programs() {
    let rig = Rig::new();
    let source = "global uint count = 5;
        kernel void k(global uint *x) { x[0] = count++; }";
    for _ in 0..2 {
        let kernel = kernel(&rig, source);
        let out = buffer(&rig, &[0]);
        set(kernel, 0, out);
        run(&rig, kernel, space(&[1], &[1]));
        assert_eq!(words(&rig, out, 1), [5]);
    }
}

fn created(rig: &Rig, source: &str) -> cl_program {
    let source = CString::new(source).expect("a zero in the source");
    let mut strings = [source.as_ptr()];
    let mut code = 1;
    let program = unsafe {
        clCreateProgramWithSource(rig.context, 1, strings.as_mut_ptr(), null(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    program
}

/// A variable of the second program begins with its initializer, and the third has a kernel.
fn units() {
    let rig = Rig::new();
    let sources = [
        "extern global uint count; kernel void k(global uint *x) { x[0] = count; }",
        "global uint count = 5;",
        "kernel void third(global uint *x) { x[0] = 7; }",
    ];
    let programs = sources.map(|text| created(&rig, text));
    for program in programs {
        let code = unsafe {
            clCompileProgram(
                program,
                0,
                null(),
                c"-cl-std=CL3.0".as_ptr(),
                0,
                null(),
                null_mut(),
                None,
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
    }
    let mut code = 1;
    let linked = unsafe {
        let (inputs, data) = (programs.as_ptr(), null_mut());
        clLinkProgram(
            rig.context,
            0,
            null(),
            null(),
            3,
            inputs,
            None,
            data,
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let kernel = kernel_of(linked, "k");
    let out = buffer(&rig, &[0]);
    set(kernel, 0, out);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [5]);
    let kernel = kernel_of(linked, "third");
    set(kernel, 0, out);
    run(&rig, kernel, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [7]);
}

/// A name may stand in two pieces of a source.
fn pieces() {
    let rig = Rig::new();
    let mut strings = [
        c"kernel void k(global uint *x) { x[0] = SEV".as_ptr(),
        c"EN; }".as_ptr(),
    ];
    let mut code = 1;
    let program = unsafe {
        clCreateProgramWithSource(rig.context, 2, strings.as_mut_ptr(), null(), &mut code)
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(built(program, c"-D SEVEN=7"), CL_SUCCESS);
}

fn built(program: cl_program, options: &CStr) -> cl_int {
    unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) }
}

/// A program says how it was built last.
fn failed_rebuild() {
    let rig = Rig::new();
    let program = created(&rig, "#ifdef WRONG\n#error\n#endif\nkernel void k() {}");
    let status = || -> cl_build_status {
        rig::query(|size, value, ret| unsafe {
            let name = CL_PROGRAM_BUILD_STATUS;
            clGetProgramBuildInfo(program, rig::device(), name, size, value, ret)
        })
    };
    for (options, right, says) in [
        (c"", CL_SUCCESS, CL_BUILD_SUCCESS),
        (c"-D WRONG", CL_BUILD_PROGRAM_FAILURE, CL_BUILD_ERROR),
        (c"", CL_SUCCESS, CL_BUILD_SUCCESS),
    ] {
        assert_eq!(built(program, options), right);
        assert_eq!(status(), says);
    }
}

/// A program says how many bytes its variables of global memory take.
fn global_variables() {
    let rig = Rig::new();
    let source = "global int seven[5]; kernel void k(global int *x) { x[0] = seven[0]++; }";
    let program = created(&rig, source);
    assert_eq!(built(program, c"-cl-std=CL3.0"), CL_SUCCESS);
    let bytes: usize = rig::query(|size, value, ret| unsafe {
        let name = CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
        clGetProgramBuildInfo(program, rig::device(), name, size, value, ret)
    });
    assert!(bytes >= 20);
}

/// Each name includes its own header.
fn two_headers() {
    let rig = Rig::new();
    let source = "#include \"one\"\n#if FROM != 1\n#error\n#endif\nkernel void k() {}";
    let program = created(&rig, source);
    let headers = ["#define FROM 1\n", "#define FROM 2\n"].map(|text| created(&rig, text));
    let names = ["one", "two"].map(|name| CString::new(name).expect("a name"));
    let mut names = [names[0].as_ptr(), names[1].as_ptr()];
    let code = unsafe {
        let (headers, names) = (headers.as_ptr(), names.as_mut_ptr());
        clCompileProgram(
            program,
            0,
            null(),
            null(),
            2,
            headers,
            names,
            None,
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

/// A pointer that is NULL is set on a copy, too.
fn clone_without_object() {
    let rig = Rig::new();
    let kernel = kernel(
        &rig,
        "kernel void k(global uint *x, global uint *y) { x[0] = !y; }",
    );
    let out = buffer(&rig, &[0]);
    set(kernel, 0, out);
    set(kernel, 1, null_mut::<u8>());
    let mut code = 1;
    let copy = unsafe { clCloneKernel(kernel, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    run(&rig, copy, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [1]);
}

/// A copy keeps the arguments of the moment of its making.
fn clone() {
    let rig = Rig::new();
    let kernel = kernel(&rig, "kernel void k(global uint *x, uint y) { x[0] = y; }");
    let out = buffer(&rig, &[0]);
    set(kernel, 0, out);
    set(kernel, 1, 7u32);
    let mut code = 1;
    let copy = unsafe { clCloneKernel(kernel, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    set(kernel, 1, 8u32);
    run(&rig, copy, space(&[1], &[1]));
    assert_eq!(words(&rig, out, 1), [7]);
}
