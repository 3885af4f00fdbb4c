//! The entry points that begin without an object: the platforms themselves, and addresses by name.

use super::forward::{Exported, guard};
use super::{commands, memory, platforms, programs, queues, sharing};
use crate::answer::Answer;
use crate::faults;
use crate::library::{Entry, Kind, Library, PLATFORM_NOT_FOUND};
use libc::{c_char, c_void};
use opencl_sys::{CL_INVALID_OPERATION, CL_INVALID_VALUE, cl_int, cl_platform_id, cl_uint};
use std::ffi::CStr;
use std::mem::transmute;
use std::ptr;

type Unload = unsafe extern "C" fn() -> cl_int;
type GetAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type GetAddressForPlatform = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void;

/// An entry point that reports no status but by its value: the faults see the call, and its answer.
fn answered<R: Answer>(entry: Entry, call: impl FnOnce() -> Result<R, cl_int>) -> R {
    let body = || {
        faults::enter(entry)?;
        let answer = call()?;
        faults::leave();
        Ok(answer)
    };
    // SAFETY: no place for a status.
    unsafe { guard(ptr::null_mut(), body) }
}

/// Forwards `clGetPlatformIDs`; `clIcdGetPlatformIDsKHR` answers for libraries without it.
///
/// # Safety
/// As OpenCL asks of this entry point's caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetPlatformIDs(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    answered(const { Entry::named("clGetPlatformIDs") }, || {
        let next = Library::get().platforms().ok_or(PLATFORM_NOT_FOUND)?;
        // SAFETY: the caller's arguments, unchanged.
        Ok(unsafe { next(num_entries, platforms, num_platforms) })
    })
}

/// Forwards `clIcdGetPlatformIDsKHR`.
///
/// # Safety
/// As `cl_khr_icd` asks of this entry point's caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> cl_int {
    answered(const { Entry::named("clIcdGetPlatformIDsKHR") }, || {
        let library = Library::get();
        let next = library.icd_platforms().or(library.platforms());
        let next = next.ok_or(PLATFORM_NOT_FOUND)?;
        // SAFETY: the caller's arguments, unchanged.
        Ok(unsafe { next(num_entries, platforms, num_platforms) })
    })
}

/// Forwards `clUnloadCompiler`; to the first platform where only dispatch tables have it.
///
/// # Safety
/// As OpenCL asks of this entry point's caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clUnloadCompiler() -> cl_int {
    const ENTRY: Entry = Entry::named("clUnloadCompiler");
    answered(ENTRY, || {
        let library = Library::get();
        // SAFETY: the first platform is NULL or a handle of the library.
        let function = unsafe { library.function(ENTRY, library.first_platform()) }?;
        // SAFETY: the address of clUnloadCompiler, whose type OpenCL fixes.
        Ok(unsafe { transmute::<*mut c_void, Unload>(function)() })
    })
}

/// Forwards `clGetExtensionFunctionAddress`.
///
/// # Safety
/// As OpenCL asks of this entry point's caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    const ENTRY: Entry = Entry::named("clGetExtensionFunctionAddress");
    answered(ENTRY, || {
        let library = Library::get();
        if func_name.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the first platform is NULL or a handle of the library.
        let address = match unsafe { library.function(ENTRY, library.first_platform()) } {
            Ok(function) => {
                // SAFETY: the address of this entry point, whose type OpenCL fixes; the caller's
                // argument.
                unsafe { transmute::<*mut c_void, GetAddress>(function)(func_name) }
            }
            // SAFETY: as above.
            Err(_) => unsafe { for_platform(library, library.first_platform(), func_name) }?,
        };
        // SAFETY: not NULL, and a C string by the caller's word.
        Ok(unsafe { own_or(func_name, address) })
    })
}

/// Forwards `clGetExtensionFunctionAddressForPlatform`.
///
/// # Safety
/// As OpenCL asks of this entry point's caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    const ENTRY: Entry = Entry::named("clGetExtensionFunctionAddressForPlatform");
    answered(ENTRY, || {
        if func_name.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the caller's arguments: a platform and a C string.
        let address = unsafe { for_platform(Library::get(), platform, func_name) }?;
        // SAFETY: not NULL, and a C string by the caller's word.
        Ok(unsafe { own_or(func_name, address) })
    })
}

/// Asks the implementation of this platform.
///
/// # Safety
/// `platform` is NULL or a platform of the library; `name` is a C string.
unsafe fn for_platform(
    library: &Library,
    platform: cl_platform_id,
    name: *const c_char,
) -> Result<*mut c_void, cl_int> {
    if platform.is_null() && library.kind() != Kind::Direct {
        return Err(CL_INVALID_OPERATION);
    }
    let entry = const { Entry::named("clGetExtensionFunctionAddressForPlatform") };
    // SAFETY: this function's own contract.
    let function = unsafe { library.function(entry, platform) }?;
    // SAFETY: the address of this entry point, whose type OpenCL fixes.
    Ok(unsafe { transmute::<*mut c_void, GetAddressForPlatform>(function)(platform, name) })
}

/// The layer's own function where it has one for a function that the implementation has: calls by
/// address are then seen by the faults as calls by name are.
///
/// # Safety
/// `name` is a C string.
unsafe fn own_or(name: *const c_char, address: *mut c_void) -> *mut c_void {
    if address.is_null() {
        return address;
    }
    // SAFETY: this function's own contract.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str()
        .ok()
        .and_then(Entry::find)
        .and_then(own)
        .unwrap_or(address)
}

/// The layer's own function for an entry point.
fn own(entry: Entry) -> Option<*mut c_void> {
    [
        platforms::EXPORTED,
        queues::EXPORTED,
        memory::EXPORTED,
        programs::EXPORTED,
        commands::EXPORTED,
        sharing::EXPORTED,
        EXPORTED,
    ]
    .into_iter()
    .flatten()
    .find(|exported| exported.entry == entry)
    .map(|exported| exported.function.0)
}

macro_rules! exported {
    ($($name:ident),* $(,)?) => {
        /// The functions of this file.
        static EXPORTED: &[Exported] =
            &[$(Exported::new(stringify!($name), $name as *const _)),*];
    };
}
exported![
    clGetPlatformIDs,
    clIcdGetPlatformIDsKHR,
    clUnloadCompiler,
    clGetExtensionFunctionAddress,
    clGetExtensionFunctionAddressForPlatform,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_point_but_those_of_windows_is_exported() {
        let missing: Vec<_> = Entry::all()
            .filter(|entry| own(*entry).is_none())
            .map(Entry::name)
            .filter(|name| !name.contains("D3D1") && !name.contains("DX9"))
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
