//! Programs from SPIR-V: queries, specialization, builds, links, binaries, and what is refused.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use rspirv::binary::Assemble as _;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl, LinkageType,
    MemoryAccess, MemoryModel, StorageClass,
};
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::range::*;
use touchstone::icd::clGetExtensionFunctionAddressForPlatform;

use crate::bounds::compile;
use crate::programs::{build, log, program, release};
use crate::rig::{Rig, device, platform, query_bytes, query_text, release_buffers};

/// What the kernel of a module stores.
#[derive(Clone, Copy, PartialEq)]
enum Stores {
    /// The work-item's number plus a specialization constant, 10 by default, of `SpecId` 7.
    Constant,
    /// What the imported function `twice` makes of the number.
    Imported,
}

/// A module with the kernel `fill(global uint *to)`.
fn module(stores: Stores) -> Vec<u8> {
    let mut b = Builder::new();
    b.set_version(1, 2);
    for capability in [
        Capability::Kernel,
        Capability::Addresses,
        Capability::Int64,
        Capability::Linkage,
    ] {
        b.capability(capability);
    }
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (void, word, long) = (b.type_void(), b.type_int(32, 0), b.type_int(64, 0));
    let three = b.type_vector(long, 3);
    let input = b.type_pointer(None, StorageClass::Input, three);
    let global = b.type_pointer(None, StorageClass::CrossWorkgroup, word);
    let kind = b.type_function(void, vec![global]);
    let unary = b.type_function(word, vec![word]);
    let ids = b.variable(input, None, StorageClass::Input, None);
    let builtin = Operand::BuiltIn(BuiltIn::GlobalInvocationId);
    b.decorate(ids, Decoration::BuiltIn, vec![builtin]);
    let constant = b.spec_constant_bit32(word, 10);
    b.decorate(constant, Decoration::SpecId, vec![Operand::LiteralBit32(7)]);
    let twice = b
        .begin_function(word, None, FunctionControl::NONE, unary)
        .unwrap();
    b.function_parameter(word).unwrap();
    if stores == Stores::Constant {
        b.begin_block(None).unwrap();
        b.ret_value(constant).unwrap();
    } else {
        let name = Operand::LiteralString("twice".into());
        let import = Operand::LinkageType(LinkageType::Import);
        b.decorate(twice, Decoration::LinkageAttributes, vec![name, import]);
    }
    b.end_function().unwrap();
    let kernel = b
        .begin_function(void, None, FunctionControl::NONE, kind)
        .unwrap();
    let to = b.function_parameter(global).unwrap();
    b.begin_block(None).unwrap();
    let all = b.load(three, None, ids, None, vec![]).unwrap();
    let at = b.composite_extract(long, None, all, vec![0]).unwrap();
    let id = b.u_convert(word, None, at).unwrap();
    let made = b.function_call(word, None, twice, vec![id]).unwrap();
    let value = match stores {
        Stores::Constant => b.i_add(word, None, id, made).unwrap(),
        Stores::Imported => made,
    };
    let place = b
        .in_bounds_ptr_access_chain(global, None, to, at, vec![])
        .unwrap();
    let aligned = vec![Operand::LiteralBit32(4)];
    b.store(place, value, Some(MemoryAccess::ALIGNED), aligned)
        .unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    b.entry_point(ExecutionModel::Kernel, kernel, "fill", vec![ids]);
    let words = b.module().assemble();
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn create(rig: &Rig, bytes: &[u8]) -> (cl_program, cl_int) {
    let mut code = 1;
    let start = bytes.as_ptr().cast();
    let program = unsafe { clCreateProgramWithIL(rig.context, start, bytes.len(), &mut code) };
    (program, code)
}

fn created(rig: &Rig, bytes: &[u8]) -> cl_program {
    let (program, code) = create(rig, bytes);
    assert_eq!(code, CL_SUCCESS);
    program
}

/// What the kernel of a built program stores for three work-items.
fn filled(rig: &Rig, program: cl_program) -> Vec<u32> {
    let buffer = rig.buffer(CL_MEM_READ_WRITE, 12);
    unsafe {
        let mut code = 1;
        let kernel = clCreateKernel(program, c"fill".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let arg = (&raw const buffer).cast();
        assert_eq!(clSetKernelArg(kernel, 0, 8, arg), CL_SUCCESS);
        let code = clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            1,
            null(),
            &3,
            null(),
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_SUCCESS);
        rig.finish();
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
    }
    let bytes = rig.read(buffer, 12);
    release_buffers(&[buffer]);
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn devices_name_the_versions_that_they_read() {
    let text = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_IL_VERSION, size, value, ret)
    });
    assert_eq!(
        text,
        "SPIR-V_1.6 SPIR-V_1.5 SPIR-V_1.4 SPIR-V_1.3 SPIR-V_1.2 SPIR-V_1.1 SPIR-V_1.0"
    );
    let list = query_bytes(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_ILS_WITH_VERSION, size, value, ret)
    });
    let (each, rest) = list.as_chunks::<{ size_of::<cl_name_version>() }>();
    assert_eq!((each.len(), rest), (7, &[][..]));
    assert!(each.iter().all(|one| one[4..].starts_with(b"SPIR-V\0")));
    let extensions = query_text(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS, size, value, ret)
    });
    assert!(
        extensions
            .split(' ')
            .any(|name| name == "cl_khr_il_program")
    );
    let name = c"clCreateProgramWithILKHR".as_ptr();
    let address = unsafe { clGetExtensionFunctionAddressForPlatform(platform(), name) };
    assert!(!address.is_null());
}

/// Constants keep their values from build to build, until they get others.
#[test]
fn modules_are_built_with_what_their_constants_are_given() {
    let rig = Rig::new();
    let bytes = module(Stores::Constant);
    let program = created(&rig, &bytes);
    let il = query_bytes(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_IL, size, value, ret)
    });
    assert_eq!(il, bytes);
    let source = query_text(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, ret)
    });
    assert_eq!(source, "");
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    assert_eq!(filled(&rig, program), [10, 11, 12]);
    let set = |id, size, value: &u32| unsafe {
        let value = std::ptr::from_ref(value).cast();
        clSetProgramSpecializationConstant(program, id, size, value)
    };
    assert_eq!(set(8, 4, &0), CL_INVALID_SPEC_ID);
    assert_eq!(set(7, 8, &0), CL_INVALID_VALUE);
    let none = unsafe { clSetProgramSpecializationConstant(program, 7, 4, null()) };
    assert_eq!(none, CL_INVALID_VALUE);
    assert_eq!(set(7, 4, &99), CL_SUCCESS);
    assert_eq!(set(7, 4, &100), CL_SUCCESS);
    assert_eq!(filled(&rig, program), [10, 11, 12]);
    for _ in 0..2 {
        assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
        assert_eq!(filled(&rig, program), [100, 101, 102]);
    }
    let loaded = through_binary(&rig, program);
    assert_eq!(build(loaded, ""), CL_SUCCESS, "{}", log(loaded));
    assert_eq!(filled(&rig, loaded), [100, 101, 102]);
    release(loaded);
    release(program);
}

/// A program from the binary of another.
fn through_binary(rig: &Rig, program: cl_program) -> cl_program {
    let sizes = query_bytes(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, value, ret)
    });
    let size = usize::from_ne_bytes(sizes.try_into().unwrap());
    let mut binary = vec![0u8; size];
    let mut place = binary.as_mut_ptr();
    let mut code = 1;
    unsafe {
        let value = (&raw mut place).cast::<c_void>();
        let code_of_query = clGetProgramInfo(program, CL_PROGRAM_BINARIES, 8, value, null_mut());
        assert_eq!(code_of_query, CL_SUCCESS);
        let mut start = binary.as_ptr();
        let loaded = clCreateProgramWithBinary(
            rig.context,
            1,
            &device(),
            &size,
            &mut start,
            null_mut(),
            &mut code,
        );
        assert_eq!(code, CL_SUCCESS);
        loaded
    }
}

fn compiled(program: cl_program) {
    assert_eq!(compile(program), CL_SUCCESS, "{}", log(program));
}

/// A module and a source make one program; the module may have come by a binary.
#[test]
fn modules_are_linked_with_sources() {
    let rig = Rig::new();
    let il = created(&rig, &module(Stores::Imported));
    let source = program(&rig, "uint twice(uint x) { return 2 * x; }");
    compiled(il);
    compiled(source);
    let loaded = through_binary(&rig, il);
    for first in [il, loaded] {
        let inputs = [first, source];
        let mut code = 1;
        let linked = unsafe {
            clLinkProgram(
                rig.context,
                0,
                null(),
                null(),
                2,
                inputs.as_ptr(),
                None,
                null_mut(),
                &mut code,
            )
        };
        assert_eq!(code, CL_SUCCESS, "{}", log(linked));
        assert_eq!(filled(&rig, linked), [0, 2, 4]);
        release(linked);
    }
    for program in [il, source, loaded] {
        release(program);
    }
}

#[test]
fn what_cannot_be_read_is_refused_or_told_by_the_build() {
    let rig = Rig::new();
    let bytes = module(Stores::Constant);
    let code = |bytes: &[u8]| create(&rig, bytes).1;
    assert_eq!(code(&[]), CL_INVALID_VALUE);
    assert_eq!(code(&[0; 20]), CL_INVALID_VALUE);
    assert_eq!(code(&bytes[..bytes.len() - 4]), CL_INVALID_VALUE);
    assert_eq!(code(&bytes[..bytes.len() - 1]), CL_INVALID_VALUE);
    let mut none = 1;
    unsafe { clCreateProgramWithIL(rig.context, null(), 4, &mut none) };
    assert_eq!(none, CL_INVALID_VALUE);
    // Words in the other order of bytes are the same module.
    let mut swapped = bytes.clone();
    swapped.chunks_mut(4).for_each(<[u8]>::reverse);
    let program = created(&rig, &swapped);
    assert_eq!(build(program, ""), CL_SUCCESS, "{}", log(program));
    release(program);
    // The import is missing.
    let alone = created(&rig, &module(Stores::Imported));
    assert_eq!(build(alone, ""), CL_BUILD_PROGRAM_FAILURE);
    assert!(log(alone).contains("`twice`"), "{}", log(alone));
    release(alone);
    // A capability of other devices: well-formed, and not for this one.
    let mut shader = bytes;
    shader[24..28].copy_from_slice(&(Capability::Shader as u32).to_le_bytes());
    let shader = created(&rig, &shader);
    assert_eq!(build(shader, ""), CL_BUILD_PROGRAM_FAILURE);
    assert!(
        log(shader).contains("OpCapability Shader"),
        "{}",
        log(shader)
    );
    release(shader);
}

/// "Kernel argument information is only available if the program object […] is created with
/// clCreateProgramWithSource".
#[test]
fn arguments_of_modules_tell_nothing() {
    let rig = Rig::new();
    let program = created(&rig, &module(Stores::Constant));
    assert_eq!(build(program, "-cl-kernel-arg-info"), CL_SUCCESS);
    unsafe {
        let mut code = 1;
        let kernel = clCreateKernel(program, c"fill".as_ptr(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let mut text: [c_char; 8] = [0; 8];
        let value = text.as_mut_ptr().cast();
        let code = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, 8, value, null_mut());
        assert_eq!(code, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        let attributes = query_text(|size, value, ret| {
            clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, size, value, ret)
        });
        assert_eq!(attributes, "");
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
    }
    release(program);
}
