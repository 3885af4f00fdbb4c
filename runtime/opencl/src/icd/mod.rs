//! The installable client driver interface (cl_khr_icd).
//!
//! [`DISPATCH`] has the order of the public `cl_icd.h`, which `slots.txt` lists; the types of its
//! slots are those of the headers, so a function with a wrong signature does not compile. No slot
//! is empty: programs call deprecated functions through loaders, and loaders do not check.

use std::ffi::{c_char, c_void};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::cl_platform_id;

use crate::api::{
    buffer::*, context::*, device::*, event::*, image::*, image_transfer::*, interop::*, kernel::*,
    map::*, memory::*, pipe::*, platform::*, program::*, queue::*, range::*, rect::*, sampler::*,
    svm::*, sync::*, transfer::*,
};
use crate::ffi::entry::caught;
use crate::ffi::raw;
use crate::platform;

/// Functions with their names.
macro_rules! named {
    ($($name:ident),*) => {
        [$((stringify!($name), $name as *mut c_void)),*]
    };
}

/// Fills the table and keeps the names for [`clGetExtensionFunctionAddress`].
macro_rules! dispatch {
    ($($name:ident),* $(,)?) => {
        /// What every object points at with its first word.
        #[unsafe(export_name = "touchstone_dispatch")]
        pub static DISPATCH: cl_icd_dispatch = cl_icd_dispatch {
            $($name: Some($name)),*
        };

        /// The names of the slots, in their order, with what is in them.
        fn slots() -> impl Iterator<Item = (&'static str, *mut c_void)> {
            named!($($name),*).into_iter()
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/slots.rs"));

/// The names of the slots of [`DISPATCH`], in their order.
pub fn slot_names() -> impl Iterator<Item = &'static str> {
    slots().map(|(name, _)| name)
}

/// The function with a name, or null.
///
/// Core functions are found too: a program that opened this library by its path and has
/// no loader needs nothing else. Functions of extensions that are not supported are not.
fn address_of(name: &str) -> *mut c_void {
    let unsupported = ["GL", "D3D", "DX9", "EXT"];
    let core = slots().filter(|(slot, _)| !unsupported.iter().any(|part| slot.contains(part)));
    // Functions of extensions have no slot.
    core.chain(named!(
        clIcdGetPlatformIDsKHR,
        clGetKernelSuggestedLocalWorkSizeKHR
    ))
    .find(|&(known, _)| known == name)
    .map_or(std::ptr::null_mut(), |(_, address)| address)
}

/// The address of a function, or null.
///
/// # Safety
/// `func_name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(func_name: *const c_char) -> *mut c_void {
    let found = caught(|| {
        // SAFETY: the caller vouches for its string.
        let name = unsafe { raw::text(func_name) }.unwrap_or_default();
        Ok(address_of(&name))
    });
    found.unwrap_or(std::ptr::null_mut())
}

/// The address of a function of a platform; null also when the platform, which must be named
/// here, is none.
///
/// # Safety
/// `func_name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    let found = caught(|| {
        crate::ffi::ensure!(!platform.is_null(), CL_INVALID_PLATFORM);
        platform::find_platform(platform)?;
        // SAFETY: the caller vouches for its string.
        let name = unsafe { raw::text(func_name) }.unwrap_or_default();
        Ok(address_of(&name))
    });
    found.unwrap_or(std::ptr::null_mut())
}
