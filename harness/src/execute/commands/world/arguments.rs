//! The arguments of the workload's kernels.

use crate::execute::commands::{Named, SetupError};
use cl3::types::{cl_kernel, cl_mem};
use std::ffi::c_void;
use std::ptr;

/// How a kernel is given memory.
#[derive(Clone, Copy)]
pub enum Pointer {
    /// Not at all.
    None,
    /// As a buffer.
    Buffer(cl_mem),
    /// By address.
    Svm(*mut c_void),
}

/// The arguments of the workload's kernels.
pub struct Arguments {
    pub pointers: [Pointer; 4],
    pub log: cl_mem,
    pub ranges: [[u32; 4]; 4],
    pub words: u32,
    pub token: u32,
    pub spin: u32,
    /// For the kernel with the variable: which ranges are in it.
    pub which: Option<u32>,
}

impl Arguments {
    /// Sets them.
    pub fn set(&self, kernel: cl_kernel) -> Result<(), SetupError> {
        const CALL: &str = "clSetKernelArg";
        for (n, pointer) in self.pointers.iter().enumerate() {
            let n = n as u32;
            let size = size_of::<cl_mem>();
            // SAFETY: the first four arguments are pointers to global memory.
            unsafe {
                match pointer {
                    Pointer::None => {
                        let null: cl_mem = ptr::null_mut();
                        cl3::kernel::set_kernel_arg(kernel, n, size, ptr::from_ref(&null).cast())
                    }
                    Pointer::Buffer(buffer) => {
                        cl3::kernel::set_kernel_arg(kernel, n, size, ptr::from_ref(buffer).cast())
                    }
                    Pointer::Svm(pointer) => {
                        cl3::kernel::set_kernel_arg_svm_pointer(kernel, n, *pointer)
                    }
                }
            }
            .of(CALL)?;
        }
        let mut at = 4;
        let mut set = |size: usize, value: *const c_void| {
            at += 1;
            // SAFETY: the value has this size, which is the argument's type.
            unsafe { cl3::kernel::set_kernel_arg(kernel, at - 1, size, value) }.of(CALL)
        };
        set(size_of::<cl_mem>(), ptr::from_ref(&self.log).cast())?;
        for range in &self.ranges {
            set(16, range.as_ptr().cast())?;
        }
        for word in [&self.words, &self.token, &self.spin] {
            set(4, ptr::from_ref(word).cast())?;
        }
        match &self.which {
            Some(which) => set(4, ptr::from_ref(which).cast()),
            None => Ok(()),
        }
    }
}
