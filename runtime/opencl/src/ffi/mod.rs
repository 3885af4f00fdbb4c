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

/// Defines an enum whose variants have codes of the API: `code` gives a variant's,
/// `of_code` the first variant with a code.
macro_rules! codes {
    (
        $(#[$meta:meta])* $type:ident: $code:ty;
        $($(#[$doc:meta])* $name:ident = $value:ident;)*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type { $($(#[$doc])* $name,)* }

        impl $type {
            /// Every variant.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As the queries name it.
            pub const fn code(self) -> $code {
                match self { $(Self::$name => $value,)* }
            }

            /// The first with a code.
            pub fn of_code(code: $code) -> Option<Self> {
                Self::ALL.iter().copied().find(|variant| variant.code() == code)
            }
        }
    };
}
pub(crate) use codes;
