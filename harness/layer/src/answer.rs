//! What entry points return.

use libc::c_void;
use opencl_sys::{CL_SUCCESS, cl_int};

/// What an entry point returns when it was not called.
pub(crate) trait Answer: Sized {
    /// The value that goes with this status.
    fn without_call(status: cl_int) -> Self;

    /// The status, where that is the answer.
    fn status(&self) -> Option<cl_int>;

    /// Whether the call did what it was called for.
    fn succeeded(&self) -> bool;
}

impl Answer for cl_int {
    fn without_call(status: cl_int) -> Self {
        status
    }

    fn status(&self) -> Option<cl_int> {
        Some(*self)
    }

    fn succeeded(&self) -> bool {
        *self == CL_SUCCESS
    }
}

impl Answer for *mut c_void {
    fn without_call(_status: cl_int) -> Self {
        std::ptr::null_mut()
    }

    fn status(&self) -> Option<cl_int> {
        None
    }

    fn succeeded(&self) -> bool {
        !self.is_null()
    }
}

impl Answer for () {
    fn without_call(_status: cl_int) -> Self {}

    fn status(&self) -> Option<cl_int> {
        None
    }

    fn succeeded(&self) -> bool {
        true
    }
}
