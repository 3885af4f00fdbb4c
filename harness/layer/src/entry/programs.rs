//! Programs and kernels.

use super::forward::{Notify, entry_points};
use crate::faults::{answers, kernels, source, svm, sync};
use libc::{c_char, c_void, size_t};
use opencl_sys::*;

entry_points! {
    object(context: cl_context, CL_INVALID_CONTEXT) {
        clCreateProgramWithSource(
            count: cl_uint, strings: *mut *const c_char, lengths: *const size_t,
        ) -> cl_program,
            errcode(errcode_ret),
            hook(; count, strings, lengths) => source::create_program_with_source;
        clCreateProgramWithBinary(
            num_devices: cl_uint, device_list: *const cl_device_id, lengths: *const size_t,
            binaries: *mut *const libc::c_uchar, binary_status: *mut cl_int,
        ) -> cl_program,
            errcode(errcode_ret);
        clCreateProgramWithBuiltInKernels(
            num_devices: cl_uint, device_list: *const cl_device_id, kernel_names: *const c_char,
        ) -> cl_program,
            errcode(errcode_ret), hook(; kernel_names) => kernels::built_in;
        clLinkProgram(
            num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_programs: cl_uint, input_programs: *const cl_program,
            pfn_notify: Option<Notify>, user_data: *mut c_void,
        ) -> cl_program,
            errcode(errcode_ret);
        clCreateProgramWithIL(il: *const c_void, length: size_t) -> cl_program,
            errcode(errcode_ret), hook(; il, length) => source::create_program_with_il;
    }
    object(program: cl_program, CL_INVALID_PROGRAM) {
        clRetainProgram() -> cl_int;
        clReleaseProgram() -> cl_int, hook() => sync::release;
        clBuildProgram(
            num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            pfn_notify: Option<Notify>, user_data: *mut c_void,
        ) -> cl_int;
        clGetProgramInfo(
            param_name: cl_program_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clGetProgramBuildInfo(
            device: cl_device_id, param_name: cl_program_build_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clCreateKernel(kernel_name: *const c_char) -> cl_kernel, errcode(errcode_ret);
        clCreateKernelsInProgram(
            num_kernels: cl_uint, kernels: *mut cl_kernel, num_kernels_ret: *mut cl_uint,
        ) -> cl_int,
            hook(num_kernels_ret) => answers::count;
        clCompileProgram(
            num_devices: cl_uint, device_list: *const cl_device_id, options: *const c_char,
            num_input_headers: cl_uint, input_headers: *const cl_program,
            header_include_names: *mut *const c_char, pfn_notify: Option<Notify>,
            user_data: *mut c_void,
        ) -> cl_int;
        clSetProgramReleaseCallback(pfn_notify: Option<Notify>, user_data: *mut c_void) -> cl_int;
        clSetProgramSpecializationConstant(
            spec_id: cl_uint, spec_size: size_t, spec_value: *const c_void,
        ) -> cl_int;
    }
    object(kernel: cl_kernel, CL_INVALID_KERNEL) {
        clRetainKernel() -> cl_int;
        clReleaseKernel() -> cl_int, hook(kernel) => sync::release_kernel;
        clSetKernelArg(arg_index: cl_uint, arg_size: size_t, arg_value: *const c_void) -> cl_int,
            alters(arg_size, arg_value) => kernels::argument, hook(kernel) => kernels::set_argument;
        clGetKernelInfo(
            param_name: cl_kernel_info, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clGetKernelWorkGroupInfo(
            device: cl_device_id, param_name: cl_kernel_work_group_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clGetKernelArgInfo(
            arg_index: cl_uint, param_name: cl_kernel_arg_info, param_value_size: size_t,
            param_value: *mut c_void, param_value_size_ret: *mut size_t,
        ) -> cl_int,
            hook(param_name, param_value_size, param_value, param_value_size_ret) => answers::info;
        clSetKernelArgSVMPointer(arg_index: cl_uint, arg_value: *const c_void) -> cl_int,
            alters(arg_value) => svm::pointer, hook(kernel) => kernels::set_argument;
        clSetKernelExecInfo(
            param_name: cl_kernel_exec_info, param_value_size: size_t, param_value: *const c_void,
        ) -> cl_int;
        clGetKernelSubGroupInfoKHR(
            in_device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: size_t,
            input_value: *const c_void, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int;
        clCloneKernel() -> cl_kernel, errcode(errcode_ret), hook(kernel) => kernels::clone;
        clGetKernelSubGroupInfo(
            device: cl_device_id, param_name: cl_kernel_sub_group_info, input_value_size: size_t,
            input_value: *const c_void, param_value_size: size_t, param_value: *mut c_void,
            param_value_size_ret: *mut size_t,
        ) -> cl_int;
    }
    object(platform: cl_platform_id, CL_INVALID_PLATFORM) {
        clUnloadPlatformCompiler() -> cl_int;
    }
    object(command_queue: cl_command_queue, CL_INVALID_COMMAND_QUEUE) {
        clGetKernelSuggestedLocalWorkSize(
            kernel: cl_kernel, work_dim: cl_uint, global_work_offset: *const usize,
            global_work_size: *const usize, suggested_local_work_size: *mut usize,
        ) -> cl_int;
    }
}
