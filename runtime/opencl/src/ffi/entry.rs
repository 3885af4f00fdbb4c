//! Exported functions: from a Rust body with `Result` to a C symbol.
//!
//! A panic is a bug of this library; it must not unwind into C. [`caught`] stops it
//! at the ABI and reports `CL_OUT_OF_RESOURCES`, the nearest code the specification
//! has for a failure inside the implementation. The panic message has by then gone to
//! standard error through the panic hook.

use std::panic::{AssertUnwindSafe, catch_unwind};

use opencl_sys::{CL_OUT_OF_RESOURCES, CL_SUCCESS, cl_int};

use super::{Error, Result};

/// Runs a body, with a panic turned into an error code.
///
/// # Errors
/// The body's; `CL_OUT_OF_RESOURCES` for a panic.
pub fn caught<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Error(CL_OUT_OF_RESOURCES)))
}

/// The return value of a function that reports its status directly.
pub fn status(body: impl FnOnce() -> Result<()>) -> cl_int {
    match caught(body) {
        Ok(()) => CL_SUCCESS,
        Err(Error(code)) => code,
    }
}

/// The return value of a function that makes something and reports through `errcode_ret`.
///
/// # Safety
/// `errcode_ret` is null or valid for a write.
pub unsafe fn created<T>(
    errcode_ret: *mut cl_int,
    body: impl FnOnce() -> Result<*mut T>,
) -> *mut T {
    let (made, code) = match caught(body) {
        Ok(made) => (made, CL_SUCCESS),
        Err(Error(code)) => (std::ptr::null_mut(), code),
    };
    if !errcode_ret.is_null() {
        // SAFETY: not null, and the caller vouches for it.
        unsafe { errcode_ret.write(code) };
    }
    made
}
