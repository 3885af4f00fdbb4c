//! What the device promises as its limits can be had.

use std::ffi::{CString, c_void};
use std::fmt::Write;
use std::ptr::{null, null_mut};

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::device::*;
use touchstone::api::memory::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::transfer::*;

use crate::zoo::{buffer_of, built, context_of, devices, kernel_of, made, queue_of, set, turn};

fn info<T: Default>(name: cl_device_info) -> T {
    let mut value = T::default();
    let at = (&raw mut value).cast();
    let code = unsafe { clGetDeviceInfo(devices()[0], name, size_of::<T>(), at, null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    value
}

struct Place {
    context: cl_context,
    queue: cl_command_queue,
    out: cl_mem,
}

impl Place {
    fn new() -> Self {
        let device = devices()[0];
        let context = context_of(&[device]);
        Self {
            context,
            queue: queue_of(context, device, 0),
            out: buffer_of(context, 0),
        }
    }

    fn kernel(&self, source: String) -> cl_kernel {
        let source = CString::new(source).expect("no zeros");
        kernel_of(built(self.context, &source, c""), c"k")
    }

    fn run(&self, kernel: cl_kernel, global: &[usize], local: &[usize]) -> cl_int {
        let local = if local.is_empty() {
            null()
        } else {
            local.as_ptr()
        };
        unsafe {
            let code = clEnqueueNDRangeKernel(
                self.queue,
                kernel,
                global.len() as u32,
                null(),
                global.as_ptr(),
                local,
                0,
                null(),
                null_mut(),
            );
            assert_eq!(clFinish(self.queue), CL_SUCCESS);
            code
        }
    }

    fn result(&self) -> u64 {
        let mut got = 0u64;
        let at: *mut c_void = (&raw mut got).cast();
        let code = unsafe {
            clEnqueueReadBuffer(
                self.queue,
                self.out,
                CL_TRUE,
                0,
                8,
                at,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        got
    }
}

/// As many bytes of arguments as `CL_DEVICE_MAX_PARAMETER_SIZE` says.
#[test]
fn a_kernel_can_have_arguments_of_the_greatest_size() {
    let _turn = turn();
    let place = Place::new();
    let count = info::<usize>(CL_DEVICE_MAX_PARAMETER_SIZE) / 8 - 1;
    assert!(count >= 127);
    let mut source = String::from("kernel void k(global ulong *out");
    for n in 0..count {
        write!(source, ", ulong a{n}").expect("a string");
    }
    source += ") { ulong sum = 0;\n";
    for n in 0..count {
        writeln!(source, "sum += a{n};").expect("a string");
    }
    source += "*out = sum; }";
    let kernel = place.kernel(source);
    set(kernel, 0, &place.out);
    for n in 0..count {
        set(kernel, n as u32 + 1, &(n as u64 * 3));
    }
    assert_eq!(place.run(kernel, &[1], &[]), CL_SUCCESS);
    assert_eq!(place.result(), (0..count as u64).map(|n| n * 3).sum());
}

/// As many `constant` arguments as `CL_DEVICE_MAX_CONSTANT_ARGS` says beside another, and one
/// of the greatest size.
#[test]
fn a_kernel_can_have_the_greatest_number_and_size_of_constant_arguments() {
    let _turn = turn();
    let place = Place::new();
    let count = info::<u32>(CL_DEVICE_MAX_CONSTANT_ARGS);
    let size = info::<u64>(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) as usize;
    assert!(count >= 8 && size >= 64 << 10);
    let mut source = String::from("kernel void k(global ulong *out");
    for n in 0..count {
        write!(source, ", constant int *a{n}").expect("a string");
    }
    source += ") { *out = 0;\n";
    for n in 0..count {
        writeln!(source, "*out += a{n}[get_global_size(0) - 1];").expect("a string");
    }
    source += "}";
    let kernel = place.kernel(source);
    set(kernel, 0, &place.out);
    for n in 0..count {
        let numbers = [n as i32; 4];
        let at = numbers.as_ptr().cast_mut().cast();
        let flags = CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY;
        set(
            kernel,
            n + 1,
            &made!(clCreateBuffer(place.context, flags, 16, at)),
        );
    }
    assert_eq!(place.run(kernel, &[1], &[]), CL_SUCCESS);
    assert_eq!(place.result(), (0..u64::from(count)).sum());

    let source = "kernel void k(global ulong *out, constant ulong *a, uint last) {
        *out = a[0] + a[last];
    }";
    let kernel = place.kernel(source.into());
    let mut numbers = vec![0u64; size / 8];
    (numbers[0], *numbers.last_mut().expect("not empty")) = (40, 2);
    let flags = CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY;
    let at = numbers.as_mut_ptr().cast();
    set(kernel, 0, &place.out);
    set(
        kernel,
        1,
        &made!(clCreateBuffer(place.context, flags, size, at)),
    );
    set(kernel, 2, &(numbers.len() as u32 - 1));
    assert_eq!(place.run(kernel, &[1], &[]), CL_SUCCESS);
    assert_eq!(place.result(), 42);
}

/// All of the local memory, by argument, and not a byte more.
#[test]
fn a_work_group_can_have_all_local_memory() {
    let _turn = turn();
    let place = Place::new();
    let size = info::<u64>(CL_DEVICE_LOCAL_MEM_SIZE) as usize;
    assert!(size >= 32 << 10);
    let source = "kernel void k(global ulong *out, local ulong *l, uint count) {
        for (uint i = get_local_id(0); i < count; i += get_local_size(0)) l[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong sum = 0;
        if (get_local_id(0) == 0) {
            for (uint i = 0; i < count; i++) sum += l[i];
            *out = sum;
        }
    }";
    let kernel = place.kernel(source.into());
    let set_local =
        |size| unsafe { touchstone::api::kernel::clSetKernelArg(kernel, 1, size, null()) };
    set(kernel, 0, &place.out);
    assert_eq!(set_local(size), CL_SUCCESS);
    set(kernel, 2, &(size as u32 / 8));
    assert_eq!(place.run(kernel, &[16], &[16]), CL_SUCCESS);
    let count = size as u64 / 8;
    assert_eq!(place.result(), count * (count - 1) / 2);
    assert_eq!(set_local(size + 1), CL_SUCCESS);
    assert_eq!(place.run(kernel, &[16], &[16]), CL_OUT_OF_RESOURCES);
}

/// The greatest work-group, along every dimension.
#[test]
fn a_work_group_can_be_of_the_greatest_size() {
    let _turn = turn();
    let place = Place::new();
    let most = info::<usize>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    let sides = info::<[usize; 3]>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
    let source = "kernel void k(global uint *out) { atomic_inc(out); }";
    let kernel = place.kernel(source.into());
    set(kernel, 0, &place.out);
    for (at, side) in sides.into_iter().enumerate() {
        let zero = 0u64;
        let pattern = (&raw const zero).cast();
        let code = unsafe {
            clEnqueueFillBuffer(
                place.queue,
                place.out,
                pattern,
                8,
                0,
                8,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(code, CL_SUCCESS);
        let mut size = [1; 3];
        size[at] = side.min(most);
        assert_eq!(place.run(kernel, &size, &size), CL_SUCCESS);
        assert_eq!(place.result(), size[at] as u64);
        size[at] += 1;
        let code = place.run(kernel, &size, &size);
        assert!([CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE].contains(&code));
    }
}

/// The largest buffer, whose last bytes can be used.
#[test]
fn a_buffer_can_be_of_the_greatest_size() {
    let _turn = turn();
    let place = Place::new();
    let size = info::<u64>(CL_DEVICE_MAX_MEM_ALLOC_SIZE) as usize;
    let whole = info::<u64>(CL_DEVICE_GLOBAL_MEM_SIZE);
    let least = (whole / 4).clamp(32 << 20, 1 << 30);
    assert!(size as u64 >= least);
    let buffer = made!(clCreateBuffer(place.context, 0, size, null_mut()));
    let source = "kernel void k(global ulong *out, global uchar *big, ulong last) {
        big[last] = 17;
        *out = big[last];
    }";
    let kernel = place.kernel(source.into());
    set(kernel, 0, &place.out);
    set(kernel, 1, &buffer);
    set(kernel, 2, &(size as u64 - 1));
    assert_eq!(place.run(kernel, &[1], &[]), CL_SUCCESS);
    assert_eq!(place.result(), 17);
    assert_eq!(unsafe { clReleaseMemObject(buffer) }, CL_SUCCESS);
    let mut code = 1;
    unsafe { clCreateBuffer(place.context, 0, size + 1, null_mut(), &mut code) };
    assert_eq!(code, CL_INVALID_BUFFER_SIZE);
}
