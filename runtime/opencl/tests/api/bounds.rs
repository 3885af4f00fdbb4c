//! The bounds checker: what a kernel may not do ends its command, with a message, and nothing else.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use opencl_sys::*;
use touchstone::api::buffer::*;
use touchstone::api::context::*;
use touchstone::api::device::*;
use touchstone::api::kernel::*;
use touchstone::api::program::*;
use touchstone::api::svm::*;

use crate::kernels::{enqueue, ints, kernel, release, set};
use crate::programs::{built, log};
use crate::rig::{Rig, device, query, release_buffers, release_events, status, wait};

/// The messages of a context.
#[derive(Default)]
struct Messages {
    texts: Mutex<Vec<String>>,
    changed: Condvar,
}

impl Messages {
    /// Takes the one message that has come or comes.
    fn next(&self) -> String {
        let texts = self.texts.lock().expect("poisoned");
        let (mut texts, timeout) = self
            .changed
            .wait_timeout_while(texts, Duration::from_secs(60), |texts| texts.is_empty())
            .expect("poisoned");
        assert!(!timeout.timed_out(), "no message");
        texts.remove(0)
    }
}

unsafe extern "C" fn note(text: *const c_char, _: *const c_void, _: usize, messages: *mut c_void) {
    let text = unsafe { CStr::from_ptr(text) };
    let messages = unsafe { &*messages.cast::<Messages>() };
    let mut texts = messages.texts.lock().expect("poisoned");
    texts.push(text.to_string_lossy().into_owned());
    messages.changed.notify_all();
}

/// A rig whose context tells its errors to `messages`, which outlive it.
fn rig(messages: &Messages) -> Rig {
    let mut code = 1;
    let user_data = std::ptr::from_ref(messages).cast_mut().cast();
    let context =
        unsafe { clCreateContext(null(), 1, &device(), Some(note), user_data, &mut code) };
    assert_eq!(code, CL_SUCCESS);
    let queue = crate::rig::queue(context, 0);
    Rig { context, queue }
}

/// Runs a kernel that must fail; its status and message.
fn fails(rig: &Rig, messages: &Messages, kernel: cl_kernel) -> (cl_int, String) {
    let (event, code) = enqueue(rig, kernel, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    let code = status(event);
    release_events(&[event]);
    (code, messages.next())
}

fn succeeds(rig: &Rig, kernel: cl_kernel) {
    let (event, code) = enqueue(rig, kernel, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    release_events(&[event]);
}

/// Every wrong access of one program, on one queue, and a right one after each.
#[test]
fn wrong_accesses_end_their_command() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "
global int total[4];
constant int table[4] = {1, 2, 3, 4};
int far(global int *p, int i) { return p[i]; }
kernel void after(global int *p, int n) { p[n] = 1; }
kernel void before(global int *p, int n) { p[n - 8] = 1; }
kernel void helper(global int *p, int n) { p[0] = far(p, n); }
kernel void null_pointer(global int *p, int n) { p = 0; p[n] = 1; }
kernel void wild(global int *p, int n) { *(global int *)(0x7000000000000000ul + n) = 1; }
kernel void misaligned(global int *p, int n) { atomic_add((volatile global int *)((global char *)p + n - 3), 1); }
kernel void private_end(global int *p, int n) { int a[4]; int b[4]; a[n] = 1; b[n - 1] = 2; p[0] = a[0] + b[0]; }
kernel void local_end(global int *p, int n) { local int a[4]; local int b[4]; a[n] = 1; b[n - 1] = 2; p[0] = a[0] + b[0]; }
kernel void global_end(global int *p, int n) { total[n] = 1; }
kernel void constant_end(global int *p, int n) { p[0] = table[n]; }
kernel void right(global int *p, int n) { p[3] = n; }
";
    let program = built(&rig, source, "-cl-std=CL3.0");
    let buffer = rig.buffer(0, 16);
    let right = kernel(program, c"right");
    set(right, 0, buffer);
    for (name, text) in [
        ("after", "right after the end of argument 0 `p` (16 bytes"),
        ("before", "16 bytes before argument 0 `p`"),
        ("helper", "in far at 4:"),
        ("null_pointer", "null pointer"),
        ("wild", "0x7000000000000004"),
        ("misaligned", "not a multiple of 4"),
        ("private_end", "the private variable `a`"),
        ("local_end", "the local variable `a`"),
        ("global_end", "the program's variable `total`"),
        ("constant_end", "the program's variable `table`"),
    ] {
        let wrong = kernel(program, &CString::new(name).expect("no zero"));
        set(wrong, 0, buffer);
        set(wrong, 1, 4);
        let (code, message) = fails(&rig, &messages, wrong);
        assert!(code < 0, "{name}");
        assert!(
            message.contains(text) && message.contains(name),
            "{name}: {message}"
        );
        set(right, 1, code);
        succeeds(&rig, right);
        assert_eq!(ints(&rig.read(buffer, 16))[3], code);
        assert_eq!(unsafe { clReleaseKernel(wrong) }, CL_SUCCESS);
    }
    release_buffers(&[buffer]);
    release(right, program);
}

#[test]
fn constant_and_read_only_memory_cannot_be_written() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let program = built(&rig, "kernel void write(global int *p) { *p = 1; }", "");
    let kernel = kernel(program, c"write");
    let buffer = rig.buffer(CL_MEM_READ_ONLY, 4);
    set(kernel, 0, buffer);
    let (_, message) = fails(&rig, &messages, kernel);
    assert!(
        message.contains("which may only be read: it is in argument 0 `p`"),
        "{message}"
    );
    assert_eq!(rig.read(buffer, 4), [0; 4]);
    release_buffers(&[buffer]);
    release(kernel, program);
}

/// Two buffers over the halves of one array of the application's: no margin between them.
#[test]
fn an_overrun_into_a_neighbour_is_an_overrun() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "kernel void over(global int *a, global int *b, int n) { a[n] = 1; b[0] = 2; }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"over");
    let mut array = [0u8; 32];
    let (low, high) = array.split_at_mut(16);
    let buffers = [low, high].map(|half| rig.buffer_of(half, CL_MEM_USE_HOST_PTR));
    set(kernel, 0, buffers[0]);
    set(kernel, 1, buffers[1]);
    set(kernel, 2, 3);
    succeeds(&rig, kernel);
    set(kernel, 2, 4);
    let (_, message) = fails(&rig, &messages, kernel);
    assert!(
        message.contains("right after the end of argument 0 `a`"),
        "{message}"
    );
    // Sub-buffers of one buffer are held apart as well.
    let whole = rig.buffer(0, 256);
    let mut parts = [null_mut(); 2];
    for (n, part) in parts.iter_mut().enumerate() {
        let region = cl_buffer_region {
            origin: 128 * n,
            size: 128,
        };
        let mut code = 1;
        let create = CL_BUFFER_CREATE_TYPE_REGION;
        let region = (&raw const region).cast();
        *part = unsafe { clCreateSubBuffer(whole, 0, create, region, &mut code) };
        assert_eq!(code, CL_SUCCESS);
    }
    set(kernel, 0, parts[0]);
    set(kernel, 1, parts[1]);
    set(kernel, 2, 32);
    let (_, message) = fails(&rig, &messages, kernel);
    assert!(message.contains("argument 0 `a` (128 bytes"), "{message}");
    release_buffers(&buffers);
    release_buffers(&parts);
    release_buffers(&[whole]);
    release(kernel, program);
}

/// A command that fails fails those that wait for it, and no others.
#[test]
fn what_waits_for_a_failed_kernel_fails() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "kernel void k(global int *p, int n) { p[n] = 1; }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"k");
    let buffer = rig.buffer(0, 16);
    set(kernel, 0, buffer);
    set(kernel, 1, 1_000_000);
    let (bad, code) = enqueue(&rig, kernel, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    let after = rig.marker(&[bad]);
    assert_eq!(wait(&[after]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert!(status(after) < 0);
    assert!(messages.next().contains("kernel k"));
    set(kernel, 1, 0);
    succeeds(&rig, kernel);
    assert_eq!(ints(&rig.read(buffer, 16)), [1, 0, 0, 0]);
    release_events(&[bad, after]);
    release_buffers(&[buffer]);
    release(kernel, program);
}

/// Corners of division that are no failure: the smallest number by -1 in every width.
#[test]
fn overflowing_division_gives_some_value() {
    let rig = Rig::new();
    let source = "
kernel void k(global int *out, int minus) {
    char c = CHAR_MIN; short s = SHRT_MIN; int i = INT_MIN; long l = LONG_MIN;
    char cm = minus; short sm = minus; long lm = minus;
    out[0] = (c / cm) + (c % cm) + (s / sm) + (s % sm) + (i / minus) + (i % minus)
           + (int)(l / lm) + (int)(l % lm);
    char4 c4 = (char4)(CHAR_MIN); int4 i4 = (int4)(INT_MIN); long4 l4 = (long4)(LONG_MIN);
    out[1] = (c4 / (char4)(cm)).x + (i4 / (int4)(minus)).y + (int)(l4 % (long4)(lm)).z;
    out[2] = 1;
}";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"k");
    let buffer = rig.buffer(0, 16);
    set(kernel, 0, buffer);
    set(kernel, 1, -1);
    succeeds(&rig, kernel);
    assert_eq!(ints(&rig.read(buffer, 16))[2], 1);
    release_buffers(&[buffer]);
    release(kernel, program);
}

fn compiles(rig: &Rig, source: &str) -> (cl_program, cl_int) {
    let mut code = 1;
    let text = CString::new(source).expect("no zero");
    let mut text = text.as_ptr();
    let program =
        unsafe { clCreateProgramWithSource(rig.context, 1, &mut text, null(), &mut code) };
    assert_eq!(code, CL_SUCCESS);
    (program, compile(program))
}

/// Compiles a program without options or headers.
pub fn compile(program: cl_program) -> cl_int {
    unsafe {
        clCompileProgram(
            program,
            0,
            null(),
            null(),
            0,
            null(),
            null_mut(),
            None,
            null_mut(),
        )
    }
}

/// Recursion is told when the program is built, also when it goes through two units.
#[test]
fn recursion_is_an_error_of_the_build() {
    let rig = Rig::new();
    let direct =
        "int f(int n) { return n ? f(n - 1) : 0; } kernel void k(global int *p) { *p = f(*p); }";
    let (program, code) = compiles(&rig, direct);
    assert_ne!(code, CL_SUCCESS);
    assert!(log(program).contains("calls itself"), "{}", log(program));
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
    let halves = [
        "int odd(int n); int even(int n) { return n ? odd(n - 1) : 1; } kernel void k(global int *p) { *p = even(*p); }",
        "int even(int n); int odd(int n) { return n ? even(n - 1) : 0; }",
    ];
    let units = halves.map(|half| {
        let (program, code) = compiles(&rig, half);
        assert_eq!(code, CL_SUCCESS, "{}", log(program));
        program
    });
    let mut code = 1;
    let linked = unsafe {
        clLinkProgram(
            rig.context,
            0,
            null(),
            null(),
            2,
            units.as_ptr(),
            None,
            null_mut(),
            &mut code,
        )
    };
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert!(log(linked).contains("calls itself"), "{}", log(linked));
    for program in [units[0], units[1], linked] {
        assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
    }
}

/// Private memory that no machine has, and some that one work-item can have.
#[test]
fn huge_private_arrays_end_the_command_or_the_build() {
    let messages = Messages::default();
    let rig = rig(&messages);
    for size in [
        "1ul << 20",
        "1ul << 33",
        "1ul << 62",
        "0x7fffffff",
        "0xffffffffffff0000ul",
    ] {
        let source = format!(
            "kernel void k(global int *p, int n) {{ volatile char a[{size}]; a[n] = 1; *p = a[n]; }}"
        );
        let (program, code) = compiles(&rig, &source);
        if code == CL_SUCCESS {
            let mut code = 1;
            let linked = unsafe {
                clLinkProgram(
                    rig.context,
                    0,
                    null(),
                    null(),
                    1,
                    &program,
                    None,
                    null_mut(),
                    &mut code,
                )
            };
            if code == CL_SUCCESS {
                let kernel = kernel(linked, c"k");
                let buffer = rig.buffer(0, 4);
                set(kernel, 0, buffer);
                set(kernel, 1, 5);
                let (event, code) = enqueue(&rig, kernel, &[1], None);
                if code == CL_SUCCESS {
                    wait(&[event]);
                    let ended = status(event);
                    assert_eq!(ended == CL_COMPLETE, size == "1ul << 20", "{size}: {ended}");
                    release_events(&[event]);
                } else {
                    assert_eq!(code, CL_OUT_OF_RESOURCES, "{size}");
                }
                release_buffers(&[buffer]);
                assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
            }
            assert_eq!(unsafe { clReleaseProgram(linked) }, CL_SUCCESS);
        } else {
            assert!(log(program).contains("error"), "{size}: {}", log(program));
        }
        assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
    }
}

fn has_system() -> bool {
    let capabilities: cl_device_svm_capabilities = query(|size, value, ret| unsafe {
        clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, size, value, ret)
    });
    capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM != 0
}

fn set_pointer<T>(kernel: cl_kernel, index: u32, pointer: *const T) {
    let code = unsafe { clSetKernelArgSVMPointer(kernel, index, pointer.cast()) };
    assert_eq!(code, CL_SUCCESS);
}

/// Fine-grain system SVM: stack, heap and statics as arguments and through pointers.
#[test]
fn kernels_use_any_memory_of_the_process() {
    if !has_system() {
        return;
    }
    static STATIC: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(1);
    #[repr(C)]
    struct Node {
        next: *mut Node,
        value: i32,
    }
    let rig = Rig::new();
    let source = "
typedef struct node { global struct node *next; int value; } node;
kernel void sum(global node *n, global int *out) {
    int s = 0;
    for (; n; n = n->next) s += n->value;
    *out += s;
}";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"sum");
    let mut last = Node {
        next: null_mut(),
        value: 20,
    };
    let mut first = Box::new(Node {
        next: &raw mut last,
        value: 300,
    });
    set_pointer(kernel, 0, &raw mut *first);
    set_pointer(kernel, 1, STATIC.as_ptr());
    succeeds(&rig, kernel);
    assert_eq!(STATIC.load(std::sync::atomic::Ordering::Relaxed), 321);
    release(kernel, program);
}

/// With fine-grain system SVM a wild pointer faults; the command ends, and nothing else.
#[test]
fn unmapped_addresses_end_the_command() {
    if !has_system() {
        return;
    }
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "
kernel void write(global int *p) { *p = 1; }
kernel void read(global int *p) { int x = *p; if (x) *p = x; }
kernel void add(global int *p) { atomic_inc((volatile global int *)p); }";
    let program = built(&rig, source, "");
    let page = 4096;
    let mapping = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(null_mut(), 2 * page, libc::PROT_READ, flags, -1, 0)
    };
    assert_ne!(mapping, libc::MAP_FAILED);
    let second = mapping.cast::<u8>().wrapping_add(page);
    assert_eq!(unsafe { libc::munmap(second.cast(), page) }, 0);
    for name in [c"write", c"read", c"add"] {
        let kernel = kernel(program, name);
        set_pointer(kernel, 0, mapping);
        if name == c"read" {
            succeeds(&rig, kernel);
        } else {
            let (code, message) = fails(&rig, &messages, kernel);
            assert!(code < 0);
            assert!(
                message.contains("no memory that can be written"),
                "{message}"
            );
        }
        set_pointer(kernel, 0, second);
        let (_, message) = fails(&rig, &messages, kernel);
        assert!(
            message.contains("where the process has no memory"),
            "{message}"
        );
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    }
    unsafe {
        libc::munmap(mapping, page);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
    }
}

/// What is the runtime's is reached through arguments only, whatever the pointer; and a
/// kernel can do without the system's memory.
#[test]
fn system_memory_is_not_the_runtimes() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "kernel void at(ulong p) { *(global int *)p = 1; }";
    let program = built(&rig, source, "");
    let kernel = kernel(program, c"at");
    let other: *mut i32 = unsafe { clSVMAlloc(rig.context, 0, 64, 0).cast() };
    for offset in [0, 16, -1] {
        set(kernel, 0, other.wrapping_offset(offset) as u64);
        fails(&rig, &messages, kernel);
    }
    let pointers = [other];
    let size = size_of_val(&pointers);
    let name = CL_KERNEL_EXEC_INFO_SVM_PTRS;
    let pointers = pointers.as_ptr().cast();
    unsafe {
        assert_eq!(
            clSetKernelExecInfo(kernel, name, size, pointers),
            CL_SUCCESS
        );
    }
    for (offset, inside) in [(0, true), (15, true), (16, false), (-1, false)] {
        set(kernel, 0, other.wrapping_offset(offset) as u64);
        if inside {
            succeeds(&rig, kernel);
        } else {
            fails(&rig, &messages, kernel);
        }
    }
    let mut own = 0;
    set(kernel, 0, (&raw mut own) as u64);
    let name = CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    for allowed in [CL_FALSE, CL_TRUE] {
        let value = (&raw const allowed).cast();
        let code = unsafe { clSetKernelExecInfo(kernel, name, 4, value) };
        if allowed == CL_TRUE && !has_system() {
            assert_eq!(code, CL_INVALID_OPERATION);
            continue;
        }
        assert_eq!(code, CL_SUCCESS);
        if allowed == CL_TRUE {
            succeeds(&rig, kernel);
        } else {
            fails(&rig, &messages, kernel);
        }
    }
    assert_eq!(own, i32::from(has_system()));
    unsafe { clSVMFree(rig.context, other.cast()) };
    release(kernel, program);
}

/// Loops that can be seen never to end: by their shape, and by going round in a circle.
#[test]
fn endless_loops_end_their_command() {
    let messages = Messages::default();
    let rig = rig(&messages);
    let source = "
kernel void shape(global int *p) { p[0] = 1; while (true) p[1]++; }
kernel void circle(global int *p) { int x = p[0]; while (x == 1) { int y = x * 2; x = y / 2; } }
kernel void called(global int *p);
void forever(global int *p) { for (;;) { p[2] = 1; barrier(CLK_LOCAL_MEM_FENCE); } }
kernel void called(global int *p) { forever(p); }";
    let program = built(&rig, source, "");
    let buffer = rig.buffer(0, 16);
    for name in [c"shape", c"circle", c"called"] {
        let kernel = kernel(program, name);
        set(kernel, 0, buffer);
        let (code, message) = fails(&rig, &messages, kernel);
        assert!(code < 0);
        assert!(message.contains("endless loop"), "{message}");
        assert_eq!(unsafe { clReleaseKernel(kernel) }, CL_SUCCESS);
    }
    assert_eq!(ints(&rig.read(buffer, 16)), [1, 1, 1, 0]);
    release_buffers(&[buffer]);
    assert_eq!(unsafe { clReleaseProgram(program) }, CL_SUCCESS);
}

/// A kernel may wait for the host through fine-grain memory.
#[test]
fn waiting_for_the_host_is_no_endless_loop() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let rig = Rig::new();
    let source = "
kernel void wait_for_host(global atomic_uint *flag) {
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_all_svm_devices);
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) != 2);
}";
    let program = built(&rig, source, "-cl-std=CL3.0");
    let kernel = kernel(program, c"wait_for_host");
    let flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    let memory: *mut AtomicU32 = unsafe { clSVMAlloc(rig.context, flags, 4, 0).cast() };
    let flag = unsafe { &*memory };
    set_pointer(kernel, 0, memory);
    let (event, code) = enqueue(&rig, kernel, &[1], None);
    assert_eq!(code, CL_SUCCESS);
    while flag.load(Ordering::Acquire) != 1 {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(200));
    flag.store(2, Ordering::Release);
    assert_eq!(wait(&[event]), CL_SUCCESS);
    release_events(&[event]);
    unsafe { clSVMFree(rig.context, memory.cast()) };
    release(kernel, program);
}
