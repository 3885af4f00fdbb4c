//! Programs.

use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::program::*;

use crate::table::{Refusal, refused, room, to};

pub fn cases() -> Vec<Refusal> {
    let mut all = making();
    all.extend(building());
    all.extend(asking());
    all
}

unsafe extern "C" fn never(_: cl_program, _: *mut std::ffi::c_void) {
    unreachable!("a call that is refused tells nothing");
}

fn making() -> Vec<Refusal> {
    refused! { zoo:
        create clCreateProgramWithSource {
            (zoo.device, 1, &mut c"".as_ptr(), null()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 0, &mut c"".as_ptr(), null()) CL_INVALID_VALUE
                "if _count_ is zero or if _strings_ or any entry in _strings_ is `NULL`.";
            (zoo.context, 1, null_mut(), null()) CL_INVALID_VALUE
                "if _count_ is zero or if _strings_ or any entry in _strings_ is `NULL`.";
            (zoo.context, 2, [c"".as_ptr(), null()].as_mut_ptr(), null()) CL_INVALID_VALUE
                "if _count_ is zero or if _strings_ or any entry in _strings_ is `NULL`.";
        }
        create clCreateProgramWithIL {
            (zoo.device, to(&0u32), 4) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, to(&0u32), 4) CL_INVALID_OPERATION
                "if no devices in _context_ support intermediate language programs.";
        }
        create clCreateProgramWithBinary {
            (zoo.queue, 1, &zoo.device, &4, &mut b"junk".as_ptr(), null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 1, null(), &4, &mut b"junk".as_ptr(), null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` or _num_devices_ is zero.";
            (zoo.context, 0, &zoo.device, &4, &mut b"junk".as_ptr(), null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` or _num_devices_ is zero.";
            (zoo.context, 1, &zoo.other_device, &4, &mut b"junk".as_ptr(), null_mut()) CL_INVALID_DEVICE
                "if any device in _device_list_ is not in the list of devices associated with _context_.";
            (zoo.context, 1, &zoo.device, null(), &mut b"junk".as_ptr(), null_mut()) CL_INVALID_VALUE
                "if _lengths_ or _binaries_ is `NULL` or if any entry in _lengths_[i] is zero or _binaries_[i] is `NULL`.";
            (zoo.context, 1, &zoo.device, &4, null_mut(), null_mut()) CL_INVALID_VALUE
                "if _lengths_ or _binaries_ is `NULL` or if any entry in _lengths_[i] is zero or _binaries_[i] is `NULL`.";
            (zoo.context, 1, &zoo.device, &0, &mut b"junk".as_ptr(), null_mut()) CL_INVALID_VALUE
                "if _lengths_ or _binaries_ is `NULL` or if any entry in _lengths_[i] is zero or _binaries_[i] is `NULL`.";
            (zoo.context, 1, &zoo.device, &4, &mut null(), null_mut()) CL_INVALID_VALUE
                "if _lengths_ or _binaries_ is `NULL` or if any entry in _lengths_[i] is zero or _binaries_[i] is `NULL`.";
            (zoo.context, 1, &zoo.device, &4, &mut b"junk".as_ptr(), &mut 0) CL_INVALID_BINARY
                "if an invalid program binary was encountered for any device.";
        }
        create clCreateProgramWithBuiltInKernels {
            (zoo.queue, 1, &zoo.device, c"touchstone_nop".as_ptr()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 0, &zoo.device, c"touchstone_nop".as_ptr()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` or _num_devices_ is zero.";
            (zoo.context, 1, null(), c"touchstone_nop".as_ptr()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` or _num_devices_ is zero.";
            (zoo.context, 1, &zoo.device, null()) CL_INVALID_VALUE
                "if _kernel_names_ is `NULL` or _kernel_names_ contains a kernel name that is not supported by any of the devices in _device_list_.";
            (zoo.context, 1, &zoo.device, c"touchstone_nop;another".as_ptr()) CL_INVALID_VALUE
                "if _kernel_names_ is `NULL` or _kernel_names_ contains a kernel name that is not supported by any of the devices in _device_list_.";
            (zoo.context, 1, &zoo.other_device, c"touchstone_nop".as_ptr()) CL_INVALID_DEVICE
                "if any device in _device_list_ is not in the list of devices associated with _context_.";
        }
    }
}

fn building() -> Vec<Refusal> {
    refused! { zoo:
        status clBuildProgram {
            (zoo.context, 0, null(), null(), None, null_mut()) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object.";
            (zoo.source, 1, null(), null(), None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.source, 0, &zoo.device, null(), None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.source, 0, null(), null(), None, zoo.mapping) CL_INVALID_VALUE
                "if _pfn_notify_ is `NULL` but _user_data_ is not `NULL`.";
            (zoo.source, 1, &zoo.other_device, null(), None, null_mut()) CL_INVALID_DEVICE
                "if any device in _device_list_ is not in the list of devices associated with _program_.";
            (zoo.source, 0, null(), c"-no-such-option".as_ptr(), Some(never), null_mut()) CL_INVALID_BUILD_OPTIONS
                "if the build options specified by _options_ are invalid.";
            (zoo.source, 0, null(), c"-create-library".as_ptr(), None, null_mut()) CL_INVALID_BUILD_OPTIONS
                "if the build options specified by _options_ are invalid.";
            (zoo.program, 0, null(), null(), None, null_mut()) CL_INVALID_OPERATION
                "if there are kernel objects attached to _program_.";
            (zoo.built_in, 0, null(), null(), None, null_mut()) CL_INVALID_OPERATION
                "if _program_ was not created with {clCreateProgramWithSource}, {clCreateProgramWithIL} or {clCreateProgramWithBinary}.";
        }
        status clCompileProgram {
            (zoo.context, 0, null(), null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object.";
            (zoo.source, 0, null(), null(), 1, &zoo.foreign_program, &mut c"h".as_ptr(), None, null_mut()) CL_INVALID_CONTEXT
                "if the context associated with _program_ and programs in _input_headers_ are not the same.";
            (zoo.source, 1, null(), null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.source, 0, &zoo.device, null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.source, 0, null(), null(), 0, &zoo.source, null_mut(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_headers_ is zero and _header_include_names_ or _input_headers_ are not `NULL` or if _num_input_headers_ is not zero and _header_include_names_ or _input_headers_ are `NULL`.";
            (zoo.source, 0, null(), null(), 0, null(), &mut c"h".as_ptr(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_headers_ is zero and _header_include_names_ or _input_headers_ are not `NULL` or if _num_input_headers_ is not zero and _header_include_names_ or _input_headers_ are `NULL`.";
            (zoo.source, 0, null(), null(), 1, null(), &mut c"h".as_ptr(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_headers_ is zero and _header_include_names_ or _input_headers_ are not `NULL` or if _num_input_headers_ is not zero and _header_include_names_ or _input_headers_ are `NULL`.";
            (zoo.source, 0, null(), null(), 1, &zoo.source, null_mut(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_headers_ is zero and _header_include_names_ or _input_headers_ are not `NULL` or if _num_input_headers_ is not zero and _header_include_names_ or _input_headers_ are `NULL`.";
            (zoo.source, 0, null(), null(), 0, null(), null_mut(), None, zoo.mapping) CL_INVALID_VALUE
                "if _pfn_notify_ is `NULL` but _user_data_ is not `NULL`.";
            (zoo.source, 1, &zoo.other_device, null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_DEVICE
                "if device in _device_list_ is not in the list of devices associated with _program_.";
            (zoo.source, 0, null(), c"-no-such-option".as_ptr(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_COMPILER_OPTIONS
                "if the compiler options specified by _options_ are invalid.";
            (zoo.source, 0, null(), c"-create-library".as_ptr(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_COMPILER_OPTIONS
                "if the compiler options specified by _options_ are invalid.";
            (zoo.program, 0, null(), null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_OPERATION
                "if there are kernel objects attached to _program_.";
            (zoo.built_in, 0, null(), null(), 0, null(), null_mut(), None, null_mut()) CL_INVALID_OPERATION
                "if _program_ has no source or IL available";
        }
        create clLinkProgram {
            (zoo.device, 0, null(), null(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_CONTEXT
                "if _context_ is not a valid context.";
            (zoo.context, 0, null(), null(), 2, [zoo.compiled, zoo.foreign_program].as_ptr(), None, null_mut()) CL_INVALID_CONTEXT
                "if the context associated with programs in _input_programs_ is not the same as _context_.";
            (zoo.context, 1, null(), null(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.context, 0, &zoo.device, null(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_VALUE
                "if _device_list_ is `NULL` and _num_devices_ is greater than zero, or if _device_list_ is not `NULL` and _num_devices_ is zero.";
            (zoo.context, 0, null(), null(), 0, null(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_programs_ is zero and _input_programs_ is `NULL` or if _num_input_programs_ is zero and _input_programs_ is not `NULL` or if _num_input_programs_ is not zero and _input_programs_ is `NULL`.";
            (zoo.context, 0, null(), null(), 0, &zoo.compiled, None, null_mut()) CL_INVALID_VALUE
                "if _num_input_programs_ is zero and _input_programs_ is `NULL` or if _num_input_programs_ is zero and _input_programs_ is not `NULL` or if _num_input_programs_ is not zero and _input_programs_ is `NULL`.";
            (zoo.context, 0, null(), null(), 1, null(), None, null_mut()) CL_INVALID_VALUE
                "if _num_input_programs_ is zero and _input_programs_ is `NULL` or if _num_input_programs_ is zero and _input_programs_ is not `NULL` or if _num_input_programs_ is not zero and _input_programs_ is `NULL`.";
            (zoo.context, 0, null(), null(), 2, [zoo.compiled, zoo.queue].as_ptr(), None, null_mut()) CL_INVALID_PROGRAM
                "if programs specified in _input_programs_ are not valid program objects.";
            (zoo.context, 0, null(), null(), 1, &zoo.compiled, None, zoo.mapping) CL_INVALID_VALUE
                "if _pfn_notify_ is `NULL` but _user_data_ is not `NULL`.";
            (zoo.context, 1, &zoo.other_device, null(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_DEVICE
                "if any device in _device_list_ is not in the list of devices associated with _context_.";
            (zoo.context, 0, null(), c"-no-such-option".as_ptr(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_LINKER_OPTIONS
                "if the linker options specified by _options_ are invalid.";
            (zoo.context, 0, null(), c"-cl-std=CL1.2".as_ptr(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_LINKER_OPTIONS
                "if the linker options specified by _options_ are invalid.";
            (zoo.context, 0, null(), c"-enable-link-options".as_ptr(), 1, &zoo.compiled, None, null_mut()) CL_INVALID_LINKER_OPTIONS
                "This option must be specified with the create-library option.";
            (zoo.context, 0, null(), null(), 2, [zoo.compiled, zoo.source].as_ptr(), None, null_mut()) CL_INVALID_OPERATION
                "if the rules for devices containing compiled binaries or libraries as described in _input_programs_ argument above are not followed.";
            (zoo.context, 0, null(), null(), 1, &zoo.idle_program, None, null_mut()) CL_INVALID_OPERATION
                "if the rules for devices containing compiled binaries or libraries as described in _input_programs_ argument above are not followed.";
        }
    }
}

fn asking() -> Vec<Refusal> {
    refused! { zoo:
        status clRetainProgram {
            (zoo.kernel) CL_INVALID_PROGRAM "if _program_ is not a valid program object.";
        }
        status clReleaseProgram {
            (null_mut()) CL_INVALID_PROGRAM "if _program_ is not a valid program object.";
        }
        status clSetProgramReleaseCallback {
            (zoo.kernel, Some(never), null_mut()) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object.";
            (zoo.program, Some(never), null_mut()) CL_INVALID_OPERATION
                "if no devices in the context associated with _program_ support destructors for program scope global variables.";
        }
        status clSetProgramSpecializationConstant {
            (zoo.kernel, 0, 4, to(&0u32)) CL_INVALID_PROGRAM
                "if _program_ is not a valid program object";
            (zoo.program, 0, 4, to(&0u32)) CL_INVALID_OPERATION
                "if no devices associated with _program_ support intermediate language programs.";
        }
        status clGetProgramInfo {
            (zoo.kernel, CL_PROGRAM_CONTEXT, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM
                "if _program_ is a not a valid program object.";
            (zoo.program, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.program, CL_PROGRAM_CONTEXT, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
            (zoo.program, CL_PROGRAM_BINARIES, 7, room(&mut 0u64), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
            (zoo.source, CL_PROGRAM_NUM_KERNELS, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM_EXECUTABLE
                "if _param_name_ is {CL_PROGRAM_NUM_KERNELS}, {CL_PROGRAM_KERNEL_NAMES}, {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT}, or {CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT} and a successful program executable has not been built";
            (zoo.compiled, CL_PROGRAM_KERNEL_NAMES, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM_EXECUTABLE
                "if _param_name_ is {CL_PROGRAM_NUM_KERNELS}, {CL_PROGRAM_KERNEL_NAMES}, {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT}, or {CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT} and a successful program executable has not been built";
            (zoo.source, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM_EXECUTABLE
                "if _param_name_ is {CL_PROGRAM_NUM_KERNELS}, {CL_PROGRAM_KERNEL_NAMES}, {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT}, or {CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT} and a successful program executable has not been built";
            (zoo.source, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM_EXECUTABLE
                "if _param_name_ is {CL_PROGRAM_NUM_KERNELS}, {CL_PROGRAM_KERNEL_NAMES}, {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT}, or {CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT} and a successful program executable has not been built";
        }
        status clGetProgramBuildInfo {
            (zoo.kernel, zoo.device, CL_PROGRAM_BUILD_LOG, 0, null_mut(), &mut 0) CL_INVALID_PROGRAM
                "if _program_ is a not a valid program object.";
            (zoo.program, zoo.other_device, CL_PROGRAM_BUILD_LOG, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not in the list of devices associated with _program_.";
            (zoo.program, null_mut(), CL_PROGRAM_BUILD_LOG, 0, null_mut(), &mut 0) CL_INVALID_DEVICE
                "if _device_ is not in the list of devices associated with _program_.";
            (zoo.program, zoo.device, 0, 0, null_mut(), &mut 0) CL_INVALID_VALUE
                "if _param_name_ is not one of the supported values";
            (zoo.program, zoo.device, CL_PROGRAM_BUILD_STATUS, 3, room(&mut 0u32), &mut 0) CL_INVALID_VALUE
                "or if the size in bytes specified by _param_value_size_ is less than size of the return type";
        }
    }
}
