//! The boundary of the C ABI.
//!
//! Everything that crosses it is handled here once: [`entry`] turns a function that
//! returns a [`Result`] into an exported `extern "C"` symbol that never unwinds;
//! [`answer`] builds the replies of the `clGet*Info` family; [`raw`] reads the arrays,
//! strings and property lists that callers pass as bare pointers.

pub mod answer;
pub mod entry;
pub mod raw;

use opencl_sys::cl_int;

/// An OpenCL error code (`CL_INVALID_VALUE` and its like), always negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("OpenCL error {0}")]
pub struct Error(pub cl_int);

/// What every operation behind the ABI returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Returns with the named error code unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $code:ident) => {
        if !$condition {
            return Err($crate::ffi::Error(opencl_sys::$code));
        }
    };
}
pub(crate) use ensure;
