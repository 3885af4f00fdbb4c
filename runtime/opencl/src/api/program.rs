//! Programs (`opencl_runtime_layer`, Program Objects).

use std::ffi::{c_char, c_uchar, c_void};
use std::sync::Arc;

use opencl_sys::*;
use touchstone_faults::{Fault, on};

use super::entry::entry_points;
use super::{device_of, devices_of};
use crate::callback::UserData;
use crate::context::Context;
use crate::ffi::entry::created;
use crate::ffi::{Error, Result, ensure, raw};
use crate::frontend::Purpose;
use crate::platform::Device;
use crate::platform::profile::{self, Feature};
use crate::program::binary::Container;
use crate::program::build::{BuiltFn, Notify, Part, Task, carry_out};
use crate::program::builtin;
use crate::program::il::Il;
use crate::program::{Origin, Program};
use crate::{frontend, object, platform};

/// Checks that a list of devices is null when and only when it is empty.
fn check_list(count: cl_uint, list: *const cl_device_id) -> Result<()> {
    ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
    Ok(())
}

/// The devices of a list, or all when there is none.
///
/// # Errors
/// `CL_INVALID_VALUE`, `CL_INVALID_DEVICE`.
///
/// # Safety
/// The list is null or has as many elements as it says.
unsafe fn chosen(
    all: &[Arc<Device>],
    count: cl_uint,
    list: *const cl_device_id,
) -> Result<Vec<Arc<Device>>> {
    check_list(count, list)?;
    if list.is_null() {
        return Ok(all.to_vec());
    }
    // SAFETY: not null, and the caller vouches for the length.
    let devices = devices_of(unsafe { raw::slice(list, count as usize) })?;
    let known = |device: &Arc<Device>| all.iter().any(|own| Arc::ptr_eq(own, device));
    ensure!(devices.iter().all(known), CL_INVALID_DEVICE);
    Ok(devices)
}

/// The numbers of the chosen devices of a program, each once.
///
/// # Errors
/// As [`chosen`].
///
/// # Safety
/// As [`chosen`].
unsafe fn targets(
    program: &Program,
    count: cl_uint,
    list: *const cl_device_id,
) -> Result<Vec<usize>> {
    // SAFETY: as the caller vouches.
    let devices = unsafe { chosen(&program.devices, count, list)? };
    let mut numbers: Vec<usize> = Vec::new();
    for at in devices.iter().filter_map(|device| program.index_of(device)) {
        if !numbers.contains(&at) {
            numbers.push(at);
        }
    }
    Ok(numbers)
}

fn notify_of(notify: Option<BuiltFn>, user_data: *mut c_void) -> Result<Notify> {
    ensure!(notify.is_some() || user_data.is_null(), CL_INVALID_VALUE);
    Ok(notify.map(|notify| (notify, UserData::new(user_data))))
}

/// Reads options and lets the front end check them.
///
/// # Errors
/// `refusal`, when they are not valid for their purpose.
///
/// # Safety
/// `options` is null or a string.
unsafe fn options_of(options: *const c_char, purpose: Purpose, refusal: cl_int) -> Result<String> {
    // SAFETY: as the caller vouches.
    let options = unsafe { raw::text(options) }.unwrap_or_default();
    if frontend::accepts_options(&options, purpose) {
        Ok(options)
    } else {
        Err(Error(refusal))
    }
}

entry_points! {
    /// Makes a program from source.
    create fn clCreateProgramWithSource(
        context: cl_context, count: cl_uint, strings: *mut *const c_char,
        lengths: *const usize,
    ) -> cl_program {
        let context = object::find::<Context>(context)?;
        ensure!(count != 0 && !strings.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the lengths.
        let (strings, lengths) = unsafe {
            (raw::slice(strings, count as usize), raw::slice(lengths, count as usize))
        };
        ensure!(strings.iter().all(|string| !string.is_null()), CL_INVALID_VALUE);
        let mut source = Vec::new();
        for (at, &string) in strings.iter().enumerate() {
            if at > 0 && on(Fault::SourcePiecesApart) {
                source.push(b'\n');
            }
            match lengths.get(at) {
                // SAFETY: the application vouches for as many bytes.
                Some(&length) if length != 0 => source.extend_from_slice(unsafe {
                    raw::slice(string.cast::<u8>(), length)
                }),
                // SAFETY: without a length the string ends with a zero.
                Some(_) | None => source.extend_from_slice(unsafe {
                    std::ffi::CStr::from_ptr(string)
                }.to_bytes()),
            }
        }
        // Lengths may count zeros, which are no part of the source.
        source.retain(|&byte| byte != 0);
        let source = touchstone_clc::encoding::text_of(&source);
        let devices = context.devices.clone();
        Ok(object::publish(&Program::new(context, devices, Origin::Source(source))))
    }

    /// Makes a program from binaries.
    create fn clCreateProgramWithBinary(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
        lengths: *const usize, binaries: *mut *const c_uchar, binary_status: *mut cl_int,
    ) -> cl_program {
        let context = object::find::<Context>(context)?;
        ensure!(!device_list.is_null() && num_devices != 0, CL_INVALID_VALUE);
        // SAFETY: the application vouches for its list.
        let devices = unsafe { chosen(&context.devices, num_devices, device_list)? };
        ensure!(!lengths.is_null() && !binaries.is_null(), CL_INVALID_VALUE);
        let count = num_devices as usize;
        // SAFETY: not null, and the application vouches for the lengths.
        let (lengths, binaries) = unsafe {
            (raw::slice(lengths, count), raw::slice(binaries, count))
        };
        let given = lengths.iter().zip(binaries).all(|(&length, binary)| {
            length != 0 && !binary.is_null()
        });
        let put_status = |at: usize, status: cl_int| {
            if !binary_status.is_null() && !on(Fault::BinaryStatusUnwritten) {
                // SAFETY: the application vouches for one status a device.
                unsafe { binary_status.add(at).write(status) };
            }
        };
        if !given {
            for (at, (&length, binary)) in lengths.iter().zip(binaries).enumerate() {
                let valid = length != 0 && !binary.is_null();
                put_status(at, if valid { CL_SUCCESS } else { CL_INVALID_VALUE });
            }
            return Err(Error(CL_INVALID_VALUE));
        }
        let mut containers = Vec::with_capacity(count);
        for (at, (&length, &binary)) in lengths.iter().zip(binaries).enumerate() {
            // SAFETY: not null, and the application vouches for the length.
            let container = Container::read(unsafe { raw::slice(binary, length) });
            put_status(at, if container.is_some() { CL_SUCCESS } else { CL_INVALID_BINARY });
            containers.extend(container);
        }
        ensure!(containers.len() == count, CL_INVALID_BINARY);
        Ok(object::publish(&Program::new(context, devices, Origin::Binary(containers))))
    }

    /// Makes a program from built-in kernels.
    create fn clCreateProgramWithBuiltInKernels(
        context: cl_context, num_devices: cl_uint, device_list: *const cl_device_id,
        kernel_names: *const c_char,
    ) -> cl_program {
        let context = object::find::<Context>(context)?;
        ensure!(!device_list.is_null() && num_devices != 0, CL_INVALID_VALUE);
        // SAFETY: the application vouches for its string.
        let names = unsafe { raw::text(kernel_names) }.ok_or(Error(CL_INVALID_VALUE))?;
        let names = builtin::names(&names)?;
        // SAFETY: the application vouches for its list.
        let devices = unsafe { chosen(&context.devices, num_devices, device_list)? };
        Ok(object::publish(&builtin::program(context, devices, &names)?))
    }

    /// Makes a program from an intermediate language: SPIR-V.
    create fn clCreateProgramWithIL also clCreateProgramWithILKHR(
        context: cl_context, il: *const c_void, length: usize,
    ) -> cl_program {
        let context = object::find::<Context>(context)?;
        profile::require(Feature::Il)?;
        ensure!(!il.is_null() && length != 0, CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the length.
        let module = unsafe { raw::slice(il.cast::<u8>(), length) }.to_vec();
        let origin = Origin::Il(Il::new(module)?);
        let devices = context.devices.clone();
        Ok(object::publish(&Program::new(context, devices, origin)))
    }

    references clRetainProgram clReleaseProgram(cl_program): Program;

    /// Registers a callback for the destructors of program-scope variables, which OpenCL C
    /// does not have.
    status fn clSetProgramReleaseCallback(
        program: cl_program, _pfn_notify: Option<BuiltFn>, _user_data: *mut c_void,
    ) {
        object::find::<Program>(program)?;
        Err(Error(CL_INVALID_OPERATION))
    }

    /// Sets a specialization constant, which only programs from an intermediate language
    /// have.
    status fn clSetProgramSpecializationConstant(
        program: cl_program, spec_id: cl_uint, spec_size: usize, spec_value: *const c_void,
    ) {
        let program = object::find::<Program>(program)?;
        profile::require(Feature::Il)?;
        let Origin::Il(il) = &program.origin else {
            return Err(Error(CL_INVALID_PROGRAM));
        };
        ensure!(!spec_value.is_null(), CL_INVALID_VALUE);
        // SAFETY: not null, and the application vouches for the size.
        il.specialize(spec_id, unsafe { raw::slice(spec_value.cast::<u8>(), spec_size) })
    }

    /// Compiles and links a program.
    status fn clBuildProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
        options: *const c_char, pfn_notify: Option<BuiltFn>, user_data: *mut c_void,
    ) {
        let program = object::find::<Program>(program)?;
        check_list(num_devices, device_list)?;
        let notify = notify_of(pfn_notify, user_data)?;
        // SAFETY: the application vouches for its list.
        let targets = unsafe { targets(&program, num_devices, device_list)? };
        // SAFETY: the application vouches for its string.
        let options = unsafe { options_of(options, Purpose::Compile, CL_INVALID_BUILD_OPTIONS)? };
        let buildable = matches!(
            program.origin,
            Origin::Source(_) | Origin::Il(_) | Origin::Binary(_)
        );
        ensure!(buildable, CL_INVALID_OPERATION);
        program.begin_build(&targets, &options)?;
        carry_out(&program, targets, Task::Build { options }, notify, CL_BUILD_PROGRAM_FAILURE)
    }

    /// Compiles a program.
    status fn clCompileProgram(
        program: cl_program, num_devices: cl_uint, device_list: *const cl_device_id,
        options: *const c_char, num_input_headers: cl_uint,
        input_headers: *const cl_program, header_include_names: *mut *const c_char,
        pfn_notify: Option<BuiltFn>, user_data: *mut c_void,
    ) {
        let program = object::find::<Program>(program)?;
        check_list(num_devices, device_list)?;
        let none = num_input_headers == 0;
        ensure!(input_headers.is_null() == none, CL_INVALID_VALUE);
        ensure!(header_include_names.is_null() == none, CL_INVALID_VALUE);
        let notify = notify_of(pfn_notify, user_data)?;
        // SAFETY: the application vouches for its list.
        let targets = unsafe { targets(&program, num_devices, device_list)? };
        let count = num_input_headers as usize;
        // SAFETY: null only when empty, and the application vouches for the length.
        let (inputs, names) = unsafe {
            (raw::slice(input_headers, count), raw::slice(header_include_names, count))
        };
        let mut headers = Vec::with_capacity(count);
        for (&input, &name) in inputs.iter().zip(names) {
            let input = object::find::<Program>(input)?;
            ensure!(Arc::ptr_eq(&input.context, &program.context), CL_INVALID_CONTEXT);
            // SAFETY: the application vouches for its strings.
            let name = unsafe { raw::text(name) }.ok_or(Error(CL_INVALID_VALUE))?;
            match &input.origin {
                Origin::Source(text) => headers.push((name, text.clone())),
                Origin::Il(_) | Origin::Binary(_) | Origin::Linked | Origin::BuiltIn => {
                    return Err(Error(CL_INVALID_PROGRAM));
                }
            }
        }
        // SAFETY: the application vouches for its string.
        let options = unsafe { options_of(options, Purpose::Compile, CL_INVALID_COMPILER_OPTIONS)? };
        let compilable = matches!(program.origin, Origin::Source(_) | Origin::Il(_));
        ensure!(compilable, CL_INVALID_OPERATION);
        program.begin_build(&targets, &options)?;
        let task = Task::Compile { options, headers };
        carry_out(&program, targets, task, notify, CL_COMPILE_PROGRAM_FAILURE)
    }

    /// Gives back what a platform's compiler holds: nothing.
    status fn clUnloadPlatformCompiler(platform: cl_platform_id) {
        ensure!(!platform.is_null(), CL_INVALID_PLATFORM);
        platform::find_platform(platform).map(drop)
    }

    /// Gives back what the compiler holds (OpenCL 1.x): nothing.
    status fn clUnloadCompiler() {
        Ok(())
    }

    /// Answers a query about a program.
    status fn clGetProgramInfo(
        program: cl_program, param_name: cl_program_info, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) {
        let program = object::find::<Program>(program)?;
        if param_name != CL_PROGRAM_BINARIES {
            let answer = program.info(param_name)?;
            // SAFETY: the application vouches for its pointers.
            return unsafe { answer.deliver(param_value_size, param_value, param_value_size_ret) };
        }
        let size = program.devices.len() * size_of::<*mut u8>();
        if !param_value.is_null() {
            ensure!(param_value_size >= size, CL_INVALID_VALUE);
            let binaries = program.binaries();
            // SAFETY: one pointer a device, as the size says.
            let places = unsafe { raw::slice(param_value.cast::<*mut u8>(), program.devices.len()) };
            for (&place, binary) in places.iter().zip(&binaries) {
                if !place.is_null() {
                    // SAFETY: the application vouches for as many bytes as
                    // CL_PROGRAM_BINARY_SIZES reported.
                    unsafe { place.copy_from_nonoverlapping(binary.as_ptr(), binary.len()) };
                }
            }
        }
        // SAFETY: the application vouches for its pointer.
        unsafe { raw::put(param_value_size_ret, size) };
        Ok(())
    }

    /// Answers a query about a program's last build.
    query fn clGetProgramBuildInfo(
        program: cl_program, device: cl_device_id, param_name: cl_program_build_info,
    ) {
        let program = object::find::<Program>(program)?;
        let device = device_of(device)?;
        program.build_info(&device, param_name)
    }
}

/// Links compiled programs into a new one.
///
/// Once the link has begun there is a program, whose log can be read; when the link then
/// fails, both the program and an error code are returned.
///
/// # Safety
/// Every pointer is null or what the OpenCL specification demands of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clLinkProgram(
    context: cl_context,
    num_devices: cl_uint,
    device_list: *const cl_device_id,
    options: *const c_char,
    num_input_programs: cl_uint,
    input_programs: *const cl_program,
    pfn_notify: Option<BuiltFn>,
    user_data: *mut c_void,
    errcode_ret: *mut cl_int,
) -> cl_program {
    let mut failed = None;
    let begin = || {
        let context = object::find::<Context>(context)?;
        check_list(num_devices, device_list)?;
        let given = num_input_programs != 0 && !input_programs.is_null();
        ensure!(given, CL_INVALID_VALUE);
        let notify = notify_of(pfn_notify, user_data)?;
        // SAFETY: the application vouches for its list.
        let devices = unsafe { chosen(&context.devices, num_devices, device_list)? };
        // SAFETY: not null, and the application vouches for the length.
        let inputs = unsafe { raw::slice(input_programs, num_input_programs as usize) };
        // SAFETY: the application vouches for its string.
        let options = unsafe { options_of(options, Purpose::Link, CL_INVALID_LINKER_OPTIONS)? };
        let library = options
            .split_whitespace()
            .any(|word| word == "-create-library");
        let mut distinct: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !distinct.iter().any(|known| Arc::ptr_eq(known, &device)) {
                distinct.push(device);
            }
        }
        let parts = parts_of(&context, &distinct, inputs)?;
        let program = Program::new(context, distinct, Origin::Linked);
        let targets: Vec<usize> = (0..parts.len())
            .filter(|&at| !parts[at].is_empty())
            .collect();
        program.begin_build(&targets, &options)?;
        let task = Task::Link { parts, library };
        failed = carry_out(&program, targets, task, notify, CL_LINK_PROGRAM_FAILURE).err();
        Ok(object::publish(&program))
    };
    // SAFETY: the caller passes null or a valid pointer for the error code.
    unsafe {
        let program = created(errcode_ret, begin);
        if let Some(Error(code)) = failed {
            raw::put(errcode_ret, code);
        }
        program
    }
}

/// For each device the parts of the inputs of a link: those of all inputs, or none where no input
/// has a compiled object or library for the device.
///
/// # Errors
/// `CL_INVALID_PROGRAM`, `CL_INVALID_CONTEXT`; `CL_INVALID_OPERATION` where only some inputs
/// have one for a device or one is being compiled, or when there is no device for which all have.
fn parts_of(
    context: &Arc<Context>,
    devices: &[Arc<Device>],
    inputs: &[cl_program],
) -> Result<Vec<Vec<Part>>> {
    let inputs = inputs.iter().map(|&input| object::find::<Program>(input));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    let own = |input: &Arc<Program>| Arc::ptr_eq(&input.context, context);
    ensure!(inputs.iter().all(own), CL_INVALID_CONTEXT);
    let mut all = Vec::with_capacity(devices.len());
    for device in devices {
        let parts = inputs.iter().map(|input| input.parts(device));
        let parts = parts.collect::<Result<Vec<_>>>()?;
        let there = parts.iter().flatten().count();
        ensure!(there == 0 || there == inputs.len(), CL_INVALID_OPERATION);
        let taken = if on(Fault::LinksFirstTwo) {
            2
        } else {
            parts.len()
        };
        let parts = parts.into_iter().take(taken);
        all.push(parts.flatten().flatten().collect::<Vec<_>>());
    }
    ensure!(
        all.iter().any(|parts| !parts.is_empty()),
        CL_INVALID_OPERATION
    );
    Ok(all)
}
