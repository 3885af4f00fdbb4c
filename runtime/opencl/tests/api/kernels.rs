//! Kernels: arguments, index spaces, launches, traps.

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;

use crate::programs::built;
use crate::rig::{Rig, device, query, release_buffers, release_events, wait};

pub fn kernel(program: cl_program, name: &CStr) -> cl_kernel {
    let mut code = 1;
    let kernel = unsafe { clCreateKernel(program, name.as_ptr(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    kernel
}

pub fn set<T>(kernel: cl_kernel, index: u32, value: T) {
    let value = (&raw const value).cast();
    let code = unsafe { clSetKernelArg(kernel, index, size_of::<T>(), value) };
    assert_eq!(code, CL_SUCCESS, "argument {index}");
}

pub fn enqueue(
    rig: &Rig,
    kernel: cl_kernel,
    global: &[usize],
    local: Option<&[usize]>,
) -> (cl_event, cl_int) {
    let mut event = null_mut();
    let code = unsafe {
        clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            global.len() as u32,
            null(),
            global.as_ptr(),
            local.map_or(null(), <[usize]>::as_ptr),
            0,
            null(),
            &mut event,
        )
    };
    (event, code)
}

pub fn run(rig: &Rig, kernel: cl_kernel, global: &[usize], local: Option<&[usize]>) {
    let (event, code) = enqueue(rig, kernel, global, local);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    release_events(&[event]);
}

pub fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes
        .chunks_exact(4)
        .map(|word| i32::from_ne_bytes(word.try_into().unwrap()))
        .collect()
}

/// Runs a kernel of one buffer argument with one work-item; gives the first int.
pub fn run_once(rig: &Rig, program: cl_program, name: &CStr) -> i32 {
    let kernel = kernel(program, name);
    let buffer = rig.buffer(0, 4);
    set(kernel, 0, buffer);
    run(rig, kernel, &[1], None);
    let value = ints(&rig.read(buffer, 4))[0];
    release_buffers(&[buffer]);
    release(kernel, null_mut());
    value
}

pub fn release(kernel: cl_kernel, program: cl_program) {
    unsafe {
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
        if !program.is_null() {
            assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        }
    }
}

#[test]
fn vectors_are_added() {
    let rig = Rig::new();
    let source = "kernel void add(global const int *a, global const int *b, global int *c, int k) {
        size_t i = get_global_id(0);
        c[i] = a[i] + k * b[i];
    }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"add");
    let count = 1021;
    let mut words: Vec<u8> = (0..count).flat_map(i32::to_ne_bytes).collect();
    let a = rig.buffer_of(&mut words, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR);
    let b = rig.buffer_of(&mut words, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
    let c = rig.buffer(CL_MEM_WRITE_ONLY, words.len());
    set(kernel, 0, a);
    set(kernel, 1, b);
    set(kernel, 2, c);
    set(kernel, 3, 10i32);
    run(&rig, kernel, &[count as usize], None);
    let expected: Vec<i32> = (0..count).map(|i| 11 * i).collect();
    assert_eq!(ints(&rig.read(c, words.len())), expected);
    release_buffers(&[a, b, c]);
    release(kernel, program);
}

#[test]
fn values_are_those_of_the_enqueue() {
    let rig = Rig::new();
    let source = "kernel void put(global int *p, int at, int value) { p[at] = value; }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"put");
    let buffer = rig.buffer(0, 12);
    let gate = rig.user_event();
    let held = rig.marker(&[gate]);
    set(kernel, 0, buffer);
    for at in 0..3i32 {
        set(kernel, 1, at);
        set(kernel, 2, 100 + at);
        let (event, code) = enqueue(&rig, kernel, &[1], None);
        assert_eq!(code, CL_SUCCESS);
        release_events(&[event]);
    }
    set(kernel, 2, -1i32);
    let clone = unsafe { clCloneKernel(kernel, null_mut()) };
    set(kernel, 1, 1i32);
    assert_eq!(
        unsafe { clSetUserEventStatus(gate, CL_COMPLETE) },
        CL_SUCCESS
    );
    assert_eq!(ints(&rig.read(buffer, 12)), [100, 101, 102]);
    // The clone has the values of the moment it was made.
    run(&rig, clone, &[1], None);
    assert_eq!(ints(&rig.read(buffer, 12)), [100, 101, -1]);
    release_events(&[gate, held]);
    release_buffers(&[buffer]);
    release(clone, null_mut());
    release(kernel, program);
}

#[test]
fn arguments_are_checked() {
    let rig = Rig::new();
    let other = Rig::new();
    let source = "kernel void f(global int *p, local int *l, float4 v, constant int *c) {}";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"f");
    let buffer = rig.buffer(0, 64);
    let foreign = other.buffer(0, 64);
    let set =
        |index, size, value: *const c_void| unsafe { clSetKernelArg(kernel, index, size, value) };
    let at = |handle: &cl_mem| (&raw const *handle).cast::<c_void>();
    assert_eq!(enqueue(&rig, kernel, &[1], None).1, CL_INVALID_KERNEL_ARGS);
    assert_eq!(set(4, 8, at(&buffer)), CL_INVALID_ARG_INDEX);
    assert_eq!(set(0, 4, at(&buffer)), CL_INVALID_ARG_SIZE);
    assert_eq!(set(0, 8, at(&rig.queue)), CL_INVALID_MEM_OBJECT);
    assert_eq!(set(0, 8, at(&foreign)), CL_INVALID_CONTEXT);
    // A local argument may have no memory since 3.1.
    assert_eq!(set(1, 0, null()), CL_SUCCESS);
    assert_eq!(set(1, 16, at(&buffer)), CL_INVALID_ARG_VALUE);
    assert_eq!(set(2, 16, null()), CL_INVALID_ARG_VALUE);
    assert_eq!(set(2, 12, [0f32; 4].as_ptr().cast()), CL_INVALID_ARG_SIZE);
    assert_eq!(set(0, 8, at(&buffer)), CL_SUCCESS);
    assert_eq!(set(1, 16, null()), CL_SUCCESS);
    assert_eq!(set(2, 16, [0f32; 4].as_ptr().cast()), CL_SUCCESS);
    assert_eq!(set(3, 8, at(&null_mut())), CL_SUCCESS);
    let bytes: u64 = query(|size, value, ret| unsafe {
        clGetKernelWorkGroupInfo(kernel, device(), CL_KERNEL_LOCAL_MEM_SIZE, size, value, ret)
    });
    assert_eq!(bytes, 16);
    run(&rig, kernel, &[1], None);
    let foreign_queue = other.queue;
    let code = unsafe { clEnqueueTask(foreign_queue, kernel, 0, null(), null_mut()) };
    assert_eq!(code, CL_INVALID_CONTEXT);
    assert_eq!(set(1, 1 << 20, null()), CL_SUCCESS);
    assert_eq!(enqueue(&rig, kernel, &[1], None).1, CL_OUT_OF_RESOURCES);
    assert_eq!(set(1, 16, null()), CL_SUCCESS);
    // A kernel does not keep its arguments alive.
    release_buffers(&[buffer, foreign]);
    assert_eq!(enqueue(&rig, kernel, &[1], None).1, CL_INVALID_KERNEL_ARGS);
    release(kernel, program);
}

const IDS: &str = "kernel void ids(global int *out) {
        size_t i = get_global_linear_id();
        out[4 * i] = get_global_id(0);
        out[4 * i + 1] = get_group_id(0);
        out[4 * i + 2] = get_local_id(0);
        out[4 * i + 3] = get_local_size(0);
    }";

#[test]
fn the_last_group_of_a_dimension_may_be_smaller() {
    let rig = Rig::new();
    let program = built(&rig, IDS, "-cl-std=CL3.0");
    let kernel = kernel(program, c"ids");
    let buffer = rig.buffer(0, 10 * 16);
    set(kernel, 0, buffer);
    run(&rig, kernel, &[10], Some(&[4]));
    let out = ints(&rig.read(buffer, 160));
    for (id, item) in out.chunks(4).enumerate() {
        let size = if id < 8 { 4 } else { 2 };
        let id = id as i32;
        assert_eq!(item, [id, id / 4, id % 4, size]);
    }
    release(kernel, program);

    // Not when the program promises groups of one size, nor before OpenCL C 2.0.
    for options in ["-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL1.2"] {
        let source = IDS.replace("get_global_linear_id()", "get_global_id(0)");
        let program = built(&rig, &source, options);
        let kernel = self::kernel(program, c"ids");
        set(kernel, 0, buffer);
        let code = enqueue(&rig, kernel, &[10], Some(&[4])).1;
        assert_eq!(code, CL_INVALID_WORK_GROUP_SIZE);
        run(&rig, kernel, &[10], Some(&[5]));
        release(kernel, program);
    }
    release_buffers(&[buffer]);
}

#[test]
fn offsets_shift_global_ids_only() {
    let rig = Rig::new();
    let source = "kernel void f(global int *out) {
        size_t i = get_global_id(0) - get_global_offset(0);
        out[2 * i] = get_global_id(0); out[2 * i + 1] = get_group_id(0);
    }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"f");
    let buffer = rig.buffer(0, 32);
    set(kernel, 0, buffer);
    let code = unsafe {
        clEnqueueNDRangeKernel(rig.queue, kernel, 1, &100, &4, &2, 0, null(), null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(
        ints(&rig.read(buffer, 32)),
        [100, 0, 101, 0, 102, 1, 103, 1]
    );
    release_buffers(&[buffer]);
    release(kernel, program);
}

#[test]
fn required_sizes_are_required() {
    let rig = Rig::new();
    let source = "__attribute__((reqd_work_group_size(4, 2, 1)))
        kernel void f(global int *out) {
            out[get_global_id(1) * 8 + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
        }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"f");
    let buffer = rig.buffer(0, 128);
    set(kernel, 0, buffer);
    assert_eq!(
        enqueue(&rig, kernel, &[8, 4], Some(&[2, 4])).1,
        CL_INVALID_WORK_GROUP_SIZE
    );
    assert_eq!(
        enqueue(&rig, kernel, &[6, 4], None).1,
        CL_INVALID_WORK_GROUP_SIZE
    );
    run(&rig, kernel, &[8, 4], None);
    assert_eq!(ints(&rig.read(buffer, 128)), [42; 32]);
    let compiled: [usize; 3] = query(|size, value, ret| unsafe {
        let name = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
        clGetKernelWorkGroupInfo(kernel, device(), name, size, value, ret)
    });
    assert_eq!(compiled, [4, 2, 1]);
    let mut suggested = [0usize; 2];
    let code = unsafe {
        let suggested = suggested.as_mut_ptr();
        clGetKernelSuggestedLocalWorkSize(rig.queue, kernel, 2, null(), [8, 4].as_ptr(), suggested)
    };
    assert_eq!((code, suggested), (CL_SUCCESS, [4, 2]));
    release_buffers(&[buffer]);
    release(kernel, program);
}

#[test]
fn an_empty_index_space_is_a_command_that_does_nothing() {
    let rig = Rig::new();
    let program = built(&rig, IDS, "-cl-std=CL3.0");
    let kernel = kernel(program, c"ids");
    let buffer = rig.buffer(0, 16);
    set(kernel, 0, buffer);
    run(&rig, kernel, &[0], None);
    run(&rig, kernel, &[4, 0], Some(&[2, 2]));
    assert_eq!(rig.read(buffer, 16), [0; 16]);
    let code = unsafe {
        clEnqueueNDRangeKernel(
            rig.queue,
            kernel,
            4,
            null(),
            [1; 4].as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_WORK_DIMENSION);
    release_buffers(&[buffer]);
    release(kernel, program);
}

#[test]
fn groups_share_local_memory_and_meet_at_barriers() {
    let rig = Rig::new();
    let source = "kernel void turn(global int *p, local int *l) {
        int n = get_local_size(0), i = get_local_id(0);
        l[i] = p[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] = l[n - 1 - i];
    }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"turn");
    let mut words: Vec<u8> = (0..64i32).flat_map(i32::to_ne_bytes).collect();
    let buffer = rig.buffer_of(&mut words, CL_MEM_COPY_HOST_PTR);
    set(kernel, 0, buffer);
    assert_eq!(
        unsafe { clSetKernelArg(kernel, 1, 16 * 4, null()) },
        CL_SUCCESS
    );
    run(&rig, kernel, &[64], Some(&[16]));
    let expected: Vec<i32> = (0..64).map(|i| i / 16 * 16 + 15 - i % 16).collect();
    assert_eq!(ints(&rig.read(buffer, 256)), expected);
    release_buffers(&[buffer]);
    release(kernel, program);
}

#[test]
fn program_scope_variables_keep_their_values() {
    let rig = Rig::new();
    let source = "global int counter = 5;
        kernel void next(global int *out) { *out = counter++; }";
    let program = built(&rig, source, "-cl-std=CL3.0");
    for expected in 5..8 {
        assert_eq!(run_once(&rig, program, c"next"), expected);
    }
    let bytes: usize = query(|size, value, ret| unsafe {
        let name = CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE;
        clGetProgramBuildInfo(program, device(), name, size, value, ret)
    });
    assert_eq!(bytes, 4);
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
}

const LIST: &str = "struct node { global struct node *next; int value; };
    kernel void sum(global struct node *list, global int *out) {
        int sum = 0;
        for (; list; list = list->next) sum += list->value;
        *out = sum;
    }";

#[repr(C)]
struct Node {
    next: *mut Node,
    value: i32,
}

#[test]
fn pointers_mean_the_same_on_host_and_device() {
    let rig = Rig::new();
    let program = built(&rig, LIST, "");
    let kernel = kernel(program, c"sum");
    let out = rig.buffer(0, 4);
    let fine = CL_MEM_SVM_FINE_GRAIN_BUFFER;
    let nodes: Vec<*mut Node> = (0..3)
        .map(|_| unsafe { clSVMAlloc(rig.context, fine, size_of::<Node>(), 0).cast() })
        .collect();
    for (at, &node) in nodes.iter().enumerate() {
        let next = nodes.get(at + 1).copied().unwrap_or(null_mut());
        unsafe {
            node.write(Node {
                next,
                value: 10 << at,
            })
        };
    }
    set(kernel, 1, out);
    unsafe {
        assert_eq!(
            clSetKernelArgSVMPointer(kernel, 0, nodes[0].cast()),
            CL_SUCCESS
        );
        let size = size_of_val(&nodes[..]);
        let pointers = nodes.as_ptr().cast();
        let name = CL_KERNEL_EXEC_INFO_SVM_PTRS;
        assert_eq!(
            clSetKernelExecInfo(kernel, name, size, pointers),
            CL_SUCCESS
        );
        assert_eq!(
            clSetKernelExecInfo(kernel, name, 3, pointers),
            CL_INVALID_VALUE
        );
        assert_eq!(
            clSetKernelArgSVMPointer(kernel, 2, null()),
            CL_INVALID_ARG_INDEX
        );
    }
    run(&rig, kernel, &[1], None);
    assert_eq!(ints(&rig.read(out, 4)), [70]);
    for node in nodes {
        unsafe { clSVMFree(rig.context, node.cast()) };
    }
    release_buffers(&[out]);
    release(kernel, program);
}

#[repr(C)]
struct NativeArgs {
    buffer: *mut c_void,
    value: u8,
}

unsafe extern "C" fn native(args: *mut c_void) {
    let args = unsafe { &*args.cast::<NativeArgs>() };
    unsafe { args.buffer.cast::<u8>().write_bytes(args.value, 8) };
}

#[test]
fn native_kernels_get_the_addresses_of_buffers() {
    let rig = Rig::new();
    let buffer = rig.buffer(0, 8);
    let mut args = NativeArgs { buffer, value: 9 };
    let mut place: *const c_void = (&raw const args.buffer).cast();
    let code = unsafe {
        clEnqueueNativeKernel(
            rig.queue,
            Some(native),
            (&raw mut args).cast(),
            size_of::<NativeArgs>(),
            1,
            &buffer,
            &mut place,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
    std::hint::black_box(&mut args).value = 1;
    assert_eq!(rig.read(buffer, 8), [9; 8]);
    let none = unsafe {
        let list = null();
        clEnqueueNativeKernel(
            rig.queue,
            None,
            null_mut(),
            0,
            0,
            null(),
            null_mut(),
            0,
            list,
            null_mut(),
        )
    };
    assert_eq!(none, CL_INVALID_VALUE);
    release_buffers(&[buffer]);
}

/// A group of one work-item costs little more than its work-item: many of them are no matter.
#[test]
fn a_cube_of_groups_of_one_work_item() {
    let rig = Rig::new();
    let source = "kernel void k(global int *out) {
        size_t x = get_group_id(0), y = get_group_id(1), z = get_group_id(2);
        out[(z * get_num_groups(1) + y) * get_num_groups(0) + x] += x + 2 * y + 3 * z + get_local_size(0); }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"k");
    let sides = [64, 64, 16];
    let bytes = 4 * sides.iter().product::<usize>();
    let buffer = rig.buffer_of(&mut vec![0; bytes], CL_MEM_COPY_HOST_PTR);
    set(kernel, 0, buffer);
    run(&rig, kernel, &sides, Some(&[1, 1, 1]));
    let values = ints(&rig.read(buffer, bytes)).into_iter().enumerate();
    let expected = |n: usize| n % 64 + 2 * (n / 64 % 64) + 3 * (n / 64 / 64) + 1;
    assert!(
        values
            .into_iter()
            .all(|(n, value)| value as usize == expected(n))
    );
    release_buffers(&[buffer]);
    release(kernel, program);
}
