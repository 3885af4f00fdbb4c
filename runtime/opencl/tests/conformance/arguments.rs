//! What kernels say of their arguments and attributes, and what they take.

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::transfer::*;

use crate::table::to;
use crate::zoo::{
    SIZE, buffer_of, built, context_of, devices, kernel_of, made, queue_of, set, turn,
};

/// The parameter, then its type's name and what qualifies it.
type Declared = (
    &'static str,
    &'static str,
    cl_kernel_arg_address_qualifier,
    cl_kernel_arg_type_qualifier,
);

const GLOBAL: cl_kernel_arg_address_qualifier = CL_KERNEL_ARG_ADDRESS_GLOBAL;
const LOCAL: cl_kernel_arg_address_qualifier = CL_KERNEL_ARG_ADDRESS_LOCAL;
const CONSTANT: cl_kernel_arg_address_qualifier = CL_KERNEL_ARG_ADDRESS_CONSTANT;
const PRIVATE: cl_kernel_arg_address_qualifier = CL_KERNEL_ARG_ADDRESS_PRIVATE;
const CONST: cl_kernel_arg_type_qualifier = CL_KERNEL_ARG_TYPE_CONST as _;
const RESTRICT: cl_kernel_arg_type_qualifier = CL_KERNEL_ARG_TYPE_RESTRICT as _;
const VOLATILE: cl_kernel_arg_type_qualifier = CL_KERNEL_ARG_TYPE_VOLATILE as _;

/// Types of the application, before the kernel.
const TYPES: &str = "
typedef struct pair_tag { int first; float second; } pair;
typedef float4 colour;
";

const DECLARED: &[Declared] = &[
    ("global int *a", "int*", GLOBAL, 0),
    ("__global int *a", "int*", GLOBAL, 0),
    ("global int* const a", "int*", GLOBAL, 0),
    ("global int const *a", "int*", GLOBAL, CONST),
    ("const global int *a", "int*", GLOBAL, CONST),
    ("global int *restrict a", "int*", GLOBAL, RESTRICT),
    ("global int volatile *a", "int*", GLOBAL, VOLATILE),
    ("global int *volatile a", "int*", GLOBAL, 0),
    (
        "global const volatile int *restrict a",
        "int*",
        GLOBAL,
        CONST | VOLATILE | RESTRICT,
    ),
    ("constant uchar *a", "uchar*", CONSTANT, CONST),
    ("constant unsigned short *a", "ushort*", CONSTANT, CONST),
    (
        "constant volatile float2 *restrict a",
        "float2*",
        CONSTANT,
        CONST | VOLATILE | RESTRICT,
    ),
    ("local ulong16 *a", "ulong16*", LOCAL, 0),
    ("local const char3 *a", "char3*", LOCAL, CONST),
    ("local unsigned int *restrict a", "uint*", LOCAL, RESTRICT),
    ("global void *a", "void*", GLOBAL, 0),
    ("global unsigned char *a", "uchar*", GLOBAL, 0),
    ("global unsigned long *a", "ulong*", GLOBAL, 0),
    ("global unsigned *a", "uint*", GLOBAL, 0),
    ("global double8 *a", "double8*", GLOBAL, 0),
    ("global pair *a", "pair*", GLOBAL, 0),
    ("global const pair *a", "pair*", GLOBAL, CONST),
    ("global colour *a", "colour*", GLOBAL, 0),
    ("char a", "char", PRIVATE, 0),
    ("unsigned char a", "uchar", PRIVATE, 0),
    ("const int a", "int", PRIVATE, 0),
    ("volatile unsigned int a", "uint", PRIVATE, 0),
    ("unsigned long a", "ulong", PRIVATE, 0),
    ("long4 a", "long4", PRIVATE, 0),
    ("const float16 a", "float16", PRIVATE, 0),
    ("double a", "double", PRIVATE, 0),
    ("pair a", "pair", PRIVATE, 0),
    ("colour a", "colour", PRIVATE, 0),
];

fn text(call: impl Fn(usize, *mut c_void, *mut usize) -> cl_int) -> String {
    let mut size = 0;
    assert_eq!(call(0, null_mut(), &mut size), CL_SUCCESS);
    let mut bytes = vec![0u8; size];
    let at = bytes.as_mut_ptr().cast();
    assert_eq!(call(size, at, null_mut()), CL_SUCCESS);
    assert_eq!(bytes.pop(), Some(0));
    String::from_utf8(bytes).expect("no UTF-8")
}

fn number<T: Default>(kernel: cl_kernel, index: cl_uint, name: cl_kernel_arg_info) -> T {
    let mut value = T::default();
    let at = (&raw mut value).cast();
    let code = unsafe { clGetKernelArgInfo(kernel, index, name, size_of::<T>(), at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    value
}

#[test]
fn arguments_say_what_was_declared() {
    let _turn = turn();
    let context = context_of(&devices()[..1]);
    let parameters: Vec<_> = DECLARED
        .iter()
        .enumerate()
        .map(|(at, (parameter, ..))| {
            parameter
                .replace(" a", &format!(" a{at}"))
                .replace("*a", &format!("*a{at}"))
        })
        .collect();
    let source = format!("{TYPES} kernel void k({}) {{}}", parameters.join(", "));
    let source = CString::new(source).expect("no zeros");
    let kernel = kernel_of(built(context, &source, c"-cl-kernel-arg-info"), c"k");
    for (at, (parameter, name, space, qualifiers)) in DECLARED.iter().enumerate() {
        let index = at as cl_uint;
        let string = |what| {
            text(|size, value, ret| unsafe {
                clGetKernelArgInfo(kernel, index, what, size, value, ret)
            })
        };
        assert_eq!(string(CL_KERNEL_ARG_NAME), format!("a{at}"), "{parameter}");
        assert_eq!(string(CL_KERNEL_ARG_TYPE_NAME), *name, "{parameter}");
        let address: cl_uint = number(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
        assert_eq!(address, *space, "{parameter}");
        let bits: u64 = number(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER);
        assert_eq!(bits, *qualifiers as u64, "{parameter}");
        let access: cl_uint = number(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER);
        assert_eq!(access, CL_KERNEL_ARG_ACCESS_NONE, "{parameter}");
    }
}

/// "Attributes are returned as they were declared inside `__attribute__((...))`, with any
/// surrounding whitespace and embedded newlines removed", "as a single, space delimited string";
/// of kernels that are not from source none are.
#[test]
fn attributes_are_told_of_kernels_from_source() {
    let _turn = turn();
    let context = context_of(&devices()[..1]);
    let source = c"
        __attribute__((vec_type_hint(uchar4))) kernel void a() {}
        kernel __attribute__((work_group_size_hint(64, 1, 1))) void b() {}
        kernel __attribute__((reqd_work_group_size(4,2,1)))
            __attribute__((vec_type_hint(float))) void c() {}
        kernel void d() {}
    ";
    let program = built(context, source, c"");
    let attributes = |program, name| {
        let kernel = kernel_of(program, name);
        let told = text(|size, value, ret| unsafe {
            clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, size, value, ret)
        });
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
        told
    };
    let without_spaces = |name| attributes(program, name).replace(", ", ",");
    assert_eq!(without_spaces(c"a"), "vec_type_hint(uchar4)");
    assert_eq!(without_spaces(c"b"), "work_group_size_hint(64,1,1)");
    assert_eq!(
        without_spaces(c"c"),
        "reqd_work_group_size(4,2,1) vec_type_hint(float)"
    );
    assert_eq!(without_spaces(c"d"), "");

    let mut size = 0usize;
    let ask = |name, room, at| unsafe { clGetProgramInfo(program, name, room, at, null_mut()) };
    assert_eq!(
        ask(CL_PROGRAM_BINARY_SIZES, 8, (&raw mut size).cast()),
        CL_SUCCESS
    );
    let mut binary = vec![0u8; size];
    let mut start = binary.as_mut_ptr();
    assert_eq!(
        ask(CL_PROGRAM_BINARIES, 8, (&raw mut start).cast()),
        CL_SUCCESS
    );
    let device = devices()[0];
    let mut from = start.cast_const();
    let loaded = made!(clCreateProgramWithBinary(
        context,
        1,
        &device,
        &size,
        &mut from,
        null_mut()
    ));
    let options = c"-cl-kernel-arg-info".as_ptr();
    let code = unsafe { clBuildProgram(loaded, 0, null(), options, None, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(attributes(loaded, c"c"), "");
}

fn read(queue: cl_command_queue, buffer: cl_mem) -> [i32; 4] {
    let mut got = [0i32; 4];
    let at = got.as_mut_ptr().cast();
    let code =
        unsafe { clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, at, 0, null(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    got
}

fn run(queue: cl_command_queue, kernel: cl_kernel, items: usize) {
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            1,
            null(),
            &items,
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_SUCCESS);
}

/// "If _arg_value_ is `NULL` or points to `NULL`, then the kernel argument will be set to `NULL`."
#[test]
fn a_pointer_argument_may_be_null_in_every_way() {
    let _turn = turn();
    let device = devices()[0];
    let context = context_of(&[device]);
    let queue = queue_of(context, device, 0);
    let source = c"kernel void k(global int *in, constant int *more, global int *out) {
        *out = (in == 0) + 2 * (more == 0);
    }";
    let kernel = kernel_of(built(context, source, c""), c"k");
    let buffer = buffer_of(context, 0);
    let nothing: cl_mem = null_mut();
    set(kernel, 2, &buffer);
    let set_null = |index, size, value| unsafe { clSetKernelArg(kernel, index, size, value) };
    for (size, value) in [(8, to(&nothing)), (8, null()), (0, null())] {
        assert_eq!(set_null(0, size, value), CL_SUCCESS);
        assert_eq!(set_null(1, size, value), CL_SUCCESS);
        run(queue, kernel, 1);
        assert_eq!(read(queue, buffer)[0], 3);
        set(kernel, 0, &buffer);
        set(kernel, 1, &buffer);
        run(queue, kernel, 1);
        assert_eq!(read(queue, buffer)[0], 0);
    }
}

/// A copy has the arguments of the moment, by value; what is set on either later is its own.
#[test]
fn a_clone_has_arguments_of_its_own() {
    let _turn = turn();
    let device = devices()[0];
    let context = context_of(&[device]);
    let queue = queue_of(context, device, 0);
    let source = c"
        typedef struct { int a, b; } two;
        kernel void k(global int *out, two v, int8 w, local int *l) {
            l[0] = v.b;
            out[0] = v.a; out[1] = l[0]; out[2] = w.s7;
        }";
    let kernel = kernel_of(built(context, source, c""), c"k");
    let first = buffer_of(context, 0);
    let second = buffer_of(context, 0);
    set(kernel, 0, &first);
    set(kernel, 1, &[1i32, 2]);
    set(kernel, 2, &[3i32; 8]);
    assert_eq!(unsafe { clSetKernelArg(kernel, 3, 64, null()) }, CL_SUCCESS);
    let copy = made!(clCloneKernel(kernel));
    set(kernel, 1, &[9i32, 9]);
    set(copy, 0, &second);
    set(copy, 2, &[5i32; 8]);
    run(queue, kernel, 1);
    run(queue, copy, 1);
    assert_eq!(read(queue, first)[..3], [9, 9, 3]);
    assert_eq!(read(queue, second)[..3], [1, 2, 5]);
    let bare = kernel_of(built(context, source, c""), c"k");
    let bare_copy = made!(clCloneKernel(bare));
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            bare_copy,
            1,
            null(),
            &1,
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_KERNEL_ARGS);
}

/// Everything that a pending command needs may be released before it runs, in any order.
#[test]
fn releases_in_every_order_leave_the_command_what_it_needs() {
    let _turn = turn();
    let device = devices()[0];
    let source = c"kernel void k(global int *out) { out[get_global_id(0)] = 7; }";
    for first in 0..4 {
        let mut host = [0u8; SIZE];
        let context = context_of(&[device]);
        let queue = queue_of(context, device, 0);
        let program = built(context, source, c"");
        let kernel = kernel_of(program, c"k");
        let flags = CL_MEM_USE_HOST_PTR;
        let buffer = made!(clCreateBuffer(
            context,
            flags,
            SIZE,
            host.as_mut_ptr().cast()
        ));
        set(kernel, 0, &buffer);
        run(queue, kernel, SIZE / 4);
        let releases: [&dyn Fn() -> cl_int; 4] = unsafe {
            [
                &|| clReleaseKernel(kernel),
                &|| clReleaseProgram(program),
                &|| touchstone::api::memory::clReleaseMemObject(buffer),
                &|| touchstone::api::context::clReleaseContext(context),
            ]
        };
        for at in 0..4 {
            assert_eq!(releases[(first + at) % 4](), CL_SUCCESS);
        }
        unsafe {
            assert_eq!(clFinish(queue), CL_SUCCESS);
            assert_eq!(clReleaseCommandQueue(queue), CL_SUCCESS);
        }
        assert_eq!(host[..4], 7i32.to_ne_bytes());
        assert_eq!(host[SIZE - 4..], 7i32.to_ne_bytes());
    }
}
