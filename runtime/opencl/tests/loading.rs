//! The shared library, loaded by a thread that ends.

use std::ptr::null_mut;
use std::thread;

use libloading::{Library, Symbol};
use opencl_sys::{CL_SUCCESS, cl_int, cl_platform_id, cl_uint};

type GetPlatformIds = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;

/// Loads the library that cargo built beside this test.
fn load() -> Library {
    let test = std::env::current_exe().expect("no path of the test");
    let library = test.with_file_name("libtouchstone.so");
    // SAFETY: the library may be loaded by anybody.
    unsafe { Library::new(&library) }.unwrap_or_else(|error| panic!("{library:?}: {error}"))
}

/// Makes the platform, which allocates.
fn ask() {
    let library = load();
    let mut count = 0;
    // SAFETY: the function is of this type, and null asks for no list.
    let code = unsafe {
        let platforms: Symbol<GetPlatformIds> =
            library.get(b"clGetPlatformIDs").expect("it is there");
        platforms(0, null_mut(), &mut count)
    };
    assert_eq!((code, count), (CL_SUCCESS, 1));
}

/// What the allocator kept for that thread may not be given to a later one that has got its id.
#[test]
fn the_thread_that_loads_it_may_end() {
    thread::spawn(|| drop(load())).join().expect("it is loaded");
    for _ in 0..8 {
        thread::spawn(ask).join().expect("it is used");
    }
}
