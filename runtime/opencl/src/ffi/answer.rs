//! Replies of the `clGet*Info` family.
//!
//! Every query of OpenCL ends the same way: a value of some size, a buffer that may be
//! null or too small, and a place for the size. Query code builds an [`Answer`]; the
//! boundary delivers it.

use opencl_sys::{CL_NAME_VERSION_MAX_NAME_SIZE, cl_bool, cl_name_version};
use std::ffi::c_void;

use super::{Result, ensure};

/// The bytes of one query's value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer(Vec<u8>);

/// A scalar that has the same bytes in C.
pub trait Scalar: Copy {
    /// Appends the native bytes.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! scalars {
    ($($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}
scalars!(u8, i32, u32, i64, u64, usize, isize);

impl Scalar for *mut c_void {
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self as usize).to_ne_bytes());
    }
}

impl Answer {
    /// A single scalar.
    pub fn of(value: impl Scalar) -> Self {
        Self::list([value])
    }

    /// A `cl_bool`.
    pub fn boolean(value: bool) -> Self {
        Self::of(cl_bool::from(value))
    }

    /// An array of scalars, possibly empty.
    pub fn list<T: Scalar>(values: impl IntoIterator<Item = T>) -> Self {
        let mut bytes = Vec::new();
        for value in values {
            value.append(&mut bytes);
        }
        Self(bytes)
    }

    /// A string with its terminating zero.
    pub fn text(text: &str) -> Self {
        Self::string(text.as_bytes().to_vec())
    }

    /// The same from bytes.
    pub fn string(mut bytes: Vec<u8>) -> Self {
        bytes.push(0);
        Self(bytes)
    }

    /// An array of `cl_name_version`.
    pub fn names_with_versions<'a>(list: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut bytes = Vec::new();
        for (name, version) in list {
            version.append(&mut bytes);
            let mut field = [0u8; CL_NAME_VERSION_MAX_NAME_SIZE];
            let length = name.len().min(CL_NAME_VERSION_MAX_NAME_SIZE - 1);
            field[..length].copy_from_slice(&name.as_bytes()[..length]);
            bytes.extend_from_slice(&field);
        }
        debug_assert!(bytes.len().is_multiple_of(size_of::<cl_name_version>()));
        Self(bytes)
    }

    /// Writes the value and its size where the caller asked for them.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` when there is a buffer and it is too small.
    ///
    /// # Safety
    /// `value` is null or valid for writes of `size` bytes; `size_ret` is null or valid
    /// for a write.
    pub unsafe fn deliver(
        &self,
        size: usize,
        value: *mut c_void,
        size_ret: *mut usize,
    ) -> Result<()> {
        if !value.is_null() {
            ensure!(size >= self.0.len(), CL_INVALID_VALUE);
            // SAFETY: the buffer holds at least as many bytes as the answer has, and
            // application memory cannot overlap the answer's.
            unsafe {
                std::ptr::copy_nonoverlapping(self.0.as_ptr(), value.cast::<u8>(), self.0.len());
            }
        }
        if !size_ret.is_null() {
            // SAFETY: not null, and the caller vouches for it.
            unsafe { size_ret.write(self.0.len()) };
        }
        Ok(())
    }
}
