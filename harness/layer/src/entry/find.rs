//! How an entry point finds the object whose implementation serves it.
//!
//! A library that exports its entry points gets every call as it is and judges the handles itself.
//! For the others the layer is the ICD loader: it needs a handle to find the dispatch table, so a
//! missing one is answered here, with the status that the specification names.

use crate::library::{Kind, Library, PLATFORM_NOT_FOUND};
use libc::c_void;
use opencl_sys::{
    CL_CONTEXT_PLATFORM, CL_INVALID_PLATFORM, cl_context_properties, cl_int, cl_platform_id,
    cl_uint,
};

/// The object itself; `status` if there is none.
pub(super) unsafe fn object(object: *mut c_void, status: cl_int) -> Result<*mut c_void, cl_int> {
    match Library::get().kind() {
        Kind::Direct => Ok(object),
        Kind::IcdOnly if object.is_null() => Err(status),
        Kind::IcdOnly => Ok(object),
        Kind::Missing => Err(status),
    }
}

/// The first object of a list; `empty` if there is no list, `null` if there is no object in it.
///
/// # Safety
/// `list` is NULL or has `count` elements.
pub(super) unsafe fn each(
    count: cl_uint,
    list: *const *mut c_void,
    empty: cl_int,
    null: cl_int,
) -> Result<*mut c_void, cl_int> {
    let first = if count == 0 || list.is_null() {
        None
    } else {
        // SAFETY: not NULL and not empty.
        Some(unsafe { *list })
    };
    match (Library::get().kind(), first) {
        (Kind::Direct, first) => Ok(first.unwrap_or(std::ptr::null_mut())),
        (Kind::IcdOnly | Kind::Missing, None) => Err(empty),
        // SAFETY: nothing is asked of an object.
        (Kind::IcdOnly | Kind::Missing, Some(first)) => unsafe { object(first, null) },
    }
}

/// This platform, or the first one where none is named.
pub(super) unsafe fn platform_or_first(platform: cl_platform_id) -> Result<*mut c_void, cl_int> {
    let library = Library::get();
    match library.kind() {
        Kind::Direct => Ok(platform),
        Kind::IcdOnly if platform.is_null() => first(library),
        Kind::IcdOnly => Ok(platform),
        Kind::Missing => Err(CL_INVALID_PLATFORM),
    }
}

fn first(library: &Library) -> Result<*mut c_void, cl_int> {
    let platform = library.first_platform();
    if platform.is_null() {
        Err(PLATFORM_NOT_FOUND)
    } else {
        Ok(platform)
    }
}

/// The platform that a property list names, or the first one where it names none.
///
/// # Safety
/// `properties` is NULL or a list of pairs that ends with a zero.
pub(super) unsafe fn properties(
    properties: *const cl_context_properties,
) -> Result<*mut c_void, cl_int> {
    let mut pair = properties;
    // SAFETY: the list is read up to its zero, two words at a time.
    while !pair.is_null() && unsafe { *pair } != 0 {
        // SAFETY: a pair that does not begin with zero has a second word.
        let (name, value) = unsafe { (*pair, *pair.add(1)) };
        if name == CL_CONTEXT_PLATFORM {
            // SAFETY: nothing is asked of an object.
            return unsafe { object(value as cl_platform_id, CL_INVALID_PLATFORM) };
        }
        // SAFETY: the list goes on behind a pair.
        pair = unsafe { pair.add(2) };
    }
    let library = Library::get();
    match library.kind() {
        Kind::Direct => Ok(std::ptr::null_mut()),
        Kind::IcdOnly => first(library),
        Kind::Missing => Err(PLATFORM_NOT_FOUND),
    }
}
