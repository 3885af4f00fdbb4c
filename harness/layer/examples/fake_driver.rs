//! A driver for the layer's own tests: it exports only the entry points of `cl_khr_icd`, so that
//! everything else must be called through its dispatch table, most of which is empty. It has one
//! platform and one device, whose only kernel adds vectors, whatever the source says; commands run
//! when they are enqueued, but for reads that do not block, which run in `clFinish`.

use libc::{c_char, c_void, size_t};
use opencl_sys::*;
use std::mem::transmute;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where functions have their place in the dispatch table.
mod slot {
    pub const GET_PLATFORM_INFO: usize = 1;
    pub const GET_DEVICE_IDS: usize = 2;
    pub const GET_DEVICE_INFO: usize = 3;
    pub const CREATE_CONTEXT: usize = 4;
    pub const RELEASE_CONTEXT: usize = 7;
    pub const CREATE_COMMAND_QUEUE: usize = 9;
    pub const RELEASE_COMMAND_QUEUE: usize = 11;
    pub const CREATE_BUFFER: usize = 14;
    pub const RELEASE_MEM_OBJECT: usize = 18;
    pub const CREATE_PROGRAM_WITH_SOURCE: usize = 26;
    pub const RELEASE_PROGRAM: usize = 29;
    pub const BUILD_PROGRAM: usize = 30;
    pub const GET_PROGRAM_INFO: usize = 32;
    pub const CREATE_KERNEL: usize = 34;
    pub const RELEASE_KERNEL: usize = 37;
    pub const SET_KERNEL_ARG: usize = 38;
    pub const GET_EVENT_INFO: usize = 42;
    pub const RETAIN_EVENT: usize = 43;
    pub const RELEASE_EVENT: usize = 44;
    pub const FINISH: usize = 47;
    pub const ENQUEUE_READ_BUFFER: usize = 48;
    pub const ENQUEUE_WRITE_BUFFER: usize = 49;
    pub const ENQUEUE_ND_RANGE_KERNEL: usize = 59;
}

/// Any object: the dispatch table comes first, as the extension asks.
#[repr(C)]
struct Object {
    dispatch: *const usize,
    content: Mutex<Content>,
}

enum Content {
    /// Platforms, devices, contexts.
    Plain,
    Queue(Vec<Read>),
    Buffer(Vec<u8>),
    Program(Vec<u8>),
    /// The buffers of its arguments, as addresses.
    Kernel([usize; 3]),
    /// Whether its command is complete, and how often it is retained.
    Event(bool, u32),
}

/// A read that waits for `clFinish`: buffer, offset, size, destination, event, as addresses.
struct Read(usize, usize, usize, usize, usize);

fn table() -> *const usize {
    static TABLE: OnceLock<Vec<usize>> = OnceLock::new();
    TABLE
        .get_or_init(|| {
            let mut table = vec![0; 149];
            for (slot, function) in [
                (slot::GET_PLATFORM_INFO, get_info as *const () as usize),
                (slot::GET_DEVICE_IDS, get_device_ids as *const () as usize),
                (slot::GET_DEVICE_INFO, get_info as *const () as usize),
                (slot::CREATE_CONTEXT, create_context as *const () as usize),
                (slot::RELEASE_CONTEXT, release as *const () as usize),
                (
                    slot::CREATE_COMMAND_QUEUE,
                    create_command_queue as *const () as usize,
                ),
                (slot::RELEASE_COMMAND_QUEUE, release as *const () as usize),
                (slot::CREATE_BUFFER, create_buffer as *const () as usize),
                (slot::RELEASE_MEM_OBJECT, release as *const () as usize),
                (
                    slot::CREATE_PROGRAM_WITH_SOURCE,
                    create_program as *const () as usize,
                ),
                (slot::RELEASE_PROGRAM, release as *const () as usize),
                (slot::BUILD_PROGRAM, build_program as *const () as usize),
                (slot::GET_PROGRAM_INFO, get_info as *const () as usize),
                (slot::CREATE_KERNEL, create_kernel as *const () as usize),
                (slot::RELEASE_KERNEL, release as *const () as usize),
                (slot::SET_KERNEL_ARG, set_kernel_arg as *const () as usize),
                (slot::GET_EVENT_INFO, get_info as *const () as usize),
                (slot::RETAIN_EVENT, retain_event as *const () as usize),
                (slot::RELEASE_EVENT, release_event as *const () as usize),
                (slot::FINISH, finish as *const () as usize),
                (
                    slot::ENQUEUE_READ_BUFFER,
                    enqueue_read_buffer as *const () as usize,
                ),
                (
                    slot::ENQUEUE_WRITE_BUFFER,
                    enqueue_write_buffer as *const () as usize,
                ),
                (
                    slot::ENQUEUE_ND_RANGE_KERNEL,
                    enqueue_kernel as *const () as usize,
                ),
            ] {
                table[slot] = function;
            }
            table
        })
        .as_ptr()
}

fn new(content: Content) -> *mut c_void {
    Box::into_raw(Box::new(Object {
        dispatch: table(),
        content: Mutex::new(content),
    }))
    .cast()
}

/// # Safety
/// `object` was made by `new` and not freed.
unsafe fn with<R>(object: *mut c_void, act: impl FnOnce(&mut Content) -> R) -> R {
    // SAFETY: this function's own contract.
    let object = unsafe { &*object.cast::<Object>() };
    act(&mut object
        .content
        .lock()
        .unwrap_or_else(PoisonError::into_inner))
}

/// The only platform, which is also its only device.
fn platform() -> *mut c_void {
    static PLATFORM: OnceLock<usize> = OnceLock::new();
    *PLATFORM.get_or_init(|| new(Content::Plain) as usize) as *mut c_void
}

/// # Safety
/// As `cl_khr_icd` asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    count: cl_uint,
    platforms: *mut cl_platform_id,
    total: *mut cl_uint,
) -> cl_int {
    // SAFETY: this function's own contract.
    unsafe { list_one(count, platforms, total) }
}

unsafe fn list_one(count: cl_uint, list: *mut *mut c_void, total: *mut cl_uint) -> cl_int {
    if (count == 0) != list.is_null() || (list.is_null() && total.is_null()) {
        return CL_INVALID_VALUE;
    }
    // SAFETY: NULL, or as long as they say.
    unsafe {
        if !list.is_null() {
            *list = platform();
        }
        if !total.is_null() {
            *total = 1;
        }
    }
    CL_SUCCESS
}

/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: this function's own contract.
    match unsafe { std::ffi::CStr::from_ptr(name) }.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *mut c_void,
        // One that the layer has itself, and one of the driver's own.
        b"clFinish" => finish as *mut c_void,
        b"clFakeExtension" => release as *mut c_void,
        _ => ptr::null_mut(),
    }
}

unsafe extern "C" fn get_device_ids(
    _platform: *mut c_void,
    _kind: cl_device_type,
    count: cl_uint,
    devices: *mut *mut c_void,
    total: *mut cl_uint,
) -> cl_int {
    if std::env::var_os("FAKE_DRIVER_WITHOUT_DEVICES").is_some() {
        return CL_DEVICE_NOT_FOUND;
    }
    // SAFETY: the caller's lists.
    unsafe { list_one(count, devices, total) }
}

unsafe extern "C" fn get_info(
    object: *mut c_void,
    info: cl_uint,
    room: size_t,
    value: *mut c_void,
    size: *mut size_t,
) -> cl_int {
    // SAFETY: the caller's object.
    let answer = unsafe {
        with(object, |content| match (content, info) {
            (Content::Program(source), CL_PROGRAM_SOURCE) => Some(source.clone()),
            (Content::Event(complete, _), CL_EVENT_COMMAND_EXECUTION_STATUS) => {
                let status = if *complete { CL_COMPLETE } else { CL_QUEUED };
                Some(status.to_ne_bytes().to_vec())
            }
            // What a loader asks before it offers the platform.
            (Content::Plain, CL_PLATFORM_EXTENSIONS) => Some(b"cl_khr_icd\0".to_vec()),
            (Content::Plain, CL_PLATFORM_ICD_SUFFIX_KHR) => Some(b"FAKE\0".to_vec()),
            (Content::Plain, CL_PLATFORM_NAME | CL_DEVICE_NAME) => Some(b"Fake\0".to_vec()),
            (Content::Plain, CL_PLATFORM_VERSION | CL_DEVICE_VERSION) => {
                Some(b"OpenCL 3.0 Fake\0".to_vec())
            }
            (Content::Plain, CL_DEVICE_SVM_CAPABILITIES) => Some(1u64.to_ne_bytes().to_vec()),
            _ => None,
        })
    };
    let Some(answer) = answer else {
        return CL_INVALID_VALUE;
    };
    // SAFETY: NULL, or with as much room as they say.
    unsafe {
        if !value.is_null() {
            if room < answer.len() {
                return CL_INVALID_VALUE;
            }
            ptr::copy_nonoverlapping(answer.as_ptr(), value.cast(), answer.len());
        }
        if !size.is_null() {
            *size = answer.len();
        }
    }
    CL_SUCCESS
}

unsafe fn made(content: Content, errcode: *mut cl_int) -> *mut c_void {
    if !errcode.is_null() {
        // SAFETY: not NULL.
        unsafe { *errcode = CL_SUCCESS };
    }
    new(content)
}

unsafe extern "C" fn create_context(
    _properties: *const isize,
    _count: cl_uint,
    _devices: *const *mut c_void,
    _notify: *const c_void,
    _data: *mut c_void,
    errcode: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the caller's place.
    unsafe { made(Content::Plain, errcode) }
}

unsafe extern "C" fn create_command_queue(
    _context: *mut c_void,
    _device: *mut c_void,
    _properties: u64,
    errcode: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the caller's place.
    unsafe { made(Content::Queue(Vec::new()), errcode) }
}

unsafe extern "C" fn create_buffer(
    _context: *mut c_void,
    _flags: u64,
    size: size_t,
    _host: *mut c_void,
    errcode: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the caller's place.
    unsafe { made(Content::Buffer(vec![0; size]), errcode) }
}

unsafe extern "C" fn create_program(
    _context: *mut c_void,
    count: cl_uint,
    strings: *mut *const c_char,
    lengths: *const size_t,
    errcode: *mut cl_int,
) -> *mut c_void {
    let mut source = Vec::new();
    for index in 0..count as usize {
        // SAFETY: lists of `count`, and strings as long as they say.
        unsafe {
            let string = *strings.add(index);
            let length = if lengths.is_null() {
                0
            } else {
                *lengths.add(index)
            };
            source.extend_from_slice(if length == 0 {
                std::ffi::CStr::from_ptr(string).to_bytes()
            } else {
                std::slice::from_raw_parts(string.cast(), length)
            });
        }
    }
    source.push(0);
    // SAFETY: the caller's place.
    unsafe { made(Content::Program(source), errcode) }
}

unsafe extern "C" fn build_program(
    _program: *mut c_void,
    _count: cl_uint,
    _devices: *const *mut c_void,
    _options: *const c_char,
    _notify: *const c_void,
    _data: *mut c_void,
) -> cl_int {
    CL_SUCCESS
}

unsafe extern "C" fn create_kernel(
    _program: *mut c_void,
    _name: *const c_char,
    errcode: *mut cl_int,
) -> *mut c_void {
    // SAFETY: the caller's place.
    unsafe { made(Content::Kernel([0; 3]), errcode) }
}

unsafe extern "C" fn set_kernel_arg(
    kernel: *mut c_void,
    index: cl_uint,
    _size: size_t,
    value: *const c_void,
) -> cl_int {
    // SAFETY: the caller's kernel, and a buffer at the value.
    unsafe {
        with(kernel, |content| match content {
            Content::Kernel(buffers) if (index as usize) < 3 => {
                buffers[index as usize] = *value.cast::<usize>();
                CL_SUCCESS
            }
            _ => CL_INVALID_ARG_INDEX,
        })
    }
}

/// # Safety
/// `buffer` is a buffer.
unsafe fn words(buffer: usize) -> Vec<u32> {
    // SAFETY: this function's own contract.
    unsafe {
        with(buffer as *mut c_void, |content| match content {
            Content::Buffer(bytes) => bytes
                .chunks_exact(4)
                .map(|word| word.try_into().map_or(0, u32::from_ne_bytes))
                .collect(),
            _ => Vec::new(),
        })
    }
}

unsafe extern "C" fn enqueue_kernel(
    _queue: *mut c_void,
    kernel: *mut c_void,
    _dimensions: cl_uint,
    _offset: *const size_t,
    _global: *const size_t,
    _local: *const size_t,
    _count: cl_uint,
    _list: *const *mut c_void,
    event: *mut *mut c_void,
) -> cl_int {
    // SAFETY: the caller's objects.
    unsafe {
        let buffers = with(kernel, |content| match content {
            Content::Kernel(buffers) => *buffers,
            _ => [0; 3],
        });
        if buffers.contains(&0) {
            return CL_INVALID_KERNEL_ARGS;
        }
        let sum: Vec<u8> = words(buffers[0])
            .into_iter()
            .zip(words(buffers[1]))
            .flat_map(|(left, right)| left.wrapping_add(right).to_ne_bytes())
            .collect();
        with(buffers[2] as *mut c_void, |content| {
            *content = Content::Buffer(sum)
        });
        if !event.is_null() {
            *event = new(Content::Event(true, 1));
        }
    }
    CL_SUCCESS
}

unsafe extern "C" fn enqueue_read_buffer(
    queue: *mut c_void,
    buffer: *mut c_void,
    blocking: cl_bool,
    offset: size_t,
    size: size_t,
    data: *mut c_void,
    _count: cl_uint,
    _list: *const *mut c_void,
    event: *mut *mut c_void,
) -> cl_int {
    // The driver's own reference to the event keeps it for `clFinish`.
    let own = new(Content::Event(false, if event.is_null() { 1 } else { 2 }));
    let read = Read(buffer as usize, offset, size, data as usize, own as usize);
    // SAFETY: the caller's objects and places.
    unsafe {
        with(queue, |content| {
            if let Content::Queue(reads) = content {
                reads.push(read);
            }
        });
        if !event.is_null() {
            *event = own;
        }
        if blocking == CL_TRUE {
            finish(queue)
        } else {
            CL_SUCCESS
        }
    }
}

unsafe extern "C" fn enqueue_write_buffer(
    _queue: *mut c_void,
    buffer: *mut c_void,
    _blocking: cl_bool,
    offset: size_t,
    size: size_t,
    data: *const c_void,
    _count: cl_uint,
    _list: *const *mut c_void,
    _event: *mut *mut c_void,
) -> cl_int {
    // SAFETY: the caller's objects, and `size` bytes of data.
    unsafe {
        let data = std::slice::from_raw_parts(data.cast::<u8>(), size);
        with(buffer, |content| match content {
            Content::Buffer(bytes) => match bytes.get_mut(offset..offset + size) {
                Some(place) => {
                    place.copy_from_slice(data);
                    CL_SUCCESS
                }
                None => CL_INVALID_VALUE,
            },
            _ => CL_INVALID_MEM_OBJECT,
        })
    }
}

unsafe extern "C" fn finish(queue: *mut c_void) -> cl_int {
    // SAFETY: the caller's queue; its reads hold objects and places that are still there.
    unsafe {
        let reads = with(queue, |content| match content {
            Content::Queue(reads) => std::mem::take(reads),
            _ => Vec::new(),
        });
        for Read(buffer, offset, size, data, event) in reads {
            with(buffer as *mut c_void, |content| {
                if let Content::Buffer(bytes) = content
                    && let Some(part) = bytes.get(offset..offset + size)
                {
                    ptr::copy_nonoverlapping(part.as_ptr(), data as *mut u8, size);
                }
            });
            with(event as *mut c_void, |content| {
                if let Content::Event(complete, _) = content {
                    *complete = true;
                }
            });
            release_event(event as *mut c_void);
        }
    }
    CL_SUCCESS
}

unsafe extern "C" fn retain_event(event: *mut c_void) -> cl_int {
    // SAFETY: the caller's event.
    unsafe {
        with(event, |content| match content {
            Content::Event(_, references) => {
                *references += 1;
                CL_SUCCESS
            }
            _ => CL_INVALID_EVENT,
        })
    }
}

unsafe extern "C" fn release_event(event: *mut c_void) -> cl_int {
    // SAFETY: the caller's event.
    let last = unsafe {
        with(event, |content| match content {
            Content::Event(_, references) => {
                *references -= 1;
                *references == 0
            }
            _ => false,
        })
    };
    if last {
        // SAFETY: nobody holds it any more.
        unsafe { release(event) }
    } else {
        CL_SUCCESS
    }
}

unsafe extern "C" fn release(object: *mut c_void) -> cl_int {
    // SAFETY: made by `new`; the caller gives it up.
    drop(unsafe { transmute::<*mut c_void, Box<Object>>(object) });
    CL_SUCCESS
}
