//! Programs and kernels of several devices.

use std::ffi::CStr;
use std::ptr::null_mut;

use opencl_sys::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;

use crate::rig::*;

const COUNTING: &str = "
    global uint count = 10;
    kernel void next(global uint *out) { *out = ++count; }";

fn build_info<T: Default>(
    program: cl_program,
    device: cl_device_id,
    name: cl_program_build_info,
) -> T {
    query(|size, value, ret| unsafe {
        clGetProgramBuildInfo(program, device, name, size, value, ret)
    })
}

fn binary_sizes(program: cl_program) -> Vec<usize> {
    list(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, size, value, ret)
    })
}

fn binaries(program: cl_program) -> Vec<Vec<u8>> {
    let mut binaries: Vec<Vec<u8>> = binary_sizes(program)
        .iter()
        .map(|&size| vec![0; size])
        .collect();
    let mut places: Vec<*mut u8> = binaries.iter_mut().map(|b| b.as_mut_ptr()).collect();
    let size = size_of_val(&*places);
    let code = unsafe {
        clGetProgramInfo(
            program,
            CL_PROGRAM_BINARIES,
            size,
            places.as_mut_ptr().cast(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    binaries
}

fn kernel_names(program: cl_program) -> String {
    let bytes: Vec<u8> = list(|size, value, ret| unsafe {
        clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, value, ret)
    });
    CStr::from_bytes_with_nul(&bytes)
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

#[test]
fn variables_are_each_devices_own() {
    let devices = roots();
    let context = context(&devices);
    let queues: Vec<_> = devices.iter().map(|&d| queue(context, d)).collect();
    let program = program(context, COUNTING);
    assert_eq!(build(program, &[], c"-cl-std=CL3.0"), CL_SUCCESS);
    let kernel = kernel(program, c"next").unwrap();
    let buffer = buffer(context, 4);
    set(kernel, 0, buffer);
    for (queue, times) in queues.iter().zip([1u32, 3, 2]) {
        for n in 1..=times {
            assert_eq!(run(*queue, kernel, 1), CL_SUCCESS);
            assert_eq!(read(*queue, buffer, 1), [10 + n]);
        }
    }
    release_all(&[kernel], &[program], &[buffer], &queues, &[context]);
}

#[test]
fn a_program_built_for_some_devices_runs_on_those() {
    let devices = roots();
    let context = context(&devices);
    let queues: Vec<_> = devices.iter().map(|&d| queue(context, d)).collect();
    let program = program(context, "kernel void f(global uint *out) { *out = N; }");
    assert_eq!(build(program, &devices[..1], c"-DN=5"), CL_SUCCESS);
    assert_eq!(build(program, &devices[2..], c"-DN=7"), CL_SUCCESS);
    let statuses: Vec<cl_build_status> = devices
        .iter()
        .map(|&d| build_info(program, d, CL_PROGRAM_BUILD_STATUS))
        .collect();
    assert_eq!(
        statuses,
        [CL_BUILD_SUCCESS, CL_BUILD_NONE, CL_BUILD_SUCCESS]
    );
    let sizes = binary_sizes(program);
    assert!(sizes[0] > 0 && sizes[1] == 0 && sizes[2] > 0, "{sizes:?}");

    let kernel = kernel(program, c"f").unwrap();
    let buffer = buffer(context, 4);
    set(kernel, 0, buffer);
    assert_eq!(run(queues[0], kernel, 1), CL_SUCCESS);
    assert_eq!(read(queues[0], buffer, 1), [5]);
    assert_eq!(run(queues[1], kernel, 1), CL_INVALID_PROGRAM_EXECUTABLE);
    assert_eq!(run(queues[2], kernel, 1), CL_SUCCESS);
    assert_eq!(read(queues[2], buffer, 1), [7]);

    // Which device is meant must be said, and it must be one it was built for.
    let ask = |device| unsafe {
        clGetKernelWorkGroupInfo(
            kernel,
            device,
            CL_KERNEL_WORK_GROUP_SIZE,
            0,
            null_mut(),
            &mut 0,
        )
    };
    assert_eq!(ask(devices[2]), CL_SUCCESS);
    assert_eq!(ask(devices[1]), CL_INVALID_DEVICE);
    assert_eq!(ask(null_mut()), CL_INVALID_DEVICE);
    // While there is a kernel nothing can be built.
    assert_eq!(
        build(program, &devices[1..2], c"-DN=1"),
        CL_INVALID_OPERATION
    );
    release_all(&[kernel], &[program], &[buffer], &queues, &[context]);
}

#[test]
fn a_failure_for_one_device_leaves_the_others_alone() {
    let devices = roots();
    let context = context(&devices);
    let program = program(context, "kernel void f(global uint *out) { *out = N; }");
    assert_eq!(build(program, &devices[..1], c"-DN=5"), CL_SUCCESS);
    assert_eq!(build(program, &devices[1..], c""), CL_BUILD_PROGRAM_FAILURE);
    let status = |d| build_info::<cl_build_status>(program, d, CL_PROGRAM_BUILD_STATUS);
    assert_eq!(status(devices[0]), CL_BUILD_SUCCESS);
    assert_eq!(status(devices[1]), CL_BUILD_ERROR);
    assert_eq!(kernel_names(program), "f");
    release_all(&[], &[program], &[], &[], &[context]);
}

#[test]
fn a_kernel_has_the_same_arguments_everywhere() {
    let devices = roots();
    let context = context(&devices[..2]);
    let program = program(
        context,
        "kernel void f(global T *out) {} kernel void g(int i) {}
        #ifdef H
        kernel void h(void) {}
        #endif",
    );
    assert_eq!(build(program, &devices[..1], c"-DT=int -DH"), CL_SUCCESS);
    assert_eq!(build(program, &devices[1..2], c"-DT=float"), CL_SUCCESS);
    assert_eq!(kernel(program, c"f"), Err(CL_INVALID_KERNEL_DEFINITION));
    assert_eq!(kernel(program, c"none"), Err(CL_INVALID_KERNEL_NAME));
    let same = kernel(program, c"g").unwrap();
    let alone = kernel(program, c"h").unwrap();
    assert_eq!(kernel_names(program), "f;g;h");
    let mut count = 0;
    let code = unsafe { clCreateKernelsInProgram(program, 0, null_mut(), &mut count) };
    assert_eq!((code, count), (CL_SUCCESS, 2));
    release_all(&[same, alone], &[program], &[], &[], &[context]);
}

#[test]
fn binaries_go_back_to_their_devices() {
    let devices = roots();
    let all = context(&devices);
    let source = program(all, "kernel void f(global uint *out) { *out = N; }");
    assert_eq!(build(source, &devices[..1], c"-DN=5"), CL_SUCCESS);
    assert_eq!(build(source, &devices[1..], c"-DN=6"), CL_SUCCESS);
    let found = binaries(source);
    assert_ne!(found[0], found[1]);
    assert_eq!(found[1], found[2]);

    let mut code = 1;
    let mut statuses = [1; 2];
    let given = [devices[1], devices[0]];
    let lengths = [found[1].len(), found[0].len()];
    let mut pointers = [found[1].as_ptr(), found[0].as_ptr()];
    let loaded = unsafe {
        clCreateProgramWithBinary(
            all,
            2,
            given.as_ptr(),
            lengths.as_ptr(),
            pointers.as_mut_ptr(),
            statuses.as_mut_ptr(),
            &mut code,
        )
    };
    assert_eq!((code, statuses), (CL_SUCCESS, [CL_SUCCESS; 2]));
    assert_eq!(build(loaded, &[], c""), CL_SUCCESS);
    assert_eq!(build(loaded, &devices[2..], c""), CL_INVALID_DEVICE);
    let kernel = kernel(loaded, c"f").unwrap();
    let buffer = buffer(all, 4);
    set(kernel, 0, buffer);
    for (device, value) in [(devices[0], 5), (devices[1], 6)] {
        let queue = queue(all, device);
        assert_eq!(run(queue, kernel, 1), CL_SUCCESS);
        assert_eq!(read(queue, buffer, 1), [value]);
        release_all(&[], &[], &[], &[queue], &[]);
    }
    release_all(&[kernel], &[source, loaded], &[buffer], &[], &[all]);
}

fn compile(program: cl_program, devices: &[cl_device_id]) {
    let code = unsafe {
        clCompileProgram(
            program,
            devices.len() as u32,
            devices.as_ptr(),
            c"".as_ptr(),
            0,
            std::ptr::null(),
            null_mut(),
            None,
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

#[test]
fn a_link_takes_the_devices_that_all_inputs_are_compiled_for() {
    let devices = roots();
    let all = context(&devices);
    let first = program(all, "uint five(void) { return 5; }");
    let second = program(
        all,
        "uint five(void); kernel void f(global uint *o) { *o = five(); }",
    );
    compile(first, &devices[..2]);
    compile(second, &devices[..1]);
    let link = |list: &[cl_device_id]| {
        let mut code = 1;
        let inputs = [first, second];
        let linked = unsafe {
            clLinkProgram(
                all,
                list.len() as u32,
                if list.is_empty() {
                    std::ptr::null()
                } else {
                    list.as_ptr()
                },
                std::ptr::null(),
                2,
                inputs.as_ptr(),
                None,
                null_mut(),
                &mut code,
            )
        };
        (linked, code)
    };
    // Only one of the inputs is compiled for the second device, none for the third.
    assert_eq!(link(&[]), (null_mut(), CL_INVALID_OPERATION));
    assert_eq!(link(&devices[2..]), (null_mut(), CL_INVALID_OPERATION));
    let (linked, code) = link(&[devices[2], devices[0]]);
    assert_eq!(code, CL_SUCCESS);
    let status = |d| build_info::<cl_build_status>(linked, d, CL_PROGRAM_BUILD_STATUS);
    assert_eq!(status(devices[0]), CL_BUILD_SUCCESS);
    assert_eq!(status(devices[2]), CL_BUILD_NONE);
    release_all(&[], &[first, second, linked], &[], &[], &[all]);
}

#[test]
fn built_in_kernels_run_on_every_device() {
    let devices = roots();
    let all = context(&devices[..2]);
    let make = |names: &CStr| {
        let mut code = 1;
        let program = unsafe {
            clCreateProgramWithBuiltInKernels(all, 2, devices.as_ptr(), names.as_ptr(), &mut code)
        };
        (program, code)
    };
    assert_eq!(make(c"touchstone_nop;none"), (null_mut(), CL_INVALID_VALUE));
    let (program, code) = make(c"touchstone_iota;touchstone_count");
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(kernel_names(program), "touchstone_count;touchstone_iota");
    assert_eq!(
        kernel(program, c"touchstone_nop"),
        Err(CL_INVALID_KERNEL_NAME)
    );
    assert_eq!(binary_sizes(program), [0, 0]);
    assert_eq!(build(program, &[], c""), CL_INVALID_OPERATION);
    let iota = kernel(program, c"touchstone_iota").unwrap();
    let buffer = buffer(all, 40);
    set(iota, 0, buffer);
    for (at, &device) in devices[..2].iter().enumerate() {
        let first = 100 * at as u32;
        set(iota, 1, first);
        let queue = queue(all, device);
        assert_eq!(run(queue, iota, 10), CL_SUCCESS);
        assert_eq!(
            read(queue, buffer, 10),
            (first..first + 10).collect::<Vec<_>>()
        );
        let sizes: [usize; 3] = query(|size, value, ret| unsafe {
            clGetKernelWorkGroupInfo(iota, device, CL_KERNEL_GLOBAL_WORK_SIZE, size, value, ret)
        });
        assert!(sizes[0] > 1 << 32 && sizes[1..] == [1, 1]);
        release_all(&[], &[], &[], &[queue], &[]);
    }
    release_all(&[iota], &[program], &[buffer], &[], &[all]);
}

/// "If a program binary has not been built for a sub-device, the program binary associated with the parent device
/// will be used": so its build is the sub-device's, too, in queries and in links.
#[test]
fn a_part_has_the_builds_of_what_it_is_a_part_of() {
    let root = roots()[0];
    let halves = split(root, &[CL_DEVICE_PARTITION_EQUALLY, 2, 0]).unwrap();
    let quarter = split(halves[0], &[CL_DEVICE_PARTITION_EQUALLY, 1, 0]).unwrap()[0];
    let context = context(&[root, halves[0], quarter]);
    let parted = queue(context, quarter);
    let program = program(context, "kernel void f(global uint *out) { *out = N; }");
    let status = |device| build_info::<cl_build_status>(program, device, CL_PROGRAM_BUILD_STATUS);
    let kind = |device| build_info::<u32>(program, device, CL_PROGRAM_BINARY_TYPE);
    assert_eq!([root, halves[0], quarter].map(status), [CL_BUILD_NONE; 3]);
    assert_eq!(build(program, &[root], c"-DN=5"), CL_SUCCESS);
    assert_eq!(
        [root, halves[0], quarter].map(status),
        [CL_BUILD_SUCCESS; 3]
    );
    assert_eq!(kind(quarter), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    let options: Vec<u8> = list(|size, value, ret| unsafe {
        clGetProgramBuildInfo(program, quarter, CL_PROGRAM_BUILD_OPTIONS, size, value, ret)
    });
    assert_eq!(options, b"-DN=5\0");
    // A build of its own counts from then on, whatever comes of it; its own parts go by it.
    assert_eq!(build(program, &[halves[0]], c""), CL_BUILD_PROGRAM_FAILURE);
    assert_eq!(
        [root, halves[0], quarter].map(status),
        [CL_BUILD_SUCCESS, CL_BUILD_ERROR, CL_BUILD_ERROR]
    );
    // What the program is not for has no build of it.
    let code = unsafe {
        clGetProgramBuildInfo(
            program,
            halves[1],
            CL_PROGRAM_BUILD_STATUS,
            0,
            null_mut(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_DEVICE);

    let unit = crate::rig::program(context, "kernel void f(global uint *out) { *out = 9; }");
    let mut code = unsafe {
        let none = (null_mut(), null_mut());
        clCompileProgram(
            unit,
            1,
            &root,
            std::ptr::null(),
            0,
            none.0,
            none.1,
            None,
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let linked = unsafe {
        clLinkProgram(
            context,
            1,
            &quarter,
            std::ptr::null(),
            1,
            &unit,
            None,
            null_mut(),
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    let kernel = kernel(linked, c"f").unwrap();
    let buffer = buffer(context, 4);
    set(kernel, 0, buffer);
    assert_eq!(run(parted, kernel, 1), CL_SUCCESS);
    assert_eq!(read(parted, buffer, 1), [9]);
    release_all(
        &[kernel],
        &[program, unit, linked],
        &[buffer],
        &[parted],
        &[context],
    );
    for part in [halves[0], halves[1], quarter] {
        assert_eq!(unsafe { clReleaseDevice(part) }, CL_SUCCESS);
    }
}
