//! Kernels (`opencl_runtime_layer`, Kernel Objects).

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use opencl_sys::*;

use super::device_of;
use super::entry::entry_points;
use crate::ffi::{Error, Result, ensure, raw};
use crate::kernel::Kernel;
use crate::object;
use crate::platform::profile::{self, Feature, Version};
use crate::program::{Program, Target};

/// What there is of a kernel for a device; null is its only device.
///
/// # Errors
/// `CL_INVALID_DEVICE`.
fn target(kernel: &Arc<Kernel>, device: cl_device_id) -> Result<&Target> {
    let target = if device.is_null() {
        kernel.only_target()
    } else {
        kernel.on(&device_of(device)?)
    };
    target.ok_or(Error(CL_INVALID_DEVICE))
}

entry_points! {
    /// Makes a kernel.
    create fn clCreateKernel(program: cl_program, kernel_name: *const c_char) -> cl_kernel {
        let program = object::find::<Program>(program)?;
        program.kernel_names()?;
        // SAFETY: the application vouches for its string.
        let name = unsafe { raw::text(kernel_name) }.ok_or(Error(CL_INVALID_VALUE))?;
        Ok(object::publish(&Kernel::new(&program, &name)?))
    }

    /// Makes every kernel of a program.
    status fn clCreateKernelsInProgram(
        program: cl_program, num_kernels: cl_uint, kernels: *mut cl_kernel,
        num_kernels_ret: *mut cl_uint,
    ) {
        let program = object::find::<Program>(program)?;
        let all = Kernel::all(&program)?;
        let count = all.len();
        ensure!(kernels.is_null() || num_kernels as usize >= count, CL_INVALID_VALUE);
        // SAFETY: the list has room for as many as there are; the application vouches for its
        // pointers.
        unsafe {
            raw::put_all(kernels, count, all.iter().map(object::publish));
            raw::put(num_kernels_ret, count as cl_uint);
        }
        Ok(())
    }

    /// Copies a kernel with its arguments.
    create fn clCloneKernel(source_kernel: cl_kernel) -> cl_kernel {
        profile::require_version(Version::V3_0)?;
        let kernel = object::find::<Kernel>(source_kernel)?;
        Ok(object::publish(&kernel.duplicate()))
    }

    references clRetainKernel clReleaseKernel(cl_kernel): Kernel;

    /// Sets an argument.
    status fn clSetKernelArg(
        kernel: cl_kernel, arg_index: cl_uint, arg_size: usize, arg_value: *const c_void,
    ) {
        let kernel = object::find::<Kernel>(kernel)?;
        // SAFETY: the application vouches for its value.
        unsafe { kernel.set_argument(arg_index, arg_size, arg_value) }
    }

    /// Sets an argument to an address of shared virtual memory.
    status fn clSetKernelArgSVMPointer(
        kernel: cl_kernel, arg_index: cl_uint, arg_value: *const c_void,
    ) {
        object::find::<Kernel>(kernel)?.set_svm_argument(arg_index, arg_value)
    }

    /// Sets what a kernel needs besides arguments.
    status fn clSetKernelExecInfo(
        kernel: cl_kernel, param_name: cl_kernel_exec_info, param_value_size: usize,
        param_value: *const c_void,
    ) {
        let kernel = object::find::<Kernel>(kernel)?;
        // SAFETY: the application vouches for its value.
        unsafe { kernel.set_exec_info(param_name, param_value_size, param_value) }
    }

    /// Answers a query about a kernel.
    query fn clGetKernelInfo(kernel: cl_kernel, param_name: cl_kernel_info) {
        let kernel = object::find::<Kernel>(kernel)?;
        kernel.info(param_name)
    }

    /// Answers a query about an argument.
    query fn clGetKernelArgInfo(
        kernel: cl_kernel, arg_index: cl_uint, param_name: cl_kernel_arg_info,
    ) {
        let kernel = object::find::<Kernel>(kernel)?;
        kernel.argument_info(arg_index, param_name)
    }

    /// Answers a query about running a kernel on a device.
    query fn clGetKernelWorkGroupInfo(
        kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_work_group_info,
    ) {
        let kernel = object::find::<Kernel>(kernel)?;
        let target = target(&kernel, device)?;
        kernel.work_group_info(target, param_name)
    }

    /// Answers a query about sub-groups.
    status fn clGetKernelSubGroupInfo also clGetKernelSubGroupInfoKHR(
        kernel: cl_kernel, device: cl_device_id, param_name: cl_kernel_sub_group_info,
        input_value_size: usize, input_value: *const c_void, param_value_size: usize,
        param_value: *mut c_void, param_value_size_ret: *mut usize,
    ) {
        const WORD: usize = size_of::<usize>();
        let kernel = object::find::<Kernel>(kernel)?;
        let target = target(&kernel, device)?;
        profile::require(Feature::SubGroups)?;
        let input = if input_value.is_null() {
            None
        } else {
            // What is no whole number of numbers is none that any query takes.
            let whole = input_value_size.is_multiple_of(WORD) && input_value_size <= 3 * WORD;
            let words = if whole { input_value_size / WORD } else { 0 };
            // SAFETY: the application vouches for its input.
            let words = unsafe { raw::slice(input_value.cast::<usize>(), words) };
            Some(words.to_vec())
        };
        let room = (!param_value.is_null()).then_some(param_value_size / WORD);
        let answer = Kernel::sub_group_info(target, param_name, input, room)?;
        // SAFETY: the application vouches for its pointers.
        unsafe { answer.deliver(param_value_size, param_value, param_value_size_ret) }
    }
}
