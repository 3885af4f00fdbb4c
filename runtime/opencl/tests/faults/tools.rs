//! What scenarios are made of.

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use opencl_sys::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::event::*;
use touchstone::api::kernel::*;
use touchstone::api::map::*;
use touchstone::api::program::*;
use touchstone::api::queue::*;
use touchstone::api::range::*;
use touchstone::api::svm::*;
use touchstone::api::transfer::*;

use crate::rig::{self, Rig, device, list, query};

/// Gives other threads time to do what they should not.
pub fn moment() {
    std::thread::sleep(Duration::from_millis(20));
}

/// A context of two devices, with a queue of each.
pub fn two_devices() -> [Rig; 2] {
    let mut devices = [null_mut(); 2];
    let mut code = unsafe {
        let list = devices.as_mut_ptr();
        clGetDeviceIDs(rig::platform(), CL_DEVICE_TYPE_ALL, 2, list, null_mut())
    };
    assert_eq!(code, CL_SUCCESS);
    let context =
        unsafe { clCreateContext(null(), 2, devices.as_ptr(), None, null_mut(), &mut code) };
    devices.map(|device| {
        let queue =
            unsafe { clCreateCommandQueueWithProperties(context, device, null(), &mut code) };
        assert_eq!(code, CL_SUCCESS);
        // Each gives up a reference of its own.
        assert_eq!(unsafe { clRetainContext(context) }, CL_SUCCESS);
        Rig { context, queue }
    })
}

/// A built program with one kernel.
pub fn kernel(rig: &Rig, source: &str) -> cl_kernel {
    kernel_of(program(rig, source), "k")
}

pub fn program(rig: &Rig, source: &str) -> cl_program {
    let (program, built) = build(rig, source);
    assert_eq!(built, CL_SUCCESS, "{}", log(program));
    program
}

/// A program of a program's binary, built.
pub fn of_binary(rig: &Rig, first: cl_program) -> cl_program {
    // SAFETY: the program is alive, and the room has the size that is said.
    let size: usize = query(|size, value, ret| unsafe {
        clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, size, value, ret)
    });
    let mut bytes = vec![0u8; size];
    let mut place = bytes.as_mut_ptr();
    let (mut code, mut status) = (1, 1);
    // SAFETY: the binary has so many bytes, and the lists live through the calls.
    let second = unsafe {
        let value = (&raw mut place).cast();
        let got = clGetProgramInfo(first, CL_PROGRAM_BINARIES, 8, value, null_mut());
        assert_eq!(got, CL_SUCCESS);
        let mut list = [bytes.as_ptr()];
        let context = rig.context;
        let list = list.as_mut_ptr();
        clCreateProgramWithBinary(context, 1, &device(), &size, list, &mut status, &mut code)
    };
    assert_eq!([code, status], [CL_SUCCESS; 2]);
    // SAFETY: the program is alive.
    let built = unsafe { clBuildProgram(second, 0, null(), null(), None, null_mut()) };
    assert_eq!(built, CL_SUCCESS);
    second
}

/// A program, and what building it returns.
pub fn build(rig: &Rig, source: &str) -> (cl_program, cl_int) {
    let source = CString::new(source).expect("a zero in the source");
    let mut strings = [source.as_ptr()];
    let mut code = 1;
    unsafe {
        let program =
            clCreateProgramWithSource(rig.context, 1, strings.as_mut_ptr(), null(), &mut code);
        assert_eq!(code, CL_SUCCESS);
        let options = c"-cl-std=CL3.0 -D SEVEN=7 -D NOTHING=".as_ptr();
        let built = clBuildProgram(program, 0, null(), options, None, null_mut());
        (program, built)
    }
}

fn log(program: cl_program) -> String {
    rig::query_text(|size, value, ret| unsafe {
        let name = CL_PROGRAM_BUILD_LOG;
        clGetProgramBuildInfo(program, device(), name, size, value, ret)
    })
}

pub fn kernel_of(program: cl_program, name: &str) -> cl_kernel {
    let name = CString::new(name).expect("a zero in the name");
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

pub fn set_local(kernel: cl_kernel, index: u32, size: usize) {
    let code = unsafe { clSetKernelArg(kernel, index, size, null()) };
    assert_eq!(code, CL_SUCCESS, "argument {index}");
}

/// An index space.
#[derive(Clone, Copy)]
pub struct Space<'a> {
    pub offset: Option<&'a [usize]>,
    pub global: &'a [usize],
    pub local: Option<&'a [usize]>,
}

pub fn space<'a>(global: &'a [usize], local: &'a [usize]) -> Space<'a> {
    Space {
        offset: None,
        global,
        local: Some(local),
    }
}

pub fn enqueue_on(
    queue: cl_command_queue,
    kernel: cl_kernel,
    space: Space,
    wait: &[cl_event],
) -> Result<cl_event, cl_int> {
    let mut event = null_mut();
    let pointer = |sizes: Option<&[usize]>| sizes.map_or(null(), <[usize]>::as_ptr);
    let code = unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            space.global.len() as u32,
            pointer(space.offset),
            space.global.as_ptr(),
            pointer(space.local),
            wait.len() as u32,
            list(wait),
            &mut event,
        )
    };
    if code == CL_SUCCESS {
        assert_eq!(unsafe { clFlush(queue) }, CL_SUCCESS);
        Ok(event)
    } else {
        Err(code)
    }
}

/// Enqueues a kernel over so many work-items.
pub fn enqueue(rig: &Rig, kernel: cl_kernel, items: usize, wait: &[cl_event]) -> cl_event {
    let space = space(&[items], &[1]).global.to_vec();
    let space = Space {
        offset: None,
        global: &space,
        local: None,
    };
    enqueue_on(rig.queue, kernel, space, wait).expect("enqueued")
}

/// Runs a kernel over an index space and waits for it.
pub fn run(rig: &Rig, kernel: cl_kernel, space: Space) {
    let event = enqueue_on(rig.queue, kernel, space, &[]).expect("enqueued");
    assert_eq!(rig::wait(&[event]), CL_SUCCESS, "the kernel fails");
    // Some faults do not wait.
    while rig::status(event) > CL_COMPLETE {}
    assert_eq!(rig::status(event), CL_COMPLETE, "the kernel fails");
}

pub fn buffer(rig: &Rig, words: &[u32]) -> cl_mem {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    rig.buffer_of(&mut bytes, CL_MEM_COPY_HOST_PTR)
}

pub fn words(rig: &Rig, buffer: cl_mem, count: usize) -> Vec<u32> {
    let bytes = rig.read(buffer, 4 * count);
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_ne_bytes(word.try_into().expect("four bytes")))
        .collect()
}

/// Runs a kernel with one buffer of so many zeros; gives what it left there.
pub fn output(rig: &Rig, source: &str, count: usize, space: Space) -> Vec<u32> {
    let kernel = kernel(rig, source);
    let out = buffer(rig, &vec![0; count]);
    set(kernel, 0, out);
    run(rig, kernel, space);
    words(rig, out, count)
}

/// Fills a buffer of words, behind some events.
pub fn fill(rig: &Rig, buffer: cl_mem, word: u32, count: usize, wait: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let code = unsafe {
        clEnqueueFillBuffer(
            rig.queue,
            buffer,
            (&raw const word).cast(),
            4,
            0,
            4 * count,
            wait.len() as u32,
            list(wait),
            &mut event,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(unsafe { clFlush(rig.queue) }, CL_SUCCESS);
    event
}

pub fn set_user(event: cl_event, status: cl_int) {
    assert_eq!(unsafe { clSetUserEventStatus(event, status) }, CL_SUCCESS);
}

/// A rig whose queue is out of order.
pub fn out_of_order() -> Rig {
    Rig::with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
}

/// Maps bytes of a buffer, and waits for that.
pub fn map(
    rig: &Rig,
    buffer: cl_mem,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
) -> *mut std::ffi::c_void {
    let mut code = 1;
    let address = unsafe {
        clEnqueueMapBuffer(
            rig.queue,
            buffer,
            CL_TRUE,
            flags,
            offset,
            size,
            0,
            null(),
            null_mut(),
            &mut code,
        )
    };
    assert_eq!(code, CL_SUCCESS);
    address
}

/// Unmaps, and waits for that.
pub fn unmap(rig: &Rig, buffer: cl_mem, address: *mut std::ffi::c_void) {
    let code =
        unsafe { clEnqueueUnmapMemObject(rig.queue, buffer, address, 0, null(), null_mut()) };
    assert_eq!(code, CL_SUCCESS);
    rig.finish();
}

/// Words of fine-grain shared memory, through which the host and kernels talk; they begin as zeros.
pub struct Flags(*mut u32);

impl Flags {
    fn word(&self, n: usize) -> &AtomicU32 {
        unsafe { AtomicU32::from_ptr(self.0.add(n)) }
    }

    /// Tells a kernel.
    pub fn set(&self, n: usize) {
        self.word(n).store(1, Ordering::Release);
    }

    /// Waits until a kernel tells.
    pub fn wait_for(&self, n: usize) {
        while self.word(n).load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
    }
}

/// Two of them, and where they are.
pub fn flags(rig: &Rig) -> (*mut std::ffi::c_void, Flags) {
    let kind = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let memory = unsafe { clSVMAlloc(rig.context, kind, 8, 0) };
    assert!(!memory.is_null());
    let flags = Flags(memory.cast());
    (0..2).for_each(|n| flags.word(n).store(0, Ordering::Release));
    (memory, flags)
}

/// Sets an argument that points to shared memory.
pub fn set_svm(kernel: cl_kernel, index: u32, memory: *const std::ffi::c_void) {
    let code = unsafe { clSetKernelArgSVMPointer(kernel, index, memory) };
    assert_eq!(code, CL_SUCCESS, "argument {index}");
}
